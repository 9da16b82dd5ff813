"""Where a call goes: what Trailblaze sent along with the tool call that asks."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlsplit

from .errors import refused
from .gen.trailblaze.v1.commands_pb import Failure

DEFAULT_ADDRESS = "http://localhost:52525"

# The groups that the devices of a platform have.
GROUPS = {"android": ["maestro"], "ios": ["maestro"], "web": ["playwright"], "desktop": ["desktop"]}


@dataclass(frozen=True)
class Context:
    """What is known of the tool call."""

    routing: dict[str, str]
    base_url: str | None
    platform: str | None
    groups: list[str] | None

    def has(self, group: str) -> bool:
        """Whether the device has a group of commands; whoever knows no device may try."""
        groups = self.groups if self.groups is not None else GROUPS.get(self.platform or "")
        return groups is None or group in groups


def read_context(given: Any) -> Context:
    """Reads the `Context` of the official SDK or of fastmcp, a `_meta`, the `trailblaze` in there, or the `_trailblaze` of
    old."""
    meta = _mapping(_meta(given), "it")
    meta = _mapping(meta.get("_meta"), "'_meta'") or meta
    told = _mapping(meta.get("trailblaze"), "'trailblaze'") or _mapping(meta.get("_trailblaze"), "'_trailblaze'") or meta
    device = _mapping(told.get("device"), "'device'")
    routing = {
        "device_id": _text(device, "id") or _text(told, "deviceId"),
        "session_id": _text(told, "sessionId"),
        "invocation_id": _text(meta, "trailblazeInvocationId") or _text(told, "invocationId"),
    }
    platform = _text(device, "platform") or _text(told, "platform")
    return Context(
        routing={name: value for name, value in routing.items() if value},
        base_url=_text(told, "baseUrl"),
        platform=platform.lower() if platform else None,
        groups=_texts(device, "groups"),
    )


def _meta(given: Any) -> Any:
    """What came with the request of a `Context`, or else what is given itself."""
    if isinstance(given, Mapping) or not hasattr(given, "request_context"):
        return given
    # None is for a tool that somebody else called, and told nothing.
    return getattr(given.request_context, "meta", None)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    """The models of pydantic, which older SDKs have for a `_meta`, are read as well."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) and callable(dump := getattr(value, "model_dump", None)):
        value = dump(by_alias=True)
    return value if isinstance(value, Mapping) else _malformed(name, "an object", value)


def _text(of: Mapping[str, Any], key: str) -> str | None:
    value = of.get(key)
    return value if value is None or isinstance(value, str) else _malformed(f"'{key}'", "a text", value)


def _texts(of: Mapping[str, Any], key: str) -> list[str] | None:
    value = of.get(key)
    is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return value if value is None else list(value) if is_list else _malformed(f"'{key}'", "a list of texts", value)


def _malformed(name: str, expected: str, value: object) -> NoReturn:
    message = f"the context of the tool call is malformed: {name} must be {expected}, not a {type(value).__name__}"
    hint = "give the Context of the tool, its '_meta', or the 'trailblaze' in there"
    raise refused(Failure(kind="InvalidRequest", message=message, hint=hint), "invalid_argument")


def read_address(given: str | None) -> str:
    """An address with a scheme and without a path. The server of callbacks is that of commands."""
    given = given or os.environ.get("TRAILBLAZE_CALLBACK_URL") or DEFAULT_ADDRESS
    has_scheme = re.match("https?://", given, re.IGNORECASE)
    parts = urlsplit(given if has_scheme else f"http://{given}")
    return f"{parts.scheme}://{parts.netloc}"


def read_token(address: str) -> str | None:
    """The token of the environment is for this machine: who sends a context could name any address."""
    host = urlsplit(address).hostname or ""
    is_here = host in ("localhost", "::1") or re.fullmatch(r"127\.\d+\.\d+\.\d+", host)
    return os.environ.get("TRAILBLAZE_RPC_TOKEN") if is_here else None
