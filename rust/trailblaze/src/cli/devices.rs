//! Which devices a command line names.

use std::sync::Arc;

use crate::exit_code::{Exit, Problem};

/// So many sims at once.
const MOST: usize = 256;

/// `sim`, `sim-1,sim-2`, or `sim:8` for eight of them.
pub(super) fn named(text: &str) -> Result<Vec<Arc<str>>, Problem> {
    let mut devices: Vec<Arc<str>> = Vec::new();
    for name in text.split(',').map(str::trim) {
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
                let hint = "this version drives sims: 'sim', 'sim-1,sim-2', or 'sim:8' for eight of them";
                return Err(Problem::new(Exit::Device, format!("there is no device '{name}'")).hint(hint));
            }
        }
    }
    let twice = devices.iter().enumerate().find(|(at, device)| devices[..*at].contains(device));
    match twice {
        Some((_, device)) => Err(Problem::new(Exit::Usage, format!("the device '{device}' is named twice"))),
        None => Ok(devices),
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
            Ok(devices) => devices.join(" "),
            Err(problem) => problem.message,
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn devices_by_their_names() {
        check("sim", "sim");
        check("sim:3", "sim-1 sim-2 sim-3");
        check("sim-2, sim-7,sim", "sim-2 sim-7 sim");
        check("sim:0", "'sim:0' does not say how many sims");
        check("sim:many", "'sim:many' does not say how many sims");
        check("sim-1,sim:2", "the device 'sim-1' is named twice");
        check("emulator-5554", "there is no device 'emulator-5554'");
        check("sim-x", "there is no device 'sim-x'");
        check("", "there is no device ''");
    }
}
