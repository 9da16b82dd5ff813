package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonObject

/** A class whose functions with [Tool] are tools. */
interface TrailblazeToolSet

/** A data class that is all arguments of a tool: they are named as the parameters of its constructor. */
interface TrailblazeTool

/**
 * Makes a function a tool, under its own name or another one.
 *
 * Its parameters are the arguments, or one [TrailblazeTool] is all of them. A parameter of type [TrailblazeContext] or
 * [TrailblazeCommands] is no argument: it is there for every call. The function returns a [ToolResult], a text or nothing.
 */
@Target(AnnotationTarget.FUNCTION)
annotation class Tool(val customName: String = "")

/** What a model is told of a tool or of an argument. */
@Target(AnnotationTarget.FUNCTION, AnnotationTarget.VALUE_PARAMETER, AnnotationTarget.CLASS)
annotation class LLMDescription(val value: String)

/** A call that Trailblaze is to make. */
data class ToolCall(val tool: String, val args: Map<String, Any?> = emptyMap())

/** What came of a tool. */
class ToolResult internal constructor(
    /** What the tool says; empty when there is nothing to say. */
    val message: String = "",
    /** The same for programs. */
    val structuredContent: JsonObject? = null,
    /** Why it failed; null when it did what it is for. */
    val failure: Failure? = null,
    /** Where it was thrown. */
    internal val stack: String? = null,
) {
    val isSuccess: Boolean get() = failure == null

    companion object {
        @JvmStatic
        fun success(message: String = "", structuredContent: Map<String, Any?>? = null) =
            ToolResult(message, structuredContent?.let { json(it) as JsonObject })

        @JvmStatic
        fun failure(message: String, hint: String = "", kind: String = "Exception") =
            ToolResult(message, failure = Failure(kind, message, hint))

        /** Of a delegating tool: Trailblaze makes these calls, and recordings have them. */
        @JvmStatic
        fun delegate(vararg calls: ToolCall): ToolResult {
            val delegates = calls.map { mapOf("tool" to it.tool, "args" to it.args) }
            return success(structuredContent = mapOf("success" to true, "_trailblaze_delegates" to delegates))
        }

        internal fun of(thrown: Throwable): ToolResult {
            val failure = (thrown as? TrailblazeFailure)?.failure
                ?: Failure("Exception", thrown.message?.takeIf { it.isNotBlank() } ?: thrown.toString())
            return ToolResult(failure.message, failure = failure, stack = ownStack(thrown))
        }
    }
}
