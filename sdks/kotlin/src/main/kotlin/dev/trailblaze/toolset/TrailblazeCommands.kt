package dev.trailblaze.toolset

/**
 * What a tool may ask of a device, the same whether it is asked over RPC or in the same process.
 *
 * Actions throw a [TrailblazeException] when they fail, assertions a [TrailblazeAssertionError] when the condition is
 * not met. Queries return a value, and do not fail because something is not on the screen. What is left out takes the
 * default of the tool with the command's name.
 */
interface TrailblazeCommands {
    val platform: TrailblazeDevicePlatform

    // Actions

    /** Taps an element by its text, id or position among several, or a point of the screen. */
    suspend fun tap(
        text: String? = null,
        id: String? = null,
        index: Int? = null,
        x: Int? = null,
        y: Int? = null,
        longPress: Boolean? = null,
        ref: String? = null,
    ): ActionResult

    /** Types a text into the focused field. */
    suspend fun inputText(text: String, hideKeyboardAfter: Boolean? = null): ActionResult

    /** Erases characters from the end of the focused field; all of them when left out. */
    suspend fun eraseText(charactersToErase: Int? = null): ActionResult

    /** Erases the whole text of the focused field. */
    suspend fun clearText(): ActionResult

    /** Hides the keyboard if it is shown. */
    suspend fun hideKeyboard(): ActionResult

    suspend fun pressKey(keyCode: KeyCode): ActionResult

    /** Starts an app and waits until it is in front. */
    suspend fun launchApp(packageId: String, launchMode: LaunchMode? = null): ActionResult

    suspend fun stopApp(packageId: String): ActionResult

    /** Clears all data of an app. */
    suspend fun clearAppData(packageId: String): ActionResult

    /** Opens a link with the app that the device has for it. */
    suspend fun openUrl(url: String): ActionResult

    /** Waits until the screen is still. */
    suspend fun wait(timeToWaitInSeconds: Int? = null): ActionResult

    // Queries

    suspend fun isVisible(text: String? = null, id: String? = null, timeoutMs: Long? = null): Boolean

    /** Whether a text stands anywhere on the screen. */
    suspend fun hasText(text: String): Boolean

    /** The text of an element; null when it is not there. */
    suspend fun getElementText(id: String): String?

    suspend fun getElementCount(text: String? = null, id: String? = null): Int

    /** What is on the screen, captured now. */
    suspend fun captureScreen(): ScreenState

    /** A picture of the screen, captured now. It comes in pieces of so many bytes. */
    suspend fun takeScreenshot(pieceBytes: Int? = null): Screenshot

    // Assertions

    /** Checks that an element is visible, and waits for it. */
    suspend fun assertVisible(
        text: String? = null,
        id: String? = null,
        timeoutMs: Long? = null,
        index: Int? = null,
        expectedText: String? = null,
        ref: String? = null,
    ): ActionResult

    /** Checks that no element with a text is visible; one that is may still disappear. */
    suspend fun assertNotVisibleWithText(
        text: String,
        id: String? = null,
        index: Int? = null,
        enabled: Boolean? = null,
        selected: Boolean? = null,
    ): ActionResult

    /** Waits until an element with a text is visible. */
    suspend fun waitUntilVisible(text: String, timeoutMs: Long): ActionResult

    // The memory of the session

    /** One text of the memory; null when nothing is remembered under this name. A secret is `***`. */
    suspend fun getMemory(key: String): String?

    /** Remembers a text for the rest of the session. */
    suspend fun setMemory(key: String, value: String)

    suspend fun listMemory(): Map<String, String>

    // Any tool, and devices

    /** Runs any tool of the session by its name. */
    suspend fun callTool(name: String, arguments: Map<String, Any?> = emptyMap()): CallToolResponse

    /** The devices that the routing of this client leaves. */
    suspend fun listDevices(): List<Device>

    // Groups; null where the device does not have them

    val maestro: MaestroCommands?
    val playwright: PlaywrightCommands?
    val desktop: DesktopCommands?
}

/** Taps a point of the screen. No member: whoever wraps commands with `by` and changes `tap` has changed this one, too. */
suspend fun TrailblazeCommands.tap(x: Int, y: Int): ActionResult = tap(text = null, x = x, y = y)

/** What phones can do besides. */
interface MaestroCommands {
    /** Runs a line of shell on the device. */
    suspend fun adbShell(command: String): ShellResult

    suspend fun grantPermission(packageId: String, permission: String): ActionResult

    suspend fun pressBack(): ActionResult

    suspend fun pressHome(): ActionResult

    /** Swipes over the screen, or over an element; [direction] is the way of the finger. */
    suspend fun swipe(
        direction: SwipeDirection,
        durationMs: Long? = null,
        swipeOnElementText: String? = null,
    ): ActionResult

    /** Shows more content in a direction. */
    suspend fun scroll(direction: ScrollDirection, amount: Int? = null): ActionResult

    /** Scrolls until an element is visible. */
    suspend fun scrollUntilTextIsVisible(
        text: String? = null,
        textRegex: String? = null,
        id: String? = null,
        index: Int? = null,
        direction: ScrollDirection? = null,
        visibilityPercentage: Int? = null,
        centerElement: Boolean? = null,
        scrollStartPosition: String? = null,
    ): ActionResult

    /** Pinches with two fingers: above 1 they move apart, below 1 together. */
    suspend fun pinch(scale: Float, text: String? = null, id: String? = null): ActionResult

    /** Turns the device. It is turned back after the trail. */
    suspend fun setOrientation(orientation: Orientation): ActionResult

    /** Lets the device be at another place until the end of the trail. */
    suspend fun setLocation(latitude: Double, longitude: Double): ActionResult

    /** Connects the device to the network or cuts it off. */
    suspend fun networkConnection(connected: Boolean): ActionResult

    suspend fun setClipboard(text: String): ActionResult

    /** Types what is in the clipboard into the focused field. */
    suspend fun pasteClipboard(): ActionResult
}

/** What browsers can do besides. Elements are named by CSS selectors. */
interface PlaywrightCommands {
    suspend fun navigate(url: String): ActionResult

    suspend fun click(selector: String): ActionResult

    /** Replaces the text of a field. */
    suspend fun fill(selector: String, value: String): ActionResult

    suspend fun waitForSelector(selector: String, timeoutMs: Long? = null): ActionResult

    /** Runs JavaScript in the page; the value as lists, maps, texts, numbers and booleans. */
    suspend fun evaluateJs(script: String): Any?
}

/** Declared for desktop apps, which no version drives yet. */
interface DesktopCommands {
    suspend fun getDesktopStatus(): DesktopStatus
}
