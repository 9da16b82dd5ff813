# What the official client for Python sees of a server, as JSON: the same visit as in `typescript.mjs`.
#   python visit.py MODE URL
#   python visit.py MODE COMMAND ARG…
import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters


async def visit(mode: str, where: list[str]) -> dict:
    server = where[0] if where[0].startswith("http") else StdioServerParameters(command=where[0], args=where[1:])
    steps = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    async def missing(client):
        try:
            return plain(await client.read_resource("trailblaze://nope"))
        except MCPError as error:
            return str(error)

    def plain(result):
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async with Client(server, mode=mode) as client:
        registry = await client.read_resource("trailblaze://registry")
        return {
            "server": client.server_info.name,
            "protocol": client.protocol_version,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "resources": [str(resource.uri) for resource in (await client.list_resources()).resources],
            "registry": json.loads(registry.contents[0].text),
            "devices": plain(await client.call_tool("devices", {})),
            "screen": plain(await client.call_tool("screen", {"format": "both"})),
            "unknown": plain(await client.call_tool("tool", {"name": "no_such_tool"})),
            "wrong": plain(await client.call_tool("screen", {"format": "video"})),
            "missing": await missing(client),
            "picture": plain(
                await client.call_tool("tool", {"name": "takeSnapshot", "arguments": {"screenName": "home"}})
            ),
            "step": plain(await client.call_tool("step", {"text": "Sign in"})),
            "run": plain(await client.call_tool("trail_run", {}, progress_callback=heard)),
            "progress": steps,
        }


print(json.dumps(asyncio.run(visit(sys.argv[1], sys.argv[2:]))))
