//! Deadlines and callers who go away reach the tool, and the number of calls has a limit.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::json;
use trailblaze_rpc::Options;

use crate::fake::{Server, Word};
use crate::http::{frame, grpc};

const BLOCK: &str = r#"{"name": "block", "deviceId": "a"}"#;

/// Begins a call and waits until its tool runs.
fn begin(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    let request = format!(
        "POST /trailblaze.v1.TrailblazeCommands/CallTool HTTP/1.1\r\nHost: localhost\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{BLOCK}",
        BLOCK.len()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    assert_eq!(server.word(), Word::Began);
    stream
}

#[test]
fn a_caller_who_goes_away_stops_the_tool() {
    let server = Server::start();
    drop(begin(&server));
    assert_eq!(server.word(), Word::Cancelled { deadline: false });
}

#[test]
fn a_deadline_reaches_the_tool() {
    let server = Server::start();
    let client = server.client().timeout(Duration::from_millis(50));
    let error =
        client.call("TrailblazeCommands/CallTool", json!({ "name": "block" })).expect_err("it is late");
    assert_eq!(error.code, "deadline_exceeded");
    assert_eq!(server.word(), Word::Began);
    assert_eq!(server.word(), Word::Cancelled { deadline: true });
}

#[test]
fn a_deadline_of_grpc_reaches_the_tool() {
    let server = Server::start();
    let request =
        crate::http::binary("trailblaze.v1.CallToolRequest", &json!({ "name": "block", "deviceId": "a" }));
    let path = "trailblaze.v1.TrailblazeCommands/CallTool";
    let answer = grpc(server.port, path, &[("grpc-timeout", "50m")], frame(&request));
    assert!(answer.status().starts_with("4 "), "{}", answer.status());
    assert_eq!(server.word(), Word::Began);
    assert_eq!(server.word(), Word::Cancelled { deadline: true });
}

#[test]
fn one_call_too_many_is_refused_and_room_comes_back() {
    let server = Server::with(Options { most_calls: 2, ..Options::default() });
    let client = server.client();
    let tap = || client.call("TrailblazeCommands/Tap", json!({})).map_err(|error| error.code);
    let (first, second) = (begin(&server), begin(&server));
    assert_eq!(tap(), Err("resource_exhausted".to_owned()));
    drop(first);
    assert_eq!(server.word(), Word::Cancelled { deadline: false });
    // The tool has said its last word, but its thread may not have ended yet.
    while tap().is_err() {
        thread::yield_now();
    }
    drop(second);
    assert_eq!(server.word(), Word::Cancelled { deadline: false });
}

#[test]
fn a_call_that_ends_is_not_cancelled() {
    let server = Server::start();
    let client = server.client();
    for _ in 0..20 {
        client.call("TrailblazeCommands/Tap", json!({})).expect("it answers");
    }
    assert!(server.words.try_recv().is_err());
}
