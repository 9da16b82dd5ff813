//! Numbers of formats that are little-endian throughout.

/// Two bytes, none past the end.
pub(crate) fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

/// Four bytes, none past the end.
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

/// Eight bytes, none past the end.
pub(crate) fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok().map(u64::from_le_bytes)
}

/// Four bytes as an index.
pub(crate) fn index(bytes: &[u8], at: usize) -> Option<usize> {
    word(bytes, at).map(|word| word as usize)
}

pub(crate) fn put(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// Zeros up to the next multiple.
pub(crate) fn align(bytes: &mut Vec<u8>, multiple: usize) {
    bytes.resize(bytes.len().next_multiple_of(multiple), 0);
}
