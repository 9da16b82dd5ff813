//! Keys as text.

use p256::ecdsa::SigningKey;
use pkcs8::der::pem as text;
use pkcs8::{EncodePrivateKey, EncryptedPrivateKeyInfoRef, LineEnding};
use rsa::RsaPrivateKey;
use rsa::pkcs1::DecodeRsaPrivateKey;

use super::{OTHER_KEY, Private};
use crate::certificate;
use crate::error::{Error, Result};

/// A private key and the certificates beside it.
pub(super) fn read(bytes: &[u8], password: Option<&str>) -> Result<(Private, Vec<Vec<u8>>)> {
    let not_pem = || {
        Error::new("this is no key: neither PEM nor PKCS#12")
            .hint("a JKS keystore becomes PKCS#12 with 'keytool -importkeystore -deststoretype PKCS12'")
    };
    let all = std::str::from_utf8(bytes).map_err(|_| not_pem())?;
    let (mut keys, mut certificates) = (Vec::new(), Vec::new());
    for block in blocks(all) {
        let (label, der) = text::decode_vec(block.as_bytes()).map_err(|_| broken(&block))?;
        match label {
            "CERTIFICATE" => certificates.push(der),
            "PRIVATE KEY" => keys.push(Private::from_pkcs8(&der)?),
            "ENCRYPTED PRIVATE KEY" => keys.push(decrypt(&der, password)?),
            "RSA PRIVATE KEY" => {
                let key = RsaPrivateKey::from_pkcs1_der(&der)
                    .map_err(|_| Error::new("the RSA key is broken, or encrypted in an old way"))
                    .map_err(|error| error.hint("'openssl pkcs8 -topk8 -in OLD -out NEW' writes it anew"))?;
                keys.push(Private::rsa(key)?);
            }
            "EC PRIVATE KEY" => {
                let key = p256::SecretKey::from_sec1_der(&der)
                    .map_err(|_| Error::new("the EC key is broken, or not on P-256").hint(OTHER_KEY))?;
                keys.push(Private::Ec(Box::new(SigningKey::from(key))));
            }
            // Parameters and public keys stand there, too.
            _ => {}
        }
    }
    let count = keys.len();
    match keys.pop() {
        Some(key) if count == 1 => Ok((key, certificates)),
        Some(_) => Err(Error::new(format!("there are {count} private keys")).hint("leave one in the file")),
        None if certificates.is_empty() => Err(not_pem()),
        None => Err(Error::new("there is a certificate and no private key")
            .hint("put the private key into the same file")),
    }
}

/// Nothing of it is repeated: it may be the key itself.
fn broken(block: &str) -> Error {
    let what = if block.starts_with("-----BEGIN CERTIFICATE") { "certificate" } else { "private key" };
    let how = match block.contains("-----END ") {
        true => "is broken",
        false => "is cut off: its last line, '-----END …', is missing",
    };
    Error::new(format!("the {what} {how}")).hint("copy the file again from where it was made")
}

fn decrypt(der: &[u8], password: Option<&str>) -> Result<Private> {
    let password = password.ok_or_else(super::pkcs12::no_password)?;
    let broken = |_| Error::new("the encrypted key is broken");
    let info = EncryptedPrivateKeyInfoRef::try_from(der).map_err(broken)?;
    let plain = info.decrypt(password).map_err(|_| super::pkcs12::wrong_password())?;
    Private::from_pkcs8(plain.as_bytes())
}

/// What stands between the lines that begin and end something; other text is for people.
fn blocks(all: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for line in all.lines().map(str::trim) {
        if line.starts_with("-----BEGIN ") {
            blocks.push(String::new());
            open = true;
        }
        if open && let Some(block) = blocks.last_mut() {
            *block += line;
            block.push('\n');
        }
        open &= !line.starts_with("-----END ");
    }
    blocks
}

/// A key and a certificate for it.
pub(super) fn print(key: &p256::SecretKey) -> Result<String> {
    let failed = |_| Error::new("the key cannot be written");
    let private = Private::Ec(Box::new(SigningKey::from(key)));
    let certificate = certificate::self_signed(&private, &private.public()?)?;
    let key = key.to_pkcs8_pem(LineEnding::LF).map_err(failed)?;
    let certificate = text::encode_string("CERTIFICATE", LineEnding::LF, &certificate.der)
        .map_err(|_| Error::new("the certificate cannot be written"))?;
    Ok(format!("{}{certificate}", key.as_str()))
}
