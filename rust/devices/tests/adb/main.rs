//! The client of adb's server, against a server of our own that does what a test wants, and worse.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod cut;
mod hostile;
mod phones;
mod program;
mod refused;
mod server;
mod well;
