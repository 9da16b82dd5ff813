"""Where a call goes: what Trailblaze sent along with the tool call that asks."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

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
    request = getattr(given, "request_context", None)
    meta = given if request is None else request.meta
    if not isinstance(meta, Mapping):
        # Somebody else called the tool, and told it nothing.
        meta = {}
    meta = meta.get("_meta") or meta
    told = meta.get("trailblaze") or meta.get("_trailblaze") or meta
    device = told.get("device") or {}
    routing = {
        "device_id": device.get("id") or told.get("deviceId"),
        "session_id": told.get("sessionId"),
        "invocation_id": meta.get("trailblazeInvocationId") or told.get("invocationId"),
    }
    platform = device.get("platform") or told.get("platform")
    return Context(
        routing={name: value for name, value in routing.items() if value},
        base_url=told.get("baseUrl"),
        platform=platform.lower() if platform else None,
        groups=device.get("groups"),
    )


def read_address(given: str | None) -> str:
    """An address with a scheme and without a path. The server of callbacks is that of commands."""
    given = given or os.environ.get("TRAILBLAZE_CALLBACK_URL") or DEFAULT_ADDRESS
    parts = urlsplit(given if re.match("https?://", given) else f"http://{given}")
    return f"{parts.scheme}://{parts.netloc}"


def read_token(address: str) -> str | None:
    """The token of the environment is for this machine: who sends a context could name any address."""
    host = urlsplit(address).hostname or ""
    is_here = host in ("localhost", "::1") or re.fullmatch(r"127\.\d+\.\d+\.\d+", host)
    return os.environ.get("TRAILBLAZE_RPC_TOKEN") if is_here else None
