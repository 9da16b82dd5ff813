//! Old servers, new servers, and those that lose their head when they are asked which they are.

use serde_json::{Value, json};
use trailblaze_engine::server::Server;
use trailblaze_mcp::client::Toolset;

use crate::fixture::{PATIENT, Session, call, open, text, toolset};

#[track_caller]
fn check(behaviour: &str, expected: &str) {
    let connection = open(behaviour);
    assert_eq!(connection.version(), expected, "{behaviour}");
    assert_eq!(connection.list().unwrap().len(), 3, "{behaviour}");
    let registry = connection.registry().unwrap().unwrap();
    assert_eq!(registry, json!({ "tools": { "echo": {} } }), "{behaviour}");
}

#[test]
fn each_is_spoken_with_in_its_own_way() {
    check("--speaks both", "2026-07-28");
    check("--speaks new", "2026-07-28");
    check("--speaks old", "2025-11-25");
    // Refuses `initialize` after the question, and is fine after a new start.
    check("--speaks restart", "2025-11-25");
}

#[test]
fn an_old_server_is_remembered() {
    let heard = |toolset: &Toolset| {
        let connection = toolset.open().unwrap();
        let result = call(&connection, "heard", &json!({}), &mut Session::default()).unwrap();
        text(&result).to_owned()
    };
    let old = toolset("--speaks old", PATIENT);
    assert_eq!(heard(&old), "server/discover initialize tools/call");
    assert_eq!(heard(&old), "initialize tools/call");
    let new = toolset("--speaks new", PATIENT);
    assert_eq!([heard(&new), heard(&new)], ["server/discover tools/call"; 2]);
    // The process that was asked is not the one that is called.
    let restart = toolset("--speaks restart", PATIENT);
    assert_eq!([heard(&restart), heard(&restart)], ["initialize tools/call"; 2]);
}

#[test]
fn every_request_says_who_asks_in_the_new_generation_only() {
    let meta = |behaviour: &str| {
        let connection = open(behaviour);
        let result = call(&connection, "meta", &json!({}), &mut Session::default()).unwrap();
        let mut meta: Value = serde_json::from_str(text(&result)).unwrap();
        // The number of the request.
        meta["progressToken"] = meta["progressToken"].is_u64().into();
        meta.to_string().replace(env!("CARGO_PKG_VERSION"), "[version]")
    };
    insta::assert_snapshot!(meta("--speaks new"), @r#"{"progressToken":true,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"trailblaze","version":"[version]"},"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","trailblazeInvocationId":"invocation"}"#);
    insta::assert_snapshot!(meta("--speaks old"), @r#"{"progressToken":true,"trailblazeInvocationId":"invocation"}"#);
}
