//! The list of devices, as adb's server writes it.

use std::fmt;

use super::error::{self, Error, ErrorKind};
use super::wire::shown;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub serial: String,
    pub state: State,
    pub product: Option<String>,
    /// As the phone calls itself, with `_` for spaces.
    pub model: Option<String>,
    pub device: Option<String>,
    /// Where it is plugged in.
    pub usb: Option<String>,
    /// Another one each time that the phone is connected.
    pub transport_id: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Ready
    Device,
    Offline,
    Unauthorized,
    /// It is being asked, or has just been connected
    Connecting,
    /// With what adb says about it
    NoPermissions(String),
    /// `bootloader`, `recovery`, `sideload`, and whatever later versions say
    Other(String),
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device",
            Self::Offline => "offline",
            Self::Unauthorized => "unauthorized",
            Self::Connecting => "connecting",
            Self::NoPermissions(_) => "no permissions",
            Self::Other(state) => state,
        })
    }
}

impl State {
    fn read(text: &str) -> Self {
        match text {
            "device" => Self::Device,
            "offline" => Self::Offline,
            "unauthorized" => Self::Unauthorized,
            "authorizing" | "connecting" => Self::Connecting,
            _ => match text.strip_prefix("no permissions") {
                Some(why) => Self::NoPermissions(why.trim().to_owned()),
                None => Self::Other(text.to_owned()),
            },
        }
    }
}

/// What stands for a serial that a phone does not have.
const NO_SERIAL: &str = "(no serial number)";

impl Listed {
    fn read(line: &str) -> Option<Self> {
        let serial = match line.strip_prefix(NO_SERIAL) {
            Some(_) => NO_SERIAL,
            None => line.split_whitespace().next()?,
        };
        let rest = line[serial.len()..].trim();
        let words = |key: &str| {
            rest.split_whitespace()
                .find_map(|word| Some(word.strip_prefix(key)?.strip_prefix(':')?.to_owned()))
        };
        // Only this state has spaces in it, and an address among its words.
        let end = match rest.strip_prefix("no permissions") {
            Some(_) => [" usb:", " product:", " transport_id:"].iter().filter_map(|key| rest.find(key)).min(),
            None => rest.find(char::is_whitespace),
        };
        let state = &rest[..end.unwrap_or(rest.len())];
        (!state.is_empty()).then(|| Self {
            serial: serial.to_owned(),
            state: State::read(state),
            product: words("product"),
            model: words("model"),
            device: words("device"),
            usb: words("usb"),
            transport_id: words("transport_id").and_then(|id| id.parse().ok()),
        })
    }

    /// `Pixel 9 (emulator-5554)`.
    pub fn name(&self) -> String {
        match &self.model {
            Some(model) => format!("{} ({})", model.replace('_', " "), self.serial),
            None => self.serial.clone(),
        }
    }

    /// Whether it can be used now; if not, why, and what to do.
    pub fn ready(&self) -> Result<(), Error> {
        let name = self.name();
        let trouble =
            |kind, what: &str, hint: &str| Err(Error::new(kind, format!("{name} {what}")).hint(hint));
        match &self.state {
            State::Device => Ok(()),
            State::Offline => trouble(ErrorKind::Offline, "is offline", error::OFFLINE),
            State::Unauthorized => {
                let what = "has not agreed to be debugged from this laptop";
                trouble(ErrorKind::Unauthorized, what, error::UNAUTHORIZED)
            }
            State::Connecting => trouble(
                ErrorKind::Offline,
                "is being connected",
                "wait a moment; look at the phone for a question",
            ),
            State::NoPermissions(why) => {
                let what = format!("cannot be opened: no permissions {why}");
                trouble(ErrorKind::NoPermissions, what.trim_end(), error::NO_PERMISSIONS)
            }
            State::Other(state) => {
                let hint = match state.as_str() {
                    "bootloader" | "fastbootd" | "recovery" | "rescue" | "sideload" => {
                        "start Android on it: 'adb reboot'"
                    }
                    "detached" => "attach it again: 'adb attach'",
                    _ => "unlock it, or connect it again",
                };
                trouble(ErrorKind::WrongState, &format!("is in the state '{state}'"), hint)
            }
        }
    }
}

/// Or the first line that is none.
pub(super) fn read(text: &str) -> Result<Vec<Listed>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Listed::read(line).ok_or_else(|| shown(line.as_bytes()))).collect()
}

/// The device that is meant: the one with this serial, or the only one. It is ready.
pub fn choose<'a>(devices: &'a [Listed], serial: Option<&str>) -> Result<&'a Listed, Error> {
    let names = || devices.iter().map(Listed::name).collect::<Vec<_>>().join(", ");
    let device = match (serial, devices) {
        (serial, []) => {
            let message = serial.map_or("no phone is connected".to_owned(), |serial| {
                format!("there is no phone '{serial}': none is connected")
            });
            return Err(Error::new(ErrorKind::NoDevice, message).hint(error::NO_DEVICE));
        }
        (Some(serial), _) => devices.iter().find(|device| device.serial == serial).ok_or_else(|| {
            Error::new(ErrorKind::NoDevice, format!("there is no phone '{serial}'"))
                .hint(format!("there is {}", names()))
        })?,
        (None, [device]) => device,
        (None, _) => {
            // The others cannot be meant.
            let mut ready = devices.iter().filter(|device| device.state == State::Device);
            match (ready.next(), ready.next()) {
                (Some(only), None) => only,
                _ => {
                    let message = format!("{} phones are connected: {}", devices.len(), names());
                    return Err(Error::new(ErrorKind::SeveralDevices, message).hint(error::SEVERAL));
                }
            }
        }
    };
    device.ready()?;
    Ok(device)
}

#[cfg(test)]
mod tests;
