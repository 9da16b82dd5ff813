//! Trailblaze: UI tests that run on the phone itself. This crate wires the others together.
//!
//! The library is the product; `main.rs` only parses the command line and prints. What a phone has no use for is
//! left out of the library there.

#[cfg(not(target_os = "android"))]
pub mod apk;
pub mod archive;
#[cfg(not(target_os = "android"))]
pub mod authoring;
#[cfg(not(target_os = "android"))]
pub mod bench;
pub mod bundles;
#[cfg(not(target_os = "android"))]
pub mod caches;
#[cfg(not(target_os = "android"))]
pub mod cli;
pub mod discover;
#[cfg(not(target_os = "android"))]
pub mod docs;
#[cfg(all(unix, not(target_os = "android")))]
pub mod doctor;
#[cfg(not(target_os = "android"))]
pub mod endpoint;
pub mod env_vars;
pub mod exit_code;
#[cfg(not(target_os = "android"))]
pub mod farm;
pub mod files;
#[cfg(not(target_os = "android"))]
pub mod init;
#[cfg(all(unix, not(target_os = "android")))]
pub mod laptop;
pub mod load;
#[cfg(not(target_os = "android"))]
pub mod loopback;
#[cfg(not(target_os = "android"))]
pub mod mcp;
#[cfg(all(unix, not(target_os = "android")))]
pub mod on_device;
pub mod phone;
#[cfg(not(target_os = "android"))]
pub mod replay;
#[cfg(not(target_os = "android"))]
pub mod rpc;
pub mod run;
pub mod run_times;
pub mod screens;
pub mod session;
pub mod toolsets;
pub mod workspace;

trailblaze_android::entries!(phone::run);

/// The version that everything reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
