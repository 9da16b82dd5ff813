//! What things are: documents, screens, results and events. Parse and print.
//!
//! Invariant: no I/O, no async, and no JNI, QuickJS, MCP, HTTP or file-system type.

pub mod action;
pub mod base64;
pub mod bundle;
pub mod call;
pub mod classifier;
pub mod diagnostic;
pub mod driver;
pub mod event;
pub mod failure;
pub mod flags;
#[doc(hidden)]
pub mod fuzzing;
pub mod hash;
pub mod maestro;
pub mod names;
pub mod order;
pub mod pattern;
pub mod place;
pub mod screen;
pub mod selector;
pub mod source_map;
pub mod target;
pub mod test_name;
pub mod tool;
pub mod toolset;
pub mod trail;
pub mod waypoint;
pub mod workspace;
pub mod yaml;
