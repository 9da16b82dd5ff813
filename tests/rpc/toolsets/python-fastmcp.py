# Two tools that ask Trailblaze, on fastmcp: one awaits, the other does not.
from fastmcp import Context, FastMCP
from trailblaze import TrailblazeClient

server = FastMCP("desk")


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


server.run(show_banner=False)
