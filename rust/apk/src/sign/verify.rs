//! Checking the block of signatures. It must be exactly what signing makes: nothing in it goes unlooked at.

use p256::ecdsa::VerifyingKey as EcKey;
use rsa::RsaPublicKey;
use rsa::pkcs1v15::VerifyingKey as RsaKey;
use rsa::pkcs8::DecodePublicKey;
use rsa::signature::Verifier;
use sha2::Sha256;

use super::block::{MAGIC, signed_head, stripping_mark};
use super::{ECDSA, RSA, V2, V3, V3_FROM, V3_TO};
use crate::bytes::{long, word};
use crate::certificate::Certificate;
use crate::error::{Error, Result};

/// The size of the block whose last bytes these are; none when there is no block.
pub(crate) fn size_before(last: &[u8; 24]) -> Option<u64> {
    let size = long(last, 0)?;
    (last[8..] == MAGIC[..]).then(|| size.checked_add(8))?
}

/// Checks both signatures of a block over a sum, and gives the certificate of who signed.
pub(crate) fn check(block: &[u8], sum: &[u8; 32]) -> Result<Certificate> {
    let broken = || Error::new("the block of signatures is broken");
    let pairs = block.get(8..block.len().saturating_sub(24)).ok_or_else(broken)?;
    let size = block.len() as u64 - 8;
    if long(block, 0) != Some(size) || long(block, block.len() - 24) != Some(size) {
        return Err(broken());
    }
    let mut rest = pairs;
    let v2 = pair(&mut rest, V2).ok_or_else(|| Error::new("the APK is not signed by v2"))?;
    let v3 = pair(&mut rest, V3).ok_or_else(|| Error::new("the APK is not signed by v3"))?;
    if !rest.is_empty() {
        return Err(broken());
    }
    let range = [V3_FROM.to_le_bytes(), V3_TO.to_le_bytes()].concat();
    let first = Signer::read(v2, 0).ok_or_else(broken)?;
    let second = Signer::read(v3, range.len()).ok_or_else(broken)?;
    if first.public_key != second.public_key || second.range != range || first.algorithm != second.algorithm {
        return Err(broken());
    }
    let certificate = first.certificate().ok_or_else(broken).and_then(Certificate::read)?;
    let head = signed_head(first.algorithm, sum, &certificate.der);
    let mark = stripping_mark();
    let lengths = [mark.len() as u32 + 4, mark.len() as u32].map(u32::to_le_bytes).concat();
    let in_v2 = [&head[..], &lengths, &mark].concat();
    let in_v3 = [&head[..], &range, &[0; 4]].concat();
    for (scheme, signer, expected) in [("v2", first, in_v2), ("v3", second, in_v3)] {
        if signer.signed != expected {
            return Err(Error::new(format!("the content is not what was signed by {scheme}")));
        }
        if signer.public_key != certificate.public_key || !signer.is_signed() {
            return Err(Error::new(format!("the signature by {scheme} is wrong")));
        }
    }
    Ok(certificate)
}

/// The value of the next pair, which must have a name.
fn pair<'a>(rest: &mut &'a [u8], name: u32) -> Option<&'a [u8]> {
    let length = usize::try_from(long(rest, 0)?).ok()?;
    let value = rest.get(12..length.checked_add(8)?)?;
    let is_named = word(rest, 8) == Some(name);
    *rest = &rest[length + 8..];
    is_named.then_some(value)
}

/// What has its length in front.
fn prefixed<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = word(rest, 0)? as usize;
    let value = rest.get(4..length.checked_add(4)?)?;
    *rest = &rest[length + 4..];
    Some(value)
}

/// The same, and there is nothing behind it.
fn only(mut rest: &[u8]) -> Option<&[u8]> {
    prefixed(&mut rest).filter(|_| rest.is_empty())
}

/// The one signer of a scheme.
struct Signer<'a> {
    signed: &'a [u8],
    /// The API levels that the signature is for; v2 has none.
    range: &'a [u8],
    algorithm: u32,
    signature: &'a [u8],
    public_key: &'a [u8],
}

impl<'a> Signer<'a> {
    fn read(value: &'a [u8], range: usize) -> Option<Self> {
        let mut rest = only(only(value)?)?;
        let signed = prefixed(&mut rest)?;
        let (range, after) = rest.split_at_checked(range)?;
        rest = after;
        let signature = only(prefixed(&mut rest)?)?;
        let public_key = prefixed(&mut rest)?;
        let (algorithm, signature) = (word(signature, 0)?, only(signature.get(4..)?)?);
        rest.is_empty().then_some(Self { signed, range, algorithm, signature, public_key })
    }

    fn certificate(&self) -> Option<&'a [u8]> {
        let mut rest = self.signed;
        prefixed(&mut rest)?;
        only(prefixed(&mut rest)?)
    }

    fn is_signed(&self) -> bool {
        match self.algorithm {
            RSA => {
                let key = RsaPublicKey::from_public_key_der(self.public_key).map(RsaKey::<Sha256>::new);
                let signature = rsa::pkcs1v15::Signature::try_from(self.signature);
                key.is_ok_and(|key| {
                    signature.is_ok_and(|signature| key.verify(self.signed, &signature).is_ok())
                })
            }
            ECDSA => {
                let key = EcKey::from_public_key_der(self.public_key);
                let signature = p256::ecdsa::Signature::from_der(self.signature);
                key.is_ok_and(|key| {
                    signature.is_ok_and(|signature| key.verify(self.signed, &signature).is_ok())
                })
            }
            _ => false,
        }
    }
}
