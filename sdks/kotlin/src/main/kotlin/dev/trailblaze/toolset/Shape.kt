package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.booleanOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.longOrNull
import java.lang.reflect.InvocationTargetException
import kotlin.reflect.KClass
import kotlin.reflect.KFunction
import kotlin.reflect.KParameter
import kotlin.reflect.KType
import kotlin.reflect.full.findAnnotation
import kotlin.reflect.full.isSubclassOf
import kotlin.reflect.full.primaryConstructor
import kotlin.reflect.jvm.isAccessible

/** A Kotlin type as JSON has it: its schema, and how a value is read. */
internal class Shape(val schema: JsonObject, private val expected: String, private val read: (JsonElement, String) -> Any?) {
    /** The place stands in the message when the value does not fit. */
    fun decode(value: JsonElement, place: String): Any =
        read(value, place) ?: throw invalid("'$place' must be $expected, not $value")

    companion object {
        /** Throws when the type has no form in JSON. */
        fun of(type: KType, outer: List<KClass<*>> = emptyList()): Shape {
            val kclass = type.classifier as? KClass<*> ?: throw unfit(type)
            val argument = { at: Int -> type.arguments.getOrNull(at)?.type ?: throw unfit(type) }
            return when {
                kclass == String::class -> Shape(typed("string"), "a text") { json, _ -> json.asText() }
                kclass == Boolean::class ->
                    Shape(typed("boolean"), "true or false") { json, _ -> json.primitive()?.booleanOrNull }
                kclass == Int::class -> whole { it.takeIf { it in Int.MIN_VALUE..Int.MAX_VALUE }?.toInt() }
                kclass == Long::class -> whole { it }
                kclass == Double::class -> number { it }
                kclass == Float::class -> number { it.toFloat() }
                kclass == Any::class -> Shape(JsonObject(emptyMap()), "a value") { json, _ -> plain(json) }
                kclass.isSubclassOf(JsonElement::class) ->
                    Shape(JsonObject(emptyMap()), "a ${kclass.simpleName}") { json, _ -> json.takeIf(kclass::isInstance) }
                kclass.isSubclassOf(Enum::class) -> enumeration(kclass)
                kclass == List::class || kclass == Collection::class -> list(of(argument(0), outer)) { it }
                kclass == Set::class -> list(of(argument(0), outer)) { it.toSet() }
                kclass == Map::class && argument(0).classifier == String::class -> map(of(argument(1), outer))
                kclass.isData && kclass !in outer -> record(kclass, outer + kclass)
                else -> throw unfit(type)
            }
        }

        private fun whole(fit: (Long) -> Any?) =
            Shape(typed("integer"), "a whole number") { json, _ -> json.primitive()?.wholeNumber()?.let(fit) }

        private fun number(fit: (Double) -> Any) =
            Shape(typed("number"), "a number") { json, _ -> json.primitive()?.doubleOrNull?.let(fit) }

        private fun enumeration(kclass: KClass<*>): Shape {
            val values = kclass.java.enumConstants.associateBy { (it as Enum<*>).name }
            val schema = jsonOf("type" to "string", "enum" to values.keys)
            return Shape(schema, "one of ${values.keys.joinToString()}") { json, _ -> values[json.asText()] }
        }

        private fun list(items: Shape, finish: (List<Any>) -> Any) =
            Shape(jsonOf("type" to "array", "items" to items.schema), "a list") { json, place ->
                (json as? JsonArray)?.mapIndexed { at, item -> items.decode(item, "$place[$at]") }?.let(finish)
            }

        private fun map(values: Shape) =
            Shape(jsonOf("type" to "object", "additionalProperties" to values.schema), "an object") { json, place ->
                (json as? JsonObject)?.mapValues { (key, value) -> values.decode(value, "$place.$key") }
            }

        private fun record(kclass: KClass<*>, outer: List<KClass<*>>): Shape {
            val constructor = requireNotNull(kclass.primaryConstructor) { "$kclass has no primary constructor" }
            constructor.isAccessible = true
            val parameters = Parameters.of(constructor, outer = outer)
            return Shape(parameters.schema, "an object") { json, place ->
                (json as? JsonObject)?.let { construct(constructor, parameters.decode(it, "$place.")) }
            }
        }

        private fun unfit(type: KType) = IllegalArgumentException("$type has no form in JSON")
    }
}

/** Named values, of which some may be left out: those with a default, and those that may be null. */
internal class Parameters private constructor(private val shapes: Map<KParameter, Shape>) {
    val properties = JsonObject(
        shapes.entries.associate { (parameter, shape) ->
            val description = jsonOf("description" to parameter.findAnnotation<LLMDescription>()?.value)
            parameter.name.orEmpty() to JsonObject(shape.schema + description)
        },
    )
    val required = shapes.keys.filter { !it.isOptional && !it.type.isMarkedNullable }.map { it.name.orEmpty() }
    val schema = jsonOf("type" to "object", "properties" to properties, "required" to required)

    /** For `callBy`; the prefix stands before the names in messages. */
    fun decode(values: JsonObject, prefix: String = ""): Map<KParameter, Any?> {
        val unknown = values.keys - properties.keys
        if (unknown.isNotEmpty()) {
            val known = if (shapes.isEmpty()) "there are none" else "there are ${properties.keys.joinToString()}"
            throw invalid("unknown argument '$prefix${unknown.first()}'; $known")
        }
        val decoded = mutableMapOf<KParameter, Any?>()
        for ((parameter, shape) in shapes) {
            val name = prefix + parameter.name
            val value = values[parameter.name]
            when {
                value != null && value != JsonNull -> decoded[parameter] = shape.decode(value, name)
                parameter.isOptional -> {}
                parameter.type.isMarkedNullable -> decoded[parameter] = null
                else -> throw TrailblazeException(Failure("MissingRequiredArgs", "the argument '$name' is missing"))
            }
        }
        return decoded
    }

    companion object {
        /** Of a function or a constructor, save for those that are given otherwise. */
        fun of(
            function: KFunction<*>,
            isGiven: (KParameter) -> Boolean = { false },
            outer: List<KClass<*>> = emptyList(),
        ): Parameters {
            val own = function.parameters.filter { it.kind == KParameter.Kind.VALUE && !isGiven(it) }
            return Parameters(own.associateWith { Shape.of(it.type, outer) })
        }
    }
}

internal fun invalid(message: String) = TrailblazeException(Failure("InvalidArguments", message))

private fun typed(name: String) = jsonOf("type" to name)

private fun JsonElement.primitive() = (this as? JsonPrimitive)?.takeIf { !it.isString }

/** `3` and `3.0` are the same in JSON. */
private fun JsonPrimitive.wholeNumber(): Long? =
    longOrNull ?: doubleOrNull?.takeIf { it % 1 == 0.0 && it in -9.0e15..9.0e15 }?.toLong()

/** What the checks in a data class say about the arguments is for whoever passed them. */
internal fun construct(constructor: KFunction<*>, arguments: Map<KParameter, Any?>): Any? = try {
    constructor.callBy(arguments)
} catch (error: InvocationTargetException) {
    val cause = error.targetException
    throw if (cause is IllegalArgumentException) invalid(cause.message ?: "$cause") else cause
}
