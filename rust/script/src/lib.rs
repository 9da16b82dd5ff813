//! QuickJS runtimes with hard limits.
//!
//! Invariant: whatever a script does (throws, loops, recurses, eats memory), the caller gets a value back within
//! its time and the rest of the program does not notice.
//!
//! Each runtime lives on a thread of its own (`thread.rs`); the caller waits for the answer but never longer than
//! the limit (`host.rs`). The two take turns (`turn.rs`), so a script can ask its caller for things (`desk.rs`).

mod compiled;
mod console;
mod deadline;
mod desk;
mod error;
mod host;
mod modules;
pub mod sdk;
mod text;
mod thread;
mod turn;
mod uncaught;
mod web;

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

    fn compile(&self, module: &Module) -> Result<Vec<u8>, ScriptError> {
        compiled::compile(module)
            .map_err(|error| ScriptError::Load { message: error.to_string(), stack: None })
    }

    fn accepts(&self, module: &Module, compiled: &[u8]) -> bool {
        compiled::code_of(module, compiled).is_some()
    }
}
