//! The same port speaks Connect, gRPC and gRPC-Web, binary and JSON, and explains itself.

use serde_json::{Value, json};

use crate::fake::Server;
use crate::http::{binary, frame, frames, grpc, post, post_json, unbinary};
use crate::line::Line;

const TAP: &str = "trailblaze.v1.TrailblazeCommands/Tap";

fn tap() -> Vec<u8> {
    binary("trailblaze.v1.TapRequest", &json!({ "text": "Sign in", "deviceId": "a" }))
}

const SAID: &str = r#"a: tap {"text":"Sign in"}"#;

#[test]
fn connect_in_json_as_curl_sends_it() {
    let server = Server::start();
    let answer = post_json(server.port, "TrailblazeCommands/Tap", r#"{"text":"Sign in","deviceId":"a"}"#);
    assert_eq!((answer.status, answer.content_type.as_str()), (200, "application/json"));
    assert_eq!(answer.json(), json!({ "success": true, "message": SAID }));
    // Names as in the file are fine, too, and false is said.
    let answer = post_json(server.port, "TrailblazeCommands/IsVisible", r#"{"text":"x","device_id":"a"}"#);
    assert_eq!(answer.json(), json!({ "value": false }));
}

#[test]
fn answers_are_not_packed_for_those_who_would_unpack_them() {
    let server = Server::start();
    let headers = [("Content-Type", "application/json"), ("Accept-Encoding", "gzip")];
    let path = "trailblaze.v1.TrailblazeCommands/CallTool";
    let answer = Line::connect(server.port).ask(path, &headers, br#"{"name": "long", "deviceId": "a"}"#);
    assert_eq!(answer.json()["message"].as_str().map(str::len), Some(64 << 10));
}

#[test]
fn connect_in_binary() {
    let server = Server::start();
    let answer = post(server.port, TAP, &[("Content-Type", "application/proto")], &tap());
    assert_eq!((answer.status, answer.content_type.as_str()), (200, "application/proto"));
    assert_eq!(unbinary("trailblaze.v1.ActionResult", &answer.body)["message"], SAID);
}

#[test]
fn grpc_over_cleartext_http_2() {
    let server = Server::start();
    let answer = grpc(server.port, TAP, &[], frame(&tap()));
    assert!(answer.status().starts_with("0 "), "{}", answer.status());
    assert_eq!(unbinary("trailblaze.v1.ActionResult", &answer.messages[0])["message"], SAID);
    let unknown = binary("trailblaze.v1.TapRequest", &json!({ "invocationId": "inv-9" }));
    let answer = grpc(server.port, TAP, &[], frame(&unknown));
    assert_eq!(
        answer.status(),
        "3 Unknown invocation ID: inv-9. The tool call may have completed or timed out."
    );
    assert!(answer.end.contains_key("grpc-status-details-bin"));
    assert!(
        grpc(server.port, "trailblaze.v1.TrailblazeCommands/Fly", &[], frame(b""))
            .status()
            .starts_with("12 ")
    );
    assert!(grpc(server.port, TAP, &[], frame(b"\xff\xff")).status().starts_with("3 "));
}

#[test]
fn grpc_web_over_http_1() {
    let server = Server::start();
    let headers = [("Content-Type", "application/grpc-web+proto")];
    let answer = post(server.port, TAP, &headers, &frame(&tap()));
    assert_eq!(answer.status, 200);
    let frames = frames(&answer.body);
    assert_eq!(unbinary("trailblaze.v1.ActionResult", &frames[0].1)["message"], SAID);
    let (flags, end) = &frames[1];
    assert_eq!(*flags, 0x80);
    assert!(String::from_utf8_lossy(end).contains("grpc-status: 0"));
}

#[test]
fn a_screenshot_streams_over_grpc() {
    let server = Server::start();
    let request = binary("trailblaze.v1.TakeScreenshotRequest", &json!({ "deviceId": "a" }));
    let answer = grpc(server.port, "trailblaze.v1.TrailblazeCommands/TakeScreenshot", &[], frame(&request));
    assert_eq!(answer.messages.len(), 1);
    assert!(answer.status().starts_with("0 "), "{}", answer.status());
}

#[test]
fn the_server_is_healthy() {
    let server = Server::start();
    let check = |service: &str| {
        let body = json!({ "service": service }).to_string();
        let headers = [("Content-Type", "application/json")];
        post(server.port, "grpc.health.v1.Health/Check", &headers, body.as_bytes())
    };
    assert_eq!(check("").json(), json!({ "status": "SERVING" }));
    assert_eq!(check("trailblaze.v1.TrailblazeCommands").json(), json!({ "status": "SERVING" }));
    let none = check("acme.Shop");
    assert_eq!(none.code(), "404 not_found");
    assert_eq!(none.json()["details"][0]["debug"]["hint"], "reflection lists the services");
}

#[test]
fn reflection_names_the_services_and_their_files() {
    let server = Server::start();
    for version in ["v1", "v1alpha"] {
        let package = format!("grpc.reflection.{version}");
        let ask = |question: Value| {
            let request = binary(&format!("{package}.ServerReflectionRequest"), &question);
            let path = format!("{package}.ServerReflection/ServerReflectionInfo");
            let answer = grpc(server.port, &path, &[], frame(&request));
            unbinary(&format!("{package}.ServerReflectionResponse"), &answer.messages[0])
        };
        let listed = ask(json!({ "listServices": "" }));
        let names = listed["listServicesResponse"]["service"].as_array().cloned().unwrap_or_default();
        let names: Vec<&str> = names.iter().filter_map(|service| service["name"].as_str()).collect();
        assert_eq!(
            names,
            [
                "trailblaze.v1.TrailblazeCommands",
                "trailblaze.v1.MaestroCommands",
                "trailblaze.v1.PlaywrightCommands",
                "trailblaze.v1.DesktopCommands",
                "trailblaze.v1.TrailblazeRegistry",
                "grpc.health.v1.Health",
                "grpc.reflection.v1.ServerReflection",
                "grpc.reflection.v1alpha.ServerReflection",
            ]
        );
        let files = ask(json!({ "fileContainingSymbol": "trailblaze.v1.TrailblazeCommands.Tap" }));
        let files = files["fileDescriptorResponse"]["fileDescriptorProto"].as_array().map(Vec::len);
        assert_eq!(files, Some(2), "the file and the one that it imports");
        let missing = ask(json!({ "fileContainingSymbol": "no.Such" }));
        assert_eq!(missing["errorResponse"]["errorCode"], 5);
    }
}
