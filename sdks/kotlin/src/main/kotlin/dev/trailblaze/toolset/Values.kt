package dev.trailblaze.toolset

import kotlinx.serialization.json.JsonElement

// What commands take and return. The names are those of commands.proto, and a test compares them.

enum class TrailblazeDevicePlatform {
    ANDROID,
    IOS,
    WEB,
    DESKTOP;

    /** As it stands on the wire. */
    val key: String get() = name.lowercase()

    companion object {
        /** `android` and `ANDROID` are the same; null for what no version knows. */
        fun of(name: String): TrailblazeDevicePlatform? = entries.find { it.name.equals(name, ignoreCase = true) }
    }
}

enum class Direction { UP, DOWN, LEFT, RIGHT }

/** The way of the finger. */
typealias SwipeDirection = Direction

/** Where the content goes on. */
typealias ScrollDirection = Direction

enum class LaunchMode {
    /** Stop it, clear its data, start it. */
    REINSTALL,

    /** Start it as it is. */
    RESUME,

    /** Stop it, start it. */
    FORCE_RESTART,
}

enum class KeyCode { BACK, ENTER, HOME, BACKSPACE, TAB, ESCAPE }

enum class Orientation { PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT, UPSIDE_DOWN }

/** What came of an action or an assertion. One that failed is thrown instead, so [success] is always true. */
data class ActionResult(val success: Boolean = true, val message: String = "")

/** What a line of shell printed. */
data class ShellResult(val success: Boolean = true, val output: String = "")

/** What a tool said; [structuredContent] is for programs, where the tool has it. */
data class CallToolResponse(
    val success: Boolean = true,
    val message: String = "",
    val structuredContent: JsonElement? = null,
)

/** What is on the screen: everything that says something or has an id, in the order of the tree. */
data class ScreenState(val width: Int, val height: Int, val nodes: List<ScreenNode>, val text: String)

data class ScreenNode(val text: String?, val id: String?, val bounds: Bounds?)

/** A rectangle in pixels; [right] and [bottom] are past the last ones. */
data class Bounds(val left: Int, val top: Int, val right: Int, val bottom: Int)

/** A picture of the screen. */
class Screenshot(val data: ByteArray, val mediaType: String)

/** One device that is driven. */
data class Device(
    val id: String,
    /** android, ios, web or desktop. */
    val platform: String,
    /** How it is driven, such as android-ondevice-accessibility. */
    val driver: String = "",
    /** In pixels; 0 when not known. */
    val width: Int = 0,
    val height: Int = 0,
    /** The session that has it; empty when none has. */
    val sessionId: String = "",
    /** Which groups of commands it has: maestro, playwright, desktop. */
    val groups: List<String> = emptyList(),
)

/** Whether there are desktop commands, and why not. */
data class DesktopStatus(val available: Boolean, val reason: String)
