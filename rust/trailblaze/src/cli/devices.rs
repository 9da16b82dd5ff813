//! `trailblaze devices`, and which devices a command line names.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use trailblaze_devices::adb::Listed;
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::Failure;

use super::{parse_driver, print, print_json};
use crate::exit_code::{Exit, Problem};
use crate::laptop;

/// So many sims at once.
const MOST: usize = 256;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// Lists what trails can be run on.
pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let phones = laptop::phones(&Cancel::default());
    let listed = phones.as_deref().unwrap_or_default();
    if args.json {
        let sim = json!({ "id": "sim", "state": "device", "name": "sim" });
        let phone = |phone: &Listed| json!({ "id": phone.serial, "state": phone.state.to_string(), "name": phone.name() });
        print_json(&std::iter::once(sim).chain(listed.iter().map(phone)).collect());
    } else {
        print("sim  embedded; 'sim:8' are eight of them\n");
        for phone in listed {
            print(&format!("{}  {}\n", phone.serial, about(phone)));
            if let Err(why) = phone.ready() {
                talk!("{}", Failure::from(why));
            }
        }
    }
    match &phones {
        Ok(phones) if phones.is_empty() => {
            talk!("no phone is connected");
            talk!(
                "hint: connect one with USB debugging switched on, or start an emulator; 'trailblaze doctor' says what is missing"
            );
        }
        Ok(_) => {}
        Err(problem) => {
            talk!("no phones: {}", problem.message);
            problem.hint.iter().for_each(|hint| talk!("hint: {hint}"));
        }
    }
    Ok(Exit::Passed)
}

/// What is only for phones, where none is named.
pub(super) fn refuse_agent_apk(agent_apk: Option<&Path>) -> Result<(), Problem> {
    if agent_apk.is_none() {
        return Ok(());
    }
    Err(Problem::new(Exit::Usage, "'--agent-apk' is for a phone, and none is named")
        .hint("name one with '--device SERIAL', or leave it out"))
}

/// What it is, and whether it can be used.
fn about(phone: &Listed) -> String {
    let state = match phone.ready() {
        Ok(()) => "ready".to_owned(),
        Err(_) => phone.state.to_string(),
    };
    let model = phone.model.as_ref().map(|model| format!("{}, ", model.replace('_', " ")));
    model.unwrap_or_default() + &state
}

/// What trails run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Devices {
    Sims(Vec<Arc<str>>),
    /// By their serials.
    Phones(Vec<String>),
}

/// What `--device` names; without it, the only phone where the driver is one of phones, else the sim.
pub(super) fn chosen(device: Option<&str>, driver: Option<&str>) -> Result<Devices, Problem> {
    if driver.is_some_and(|driver| driver.eq_ignore_ascii_case("recorded")) {
        let message =
            "'--driver recorded' is a saved run, and nothing else can be done with it than to run it";
        return Err(
            Problem::new(Exit::Usage, message).hint("'trailblaze run --driver recorded --device DIR' does")
        );
    }
    let devices = match (device, driver) {
        (None, Some(driver)) if asks_for_a_phone(driver) => the_phone(driver)?,
        _ => named(device.unwrap_or("sim"))?,
    };
    match &devices {
        Devices::Phones(serials) if driver.is_some_and(|driver| driver.eq_ignore_ascii_case("sim")) => {
            let message =
                format!("'--driver sim' is the embedded device, and '{}' is a phone", serials.join(","));
            Err(Problem::new(Exit::Usage, message)
                .hint("leave out '--driver' for the phone, or '--device' for the sim"))
        }
        _ => Ok(devices),
    }
}

/// Whether the driver is one of phones, and of those that can be driven.
fn asks_for_a_phone(driver: &str) -> bool {
    parse_driver(driver, &[]).is_ok_and(|driver| driver.unsupported().is_none())
}

/// The only phone that is connected.
fn the_phone(driver: &str) -> Result<Devices, Problem> {
    laptop::the_phone(&Cancel::default()).map(|serial| Devices::Phones(vec![serial])).map_err(|problem| {
        let sim = format!("'--driver sim --as {driver}' runs the trails on the embedded device");
        let hint = problem.hint.as_ref().map(|hint| format!("{hint}; or {sim}")).unwrap_or(sim);
        problem.hint(hint)
    })
}

/// `sim`, `sim-1,sim-2`, `sim:8` for eight of them, or the serials of phones.
pub(super) fn named(text: &str) -> Result<Devices, Problem> {
    let is_phone = |name: &&str| !name.is_empty() && !name.starts_with("sim:") && !is_sim(name);
    // As with drivers, it does not matter how a sim is written.
    let lower = text.to_ascii_lowercase();
    let names = text.split(',').map(str::trim).zip(lower.split(',').map(str::trim));
    let names: Vec<&str> = names.map(|(name, lower)| if is_phone(&lower) { name } else { lower }).collect();
    if !names.iter().any(is_phone) {
        return sims(&names).map(Devices::Sims);
    }
    if let Some(name) = names.iter().find(|name| !is_phone(name)) {
        let message = format!("'{name}' is no phone, and others that are named are");
        return Err(Problem::new(Exit::Usage, message).hint("phones and sims need a run each"));
    }
    let serials: Vec<String> = names.into_iter().map(str::to_owned).collect();
    named_once(&serials)?;
    Ok(Devices::Phones(serials))
}

fn named_once<T: PartialEq + std::fmt::Display>(devices: &[T]) -> Result<(), Problem> {
    let twice = devices.iter().enumerate().find(|(at, device)| devices[..*at].contains(device));
    match twice {
        Some((_, device)) => Err(Problem::new(Exit::Usage, format!("the device '{device}' is named twice"))),
        None => Ok(()),
    }
}

fn sims(names: &[&str]) -> Result<Vec<Arc<str>>, Problem> {
    let mut devices: Vec<Arc<str>> = Vec::new();
    for name in names.iter().copied() {
        match name.strip_prefix("sim:").map(str::parse) {
            Some(Ok(count)) if (1..=MOST).contains(&count) => {
                devices.extend((1..=count).map(|number| format!("sim-{number}").into()));
            }
            Some(_) => {
                let message = format!("'{name}' does not say how many sims");
                return Err(
                    Problem::new(Exit::Usage, message).hint(format!("write 'sim:N' with N up to {MOST}"))
                );
            }
            None if is_sim(name) => devices.push(name.into()),
            None => {
                let hint = "sims are 'sim-1,sim-2', or 'sim:8' for eight of them";
                return Err(Problem::new(Exit::Device, format!("there is no device '{name}'")).hint(hint));
            }
        }
    }
    named_once(&devices)?;
    Ok(devices)
}

/// The phones that are connected. One that cannot be used is said; of sims there are as many as one asks for.
pub(super) fn all() -> Result<Devices, Problem> {
    let phones = laptop::phones(&Cancel::default())?;
    if phones.is_empty() {
        let hint = "connect one; without '--all-devices' the trails run on the sim";
        return Err(Problem::new(Exit::Device, "no phone is connected").hint(hint));
    }
    let mut serials = Vec::new();
    for phone in phones {
        match phone.ready() {
            Ok(()) => serials.push(phone.serial),
            Err(why) => talk!("warning: {} is left out: {}", phone.serial, Failure::from(why)),
        }
    }
    match serials.is_empty() {
        true => Err(Problem::new(Exit::Device, "no phone that is connected can be used")
            .hint("mend one of them, or run on the sim without '--all-devices'")),
        false => Ok(Devices::Phones(serials)),
    }
}

/// `sim`, or `sim-` and a number.
fn is_sim(name: &str) -> bool {
    let number = name.strip_prefix("sim-").map(|rest| rest.parse::<u32>().is_ok());
    name == "sim" || number.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = match named(text) {
            Ok(Devices::Sims(devices)) => devices.join(" "),
            Ok(Devices::Phones(serials)) => format!("phones {}", serials.join(" ")),
            Err(problem) => problem.message,
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn devices_by_their_names() {
        check("sim", "sim");
        check("Sim", "sim");
        check("SIM-2, Sim:1", "sim-2 sim-1");
        check("Simon", "phones Simon");
        check("sim:3", "sim-1 sim-2 sim-3");
        check("sim-2, sim-7,sim", "sim-2 sim-7 sim");
        check("sim:0", "'sim:0' does not say how many sims");
        check("sim:many", "'sim:many' does not say how many sims");
        check("sim-1,sim:2", "the device 'sim-1' is named twice");
        check("emulator-5554", "phones emulator-5554");
        check("R5CT, 10.0.0.7:5555", "phones R5CT 10.0.0.7:5555");
        check("R5CT,R5CT", "the device 'R5CT' is named twice");
        check("sim-1,emulator-5554", "'sim-1' is no phone, and others that are named are");
        check("emulator-5554,", "'' is no phone, and others that are named are");
        check("", "there is no device ''");
    }
}
