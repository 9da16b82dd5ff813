package dev.trailblaze.toolset

import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.JsonObject
import java.util.Base64

/**
 * Commands over RPC. Every call says which tool call it belongs to, which is how it finds its device.
 *
 * A tool gets one as [TrailblazeContext.client]. Programs that are no tools make their own, for `trailblaze serve`.
 */
class TrailblazeClient(
    /** Such as `http://localhost:52525`; by default what the environment says. */
    baseUrl: String? = null,
    invocationId: String? = null,
    sessionId: String? = null,
    deviceId: String? = null,
    /** What the server wants to see; by default `TRAILBLAZE_RPC_TOKEN`, on this machine only. */
    token: String? = null,
    /** How long one call may take; null leaves that to the server. */
    timeoutMs: Int? = null,
    /** What is known of the device already; otherwise it is asked for when it is needed. */
    device: Device? = null,
) : TrailblazeCommands {
    private val address = Address.of(baseUrl, System::getenv)
    private val connect = Connect(address, token ?: address.token(System::getenv), timeoutMs)
    private val routing = jsonOf("deviceId" to deviceId, "sessionId" to sessionId, "invocationId" to invocationId)
    private val device: Device by lazy { device ?: runBlocking { onlyDevice() } }

    override val platform: TrailblazeDevicePlatform get() = platformOf(device.platform)
    override val maestro: MaestroCommands? by lazy { MaestroClient(this).takeIf { has("maestro") } }
    override val playwright: PlaywrightCommands? by lazy { PlaywrightClient(this).takeIf { has("playwright") } }
    override val desktop: DesktopCommands? by lazy { DesktopClient(this).takeIf { has("desktop") } }

    private fun has(group: String) = group in device.groups

    override suspend fun tap(
        text: String?, id: String?, index: Int?, x: Int?, y: Int?, longPress: Boolean?, ref: String?,
    ) = act(
        "Tap", "text" to text, "id" to id, "index" to index, "x" to x, "y" to y, "longPress" to longPress, "ref" to ref,
    )

    /** Taps a point of the screen. */
    suspend fun tap(x: Int, y: Int): ActionResult = tap(text = null, x = x, y = y)

    override suspend fun inputText(text: String, hideKeyboardAfter: Boolean?) =
        act("InputText", "text" to text, "hideKeyboardAfter" to hideKeyboardAfter)

    override suspend fun eraseText(charactersToErase: Int?) = act("EraseText", "charactersToErase" to charactersToErase)

    override suspend fun clearText() = act("ClearText")

    override suspend fun hideKeyboard() = act("HideKeyboard")

    override suspend fun pressKey(keyCode: KeyCode) = act("PressKey", "keyCode" to keyCode)

    override suspend fun launchApp(packageId: String, launchMode: LaunchMode?) =
        act("LaunchApp", "packageId" to packageId, "launchMode" to launchMode)

    override suspend fun stopApp(packageId: String) = act("StopApp", "packageId" to packageId)

    override suspend fun clearAppData(packageId: String) = act("ClearAppData", "packageId" to packageId)

    override suspend fun openUrl(url: String) = act("OpenUrl", "url" to url)

    override suspend fun wait(timeToWaitInSeconds: Int?) = act("Wait", "timeToWaitInSeconds" to timeToWaitInSeconds)

    override suspend fun isVisible(text: String?, id: String?, timeoutMs: Long?) =
        ask("IsVisible", "text" to text, "id" to id, "timeoutMs" to timeoutMs)["value"].asBoolean()

    override suspend fun hasText(text: String) = ask("HasText", "text" to text)["value"].asBoolean()

    override suspend fun getElementText(id: String) = ask("GetElementText", "id" to id).text("value")

    override suspend fun getElementCount(text: String?, id: String?) =
        ask("GetElementCount", "text" to text, "id" to id)["value"].asInt() ?: 0

    override suspend fun captureScreen() = screenOf(ask("CaptureScreen"))

    override suspend fun takeScreenshot(pieceBytes: Int?): Screenshot {
        val request = JsonObject(jsonOf("pieceBytes" to pieceBytes) + routing)
        val pieces = connect.stream("TrailblazeCommands/TakeScreenshot", request)
        val data = pieces.map { Base64.getDecoder().decode(it.text("data").orEmpty()) }
        val whole = data.fold(ByteArray(0), ByteArray::plus)
        val promised = pieces.firstOrNull()?.get("totalBytes").asInt() ?: 0
        if (whole.isEmpty() || whole.size != promised) {
            throw TrailblazeException(Failure("InvalidResponse", "${whole.size} of $promised bytes of the screenshot came"))
        }
        return Screenshot(whole, pieces.first().text("mediaType").orEmpty())
    }

    override suspend fun assertVisible(
        text: String?, id: String?, timeoutMs: Long?, index: Int?, expectedText: String?, ref: String?,
    ) = act(
        "AssertVisible", "text" to text, "id" to id, "timeoutMs" to timeoutMs, "index" to index,
        "expectedText" to expectedText, "ref" to ref,
    )

    override suspend fun assertNotVisibleWithText(
        text: String, id: String?, index: Int?, enabled: Boolean?, selected: Boolean?,
    ) = act(
        "AssertNotVisibleWithText", "text" to text, "id" to id, "index" to index, "enabled" to enabled,
        "selected" to selected,
    )

    override suspend fun waitUntilVisible(text: String, timeoutMs: Long) =
        act("WaitUntilVisible", "text" to text, "timeoutMs" to timeoutMs)

    override suspend fun getMemory(key: String) = ask("GetMemory", "key" to key).text("value")

    override suspend fun setMemory(key: String, value: String) {
        ask("SetMemory", "key" to key, "value" to value)
    }

    override suspend fun listMemory() =
        ask("ListMemory").inner("entries").orEmpty().mapValues { it.value.asText().orEmpty() }

    override suspend fun callTool(name: String, arguments: Map<String, Any?>): CallToolResponse {
        val answer = done(ask("CallTool", "name" to name, "arguments" to arguments))
        return CallToolResponse(message = answer.text("message").orEmpty(), structuredContent = answer["structuredContent"])
    }

    override suspend fun listDevices() =
        ask("ListDevices").list("devices").filterIsInstance<JsonObject>().map(::deviceOf)

    /** All tools that the session knows, from all sources. */
    suspend fun getRegistry(): TrailblazeToolRegistry = registryOf(ask("TrailblazeRegistry/GetRegistry"))

    private suspend fun onlyDevice(): Device {
        val devices = listDevices()
        return devices.singleOrNull() ?: throw TrailblazeException(
            Failure(
                "InvocationRequired", "there are ${devices.size} devices, and the client does not say which is meant",
                "make the client with an invocationId or a deviceId",
            ),
        )
    }

    /** The answer of a method, whatever it is. */
    internal suspend fun ask(method: String, vararg arguments: Pair<String, Any?>): JsonObject {
        val path = if ('/' in method) method else "TrailblazeCommands/$method"
        return try {
            connect.call(path, JsonObject(jsonOf(*arguments) + routing))
        } catch (error: TrailblazeException) {
            throw error.here()
        }
    }

    /** Actions and assertions. */
    internal suspend fun act(method: String, vararg arguments: Pair<String, Any?>): ActionResult =
        ActionResult(message = done(ask(method, *arguments)).text("message").orEmpty())
}

private class MaestroClient(private val client: TrailblazeClient) : MaestroCommands {
    override suspend fun adbShell(command: String): ShellResult {
        val answer = done(client.ask("MaestroCommands/AdbShell", "command" to command))
        return ShellResult(output = answer.text("output").orEmpty())
    }

    override suspend fun grantPermission(packageId: String, permission: String) =
        act("GrantPermission", "packageId" to packageId, "permission" to permission)

    override suspend fun pressBack() = act("PressBack")

    override suspend fun pressHome() = act("PressHome")

    override suspend fun swipe(direction: SwipeDirection, durationMs: Long?, swipeOnElementText: String?) =
        act("Swipe", "direction" to direction, "durationMs" to durationMs, "swipeOnElementText" to swipeOnElementText)

    override suspend fun scroll(direction: ScrollDirection, amount: Int?) =
        act("Scroll", "direction" to direction, "amount" to amount)

    override suspend fun scrollUntilTextIsVisible(
        text: String?, textRegex: String?, id: String?, index: Int?, direction: ScrollDirection?,
        visibilityPercentage: Int?, centerElement: Boolean?, scrollStartPosition: String?,
    ) = act(
        "ScrollUntilTextIsVisible", "text" to text, "textRegex" to textRegex, "id" to id, "index" to index,
        "direction" to direction, "visibilityPercentage" to visibilityPercentage, "centerElement" to centerElement,
        "scrollStartPosition" to scrollStartPosition,
    )

    override suspend fun pinch(scale: Float, text: String?, id: String?) =
        act("Pinch", "scale" to scale, "text" to text, "id" to id)

    override suspend fun setOrientation(orientation: Orientation) = act("SetOrientation", "orientation" to orientation)

    override suspend fun setLocation(latitude: Double, longitude: Double) =
        act("SetLocation", "latitude" to latitude, "longitude" to longitude)

    override suspend fun networkConnection(connected: Boolean) = act("NetworkConnection", "connected" to connected)

    override suspend fun setClipboard(text: String) = act("SetClipboard", "text" to text)

    override suspend fun pasteClipboard() = act("PasteClipboard")

    private suspend fun act(method: String, vararg arguments: Pair<String, Any?>) =
        client.act("MaestroCommands/$method", *arguments)
}

private class PlaywrightClient(private val client: TrailblazeClient) : PlaywrightCommands {
    override suspend fun navigate(url: String) = act("Navigate", "url" to url)

    override suspend fun click(selector: String) = act("Click", "selector" to selector)

    override suspend fun fill(selector: String, value: String) = act("Fill", "selector" to selector, "value" to value)

    override suspend fun waitForSelector(selector: String, timeoutMs: Long?) =
        act("WaitForSelector", "selector" to selector, "timeoutMs" to timeoutMs)

    override suspend fun evaluateJs(script: String) =
        plain(client.ask("PlaywrightCommands/EvaluateJs", "script" to script)["value"])

    private suspend fun act(method: String, vararg arguments: Pair<String, Any?>) =
        client.act("PlaywrightCommands/$method", *arguments)
}

private class DesktopClient(private val client: TrailblazeClient) : DesktopCommands {
    override suspend fun getDesktopStatus(): DesktopStatus {
        val answer = client.ask("DesktopCommands/GetDesktopStatus")
        return DesktopStatus(answer["available"].asBoolean(), answer.text("reason").orEmpty())
    }
}

/** The answer of a tool that did what it is for. */
private suspend fun done(answer: JsonObject): JsonObject {
    if (answer["success"].asBoolean()) return answer
    val failure = failureOf(answer.inner("failure") ?: answer)
    throw (if (failure.kind == "AssertionFailed") TrailblazeAssertionError(failure) else TrailblazeException(failure)).here()
}

private fun screenOf(json: JsonObject) = ScreenState(
    width = json["width"].asInt() ?: 0,
    height = json["height"].asInt() ?: 0,
    nodes = json.list("nodes").filterIsInstance<JsonObject>().map { node ->
        ScreenNode(node.text("text"), node.text("id"), node.inner("bounds")?.let(::boundsOf))
    },
    text = json.text("text").orEmpty(),
)

private fun platformOf(name: String): TrailblazeDevicePlatform = TrailblazeDevicePlatform.of(name)
    ?: throw TrailblazeException(Failure("NotSupported", "the platform '$name' is not known here"))

private fun boundsOf(json: JsonObject): Bounds {
    val side = { name: String -> json[name].asInt() ?: 0 }
    return Bounds(side("left"), side("top"), side("right"), side("bottom"))
}

private fun deviceOf(json: JsonObject) = Device(
    id = json.text("id").orEmpty(),
    platform = json.text("platform").orEmpty(),
    driver = json.text("driver").orEmpty(),
    width = json["width"].asInt() ?: 0,
    height = json["height"].asInt() ?: 0,
    sessionId = json.text("sessionId").orEmpty(),
    groups = json.list("groups").mapNotNull { it.asText() },
)
