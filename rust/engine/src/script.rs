//! The seam to a JavaScript engine: implemented in `script`, injected by the program.

use serde_json::Value;

use crate::device::LogLine;

/// What a runtime may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Real time of one call, in milliseconds.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub source: String,
}

/// Why a call into a script failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// The script threw; the runtime is still good.
    Threw { message: String, stack: Option<String> },
    /// The time was up; the runtime is gone.
    Timeout { limit_ms: u64, stack: Option<String> },
    /// The memory was used up; the runtime is gone.
    OutOfMemory { limit_bytes: usize },
    /// The module does not compile or load.
    Load { message: String, stack: Option<String> },
    /// The runtime was thrown away after an earlier failure.
    Gone,
}

impl ScriptError {
    /// Whether the runtime must be made anew.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Threw { .. })
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
}

/// A loaded module in a runtime of its own.
pub trait ScriptRuntime: Send {
    /// Calls an exported function of the main module with JSON values; awaits a promise.
    fn call(&mut self, function: &str, args: Vec<Value>) -> Result<Value, ScriptError>;

    /// Lines that the script wrote to its console since the last time, also those before a failure.
    fn take_logs(&mut self) -> Vec<LogLine> {
        Vec::new()
    }
}
