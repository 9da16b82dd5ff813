"""Makes a client in every way there is and asks one thing with each: `python shapes.py ADDRESS`."""

import asyncio
import json
import os
import sys
from types import SimpleNamespace

from pydantic import BaseModel, ConfigDict
from trailblaze import SyncTrailblazeClient, TrailblazeClient, TrailblazeError

address = sys.argv[1]
base_url = f"http://{address}"
device = {"id": "d1", "platform": "android"}
trailblaze = {"baseUrl": base_url, "sessionId": "session-1", "invocationId": "inv-1", "device": device}
meta = {"trailblazeInvocationId": "inv-1", "trailblaze": trailblaze}
old = {"deviceId": "d1", "sessionId": "session-1", "platform": "android"}


class Meta(BaseModel):
    """What the first generation of the official SDK has for a `_meta`."""

    model_config = ConfigDict(extra="allow")
    progressToken: str | int | None = None


def of_mcp(meta):
    return SimpleNamespace(request_context=SimpleNamespace(meta=meta), session_id="of MCP")


async def main():
    await TrailblazeClient.from_context({"_meta": meta}).has_text("context")
    SyncTrailblazeClient.from_context({"_meta": meta}).has_text("context")
    await TrailblazeClient(context=meta).has_text("context")
    await TrailblazeClient(context=trailblaze).has_text("context")
    await TrailblazeClient.from_context(of_mcp(meta)).has_text("context")
    await TrailblazeClient.from_context(of_mcp(Meta(**meta))).has_text("context")
    await TrailblazeClient(context=Meta(**meta)).has_text("context")
    await TrailblazeClient(address, context=old).has_text("old")
    await TrailblazeClient(address).has_text("global")
    await TrailblazeClient(f"HTTP://{address}").has_text("global")
    await TrailblazeClient(address, token="mine", timeout_ms=1499.5).has_text("options")
    os.environ["TRAILBLAZE_RPC_TOKEN"] = "ours"
    await TrailblazeClient(address).has_text("environment")
    os.environ["TRAILBLAZE_CALLBACK_URL"] = f"{base_url}/scripting/callback"
    await TrailblazeClient().has_text("callback")
    await TrailblazeClient.from_context(of_mcp(None)).has_text("nothing")

    tb = TrailblazeClient.from_context({"_meta": meta})
    await tb.tap(100, 200)
    await tb.tap(text="Sign in", index=1)
    await tb.maestro.swipe("UP", 300)
    await tb.call_tool("shop_order", {"count": 2, "tags": ["a", None]})

    groups = [name for name in ("maestro", "playwright", "desktop") if getattr(tb, name)]
    said = {"groups": groups, "platform": tb.platform}
    try:
        tb.sampling
    except AttributeError as error:
        said["sampling"] = str(error)
    try:
        await TrailblazeClient("127.0.0.1:9").is_visible("anybody")
    except TrailblazeError as error:
        said["gone"] = [error.kind, str(error)]
    said["malformed"] = [malformed(context) for context in MALFORMED]
    return said


MALFORMED = [
    "inv-1",
    SimpleNamespace(session_id="of MCP"),
    of_mcp("inv-1"),
    {"trailblaze": "inv-1"},
    {"trailblaze": {"device": "d1"}},
    {"trailblaze": {"device": {"id": 1}}},
    {"trailblaze": {"baseUrl": 1}},
    {"trailblaze": {"device": {"platform": ["android"]}}},
    {"trailblaze": {"device": {"groups": "maestro"}}},
    {"trailblazeInvocationId": 1},
]


def malformed(context):
    try:
        TrailblazeClient.from_context(context)
    except TrailblazeError as error:
        return [error.kind, str(error)]


def without_await():
    """Where no event loop runs, the same client does at once what it is told to."""
    tb = TrailblazeClient.from_context({"_meta": meta})
    done = tb.tap(100, 200)
    return [done.success, tb.has_text("context"), tb.memory.get("who"), tb.screenshot().decode(), tb.maestro.press_back().success]


said = asyncio.run(main())
said["withoutAwait"] = without_await()
print(json.dumps(said))
