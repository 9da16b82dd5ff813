//! Making the block of signatures.

use super::{ALSO_SIGNED_BY, V2, V3, V3_FROM, V3_TO, algorithm};
use crate::error::Result;
use crate::key::Key;

pub(super) const MAGIC: &[u8; 16] = b"APK Sig Block 42";

/// The block for a sum of the content.
pub(crate) fn block(key: &Key, sum: &[u8; 32]) -> Result<Vec<u8>> {
    let algorithm = algorithm(key.private().kind());
    let range = [V3_FROM.to_le_bytes(), V3_TO.to_le_bytes()].concat();
    let head = signed_head(algorithm, sum, &key.certificate.der);
    let in_v2 = [&head[..], &prefixed(&prefixed(&stripping_mark()))].concat();
    let in_v3 = [&head[..], &range, &prefixed(&[])].concat();
    let signer = |signed: &[u8], range: &[u8]| -> Result<Vec<u8>> {
        let signature = key.private().sign(signed)?;
        let parts = [
            &prefixed(signed)[..],
            range,
            &prefixed(&prefixed(&numbered(algorithm, &signature))),
            &prefixed(&key.certificate.public_key),
        ];
        Ok(prefixed(&prefixed(&parts.concat())))
    };
    Ok(assemble(&[(V2, signer(&in_v2, &[])?), (V3, signer(&in_v3, &range)?)]))
}

/// What both schemes sign first: the sum and the certificate.
pub(super) fn signed_head(algorithm: u32, sum: &[u8], certificate: &[u8]) -> Vec<u8> {
    let sums = prefixed(&prefixed(&numbered(algorithm, sum)));
    [sums, prefixed(&prefixed(certificate))].concat()
}

/// What v2 signs besides.
pub(super) fn stripping_mark() -> Vec<u8> {
    [ALSO_SIGNED_BY.to_le_bytes(), 3u32.to_le_bytes()].concat()
}

/// Its size before and after, and the signatures by the names of their schemes.
fn assemble(signatures: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut pairs = Vec::new();
    for (scheme, value) in signatures {
        pairs.extend((value.len() as u64 + 4).to_le_bytes());
        pairs.extend(scheme.to_le_bytes());
        pairs.extend(value);
    }
    let size = (pairs.len() + 8 + MAGIC.len()) as u64;
    [&size.to_le_bytes()[..], &pairs, &size.to_le_bytes(), MAGIC].concat()
}

/// With its length in front.
pub(super) fn prefixed(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// With the number of an algorithm and its length in front.
pub(super) fn numbered(algorithm: u32, bytes: &[u8]) -> Vec<u8> {
    [&algorithm.to_le_bytes()[..], &prefixed(bytes)].concat()
}
