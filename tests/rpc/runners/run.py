"""Runs the commands of a list with the client for Python: `python run.py LIST ADDRESS async|sync`."""

import asyncio
import base64
import inspect
import json
import re
import sys
from dataclasses import asdict, is_dataclass

from protobuf import Message
from trailblaze import SyncTrailblazeClient, TrailblazeClient, TrailblazeError

# The commands whose method has another name.
OTHERS = {
    "takeScreenshot": "screenshot",
    "getMemory": "memory.get",
    "setMemory": "memory.set",
    "listMemory": "memory.all",
    "registry.getRegistry": "registry",
}


def snake(name):
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def plain(value):
    if isinstance(value, Message):
        return json.loads(value.to_json(always_emit_implicit=True))
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return asdict(value) if is_dataclass(value) else value


async def run(kind, address, command, args, routing):
    what = kind(address, context=routing)
    try:
        for name in OTHERS.get(command, command).split("."):
            what = getattr(what, snake(name))
        value = what(**{snake(name): given for name, given in args.items()})
        return {"value": plain(await value if inspect.isawaitable(value) else value)}
    except TrailblazeError as error:
        told = {name: getattr(error, name) for name in ("kind", "hint", "candidates", "code", "status")}
        return {"failure": {"isAssertion": isinstance(error, AssertionError), "message": str(error), **told}}


async def main(path, address, mode):
    kind = {"async": TrailblazeClient, "sync": SyncTrailblazeClient}[mode]
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        outcome = await run(kind, address, entry["command"], entry.get("arguments", {}), entry.get("routing"))
        print(json.dumps(outcome), flush=True)


asyncio.run(main(*sys.argv[1:]))
