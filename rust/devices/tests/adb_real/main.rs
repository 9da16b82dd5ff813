//! Our client, a real adb server, and our phone of paper: both ends of the protocol meet something we did not write.
//!
//! The layer `adb` runs this with `TRAILBLAZE_ADB`, the path of a real adb. Without it every test fails: whoever
//! cannot have adb does not run this.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod client;
mod files;
mod lab;
mod packages;
mod sockets;
mod talk;
mod trouble;
