//! Runs on a phone, from the outside: what a host is told, and what lies on the phone afterwards.
//!
//! The phone is of paper. What a real one does with the same calls is not proven here.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

#[cfg(target_os = "linux")]
mod adb;
#[cfg(target_os = "linux")]
mod agents;
mod bad_input;
mod choosing;
#[cfg(target_os = "linux")]
mod doctor;
mod ended_apps;
mod lab;
#[cfg(target_os = "linux")]
mod laptop;
#[cfg(target_os = "linux")]
mod on_device;
mod packed_apk;
mod paper;
mod reports;
mod scripts;
#[cfg(target_os = "linux")]
mod serving;
mod settings;
#[cfg(target_os = "linux")]
mod taken;
#[path = "../../../apk/tests/apk/template.rs"]
mod template;
mod time;
mod verdicts;
