// Runs the commands of a list with the client for Kotlin: `java -jar runner.jar LIST ADDRESS`.

import dev.trailblaze.toolset.CallToolResponse
import dev.trailblaze.toolset.Device
import dev.trailblaze.toolset.Screenshot
import dev.trailblaze.toolset.TrailblazeAssertionError
import dev.trailblaze.toolset.TrailblazeClient
import dev.trailblaze.toolset.TrailblazeDevicePlatform
import dev.trailblaze.toolset.TrailblazeException
import dev.trailblaze.toolset.TrailblazeFailure
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.double
import kotlinx.serialization.json.float
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import java.io.File
import java.io.PrintStream
import java.lang.reflect.InvocationTargetException
import java.util.Base64
import kotlin.reflect.KClass
import kotlin.reflect.KType
import kotlin.reflect.full.callSuspendBy
import kotlin.reflect.full.instanceParameter
import kotlin.reflect.full.memberFunctions
import kotlin.reflect.full.memberProperties
import kotlin.reflect.full.valueParameters
import kotlin.reflect.jvm.isAccessible

/** All groups, so that the server is the one to say that the device does not have them. */
private val DEVICE = Device("", "android", groups = listOf("maestro", "playwright", "desktop"))

fun main(args: Array<String>) {
    val (path, address) = args
    val out = PrintStream(System.out, true, "UTF-8")
    for (entry in Json.parseToJsonElement(File(path).readText()).jsonArray.map { it.jsonObject }) {
        val routing = { name: String -> entry["routing"]?.jsonObject?.get(name)?.jsonPrimitive?.content }
        val client = TrailblazeClient(
            address, routing("invocationId"), routing("sessionId"), routing("deviceId"), device = DEVICE,
        )
        val arguments = entry["arguments"]?.jsonObject ?: JsonObject(emptyMap())
        out.println(outcome(client, entry.getValue("command").jsonPrimitive.content, arguments))
    }
}

private fun outcome(client: TrailblazeClient, command: String, arguments: JsonObject): JsonObject = try {
    JsonObject(mapOf("value" to json(runBlocking { run(client, command, arguments) })))
} catch (error: TrailblazeException) {
    failure(error)
} catch (error: TrailblazeAssertionError) {
    failure(error)
}

private fun failure(error: TrailblazeFailure): JsonObject {
    val status = JsonPrimitive((error as? TrailblazeException)?.status)
    val more = mapOf("isAssertion" to JsonPrimitive(error is AssertionError), "status" to status)
    return JsonObject(mapOf("failure" to JsonObject(json(error.failure).jsonObject + more)))
}

private suspend fun run(client: TrailblazeClient, command: String, arguments: JsonObject): Any? {
    val receiver: Any = when (command.substringBefore('.', "")) {
        "maestro" -> client.maestro!!
        "playwright" -> client.playwright!!
        "desktop" -> client.desktop!!
        else -> client
    }
    // One that has fewer parameters is a shorter way to call it.
    val named = receiver::class.memberFunctions.filter { it.name == command.substringAfter('.') }
    val function = named.maxBy { it.valueParameters.size }
    function.isAccessible = true
    val given = function.valueParameters.filter { it.name in arguments }
        .associateWith { typed(arguments.getValue(it.name!!), it.type) }
    return try {
        function.callSuspendBy(given + (function.instanceParameter!! to receiver))
    } catch (error: InvocationTargetException) {
        throw error.targetException
    }
}

private fun typed(value: JsonElement, type: KType): Any = when (val kclass = type.classifier) {
    String::class -> value.jsonPrimitive.content
    Boolean::class -> value.jsonPrimitive.boolean
    Int::class -> value.jsonPrimitive.int
    Long::class -> value.jsonPrimitive.long
    Float::class -> value.jsonPrimitive.float
    Double::class -> value.jsonPrimitive.double
    Map::class -> value.jsonObject
    else -> (kclass as KClass<*>).java.enumConstants.single { (it as Enum<*>).name == value.jsonPrimitive.content }
}

/** A value of the SDK as the list has it. */
private fun json(value: Any?): JsonElement = when (value) {
    null, Unit -> JsonNull
    is JsonElement -> value
    is String -> JsonPrimitive(value)
    is Boolean -> JsonPrimitive(value)
    is Number -> JsonPrimitive(value)
    is TrailblazeDevicePlatform -> JsonPrimitive(value.key)
    is Map<*, *> -> JsonObject(value.entries.associate { it.key.toString() to json(it.value) })
    is Collection<*> -> JsonArray(value.map(::json))
    is Screenshot -> JsonObject(mapOf("base64" to JsonPrimitive(Base64.getEncoder().encodeToString(value.data))))
    is CallToolResponse -> JsonObject(mapOf("message" to json(value.message), "structured" to json(value.structuredContent)))
    else -> JsonObject(value::class.memberProperties.associate { it.name to json(it.getter.call(value)) })
}
