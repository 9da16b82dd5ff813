//! Devices that are not Android.
//!
//! Invariant: a device makes no decision about a test. It shows a screen, takes an action, and says what went wrong.

pub mod draw;
pub mod recorded;
pub mod sim;
