//! What server and client say to each other besides calls and results.

use std::cell::RefCell;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use trailblaze_engine::server::Server;
use trailblaze_mcp::client::Limits;

use crate::fixture::{PATIENT, Session, call, call_as, lines, open, text, toolset};

#[test]
fn results_pass_through() {
    let connection = open("");
    let mut session = Session::default();
    let image = call(&connection, "image", &json!({}), &mut session).unwrap();
    assert_eq!(image["content"][0], json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" }));
    let echo = call(&connection, "echo", &json!({ "a": [1, "zwölf"] }), &mut session).unwrap();
    assert_eq!(echo["structuredContent"], json!({ "a": [1, "zwölf"] }));
    let failed = call(&connection, "fails", &json!({}), &mut session).unwrap();
    assert_eq!((failed["isError"].as_bool(), text(&failed)), (Some(true), "not today"));
}

#[test]
fn large_messages_in_both_directions() {
    let large = "x".repeat(4 << 20);
    let connection = open("");
    let result = call(&connection, "echo", &json!({ "large": large }), &mut Session::default()).unwrap();
    assert_eq!(result["structuredContent"]["large"].as_str().map(str::len), Some(4 << 20));
    let connection = open("big tools/call");
    let result = call(&connection, "echo", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&result).len(), 8 << 20);
}

#[test]
fn output_schemas_are_checked() {
    let connection = open("");
    connection.list().unwrap();
    let failure = call(&connection, "wrong", &json!({}), &mut Session::default()).unwrap_err();
    insta::assert_snapshot!(failure, @"what 'wrong' answered does not fit its own output schema: 'n' must be a whole number, not 'x'");
}

#[test]
fn a_question_to_a_person_is_a_failure() {
    let connection = open("");
    let failure = call(&connection, "ask", &json!({}), &mut Session::default()).unwrap_err();
    insta::assert_snapshot!(failure, @r"
    the tool of server 'fixture' asks for input of a person, which a test does not have
    hint: take what it asks for as an argument of the tool
    ");
}

#[test]
fn the_server_may_ask_whether_we_are_there_and_nothing_else() {
    let connection = open("");
    let result = call(&connection, "asks", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&result), r#"[["p","ok"],["s",-32601]]"#);
}

#[test]
fn what_it_says_is_logged() {
    let connection = open("");
    call(&connection, "logs", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(lines(connection.take_logs()), ["Warn: careful", r#"Info: {"n":1}"#]);
    let connection = open("unknown-id tools/call");
    call(&connection, "echo", &json!({}), &mut Session::default()).unwrap();
    insta::assert_snapshot!(lines(connection.take_logs()).join("\n"), @r#"
    Warn: an answer to request 4711, which nobody asked, is ignored
    Warn: an answer to request "abc", which nobody asked, is ignored
    "#);
    let connection = open("twice tools/list");
    connection.list().unwrap();
    insta::assert_snapshot!(lines(connection.take_logs()).join("\n"), @"Warn: an answer to request 2, which it answered before, is ignored");
}

#[test]
fn what_is_no_message_is_warned_of_once_and_then_logged() {
    let toolset = toolset("noise tools/call", PATIENT);
    let (connection, other) = (toolset.open().unwrap(), toolset.open().unwrap());
    let mut session = Session::default();
    for connection in [&connection, &connection, &other] {
        call(connection, "echo", &json!({}), &mut session).unwrap();
    }
    insta::assert_snapshot!(session.warnings.join("\n"), @r"
    server 'fixture' wrote to stdout what is no message: listening on port 1
    hint: stdout is for the protocol; write to stderr, in JavaScript with console.error
    ");
    let logged = ["Warn: it wrote to stdout what is no message: listening on port 1"];
    assert_eq!(lines(connection.take_logs()), logged);
    assert_eq!(lines(other.take_logs()), logged);
}

#[test]
fn what_is_no_message_at_the_start_is_warned_of_with_the_first_call() {
    let connection = open("noise tools/list");
    connection.list().unwrap();
    let mut session = Session::default();
    call(&connection, "echo", &json!({}), &mut session).unwrap();
    call(&connection, "echo", &json!({}), &mut session).unwrap();
    assert_eq!(session.warnings.len(), 1, "{:?}", session.warnings);
}

#[test]
fn progress_is_shown_and_gives_time() {
    let limits = Limits { call_ms: 1_000, longest_ms: 10_000, ..PATIENT };
    let connection = toolset("", limits).open().unwrap();
    let shown = RefCell::new(Vec::new());
    let mut session = Session {
        on_progress: Box::new(|line| shown.borrow_mut().push(line.to_owned())),
        ..Session::default()
    };
    let result = call(&connection, "slow", &json!({ "steps": 3, "ms": 500 }), &mut session).unwrap();
    assert_eq!(text(&result), "slow");
    drop(session);
    assert_eq!(shown.into_inner(), ["1/3", "2/3", "3/3"]);
}

#[test]
fn progress_does_not_give_time_for_ever() {
    let limits = Limits { call_ms: 500, longest_ms: 800, close_ms: 100, ..PATIENT };
    let connection = toolset("", limits).open().unwrap();
    let arguments = json!({ "steps": 100, "ms": 50 });
    let failure = call(&connection, "slow", &arguments, &mut Session::default()).unwrap_err();
    insta::assert_snapshot!(failure, @"
    server 'fixture' did not answer 'tools/call' within 0.8 s
    hint: 'limits: { longestCall: SECONDS }' in its entry gives it more time
    ");
}

#[test]
fn an_interrupted_call_is_called_off() {
    let connection = open("");
    let session = Session::default();
    let cancel = session.cancel.clone();
    let mut session = Session { on_progress: Box::new(move |_| cancel.cancel()), ..session };
    let failure = call(&connection, "hold", &json!({}), &mut session).unwrap_err();
    insta::assert_snapshot!(format!("{:?}: {failure}", failure.kind), @"Interrupted: the call of server 'fixture' was interrupted");

    // The server heard of it; its late answer is not worth a word.
    let mut session = Session::default();
    call(&connection, "release", &json!({}), &mut session).unwrap();
    let noted = call(&connection, "noted", &json!({}), &mut session).unwrap();
    assert_eq!(text(&noted), r#"[["notifications/cancelled","interrupted"]]"#);
    assert!(lines(connection.take_logs()).is_empty());
}

#[test]
fn the_time_of_the_run_ends_a_call() {
    let connection = toolset("", Limits { close_ms: 100, ..PATIENT }).open().unwrap();
    let mut session = Session { left_ms: 0, ..Session::default() };
    let began = Instant::now();
    let failure = call(&connection, "hold", &json!({}), &mut session).unwrap_err();
    insta::assert_snapshot!(failure, @"server 'fixture' did not answer 'tools/call' within 0 s");
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn threads_may_share_a_server() {
    let connection = open("");
    let ask = &|thread: usize| {
        for n in 0..20 {
            let sent = json!({ "thread": thread, "n": n });
            let invocation = format!("{thread}-{n}");
            let result = call_as(&connection, &invocation, "echo", &sent, &mut Session::default()).unwrap();
            assert_eq!(result["structuredContent"], sent);
        }
    };
    thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || ask(number));
        }
    });
}
