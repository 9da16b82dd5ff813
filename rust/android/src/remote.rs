//! A phone that is somewhere else: the laptop has the library, the phone only does what it is asked.
//!
//! [`Platform`](crate::platform::Platform) is all that the library wants of a phone, so it is also all that goes over the
//! wire: [`client::RemotePlatform`] asks, [`server::serve`] answers. `proto/trailblaze/v1/device.proto` says how.

mod asked;
mod class;
pub mod client;
mod codec;
mod line;
mod message;
mod method;
pub mod server;
mod wire;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use wire::Wire;

/// The version that both ends must have.
pub const PROTOCOL: u64 = 2;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
