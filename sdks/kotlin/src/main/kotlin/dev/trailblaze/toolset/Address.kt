package dev.trailblaze.toolset

import java.net.URI

/** Where commands are asked for, and what has to be shown there. */
internal class Address private constructor(private val uri: URI) {
    fun resolve(path: String): URI = URI("$uri/$path")

    override fun toString() = uri.toString()

    /** The token of the environment is for this machine: who sends a `_meta` could name any address. */
    fun token(environment: (String) -> String?): String? {
        val host = uri.host.lowercase()
        val isHere = host in setOf("localhost", "[::1]") || Regex("""127\.\d+\.\d+\.\d+""").matches(host)
        return if (isHere) environment("TRAILBLAZE_RPC_TOKEN") else null
    }

    companion object {
        private const val DEFAULT = "http://localhost:52525"

        /** A scheme may be missing, and a path is left out: the server of callbacks is that of commands. */
        fun of(given: String?, environment: (String) -> String?): Address {
            val text = given ?: environment("TRAILBLAZE_CALLBACK_URL") ?: DEFAULT
            val uri = runCatching { URI(if ("://" in text) text else "http://$text") }.getOrNull()
            val scheme = uri?.scheme?.lowercase()
            require(uri?.host != null && scheme in setOf("http", "https")) { "'$text' is no address of a server" }
            return Address(URI("$scheme://${uri.authority}"))
        }
    }
}
