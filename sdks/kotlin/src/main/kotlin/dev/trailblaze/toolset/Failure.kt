package dev.trailblaze.toolset

/** Why a command failed or was refused. */
data class Failure(
    /** One word to tell failures apart, such as NotFound or UnknownInvocation. */
    val kind: String,
    val message: String,
    /** What to do next; empty when there is nothing to say. */
    val hint: String = "",
    /** The elements that come nearest to the one that was looked for, best first. */
    val candidates: List<String> = emptyList(),
    /** The code of JSON-RPC where one is documented: -32602 for an unknown invocation id. */
    val code: Int? = null,
)

/** What everything that a command throws can say. */
sealed interface TrailblazeFailure {
    val failure: Failure
    val kind: String get() = failure.kind
    val hint: String get() = failure.hint
    val candidates: List<String> get() = failure.candidates
}

/** An action failed, or something could not be asked at all. */
class TrailblazeException(
    override val failure: Failure,
    /** The status of Connect, such as `invalid_argument`; null where the device was asked and said no. */
    val status: String? = null,
    cause: Throwable? = null,
) : Exception(failure.message, cause), TrailblazeFailure

/** A condition was not met. Test frameworks know it as a failed assertion. */
class TrailblazeAssertionError(override val failure: Failure) : AssertionError(failure.message), TrailblazeFailure
