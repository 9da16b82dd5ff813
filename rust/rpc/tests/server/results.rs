//! What methods return.

use serde_json::{Value, json};
use trailblaze_rpc::Routing;
use trailblaze_rpc::client::Client;

use crate::fake::Server;

/// The same in binary and in JSON.
#[track_caller]
fn check(method: &str, request: Value, expected: Value) {
    let server = Server::start();
    for client in [server.client(), server.client().json()] {
        assert_eq!(client.call(method, request.clone()), Ok(expected.clone()));
    }
}

#[test]
fn a_command_runs_its_tool_with_its_arguments() {
    let said = |text: &str| json!({ "success": true, "message": text });
    check("TrailblazeCommands/Tap", json!({ "text": "Sign in" }), said(r#"a: tap {"text":"Sign in"}"#));
    check(
        "TrailblazeCommands/Tap",
        json!({ "x": 0, "y": -7, "longPress": false, "ref": "e1" }),
        said(r#"a: tap {"x":0,"y":-7,"longPress":false,"ref":"e1"}"#),
    );
    check("TrailblazeCommands/InputText", json!({ "text": "" }), said(r#"a: inputText {"text":""}"#));
    check("TrailblazeCommands/InputText", json!({}), said("a: inputText {}"));
    check("MaestroCommands/Swipe", json!({ "direction": "UP" }), said(r#"a: swipe {"direction":"UP"}"#));
    check("MaestroCommands/Pinch", json!({ "scale": 0.1 }), said(r#"a: pinch {"scale":0.1}"#));
    check("MaestroCommands/PressBack", json!({}), said("a: pressBack {}"));
    check(
        "MaestroCommands/AdbShell",
        json!({ "command": "ls" }),
        json!({ "success": true, "output": r#"a: adbShell {"command":"ls"}"# }),
    );
}

#[test]
fn the_id_of_an_app_is_what_the_tool_calls_it() {
    check(
        "TrailblazeCommands/LaunchApp",
        json!({ "packageId": "com.acme", "launchMode": "RESUME" }),
        json!({ "success": true, "message": r#"a: launchApp {"launchMode":"RESUME","appId":"com.acme"}"# }),
    );
    let failure = json!({ "kind": "MissingRequiredArgs", "message": "'stopApp' needs 'packageId'" });
    check(
        "TrailblazeCommands/StopApp",
        json!({}),
        json!({ "success": false, "failure": failure, "message": "" }),
    );
}

#[test]
fn queries_return_their_value() {
    check("TrailblazeCommands/IsVisible", json!({ "text": "Sign in" }), json!({ "value": true }));
    check("TrailblazeCommands/GetElementText", json!({ "id": "title" }), json!({ "value": "title" }));
    check("TrailblazeCommands/GetElementText", json!({ "id": "other" }), json!({}));
    check("TrailblazeCommands/GetElementCount", json!({ "text": "x" }), json!({ "value": 3 }));
    let nodes = json!([
        { "text": "Sign in", "bounds": { "top": 10, "right": 100, "bottom": 30 } }, { "id": "logo" },
    ]);
    check(
        "TrailblazeCommands/CaptureScreen",
        json!({}),
        json!({ "width": 1080, "height": 2400, "nodes": nodes, "text": "Sign in" }),
    );
}

#[test]
fn an_assertion_that_is_not_met_is_a_result_with_what_comes_nearest() {
    let failure = json!({
        "kind": "AssertionFailed", "message": "'Sing in' is not visible",
        "hint": "did you mean 'Sign in'?", "candidates": ["Sign in", "Sign up"],
    });
    let server = Server::start();
    let result = server.client().call("TrailblazeCommands/AssertVisible", json!({ "text": "Sing in" }));
    assert_eq!(result, Ok(json!({ "success": false, "message": "", "failure": failure })));
}

#[test]
fn any_tool_is_called_by_its_name() {
    check(
        "TrailblazeCommands/CallTool",
        json!({ "name": "acme_login", "arguments": { "deep": { "half": 0.5, "on": true }, "tries": 3 } }),
        json!({ "success": true, "message": r#"a: acme_login {"deep":{"half":0.5,"on":true},"tries":3}"# }),
    );
    check(
        "TrailblazeCommands/CallTool",
        json!({ "name": "getElementCount" }),
        json!({ "success": true, "message": "", "structuredContent": { "value": 3 } }),
    );
}

#[test]
fn memory_devices_and_the_registry_are_read() {
    let server = Server::start();
    let client = server.client();
    let call = |method: &str, request: Value| client.call(method, request).expect("it answers");
    assert_eq!(call("TrailblazeCommands/GetMemory", json!({ "key": "name" })), json!({}));
    assert_eq!(call("TrailblazeCommands/SetMemory", json!({ "key": "name", "value": "" })), json!({}));
    assert_eq!(call("TrailblazeCommands/GetMemory", json!({ "key": "name" })), json!({ "value": "" }));
    assert_eq!(call("TrailblazeCommands/ListMemory", json!({})), json!({ "entries": { "name": "" } }));
    let devices = call("TrailblazeCommands/ListDevices", json!({}));
    assert_eq!(devices["devices"][1]["id"], "b");
    assert_eq!(devices["devices"][1]["groups"], json!(["maestro"]));
    let registry = call("TrailblazeRegistry/GetRegistry", json!({}));
    assert_eq!(registry["tools"]["tap"]["isRecordable"], true);
    let status = call("DesktopCommands/GetDesktopStatus", json!({}));
    assert_eq!(status, json!({ "available": false, "reason": "no version drives desktop apps yet" }));
}

#[test]
fn a_screenshot_comes_in_pieces() {
    let server = Server::start();
    let picture: Vec<u8> = (0..10_000u32).flat_map(u32::to_be_bytes).collect();
    for client in [server.client(), server.client().json()] {
        assert_eq!(client.screenshot().as_ref(), Ok(&picture));
        let pieces = client.stream("TrailblazeCommands/TakeScreenshot", json!({ "pieceBytes": 1024 }));
        let pieces = pieces.expect("it streams");
        assert_eq!(pieces.len(), 40);
        assert!(
            pieces.iter().all(|piece| piece["totalBytes"] == 40_000 && piece["mediaType"] == "image/png")
        );
        let error = client.stream("TrailblazeCommands/TakeScreenshot", json!({ "pieceBytes": 5 }));
        assert_eq!(error.expect_err("too small").code, "invalid_argument");
    }
    let other =
        Client::new(&server.url()).routing(Routing { device_id: "b".to_owned(), ..Routing::default() });
    let error = other.screenshot().expect_err("it is gone");
    assert_eq!((error.code.as_str(), error.message.as_str()), ("unavailable", "the device is gone"));
    assert_eq!(error.failure.expect("a detail")["hint"], "plug it in");
}
