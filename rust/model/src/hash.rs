//! A hash that is the same on every machine and in every version, so that names and shares may depend on it.

/// FNV-1a, 64 bits.
pub fn fnv1a(text: &str) -> u64 {
    fnv1a_of([text.as_bytes()])
}

/// FNV-1a of several pieces, as if they stood one after the other.
pub fn fnv1a_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    pieces
        .into_iter()
        .flatten()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_never_changes() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }
}
