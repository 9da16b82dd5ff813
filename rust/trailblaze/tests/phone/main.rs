//! Runs on a phone, from the outside: what a host is told, and what lies on the phone afterwards.
//!
//! The phone is of paper. What a real one does with the same calls is not proven here.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod bad_input;
mod choosing;
mod ended_apps;
mod lab;
mod packed_apk;
mod paper;
mod reports;
mod scripts;
#[cfg(target_os = "linux")]
mod serving;
mod settings;
mod time;
mod verdicts;
