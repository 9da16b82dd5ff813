//! The devices of a plan, as `--devices` names them.

use super::Farm;
use crate::exit_code::{Exit, Problem};

/// What a device is; limits differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Physical,
    /// Virtual, with Arm
    Arm,
    /// Virtual, with x86
    X86,
}

/// One device, or one device pool of AWS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device {
    /// What reports call it.
    pub name: String,
    pub kind: Kind,
    pub is: Named,
}

/// How the farm knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// `model`, `version` and what else gcloud takes, in this order.
    Dimensions(Vec<(String, String)>),
    /// `shiba-34` of Device Run, or a model of AWS
    Id,
    /// A device of AWS
    DeviceArn,
    /// A pool of AWS
    PoolArn,
}

const DIMENSIONS: [&str; 4] = ["model", "version", "locale", "orientation"];
const ARN: &str = "arn:aws:devicefarm:";

/// Reads every value of `--devices`.
pub(super) fn read(farm: Farm, values: &[String], kind: Option<Kind>) -> Result<Vec<Device>, Problem> {
    let mut devices: Vec<Device> = Vec::new();
    for value in values {
        let parts: Vec<&str> = match farm {
            Farm::Firebase if value.contains('=') => vec![value],
            _ => value.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
        };
        for part in parts {
            let device = one(farm, part, kind)?;
            if devices.iter().any(|other| other.name == device.name) {
                return Err(usage(format!("the device '{}' is named twice", device.name)));
            }
            devices.push(device);
        }
    }
    if devices.is_empty() {
        return Err(usage("--devices names no device").hint(farm.device_hint()));
    }
    if devices.len() > 1 && devices.iter().any(|device| device.is == Named::PoolArn) {
        return Err(usage("a device pool stands alone: it is a list of devices itself"));
    }
    let has = |wanted: &Named| devices.iter().any(|device| device.is == *wanted);
    if farm == Farm::Aws && has(&Named::DeviceArn) && has(&Named::Id) {
        let problem = usage("devices are named by their models or by their ARNs, not by both");
        return Err(problem.hint("the farm takes only devices that fit all it is told"));
    }
    Ok(devices)
}

fn usage(message: impl Into<String>) -> Problem {
    Problem::new(Exit::Usage, message)
}

fn one(farm: Farm, text: &str, kind: Option<Kind>) -> Result<Device, Problem> {
    // Virtual devices with Arm are called so; of the others nobody knows, and physical ones have the lower limits.
    let guessed = |model: &str| if model.ends_with(".arm") { Kind::Arm } else { Kind::Physical };
    let bad = |why: &str| usage(format!("'{text}' is no device: {why}")).hint(farm.device_hint());
    match farm {
        Farm::Aws => {
            if kind.is_some_and(|kind| kind != Kind::Physical) {
                return Err(usage("AWS Device Farm has physical devices only"));
            }
            let is = match text.strip_prefix(ARN).and_then(|rest| rest.split(':').nth(2)) {
                Some("devicepool") => Named::PoolArn,
                Some("device") => Named::DeviceArn,
                Some(_) => return Err(bad("that ARN is not one of a device or a device pool")),
                None => Named::Id,
            };
            Ok(Device { name: text.to_owned(), kind: Kind::Physical, is })
        }
        Farm::Firebase if text.contains('=') => {
            let mut pairs = Vec::new();
            for part in text.split(',') {
                let (key, value) = part.split_once('=').ok_or_else(|| bad("write KEY=VALUE"))?;
                let (key, value) = (key.trim(), value.trim());
                if !DIMENSIONS.contains(&key) {
                    return Err(bad(&format!("'{key}' is none of {}", DIMENSIONS.join(", "))));
                }
                pairs.push((key.to_owned(), value.to_owned()));
            }
            let get =
                |wanted: &str| pairs.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
            let (Some(model), Some(version)) = (get("model"), get("version")) else {
                return Err(bad("it needs a model and a version"));
            };
            let rest: String = ["locale", "orientation"]
                .into_iter()
                .filter_map(get)
                .map(|value| format!("-{value}"))
                .collect();
            let kind = kind.unwrap_or_else(|| guessed(model));
            Ok(Device { name: format!("{model}-{version}{rest}"), kind, is: Named::Dimensions(pairs) })
        }
        Farm::Firebase | Farm::DeviceRun => {
            let is_version =
                |version: &str| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
            let (model, version) = text
                .rsplit_once('-')
                .filter(|(model, version)| !model.is_empty() && is_version(version))
                .ok_or_else(|| bad("it has no version"))?;
            let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            let is = match farm {
                Farm::Firebase => Named::Dimensions(vec![pair("model", model), pair("version", version)]),
                _ => Named::Id,
            };
            Ok(Device { name: text.to_owned(), kind: kind.unwrap_or_else(|| guessed(model)), is })
        }
    }
}
