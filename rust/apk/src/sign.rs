//! APK Signature Scheme v2 and v3: a block between the entries and the directory, with a sum of everything around it.

mod block;
mod content;
mod verify;

pub(crate) use block::block;
pub use content::sum;
pub(crate) use content::{Part, digest};
pub(crate) use verify::{check, size_before};

use crate::key::Kind;

/// The schemes, by what the block calls them.
const V2: u32 = 0x7109_871a;
const V3: u32 = 0xf053_68c0;
/// Both kinds of key sign SHA-256 sums, of the content and of what is signed.
const RSA: u32 = 0x0103;
const ECDSA: u32 = 0x0201;
/// In what v2 signs: there is also a signature of the scheme that follows, so that it cannot be taken away.
const ALSO_SIGNED_BY: u32 = 0xbeef_f00d;
/// The first API level that reads v3.
const V3_FROM: u32 = 28;
const V3_TO: u32 = i32::MAX as u32;

fn algorithm(kind: Kind) -> u32 {
    match kind {
        Kind::Rsa => RSA,
        Kind::Ec => ECDSA,
    }
}
