package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonObject
import java.lang.reflect.InvocationTargetException
import kotlin.reflect.KClass
import kotlin.reflect.KFunction
import kotlin.reflect.KParameter
import kotlin.reflect.full.callSuspendBy
import kotlin.reflect.full.findAnnotation
import kotlin.reflect.full.instanceParameter
import kotlin.reflect.full.isSubclassOf
import kotlin.reflect.full.primaryConstructor
import kotlin.reflect.jvm.isAccessible
import kotlin.reflect.jvm.jvmErasure

/** The argument that Trailblaze adds to those of every call; `_meta` has the same. */
private const val RESERVED = "_trailblazeContext"

/** A function as a tool. */
internal class ToolFunction(val owner: KClass<*>, private val function: KFunction<*>) {
    val name = function.findAnnotation<Tool>()?.customName?.ifEmpty { null } ?: function.name

    /** The parameter that is all arguments. */
    private val whole = function.parameters.singleOrNull { it.type.jvmErasure.isSubclassOf(TrailblazeTool::class) }
    private val constructor = whole?.type?.jvmErasure?.primaryConstructor
    private val parameters: Parameters

    init {
        function.isAccessible = true
        try {
            require(whole == null || constructor != null) { "${whole?.type} has no constructor" }
            constructor?.isAccessible = true
            parameters = Parameters.of(constructor ?: function, ::isGiven)
            val more = function.parameters.filter { it.kind == KParameter.Kind.VALUE && !isGiven(it) && it != whole }
            require(whole == null || more.isEmpty()) {
                "'${whole?.name}' is all arguments, and '${more.first().name}' another"
            }
            val returned = function.returnType.jvmErasure
            require(returned in RETURNED) { "it returns a ${returned.simpleName}, not a ToolResult, a String or nothing" }
        } catch (error: IllegalArgumentException) {
            throw IllegalArgumentException("the tool '$name' of $owner: ${error.message}", error)
        }
    }

    val description: String? =
        (function.findAnnotation<LLMDescription>() ?: whole?.type?.jvmErasure?.findAnnotation<LLMDescription>())?.value
    val properties: JsonObject get() = parameters.properties
    val required: List<String> get() = parameters.required

    suspend fun call(toolSet: Any, arguments: JsonObject, context: TrailblazeContext): ToolResult = try {
        result(function.callSuspendBy(bind(toolSet, JsonObject(arguments - RESERVED), context)))
    } catch (error: InvocationTargetException) {
        throw error.targetException
    }

    private fun bind(toolSet: Any, arguments: JsonObject, context: TrailblazeContext): Map<KParameter, Any?> {
        val bound = mutableMapOf<KParameter, Any?>()
        function.instanceParameter?.let { bound[it] = toolSet }
        for (parameter in function.parameters.filter(::isGiven)) {
            bound[parameter] = if (parameter.type.classifier == TrailblazeContext::class) context else context.client
        }
        val decoded = parameters.decode(arguments)
        if (whole == null || constructor == null) return bound + decoded
        return bound + (whole to construct(constructor, decoded))
    }

    private fun isGiven(parameter: KParameter) =
        parameter.type.classifier == TrailblazeContext::class || parameter.type.classifier == TrailblazeCommands::class

    private fun result(returned: Any?): ToolResult = when (returned) {
        is ToolResult -> returned
        is String -> ToolResult.success(returned)
        else -> ToolResult.success()
    }

    private companion object {
        val RETURNED = setOf(ToolResult::class, String::class, Unit::class)
    }
}
