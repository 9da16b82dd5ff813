//! A test APK for device farms, out of the agent's APK and a workspace: zip, binary manifest, dex and signatures, with
//! nothing of Java, Gradle or an SDK. Nothing here is C.
//!
//! The same input gives the same bytes: times are fixed, orders are sorted, signatures are deterministic.

pub mod axml;
mod bytes;
mod certificate;
mod der;
pub mod dex;
mod error;
pub mod key;
pub mod manifest;
mod pack;
mod sign;
mod template;
mod verify;
pub mod zip;

pub use error::{Error, Result};
pub use pack::{Asset, Content, Request, pack};
pub use sign::sum;
pub use template::{Identity, RUNNER, Template};
pub use verify::{Verified, verify};

/// What every APK has.
pub const MANIFEST: &str = "AndroidManifest.xml";
/// Where an APK holds its workspace.
pub const ASSETS: &str = "assets/trailblaze/";
/// More than any manifest has.
pub const MAX_MANIFEST: u32 = 4 << 20;
/// More than any library of the agent has.
const MAX_LIBRARY: u32 = 256 << 20;
/// More than any dex file of an agent or of tools has.
const MAX_DEX: u32 = 64 << 20;
