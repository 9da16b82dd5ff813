//! What the package manager says instead of `Success`, in plain words.

use crate::adb::error::{Error, ErrorKind, plain};

/// Why the package manager said no, for code that acts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The phone is full
    NoRoom,
    /// A newer version is there
    Downgrade,
    /// The one that is there is signed with another key
    OtherSignature,
    /// Somebody, or a setting of the phone, said no
    Forbidden,
    /// The APK is not for this phone: its Android, its processor
    OtherPhone,
    /// The APK is broken, or not signed
    BadApk,
    Other,
}

/// A refusal with the package manager's own words.
#[derive(Debug)]
pub(super) struct Refused {
    refusal: Refusal,
    in_words: Option<&'static str>,
    hint: Option<&'static str>,
    said: String,
}

/// By how a code begins: the first that fits.
const CODES: &[(&str, Refusal, &str, &str)] = &[
    (
        "INSTALL_FAILED_INSUFFICIENT_STORAGE",
        Refusal::NoRoom,
        "the phone has no room for it",
        "make room on the phone",
    ),
    (
        "INSTALL_FAILED_VERSION_DOWNGRADE",
        Refusal::Downgrade,
        "a newer version of it is there",
        "remove that one first",
    ),
    (
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
        Refusal::OtherSignature,
        "the one that is there is signed with another key",
        "remove that one first, with its data",
    ),
    (
        "INSTALL_FAILED_SHARED_USER_INCOMPATIBLE",
        Refusal::OtherSignature,
        "it shares its user with an app that is signed with another key",
        "sign both with one key",
    ),
    (
        "INSTALL_FAILED_USER_RESTRICTED",
        Refusal::Forbidden,
        "the phone does not allow it",
        "allow 'Install via USB' in the developer options, and accept the question on the phone",
    ),
    (
        "INSTALL_FAILED_ABORTED",
        Refusal::Forbidden,
        "it was called off on the phone",
        "accept the question on the phone",
    ),
    (
        "INSTALL_FAILED_VERIFICATION",
        Refusal::Forbidden,
        "the phone's check of apps refused it",
        "switch 'Verify apps over USB' off in the developer options, or accept the question on the phone",
    ),
    (
        "INSTALL_FAILED_OLDER_SDK",
        Refusal::OtherPhone,
        "it needs a later Android than the phone has",
        "take another phone, or lower its minSdk",
    ),
    (
        "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
        Refusal::OtherPhone,
        "it was made for an Android that this phone does not take any more",
        "raise its targetSdk",
    ),
    (
        "INSTALL_FAILED_NO_MATCHING_ABIS",
        Refusal::OtherPhone,
        "it has no libraries for the phone's processor",
        "build it for the phone's ABI: 'adb shell getprop ro.product.cpu.abilist' names it",
    ),
    (
        "INSTALL_PARSE_FAILED_NO_CERTIFICATES",
        Refusal::BadApk,
        "it is not signed, or its signature is wrong",
        "sign it again",
    ),
    (
        "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES",
        Refusal::OtherSignature,
        "it is signed with several keys",
        "sign it again",
    ),
    ("INSTALL_PARSE_FAILED", Refusal::BadApk, "the phone cannot read it", "is it a whole APK?"),
    ("INSTALL_FAILED_INVALID_APK", Refusal::BadApk, "the phone cannot read it", "is it a whole APK?"),
];

/// None where it succeeded.
pub(super) fn read(said: &str) -> Option<Refused> {
    let said = said.trim();
    if said.lines().any(|line| line.trim_end() == "Success" || line.starts_with("Success:")) {
        return None;
    }
    let failure = said.lines().find_map(|line| line.trim().strip_prefix("Failure"));
    let said = match failure {
        Some(reason) => reason.trim().trim_start_matches('[').trim_end_matches(']'),
        // The stack of an exception may follow.
        None => said.lines().next().unwrap_or_default(),
    };
    let code = CODES.iter().find(|(code, ..)| said.starts_with(code));
    // Some say it in their own words, after a code for everything.
    let is_full = said.contains("not enough space") || said.contains("No space left");
    let code = code.or_else(|| CODES.first().filter(|_| is_full));
    let said = if said.is_empty() { "it gave no reason" } else { said };
    Some(Refused {
        refusal: code.map_or(Refusal::Other, |&(_, refusal, ..)| refusal),
        in_words: code.map(|&(_, _, words, _)| words),
        hint: code.map(|&(.., hint)| hint),
        said: plain(said),
    })
}

impl Refused {
    pub(super) fn error(self, what: &str) -> Error {
        let Self { refusal, in_words, hint, said } = self;
        let message = match in_words {
            Some(words) => format!("{what}: {words} ({said})"),
            None => format!("{what}: {said}"),
        };
        let error = Error::new(ErrorKind::Install(refusal), message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, expected: &str) {
        let found = match read(said) {
            None => "ok".to_owned(),
            Some(refused) => {
                let refusal = refused.refusal;
                format!("{refusal:?}: {}", refused.error("x"))
            }
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn it_succeeded() {
        check("Success\n", "ok");
        check("Performing Streamed Install\nSuccess\r\n", "ok");
    }

    #[test]
    fn reasons_in_plain_words() {
        check(
            "Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than current 2]\n",
            "Downgrade: x: a newer version of it is there (INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than current 2)\nhint: remove that one first",
        );
        check(
            "Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package a signatures do not match newer version; ignoring!]",
            "OtherSignature: x: the one that is there is signed with another key (INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package a signatures do not match newer version; ignoring!)\nhint: remove that one first, with its data",
        );
        check(
            "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]",
            "NoRoom: x: the phone has no room for it (INSTALL_FAILED_INSUFFICIENT_STORAGE)\nhint: make room on the phone",
        );
        check(
            "Error: java.io.IOException: Requested internal only, but not enough space\n\tat a.b(C.java:1)",
            "NoRoom: x: the phone has no room for it (Error: java.io.IOException: Requested internal only, but not enough space)\nhint: make room on the phone",
        );
        check(
            "Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse]",
            "BadApk: x: the phone cannot read it (INSTALL_PARSE_FAILED_NOT_APK: Failed to parse)\nhint: is it a whole APK?",
        );
    }

    #[test]
    fn reasons_that_nobody_knows() {
        check("Failure [INSTALL_FAILED_DEXOPT]", "Other: x: INSTALL_FAILED_DEXOPT");
        check("Failure", "Other: x: it gave no reason");
        check("", "Other: x: it gave no reason");
        check("Error: Unable to open file\nmore", "Other: x: Error: Unable to open file");
        check("cmd: Can't find service: package", "Other: x: cmd: Can't find service: package");
    }
}
