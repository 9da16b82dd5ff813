//! Trailblaze: UI tests that run on the phone itself. This crate wires the others together.
//!
//! The library is the product; `main.rs` only parses the command line and prints.

pub mod archive;
pub mod bench;
pub mod cli;
pub mod discover;
pub mod docs;
pub mod env_vars;
pub mod exit_code;
pub mod files;
pub mod init;
pub mod load;
pub mod replay;
pub mod run;
pub mod screens;
pub mod session;
pub mod workspace;

/// The version that everything reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
