//! Dex files: one class per suite and one test method per trail, so that farms which look into an APK see each trail.

mod layout;
mod read;
mod write;

pub use read::{Class, Dex};
pub use write::{Suite, write};

/// `com.example.Tool` as `Lcom/example/Tool;`
pub fn descriptor(class: &str) -> String {
    format!("L{};", class.replace('.', "/"))
}

const MAGIC: &[u8; 8] = b"dex\n035\0";
const HEADER: usize = 0x70;
const ENDIAN: u32 = 0x1234_5678;
const NO_INDEX: u32 = u32::MAX;
/// Where the header says something.
mod at {
    pub(super) const CHECKSUM: usize = 8;
    pub(super) const SIGNATURE: usize = 12;
    pub(super) const FILE_SIZE: usize = 32;
    pub(super) const HEADER_SIZE: usize = 36;
    pub(super) const ENDIAN: usize = 40;
    pub(super) const MAP: usize = 52;
    pub(super) const STRINGS: usize = 56;
    pub(super) const TYPES: usize = 64;
    pub(super) const PROTOS: usize = 72;
    pub(super) const FIELDS: usize = 80;
    pub(super) const METHODS: usize = 88;
    pub(super) const CLASSES: usize = 96;
    pub(super) const DATA: usize = 104;
}

/// What the map calls a kind of item, and what its items are aligned to.
mod kind {
    pub(super) const HEADER: u16 = 0x0000;
    pub(super) const STRING_ID: u16 = 0x0001;
    pub(super) const TYPE_ID: u16 = 0x0002;
    pub(super) const PROTO_ID: u16 = 0x0003;
    pub(super) const FIELD_ID: u16 = 0x0004;
    pub(super) const METHOD_ID: u16 = 0x0005;
    pub(super) const CLASS_DEF: u16 = 0x0006;
    pub(super) const MAP_LIST: u16 = 0x1000;
    pub(super) const TYPE_LIST: u16 = 0x1001;
    pub(super) const ANNOTATION_SET: u16 = 0x1003;
    pub(super) const CLASS_DATA: u16 = 0x2000;
    pub(super) const CODE: u16 = 0x2001;
    pub(super) const STRING_DATA: u16 = 0x2002;
    pub(super) const ANNOTATION: u16 = 0x2004;
    pub(super) const ANNOTATIONS: u16 = 0x2006;

    /// Items of these kinds start anywhere.
    pub(super) const UNALIGNED: [u16; 3] = [CLASS_DATA, STRING_DATA, ANNOTATION];
}

fn adler32(bytes: &[u8]) -> u32 {
    // As many bytes as fit before the sums must be reduced.
    let (a, b) = bytes.chunks(5552).fold((1u32, 0u32), |(mut a, mut b), part| {
        for byte in part {
            a += u32::from(*byte);
            b += a;
        }
        (a % 65521, b % 65521)
    });
    b << 16 | a
}

#[cfg(test)]
mod tests;
