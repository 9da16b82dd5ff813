//! What tools ask for while they run.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};
use trailblaze_mcp::client::calls::{Calls, Refusal};

use crate::fixture::{Session, call_as, text, with_calls};

fn ask(calls: &Calls, session: &str, invocation: &str) -> Result<Value, Refusal> {
    calls.ask(session, invocation, "tool", Map::new())
}

#[test]
fn who_may_ask() {
    let calls = Arc::new(Calls::with_limit(Duration::from_millis(10)));
    assert_eq!(ask(&calls, "s", "a"), Err(Refusal::Unknown));
    assert_eq!(ask(&calls, "s", ""), Err(Refusal::Ambiguous));
    let a = calls.begin("s", "sim", "a").unwrap();
    assert_eq!(ask(&calls, "t", "a"), Err(Refusal::WrongSession));
    assert_eq!(ask(&calls, "t", ""), Err(Refusal::Ambiguous));
    // Found, but nobody serves it.
    assert_eq!(ask(&calls, "s", "a"), Err(Refusal::TimedOut));
    assert_eq!(ask(&calls, "s", ""), Err(Refusal::TimedOut));
    let b = calls.begin("s", "sim", "b").unwrap();
    assert_eq!(ask(&calls, "s", ""), Err(Refusal::Ambiguous));
    drop(a);
    assert_eq!(ask(&calls, "s", "a"), Err(Refusal::Unknown));
    assert_eq!(ask(&calls, "s", ""), Err(Refusal::TimedOut));
    drop(b);
    assert_eq!(calls.live(), 0);
}

#[test]
fn a_wish_is_served_or_over_with_its_call() {
    let calls = Arc::new(Calls::default());
    let live = calls.begin("s", "sim", "a").unwrap();
    let asking = |number: i32| {
        let calls = calls.clone();
        let args = Map::from_iter([("n".to_owned(), number.into())]);
        let asked = thread::spawn(move || calls.ask("s", "a", "add", args));
        // Until it waits.
        thread::sleep(Duration::from_millis(50));
        asked
    };
    let first = asking(1);
    let mut session = Session { on_call: Box::new(|name, args| json!([name, args])), ..Session::default() };
    assert!(live.serve(&mut session));
    assert!(!live.serve(&mut session));
    assert_eq!(first.join().unwrap(), Ok(json!(["add", { "n": 1 }])));
    let second = asking(2);
    drop(live);
    assert_eq!(second.join().unwrap(), Err(Refusal::Over));
}

/// While `hold` waits, it asks for `release`, another tool of the same server. That one makes the server answer
/// `hold` first.
#[test]
fn calls_nest_and_are_answered_in_any_order() {
    let (connection, calls) = with_calls("");
    let (answered, answers) = mpsc::channel();
    let on_progress = |_: &str| {
        let (calls, answered) = (calls.clone(), answered.clone());
        thread::spawn(move || answered.send(calls.ask("session", "outer", "release", Map::new())));
    };
    let on_call = |name: &str, args: Map<String, Value>| {
        assert_eq!(calls.live(), 1);
        let args = Value::Object(args);
        let result = call_as(&connection, "inner", name, &args, &mut Session::default()).unwrap();
        json!({ "success": true, "textContent": text(&result) })
    };
    let mut session =
        Session { on_call: Box::new(on_call), on_progress: Box::new(on_progress), ..Session::default() };
    let result = call_as(&connection, "outer", "hold", &json!({}), &mut session).unwrap();
    assert_eq!(text(&result), "held");
    let answer = answers.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(answer, Ok(json!({ "success": true, "textContent": "released" })));
    assert_eq!(calls.live(), 0);
    assert_eq!(calls.ask("session", "outer", "release", Map::new()), Err(Refusal::Unknown));
}

#[test]
fn a_thousand_calls_leave_nothing_open() {
    let (connection, calls) = with_calls("");
    let open_files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let seen = RefCell::new(0);
    let round = || {
        let on_progress = |_: &str| {
            let calls = calls.clone();
            thread::spawn(move || calls.ask("session", "", "release", Map::new()));
        };
        let on_call = |name: &str, _| {
            *seen.borrow_mut() += 1;
            call_as(&connection, "inner", name, &json!({}), &mut Session::default()).unwrap()
        };
        let mut session =
            Session { on_call: Box::new(on_call), on_progress: Box::new(on_progress), ..Session::default() };
        call_as(&connection, "outer", "hold", &json!({}), &mut session).unwrap();
    };
    round();
    let before = open_files();
    for _ in 0..1_000 {
        round();
    }
    // Some pipes are kept for calls that overlap.
    let after = open_files();
    assert!(after <= before + 8, "{before} files were open, now {after}");
    assert_eq!(*seen.borrow(), 1_001);
}
