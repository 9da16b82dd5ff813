# The toolset on the official SDK for Python, as an author writes it.
import json
import os
import urllib.request
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import AfterValidator, Field

server = MCPServer("shop")


def result(text: str, structured: dict[str, Any] | None = None) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def structured(value: dict[str, Any]) -> CallToolResult:
    return result(json.dumps(value, ensure_ascii=False, separators=(",", ":")), value)


def failure(text: str, **trailblaze: Any) -> CallToolResult:
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, is_error=True, _meta={"trailblaze": trailblaze})


def trailblaze(context: Context) -> dict[str, Any]:
    return (context.request_context.meta or {}).get("trailblaze", {})


class CallFailed(Exception):
    def __init__(self, kind: str | None, message: str):
        super().__init__(message)
        self.kind = kind


def call(context: Context, tool: str, args: dict[str, Any]) -> dict[str, Any]:
    """Calls another tool of the session over the callback channel."""
    meta = trailblaze(context)
    base = meta.get("baseUrl", "").rstrip("/")
    url = f"{base}/scripting/callback" if base else os.environ["TRAILBLAZE_CALLBACK_URL"]
    action = {"type": "call_tool", "tool_name": tool, "arguments_json": json.dumps(args)}
    body = {"version": 1, "session_id": meta["sessionId"], "invocation_id": meta["invocationId"], "action": action}
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    # Loopback: whatever proxy the machine has is not asked.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as response:
        answer = json.load(response)["result"]
    if answer["type"] != "call_tool_result":
        raise CallFailed(None, answer["message"])
    if not answer["success"]:
        raise CallFailed(answer.get("kind"), answer["error_message"])
    return answer


@server.tool(
    description="Greets somebody.",
    meta={
        "trailblaze/isForLlm": False,
        "trailblaze/isRecordable": False,
        "trailblaze/supportedPlatforms": ["ANDROID"],
        "trailblaze/groups": ["words"],
    },
)
def shop_greet(who: str) -> CallToolResult:
    return result(f"Hello {who}")


def is_code(code: str) -> str:
    if not code.startswith("P-"):
        raise ValueError("a code begins with P-")
    return code


@server.tool(description="Orders something.")
def shop_order(
    code: Annotated[str, AfterValidator(is_code)], count: Annotated[int, Field(ge=1)] = 1
) -> CallToolResult:
    return structured({"code": code, "count": count})


@server.tool(description="Throws.")
def shop_throws() -> CallToolResult:
    # The SDK keeps the text of any other exception to itself.
    raise ToolError("too far")


@server.tool(description="Ends it all.")
def shop_fatal() -> CallToolResult:
    return failure("the shop is closed", variant="FatalError")


@server.tool(description="Misses something.")
def shop_missing() -> CallToolResult:
    missing = ["email", "pin"]
    text = f"missing required arguments: {', '.join(missing)}"
    return failure(text, variant="MissingRequiredArgs", missing=missing)


@server.tool(description="Says what it was told besides its arguments.")
def shop_envelope(context: Context) -> CallToolResult:
    meta = trailblaze(context)
    device, session = meta.get("device", {}), meta.get("sessionId")
    return structured(
        {
            "runtime": meta.get("runtime"),
            "memory": meta.get("memory"),
            "platform": device.get("platform"),
            "driver": device.get("driverType"),
            "width": device.get("widthPixels"),
            "known": isinstance(session, str) and isinstance(meta.get("invocationId"), str),
        }
    )


@server.tool(description="Cannot be done on a phone.", meta={"trailblaze/requiresHost": True})
def shop_hostOnly(context: Context) -> CallToolResult:
    return result(f"on the {trailblaze(context).get('runtime')}")


@server.tool(description="Signs in and says who is welcome.")
def shop_signIn(user: str, context: Context) -> CallToolResult:
    call(context, "tap", {"id": "user"})
    call(context, "inputText", {"text": user})
    call(context, "tap", {"text": "Sign in"})
    if call(context, "isVisible", {"text": f"Welcome {user}"})["text_content"] != "true":
        return failure("nobody is welcome", variant="FatalError")
    return result(call(context, "getElementText", {"id": "welcome"})["text_content"])


@server.tool(description="Calls another tool and says what came of it.")
def shop_ask(tool: str, context: Context, args: dict[str, Any] | None = None) -> CallToolResult:
    try:
        answer = call(context, tool, args or {})
    except CallFailed as failed:
        return structured({"kind": failed.kind, "message": str(failed)})
    return structured({"text": answer["text_content"], "structured": answer.get("structured_content")})


@server.tool(description="Leaves the work to another tool.", meta={"trailblaze/isDelegating": True})
def shop_delegate() -> CallToolResult:
    return result("tap", {"_trailblaze_delegates": [{"tool": "tap", "args": {"text": "Sign in"}}]})


if __name__ == "__main__":
    server.run()
