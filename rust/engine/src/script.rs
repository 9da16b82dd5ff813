//! The seam to a JavaScript engine: implemented in `script`, injected by the program.

use std::sync::Arc;

use serde_json::{Map, Value};
use trailblaze_model::event::Progress;

use crate::device::LogLine;
use crate::host::Cancel;
use crate::server::Call;
use crate::session::Session;

/// What a runtime may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Real time that a call may spend in the script itself, in milliseconds.
    pub call_ms: u64,
    pub heap_bytes: usize,
    /// Stack of the runtime's thread; JavaScript gets a quarter of it.
    pub stack_bytes: usize,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self { call_ms: 30_000, heap_bytes: 64 << 20, stack_bytes: 8 << 20 }
    }
}

/// An ES module: the name that stands in stacks, and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub source: String,
    /// The module compiled by this engine, see [`ScriptEngine::compile`]. One that does not fit is ignored.
    pub compiled: Option<Vec<u8>>,
}

impl Module {
    pub fn new(name: impl Into<String>, source: impl Into<String>) -> Self {
        Self { name: name.into(), source: source.into(), compiled: None }
    }
}

/// Why a call into a script failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// The script threw; the runtime is still good.
    Threw { message: String, stack: Option<String> },
    /// The time was up; the runtime is gone.
    Timeout { limit_ms: u64, stack: Option<String> },
    /// The time was up and the script did not stop; the runtime is gone, and its thread was given up.
    Stuck { limit_ms: u64 },
    /// The memory was used up; the runtime is gone.
    OutOfMemory { limit_bytes: usize },
    /// The module does not compile or load.
    Load { message: String, stack: Option<String> },
    /// The caller could not go on waiting; the runtime is gone.
    Stopped { message: String },
    /// The run was cancelled while the script ran; the runtime is gone.
    Cancelled,
    /// The runtime was thrown away after an earlier failure.
    Gone,
}

impl ScriptError {
    /// Whether the runtime must be made anew.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Threw { .. })
    }
}

/// What a running script can reach of the session that called it. It is asked on the thread of the caller.
pub trait World {
    /// Runs a tool call for the script. The answer is a value of its own, also when the call fails.
    fn call(&mut self, name: &str, args: Map<String, Value>) -> Value;

    /// The same for somebody who may stop waiting for it.
    fn call_for(&mut self, _wanted_by: &Cancel, name: &str, args: Map<String, Value>) -> Value {
        self.call(name, args)
    }

    /// Remembers a text for the rest of the session.
    fn remember(&mut self, _name: &str, _text: &str) {}

    /// Milliseconds on the clock of the run.
    fn now_ms(&self) -> u64;

    /// The date at which that clock showed 0, in milliseconds since 1970.
    fn began_ms(&self) -> u64 {
        0
    }

    /// Waits on the clock of the run. An error ends the script's call with that message.
    fn sleep_until(&mut self, at_ms: u64) -> Result<(), String>;

    /// Sends a web request for the script. The request and the answer are JSON.
    fn fetch(&mut self, _request: &Value) -> Result<Value, String> {
        Err("this script may not use the network".to_owned())
    }

    /// Shows how far a call has come that takes long.
    fn progress(&mut self, _progress: Progress) {}

    /// Says something that a person should know of whoever runs the call, and that does not fail it.
    fn warn(&mut self, _message: String, _hint: &str) {}

    /// How long the call may still take, in milliseconds on the clock of the run.
    fn left_ms(&self) -> u64 {
        u64::MAX
    }

    /// The session itself, where there is one.
    fn session(&self) -> Option<&Session> {
        None
    }

    /// Stops the script between two of its instructions.
    fn cancel(&self) -> Cancel {
        Cancel::default()
    }
}

/// No session at all: time stands still, and there are no tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl World for Nowhere {
    fn call(&mut self, name: &str, _args: Map<String, Value>) -> Value {
        let message = format!("'{name}' cannot be called from here");
        serde_json::json!({ "success": false, "textContent": "", "errorMessage": message })
    }

    fn now_ms(&self) -> u64 {
        0
    }

    fn sleep_until(&mut self, _at_ms: u64) -> Result<(), String> {
        Err("a timer was set, and here time stands still".to_owned())
    }
}

/// Makes runtimes.
pub trait ScriptEngine: Send + Sync {
    /// Starts a runtime of its own, loads `modules` (the last one is the main one; others can be imported by
    /// their name) and returns it. Exports of the main module can be called.
    fn start(
        &self,
        modules: Vec<Module>,
        limits: ScriptLimits,
    ) -> Result<Box<dyn ScriptRuntime>, ScriptError>;

    /// The module in the engine's own form, which loads faster. Only what this engine made itself may be
    /// given back to it.
    fn compile(&self, module: &Module) -> Result<Vec<u8>, ScriptError>;

    /// Whether compiled bytes are of this module, and made by this engine.
    fn accepts(&self, module: &Module, compiled: &[u8]) -> bool;
}

/// A JSON-RPC message to a script. It answers with the same id.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    Notification {
        method: &'a str,
    },
    Request {
        id: u64,
        method: &'a str,
        params: &'a Value,
    },
    /// The request `tools/call`.
    Call {
        id: u64,
        call: &'a Arc<Call>,
    },
}

/// A loaded module in a runtime of its own. A tool that a script calls may call into the same runtime again.
pub trait ScriptRuntime: Send + Sync {
    /// Calls an exported function of the main module with JSON values; awaits a promise.
    fn call_in(&self, function: &str, args: Vec<Value>, world: &mut dyn World) -> Result<Value, ScriptError>;

    /// Gives the script a message and waits for its answer, unless the message wants none.
    fn exchange(&self, message: Message<'_>, world: &mut dyn World) -> Result<Option<Value>, ScriptError>;

    fn call(&self, function: &str, args: Vec<Value>) -> Result<Value, ScriptError> {
        self.call_in(function, args, &mut Nowhere)
    }

    /// Lines that the script wrote to its console since the last time, also those before a failure.
    fn take_logs(&self) -> Vec<LogLine> {
        Vec::new()
    }
}
