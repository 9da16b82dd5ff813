//! YAML with the place of every value: read, print and edit.
//!
//! Scalars keep their text. What type a plain scalar has is decided by the key that reads it, so
//! `text: 007` stays `007`, and `yes`, `on` and `0x1f` are texts.

mod cursor;
mod edit;
mod node;
mod print;
mod read;
mod reader;

pub use edit::set_recording;
pub use node::{Entry, Node, Scalar, Value as NodeValue};
pub use print::print;
pub use read::{MAX_DEPTH, MAX_SIZE, read};
pub(crate) use reader::unknown_key_hint;
pub use reader::{Fields, Reader};
