package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonObject

/** How the commands of a tool reach the device. */
enum class ExecutionMode {
    /** The host that runs the tool gives its own commands; nothing goes over a wire. */
    IN_PROCESS,

    /** A [TrailblazeClient] for the tool call, made from its `_meta`. */
    RPC,
}

/** What a tool is told besides its arguments: declare a parameter of this type, and it is there. */
class TrailblazeContext(
    /** The commands, for the device of this call. */
    val client: TrailblazeCommands,
    /** The device, as it was when the call began. */
    val device: Device? = null,
    /** The id of the session, for logs. */
    val session: String? = null,
    /** What the session remembered when the call began. What changes is asked of [client]. */
    val memory: Map<String, String> = emptyMap(),
    /** The id of this call; null where whoever calls has none. */
    val invocationId: String? = null,
) {
    companion object {
        /**
         * Out of the `_meta` of a `tools/call`, the `trailblaze` in there, or the `_trailblaze` of old. Where `commands` are
         * given, they are the client.
         */
        fun of(meta: JsonObject?, commands: TrailblazeCommands? = null): TrailblazeContext {
            val given = meta?.inner("_meta") ?: meta ?: JsonObject(emptyMap())
            val told = given.inner("trailblaze") ?: given.inner("_trailblaze") ?: given
            val invocationId = given.text("trailblazeInvocationId") ?: told.text("invocationId")
            val session = told.text("sessionId")
            val device = (told.inner("device") ?: oldDevice(told))?.let { deviceOf(it, session) }
            val deviceId = told.inner("device")?.text("id") ?: told.text("deviceId")
            return TrailblazeContext(
                client = commands ?: TrailblazeClient(told.text("baseUrl"), invocationId, session, deviceId, device = device),
                device = device,
                session = session,
                memory = told.inner("memory").orEmpty().mapValues { it.value.asText().orEmpty() },
                invocationId = invocationId,
            )
        }

        /** The `_trailblaze` of old says itself which device is meant, and what it is. */
        private fun oldDevice(told: JsonObject): JsonObject? =
            told.text("platform")?.let { jsonOf("id" to told.text("deviceId"), "platform" to it) }

        private fun deviceOf(json: JsonObject, session: String?): Device {
            val platform = json.text("platform").orEmpty().lowercase()
            return Device(
                id = json.text("id").orEmpty(),
                platform = platform,
                driver = json.text("driverType").orEmpty(),
                width = json["width"].asInt() ?: json["widthPixels"].asInt() ?: 0,
                height = json["height"].asInt() ?: json["heightPixels"].asInt() ?: 0,
                sessionId = session.orEmpty(),
                groups = if ("groups" in json) json.list("groups").mapNotNull { it.asText() } else listOfNotNull(GROUPS[platform]),
            )
        }

        /** The group that the devices of a platform have. */
        private val GROUPS = mapOf("android" to "maestro", "ios" to "maestro", "web" to "playwright", "desktop" to "desktop")
    }
}
