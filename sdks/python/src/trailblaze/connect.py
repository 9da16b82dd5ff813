"""The Connect protocol, as far as commands need it: one request, one answer or several, binary.

https://connectrpc.com/docs/protocol
"""

import base64
import json
import math
import struct
from collections.abc import Iterator
from typing import Any

from .errors import TrailblazeError, refused
from .gen.trailblaze.v1.commands_pb import Failure

# What a piece of a stream is, besides an answer.
COMPRESSED, END = 1, 2
PREFIX = struct.Struct(">BI")


def headers(is_stream: bool, token: str | None, timeout_ms: int | None) -> dict[str, str]:
    told = {
        "content-type": "application/connect+proto" if is_stream else "application/proto",
        "connect-protocol-version": "1",
        # On this machine compressing costs more than it saves.
        "accept-encoding": "identity",
    }
    if timeout_ms is not None:
        # Whole milliseconds: there is no other time in the protocol.
        told["connect-timeout-ms"] = str(math.ceil(timeout_ms))
    if token:
        told["authorization"] = f"Bearer {token}"
    return told


def envelope(message: bytes) -> bytes:
    """A message as the only piece of a stream."""
    return PREFIX.pack(0, len(message)) + message


def pieces(body: bytes) -> Iterator[bytes]:
    """The messages of a stream, which must have ended well."""
    at = 0
    while at + PREFIX.size <= len(body):
        flags, length = PREFIX.unpack_from(body, at)
        at += PREFIX.size
        message = body[at : at + length]
        at += length
        if not flags & END:
            yield message
        elif error := json.loads(message).get("error"):
            raise _error(error)
        else:
            return
    raise refused(Failure(kind="Unavailable", message="the stream broke off"), "unavailable")


def refusal(status: int, body: bytes) -> TrailblazeError:
    """For an answer with any status but 200."""
    try:
        error = json.loads(body)
        return _error(error if isinstance(error, dict) else {})
    except ValueError:
        message = f"the server answered with status {status}"
        return refused(Failure(kind="Unavailable", message=message), "unknown")


def _error(error: dict[str, Any]) -> TrailblazeError:
    status = error.get("code", "unknown")
    for detail in error.get("details", ()):
        if detail.get("type") == Failure.desc().type_name:
            value = detail["value"]
            return refused(Failure.from_binary(base64.b64decode(value + "=" * (-len(value) % 4))), status)
    kind = status.title().replace("_", "")
    return refused(Failure(kind=kind, message=error.get("message", "")), status)
