//! The server of the tests, and the session that calls it.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::World;
use trailblaze_mcp::client::calls::Calls;
use trailblaze_mcp::client::{Connection, Limits, Program, Sending, Shared, Toolset};
use trailblaze_model::event::Progress;
use trailblaze_model::failure::{Failure, FailureKind};

/// Long enough for a busy machine wherever a test does not wait for the end of a limit.
pub(crate) const PATIENT: Limits = Limits {
    probe_ms: 10_000,
    first_ms: 10_000,
    call_ms: 10_000,
    longest_ms: 20_000,
    close_ms: 5_000,
    term_ms: 2_000,
};

/// The server, with words that say what is strange about it.
pub(crate) fn program(behaviour: &str) -> Program {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/server.mjs");
    let args = behaviour.split_whitespace().map(Into::into);
    let args = std::iter::once(server.into_os_string()).chain(args).collect();
    Program { command: "node".into(), args, ..Program::default() }
}

pub(crate) fn shared(limits: Limits) -> Shared {
    Shared { limits, ..Shared::default() }
}

pub(crate) fn toolset(behaviour: &str, limits: Limits) -> Toolset {
    Toolset::new("fixture", program(behaviour), shared(limits))
}

pub(crate) fn open(behaviour: &str) -> Connection {
    toolset(behaviour, PATIENT).open().unwrap()
}

pub(crate) fn call(
    connection: &Connection,
    tool: &str,
    arguments: &Value,
    world: &mut dyn World,
) -> Result<Value, Failure> {
    call_as(connection, "invocation", tool, arguments, world)
}

pub(crate) fn call_as(
    connection: &Connection,
    invocation: &str,
    tool: &str,
    arguments: &Value,
    world: &mut dyn World,
) -> Result<Value, Failure> {
    let params = |meta: &str| {
        format!(
            r#"{{"name":"{tool}","arguments":{arguments},"_meta":{{{meta}"trailblazeInvocationId":"{invocation}"}}}}"#
        )
    };
    connection.send(&Sending { tool, session: "session", invocation, params: &params }, world)
}

/// Calls a server that reads no more, with more than fits between it and us, until another thread interrupts it.
#[track_caller]
pub(crate) fn check_interrupted(connection: &Connection) {
    let mut session = Session::default();
    let cancel = session.cancel.clone();
    let interrupted = thread::spawn(move || {
        // By then the way is full.
        thread::sleep(Duration::from_millis(300));
        cancel.cancel();
        Instant::now()
    });
    let large = json!({ "large": "x".repeat(12 << 20) });
    let failure = call(connection, "echo", &large, &mut session).unwrap_err();
    let took = interrupted.join().unwrap().elapsed();
    assert_eq!(failure.kind, FailureKind::Interrupted, "{failure}");
    assert!(took < Duration::from_secs(2), "it took {took:?}");
}

/// The first text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

pub(crate) fn lines(logs: Vec<LogLine>) -> Vec<String> {
    logs.into_iter().map(|LogLine { level, message }| format!("{level:?}: {message}")).collect()
}

type OnCall<'a> = Box<dyn FnMut(&str, Map<String, Value>) -> Value + 'a>;
type OnProgress<'a> = Box<dyn FnMut(&str) + 'a>;

/// A session in which nothing happens but what the test says.
pub(crate) struct Session<'a> {
    pub(crate) on_call: OnCall<'a>,
    pub(crate) on_progress: OnProgress<'a>,
    pub(crate) cancel: Cancel,
    pub(crate) left_ms: u64,
    pub(crate) warnings: Vec<String>,
}

impl Default for Session<'_> {
    fn default() -> Self {
        Self {
            on_call: Box::new(|name, _| json!({ "success": false, "errorMessage": format!("no {name}") })),
            on_progress: Box::new(|_| {}),
            cancel: Cancel::default(),
            left_ms: u64::MAX,
            warnings: Vec::new(),
        }
    }
}

impl World for Session<'_> {
    fn call(&mut self, name: &str, args: Map<String, Value>) -> Value {
        (self.on_call)(name, args)
    }

    fn now_ms(&self) -> u64 {
        0
    }

    fn sleep_until(&mut self, _at_ms: u64) -> Result<(), String> {
        Ok(())
    }

    fn progress(&mut self, progress: Progress) {
        (self.on_progress)(&progress.to_string());
    }

    fn warn(&mut self, message: String, hint: &str) {
        self.warnings.push(format!("{message}\nhint: {hint}"));
    }

    fn left_ms(&self) -> u64 {
        self.left_ms
    }

    fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

/// The calls of a connection that the test asks for things.
pub(crate) fn with_calls(behaviour: &str) -> (Connection, Arc<Calls>) {
    let shared = shared(PATIENT);
    let calls = shared.calls.clone();
    (Toolset::new("fixture", program(behaviour), shared).open().unwrap(), calls)
}
