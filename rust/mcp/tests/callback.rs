//! The callback endpoint over a real connection, with the guard in front of it.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use trailblaze_engine::dispatch::Output;
use trailblaze_engine::script::World;
use trailblaze_engine::server::answer::of_call;
use trailblaze_mcp::callback;
use trailblaze_mcp::client::calls::Calls;
use trailblaze_mcp::server::guard::guarded;

/// A session whose tools say what they were called with.
struct Echo;

impl World for Echo {
    fn call(&mut self, name: &str, args: Map<String, Value>) -> Value {
        of_call(&Ok(Output::message(format!("{name} {}", Value::Object(args)))))
    }

    fn now_ms(&self) -> u64 {
        0
    }

    fn sleep_until(&mut self, _at_ms: u64) -> Result<(), String> {
        Ok(())
    }
}

struct Server {
    port: u16,
    calls: Arc<Calls>,
}

impl Server {
    fn start(calls: Calls) -> Self {
        let calls = Arc::new(calls);
        let router = callback::router(calls.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            runtime.block_on(async move { axum::serve(listener, guarded(router, port)).await })
        });
        Self { port, calls }
    }

    /// Sends a request with these headers after the usual ones; gives the status and the body.
    fn send(&self, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut head = format!("POST {} HTTP/1.1\r\nConnection: close\r\n", callback::PATH);
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        if !headers.iter().any(|(name, _)| *name == "Transfer-Encoding") {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that refuses what it has not read yet closes the connection.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0), body.to_owned())
    }

    fn call(&self, session: &str, invocation: &str) -> String {
        let (status, body) =
            self.send(&[("Content-Type", "application/json")], &request(session, invocation));
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Lets a call be under way while something is done.
    fn during<T>(&self, session: &str, invocation: &str, then: impl FnOnce() -> T) -> T {
        let live = self.calls.begin(session, "sim", invocation).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    live.serve(&mut Echo);
                    thread::sleep(Duration::from_millis(1));
                }
            });
            let result = then();
            done.store(true, Ordering::Release);
            result
        })
    }
}

fn request(session: &str, invocation: &str) -> Vec<u8> {
    let action = json!({ "type": "call_tool", "tool_name": "tap", "arguments_json": "{\"text\":\"Login\"}" });
    let request =
        json!({ "version": 1, "session_id": session, "invocation_id": invocation, "action": action });
    request.to_string().into_bytes()
}

#[test]
fn a_tool_calls_back_while_its_call_is_under_way() {
    let server = Server::start(Calls::default());
    let answer = server.during("s", "i", || server.call("s", "i"));
    insta::assert_snapshot!(answer, @r#"{"result":{"type":"call_tool_result","success":true,"textContent":"tap {\"text\":\"Login\"}","errorMessage":"","text_content":"tap {\"text\":\"Login\"}","error_message":""}}"#);
    // A client that does not know its invocation may leave it empty while there is only one.
    assert_eq!(server.during("s", "i", || server.call("s", "")), answer);
}

#[test]
fn what_is_not_under_way_is_refused() {
    let server = Server::start(Calls::default());
    insta::assert_snapshot!(server.call("s", "i"), @r#"{"result":{"type":"error","message":"no call with this invocation id is under way; an id holds as long as its call"}}"#);
    server.during("s", "i", || {
        insta::assert_snapshot!(server.call("other", "i"), @r#"{"result":{"type":"error","message":"this invocation id belongs to another session"}}"#);
        insta::assert_snapshot!(server.call("s", "j"), @r#"{"result":{"type":"error","message":"no call with this invocation id is under way; an id holds as long as its call"}}"#);
    });
    insta::assert_snapshot!(server.call("s", "i"), @r#"{"result":{"type":"error","message":"no call with this invocation id is under way; an id holds as long as its call"}}"#);
}

#[test]
fn a_session_that_does_not_answer_is_not_waited_for_without_end() {
    let server = Server::start(Calls::with_limit(Duration::from_millis(100)));
    let _live = server.calls.begin("s", "sim", "i").unwrap();
    let start = Instant::now();
    insta::assert_snapshot!(server.call("s", "i"), @r#"{"result":{"type":"error","message":"the call was not done in time"}}"#);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn many_call_back_at_a_time() {
    let server = Server::start(Calls::default());
    server.during("s", "i", || {
        thread::scope(|scope| {
            let all: Vec<_> = (0..32).map(|_| scope.spawn(|| server.call("s", "i"))).collect();
            for one in all {
                assert!(one.join().unwrap().contains("\"success\":true"));
            }
        });
    });
}

#[test]
fn only_programs_of_this_machine_get_in() {
    let server = Server::start(Calls::default());
    let own = format!("localhost:{}", server.port);
    let body = request("s", "i");
    let status = |headers: &[(&str, &str)]| server.send(headers, &body).0;
    assert_eq!(status(&[("Host", &own)]), 200);
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Host", &format!("evil.example:{}", server.port))]), 403);
    assert_eq!(status(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    assert_eq!(status(&[("Origin", "http://localhost:3000")]), 403);
    assert_eq!(status(&[("Host", &own), ("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Sec-Fetch-Site", "cross-site")]), 403);
    assert_eq!(status(&[("Content-Type", "text/plain")]), 200, "bun and node say what they like");
}

#[test]
fn what_is_too_large_or_no_json_is_said_so() {
    let server = Server::start(Calls::default());
    let (status, body) = server.send(&[], b"{");
    assert_eq!(status, 200);
    insta::assert_snapshot!(body, @r#"{"result":{"type":"error","message":"the request is no valid JSON: EOF while parsing an object at line 1 column 1"}}"#);
    let (status, body) = server.send(&[], b"\xff\xfe");
    assert_eq!(status, 200);
    insta::assert_snapshot!(body, @r#"{"result":{"type":"error","message":"the request is no valid JSON: expected value at line 1 column 1"}}"#);
    let (status, body) = server.send(&[("Content-Length", "999999999999")], b"");
    assert!(status == 413 || status == 400 || status == 0, "{status} {body}");
    let large = vec![b' '; (16 << 20) + 1];
    let (status, body) = server.send(&[], &large);
    assert!(status == 413 || status == 0, "{status} {body}");
    // The server goes on.
    assert_eq!(server.send(&[], b"{}").0, 200);
}
