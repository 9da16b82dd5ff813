//! What can go wrong between here and a phone, as a value.

use std::fmt;
use std::io;
use std::sync::Arc;

use trailblaze_model::failure::{Failure, FailureKind};

use super::address::{ANDROID_ADB_SERVER_PORT, Address};
use super::install::Refusal;
use super::limit::{Limit, Over};

/// What went wrong, for code that acts on it. People have the message and the hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no program `adb`
    NoAdb,
    /// adb's server is not there, and cannot be started
    NoServer,
    /// No device is known by this serial, or none at all
    NoDevice,
    /// Several devices fit
    SeveralDevices,
    /// The phone has not agreed to this laptop
    Unauthorized,
    /// The phone is known, but does not answer
    Offline,
    /// This user may not open the phone
    NoPermissions,
    /// The phone is there, but runs no Android just now: bootloader, recovery, …
    WrongState,
    /// The server or the phone said no
    Refused,
    /// There is no such file on the phone
    NoFile,
    /// The package manager said no
    Install(Refusal),
    /// The connection ended before the answer did
    Lost,
    /// What came is no answer
    Protocol,
    /// A file on this side cannot be read or written
    Local,
    /// The phone is too old for this
    NotSupported,
    TimedOut,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whether the same call may succeed once the phone is there again.
    pub fn may_pass(&self) -> bool {
        use ErrorKind::{Lost, NoDevice, NoServer, Offline};
        matches!(self.kind, Lost | NoDevice | NoServer | Offline)
    }

    pub(super) fn over(about: &str, over: Over, limit: &Limit) -> Self {
        match over {
            Over::Cancelled => Self::new(ErrorKind::Cancelled, format!("{about} was interrupted")),
            Over::Time => {
                let message = format!("{about} did not end within {}", in_words(limit));
                Self::new(ErrorKind::TimedOut, message)
                    .hint("is the phone awake and still connected? 'adb devices' says")
            }
        }
    }

    pub(super) fn lost(about: &str) -> Self {
        Self::new(ErrorKind::Lost, format!("{about} was cut off: the connection was closed"))
            .hint("was the phone unplugged, or adb's server restarted? 'adb devices' says what is there")
    }

    pub(super) fn protocol(about: &str, what: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Protocol, format!("{about} was answered by what is no answer: {what}"))
            .hint("does something else than adb's server listen there? try 'adb kill-server'")
    }

    /// The first question of all was not answered as adb's server does: what listens there is something else.
    pub(super) fn other_server(self, address: &Address) -> Self {
        let what = match self.kind {
            ErrorKind::Protocol => "what listens there is something else",
            ErrorKind::TimedOut => "what listens there says nothing",
            _ => return self,
        };
        let message = format!("adb's server does not answer at {address}: {what}");
        let hint = format!(
            "set {ANDROID_ADB_SERVER_PORT} to the port that adb's server has, or end what listens there"
        );
        Self::new(self.kind, message).hint(hint)
    }

    pub(super) fn socket(about: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected
            | io::ErrorKind::UnexpectedEof => Self::lost(about),
            _ => Self::new(ErrorKind::Lost, format!("{about} was cut off: {error}")),
        }
    }

    /// What adb's server, or the phone through it, said instead of yes.
    pub(super) fn refused(about: &str, said: &str) -> Self {
        let first = &plain(said.lines().next().unwrap_or_default());
        let refused = |kind, hint: &str| Self::new(kind, format!("{about} failed: {first}")).hint(hint);
        let says = |words: &str| said.contains(words);
        if says("unauthorized") || says("still authorizing") {
            refused(ErrorKind::Unauthorized, UNAUTHORIZED)
        } else if says("insufficient permissions") || says("no permissions") {
            refused(ErrorKind::NoPermissions, NO_PERMISSIONS)
        } else if says("offline") || says("still connecting") {
            refused(ErrorKind::Offline, OFFLINE)
        } else if says("more than one device") {
            refused(ErrorKind::SeveralDevices, SEVERAL)
        } else if says("no devices") || first.starts_with("device ") && first.ends_with(" not found") {
            refused(ErrorKind::NoDevice, NO_DEVICE)
        } else {
            let why = if first.is_empty() { "adb gave no reason" } else { first };
            Self::new(ErrorKind::Refused, format!("{about} failed: {why}"))
        }
    }

    /// What stands behind an error of a [`Stream`](super::Stream) that was used as a reader or writer.
    pub fn behind(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

pub(super) const UNAUTHORIZED: &str = "accept the question 'Allow USB debugging?' on the phone";
pub(super) const OFFLINE: &str = "replug the phone, or switch USB debugging off and on again";
pub(super) const NO_PERMISSIONS: &str = "this user may not open the phone: on Linux it needs udev rules, as the package 'android-sdk-platform-tools-common' has them";
pub(super) const NO_DEVICE: &str =
    "connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there";
pub(super) const SEVERAL: &str = "name one with '--device SERIAL'";

/// `500 ms`, `30 s`.
fn in_words(limit: &Limit) -> String {
    let time = limit.time();
    if time.as_millis().is_multiple_of(1000) {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match error.kind {
            ErrorKind::Cancelled => FailureKind::Interrupted,
            _ => FailureKind::Device,
        };
        let failure = Self::new(kind, error.message);
        match error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        // Never `Interrupted`: the standard library tries again where it sees that.
        let kind = match error.kind {
            ErrorKind::TimedOut => io::ErrorKind::TimedOut,
            ErrorKind::Lost => io::ErrorKind::ConnectionReset,
            ErrorKind::Cancelled => io::ErrorKind::ConnectionAborted,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// What somebody else said, as a message can show it: no control characters, and not without an end.
pub(super) fn plain(said: &str) -> String {
    const MOST: usize = 1000;
    let said = said.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    said.take(MOST).collect()
}

/// Long hexadecimal numbers are names that nobody may guess, and messages go to other people.
pub fn without_secrets(text: &str) -> String {
    const LONG: usize = 32;
    let is_digit = |c: char| c.is_ascii_hexdigit();
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_digit) {
        let (before, from) = rest.split_at(start);
        let (digits, after) = from.split_at(from.find(|c| !is_digit(c)).unwrap_or(from.len()));
        shown += before;
        shown += if digits.len() < LONG { digits } else { "…" };
        rest = after;
    }
    shown + rest
}

/// What a connection is for, as messages name it: `'shell:ls' on emulator-5554`.
pub(super) fn about(service: &str, serial: Option<&str>) -> Arc<str> {
    const MOST: usize = 60;
    let service = without_secrets(&service.replace(['\0', '\n'], " "));
    let mut short: String = service.chars().take(MOST).collect();
    if short.len() < service.len() {
        short.push('…');
    }
    match serial {
        Some(serial) => format!("'{short}' on {serial}").into(),
        None => format!("'{short}' of adb's server").into(),
    }
}
