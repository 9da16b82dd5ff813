package dev.trailblaze.toolset

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import java.io.Closeable
import java.net.InetAddress
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors

/** What was asked of a [FakeServer]. */
class Asked(val path: String, val headers: Map<String, String>, body: ByteArray) {
    val isStream = headers["Content-type"] == "application/connect+json"
    val json: JsonObject = Json.parseToJsonElement(String(if (isStream) body.drop(5).toByteArray() else body)).jsonObject
}

/** What it answers: a status with a body. */
class Answer(val status: Int, val body: ByteArray) {
    constructor(body: String, status: Int = 200) : this(status, body.toByteArray())
}

/** An RPC server that answers what a test says, and remembers what it was asked. */
class FakeServer(private val answer: (Asked) -> Answer) : Closeable {
    constructor(body: String, status: Int = 200) : this({ Answer(body, status) })

    val asked = CopyOnWriteArrayList<Asked>()
    private val threads = Executors.newCachedThreadPool()
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
    val url = "http://${server.address.hostString}:${server.address.port}"

    init {
        server.executor = threads
        server.createContext("/", ::handle)
        server.start()
    }

    private fun handle(exchange: HttpExchange) {
        val headers = exchange.requestHeaders.mapValues { it.value.first() }
        val path = exchange.requestURI.path.removePrefix("/trailblaze.v1.")
        val request = Asked(path, headers, exchange.requestBody.readBytes())
        asked += request
        val said = answer(request)
        exchange.sendResponseHeaders(said.status, said.body.size.toLong().takeIf { it > 0 } ?: -1)
        exchange.responseBody.write(said.body)
        exchange.close()
    }

    override fun close() {
        server.stop(0)
        threads.shutdownNow()
    }

    companion object {
        /** The pieces of a stream, the last of which ends it. */
        fun stream(vararg messages: String) = Answer(
            200,
            messages.withIndex().flatMap { (at, message) ->
                val bytes = message.toByteArray()
                val flags: Byte = if (at == messages.lastIndex) 2 else 0
                ByteBuffer.allocate(5 + bytes.size).put(flags).putInt(bytes.size).put(bytes).array().toList()
            }.toByteArray(),
        )
    }
}
