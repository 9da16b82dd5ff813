//! Phones that are connected to this laptop: a client of adb's server.
//!
//! Synchronous like the engine: each call has a deadline and can be interrupted, and looks at both every 50 ms. A call
//! is one connection, which is closed when the call is over, however it ends.
//!
//! Invariant: nothing here knows what a phone is used for, and nothing is left behind on it that was not asked for.

mod address;
mod error;
mod folder;
mod forward;
mod install;
mod limit;
mod listed;
mod phone;
mod program;
mod server;
mod shell;
mod stat;
mod stream;
mod sync;
mod watch;
mod wire;

pub use address::{ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_ADDRESS, ANDROID_ADB_SERVER_PORT, Address};
pub use error::{Error, ErrorKind, without_secrets};
pub use folder::Moved;
pub use forward::Forward;
pub use install::{InstallOptions, Refusal};
pub use limit::Limit;
pub use listed::{Listed, State, choose};
pub use phone::Phone;
pub use program::{ANDROID_HOME, ANDROID_SDK_ROOT, Program};
pub use server::Server;
pub use shell::{Output, Part, Shell, quote};
pub use stat::{Entry, FileKind, Stat};
pub use stream::Stream;
pub use sync::Sync;
pub use watch::Watch;
