//! The client of toolset servers: starts a program and speaks MCP with it over its standard streams, or speaks with one
//! that is there already over HTTP, and shows the engine a plain [`trailblaze_engine::server::Server`].
//!
//! Invariant: no executor and no second thread in the way of a call. The thread of the session writes to the server and
//! waits for what it writes.

pub mod calls;
mod group;
mod http;
mod invocation;
mod limits;
mod lines;
mod listing;
mod logs;
mod message;
mod noise;
mod output;
mod peer;
mod process;
mod protocol;
mod question;
mod served;
mod sse;
mod stderr;
mod stdio;
mod toolset;
mod transport;
mod trouble;
mod waker;
mod watchdog;

pub use http::Address;
pub use invocation::unguessable;
pub use limits::Limits;
pub use noise::Noises;
pub use process::Program;
pub use served::{Served, Unserved};
pub use toolset::{Connection, Sending, Shared, Toolset};
pub use waker::Waker;
