package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonObject

/** A toolset that says more of its tools than their schemas: it becomes the resource `trailblaze://registry`. */
interface HasRegistry {
    /** By the names of the tools. */
    val registry: Map<String, ToolMetadata>
    val groups: Map<String, GroupInfo> get() = emptyMap()
}

/** All tools of a server or of a session. */
data class TrailblazeToolRegistry(
    val tools: Map<String, ToolMetadata>,
    val groups: Map<String, GroupInfo>,
    val serverInfo: ServerInfo,
)

/** What is known of one tool besides its schema. */
data class ToolMetadata(
    /** Where it works; empty means everywhere. */
    val platforms: Set<TrailblazeDevicePlatform> = emptySet(),
    val groups: Set<String> = emptySet(),
    /** Whether a model sees it. */
    val exposedToLlm: Boolean = true,
    /** Whether calls of it are recorded. */
    val isRecordable: Boolean = true,
    /** Whether it answers with calls for Trailblaze to make. */
    val isDelegating: Boolean = false,
)

data class GroupInfo(
    val description: String,
    /** Whether its tools are there unless somebody says otherwise. */
    val defaultEnabled: Boolean = true,
)

data class ServerInfo(val name: String, val version: String)

internal fun TrailblazeToolRegistry.toJson(): JsonObject = jsonOf(
    "tools" to tools.mapValues { (_, tool) ->
        jsonOf(
            "platforms" to tool.platforms.map { it.key },
            "groups" to tool.groups,
            "exposedToLlm" to tool.exposedToLlm,
            "isRecordable" to tool.isRecordable,
            "isDelegating" to tool.isDelegating,
        )
    },
    "groups" to groups.mapValues { (_, group) ->
        jsonOf("description" to group.description, "defaultEnabled" to group.defaultEnabled)
    },
    "serverInfo" to jsonOf("name" to serverInfo.name, "version" to serverInfo.version),
)

/** The JSON of protobuf leaves out what is empty or false. */
internal fun registryOf(json: JsonObject) = TrailblazeToolRegistry(
    tools = json.objects("tools").mapValues { (_, tool) ->
        ToolMetadata(
            tool.list("platforms").mapNotNull { it.asText()?.let(TrailblazeDevicePlatform::of) }.toSet(),
            tool.list("groups").mapNotNull { it.asText() }.toSet(),
            tool["exposedToLlm"].asBoolean(),
            tool["isRecordable"].asBoolean(),
            tool["isDelegating"].asBoolean(),
        )
    },
    groups = json.objects("groups").mapValues { (_, group) ->
        GroupInfo(group.text("description").orEmpty(), group["defaultEnabled"].asBoolean())
    },
    serverInfo = json.inner("serverInfo").let { ServerInfo(it?.text("name").orEmpty(), it?.text("version").orEmpty()) },
)

private fun JsonObject.objects(key: String): Map<String, JsonObject> =
    inner(key).orEmpty().mapValues { it.value as? JsonObject ?: JsonObject(emptyMap()) }
