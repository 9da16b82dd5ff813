//! Keys in files, good and bad.

use std::fs;
use std::path::Path;

use trailblaze_apk::Error;
use trailblaze_apk::key::Key;

/// 2026-11-15, in seconds.
const NOW: i64 = 1_794_700_800;
const DAY: i64 = 24 * 60 * 60;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/apk/keys").join(name)).unwrap()
}

pub(crate) fn read(name: &str) -> Result<Key, Error> {
    Key::read(&bytes(name), None, NOW)
}

#[test]
fn every_form_is_read() {
    for name in ["rsa.pem", "pkcs1.pem", "ec.pem"] {
        assert!(read(name).is_ok(), "{name}");
    }
    for name in ["rsa.p12", "encrypted.pem", "keytool.p12"] {
        assert!(Key::read(&bytes(name), Some("password"), NOW).is_ok(), "{name}");
    }
    assert_eq!(format!("{:?}", read("rsa.pem").unwrap()), "Key(Rsa)");
}

#[track_caller]
fn check(name: &str, password: Option<&str>, expected: &str, hint: &str) {
    let error = Key::read(&bytes(name), password, NOW).unwrap_err();
    assert_eq!(error.message, expected, "{name}");
    let told = error.hint.unwrap_or_default();
    assert!(told.contains(hint) && told.is_empty() == hint.is_empty(), "{name}: {told}");
}

#[test]
fn what_is_wrong_is_told() {
    let no_password = "the key has a password";
    let wrong = "the password of the key is wrong";
    for name in ["rsa.p12", "keytool.p12", "encrypted.pem"] {
        check(name, None, no_password, "--key-password-env");
        check(name, Some("passwort"), wrong, "the one of the store");
    }
    check(
        "old.p12",
        Some("password"),
        "the key file is encrypted in an old way (RC2, 3DES)",
        "openssl pkcs12",
    );
    check("certificate.pem", None, "there is a certificate and no private key", "the same file");
    check("foreign.pem", None, "the certificate belongs to another private key", "its own certificate");
    check("expired.pem", None, "the certificate expired on 2021-01-01", "without '--key'");
    check("p384.pem", None, "the EC key is broken, or not on P-256", "openssl genpkey");
    check("small.pem", None, "the RSA key has 1024 bits, fewer than 2048", "openssl genpkey");
    let der = Key::read(&[0x30, 0x03, 0x02, 0x01, 0x00], None, NOW).unwrap_err();
    assert_eq!(der.message, "this is DER, and no PKCS#12 file");
    check("README.md", None, "this is no key: neither PEM nor PKCS#12", "keytool -importkeystore");
}

/// In words for people, and nothing of the key in them.
#[test]
fn a_key_that_is_cut_off_or_broken() {
    let whole = String::from_utf8(bytes("rsa.pem")).unwrap();
    let (first, _) = whole.split_once("-----END").unwrap();
    let one_line = whole.replacen("KEY-----\n", "KEY-----", 1);
    let certificate = whole.rfind("-----END").unwrap();
    for (text, expected) in [
        (first, "the private key is cut off: its last line, '-----END …', is missing"),
        (&whole[..40], "the private key is cut off: its last line, '-----END …', is missing"),
        (&one_line, "the private key is broken"),
        (&whole[..certificate], "the certificate is cut off: its last line, '-----END …', is missing"),
    ] {
        let error = Key::read(text.as_bytes(), None, NOW).unwrap_err();
        assert_eq!(error.message, expected);
        assert_eq!(error.hint.as_deref(), Some("copy the file again from where it was made"));
    }
}

#[test]
fn a_key_without_a_certificate_gets_one() {
    for (name, made) in [("rsa.pem", false), ("ec.pem", true)] {
        assert_eq!(read(name).unwrap().made_certificate(), made, "{name}");
    }
}

#[test]
fn a_certificate_is_valid_from_a_day_on() {
    let error = Key::read(&bytes("rsa.pem"), None, NOW - 100 * 365 * DAY).unwrap_err();
    assert!(error.message.starts_with("the certificate is valid only from 2020-01-01"), "{error}");
}

#[test]
fn damaged_keys_are_errors_and_nothing_worse() {
    for name in ["keytool.p12", "rsa.pem"] {
        let good = bytes(name);
        for at in (0..good.len()).step_by(29) {
            let mut bad = good.clone();
            bad[at] ^= 0x15;
            // A flip in what nobody reads changes nothing.
            let _ = Key::read(&bad, Some("password"), NOW);
            let _ = Key::read(&good[..at], Some("password"), NOW);
        }
    }
}

#[test]
fn debug_keys_differ_and_can_be_read() {
    let (first, second) = (Key::debug_pem().unwrap(), Key::debug_pem().unwrap());
    assert_ne!(first, second);
    assert!(Key::read(first.as_bytes(), None, NOW).is_ok());
}
