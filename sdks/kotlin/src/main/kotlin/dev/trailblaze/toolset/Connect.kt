package dev.trailblaze.toolset

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import java.io.DataInputStream
import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.Proxy
import java.net.SocketTimeoutException
import java.nio.ByteBuffer

/** The most that one message may have, here and on the other side. */
private const val MOST_BYTES = 16 shl 20

/** The server answers when the time is up; only one that is gone does not. */
private const val GRACE_MS = 1_000

private const val END_OF_STREAM = 2

/** Threads of their own: tools that block may have taken all others, and wait for one of these. */
private val SOCKETS = Dispatchers.IO.limitedParallelism(256).asExecutor()

/** Calls methods by the protocol of Connect, with JSON, over the HTTP that every JVM has. */
internal class Connect(private val address: Address, private val token: String?, private val timeoutMs: Int?) {
    /** A method with one answer. */
    suspend fun call(method: String, request: JsonObject): JsonObject =
        post(method, "application/json", request.toString().encodeToByteArray()) { it.readBounded().asObject() }

    /** A method with many answers, all of them. */
    suspend fun stream(method: String, request: JsonObject): List<JsonObject> {
        val message = request.toString().encodeToByteArray()
        val envelope = ByteBuffer.allocate(5 + message.size).put(0).putInt(message.size).put(message).array()
        return post(method, "application/connect+json", envelope) { readEnvelopes(DataInputStream(it)) }
    }

    private suspend fun <T> post(method: String, type: String, body: ByteArray, read: (InputStream) -> T): T =
        suspendCancellableCoroutine { continuation ->
            val connection = open(method, type, body.size)
            // A read that waits notices nothing else. The server sees it, too, and tells the device to stop.
            continuation.invokeOnCancellation { connection.disconnect() }
            SOCKETS.execute {
                if (continuation.isActive) continuation.resumeWith(runCatching { guarded { exchange(connection, body, read) } })
            }
        }

    private fun open(method: String, type: String, length: Int): HttpURLConnection {
        val url = address.resolve("trailblaze.v1.$method").toURL()
        // Proxies are for other machines.
        val connection = url.openConnection(Proxy.NO_PROXY) as HttpURLConnection
        connection.requestMethod = "POST"
        connection.doOutput = true
        connection.connectTimeout = 5_000
        // Otherwise the JVM sends a request twice when the answer to the first stays out: two taps instead of one.
        connection.setFixedLengthStreamingMode(length)
        connection.setRequestProperty("Content-Type", type)
        connection.setRequestProperty("Connect-Protocol-Version", "1")
        token?.let { connection.setRequestProperty("Authorization", "Bearer $it") }
        timeoutMs?.let {
            connection.setRequestProperty("Connect-Timeout-Ms", it.toString())
            connection.readTimeout = it + GRACE_MS
        }
        return connection
    }

    private fun <T> exchange(connection: HttpURLConnection, body: ByteArray, read: (InputStream) -> T): T {
        connection.outputStream.use { it.write(body) }
        val status = connection.responseCode
        if (status == HttpURLConnection.HTTP_OK) return connection.inputStream.use(read)
        // The JVM keeps the body of this one to itself.
        if (status == HttpURLConnection.HTTP_UNAUTHORIZED) throw unauthenticated()
        val said = connection.errorStream?.use { it.readBounded() } ?: ByteArray(0)
        throw refusal(runCatching { said.asObject() }.getOrNull(), "the server answered with status $status")
    }

    private fun <T> guarded(work: () -> T): T = try {
        work()
    } catch (error: SocketTimeoutException) {
        val failure = Failure("TimedOut", "Trailblaze did not answer in time at $address")
        throw TrailblazeException(failure, "deadline_exceeded", error)
    } catch (error: IOException) {
        val message = "Trailblaze does not answer at $address: ${error.message ?: error}"
        val failure = Failure("Unavailable", message, "is 'trailblaze serve' or a run under way?")
        throw TrailblazeException(failure, "unavailable", error)
    } catch (error: SerializationException) {
        throw TrailblazeException(Failure("Unavailable", "what answers at $address is not Trailblaze"), "unknown", error)
    }

    private fun readEnvelopes(stream: DataInputStream): List<JsonObject> {
        val messages = mutableListOf<JsonObject>()
        while (true) {
            val flags = stream.readUnsignedByte()
            val length = stream.readInt()
            if (length !in 0..MOST_BYTES) throw IOException("a message of ${length.toUInt()} bytes")
            val message = ByteArray(length).also(stream::readFully).asObject()
            if (flags and END_OF_STREAM == 0) {
                messages += message
                continue
            }
            val error = message["error"] as? JsonObject ?: return messages
            throw refusal(error, "the stream broke off")
        }
    }
}

private fun unauthenticated(): TrailblazeException {
    val hint = "pass the server's '--rpc-token' to TrailblazeClient"
    return TrailblazeException(Failure("Unauthenticated", "this server wants a token", hint), "unauthenticated")
}

/** What an error of Connect says; the detail of our server is the failure as JSON. */
private fun refusal(error: JsonObject?, otherwise: String): TrailblazeException {
    val status = error?.text("code")
    val detail = error?.list("details").orEmpty().firstNotNullOfOrNull { (it as? JsonObject)?.get("debug") as? JsonObject }
    val kind = status?.split('_')?.joinToString("") { it.replaceFirstChar(Char::uppercase) } ?: "Unavailable"
    val failure = detail?.let(::failureOf) ?: Failure(kind, error?.text("message") ?: otherwise)
    return TrailblazeException(failure, status ?: "unknown")
}

/** Out of `trailblaze.v1.Failure`. */
internal fun failureOf(json: JsonObject) = Failure(
    kind = json.text("kind") ?: "Exception",
    message = json.text("message") ?: "it does not say why",
    hint = json.text("hint").orEmpty(),
    candidates = json.list("candidates").mapNotNull { it.asText() },
    code = json["code"].asInt(),
)

private fun InputStream.readBounded(): ByteArray {
    val bytes = readNBytes(MOST_BYTES + 1)
    if (bytes.size > MOST_BYTES) throw IOException("an answer of more than $MOST_BYTES bytes")
    return bytes
}

private fun ByteArray.asObject(): JsonObject {
    val json: JsonElement = Json.parseToJsonElement(decodeToString())
    return json as? JsonObject ?: throw SerializationException("not an object")
}
