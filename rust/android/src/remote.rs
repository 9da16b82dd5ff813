//! A phone that is somewhere else: the laptop has the library, the phone only does what it is asked.
//!
//! [`Platform`](crate::platform::Platform) is all that the library wants of a phone, so it is also all that goes over the
//! wire: [`client::RemotePlatform`] asks, [`server::serve`] answers. `proto/trailblaze/v1/device.proto` says how.

pub mod client;
mod codec;
mod message;
mod method;
pub mod server;

/// The version that both ends must have.
pub const PROTOCOL: u64 = 1;
