//! Servers that crash, hang, or write what they should not, at every stage. Each is a clear error in bounded time.

use std::time::{Duration, Instant};

use serde_json::json;
use trailblaze_engine::server::Server;
use trailblaze_mcp::client::{Limits, Toolset};
use trailblaze_model::failure::Failure;

use crate::fixture::{PATIENT, Session, call, check_interrupted, open, program, shared, text, toolset};

/// A machine with two busy cores starts a process in this time.
const SLACK: Duration = Duration::from_secs(5);

/// Starts the server, lists its tools and calls one; the first failure of these.
fn session(toolset: &Toolset) -> Result<String, Failure> {
    let connection = toolset.open()?;
    let tools = connection.list()?;
    connection.registry()?;
    let result = call(&connection, "echo", &json!({ "n": 1 }), &mut Session::default())?;
    Ok(format!("{} tools, {}", tools.len(), text(&result)))
}

#[track_caller]
fn check_within(limits: Limits, longest_ms: u64, behaviour: &str, expected: &str) {
    let toolset = toolset(behaviour, limits);
    let began = Instant::now();
    let found = match session(&toolset) {
        Ok(text) => text,
        Err(failure) => format!("{:?}: {failure}", failure.kind),
    };
    let took = began.elapsed();
    assert_eq!(found, expected, "{behaviour}");
    assert!(took < Duration::from_millis(longest_ms) + SLACK, "{behaviour} took {took:?}");
}

#[track_caller]
fn check(behaviour: &str, expected: &str) {
    check_within(PATIENT, 0, behaviour, expected);
}

/// For servers that are waited for until a limit is over.
#[track_caller]
fn check_hanging(limits: Limits, behaviour: &str, expected: &str) {
    let limits = Limits { close_ms: 100, term_ms: 1_000, ..limits };
    check_within(limits, 3_000, behaviour, expected);
}

const FINE: &str = r#"3 tools, {"n":1}"#;

#[test]
fn a_server_that_behaves() {
    check("", FINE);
    check("--speaks old", FINE);
}

#[test]
fn crashes() {
    let hundred = (37..=100).map(|line| format!("\n  line {line}")).collect::<String>();
    let after = |method: &str| {
        format!(
            "Toolset: server 'fixture' exited with code 7 before it answered '{method}'\n\
             its last lines on stderr:{hundred}"
        )
    };
    check(
        "exit-at-once",
        "Toolset: server 'fixture' exited with code 3 before it answered 'initialize'\n\
         its last lines on stderr:\n  boom",
    );
    // Such servers know only the old way; the new question ends them.
    check("crash server/discover", FINE);
    check("--speaks old crash initialize", &after("initialize"));
    check("crash tools/list", &after("tools/list"));
    check("crash resources/read", &after("resources/read"));
    check("crash tools/call", &after("tools/call"));
    check(
        "killed tools/call",
        "Toolset: server 'fixture' was ended by signal 9 before it answered 'tools/call'\n\
         hint: it wrote nothing to stderr",
    );
    check(
        "orphan tools/call",
        "Toolset: server 'fixture' exited with code 7 before it answered 'tools/call'\n\
         hint: it wrote nothing to stderr",
    );
    // It goes on without it, and ignores that its input ends.
    check_hanging(
        PATIENT,
        "close tools/call",
        "Toolset: server 'fixture' closed its stdout before it answered 'tools/call'\n\
         hint: it wrote nothing to stderr",
    );
}

#[test]
fn hangs_at_the_start() {
    let limits = Limits { probe_ms: 200, first_ms: 600, ..PATIENT };
    let nothing = "Toolset: server 'fixture' did not answer 'initialize' within 0.6 s\n\
                   hint: is it an MCP server on stdin and stdout? 'limits: { firstAnswer: SECONDS }' in its entry gives it more time";
    check_hanging(limits, "deaf", nothing);
    check_hanging(limits, "--speaks old hang initialize", nothing);
    let limits = Limits { probe_ms: 500, ..PATIENT };
    check_hanging(limits, "hang server/discover", FINE);
}

#[test]
fn hangs_later() {
    let limits = Limits { first_ms: 2_000, ..PATIENT };
    check_hanging(
        limits,
        "hang tools/list",
        "Toolset: server 'fixture' did not answer 'tools/list' within 2 s\n\
         hint: is it an MCP server on stdin and stdout? 'limits: { firstAnswer: SECONDS }' in its entry gives it more time",
    );
    let limits = Limits { call_ms: 300, ..PATIENT };
    let too_long = "Timeout: server 'fixture' did not answer 'tools/call' within 0.3 s\n\
                    hint: a tool that takes long gets more time by sending progress notifications; 'limits: { call: SECONDS }' in its entry gives it more time";
    check_hanging(limits, "hang tools/call", too_long);
    // Its thread runs for ever; it sees neither the end of its input nor TERM.
    check_hanging(limits, "block tools/call", too_long);
}

#[test]
fn a_server_that_stops_reading() {
    let limits = Limits { call_ms: 500, close_ms: 100, ..PATIENT };
    let connection = toolset("stop-reading resources/read", limits).open().unwrap();
    connection.registry().unwrap();
    let mut session = Session::default();
    let large = json!({ "large": "x".repeat(4 << 20) });
    let failure = call(&connection, "echo", &large, &mut session).unwrap_err();
    insta::assert_snapshot!(failure, @"
    server 'fixture' did not answer 'tools/call' within 0.5 s
    hint: 'limits: { call: SECONDS }' in its entry gives it more time
    ");
    // It has half a message, and would take the next one for the rest of it.
    let failure = call(&connection, "echo", &json!({}), &mut session).unwrap_err();
    insta::assert_snapshot!(failure, @r"
    server 'fixture' stopped reading its stdin before it answered 'tools/call'
    hint: it wrote nothing to stderr
    ");
}

#[test]
fn an_interrupt_is_heard_while_a_call_is_written() {
    let limits = Limits { close_ms: 100, ..PATIENT };
    let connection = toolset("stop-reading resources/read", limits).open().unwrap();
    connection.registry().unwrap();
    check_interrupted(&connection);
}

#[test]
fn garbage() {
    let limits = Limits { first_ms: 2_000, call_ms: 300, probe_ms: 500, ..PATIENT };
    check_hanging(limits, "garbage server/discover", FINE);
    check_hanging(
        limits,
        "garbage tools/call",
        "Timeout: server 'fixture' did not answer 'tools/call' within 0.3 s\n\
         hint: a tool that takes long gets more time by sending progress notifications; 'limits: { call: SECONDS }' in its entry gives it more time",
    );
    check(
        "null tools/call",
        "Exception: server 'fixture' answered 'tools/call' with something else than a result",
    );
    check(
        "list tools/call",
        "Exception: server 'fixture' answered 'tools/call' with something else than a result",
    );
    check(
        "null tools/list",
        "Toolset: server 'fixture' answered 'tools/list' with nonsense: it has no list 'tools'",
    );
    check(
        "--speaks old version initialize",
        "Toolset: server 'fixture' answered 'initialize' with nonsense: it speaks MCP '1999-01-01', which is not known here",
    );
    check(
        "refuse tools/call",
        "Exception: server 'fixture' refused 'tools/call': I would rather not (-32000)",
    );
    check("refuse tools/list", "Toolset: server 'fixture' refused 'tools/list': I would rather not (-32000)");
    check(
        "--speaks old refuse initialize",
        "Toolset: server 'fixture' refused 'initialize': I would rather not (-32000)",
    );
}

#[test]
fn floods() {
    let limits = Limits { call_ms: 500, ..PATIENT };
    let too_long = "Timeout: server 'fixture' did not answer 'tools/call' within 0.5 s\n\
                    hint: a tool that takes long gets more time by sending progress notifications; 'limits: { call: SECONDS }' in its entry gives it more time";
    check_hanging(limits, "flood tools/call", too_long);
    check("flood-stderr tools/call", FINE);
}

#[test]
fn lines_that_are_too_long() {
    let too_long = |method: &str, kind: &str| {
        format!(
            "{kind}: server 'fixture' wrote a line longer than 16 MiB instead of an answer to '{method}'\n\
             hint: save what is large to a file and answer with its path"
        )
    };
    check("long tools/call", &too_long("tools/call", "Exception"));
    check_hanging(PATIENT, "endless tools/call", &too_long("tools/call", "Exception"));
    check("long tools/list", &too_long("tools/list", "Toolset"));

    // The server itself is still good.
    let connection = open("long tools/list");
    connection.list().unwrap_err();
    let result = call(&connection, "echo", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&result), "{}");
}

#[test]
fn odd_but_understandable() {
    check("half tools/call", FINE);
    check("half server/discover", FINE);
    check("noise tools/call", FINE);
    check("noise initialize --speaks old", FINE);
    check("twice tools/call", FINE);
    check("twice tools/list", FINE);
    check("unknown-id tools/call", FINE);
}

#[test]
fn what_cannot_be_started() {
    let start = |change: &dyn Fn(&mut trailblaze_mcp::client::Program)| {
        let mut program = program("");
        change(&mut program);
        let failure = Toolset::new("fixture", program, shared(PATIENT)).open().unwrap_err();
        failure.to_string()
    };
    insta::assert_snapshot!(start(&|program| program.command = "no-such-program".into()), @r"
    server 'fixture' cannot be started with 'no-such-program': there is no such program
    hint: install 'no-such-program', or put the folder that it is in on PATH
    ");
    insta::assert_snapshot!(start(&|program| program.dir = Some("/no/such/folder".into())), @r"
    server 'fixture' cannot be started: '/no/such/folder' is not a folder
    hint: it is the working directory of the server
    ");
    insta::assert_snapshot!(start(&|program| program.command = "/etc/passwd".into()), @r"
    server 'fixture' cannot be started with '/etc/passwd': it must not be executed
    hint: make it executable, or name the program that runs it, with the file in 'args'
    ");
    insta::assert_snapshot!(start(&|program| program.command = "/no/such/program".into()), @r"
    server 'fixture' cannot be started with '/no/such/program': there is no such program
    hint: correct the path of the command
    ");
}
