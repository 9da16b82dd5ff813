//! Toolset servers that are reached over HTTP, of both generations.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use trailblaze_engine::server::Server;
use trailblaze_mcp::client::{Address, Limits, Toolset};

use crate::fixture::{PATIENT, Session, call, call_as, lines, shared, text};
use crate::http_fixture::Web;

const WAYS: [&str; 4] = [
    "--speaks new --answers json",
    "--speaks new --answers sse",
    "--speaks old --answers json",
    "--speaks old --answers sse",
];

#[track_caller]
fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn each_is_spoken_with_in_its_own_way() {
    for way in WAYS {
        let server = Web::start(way);
        let connection = server.open();
        let expected = if way.contains("new") { "2026-07-28" } else { "2025-11-25" };
        assert_eq!(connection.version(), expected, "{way}");
        assert_eq!(names(&connection.list().unwrap()), ["echo", "headers"], "{way}");
        let registry = connection.registry().unwrap().unwrap();
        assert_eq!(registry, json!({ "tools": { "echo": {} } }), "{way}");
        let sent = json!({ "a": [1, "zwölf"] });
        let result = call(&connection, "echo", &sent, &mut Session::default()).unwrap();
        assert_eq!(result["structuredContent"], sent, "{way}");
    }
    assert_eq!(Web::start("--speaks both").open().version(), "2026-07-28");
}

#[test]
fn large_messages_in_both_directions() {
    for way in ["--answers json", "--answers sse"] {
        let server = Web::start(way);
        let connection = server.open();
        let large = json!({ "large": "x".repeat(4 << 20) });
        let result = call(&connection, "echo", &large, &mut Session::default()).unwrap();
        assert_eq!(result["structuredContent"], large, "{way}");
        let result = call(&connection, "big", &json!({}), &mut Session::default()).unwrap();
        assert_eq!(text(&result).len(), 8 << 20, "{way}");
    }
}

#[test]
fn with_tls() {
    for way in ["--tls --answers json", "--tls --answers sse", "--tls --speaks old"] {
        let server = Web::start(way);
        let address = Address::parse(&server.url).unwrap();
        let address = address.trusting(include_bytes!("../servers/localhost.pem")).unwrap();
        let connection = Toolset::http("fixture", address, shared(PATIENT)).open().unwrap();
        connection.list().unwrap();
        for size in [1, 1 << 10, 4 << 20] {
            let sent = json!({ "text": "x".repeat(size) });
            let result = call(&connection, "echo", &sent, &mut Session::default()).unwrap();
            assert_eq!(result["structuredContent"], sent, "{way}");
        }
    }
}

#[test]
fn what_stands_in_a_message_is_said_in_front_of_it() {
    let headers = |way: &str, arguments: Value| -> Value {
        let server = Web::start(way);
        let address = Address::parse(&server.url).unwrap().with_header("X-Key", "k").unwrap();
        let connection = Toolset::http("fixture", address, shared(PATIENT)).open().unwrap();
        connection.list().unwrap();
        let result = call(&connection, "headers", &arguments, &mut Session::default()).unwrap();
        let mut headers: Value = serde_json::from_str(text(&result)).unwrap();
        for changing in ["host", "content-length", "mcp-session-id", "user-agent"] {
            let value = headers[changing].take();
            headers[changing] = json!(if value.is_null() { "none" } else { "some" });
        }
        headers
    };
    let usual = json!({
        "host": "some", "content-length": "some", "user-agent": "some", "content-type": "application/json",
        "accept": "application/json, text/event-stream", "x-key": "k",
    });
    let with = |more: Value| {
        let mut all = usual.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    assert_eq!(
        headers("--speaks new", json!({ "region": "zwölf" })),
        with(json!({
            "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "headers",
            "mcp-param-region": "=?base64?enfDtmxm?=", "mcp-session-id": "none",
        })),
    );
    assert_eq!(
        headers("--speaks old", json!({ "region": "eu" })),
        with(json!({ "mcp-protocol-version": "2025-11-25", "mcp-session-id": "some" })),
    );
}

#[test]
fn a_tool_that_cannot_be_called_is_left_out_with_a_word() {
    let server = Web::start("");
    let connection = server.open();
    connection.list().unwrap();
    insta::assert_snapshot!(lines(connection.take_logs()).join("\n"), @"Warn: its tool 'broken' is left out: the 'x-mcp-header' of 'region' is not the name of a header");
}

#[test]
fn a_session_of_the_older_generation_is_ended() {
    let server = Web::start("--speaks old");
    drop(server.open());
    assert_eq!(server.state()["deleted"], 1);
    let server = Web::start("--speaks new");
    drop(server.open());
    assert_eq!(server.state()["deleted"], 0);
}

#[test]
fn connections_are_used_again() {
    for way in WAYS {
        let server = Web::start(way);
        let connection = server.open();
        for n in 0..20 {
            call(&connection, "echo", &json!({ "n": n }), &mut Session::default()).unwrap();
        }
        let result = call(&connection, "state", &json!({}), &mut Session::default()).unwrap();
        let state: Value = serde_json::from_str(text(&result)).unwrap();
        // The end of a stream may come later than the next call.
        assert!(state["connections"].as_u64().unwrap() <= 5, "{way}: {state}");
    }
}

#[test]
fn thirty_two_calls_at_once_do_not_wait_for_each_other() {
    for way in WAYS {
        let server = Web::start(way);
        let connection = server.open();
        let quick = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (holding, is_held) = mpsc::channel();
            let (connection, quick) = (&connection, &quick);
            let slow = scope.spawn(move || {
                let on_progress = move |_: &str| holding.send(()).unwrap();
                let mut session = Session { on_progress: Box::new(on_progress), ..Session::default() };
                let result = call_as(connection, "slow", "hold", &json!({}), &mut session);
                (text(&result.unwrap()).to_owned(), quick.load(Ordering::SeqCst))
            });
            is_held.recv().unwrap();
            // None of these is answered before all of them are there.
            let threads: Vec<_> = (0..31)
                .map(|n| {
                    scope.spawn(move || {
                        let arguments = json!({ "count": 31 });
                        let name = n.to_string();
                        call_as(connection, &name, "together", &arguments, &mut Session::default()).unwrap();
                        quick.fetch_add(1, Ordering::SeqCst);
                    })
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
            call_as(connection, "release", "release", &json!({}), &mut Session::default()).unwrap();
            assert_eq!(slow.join().unwrap(), ("held".to_owned(), 31), "{way}");
        });
    }
}

#[test]
fn calls_nest_while_their_tools_call_back() {
    for way in ["--speaks new", "--speaks old"] {
        let server = Web::start(way);
        let shared = shared(PATIENT);
        let calls = shared.calls.clone();
        let toolset = Toolset::http("fixture", Address::parse(&server.url).unwrap(), shared);
        let connection = toolset.open().unwrap();
        let on_progress = |_: &str| {
            let calls = calls.clone();
            thread::spawn(move || calls.ask("session", "outer", "release", Map::new()));
        };
        let on_call =
            |name: &str, _| call_as(&connection, "inner", name, &json!({}), &mut Session::default()).unwrap();
        let mut session =
            Session { on_call: Box::new(on_call), on_progress: Box::new(on_progress), ..Session::default() };
        let result = call_as(&connection, "outer", "hold", &json!({}), &mut session).unwrap();
        assert_eq!(text(&result), "held", "{way}");
    }
}

#[test]
fn progress_is_shown_and_gives_time() {
    for way in ["--speaks new", "--speaks old"] {
        let server = Web::start(way);
        let limits = Limits { call_ms: 1_000, longest_ms: 10_000, ..PATIENT };
        let connection = server.toolset(limits).open().unwrap();
        let shown = RefCell::new(Vec::new());
        let mut session = Session {
            on_progress: Box::new(|line| shown.borrow_mut().push(line.to_owned())),
            ..Session::default()
        };
        let result = call(&connection, "slow", &json!({ "steps": 3, "ms": 500 }), &mut session).unwrap();
        assert_eq!(text(&result), "slow", "{way}");
        drop(session);
        assert_eq!(shown.into_inner(), ["1/3", "2/3", "3/3"], "{way}");
    }
}

#[test]
fn an_interrupted_call_is_called_off() {
    let noted = |way: &str| {
        let server = Web::start(way);
        let connection = server.open();
        let session = Session::default();
        let cancel = session.cancel.clone();
        let mut session = Session { on_progress: Box::new(move |_| cancel.cancel()), ..session };
        let failure = call(&connection, "hold", &json!({}), &mut session).unwrap_err();
        assert_eq!(failure.message, "the call of server 'fixture' was interrupted");
        // The server sees the end of the connection a moment later.
        let until = Instant::now() + Duration::from_secs(5);
        let mut state = server.state();
        while state["closed"] != json!(["hold"]) && Instant::now() < until {
            state = server.state();
        }
        assert_eq!(state["closed"], json!(["hold"]), "{way}");
        let mut noted = state["noted"].as_array().unwrap().clone();
        noted.retain(|note| note[0] != "notifications/initialized");
        noted
    };
    assert_eq!(noted("--speaks new"), [json!(null); 0]);
    assert_eq!(noted("--speaks old"), [json!(["notifications/cancelled", "interrupted"])]);
}

#[test]
fn the_server_may_ask_whether_we_are_there_and_nothing_else() {
    let server = Web::start("--speaks old");
    let connection = server.open();
    let result = call(&connection, "asks", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&result), r#"[["p","ok"],["s",-32601]]"#);
}

#[test]
fn a_question_to_a_person_is_declined() {
    let server = Web::start("--speaks new");
    let connection = server.open();
    let result = call(&connection, "ask", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&result), r#"[{"confirm":{"action":"decline"}},"state"]"#);
}

#[test]
fn a_stream_that_ended_early_is_opened_again() {
    for behaviour in ["resume", "resume-cut"] {
        let server = Web::start(&format!("--speaks old {behaviour} tools/call"));
        let connection = server.open();
        let began = Instant::now();
        let result = call(&connection, "echo", &json!({ "n": 1 }), &mut Session::default()).unwrap();
        assert_eq!(text(&result), r#"{"n":1}"#, "{behaviour}");
        assert!(began.elapsed() >= Duration::from_millis(100), "{behaviour}");
        let result = call(&connection, "state", &json!({}), &mut Session::default()).unwrap();
        let state: Value = serde_json::from_str(text(&result)).unwrap();
        assert_eq!(state["resumed"], json!(["first"]), "{behaviour}");
    }
}

#[test]
fn a_thousand_calls_leave_nothing_open() {
    let server = Web::start("--answers sse");
    let connection = server.open();
    let open_files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let round = || {
        call(&connection, "echo", &json!({}), &mut Session::default()).unwrap();
    };
    round();
    let before = open_files();
    for _ in 0..1_000 {
        round();
    }
    let after = open_files();
    assert!(after <= before + 2, "{before} files were open, now {after}");
}
