"""What a client of gRPC that others wrote gets from a server: `python grpc_stock.py ADDRESS TOKEN`. It knows no message of the
contract; the server explains them. One line of JSON is printed, with what became of every call."""

import concurrent.futures
import json
import sys

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

COMMANDS = "trailblaze.v1.TrailblazeCommands"
OVERSIZED = 17 << 20


class Client:
    def __init__(self, address, token):
        # No proxy is asked about this machine.
        self.channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
        self.metadata = [("authorization", f"Bearer {token}")] if token else []

    def explain(self):
        """Learns the contract from the server itself."""
        # What asks for it has no place for a token.
        asking = grpc.intercept_channel(self.channel, Bearer(self.metadata))
        database = ProtoReflectionDescriptorDatabase(asking)
        self.pool = DescriptorPool(database)
        return sorted(database.get_services())

    def method(self, path):
        service, name = path.split("/")
        return self.pool.FindServiceByName(service).methods_by_name[name]

    def call(self, path, arguments, **options):
        method = self.method(path)
        request, response = (GetMessageClass(kind) for kind in (method.input_type, method.output_type))
        make = self.channel.unary_stream if method.server_streaming else self.channel.unary_unary
        ask = make(f"/{path}", request.SerializeToString, response.FromString)
        answer = ask(ParseDict(arguments, request()), metadata=self.metadata, **options)
        return [plain(piece) for piece in answer] if method.server_streaming else plain(answer)

    def raw(self, path, request, **options):
        return self.channel.unary_unary(f"/{path}")(request, metadata=self.metadata, **options)

    def health(self, service):
        stub = health_pb2_grpc.HealthStub(self.channel)
        return plain(stub.Check(health_pb2.HealthCheckRequest(service=service), metadata=self.metadata))

    def watched(self, service):
        """The first word of a stream that does not end."""
        stub = health_pb2_grpc.HealthStub(self.channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service=service), metadata=self.metadata)
        first = plain(next(watch))
        watch.cancel()
        return first

    def refusal(self, error):
        """The status of an error, and the failure that is its detail."""
        told = {"status": error.code().name, "message": error.details()}
        status = rpc_status.from_call(error)
        for detail in status.details if status else []:
            kind = GetMessageClass(self.pool.FindMessageTypeByName(detail.TypeName()))
            told["failure"] = plain(kind.FromString(detail.value))
        return told

    def outcome(self, ask, *args, **options):
        try:
            return {"value": ask(*args, **options)}
        except grpc.RpcError as error:
            return {"error": self.refusal(error)}


class Bearer(grpc.StreamStreamClientInterceptor):
    def __init__(self, metadata):
        self.metadata = metadata

    def intercept_stream_stream(self, proceed, details, requests):
        return proceed(details._replace(metadata=[*(details.metadata or []), *self.metadata]), requests)


def plain(message):
    return MessageToDict(message)


def cancelled(client):
    """Begins a call that does not end by itself, and calls it off."""
    method = client.method(f"{COMMANDS}/CallTool")
    request = GetMessageClass(method.input_type)
    ask = client.channel.unary_unary(f"/{COMMANDS}/CallTool", request.SerializeToString)
    under_way = ask.future(ParseDict({"name": "desk_stuck"}, request()), metadata=client.metadata)
    try:
        under_way.result(timeout=0.3)
    except grpc.FutureTimeoutError:
        under_way.cancel()
    return under_way.cancelled()


def at_once(client):
    """Many calls over one connection; each is answered with what it asked for."""
    ask = lambda number: client.call(f"{COMMANDS}/GetElementCount", {"text": "Help" if number % 2 else "Moon"})
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        counts = list(pool.map(ask, range(200)))
    return all(counted.get("value", 0) == (2 if number % 2 else 0) for number, counted in enumerate(counts))


def main(address, token):
    client = Client(address, token)
    services = client.explain()
    stranger, liar = Client(address, ""), Client(address, "wrong")
    stranger.pool = liar.pool = client.pool
    call = lambda name, arguments, **options: client.outcome(client.call, f"{COMMANDS}/{name}", arguments, **options)
    here = lambda asked: asked.outcome(asked.call, f"{COMMANDS}/ListDevices", {})
    outcomes = {
        "services": services,
        "health": client.health(""),
        "health of a service": client.health(COMMANDS),
        "health of no service": client.outcome(client.health, "trailblaze.v1.Other"),
        "watch": client.watched(""),
        "launch": call("LaunchApp", {"packageId": "com.example.desk"}),
        "query": call("IsVisible", {"text": "Sign in"}),
        "packed": call("IsVisible", {"text": "Sign in"}, compression=grpc.Compression.Gzip),
        "action that fails": call("Tap", {"text": "Sgn in"}),
        "unknown invocation": call("Tap", {"text": "Sign in", "invocationId": "inv-9"}),
        "unknown device": call("Tap", {"text": "Sign in", "deviceId": "moon"}),
        "argument that is missing": call("IsVisible", {}),
        "group that is not there": client.outcome(
            client.call, "trailblaze.v1.PlaywrightCommands/Navigate", {"url": "about:blank"}
        ),
        "deadline": call("CallTool", {"name": "desk_stuck"}, timeout=0.3),
        "after the deadline": call("HasText", {"text": "Welcome"}),
        "cancelled": cancelled(client),
        "after it was cancelled": call("HasText", {"text": "Welcome"}),
        "screenshot": call("TakeScreenshot", {"pieceBytes": 1024}),
        "pieces too small": call("TakeScreenshot", {"pieceBytes": 1}),
        "no token": here(stranger),
        "wrong token": here(liar),
        "malformed": client.outcome(client.raw, f"{COMMANDS}/Tap", b"\xff\xff\xff"),
        "invalid UTF-8": client.outcome(client.raw, f"{COMMANDS}/Tap", b"\x0a\x02\xc3\x28"),
        "unknown method": client.outcome(client.raw, f"{COMMANDS}/Fly", b""),
        "unknown service": client.outcome(client.raw, "trailblaze.v1.FlightCommands/Fly", b""),
        "oversized": call("HasText", {"text": "x" * OVERSIZED}),
        "after it was oversized": call("HasText", {"text": "Welcome"}),
        "at once": at_once(client),
    }
    print(json.dumps(outcomes))


main(*sys.argv[1:])
