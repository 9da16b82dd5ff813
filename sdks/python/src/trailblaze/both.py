"""Commands for code that awaits and for code that does not."""

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from .link import has_event_loop

_Class = TypeVar("_Class", bound=type)


def both_ways(commands: _Class) -> _Class:
    """The methods of a class are awaited where an event loop runs. Where none does, as in a plain `def` tool, which the SDKs of
    MCP run in a thread of its own, nobody could await them: they are done at once."""
    for name, method in list(vars(commands).items()):
        if iscoroutinefunction(method) and not name.startswith("_"):
            setattr(commands, name, _both_ways(method))
    return commands


def _both_ways(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def command(*args: Any, **kwargs: Any) -> Any:
        coroutine = method(*args, **kwargs)
        if has_event_loop():
            return coroutine
        # Without an event loop a link does not wait, so that this goes through to the end.
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value
        raise RuntimeError("a command waits for an event loop that is not there")

    return command
