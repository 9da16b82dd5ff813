//! The wire for SDKs: `proto/trailblaze/v1`, spoken over Connect, gRPC and gRPC-Web, binary and JSON, on one port.
//!
//! The contract is data. `contract.bin` is what the `.proto` files compile to, and the server reads from it which
//! methods there are, what their messages look like and which tool each of them runs. Nothing is written by hand for a
//! single command, so none can be in the contract and not in the server; that each has its tool is a test.
//!
//! Invariant: no second way to call a tool. A command becomes the name of a tool and its arguments, and a [`Backend`]
//! hands both to the one dispatch.

pub mod backend;
pub mod client;
pub mod contract;
mod dispatcher;
mod gate;
mod health;
mod misfit;
mod reflection;
mod refusal;
mod reply;
mod screenshot;
mod server;
mod shelf;

pub use backend::{Backend, Call, Device, Group, Routing};
pub use misfit::Misfit;
pub use refusal::{Refusal, ToolFailure};
pub use server::{MOST_BYTES, Options, router};
