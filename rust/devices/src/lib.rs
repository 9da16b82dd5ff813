//! Devices that are not Android, and the way to those that are.
//!
//! Invariant: a device makes no decision about a test. It shows a screen, takes an action, and says what went wrong.

#[cfg(not(target_os = "android"))]
pub mod adb;
pub mod draw;
#[cfg(all(feature = "fake-adbd", not(target_os = "android")))]
pub mod fake_adbd;
pub mod recorded;
pub mod sim;
