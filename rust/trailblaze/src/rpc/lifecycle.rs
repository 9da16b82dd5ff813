//! How long an invocation id holds, over the whole server: not before its tool call, not after it, not for another
//! session or device, and not when it is guessed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Map, Value, json};
use trailblaze_engine::dispatch::Output;
use trailblaze_engine::script::World;
use trailblaze_engine::server::answer::of_call;
use trailblaze_mcp::client::unguessable;
use trailblaze_rpc::client::Client;
use trailblaze_rpc::{Options, Routing};

use super::Switchboard;
use crate::loopback::{Loopback, Port};

/// A session that says what it was asked for.
struct Echo;

impl World for Echo {
    fn call(&mut self, name: &str, _args: Map<String, Value>) -> Value {
        of_call(&Ok(Output::message(name)))
    }

    fn now_ms(&self) -> u64 {
        0
    }

    fn sleep_until(&mut self, _at_ms: u64) -> Result<(), String> {
        Ok(())
    }
}

struct Lab {
    switchboard: Arc<Switchboard>,
    server: Loopback,
}

impl Lab {
    fn start() -> Self {
        let switchboard = Arc::new(Switchboard::for_devices(2, vec!["a".into(), "b".into()]));
        let router = trailblaze_rpc::router(switchboard.clone(), Options::default());
        Self { switchboard, server: Loopback::start(router, Port::Any).expect("starts") }
    }

    /// What a call with this routing is told.
    fn ask(&self, device: &str, session: &str, invocation: &str) -> String {
        let (device_id, session_id) = (device.to_owned(), session.to_owned());
        let routing = Routing { device_id, session_id, invocation_id: invocation.to_owned() };
        let client = Client::new(&self.server.base_url()).routing(routing);
        match client.call("TrailblazeCommands/HideKeyboard", json!({})) {
            Ok(answer) => answer["message"].as_str().unwrap_or_default().to_owned(),
            Err(error) => {
                let failure = error.failure.unwrap_or_default();
                format!("{} {} {}", error.code, failure["kind"].as_str().unwrap_or("-"), failure["code"])
            }
        }
    }

    /// While a tool call of the session is under way on the device.
    fn during<T>(&self, device: &str, session: &str, invocation: &str, then: impl FnOnce() -> T) -> T {
        let live = self.switchboard.calls().begin(session, device, invocation).expect("it begins");
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    live.serve(&mut Echo);
                    thread::yield_now();
                }
            });
            let _end = End(&is_over);
            then()
        })
    }
}

/// Sets the flag, also where a test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

const UNKNOWN: &str = "invalid_argument UnknownInvocation -32602";

#[test]
fn an_id_holds_from_the_beginning_of_its_call_to_its_end() {
    let lab = Lab::start();
    let id = unguessable().expect("a name");
    // It will hold, and does not yet: nothing is kept for it.
    assert_eq!(lab.ask("", "s", &id), UNKNOWN);
    lab.during("a", "s", &id, || assert_eq!(lab.ask("", "s", &id), "hideKeyboard"));
    assert_eq!(lab.ask("", "s", &id), UNKNOWN);
    assert_eq!(lab.ask("", "", &id), UNKNOWN);
}

#[test]
fn an_id_that_comes_too_early_is_not_answered_later() {
    let lab = Lab::start();
    let (first, second) = (unguessable().expect("a name"), unguessable().expect("a name"));
    lab.during("a", "s", &first, || {
        // Another call of the same session and device is under way, and is not taken for it.
        assert_eq!(lab.ask("a", "s", &second), UNKNOWN);
        lab.during("a", "s", &second, || assert_eq!(lab.ask("a", "s", &second), "hideKeyboard"));
        assert_eq!(lab.ask("a", "s", &second), UNKNOWN);
        assert_eq!(lab.ask("a", "s", &first), "hideKeyboard");
    });
}

#[test]
fn an_id_holds_for_its_session_and_its_device() {
    let lab = Lab::start();
    let (one, other) = (unguessable().expect("a name"), unguessable().expect("a name"));
    lab.during("a", "s-1", &one, || {
        lab.during("b", "s-2", &other, || {
            assert_eq!(lab.ask("", "s-2", &one), "invalid_argument WrongSession -32602");
            assert_eq!(lab.ask("", "s-1", &other), "invalid_argument WrongSession -32602");
            assert_eq!(lab.ask("b", "", &one), "invalid_argument InvalidRequest null");
            assert_eq!(lab.ask("b", "s-2", &other), "hideKeyboard");
            assert_eq!(lab.ask("", "", ""), "invalid_argument InvocationRequired null");
        });
    });
}

#[test]
fn an_id_cannot_be_guessed() {
    let lab = Lab::start();
    let id = unguessable().expect("a name");
    lab.during("a", "s", &id, || {
        let last = if id.ends_with('0') { "1" } else { "0" };
        for guess in ["inv-1", "0", "*", " ", &id[..31], &format!("{}{last}", &id[..31]), &id.to_uppercase()]
        {
            // Without a letter, capitals are the same.
            if guess != id {
                assert_eq!(lab.ask("", "s", guess), UNKNOWN, "{guess}");
            }
        }
    });
}
