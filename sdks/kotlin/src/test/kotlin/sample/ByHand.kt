package sample

import dev.trailblaze.toolset.TrailblazeClient
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** The handler of the design for the MCP SDK alone, out of the `_meta` of a request. */
suspend fun tapByHand(meta: JsonObject?) {
    val invocationId = meta?.get("trailblazeInvocationId")
        ?.let { (it as? JsonPrimitive)?.content }
    val baseUrl = meta?.get("trailblaze")
        ?.jsonObject?.get("baseUrl")?.jsonPrimitive?.content
        ?: "http://localhost:52525"

    val tb = TrailblazeClient(baseUrl, invocationId)
    tb.tap(100, 200)
}
