//! Trailblaze as an MCP server: whatever can list tools and run them is served over standard streams or HTTP, to
//! clients of both generations of the protocol.
//!
//! Invariant: the types of the MCP library are named in [`handler`], [`http`], `lines` and [`stdio`] and nowhere else.
//! A [`Service`] says everything in the JSON of the protocol, and it may block.

pub mod answer;
pub mod guard;
pub mod handler;
pub mod http;
mod lines;
pub mod stdio;

use std::sync::Arc;

use serde_json::{Map, Value};
use trailblaze_engine::host::Cancel;

pub use handler::Handler;

/// Who a server says that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    pub name: String,
    pub title: String,
    pub version: String,
    /// What a model should know before it calls anything.
    pub instructions: String,
}

/// What is served. Every call comes on a thread of its own.
pub trait Service: Send + Sync + 'static {
    fn about(&self) -> About;

    /// The tools, as `tools/list` gives them. The list never changes.
    fn tools(&self) -> Vec<Value>;

    /// Runs a tool and gives its `CallToolResult`; none when there is no such tool.
    fn call(&self, name: &str, args: Map<String, Value>, caller: &Caller) -> Option<Value>;

    /// The resources, as `resources/list` gives them.
    fn resources(&self) -> Vec<Value>;

    /// The templates of resources, as `resources/templates/list` gives them.
    fn templates(&self) -> Vec<Value>;

    /// The `ReadResourceResult`; none when there is no such resource, and the message when it cannot be read.
    fn read(&self, uri: &str, caller: &Caller) -> Result<Option<Value>, String>;
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub done: f64,
    pub total: Option<f64>,
    pub message: String,
}

/// Whoever made a call: wants to hear how it goes, and may lose interest.
#[derive(Clone)]
pub struct Caller {
    /// Set when nobody waits for the answer any more.
    pub cancel: Cancel,
    hears: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl Caller {
    pub fn new(cancel: Cancel, hears: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { cancel, hears: Arc::new(hears) }
    }

    /// Says how far it is; each time it must be further than before.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        (self.hears)(Progress { done, total, message: message.into() });
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Caller({:?})", self.cancel)
    }
}
