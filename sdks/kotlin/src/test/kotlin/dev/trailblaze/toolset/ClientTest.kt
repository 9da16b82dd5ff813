package dev.trailblaze.toolset

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import java.net.ServerSocket
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread

class ClientTest {
    private fun <T> asking(body: String, status: Int = 200, ask: suspend (TrailblazeClient) -> T): T =
        FakeServer(body, status).use { runBlocking { ask(TrailblazeClient(it.url)) } }

    private fun refused(body: String, status: Int, ask: suspend (TrailblazeClient) -> Any? = { it.tap("A") }) =
        assertThrows(TrailblazeException::class.java) { asking(body, status, ask) }

    @Test
    fun `queries return what is not there`() {
        assertEquals(false, asking("{}") { it.isVisible("Nowhere") })
        assertEquals(false, asking("{}") { it.hasText("Nowhere") })
        assertEquals(0, asking("{}") { it.getElementCount("Nowhere") })
        assertNull(asking("{}") { it.getElementText("nowhere") })
        assertNull(asking("{}") { it.getMemory("nothing") })
        assertEquals(emptyMap<String, String>(), asking("{}") { it.listMemory() })
    }

    @Test
    fun `values are read`() {
        assertEquals(true, asking("""{"value": true}""") { it.isVisible("A") })
        assertEquals("", asking("""{"value": ""}""") { it.getElementText("a") })
        assertEquals(ActionResult(message = "tapped"), asking("""{"success": true, "message": "tapped"}""") { it.tap("A") })
        val screen = """{"width": 9, "nodes": [{"text": "A", "bounds": {"right": 4}}, {"id": "b"}], "text": "A"}"""
        val nodes = listOf(ScreenNode("A", null, Bounds(0, 0, 4, 0)), ScreenNode(null, "b", null))
        assertEquals(ScreenState(9, 0, nodes, "A"), asking(screen) { it.captureScreen() })
        assertEquals(mapOf("a" to "b"), asking("""{"entries": {"a": "b"}}""") { it.listMemory() })
        val response = asking("""{"success": true, "structuredContent": [1]}""") { it.callTool("x") }
        assertEquals(json(listOf(1)), response.structuredContent)
    }

    @Test
    fun `an action that failed is thrown with all that is known`() {
        val advice = """"hint": "did you mean 'Sign in'?", "candidates": ["Sign in"]"""
        val body = """{"failure": {"kind": "NotFound", "message": "no 'Sing in'", $advice}}"""
        val thrown = assertThrows(TrailblazeException::class.java) { asking(body) { it.tap("Sing in") } }
        assertEquals(Failure("NotFound", "no 'Sing in'", "did you mean 'Sign in'?", listOf("Sign in")), thrown.failure)
        assertEquals("no 'Sing in'", thrown.message)
        assertNull(thrown.status)
        assertThrows(TrailblazeException::class.java) { asking(body) { it.callTool("x") } }
    }

    @Test
    fun `a condition that is not met is an assertion error`() {
        val body = """{"failure": {"kind": "AssertionFailed", "message": "not visible", "candidates": ["A"]}}"""
        for (ask in listOf<suspend (TrailblazeClient) -> Any?>(
            { it.assertVisible("B") }, { it.assertNotVisibleWithText("B") }, { it.waitUntilVisible("B", 1) },
        )) {
            val thrown: AssertionError = assertThrows(TrailblazeAssertionError::class.java) { asking(body, ask = ask) }
            assertEquals(listOf("A"), (thrown as TrailblazeFailure).candidates)
        }
    }

    @Test
    fun `an assertion that could not be asked is none`() {
        val body = """{"failure": {"kind": "MissingRequiredArgs", "message": "m"}}"""
        assertThrows(TrailblazeException::class.java) { asking(body) { it.assertVisible() } }
    }

    @Test
    fun `addresses may lack a scheme and have a path`() {
        val variables = mapOf("TRAILBLAZE_RPC_TOKEN" to "t", "TRAILBLAZE_CALLBACK_URL" to "http://127.0.0.1:9/x")
        val environment = { name: String -> variables[name] }
        fun check(given: String?, expected: String, token: String?) {
            val address = Address.of(given, environment)
            assertEquals(expected to token, address.toString() to address.token(environment))
        }
        check(null, "http://127.0.0.1:9", "t")
        check("localhost:52525", "http://localhost:52525", "t")
        check("http://[::1]:1/a/b?c", "http://[::1]:1", "t")
        check("HTTP://LocalHost:1", "http://LocalHost:1", "t")
        check("https://127.0.0.1.example.com", "https://127.0.0.1.example.com", null)
        check("http://10.0.0.1:52525", "http://10.0.0.1:52525", null)
        assertEquals("http://localhost:52525", Address.of(null) { null }.toString())
        for (bad in listOf("", "ftp://a", "http://", "a b")) {
            assertThrows(IllegalArgumentException::class.java) { Address.of(bad, environment) }
        }
    }

    @Test
    fun `a refused call has the failure of its detail`() {
        val message = "Unknown invocation ID: x."
        val failure = """{"kind": "UnknownInvocation", "message": "$message", "hint": "h", "code": -32602}"""
        val details = """[{"type": "trailblaze.v1.Failure", "value": "", "debug": $failure}]"""
        val body = """{"code": "invalid_argument", "message": "m", "details": $details}"""
        val thrown = refused(body, 400)
        assertEquals(Failure("UnknownInvocation", message, "h", emptyList(), -32602), thrown.failure)
        assertEquals("invalid_argument", thrown.status)
        // Queries do not hide it.
        assertEquals("UnknownInvocation", refused(body, 400) { it.isVisible("A") }.kind)
    }

    @Test
    fun `what is no answer of ours is still a failure`() {
        val strange = refused("""{"code": "data_loss", "message": "m"}""", 500)
        assertEquals("DataLoss" to "m", strange.kind to strange.message)
        assertEquals("the server answered with status 502", refused("<html>", 502).message)
        assertEquals("Unavailable", refused("<html>", 200).kind)
        assertEquals("Unavailable", refused("[]", 200).kind)
        assertEquals("it does not say why", refused("{}", 200).message)
        val unauthenticated = refused("""{"code": "unauthenticated"}""", 401)
        assertEquals("Unauthenticated" to "unauthenticated", unauthenticated.kind to unauthenticated.status)
        val port = ServerSocket(0).use { it.localPort }
        val gone = assertThrows(TrailblazeException::class.java) {
            runBlocking { TrailblazeClient("http://127.0.0.1:$port").isVisible("A") }
        }
        assertEquals("Unavailable", gone.kind)
    }

    @Test
    fun `token, deadline and protocol are told`() {
        FakeServer("{}").use { server ->
            runBlocking { TrailblazeClient("${server.url}/", token = "t", timeoutMs = 900).isVisible("A") }
            val headers = server.asked.single().headers
            val names = listOf("Authorization", "Connect-timeout-ms", "Connect-protocol-version", "Content-type")
            assertEquals(listOf("Bearer t", "900", "1", "application/json"), names.map { headers[it] })
        }
    }

    @Test
    fun `a screenshot is the sum of its pieces`() {
        val pieces = listOf("UE4=", "Rw==").map { """{"data": "$it", "totalBytes": 3, "mediaType": "image/png"}""" }
        fun taken(vararg messages: String) =
            FakeServer { FakeServer.stream(*messages) }.use { runBlocking { TrailblazeClient(it.url).takeScreenshot() } }
        val screenshot = taken(pieces[0], pieces[1], "{}")
        assertEquals("PNG" to "image/png", String(screenshot.data) to screenshot.mediaType)
        assertThrows(TrailblazeException::class.java) { taken(pieces[0], "{}") }
        val error = """{"error": {"code": "unavailable", "message": "the device is gone"}}"""
        val broken = assertThrows(TrailblazeException::class.java) { taken(pieces[0], error) }
        assertEquals("the device is gone", broken.message)
    }

    @Test
    fun `the device is asked for once, and must be the only one`() {
        FakeServer("""{"devices": [{"id": "a", "platform": "web", "groups": ["playwright"]}]}""").use { server ->
            val client = TrailblazeClient(server.url)
            assertEquals(TrailblazeDevicePlatform.WEB, client.platform)
            assertNull(client.maestro)
            assertNull(client.desktop)
            assertTrue(client.playwright != null)
            assertEquals(1, server.asked.size)
        }
        FakeServer("""{"devices": [{"id": "a"}, {"id": "b"}]}""").use { server ->
            val thrown = assertThrows(TrailblazeException::class.java) { TrailblazeClient(server.url).platform }
            assertEquals("InvocationRequired", thrown.kind)
        }
    }

    @Test
    fun `two numbers are a point, whichever way they are given`() {
        FakeServer("""{"success": true}""").use { server ->
            val tb = TrailblazeClient(server.url, "i")
            val commands: TrailblazeCommands = tb
            runBlocking {
                tb.tap(100, 200)
                tb.tap(x = 100, y = 200)
                commands.tap(100, 200)
            }
            val expected = jsonOf("x" to 100, "y" to 200, "invocationId" to "i")
            assertEquals(List(3) { expected }, server.asked.map { it.json })
        }
    }

    @Test
    fun `a server that does not answer in time is told apart`() {
        ServerSocket(0).use { socket ->
            val client = TrailblazeClient("http://127.0.0.1:${socket.localPort}", timeoutMs = 100)
            val late = assertThrows(TrailblazeException::class.java) { runBlocking { client.isVisible("A") } }
            assertEquals("TimedOut" to "deadline_exceeded", late.kind to late.status)
        }
    }

    /** A server that hangs up without an answer. */
    @Test
    fun `an action is never sent twice`() {
        ServerSocket(0).use { socket ->
            val answer = """{"success": true}"""
            var requests = 0
            thread(isDaemon = true) {
                // The first connection is kept and used for a second request, which is the case that the JVM retries.
                while (true) {
                    val connection = runCatching { socket.accept() }.getOrNull() ?: break
                    val input = connection.getInputStream()
                    val buffer = ByteArray(65_536)
                    while (true) {
                        val length = input.read(buffer)
                        if (length < 0) break
                        // Head and body may come apart.
                        if (!String(buffer, 0, length).contains("{")) continue
                        requests += 1
                        if (requests > 1) break
                        val head = "HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n"
                        connection.getOutputStream().write("$head$answer".toByteArray())
                    }
                    connection.close()
                }
            }
            val client = TrailblazeClient("http://127.0.0.1:${socket.localPort}")
            runBlocking { client.tap("A") }
            assertThrows(TrailblazeException::class.java) { runBlocking { client.tap("A") } }
            assertEquals(2, requests)
        }
    }

    @Test
    fun `who stops waiting hangs up`() {
        ServerSocket(0).use { socket ->
            val begun = CountDownLatch(1)
            val hungUp = CountDownLatch(1)
            thread(isDaemon = true) {
                socket.accept().use { connection ->
                    val input = connection.getInputStream()
                    while (runCatching { input.read() }.getOrDefault(-1).also { begun.countDown() } >= 0) continue
                    hungUp.countDown()
                }
            }
            runBlocking {
                val client = TrailblazeClient("http://127.0.0.1:${socket.localPort}")
                val asking = async { client.isVisible("A", timeoutMs = 60_000) }
                while (begun.count > 0) delay(10)
                asking.cancelAndJoin()
                assertThrows(CancellationException::class.java) { runBlocking { asking.await() } }
            }
            assertTrue(hungUp.await(10, TimeUnit.SECONDS))
        }
    }
}
