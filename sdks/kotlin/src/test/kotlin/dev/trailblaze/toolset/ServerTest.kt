package dev.trailblaze.toolset

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import sample.SampleToolSet
import java.io.Closeable
import java.io.File
import java.net.ServerSocket
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread

/** The sample server as a process, spoken to as Trailblaze does. */
class ServerTest {
    @Test
    fun `a server speaks MCP over its standard streams`() {
        Stdio().use { server ->
            val listed = server.ask("tools/list").list("tools").map { it.jsonObject }
            val tools = listed.associateBy { it.text("name") }
            assertEquals(Toolbox(SampleToolSet()).names, tools.keys)
            assertEquals("Taps a button", tools.getValue("tapButton").text("description"))
            assertEquals("object", tools.getValue("shop_order").inner("inputSchema")?.text("type"))

            val read = server.ask("resources/read", "uri" to "trailblaze://registry")
            val resource = read.list("contents").single().jsonObject
            assertEquals("application/json", resource.text("mimeType"))
            val registry = Json.parseToJsonElement(resource.text("text")!!).jsonObject
            assertEquals(setOf("shop_order", "nothing", "delegates"), registry.inner("tools")?.keys)

            assertEquals("[]", server.call("nothing").getValue("content").toString())
            val failed = server.call("refuses")
            assertEquals("true" to "sold out", failed["isError"].toString() to failed.said())
            assertEquals("try tomorrow", failed.trailblaze().text("hint"))
            val thrown = server.call("breaks")
            assertEquals("java.lang.StackOverflowError", thrown.said())
            val stack = thrown.trailblaze().text("stack")!!.lines()
            assertEquals("java.lang.StackOverflowError", stack[0])
            assertTrue(stack[1], stack[1].startsWith("\tat sample.SampleToolSet.breaks(SampleToolSet.kt:"))
            val delegated = server.call("delegates").inner("structuredContent")
            val calls = """[{"tool":"tap","args":{"text":"Buy"}},{"tool":"pressBack","args":{}}]"""
            assertEquals("""{"success":true,"_trailblaze_delegates":$calls}""", delegated.toString())
            // What a tool prints is no part of the talk, and what is cancelled has no answer.
            server.call("talks")
            server.cancel("waits")
            // It still answers after all that.
            assertEquals("false", server.call("nothing")["isError"].toString())
        }
    }

    @Test
    fun `a call reaches the device that it came from`() {
        FakeServer("""{"success": true}""").use { device ->
            Stdio().use { server ->
                val meta = mapOf("trailblazeInvocationId" to "inv-7", "trailblaze" to mapOf("baseUrl" to device.url))
                assertEquals("tapped 1 times", server.call("tapButton", mapOf("text" to "A"), meta).said())
                assertEquals("inv-7", device.asked.single().json.text("invocationId"))
            }
        }
    }

    @Test
    fun `one process serves several devices over HTTP at the same time`() {
        val port = ServerSocket(0).use { it.localPort }
        val all = CountDownLatch(3)
        // None is answered before all are there.
        val device = FakeServer {
            all.countDown()
            Answer("""{"success": ${all.await(20, TimeUnit.SECONDS)}}""")
        }
        device.use {
            Started("--transport", "http", "--port", "$port").use { server ->
                val said = (1..3).map { at ->
                    val session = server.open(port)
                    val said = arrayOfNulls<String>(1)
                    val meta = mapOf("trailblazeInvocationId" to "inv-$at", "trailblaze" to mapOf("baseUrl" to device.url))
                    val params = mapOf("name" to "tapButton", "arguments" to mapOf("text" to "$at"), "_meta" to meta)
                    val call = message(9, "tools/call", params)
                    thread { said[0] = post(port, call, session).first.inner("result")?.said() } to said
                }.map { (thread, said) -> thread.join(); said[0] }
                assertEquals(List(3) { "tapped 1 times" }, said)
                val pairs = device.asked.map { it.json.text("text") to it.json.text("invocationId") }
                assertEquals((1..3).map { "$it" to "inv-$it" }.toSet(), pairs.toSet())
                val stranger = runCatching { post(port, message(1, "initialize", INITIALIZE), null, "http://evil.example") }
                assertEquals("403", stranger.exceptionOrNull()?.message)
            }
        }
    }

    @Test
    fun `arguments that it does not know end it`() {
        Started("--http").use {
            assertTrue(it.process.waitFor(20, TimeUnit.SECONDS))
            assertEquals(2, it.process.exitValue())
        }
        fun check(vararg args: String, port: Int?) = assertEquals(port, TransportArguments.of(arrayOf(*args)).port)
        check(port = null)
        check("--transport", "stdio", port = null)
        check("--transport", "http", "--port", "8000", port = 8000)
        for (bad in listOf("--port 1", "--transport http", "--transport sse", "--port", "--transport http --port x")) {
            assertThrows(IllegalArgumentException::class.java) { TransportArguments.of(bad.split(' ').toTypedArray()) }
        }
    }

    /** The sample server with nothing but its own class path. */
    private open class Started(vararg args: String) : Closeable {
        private val java = File(System.getProperty("java.home"), "bin/java").path
        private val path = System.getProperty("java.class.path")
        private val command = listOf(java, "-XX:TieredStopAtLevel=1", "-cp", path, "sample.SampleServer")
        val process: Process = ProcessBuilder(command + args).redirectError(ProcessBuilder.Redirect.INHERIT).start()

        /** A session, once it answers. */
        fun open(port: Int): String {
            val until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
            while (true) {
                val opened = runCatching { post(port, message(1, "initialize", INITIALIZE), null) }
                opened.onSuccess { (_, session) ->
                    post(port, """{"jsonrpc":"2.0","method":"notifications/initialized"}""", session)
                    return session!!
                }
                check(process.isAlive && System.nanoTime() < until) { "$opened" }
                Thread.sleep(50)
            }
        }

        override fun close() {
            process.destroyForcibly().waitFor()
        }
    }

    private class Stdio : Started() {
        private val input = process.inputStream.bufferedReader()
        private var id = 0

        init {
            ask("initialize", *INITIALIZE.entries.map { it.toPair() }.toTypedArray())
            process.outputStream.write("""{"jsonrpc":"2.0","method":"notifications/initialized"}""".plus("\n").toByteArray())
        }

        fun ask(method: String, vararg params: Pair<String, Any?>): JsonObject {
            id += 1
            process.outputStream.write("${message(id, method, params.toMap())}\n".toByteArray())
            process.outputStream.flush()
            val answer = Json.parseToJsonElement(input.readLine()).jsonObject
            assertEquals(id, answer["id"].asInt())
            return requireNotNull(answer.inner("result")) { "$answer" }
        }

        fun call(tool: String, arguments: Map<String, Any?> = emptyMap(), meta: Map<String, Any?> = emptyMap()) =
            ask("tools/call", "name" to tool, "arguments" to arguments, "_meta" to meta)

        fun cancel(tool: String) {
            id += 1
            val call = message(id, "tools/call", mapOf("name" to tool))
            val params = mapOf("requestId" to id)
            val cancel = jsonOf("jsonrpc" to "2.0", "method" to "notifications/cancelled", "params" to params)
            process.outputStream.write("$call\n$cancel\n".toByteArray())
        }

        /** It ends with its input. */
        override fun close() {
            process.outputStream.close()
            assertTrue(process.waitFor(5, TimeUnit.SECONDS))
            assertEquals(0, process.exitValue())
        }
    }

    private companion object {
        val INITIALIZE = mapOf(
            "protocolVersion" to "2025-11-25", "capabilities" to emptyMap<String, Any>(),
            "clientInfo" to mapOf("name" to "test", "version" to "1"),
        )

        fun message(id: Int, method: String, params: Map<String, Any?>) =
            jsonOf("jsonrpc" to "2.0", "id" to id, "method" to method, "params" to params).toString()

        /** The answer and the session; throws the status when it is none of success. */
        fun post(port: Int, body: String, session: String?, origin: String? = null): Pair<JsonObject, String?> {
            val request = HttpRequest.newBuilder(URI("http://127.0.0.1:$port/mcp")).POST(BodyPublishers.ofString(body))
                .header("Content-Type", "application/json").header("Accept", "application/json, text/event-stream")
            session?.let { request.header("Mcp-Session-Id", it) }
            origin?.let { request.header("Origin", it) }
            val response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString())
            check(response.statusCode() < 300) { "${response.statusCode()}" }
            val said = response.body().lines().map { it.removePrefix("data:").trim() }
            val json = said.firstOrNull { it.startsWith("{") }?.let { Json.parseToJsonElement(it).jsonObject }
            return (json ?: JsonObject(emptyMap())) to response.headers().firstValue("Mcp-Session-Id").orElse(null)
        }

        fun JsonObject.said(): String? = list("content").single().jsonObject.text("text")

        fun JsonObject.trailblaze(): JsonObject = inner("_meta")!!.inner("trailblaze")!!
    }
}
