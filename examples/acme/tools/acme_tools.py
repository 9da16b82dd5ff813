"""Tools for Acme Driver, in Python. `python acme_tools.py` speaks over its standard streams, and with
`--transport http --port 8000` over HTTP, which is how Trailblaze starts it for several devices at once."""

import argparse
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from trailblaze import TrailblazeClient

server = MCPServer("acme-tools", version="1.0.0")


@server.tool()
async def acme_driver_login(email: str, password: str, ctx: Context) -> dict[str, Any]:
    """Log in to Acme Driver app."""
    # Every call goes to the device that this tool was called for.
    tb = TrailblazeClient.from_context(ctx)

    await tb.clear_app_data("com.acme.driver")
    await tb.launch_app("com.acme.driver")
    await tb.tap(text="Sign in")
    await tb.input_text(email)
    await tb.input_text(password)
    await tb.tap(text="Submit")
    # What is a matter of course in the test is a question here: a wrong password is an answer, not a crash.
    if await tb.is_visible(text="Invalid credentials", timeout_ms=500):
        return {"success": False, "error": "invalid credentials"}
    await tb.wait_until_visible(text="Go Online", timeout_ms=10000)
    return {"success": True}


@server.tool()
async def acme_handle_onboarding(ctx: Context) -> dict[str, Any]:
    """Get everything out of the way that is in the way at the first start."""
    tb = TrailblazeClient.from_context(ctx)

    if await tb.is_visible(text="Accept Cookies"):
        await tb.tap(text="Accept")
    if await tb.is_visible(text="Skip Tutorial"):
        await tb.tap(text="Skip")

    if await tb.has_text("Welcome back"):
        return {"screen": "returning_user"}
    if await tb.has_text("Create Account"):
        return {"screen": "new_user"}
    return {"screen": "unknown"}


@server.tool()
async def acme_smart_tap(text: str, ctx: Context) -> dict[str, Any]:
    """Tap something, wherever it is on the page."""
    tb = TrailblazeClient.from_context(ctx)

    # It looks, and leaves the acting to Trailblaze, which then records what it did.
    calls = [{"tool": "tap", "args": {"text": text}}]
    if not await tb.is_visible(text=text):
        calls.insert(0, {"tool": "scroll", "args": {"direction": "DOWN"}})
    return {"success": True, "_trailblaze_delegates": calls}


@server.resource("trailblaze://registry", mime_type="application/json")
def registry() -> dict[str, Any]:
    """What Trailblaze should know of the tools besides their schemas."""
    plain = {"platforms": ["android", "ios"], "exposedToLlm": True, "isRecordable": True}
    return {
        "tools": {
            "acme_driver_login": {**plain, "groups": ["auth"]},
            "acme_handle_onboarding": {**plain, "groups": ["setup"]},
            "acme_smart_tap": {**plain, "groups": ["core"], "isRecordable": False, "isDelegating": True},
        },
        "groups": {"auth": {"description": "Authentication tools", "defaultEnabled": True}},
        "serverInfo": {"name": "acme-tools", "version": "1.0.0"},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    if options.transport == "http":
        server.run("streamable-http", port=options.port)
    else:
        server.run()
