"""Gives up calls that are never answered, in every way there is: `python hangs.py ADDRESS`."""

import asyncio
import json
import sys

from trailblaze import SyncTrailblazeClient, TrailblazeClient, TrailblazeError

address = sys.argv[1]


def told(error):
    return [error.kind, error.status, str(error)]


async def said(call):
    try:
        await call
    except TrailblazeError as error:
        return told(error)


def said_at_once(ask):
    try:
        ask()
    except TrailblazeError as error:
        return told(error)


async def cancelled(call):
    """A task that is cancelled when the call has reached the server."""
    task = asyncio.ensure_future(call)
    await asyncio.sleep(0.3)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return task.cancelled()


async def main():
    late, client = TrailblazeClient(address, timeout_ms=300), TrailblazeClient(address)
    outcomes = {
        "timeout": await said(late.tap(text="Sign in")),
        "timeout of a stream": await said(late.screenshot()),
        "cancelled": await cancelled(client.tap(text="Sign in")),
        "cancelled stream": await cancelled(client.screenshot()),
    }
    try:
        async with asyncio.timeout(0.3):
            await client.tap(text="Sign in")
    except TimeoutError:
        outcomes["timeout of asyncio"] = True
    return outcomes


outcomes = asyncio.run(main())
late = SyncTrailblazeClient(address, timeout_ms=300)
outcomes["timeout without await"] = said_at_once(lambda: late.tap(text="Sign in"))
outcomes["afterwards"] = SyncTrailblazeClient(address).has_text("Sign in")
print(json.dumps(outcomes))
