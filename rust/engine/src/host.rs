//! What the engine needs of the world outside of the device: files, other trails, processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::FilePlace;
use trailblaze_model::trail::Trail;

use crate::registry::Registry;

/// The world of a session. A phone has one, a laptop another.
pub trait Host: Send + Sync {
    /// Saves a file of the run and returns its path relative to the folder of the run.
    fn save(&self, name: &str, extension: &str, bytes: &[u8]) -> Result<String, Failure>;

    /// Reads another trail, by a path relative to the file that names it or to the workspace.
    fn load_trail(&self, path: &str, named_by: Option<&FilePlace>) -> Result<Arc<Trail>, Failure>;

    /// Sends one web request and waits for its answer, without following redirects.
    fn fetch(&self, _request: &WebRequest) -> Result<WebAnswer, String> {
        Err("there is no network here".to_owned())
    }

    /// Reads the tools of the workspace again.
    fn reload_tools(&self) -> Result<Arc<Registry>, Failure> {
        let message = "the tools cannot be read again here";
        Err(Failure::new(FailureKind::NotSupported, message))
    }

    /// Runs a program on the host and waits for it.
    fn run_command(&self, command: &HostCommand) -> Result<CommandOutput, Failure>;

    /// Keeps what a server did, so that a replay can do without it.
    fn note_server_call(&self, _call: ServerCall) {}
}

/// What a toolset server outside of this process did for one call.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerCall {
    pub server: String,
    pub tool: String,
    pub args: Value,
    /// What its tool asked for meanwhile, in that order.
    pub wishes: Vec<ServerWish>,
    /// The result of `tools/call`.
    pub answer: Result<Value, Failure>,
}

/// What a tool of a server asks a session for while it runs, as far as that changes anything.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerWish {
    Call { tool: String, args: Map<String, Value> },
    Remember { name: String, text: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCommand {
    pub argv: Vec<String>,
    /// Relative to the workspace.
    pub working_dir: Option<String>,
    pub timeout_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
    pub timeout_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebAnswer {
    /// How long it took, in real milliseconds: the clock of a run may stand still meanwhile.
    pub took_ms: u64,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    pub exit_code: i32,
    pub output: String,
}

/// A world without files and processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn save(&self, name: &str, _extension: &str, _bytes: &[u8]) -> Result<String, Failure> {
        Err(Failure::new(
            FailureKind::NotSupported,
            format!("'{name}' cannot be saved: there is no folder for it"),
        ))
    }

    fn load_trail(&self, path: &str, _named_by: Option<&FilePlace>) -> Result<Arc<Trail>, Failure> {
        Err(Failure::new(
            FailureKind::NotSupported,
            format!("'{path}' cannot be read: there are no files here"),
        ))
    }

    fn run_command(&self, _command: &HostCommand) -> Result<CommandOutput, Failure> {
        Err(Failure::new(FailureKind::NotSupported, "programs cannot be started here"))
    }
}

/// Tells a run to stop after the current gesture.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// Each of these stops it as well.
    others: Arc<[Cancel]>,
}

impl Cancel {
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire) || self.others.iter().any(Self::is_cancelled)
    }

    /// Stops when this one or one of those does.
    pub fn or(&self, others: &[Self]) -> Self {
        let others = self.others.iter().chain(others).cloned().collect();
        Self { flag: self.flag.clone(), others }
    }

    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }
}
