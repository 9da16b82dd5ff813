//! The key that an APK is signed with, and its certificate.

mod pem;
mod pkcs12;

use std::fmt;

use p256::ecdsa::SigningKey as EcKey;
use pkcs8::DecodePrivateKey;
use rsa::pkcs1v15::SigningKey as RsaKey;
use rsa::pkcs8::EncodePublicKey;
use rsa::signature::{SignatureEncoding, Signer};
use rsa::traits::PublicKeyParts;
use rsa::{RsaPrivateKey, RsaPublicKey};
use sha2::Sha256;

use crate::certificate::{self, Certificate};
use crate::error::{Error, Result};

/// What helps where a key is not of a kind that signs APKs.
const OTHER_KEY: &str = "'openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048' makes one";
/// Weaker keys are not taken by the platform's own checks.
const FEWEST_BITS: u32 = 2048;

/// What goes with a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Rsa,
    Ec,
}

/// A private key. It does not print.
pub(crate) enum Private {
    Rsa(Box<RsaKey<Sha256>>),
    Ec(Box<EcKey>),
}

/// A key with its certificate.
pub struct Key {
    private: Private,
    pub(crate) certificate: Certificate,
    made_certificate: bool,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?})", self.private.kind())
    }
}

impl Private {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Rsa(_) => Kind::Rsa,
            Self::Ec(_) => Kind::Ec,
        }
    }

    /// From PKCS#8, the form that every tool writes.
    pub(crate) fn from_pkcs8(der: &[u8]) -> Result<Self> {
        if let Ok(key) = RsaPrivateKey::from_pkcs8_der(der) {
            return Self::rsa(key);
        }
        EcKey::from_pkcs8_der(der)
            .map(|key| Self::Ec(Box::new(key)))
            .map_err(|_| Error::new("the private key is neither RSA nor ECDSA on P-256").hint(OTHER_KEY))
    }

    pub(crate) fn rsa(key: RsaPrivateKey) -> Result<Self> {
        let bits = key.n().bits();
        if bits < FEWEST_BITS {
            return Err(
                Error::new(format!("the RSA key has {bits} bits, fewer than {FEWEST_BITS}")).hint(OTHER_KEY)
            );
        }
        Ok(Self::Rsa(Box::new(RsaKey::new(key))))
    }

    /// The same message gives the same signature: PKCS#1 v1.5, or ECDSA by RFC 6979.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        let failed = |_| Error::new("the key cannot sign");
        match self {
            Self::Rsa(key) => key.try_sign(message).map(|signature| signature.to_vec()).map_err(failed),
            Self::Ec(key) => {
                let signature: p256::ecdsa::Signature = key.try_sign(message).map_err(failed)?;
                Ok(signature.to_der().as_bytes().to_vec())
            }
        }
    }

    /// The public half, as certificates hold it.
    pub(crate) fn public(&self) -> Result<Vec<u8>> {
        let key = match self {
            Self::Rsa(key) => {
                let key: &RsaPrivateKey = key.as_ref().as_ref();
                RsaPublicKey::from(key).to_public_key_der()
            }
            Self::Ec(key) => key.verifying_key().to_public_key_der(),
        };
        key.map(|key| key.as_bytes().to_vec()).map_err(|_| Error::new("the key has no public half"))
    }
}

impl Key {
    /// A key from a file: PEM or PKCS#12. `now` is in seconds since 1970.
    pub fn read(bytes: &[u8], password: Option<&str>, now: i64) -> Result<Self> {
        let (private, certificates) = match bytes {
            [crate::der::SEQUENCE, ..] => pkcs12::read(bytes, password)?,
            _ => pem::read(bytes, password)?,
        };
        Self::with(private, &certificates, now)
    }

    fn with(private: Private, certificates: &[Vec<u8>], now: i64) -> Result<Self> {
        let public = private.public()?;
        let certificates: Vec<Certificate> =
            certificates.iter().map(|der| Certificate::read(der)).collect::<Result<_>>()?;
        let has_any = !certificates.is_empty();
        let certificate = match certificates.into_iter().find(|one| one.public_key == public) {
            Some(own) => own,
            None if has_any => {
                let error = Error::new("the certificate belongs to another private key");
                return Err(error.hint("put the key and its own certificate into one file"));
            }
            None => certificate::self_signed(&private, &public)?,
        };
        let day = |time: i64| certificate::date(time);
        if now > certificate.not_after {
            let error = Error::new(format!("the certificate expired on {}", day(certificate.not_after)));
            return Err(error.hint("make a new key; without '--key' a debug key is used"));
        }
        if now < certificate.not_before {
            let message = format!("the certificate is valid only from {} on", day(certificate.not_before));
            return Err(Error::new(message).hint("look whether the clock of this machine is right"));
        }
        Ok(Self { private, certificate, made_certificate: !has_any })
    }

    /// A new key for signing while developing, as PEM with its certificate.
    pub fn debug_pem() -> Result<String> {
        use p256::elliptic_curve::Generate;
        let key = p256::SecretKey::try_generate()
            .map_err(|error| Error::new(format!("no random numbers: {error}")))?;
        pem::print(&key)
    }

    /// Whether the file holds no certificate, and one was made: the same each time.
    pub fn made_certificate(&self) -> bool {
        self.made_certificate
    }

    pub(crate) fn private(&self) -> &Private {
        &self.private
    }
}
