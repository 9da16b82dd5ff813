//! Servers behind URLs that are not there, or answer what they should not. Each is a clear error in bounded time.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;
use trailblaze_engine::server::Server;
use trailblaze_mcp::client::{Limits, Toolset};
use trailblaze_model::failure::Failure;

use crate::fixture::{PATIENT, Session, call, check_interrupted, text};
use crate::http_fixture::{Web, toolset};

/// What a machine with two busy cores may need besides.
const SLACK: Duration = Duration::from_secs(4);
const FINE: &str = r#"2 tools, {"n":1}"#;

fn session(toolset: &Toolset) -> Result<String, Failure> {
    let connection = toolset.open()?;
    let tools = connection.list()?;
    connection.registry()?;
    let result = call(&connection, "echo", &json!({ "n": 1 }), &mut Session::default())?;
    Ok(format!("{} tools, {}", tools.len(), text(&result)))
}

#[track_caller]
fn check_at(url: &str, limits: Limits, longest_ms: u64, expected: &str) {
    let began = Instant::now();
    let found = match session(&toolset(url, limits)) {
        Ok(text) => text,
        Err(failure) => format!("{:?}: {failure}", failure.kind),
    };
    let took = began.elapsed();
    assert_eq!(found, expected.replace("at URL:", &format!("at {url}:")));
    assert!(took < Duration::from_millis(longest_ms) + SLACK, "it took {took:?}");
}

#[track_caller]
fn check(behaviour: &str, expected: &str) {
    check_at(&Web::start(behaviour).url, PATIENT, 0, expected);
}

#[track_caller]
fn check_hanging(behaviour: &str, limits: Limits, expected: &str) {
    check_at(&Web::start(behaviour).url, limits, 2_000, expected);
}

#[test]
fn a_server_that_behaves() {
    check("", FINE);
    check("--speaks old --answers sse", FINE);
}

#[test]
fn nobody_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let hint = "hint: start the server first, or correct the 'url:' of the toolset";
    check_at(
        &format!("http://127.0.0.1:{port}/mcp"),
        PATIENT,
        0,
        &format!(
            "Toolset: 'server/discover' of server 'fixture' failed at URL: nothing listens there\n{hint}"
        ),
    );
    check_at(
        "http://no-such-host.invalid/mcp",
        PATIENT,
        5_000,
        &format!(
            "Toolset: 'server/discover' of server 'fixture' failed at URL: no host is known as 'no-such-host.invalid'\n{hint}"
        ),
    );
}

#[test]
fn no_mcp_there() {
    let lost = |why: &str| {
        format!(
            "Toolset: 'initialize' of server 'fixture' failed at URL: {why}\nhint: is there an MCP server at this URL?"
        )
    };
    check("ssh", &lost("what answers there does not speak HTTP/1.1"));
    let limits = Limits { probe_ms: 300, first_ms: 500, ..PATIENT };
    let silent = "Toolset: server 'fixture' did not answer 'initialize' within 0.5 s\n\
                  hint: is there an MCP server at this URL? 'limits: { firstAnswer: SECONDS }' in its entry gives it more time";
    check_hanging("mute", limits, silent);
    check_hanging("deaf", limits, silent);
    let server = Web::start("");
    check_at(
        &server.url.replace("http:", "https:"),
        PATIENT,
        0,
        "Toolset: 'server/discover' of server 'fixture' failed at URL: no connection by TLS: \
         received corrupt message of type InvalidContentType\n\
         hint: does it speak TLS? a server on this machine usually has 'http://'",
    );
}

#[test]
fn a_certificate_that_nobody_knows() {
    check_at(
        &Web::start("--tls").url,
        PATIENT,
        0,
        "Toolset: 'server/discover' of server 'fixture' failed at URL: no connection by TLS: \
         invalid peer certificate: UnknownIssuer\n\
         hint: it needs a certificate from a public authority; on this machine 'http://' will do",
    );
}

fn of_call(why: &str, kind: &str, hint: &str) -> String {
    format!("{kind}: 'tools/call' of server 'fixture' failed at URL: {why}\nhint: {hint}")
}

#[test]
fn statuses() {
    let status = |status: u16, why: &str, hint: &str| {
        let call = of_call(&format!("HTTP {status} {why}, no, thank you"), "Exception", hint);
        check(&format!("{status} tools/call"), &call);
    };
    let path = "is the path of the URL right? MCP servers often have theirs at '/mcp'";
    let who = "the server wants to know who asks, and Trailblaze has no OAuth";
    status(401, "Unauthorized", who);
    status(403, "Forbidden", who);
    status(404, "Not Found", path);
    status(405, "Method Not Allowed", path);
    status(500, "Internal Server Error", "see what the server logged");
    status(503, "Service Unavailable", "see what the server logged");
    check(
        "--speaks old 404 initialize",
        &of_call("HTTP 404 Not Found, no, thank you", "Toolset", path).replace("tools/call", "initialize"),
    );
    check(
        "redirect tools/call",
        &of_call(
            "it sends callers elsewhere (HTTP 307)",
            "Exception",
            "the 'url:' of the toolset should be 'http://127.0.0.1:9/other'",
        ),
    );
    check("refuse tools/call", "Exception: server 'fixture' refused 'tools/call': not so (-32000)");
    check("nameless tools/call", "Exception: server 'fixture' refused 'tools/call': who are you (-32000)");
    // An old server that does not know the first question.
    check("nameless server/discover", FINE);
    check("500 server/discover", FINE);
}

#[test]
fn no_answers() {
    let url = "is there an MCP server at this URL?";
    let check_call = |behaviour: &str, why: &str, kind: &str, hint: &str| {
        check(&format!("{behaviour} tools/call"), &of_call(why, kind, hint));
    };
    let html = "it answers with 'text/html', not with JSON or an event stream";
    check_call("html", html, "Exception", url);
    check_call("empty", "its answer is empty", "Exception", url);
    check_call("accepted", "it answers without content (HTTP 202)", "Exception", url);
    let no_answer = "what it answered is no answer to the request";
    check_call("other", no_answer, "Exception", url);
    check_call("no-json", no_answer, "Exception", url);
    check_call("wrong-id", no_answer, "Exception", url);
}

#[test]
fn connections_that_are_closed() {
    let check_call = |behaviour: &str, why: &str, hint: &str| {
        check(&format!("{behaviour} tools/call"), &of_call(why, "Toolset", hint));
    };
    let ended = "did the server end? see what it logged";
    let before = "the connection was closed before there was an answer";
    let middle = "the connection was closed in the middle of the answer";
    check_call("close", before, ended);
    check_call("crash", before, ended);
    check_call("cut", middle, ended);
    check_call("cut-stream", middle, ended);
    check_call("no-answer", "its event stream ended without an answer", ended);
    check_call("resume", "its event stream ended without an answer", ended);
}

#[test]
fn answers_that_never_end() {
    let limits = Limits { call_ms: 500, ..PATIENT };
    let too_long = "Timeout: server 'fixture' did not answer 'tools/call' within 0.5 s\n\
                    hint: a tool that takes long gets more time by sending progress notifications; 'limits: { call: SECONDS }' in its entry gives it more time";
    for behaviour in ["hang", "trickle", "comments", "notes", "--speaks old resume-never"] {
        check_hanging(&format!("{behaviour} tools/call"), limits, too_long);
    }
    let large = of_call(
        "its answer is longer than 16 MiB",
        "Exception",
        "save what is large to a file and answer with its path",
    );
    check("endless tools/call", &large);
    check("endless-event tools/call", &large);
}

#[test]
fn odd_but_understandable() {
    check("bytes tools/call", FINE);
    check("bytes tools/list", FINE);
    check("noise tools/call", FINE);
    let server = Web::start("noise tools/call");
    let connection = server.open();
    let mut session = Session::default();
    call(&connection, "echo", &json!({}), &mut session).unwrap();
    insta::assert_snapshot!(session.warnings.join("\n"), @r"
    server 'fixture' answered with what is no message: not JSON
    hint: an MCP server answers with JSON-RPC and nothing else
    ");
}

#[test]
fn an_interrupt_is_heard_while_a_call_is_sent() {
    for way in ["--speaks new", "--speaks old"] {
        let server = Web::start(&format!("{way} stop-reading resources/read"));
        let connection = server.open();
        connection.registry().unwrap();
        check_interrupted(&connection);
    }
}

#[test]
fn the_server_is_still_good_after_a_failure() {
    let server = Web::start("endless tools/list");
    let connection = server.open();
    connection.list().unwrap_err();
    let result = call(&connection, "echo", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&result), "{}");
}
