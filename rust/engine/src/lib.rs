//! What happens: registry, interpolation, dispatch, delegation, recording, matching, settling, commands, runner.
//!
//! Invariant: the world only through traits. No I/O, no file-system, JNI, QuickJS, MCP or HTTP type;
//! time comes from a [`clock::Clock`].

pub mod builtin;
pub mod check;
pub mod clock;
pub mod commands;
pub mod device;
pub mod dispatch;
pub mod fuzzing;
pub mod host;
pub mod interpolate;
pub mod maestro;
pub mod matching;
pub mod memory;
pub mod observer;
pub mod outline;
pub mod reach;
pub mod registry;
pub mod runner;
pub mod schema;
pub mod script;
pub mod server;
pub mod session;
pub mod settle;
mod timing;
pub mod waypoint;
pub mod yaml_tool;
