# Two tools that ask Trailblaze, on the official SDK for Python: one awaits, the other does not.
from mcp.server.mcpserver import Context, MCPServer
from trailblaze import TrailblazeClient

server = MCPServer("desk")


@server.tool()
async def desk_look(text: str, context: Context) -> str:
    tb = TrailblazeClient.from_context(context)
    kind = "phone" if tb.maestro is not None and tb.playwright is None else "browser"
    return f"{str(await tb.is_visible(text)).lower()} on {tb.platform}, a {kind}"


@server.tool()
def desk_tap(text: str, context: Context) -> str:
    tb = TrailblazeClient.from_context(context)
    tb.tap(text=text)
    return "tapped"


server.run()
