"""The way to one device: an address, and what every request says about who asks."""

from functools import cache
from typing import Any, TypeVar

from anyio.lowlevel import RunVar
from httpx2 import AsyncHTTPTransport, HTTPTransport, Request, Response, Timeout, TimeoutException, TransportError
from protobuf import Message

from . import connect
from .context import read_address, read_context, read_token
from .errors import TrailblazeError, refused
from .gen.trailblaze.v1.commands_pb import Failure

_Answer = TypeVar("_Answer", bound=Message[Any])

# The server answers when the time is up; only one that is gone does not.
_GRACE_MS = 1000

# Transports, and not the clients around them, which follow redirects and write a line into the log of the tool for
# every command. All clients of an event loop share theirs.
_async_transports: RunVar[dict[bool, AsyncHTTPTransport]] = RunVar("trailblaze")


def has_event_loop() -> bool:
    """Whether this thread runs an event loop, so that something can be awaited in it."""
    try:
        _async_transports.get({})
    except RuntimeError:
        return False
    return True


def _async_transport(is_secure: bool) -> AsyncHTTPTransport:
    transports = _async_transports.get({})
    _async_transports.set(transports)
    if is_secure not in transports:
        transports[is_secure] = AsyncHTTPTransport(verify=is_secure, trust_env=False)
    return transports[is_secure]


@cache
def _sync_transport(is_secure: bool) -> HTTPTransport:
    return HTTPTransport(verify=is_secure, trust_env=False)


class _Link:
    def __init__(self, base_url: str | None, context: object, token: str | None, timeout_ms: int | None) -> None:
        self.context = read_context(context)
        self.address = read_address(base_url or self.context.base_url)
        self._is_secure = self.address.startswith("https:")
        self._token = token or read_token(self.address)
        self._timeout_ms = timeout_ms

    def _post(self, service: str, message: Message[Any], is_stream: bool) -> Request:
        """What is sent. The name of a request is that of its method."""
        for name, value in self.context.routing.items():
            setattr(message, name, value)
        method = type(message).__name__.removesuffix("Request")
        content = message.to_binary()
        limit = None if self._timeout_ms is None else (self._timeout_ms + _GRACE_MS) / 1000
        return Request(
            "POST",
            f"{self.address}/trailblaze.v1.{service}/{method}",
            headers=connect.headers(is_stream, self._token, self._timeout_ms),
            content=connect.envelope(content) if is_stream else content,
            extensions={"timeout": Timeout(limit).as_dict()},
        )

    def _explain(self, error: TransportError) -> TrailblazeError:
        if isinstance(error, TimeoutException):
            message = f"Trailblaze did not answer in time at {self.address}"
            return refused(Failure(kind="TimedOut", message=message), "deadline_exceeded")
        message = f"Trailblaze does not answer at {self.address}: {error}"
        hint = "is 'trailblaze serve' or a run under way?"
        return refused(Failure(kind="Unavailable", message=message, hint=hint), "unavailable")

    def _send_now(self, service: str, request: Message[Any], is_stream: bool) -> Response:
        transport = _sync_transport(self._is_secure)
        try:
            response = transport.handle_request(self._post(service, request, is_stream))
            response.read()
            return response
        except TransportError as error:
            raise self._explain(error) from error


def _read(response: Response, answer: type[_Answer]) -> _Answer:
    if response.status_code != 200:
        raise connect.refusal(response.status_code, response.content)
    return answer.from_binary(response.content)


def _read_all(response: Response, answer: type[_Answer]) -> list[_Answer]:
    if response.status_code != 200:
        raise connect.refusal(response.status_code, response.content)
    return [answer.from_binary(piece) for piece in connect.pieces(response.content)]


class AsyncLink(_Link):
    async def _send(self, service: str, request: Message[Any], is_stream: bool) -> Response:
        if not has_event_loop():
            return self._send_now(service, request, is_stream)
        transport = _async_transport(self._is_secure)
        try:
            response = await transport.handle_async_request(self._post(service, request, is_stream))
            await response.aread()
            return response
        except TransportError as error:
            raise self._explain(error) from error

    async def ask(self, service: str, request: Message[Any], answer: type[_Answer]) -> _Answer:
        """The one answer to a request."""
        return _read(await self._send(service, request, False), answer)

    async def collect(self, service: str, request: Message[Any], answer: type[_Answer]) -> list[_Answer]:
        """All answers to a request that has several."""
        return _read_all(await self._send(service, request, True), answer)


class SyncLink(_Link):
    def ask(self, service: str, request: Message[Any], answer: type[_Answer]) -> _Answer:
        """The one answer to a request."""
        return _read(self._send_now(service, request, False), answer)

    def collect(self, service: str, request: Message[Any], answer: type[_Answer]) -> list[_Answer]:
        """All answers to a request that has several."""
        return _read_all(self._send_now(service, request, True), answer)
