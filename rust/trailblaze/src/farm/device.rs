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
    /// The API level, where the name says it.
    pub level: Option<u32>,
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
const ORIENTATIONS: [&str; 2] = ["portrait", "landscape"];

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
                return Err(
                    usage(format!("the device '{}' is named twice", device.name)).hint("name it once")
                );
            }
            devices.push(device);
        }
    }
    if devices.is_empty() {
        return Err(usage("--devices names no device").hint(farm.device_hint()));
    }
    if devices.len() > 1 && devices.iter().any(|device| device.is == Named::PoolArn) {
        let problem = usage("a device pool stands alone: it is a list of devices itself");
        return Err(problem.hint("plan the pool and the other devices one after the other"));
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
    let is_arm = |model: &str| model.ends_with(".arm") || model.ends_with("-arm");
    let guessed = |model: &str| if is_arm(model) { Kind::Arm } else { Kind::Physical };
    let bad = |why: &str| usage(format!("'{text}' is no device: {why}")).hint(farm.device_hint());
    match farm {
        Farm::Aws => {
            if kind.is_some_and(|kind| kind != Kind::Physical) {
                return Err(usage("AWS Device Farm has physical devices only").hint("leave --kind out"));
            }
            let is = match arn(text) {
                Some("devicepool") => Named::PoolArn,
                Some("device") => Named::DeviceArn,
                _ if text.starts_with("arn:") => {
                    return Err(bad("that ARN is not one of a device or a device pool"));
                }
                _ if is_of_gcloud(text) => return Err(bad("that is how gcloud writes it")),
                _ if !text.contains(|c: char| c.is_alphabetic()) => return Err(bad("a model has a name")),
                _ => Named::Id,
            };
            Ok(Device { name: text.to_owned(), kind: Kind::Physical, level: None, is })
        }
        Farm::Firebase if text.contains('=') => {
            let mut pairs = Vec::new();
            for part in text.split(',') {
                let (key, value) = part.split_once('=').ok_or_else(|| bad("write KEY=VALUE"))?;
                let (key, value) = (key.trim(), value.trim());
                if !DIMENSIONS.contains(&key) {
                    return Err(bad(&format!("'{key}' is none of {}", DIMENSIONS.join(", "))));
                }
                if value.is_empty() {
                    return Err(bad(&format!("'{key}' has no value")));
                }
                if key == "orientation" && !ORIENTATIONS.contains(&value) {
                    return Err(bad(&format!("'{value}' is neither {}", ORIENTATIONS.join(" nor "))));
                }
                if pairs.iter().any(|(known, _)| known == key) {
                    return Err(bad(&format!("'{key}' is given twice")));
                }
                pairs.push((key.to_owned(), value.to_owned()));
            }
            let get =
                |wanted: &str| pairs.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
            let (Some(model), Some(version)) = (get("model"), get("version")) else {
                return Err(bad("it needs a model and a version"));
            };
            check_model(model).map_err(bad)?;
            let level = version.parse().map_err(|_| bad("its version is no API level"))?;
            let rest: String = ["locale", "orientation"]
                .into_iter()
                .filter_map(get)
                .map(|value| format!("-{value}"))
                .collect();
            let kind = kind.unwrap_or_else(|| guessed(model));
            let name = format!("{model}-{version}{rest}");
            Ok(Device { name, kind, level: Some(level), is: Named::Dimensions(pairs) })
        }
        Farm::Firebase | Farm::DeviceRun => {
            let (model, version) = text.rsplit_once('-').ok_or_else(|| bad("it has no version"))?;
            check_model(model).map_err(bad)?;
            let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
            let level = version.parse().ok().filter(|_| is_version);
            let level: u32 = level.ok_or_else(|| bad("it has no version"))?;
            let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            let is = match farm {
                Farm::Firebase => Named::Dimensions(vec![pair("model", model), pair("version", version)]),
                _ => Named::Id,
            };
            let kind = kind.unwrap_or_else(|| guessed(model));
            Ok(Device { name: text.to_owned(), kind, level: Some(level), is })
        }
    }
}

fn check_model(model: &str) -> Result<(), &'static str> {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    match !model.is_empty() && model.chars().all(is_sign) {
        true => Ok(()),
        false => Err("a model has letters, digits and '_.-'"),
    }
}

/// `shiba-34` or `model=shiba,…`
fn is_of_gcloud(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_version = text.rsplit_once('-').is_some_and(|(_, version)| is_number(version));
    text.contains('=') || (has_version && !text.contains(' '))
}

/// The region in an ARN.
pub(super) fn region(arn: &str) -> Option<&str> {
    arn.split(':').nth(3)
}

/// What an ARN of AWS Device Farm is one of: `arn:aws:devicefarm:REGION:ACCOUNT:KIND:ID`. Devices, and pools that
/// everybody has, are of no account.
pub(super) fn arn(text: &str) -> Option<&str> {
    let parts: Vec<&str> = text.splitn(7, ':').collect();
    let ["arn", "aws", "devicefarm", region, account, kind, id] = parts[..] else { return None };
    let is_account = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
    let is_good = !region.is_empty() && !id.is_empty() && (is_account || account.is_empty());
    is_good.then_some(kind)
}
