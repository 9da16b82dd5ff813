//! A phone of paper: the phone's half of the adb protocol over TCP, with services that a test fills in.
//!
//! `adb connect 127.0.0.1:PORT` connects a real adb server to it. The services take plain bytes, so a fake adb server
//! can hand them its own connections as well.

mod channel;
mod daemon;
mod files;
mod link;
mod packages;
mod packet;
mod phone;
mod process;
mod reverse;
mod sync;

pub use channel::Channel;
pub use daemon::Adbd;
pub use files::{Files, Memory, Node};
pub use packages::Packages;
pub use phone::{FEATURES, FakePhone, Socket};
pub use process::Process;
