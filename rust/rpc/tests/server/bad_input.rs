//! What cannot be read, in every protocol: the right status, a `Failure` that says why, and nothing lost. The same
//! connection answers the next call.

use serde_json::{Value, json};
use trailblaze_model::base64;
use trailblaze_rpc::MOST_BYTES;

use crate::fake::Server;
use crate::http::{Answer, Grpc, binary, frame, frames, unbinary};
use crate::line::Line;

const TAP: &str = "trailblaze.v1.TrailblazeCommands/Tap";
const SHOT: &str = "trailblaze.v1.TrailblazeCommands/TakeScreenshot";
const JSON: &str = "application/json";
const PROTO: &str = "application/proto";
const WEB: &str = "application/grpc-web+proto";

fn good() -> Vec<u8> {
    binary("trailblaze.v1.TapRequest", &json!({ "text": "Sign in", "deviceId": "a" }))
}

/// What a caller is told: `404 unimplemented UnknownMethod: there is no …; did you mean …?`
fn told(status: &str, failure: &Value) -> String {
    let text = |key: &str| failure[key].as_str().unwrap_or_default().to_owned();
    let hint = text("hint");
    format!("{status} {}: {}{}{hint}", text("kind"), text("message"), if hint.is_empty() { "" } else { "; " })
}

/// The failure in the detail of gRPC. The status around it is no part of our contract: 1 is the code, 2 the message, 3
/// the details, each with the name of its type (1) and its bytes (2).
fn detail(encoded: &str) -> Value {
    let status = base64::decode(encoded).expect("it is base64");
    let any = field(&status, 3).expect("a detail");
    let name = field(&any, 1).expect("a type");
    assert!(name.ends_with(b"trailblaze.v1.Failure"));
    unbinary("trailblaze.v1.Failure", &field(&any, 2).expect("the failure"))
}

/// The first field with this number that has bytes.
fn field(mut message: &[u8], wanted: u64) -> Option<Vec<u8>> {
    fn number(message: &mut &[u8]) -> Option<u64> {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (first, rest) = message.split_first()?;
            *message = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    }
    loop {
        let key = number(&mut message)?;
        let value = number(&mut message)?;
        if key & 7 != 2 {
            continue;
        }
        let (bytes, rest) = message.split_at(usize::try_from(value).ok()?);
        if key >> 3 == wanted {
            return Some(bytes.to_vec());
        }
        message = rest;
    }
}

/// The detail of an error of Connect; the binary form is the same as the one to read.
fn connect_detail(error: &Value) -> Value {
    let detail = &error["details"][0];
    assert_eq!(detail["type"], "trailblaze.v1.Failure", "{error}");
    let bytes = base64::decode(detail["value"].as_str().expect("a value")).expect("it is base64");
    let failure = unbinary("trailblaze.v1.Failure", &bytes);
    assert_eq!(failure["kind"], detail["debug"]["kind"]);
    assert_eq!(error["message"], failure["message"]);
    failure
}

fn by_connect(answer: &Answer) -> String {
    told(&answer.code(), &connect_detail(&answer.json()))
}

fn by_web(answer: &Answer) -> String {
    assert_eq!(answer.status, 200);
    let frames = frames(&answer.body);
    let (flags, end) = frames.last().expect("an end");
    assert_eq!(*flags, 0x80);
    let end = String::from_utf8_lossy(end).into_owned();
    let value = |name: &str| {
        let value = end.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("no {name}: {end}")).to_owned()
    };
    told(&value("grpc-status"), &detail(&value("grpc-status-details-bin")))
}

/// Sends something in each protocol, every time over a connection that goes on afterwards.
struct All {
    line: Line,
    grpc: Grpc,
    _server: Server,
}

impl All {
    fn start() -> Self {
        let server = Server::start();
        Self { line: Line::connect(server.port), grpc: Grpc::connect(server.port), _server: server }
    }

    fn connect(&mut self, path: &str, content_type: &str, more: &[(&str, &str)], body: &[u8]) -> String {
        let headers = [&[("Content-Type", content_type)], more].concat();
        let answer = self.line.ask(path, &headers, body);
        let said = by_connect(&answer);
        self.goes_on();
        said
    }

    fn stream(&mut self, path: &str, more: &[(&str, &str)], body: &[u8]) -> String {
        let headers = [&[("Content-Type", "application/connect+proto")], more].concat();
        let answer = self.line.ask(path, &headers, body);
        let (flags, end) = frames(&answer.body).pop().expect("an end");
        assert_eq!((answer.status, flags), (200, 2));
        let end: Value = serde_json::from_slice(&end).expect("JSON");
        let code = end["error"]["code"].as_str().expect("a code").to_owned();
        let said = told(&code, &connect_detail(&end["error"]));
        self.goes_on();
        said
    }

    fn web(&mut self, path: &str, content_type: &str, more: &[(&str, &str)], body: &[u8]) -> String {
        let headers = [&[("Content-Type", content_type)], more].concat();
        let said = by_web(&self.line.ask(path, &headers, body));
        self.goes_on();
        said
    }

    fn grpc(&mut self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> String {
        let answer = self.grpc.call(path, headers, body);
        let text =
            |name: &str| answer.end.get(name).and_then(|value| value.to_str().ok()).expect("a trailer");
        let said = told(text("grpc-status"), &detail(text("grpc-status-details-bin")));
        let after = self.grpc.call(TAP, &[], frame(&good()));
        assert!(after.status().starts_with("0 "), "{}", after.status());
        said
    }

    fn goes_on(&mut self) {
        let after = self.line.ask(TAP, &[("Content-Type", PROTO)], &good());
        assert_eq!(after.status, 200, "{}", after.json());
    }
}

#[test]
fn a_method_or_service_that_is_not_there() {
    let mut all = All::start();
    for (path, why) in [
        (
            "trailblaze.v1.TrailblazeCommands/Tep",
            "UnknownMethod: there is no method 'trailblaze.v1.TrailblazeCommands/Tep'; did you mean 'Tap'?",
        ),
        (
            "trailblaze.v1.TrailblazeComands/Tap",
            "UnknownMethod: there is no method 'trailblaze.v1.TrailblazeComands/Tap'; did you mean \
             'trailblaze.v1.TrailblazeCommands'?",
        ),
        (
            "acme.Shop/Buy",
            "UnknownMethod: there is no method 'acme.Shop/Buy'; reflection and proto/trailblaze/v1 have all methods",
        ),
    ] {
        assert_eq!(all.connect(path, JSON, &[], b"{}"), format!("404 unimplemented {why}"));
        assert_eq!(all.connect(path, PROTO, &[], b""), format!("404 unimplemented {why}"));
        assert_eq!(all.stream(path, &[], &frame(b"")), format!("unimplemented {why}"));
        assert_eq!(all.web(path, WEB, &[], &frame(b"")), format!("12 {why}"));
        assert_eq!(all.grpc(path, &[], frame(b"")), format!("12 {why}"));
    }
}

#[test]
fn a_content_type_that_nobody_speaks() {
    let mut all = All::start();
    let why = |given: &str| {
        format!(
            "UnknownContentType: the Content-Type '{given}' is not known here; for JSON it is 'application/json'"
        )
    };
    for given in
        ["text/plain", "application/xml", "application/connect+xml", "application/x-www-form-urlencoded"]
    {
        assert_eq!(all.connect(TAP, given, &[], b"{}"), format!("415 unknown {}", why(given)));
    }
    let none = by_connect(&all.line.ask(TAP, &[], b"{}"));
    assert_eq!(
        none,
        "415 unknown UnknownContentType: the request has no Content-Type; for JSON it is 'application/json'"
    );
    let thrift = "application/grpc-web+thrift";
    assert_eq!(all.web(TAP, thrift, &[], &frame(&good())), format!("12 {}", why(thrift)));
    let thrift = "application/grpc+thrift";
    assert_eq!(all.grpc(TAP, &[("content-type", thrift)], frame(&good())), format!("12 {}", why(thrift)));
}

#[test]
fn bytes_that_are_no_message() {
    let mut all = All::start();
    // Cut off, and a text that is no UTF-8.
    for body in [&b"\xff\xff\xff"[..], b"\x0a\x05ab", b"\x0a\x02\xc3\x28"] {
        let start = |code: &str| format!("{code} InvalidRequest: this is no trailblaze.v1.TapRequest: ");
        for (said, expected) in [
            (all.connect(TAP, PROTO, &[], body), start("400 invalid_argument")),
            (all.connect(TAP, JSON, &[], body), start("400 invalid_argument")),
            (all.web(TAP, WEB, &[], &frame(body)), start("3")),
            (all.grpc(TAP, &[], frame(body)), start("3")),
        ] {
            assert!(said.starts_with(&expected), "{said}");
        }
    }
    let said = all.stream(SHOT, &[], &frame(b"\xff\xff\xff"));
    assert!(said.starts_with("invalid_argument InvalidRequest: this is no "), "{said}");
    let said = all.connect(TAP, JSON, &[], b"{\"text\": \"\xc3\x28\"}");
    assert!(said.contains("the JSON is not UTF-8"), "{said}");
}

#[test]
fn frames_that_are_broken() {
    let mut all = All::start();
    let half = [&[0, 0, 0, 0, 9], &b"ab"[..]].concat();
    let why = "InvalidRequest: incomplete request envelope";
    assert_eq!(all.stream(SHOT, &[], &half), format!("invalid_argument {why}"));
    assert_eq!(all.web(TAP, WEB, &[], &half), format!("3 {why}"));
    assert_eq!(all.grpc(TAP, &[], half), format!("3 {why}"));
    let packed = [("content-encoding", "br"), ("grpc-encoding", "br")];
    let why = "InvalidRequest: unsupported compression: br";
    assert_eq!(all.web(TAP, WEB, &packed, &frame(&good())), format!("12 {why}"));
    assert_eq!(all.grpc(TAP, &packed, frame(&good())), format!("12 {why}"));
}

#[test]
fn a_frame_that_promises_too_much() {
    let mut all = All::start();
    let promise = [&[0, 0xff, 0xff, 0xff, 0xff], &b"ab"[..]].concat();
    for (said, code) in [
        (all.stream(SHOT, &[], &promise), "resource_exhausted"),
        (all.web(TAP, WEB, &[], &promise), "8"),
        (all.grpc(TAP, &[], promise), "8"),
    ] {
        assert!(said.starts_with(&format!("{code} TooLarge: ")), "{said}");
        assert!(said.ends_with("; a message has 16777216 bytes at most"), "{said}");
    }
}

#[test]
fn a_request_that_is_too_large() {
    let mut all = All::start();
    let large = vec![b'x'; 17 << 20];
    let why = "TooLarge: request body size exceeds limit 16777216; a message has 16777216 bytes at most";
    assert_eq!(all.grpc(TAP, &[], frame(&large)), format!("8 {why}"));
    // Over HTTP/1.1 it is the server around this router that reads the rest; here nothing is sent after the byte that is
    // one too many.
    let port = all._server.port;
    let ask = |content_type: &str, body: &[u8]| {
        Line::connect(port).ask(TAP, &[("Content-Type", content_type)], &body[..=MOST_BYTES])
    };
    for content_type in [JSON, PROTO] {
        assert_eq!(by_connect(&ask(content_type, &large)), format!("429 resource_exhausted {why}"));
    }
    assert_eq!(by_web(&ask(WEB, &frame(&large))), format!("8 {why}"));
    all.goes_on();
}

#[test]
fn a_deadline_that_is_no_time() {
    let mut all = All::start();
    for given in ["soon", "-1", "1.5", "99999999999"] {
        let why = format!(
            "InvalidRequest: '{given}' in the header 'connect-timeout-ms' is no time; it has milliseconds, with ten \
             digits at most: '5000'"
        );
        let late = [("Connect-Timeout-Ms", given)];
        assert_eq!(all.connect(TAP, JSON, &late, b"{}"), format!("400 invalid_argument {why}"));
        assert_eq!(all.connect(TAP, PROTO, &late, &good()), format!("400 invalid_argument {why}"));
        assert_eq!(all.stream(SHOT, &late, &frame(b"")), format!("invalid_argument {why}"));
    }
    for given in ["soon", "5", "5s", "123456789m"] {
        let why = format!(
            "InvalidRequest: '{given}' in the header 'grpc-timeout' is no time; it has eight digits at most and one of \
             the units H, M, S, m, u and n: '5000m'"
        );
        let late = [("grpc-timeout", given)];
        assert_eq!(all.web(TAP, WEB, &late, &frame(&good())), format!("3 {why}"));
        assert_eq!(all.grpc(TAP, &late, frame(&good())), format!("3 {why}"));
    }
}

#[test]
fn a_deadline_that_passed_says_so_in_every_protocol() {
    let mut all = All::start();
    let block = binary("trailblaze.v1.CallToolRequest", &json!({ "name": "block", "deviceId": "a" }));
    let path = "trailblaze.v1.TrailblazeCommands/CallTool";
    let why = "TimedOut: the call was not done in time; give it a longer deadline, or see what the device waits for";
    let connect = [("Connect-Timeout-Ms", "30")];
    assert_eq!(all.connect(path, PROTO, &connect, &block), format!("504 deadline_exceeded {why}"));
    let grpc = [("grpc-timeout", "30m")];
    assert_eq!(all.web(path, WEB, &grpc, &frame(&block)), format!("4 {why}"));
    assert_eq!(all.grpc(path, &grpc, frame(&block)), format!("4 {why}"));
}
