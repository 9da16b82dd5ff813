"""Makes a client in every way there is and asks one thing with each: `python shapes.py ADDRESS`."""

import asyncio
import json
import os
import sys
from types import SimpleNamespace

from trailblaze import SyncTrailblazeClient, TrailblazeClient, TrailblazeError

address = sys.argv[1]
base_url = f"http://{address}"
device = {"id": "d1", "platform": "android"}
trailblaze = {"baseUrl": base_url, "sessionId": "session-1", "invocationId": "inv-1", "device": device}
meta = {"trailblazeInvocationId": "inv-1", "trailblaze": trailblaze}
old = {"deviceId": "d1", "sessionId": "session-1", "platform": "android"}


async def main():
    await TrailblazeClient.from_context({"_meta": meta}).has_text("context")
    SyncTrailblazeClient.from_context({"_meta": meta}).has_text("context")
    await TrailblazeClient(context=meta).has_text("context")
    await TrailblazeClient(context=trailblaze).has_text("context")
    await TrailblazeClient(address, context=old).has_text("old")
    await TrailblazeClient(address).has_text("global")
    await TrailblazeClient(address, token="mine", timeout_ms=1500).has_text("options")
    os.environ["TRAILBLAZE_RPC_TOKEN"] = "ours"
    await TrailblazeClient(address).has_text("environment")
    os.environ["TRAILBLAZE_CALLBACK_URL"] = f"{base_url}/scripting/callback"
    await TrailblazeClient().has_text("callback")
    await TrailblazeClient.from_context(SimpleNamespace(session_id="of MCP")).has_text("nothing")

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
    print(json.dumps(said))


asyncio.run(main())
