//! Keys in PKCS#12, as keytool and OpenSSL write them today: PBES2, with a MAC.

use hmac::digest::block_api::EagerHash;
use hmac::{Hmac, KeyInit, Mac};
use pkcs8::der::Decode;
use pkcs8::pkcs5::EncryptionScheme;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::Private;
use crate::der::{AROUND, INSTEAD, INTEGER, OCTETS, OID, Reader, SEQUENCE};
use crate::error::{Error, Result};

/// What comes after `1.2.840.113549.1`, which all of these start with.
const PREFIX: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01];
const DATA: &[u8] = &[0x07, 0x01];
const ENCRYPTED: &[u8] = &[0x07, 0x06];
const KEY: &[u8] = &[0x0c, 0x0a, 0x01, 0x01];
const SHROUDED_KEY: &[u8] = &[0x0c, 0x0a, 0x01, 0x02];
const CERTIFICATE: &[u8] = &[0x0c, 0x0a, 0x01, 0x03];
const PBES2: &[u8] = &[0x05, 0x0d];
const SHA1: &[u8] = &[0x2b, 0x0e, 0x03, 0x02, 0x1a];
const SHA256: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
/// What every file of this kind starts with.
const VERSION: u32 = 3;
/// More rounds than any tool asks for; a file must not keep us busy for hours.
const MOST_ROUNDS: u32 = 10_000_000;

pub(super) fn no_password() -> Error {
    Error::new("the key has a password")
        .hint("give it with '--key-password-env NAME' or '--key-password-file FILE'")
}

pub(super) fn wrong_password() -> Error {
    Error::new("the password of the key is wrong").hint("of a keystore it is the one of the store")
}

fn old() -> Error {
    Error::new("the key file is encrypted in an old way (RC2, 3DES)")
        .hint("'openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export -out NEW' writes it anew")
}

fn broken(error: Error) -> Error {
    Error { message: "the PKCS#12 file is broken".to_owned(), ..error }
}

/// The private key and all certificates.
pub(super) fn read(bytes: &[u8], password: Option<&str>) -> Result<(Private, Vec<Vec<u8>>)> {
    let mut file = Reader::new(bytes).enter(SEQUENCE).map_err(broken)?;
    if file.number().ok() != Some(VERSION) {
        let error = Error::new("this is DER, and no PKCS#12 file");
        return Err(error.hint("give a key as PEM, or with its certificate as PKCS#12"));
    }
    let safe = data(&mut file).map_err(broken)?;
    let password = password.unwrap_or_default();
    if !file.is_empty() {
        check_mac(&mut file, safe, password)?;
    }
    let (mut keys, mut certificates) = (Vec::new(), Vec::new());
    let mut parts = Reader::new(safe).enter(SEQUENCE).map_err(broken)?;
    while !parts.is_empty() {
        let mut again = parts;
        let kind = kind(again.enter(SEQUENCE).map_err(broken)?.take(OID).map_err(broken)?);
        if kind == ENCRYPTED {
            let mut part = parts.enter(SEQUENCE).map_err(broken)?;
            bags(&decrypted(&mut part, password)?, password, &mut keys, &mut certificates)?;
        } else {
            bags(data(&mut parts).map_err(broken)?, password, &mut keys, &mut certificates)?;
        }
    }
    let count = keys.len();
    match keys.pop() {
        Some(key) if count == 1 => Ok((key, certificates)),
        Some(_) => Err(Error::new(format!("the key file holds {count} private keys"))
            .hint("export the one that is to be used with 'keytool -importkeystore -srcalias NAME'")),
        None => Err(Error::new("the key file holds no private key")),
    }
}

/// An identifier without what all of them start with.
fn kind(oid: &[u8]) -> &[u8] {
    oid.strip_prefix(PREFIX).unwrap_or_default()
}

/// The content of a `ContentInfo` that is plain data.
fn data<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8]> {
    let mut info = reader.enter(SEQUENCE)?;
    if kind(info.take(OID)?) != DATA {
        return Err(Error::new("unknown content"));
    }
    info.enter(AROUND)?.take(OCTETS)
}

fn decrypted(part: &mut Reader<'_>, password: &str) -> Result<Vec<u8>> {
    let inner = |part: &mut Reader<'_>| -> Result<(Vec<u8>, Vec<u8>)> {
        part.take(OID)?;
        let mut data = part.enter(AROUND)?.enter(SEQUENCE)?;
        data.take(INTEGER)?;
        let mut content = data.enter(SEQUENCE)?;
        content.take(OID)?;
        Ok((content.any()?.whole.to_vec(), content.take(INSTEAD)?.to_vec()))
    };
    let (algorithm, content) = inner(part).map_err(broken)?;
    decrypt(&algorithm, &content, password)
}

fn decrypt(algorithm: &[u8], content: &[u8], password: &str) -> Result<Vec<u8>> {
    let oid = Reader::new(algorithm).enter(SEQUENCE).and_then(|mut inner| inner.take(OID)).map_err(broken)?;
    if kind(oid) != PBES2 {
        return Err(old());
    }
    let scheme = EncryptionScheme::from_der(algorithm).map_err(|_| old())?;
    scheme.decrypt(password, content).map_err(|_| wrong_password())
}

/// Takes keys and certificates out of what holds them.
fn bags(safe: &[u8], password: &str, keys: &mut Vec<Private>, certificates: &mut Vec<Vec<u8>>) -> Result<()> {
    let mut safe = Reader::new(safe).enter(SEQUENCE).map_err(broken)?;
    while !safe.is_empty() {
        let mut bag = safe.enter(SEQUENCE).map_err(broken)?;
        let kind = kind(bag.take(OID).map_err(broken)?);
        let mut value = bag.enter(AROUND).map_err(broken)?;
        match kind {
            KEY => keys.push(Private::from_pkcs8(value.any().map_err(broken)?.whole)?),
            SHROUDED_KEY => {
                let mut key = value.enter(SEQUENCE).map_err(broken)?;
                let algorithm = key.any().map_err(broken)?.whole;
                let plain = decrypt(algorithm, key.take(OCTETS).map_err(broken)?, password)?;
                keys.push(Private::from_pkcs8(&plain)?);
            }
            CERTIFICATE => {
                let mut certificate = value.enter(SEQUENCE).map_err(broken)?;
                certificate.take(OID).map_err(broken)?;
                let der = certificate.enter(AROUND).and_then(|mut inner| inner.take(OCTETS));
                certificates.push(der.map_err(broken)?.to_vec());
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_mac(file: &mut Reader<'_>, safe: &[u8], password: &str) -> Result<()> {
    let mut mac = file.enter(SEQUENCE).map_err(broken)?;
    let mut sum = mac.enter(SEQUENCE).map_err(broken)?;
    let hash = sum.enter(SEQUENCE).and_then(|mut inner| inner.take(OID)).map_err(broken)?;
    let expected = sum.take(OCTETS).map_err(broken)?;
    let salt = mac.take(OCTETS).map_err(broken)?;
    let rounds = if mac.is_empty() { 1 } else { mac.number().map_err(broken)? };
    if rounds > MOST_ROUNDS {
        return Err(Error::new(format!("the key file asks for {rounds} rounds")));
    }
    let is_right = match hash {
        SHA256 => is_mac::<Sha256>(password, salt, rounds, safe, expected),
        SHA1 => is_mac::<Sha1>(password, salt, rounds, safe, expected),
        _ => return Err(old()),
    };
    if is_right {
        return Ok(());
    }
    Err(if password.is_empty() { no_password() } else { wrong_password() })
}

fn is_mac<H: Digest + EagerHash>(
    password: &str,
    salt: &[u8],
    rounds: u32,
    safe: &[u8],
    expected: &[u8],
) -> bool {
    let key = derived::<H>(password, salt, rounds);
    let mac = <Hmac<H> as KeyInit>::new_from_slice(&key);
    mac.is_ok_and(|mac| mac.chain_update(safe).verify_slice(expected).is_ok())
}

/// The key of the MAC, by RFC 7292, appendix B.2; one block of the hash is enough for it.
fn derived<H: Digest>(password: &str, salt: &[u8], rounds: u32) -> Vec<u8> {
    const BLOCK: usize = 64;
    const FOR_MAC: u8 = 3;
    let secret: Vec<u8> = password.encode_utf16().chain([0]).flat_map(u16::to_be_bytes).collect();
    let filled = |bytes: &[u8]| -> Vec<u8> {
        let length = bytes.len().next_multiple_of(BLOCK);
        bytes.iter().copied().cycle().take(length).collect()
    };
    let mut hash = H::new()
        .chain_update([FOR_MAC; BLOCK])
        .chain_update(filled(salt))
        .chain_update(filled(&secret))
        .finalize();
    for _ in 1..rounds {
        hash = H::digest(hash);
    }
    hash.to_vec()
}
