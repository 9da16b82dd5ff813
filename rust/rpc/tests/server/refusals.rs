//! Calls that are refused: whom they mean, who may call, and what cannot be read.

use std::time::Duration;

use serde_json::{Value, json};
use trailblaze_engine::memory::Secret;
use trailblaze_rpc::client::Client;
use trailblaze_rpc::{Options, Routing};

use crate::fake::Server;
use crate::http::{Grpc, binary, post, post_json};

/// Less than what the rest of a request may take over HTTP/1.1.
const SOON: Duration = Duration::from_secs(4);

fn routed(device: &str, session: &str, invocation: &str) -> Routing {
    Routing {
        device_id: device.to_owned(),
        session_id: session.to_owned(),
        invocation_id: invocation.to_owned(),
    }
}

/// Which device a tap with this routing reaches, or why none.
#[track_caller]
fn check(routing: Routing, expected: &str) {
    let server = Server::start();
    for client in [Client::new(&server.url()), Client::new(&server.url()).json()] {
        let result = client.routing(routing.clone()).call("TrailblazeCommands/Tap", json!({ "text": "x" }));
        let said = match result {
            Ok(result) => result["message"].as_str().unwrap_or_default().to_owned(),
            Err(error) => {
                let failure = error.failure.clone().unwrap_or_default();
                let code = failure["code"].as_i64().map(|code| format!(" {code}")).unwrap_or_default();
                format!("{} {}{code}: {}", error.code, failure["kind"].as_str().unwrap_or("-"), error.message)
            }
        };
        assert_eq!(said, expected);
    }
}

#[test]
fn the_invocation_says_which_device_is_meant() {
    check(routed("", "", "inv-1"), r#"a: tap {"text":"x"}"#);
    check(routed("", "s-2", "inv-2"), r#"b: tap {"text":"x"}"#);
    check(routed("b", "", ""), r#"b: tap {"text":"x"}"#);
    check(
        routed("", "", "inv-xyz"),
        "invalid_argument UnknownInvocation -32602: Unknown invocation ID: inv-xyz. The tool call may have \
         completed or timed out.",
    );
    check(
        routed("", "s-1", "inv-2"),
        "invalid_argument WrongSession -32602: the invocation 'inv-2' does not belong to the session 's-1'",
    );
    check(
        routed("", "", ""),
        "invalid_argument InvocationRequired: an invocation id is required: there are 2 devices and 3 tool calls \
         under way, and the request does not say which is meant",
    );
    check(routed("c", "", ""), "not_found UnknownDevice: there is no device 'c'");
}

#[track_caller]
fn refused(method: &str, request: Value, code: &str, kind: &str) -> Value {
    let server = Server::start();
    let error = server.client().call(method, request).expect_err("it is refused");
    let failure = error.failure.expect("a detail");
    assert_eq!((error.code.as_str(), failure["kind"].as_str()), (code, Some(kind)));
    failure
}

#[test]
fn every_refusal_has_its_status() {
    let tool = |name: &str| json!({ "name": name });
    let call = "TrailblazeCommands/CallTool";
    let failure = refused(call, tool("over"), "failed_precondition", "InvocationOver");
    assert_eq!(failure["hint"], "ask before the tool call answers");
    let failure = refused(call, tool("late"), "deadline_exceeded", "TimedOut");
    assert_eq!(failure["hint"], "give it a longer deadline, or see what the device waits for");
    let failure = refused(call, tool("big"), "resource_exhausted", "TooLarge");
    assert_eq!(failure["hint"], "ask for less");
    let foreign = json!({ "name": "x", "invocationId": "inv-2", "sessionId": "s-1" });
    let failure = refused(call, foreign, "invalid_argument", "WrongSession");
    assert_eq!(failure["hint"], "leave session_id out, or pass on that of the tool call");
    refused(call, tool("panic"), "internal", "Internal");
    refused(call, json!({}), "invalid_argument", "MissingRequiredArgs");
    refused("TrailblazeCommands/IsVisible", json!({}), "invalid_argument", "MissingRequiredArgs");
    let failure =
        refused("PlaywrightCommands/Navigate", json!({ "url": "x" }), "unimplemented", "UnsupportedGroup");
    assert_eq!(failure["hint"], "they are for browsers");
}

#[test]
fn the_longest_deadline_is_one_that_can_be_told() {
    let server = Server::start();
    let client = server.client().timeout(Duration::MAX);
    client.call("TrailblazeCommands/Tap", json!({})).expect("it is a time");
}

#[test]
fn a_refusal_over_http_2_does_not_wait_for_the_rest_of_the_request() {
    let server = Server::start();
    let status = Grpc::connect(server.port).unended("trailblaze.v1.TrailblazeCommands/Fly", SOON);
    assert_eq!(status.as_deref(), Some("12"));
}

#[test]
fn a_panic_fails_its_own_call_only() {
    let server = Server::start();
    let client = server.client();
    let error =
        client.call("TrailblazeCommands/CallTool", json!({ "name": "panic" })).expect_err("it panics");
    assert_eq!(error.message, "a bug in Trailblaze: the call panicked");
    client.call("TrailblazeCommands/Tap", json!({})).expect("the server is still there");
}

#[test]
fn a_token_is_asked_for() {
    let options = Options { token: Some(Secret::new("t0ken")), ..Options::default() };
    let server = Server::with(options);
    let tap = |client: Client| client.call("TrailblazeCommands/Tap", json!({})).map_err(|error| error.code);
    let refused = Err("unauthenticated".to_owned());
    assert_eq!(tap(server.client()), refused);
    for wrong in ["t0ke", "t0kenn", "T0ken", ""] {
        assert_eq!(tap(server.client().token(Secret::new(wrong))), refused);
    }
    assert!(tap(server.client().token(Secret::new("t0ken"))).is_ok());
    let error = server.client().screenshot().expect_err("streams ask, too");
    assert_eq!(error.code, "unauthenticated");
    let basic = [("Content-Type", "application/json"), ("Authorization", "Basic t0ken")];
    assert_eq!(post(server.port, "trailblaze.v1.TrailblazeCommands/Tap", &basic, b"{}").status, 401);
    let health = [("Content-Type", "application/json")];
    assert_eq!(post(server.port, "grpc.health.v1.Health/Check", &health, b"{}").status, 401);
}

#[test]
fn what_cannot_be_read_has_the_right_status() {
    let server = Server::start();
    let tap = "trailblaze.v1.TrailblazeCommands/Tap";
    let json = |body: &str| post_json(server.port, "TrailblazeCommands/Tap", body).code();
    assert_eq!(json("{"), "400 invalid_argument");
    assert_eq!(json("[]"), "400 invalid_argument");
    assert_eq!(json(r#"{"txt": "x"}"#), "400 invalid_argument");
    assert_eq!(json(r#"{"index": "x"}"#), "400 invalid_argument");
    assert_eq!(json(r#"{"index": 4294967296}"#), "400 invalid_argument");
    let proto = |body: &[u8]| post(server.port, tap, &[("Content-Type", "application/proto")], body).code();
    assert_eq!(proto(b"\xff\xff\xff"), "400 invalid_argument");
    assert_eq!(proto(b"\x0a\x05ab"), "400 invalid_argument");
    assert_eq!(proto(b"\x0a\x02\xc3\x28"), "400 invalid_argument");
    let text = [("Content-Type", "application/json")];
    assert_eq!(post(server.port, tap, &text, b"{\"text\": \"\xc3\x28\"}").code(), "400 invalid_argument");
    let other = post(server.port, tap, &[("Content-Type", "text/plain")], b"hello");
    assert_eq!(other.status, 415);
    assert_eq!(post_json(server.port, "TrailblazeCommands/Fly", "{}").code(), "404 unimplemented");
    assert_eq!(post_json(server.port, "FlightCommands/Fly", "{}").status, 404);
}

#[test]
fn an_address_that_is_no_method_is_explained() {
    let server = Server::start();
    let mut said = String::new();
    for path in ["ListDevices", "Tap", "", "trailblaze.v1.TrailblazeCommands", "a/b/c"] {
        let answer = post(server.port, path, &[("Content-Type", "application/json")], b"{}");
        assert_eq!(answer.code(), "404 unimplemented", "{path}");
        let failure = &answer.json()["details"][0]["debug"];
        said +=
            &format!("{} ({})\n", failure["message"].as_str().unwrap(), failure["hint"].as_str().unwrap());
    }
    insta::assert_snapshot!(said, @"
    there is no method 'ListDevices' (did you mean 'trailblaze.v1.TrailblazeCommands/ListDevices'?)
    there is no method 'Tap' (did you mean 'trailblaze.v1.TrailblazeCommands/Tap'?)
    the address names no method (it is 'trailblaze.v1.SERVICE/METHOD', as in proto/trailblaze/v1)
    there is no method 'trailblaze.v1.TrailblazeCommands' (it is 'trailblaze.v1.SERVICE/METHOD', as in proto/trailblaze/v1)
    there is no method 'a/b/c' (reflection and proto/trailblaze/v1 have all methods)
    ");
}

#[test]
fn messages_have_a_limit() {
    let server = Server::start();
    let text = |bytes: usize| {
        binary("trailblaze.v1.GetElementCountRequest", &json!({ "text": "x".repeat(bytes), "deviceId": "a" }))
    };
    let send = |body: &[u8]| {
        let path = "trailblaze.v1.TrailblazeCommands/GetElementCount";
        post(server.port, path, &[("Content-Type", "application/proto")], body).code()
    };
    assert_eq!(send(&text(15 << 20)), "200 -");
    assert_eq!(send(&text(16 << 20)), "429 resource_exhausted");
}

#[test]
fn a_mistake_in_json_is_explained() {
    let server = Server::start();
    let mut said = String::new();
    for (method, body) in [
        ("Tap", r#"{"txt": "x"}"#),
        ("Tap", r#"{"text": "x", "colour": "red"}"#),
        ("Tap", r#"{"text": 5}"#),
        ("Tap", r#"{"text": "x", "index": "first"}"#),
        ("Tap", r#"{"text": "x", "index": 4294967296}"#),
        ("Tap", "[1]"),
        ("Tap", r#"{"text": "x""#),
    ] {
        let answer = post_json(server.port, &format!("TrailblazeCommands/{method}"), body);
        assert_eq!(answer.code(), "400 invalid_argument", "{body}");
        let failure = &answer.json()["details"][0]["debug"];
        let text = |key: &str| failure[key].as_str().unwrap_or_default().to_owned();
        said += &format!("{body}\n  {}\n", text("message"));
        said += &Some(text("hint"))
            .filter(|hint| !hint.is_empty())
            .map_or_else(String::new, |hint| format!("  {hint}\n"));
    }
    insta::assert_snapshot!(said, @r#"
    {"txt": "x"}
      this is no trailblaze.v1.TapRequest: there is no field 'txt'
      did you mean 'text'?
    {"text": "x", "colour": "red"}
      this is no trailblaze.v1.TapRequest: there is no field 'colour'
      it has text, id, index, deviceId, sessionId, invocationId, x, y, longPress and ref
    {"text": 5}
      this is no trailblaze.v1.TapRequest: 'text' must be a text, not 5
    {"text": "x", "index": "first"}
      this is no trailblaze.v1.TapRequest: 'index' must be a whole number of 32 bits, not 'first'
    {"text": "x", "index": 4294967296}
      this is no trailblaze.v1.TapRequest: 'index' must be a whole number of 32 bits, not 4294967296
    [1]
      this is no trailblaze.v1.TapRequest: the message must be an object, not a list
    {"text": "x"
      this is no trailblaze.v1.TapRequest: EOF while parsing an object at line 1 column 12
    "#);
}
