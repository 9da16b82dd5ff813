//! The JNI boundary: where Java on a phone and Trailblaze meet.
//!
//! Invariant: no panic and no error crosses it. Every entry goes through one [`guard`](guard::guard), which hands
//! Java a value or an exception, never an unwinding stack.
//!
//! The same code is built for the laptop, so that its entries can be called from a desktop JVM.

mod call;
pub mod class_tool;
pub mod device;
pub mod entry;
mod gesture;
mod guard;
pub mod java;
pub mod platform;
pub mod remote;
pub mod shell;
mod toast;
pub mod web;
mod whereabouts;

/// For the exported methods, whose signatures name its types.
pub use jni;
