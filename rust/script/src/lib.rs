//! QuickJS runtimes with hard limits.
//!
//! Invariant: whatever a script does (throws, loops, recurses, eats memory), the caller gets a value back within
//! its time and the rest of the program does not notice.
//!
//! Each runtime lives on a thread of its own (`thread.rs`); the caller waits for the answer but never longer than
//! the limit (`host.rs`).

mod console;
mod deadline;
mod error;
mod host;
mod modules;
mod thread;

use trailblaze_engine::script::{Module, ScriptEngine, ScriptError, ScriptLimits, ScriptRuntime};

/// Makes QuickJS runtimes.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuickJs;

impl ScriptEngine for QuickJs {
    fn start(
        &self,
        modules: Vec<Module>,
        limits: ScriptLimits,
    ) -> Result<Box<dyn ScriptRuntime>, ScriptError> {
        Ok(Box::new(host::Host::start(modules, limits)?))
    }
}
