"""What went wrong, with all that the server says about it."""

import sys

from .gen.trailblaze.v1.commands_pb import Failure


class TrailblazeError(Exception):
    """A command that failed, or a call that was refused."""

    def __init__(self, failure: Failure, status: str | None = None) -> None:
        super().__init__(failure.message or "the command failed")
        #: One word to tell failures apart, such as NotFound or UnknownInvocation.
        self.kind = failure.kind
        #: What to do next; empty when there is nothing to say.
        self.hint = failure.hint
        #: The elements that come nearest to the one that was looked for, best first.
        self.candidates = list(failure.candidates)
        #: The code of JSON-RPC where one is documented: -32602 for an unknown invocation id.
        self.code = failure.code if failure.has_field("code") else None
        #: The status of Connect, such as invalid_argument; None where the device was asked and said no.
        self.status = status


class TrailblazeAssertionError(TrailblazeError, AssertionError):
    """A condition that was not met."""


def failed(failure: Failure | None) -> TrailblazeError:
    """For the failure of a tool."""
    failure = failure or Failure()
    is_assertion = failure.kind == "AssertionFailed"
    return _spoken(TrailblazeAssertionError if is_assertion else TrailblazeError)(failure)


def refused(failure: Failure, status: str) -> TrailblazeError:
    """For a call that did not come through."""
    return _spoken(TrailblazeError)(failure, status)


def _spoken(kind: type[TrailblazeError]) -> type[TrailblazeError]:
    """The official MCP SDK passes on the text of its own `ToolError` alone, so under it our errors are such as well."""
    sdk = sys.modules.get("mcp.server.mcpserver.exceptions")
    return kind if sdk is None else type(kind.__name__, (kind, sdk.ToolError), {"__module__": kind.__module__})
