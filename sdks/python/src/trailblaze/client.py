"""One method for each command, awaited where there is an event loop."""

from typing import Any, Literal, NoReturn, Self, TypeVar

from protobuf import Enum, Message
from protobuf.wkt import Struct

from .both import both_ways
from .errors import failed
from .gen.trailblaze.v1 import commands_pb as pb
from .gen.trailblaze.v1 import registry_pb
from .link import AsyncLink
from .result import ToolResult

Direction = Literal["UP", "DOWN", "LEFT", "RIGHT"]
LaunchMode = Literal["REINSTALL", "RESUME", "FORCE_RESTART"]
KeyCode = Literal["BACK", "ENTER", "HOME", "BACKSPACE", "TAB", "ESCAPE"]
Orientation = Literal["PORTRAIT", "LANDSCAPE_LEFT", "LANDSCAPE_RIGHT", "UPSIDE_DOWN"]

_Answer = TypeVar("_Answer", bound=Message[Any])
_Enum = TypeVar("_Enum", bound=Enum)


def _member(kind: type[_Enum], word: str | None) -> _Enum | None:
    if word is None:
        return None
    try:
        return kind[word]
    except KeyError:
        raise ValueError(f"'{word}' is no {kind.__name__}") from None


class _Commands:
    service = "TrailblazeCommands"

    def __init__(self, link: AsyncLink) -> None:
        self._link = link

    async def _ask(self, request: Message[Any], answer: type[_Answer]) -> _Answer:
        return await self._link.ask(self.service, request, answer)

    async def _act(self, request: Message[Any]) -> pb.ActionResult:
        result = await self._ask(request, pb.ActionResult)
        if not result.success:
            raise failed(result.failure)
        return result


@both_ways
class TrailblazeClient(_Commands):
    """The device of a tool call, from the server that implements the tool.

    Actions and assertions raise a `TrailblazeError` when they fail, assertions whose condition was not met a
    `TrailblazeAssertionError`, which is an `AssertionError`. Queries give their value and do not fail because something is
    not there.

    Its methods are awaited. Called where no event loop runs, as in a plain `def` tool, they are done at once and give what
    awaiting them would; type checkers know this of `SyncTrailblazeClient` alone.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        context: object = None,
        token: str | None = None,
        timeout_ms: int | None = None,
    ) -> None:
        """Without a context, works while there is one device.

        Args:
            base_url: Where the server is, such as `localhost:52525`; by default what the context or the environment says.
            context: What came with the tool call: its `Context`, its `_meta`, the `trailblaze` in there, or the
                `_trailblaze` of old.
            token: What the server wants to see; by default `TRAILBLAZE_RPC_TOKEN`, on this machine only.
            timeout_ms: How long one call may take. The device stops when the time is over.
        """
        link = AsyncLink(base_url, context, token, timeout_ms)
        super().__init__(link)
        #: What the device is: android, ios, web or desktop; None without a context.
        self.platform = link.context.platform
        #: What phones can do besides; None where the device is none.
        self.maestro = MaestroCommands(link) if link.context.has("maestro") else None
        #: What browsers can do besides; None where the device is none.
        self.playwright = PlaywrightCommands(link) if link.context.has("playwright") else None
        #: Declared for desktops; None where the device is none.
        self.desktop = DesktopCommands(link) if link.context.has("desktop") else None
        #: What the session remembers.
        self.memory = Memory(link)

    @classmethod
    def from_context(cls, context: object, *, token: str | None = None, timeout_ms: int | None = None) -> Self:
        """For the `Context` that the official MCP SDK or fastmcp hands to a tool."""
        return cls(context=context, token=token, timeout_ms=timeout_ms)

    @property
    def sampling(self) -> NoReturn:
        """Not there: Trailblaze lends its model to no tool."""
        raise AttributeError(
            "sampling: Trailblaze lends its model to no tool; let the tool ask a model of its own, or leave the decision "
            "to the trail"
        )

    # Actions

    async def tap(
        self,
        x: int | None = None,
        y: int | None = None,
        *,
        text: str | None = None,
        id: str | None = None,
        index: int | None = None,
        long_press: bool | None = None,
        ref: str | None = None,
    ) -> pb.ActionResult:
        """Taps an element by its whole text (or a regular expression) or id, the `index`th of several, or a point."""
        request = pb.TapRequest(x=x, y=y, text=text, id=id, index=index, long_press=long_press, ref=ref)
        return await self._act(request)

    async def input_text(self, text: str, *, hide_keyboard_after: bool | None = None) -> pb.ActionResult:
        """Types into the focused field, and hides the keyboard unless told otherwise."""
        return await self._act(pb.InputTextRequest(text=text, hide_keyboard_after=hide_keyboard_after))

    async def erase_text(self, characters_to_erase: int | None = None) -> pb.ActionResult:
        """Erases from the end of the focused field; without a number all of it."""
        return await self._act(pb.EraseTextRequest(characters_to_erase=characters_to_erase))

    async def clear_text(self) -> pb.ActionResult:
        """Erases the whole text of the focused field."""
        return await self._act(pb.ClearTextRequest())

    async def hide_keyboard(self) -> pb.ActionResult:
        """Hides the keyboard if it is shown."""
        return await self._act(pb.HideKeyboardRequest())

    async def press_key(self, key_code: KeyCode) -> pb.ActionResult:
        """Presses a key."""
        return await self._act(pb.PressKeyRequest(key_code=_member(pb.KeyCode, key_code)))

    async def launch_app(self, package_id: str, *, launch_mode: LaunchMode | None = None) -> pb.ActionResult:
        """Starts an app, with its data cleared unless the mode says otherwise, and waits until it is in front."""
        mode = _member(pb.LaunchMode, launch_mode)
        return await self._act(pb.LaunchAppRequest(package_id=package_id, launch_mode=mode))

    async def stop_app(self, package_id: str) -> pb.ActionResult:
        """Stops an app."""
        return await self._act(pb.StopAppRequest(package_id=package_id))

    async def clear_app_data(self, package_id: str) -> pb.ActionResult:
        """Clears all data of an app."""
        return await self._act(pb.ClearAppDataRequest(package_id=package_id))

    async def open_url(self, url: str) -> pb.ActionResult:
        """Opens a link with the app that the device has for it."""
        return await self._act(pb.OpenUrlRequest(url=url))

    async def wait(self, time_to_wait_in_seconds: int | None = None) -> pb.ActionResult:
        """Waits until the screen is still, and not longer than these seconds."""
        return await self._act(pb.WaitRequest(time_to_wait_in_seconds=time_to_wait_in_seconds))

    # Queries

    async def is_visible(
        self, text: str | None = None, id: str | None = None, timeout_ms: int | None = None
    ) -> bool:
        """Whether an element is visible, now or within the time."""
        request = pb.IsVisibleRequest(text=text, id=id, timeout_ms=timeout_ms)
        return (await self._ask(request, pb.IsVisibleResponse)).value

    async def has_text(self, text: str) -> bool:
        """Whether a text stands anywhere on the screen."""
        return (await self._ask(pb.HasTextRequest(text=text), pb.HasTextResponse)).value

    async def get_element_text(self, id: str) -> str | None:
        """The text of an element; None when it is not there."""
        answer = await self._ask(pb.GetElementTextRequest(id=id), pb.GetElementTextResponse)
        return answer.value if answer.has_field("value") else None

    async def get_element_count(self, text: str | None = None, id: str | None = None) -> int:
        """How many elements fit."""
        request = pb.GetElementCountRequest(text=text, id=id)
        return (await self._ask(request, pb.GetElementCountResponse)).value

    async def capture_screen(self) -> pb.ScreenState:
        """What is on the screen, captured now."""
        return await self._ask(pb.CaptureScreenRequest(), pb.ScreenState)

    async def screenshot(self, *, piece_bytes: int | None = None) -> bytes:
        """A picture of the screen, a PNG."""
        request = pb.TakeScreenshotRequest(piece_bytes=piece_bytes)
        pieces = await self._link.collect(self.service, request, pb.ScreenshotPiece)
        return b"".join(piece.data for piece in pieces)

    # Assertions

    async def assert_visible(
        self,
        text: str | None = None,
        id: str | None = None,
        timeout_ms: int | None = None,
        *,
        index: int | None = None,
        expected_text: str | None = None,
        ref: str | None = None,
    ) -> pb.ActionResult:
        """Waits for an element that must be visible, and must have the expected text where one is given."""
        request = pb.AssertVisibleRequest(
            text=text, id=id, timeout_ms=timeout_ms, index=index, expected_text=expected_text, ref=ref
        )
        return await self._act(request)

    async def assert_not_visible_with_text(
        self,
        text: str,
        *,
        id: str | None = None,
        index: int | None = None,
        enabled: bool | None = None,
        selected: bool | None = None,
    ) -> pb.ActionResult:
        """No element with this text may be visible; one that is may still disappear."""
        request = pb.AssertNotVisibleWithTextRequest(
            text=text, id=id, index=index, enabled=enabled, selected=selected
        )
        return await self._act(request)

    async def wait_until_visible(self, text: str, timeout_ms: int) -> pb.ActionResult:
        """Waits until an element with a text is visible."""
        return await self._act(pb.WaitUntilVisibleRequest(text=text, timeout_ms=timeout_ms))

    # The rest

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> ToolResult:
        """Runs any tool of the session by its name."""
        request = pb.CallToolRequest(name=name, arguments=Struct.from_python(arguments or {}))
        answer = await self._ask(request, pb.CallToolResponse)
        if not answer.success:
            raise failed(answer.failure)
        content = answer.structured_content
        return ToolResult(answer.message, None if content is None else content.to_python())

    async def list_devices(self) -> list[pb.Device]:
        """The devices that the server drives; of a tool call, its own."""
        return list((await self._ask(pb.ListDevicesRequest(), pb.ListDevicesResponse)).devices)

    async def registry(self) -> registry_pb.TrailblazeToolRegistry:
        """All tools of the session, with their flags and groups."""
        request, answer = registry_pb.GetRegistryRequest(), registry_pb.TrailblazeToolRegistry
        return await self._link.ask("TrailblazeRegistry", request, answer)


@both_ways
class Memory(_Commands):
    """What the session remembers. Secrets are `***`."""

    async def get(self, key: str) -> str | None:
        """One text; None when nothing is remembered under this name."""
        answer = await self._ask(pb.GetMemoryRequest(key=key), pb.GetMemoryResponse)
        return answer.value if answer.has_field("value") else None

    async def set(self, key: str, value: str) -> None:
        """Remembers a text for the rest of the session."""
        await self._ask(pb.SetMemoryRequest(key=key, value=value), pb.SetMemoryResponse)

    async def all(self) -> dict[str, str]:
        """All texts by their names."""
        return dict((await self._ask(pb.ListMemoryRequest(), pb.ListMemoryResponse)).entries)


@both_ways
class MaestroCommands(_Commands):
    """What phones can do besides."""

    service = "MaestroCommands"

    async def adb_shell(self, command: str) -> pb.ShellResult:
        """Runs a line of shell on the device; what it printed is the `output`."""
        result = await self._ask(pb.AdbShellRequest(command=command), pb.ShellResult)
        if not result.success:
            raise failed(result.failure)
        return result

    async def grant_permission(self, package_id: str, permission: str) -> pb.ActionResult:
        """Grants a permission to an app."""
        return await self._act(pb.GrantPermissionRequest(package_id=package_id, permission=permission))

    async def press_back(self) -> pb.ActionResult:
        """Presses the back key."""
        return await self._act(pb.PressBackRequest())

    async def press_home(self) -> pb.ActionResult:
        """Goes to the home screen."""
        return await self._act(pb.PressHomeRequest())

    async def swipe(
        self,
        direction: Direction | None = None,
        duration_ms: int | None = None,
        *,
        swipe_on_element_text: str | None = None,
    ) -> pb.ActionResult:
        """Swipes over the screen, or over an element; the direction is the way of the finger."""
        way, on = _member(pb.Direction, direction), swipe_on_element_text
        return await self._act(
            pb.SwipeRequest(direction=way, duration_ms=duration_ms, swipe_on_element_text=on)
        )

    async def scroll(self, direction: Direction | None = None, amount: int | None = None) -> pb.ActionResult:
        """Shows more content; the direction is where it goes on."""
        way = _member(pb.Direction, direction)
        return await self._act(pb.ScrollRequest(direction=way, amount=amount))

    async def scroll_until_text_is_visible(
        self,
        text: str | None = None,
        *,
        text_regex: str | None = None,
        id: str | None = None,
        index: int | None = None,
        direction: Direction | None = None,
        visibility_percentage: int | None = None,
        center_element: bool | None = None,
        scroll_start_position: Literal["CENTER", "TOP", "BOTTOM"] | None = None,
    ) -> pb.ActionResult:
        """Scrolls until an element is visible, by a part of its text, a regular expression for all of it, or its id."""
        request = pb.ScrollUntilTextIsVisibleRequest(
            text=text,
            text_regex=text_regex,
            id=id,
            index=index,
            direction=_member(pb.Direction, direction),
            visibility_percentage=visibility_percentage,
            center_element=center_element,
            scroll_start_position=scroll_start_position,
        )
        return await self._act(request)

    async def pinch(self, scale: float, *, text: str | None = None, id: str | None = None) -> pb.ActionResult:
        """Pinches with two fingers; above 1 they move apart, below 1 together."""
        return await self._act(pb.PinchRequest(scale=scale, text=text, id=id))

    async def set_orientation(self, orientation: Orientation) -> pb.ActionResult:
        """Turns the device. It is turned back after the trail."""
        turned = _member(pb.Orientation, orientation)
        return await self._act(pb.SetOrientationRequest(orientation=turned))

    async def set_location(self, latitude: float, longitude: float) -> pb.ActionResult:
        """Lets the device be at another place until the end of the trail."""
        return await self._act(pb.SetLocationRequest(latitude=latitude, longitude=longitude))

    async def network_connection(self, connected: bool) -> pb.ActionResult:
        """Connects the device to the network or cuts it off."""
        return await self._act(pb.NetworkConnectionRequest(connected=connected))

    async def set_clipboard(self, text: str) -> pb.ActionResult:
        """Puts a text into the clipboard."""
        return await self._act(pb.SetClipboardRequest(text=text))

    async def paste_clipboard(self) -> pb.ActionResult:
        """Types what is in the clipboard into the focused field."""
        return await self._act(pb.PasteClipboardRequest())


@both_ways
class PlaywrightCommands(_Commands):
    """What browsers can do besides. Elements are named by CSS selectors."""

    service = "PlaywrightCommands"

    async def navigate(self, url: str) -> pb.ActionResult:
        """Opens an address."""
        return await self._act(pb.NavigateRequest(url=url))

    async def click(self, selector: str) -> pb.ActionResult:
        """Clicks an element."""
        return await self._act(pb.ClickRequest(selector=selector))

    async def fill(self, selector: str, value: str) -> pb.ActionResult:
        """Replaces the text of a field."""
        return await self._act(pb.FillRequest(selector=selector, value=value))

    async def wait_for_selector(self, selector: str, timeout_ms: int | None = None) -> pb.ActionResult:
        """Waits until an element is there."""
        return await self._act(pb.WaitForSelectorRequest(selector=selector, timeout_ms=timeout_ms))

    async def evaluate_js(self, script: str) -> Any:
        """Runs JavaScript in the page and gives its value."""
        answer = await self._ask(pb.EvaluateJsRequest(script=script), pb.EvaluateJsResponse)
        return None if answer.value is None else answer.value.to_python()


@both_ways
class DesktopCommands(_Commands):
    """Declared for desktop apps, which no version drives yet."""

    service = "DesktopCommands"

    async def get_desktop_status(self) -> pb.GetDesktopStatusResponse:
        """Whether the device has desktop commands."""
        return await self._ask(pb.GetDesktopStatusRequest(), pb.GetDesktopStatusResponse)
