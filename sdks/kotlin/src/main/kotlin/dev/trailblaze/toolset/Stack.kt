package dev.trailblaze.toolset

import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.coroutines.jvm.internal.CoroutineStackFrame

/** Where a command was asked for. A coroutine that waited has lost its stack, but its frames know each other. */
internal suspend fun <T : Throwable> T.here(): T {
    val frames = suspendCoroutineUninterceptedOrReturn<List<StackTraceElement>> { continuation ->
        val waiting = generateSequence(continuation as? CoroutineStackFrame) { it.callerFrame }
        waiting.mapNotNull { it.getStackTraceElement() }.toList()
    }
    stackTrace = frames.toTypedArray()
    return this
}

/** What an author can do something about: the failure, what caused it, and the lines of the tools themselves. */
internal fun ownStack(thrown: Throwable): String {
    val all = generateSequence(thrown) { it.cause }.take(MOST_CAUSES).toList()
    return all.joinToString("\nCaused by: ") { each ->
        val own = each.stackTrace.filter { frame -> LIBRARIES.none(frame.className::startsWith) }
        (listOf("$each") + own.take(MOST_FRAMES).map { "\tat $it" }).joinToString("\n")
    }
}

private const val MOST_CAUSES = 8
private const val MOST_FRAMES = 64
private val LIBRARIES = listOf(
    "dev.trailblaze.toolset.", "io.ktor.", "io.modelcontextprotocol.", "java.", "jdk.", "kotlin.", "kotlinx.", "sun.",
)
