//! Zip as Android reads it: no zip64, no encryption, names in UTF-8, stored or deflated.

mod read;
mod write;

pub use read::{Archive, Entry};
pub use write::{Directory, Packing, Writer};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
pub(crate) const END_LENGTH: usize = 22;
/// Where the end of a zip says at which offset its directory is.
pub(crate) const END_OFFSET: usize = 16;
/// The extra field that says how an entry is aligned; its content is padding.
const ALIGNMENT: u16 = 0xd935;

/// How the content of an entry is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Method {
    Stored = 0,
    Deflated = 8,
}

/// Whether Android takes an entry only as it is: it maps libraries and the table of resources into memory.
pub(crate) fn must_be_stored(name: &str) -> bool {
    name.ends_with(".so") || name == "resources.arsc"
}

/// What the start of a stored entry is a multiple of: a library is mapped into memory as it is, also where pages have
/// 16 KiB.
pub fn alignment(name: &str) -> u64 {
    if name.ends_with(".so") { 16 << 10 } else { 4 }
}
