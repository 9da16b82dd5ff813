package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.booleanOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.intOrNull
import kotlinx.serialization.json.longOrNull

/** A plain value as JSON. */
internal fun json(value: Any?): JsonElement = when (value) {
    null -> JsonNull
    is JsonElement -> value
    is String -> JsonPrimitive(value)
    is Boolean -> JsonPrimitive(value)
    is Number -> JsonPrimitive(value)
    is Enum<*> -> JsonPrimitive(value.name)
    is Map<*, *> -> JsonObject(value.entries.associate { (key, inner) -> key.toString() to json(inner) })
    is Iterable<*> -> JsonArray(value.map(::json))
    is Array<*> -> JsonArray(value.map(::json))
    else -> throw IllegalArgumentException("a ${value::class.qualifiedName} has no form in JSON")
}

/** What is left out, is null. */
internal fun jsonOf(vararg entries: Pair<String, Any?>): JsonObject =
    JsonObject(entries.filter { (_, value) -> value != null }.associate { (key, value) -> key to json(value) })

/** JSON as a plain value. */
internal fun plain(json: JsonElement?): Any? = when (json) {
    null, JsonNull -> null
    is JsonObject -> json.mapValues { plain(it.value) }
    is JsonArray -> json.map(::plain)
    is JsonPrimitive -> if (json.isString) json.content else json.booleanOrNull ?: json.longOrNull ?: json.doubleOrNull
}

internal fun JsonElement?.asText(): String? = (this as? JsonPrimitive)?.takeIf { it.isString }?.content

internal fun JsonElement?.asInt(): Int? = (this as? JsonPrimitive)?.intOrNull

internal fun JsonElement?.asBoolean(): Boolean = (this as? JsonPrimitive)?.booleanOrNull ?: false

internal fun JsonObject.text(key: String): String? = this[key].asText()

internal fun JsonObject.list(key: String): List<JsonElement> = (this[key] as? JsonArray).orEmpty()

internal fun JsonObject.inner(key: String): JsonObject? = this[key] as? JsonObject
