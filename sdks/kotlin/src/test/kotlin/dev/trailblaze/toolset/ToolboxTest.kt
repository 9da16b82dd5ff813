package dev.trailblaze.toolset

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import sample.PointToolSet
import sample.SampleToolSet
import sample.tapByHand

class ToolboxTest {
    private val tools = Toolbox(SampleToolSet())

    private fun call(tool: String, arguments: String = "{}", meta: String? = null, tools: Toolbox = this.tools) =
        runBlocking { tools.call(tool, parse(arguments), meta?.let(::parse)) }

    private fun parse(json: String): JsonObject = Json.parseToJsonElement(json).jsonObject

    private fun check(tool: String, arguments: String, kind: String?, message: String) {
        val result = call(tool, arguments)
        assertEquals(kind to message, result.failure?.kind to result.message)
    }

    @Test
    fun `arguments reach the tool`() {
        val items = """[{"name": "tea"}, {"name": "pie", "amount": 2}]"""
        val arguments = """{"items": $items, "prices": {"tea": 3}, "_trailblazeContext": {"memory": {}}}"""
        check("shop_order", arguments, null, "1 tea, 2 pie FAST null {tea=3.0} null")
        check("nothing", "{}", null, "")
    }

    @Test
    fun `whatever goes wrong is a result`() {
        check("shop_order", "{}", "MissingRequiredArgs", "the argument 'items' is missing")
        check("shop_order", """{"items": []}""", "InvalidArguments", "nothing to order")
        check("tapButton", """{"text": 1}""", "InvalidArguments", "'text' must be a text, not 1")
        check("nothing", """{"a": 1}""", "InvalidArguments", "unknown argument 'a'; there are none")
        check("refuses", "{}", "Exception", "sold out")
        check("throws", "{}", "Exception", "no such account")
        check("breaks", "{}", "Exception", "java.lang.StackOverflowError")
        check("dawdles", "{}", "Exception", "Timed out waiting for 1 ms")
        check("nowhere", "{}", "UnknownTool", "there is no tool 'nowhere'")
        val nowhere = call("nothing", meta = """{"trailblaze": {"baseUrl": "no address"}}""")
        assertEquals("'no address' is no address of a server", nowhere.message)
    }

    @Test
    fun `the end of a call is no failure of its tool`() = runBlocking {
        val waiting = async(start = CoroutineStart.UNDISPATCHED) { tools.call("waits", JsonObject(emptyMap())) }
        waiting.cancelAndJoin()
        assertTrue(waiting.isCancelled)
    }

    @Test
    fun `the context is what came with the call`() {
        val device = """"device": {"id": "sim", "platform": "android", "widthPixels": 1080, "driverType": "key"}"""
        val meta = """{"trailblazeInvocationId": "inv-1", "trailblaze": {"sessionId": "s", $device, "memory": {"a": "b"}}}"""
        assertEquals("sim key ANDROID {a=b} inv-1", call("told", meta = meta).message)
        val context = TrailblazeContext.of(parse(meta))
        assertEquals(Device("sim", "android", "key", 1080, 0, "s", listOf("maestro")), context.device)
        assertEquals("s", context.session)
        assertTrue(context.client.maestro != null && context.client.playwright == null)
        // Of a client that is not Trailblaze.
        val bare = TrailblazeContext.of(null)
        assertEquals(listOf(null, null, null), listOf(bare.device, bare.session, bare.invocationId))
        assertTrue(bare.memory.isEmpty())
    }

    @Test
    fun `the context may have the shape of old, and be any part of the request`() {
        val old = """{"deviceId": "d", "sessionId": "s", "platform": "Android"}"""
        for (given in listOf(old, """{"_trailblaze": $old}""", """{"_meta": {"_trailblaze": $old}}""")) {
            val context = TrailblazeContext.of(parse(given))
            assertEquals(given, Device("d", "android", sessionId = "s", groups = listOf("maestro")), context.device)
            assertEquals(given, listOf("s", null), listOf(context.session, context.invocationId))
        }
        val today = """{"invocationId": "i", "device": {"id": "d", "platform": "ios", "groups": ["desktop"]}}"""
        for (given in listOf(today, """{"trailblaze": $today}""", """{"_meta": {"trailblaze": $today}}""")) {
            val context = TrailblazeContext.of(parse(given))
            assertEquals(given, listOf("d", "i"), listOf(context.device?.id, context.invocationId))
            assertEquals(given, listOf("desktop"), context.device?.groups)
        }
        FakeServer("""{"success": true}""").use { server ->
            val meta = """{"_trailblaze": {"baseUrl": "${server.url}", "deviceId": "d", "sessionId": "s"}}"""
            call("tapPoint", meta = meta, tools = Toolbox(PointToolSet()))
            assertEquals(parse("""{"x": 100, "y": 200, "deviceId": "d", "sessionId": "s"}"""), server.asked.single().json)
        }
    }

    @Test
    fun `the examples of the design tap where they say`() {
        FakeServer("""{"success": true}""").use { server ->
            val meta = """{"trailblazeInvocationId": "i", "trailblaze": {"baseUrl": "${server.url}"}}"""
            call("tapPoint", meta = meta, tools = Toolbox(PointToolSet()))
            runBlocking { tapByHand(parse(meta)) }
            assertEquals(List(2) { parse("""{"x": 100, "y": 200, "invocationId": "i"}""") }, server.asked.map { it.json })
        }
    }

    @Test
    fun `commands of a tool name its call`() {
        FakeServer("""{"success": true}""").use { server ->
            val trailblaze = """{"baseUrl": "${server.url}", "sessionId": "s", "device": {"id": "d"}}"""
            val meta = """{"trailblazeInvocationId": "inv-1", "trailblaze": $trailblaze}"""
            assertEquals("tapped 2 times", call("tapButton", """{"text": "A", "times": 2}""", meta).message)
            val expected = """{"text": "A", "deviceId": "d", "sessionId": "s", "invocationId": "inv-1"}"""
            assertEquals(List(2) { parse(expected) }, server.asked.map { it.json })
        }
    }

    @Test
    fun `a command that fails, fails its tool with all that is known`() {
        val message = "'Go Online' is not visible"
        val failure = """{"kind": "AssertionFailed", "message": "$message", "candidates": ["Go offline"]}"""
        FakeServer("""{"failure": $failure}""").use { server ->
            val result = call("asserts", meta = """{"trailblaze": {"baseUrl": "${server.url}"}}""")
            assertEquals(Failure("AssertionFailed", message, "", listOf("Go offline")), result.failure)
            // The line of the tool that asked.
            val line = result.stack!!.lines()[1]
            assertTrue(line, line.startsWith("\tat sample.SampleToolSet.asserts(SampleToolSet.kt:"))
        }
    }

    class Own(private val commands: TrailblazeCommands) : TrailblazeToolSet {
        @Tool suspend fun press() = commands.tap("A").message
    }

    private class Recording(val taps: MutableList<String?> = mutableListOf()) : TrailblazeCommands by TrailblazeClient() {
        override val platform = TrailblazeDevicePlatform.IOS
        override suspend fun tap(
            text: String?, id: String?, index: Int?, x: Int?, y: Int?, longPress: Boolean?, ref: String?,
        ): ActionResult {
            taps += text ?: "$x,$y"
            return ActionResult(message = "done")
        }
    }

    @Test
    fun `the same tools run in the process of the host`() = runBlocking {
        val commands = Recording()
        val own = Toolbox(SampleToolSet(), mode = ExecutionMode.IN_PROCESS, commands = commands)
        assertEquals("tapped 1 times", call("tapButton", """{"text": "A"}""", tools = own).message)
        assertEquals("null null IOS {} null", call("told", tools = own).message)
        val made = Toolbox(listOf(perCall { Own(it.client) }), ExecutionMode.IN_PROCESS, commands)
        assertEquals("done", call("press", tools = made).message)
        commands.tap(100, 200)
        assertEquals(listOf("A", "A", "100,200"), commands.taps)
        assertThrows(IllegalArgumentException::class.java) { Toolbox(SampleToolSet(), mode = ExecutionMode.IN_PROCESS) }
        assertThrows(IllegalArgumentException::class.java) { Toolbox(SampleToolSet(), commands = commands) }
        Unit
    }

    @Test
    fun `the registry knows its tools`() {
        fun flags(exposed: Boolean, recordable: Boolean, delegating: Boolean) =
            """"exposedToLlm": $exposed, "isRecordable": $recordable, "isDelegating": $delegating"""
        val expected = """{
            "tools": {
                "shop_order": {"platforms": ["android", "ios"], "groups": ["orders"], ${flags(true, true, false)}},
                "nothing": {"platforms": [], "groups": [], ${flags(false, false, false)}},
                "delegates": {"platforms": [], "groups": [], ${flags(true, false, true)}}
            },
            "groups": {"orders": {"description": "What is bought", "defaultEnabled": false}},
            "serverInfo": {"name": "shop", "version": "1"}
        }"""
        assertEquals(Json.parseToJsonElement(expected), tools.registry(ServerInfo("shop", "1")).toJson())
        val stranger = object : HasRegistry { override val registry = mapOf("lost" to ToolMetadata()) }
        val sources = listOf(perCall(stranger) { Own(it.client) })
        val thrown = assertThrows(IllegalArgumentException::class.java) { Toolbox(sources) }
        assertEquals("the registry names 'lost', which is no tool", thrown.message)
    }
}
