//! `trailblaze run --on-device`

use std::sync::Arc;

use trailblaze_engine::host::Cancel;
use trailblaze_model::driver::AgentMode;

use super::super::devices::{self, Devices};
use super::{Args, phone_driver, print_outcome, report_problems, stop_on_interrupt, terminal, verbosity};
use crate::exit_code::{Exit, Problem};
use crate::on_device::{self, Wanted};
use crate::run::{self, DriverChoice, Listeners};

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    refuse(&args)?;
    let serial = args.device.as_deref().map(serial).transpose()?;
    let driver = phone_driver(args.driver.as_deref())?;
    let (json, verbosity) = (args.json, verbosity(args.verbose, args.quiet));
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    let wanted = Wanted { serial, driver, agent: args.agent_apk.clone() };
    let driver = DriverChoice { stands_in_for: Some(driver) };
    let options = args.into_options(driver, AgentMode::OnDevice)?;
    let prepared = on_device::prepare(&options)?;
    report_problems(&prepared)?;
    let sent = on_device::send(&wanted, &options, &prepared, &cancel)?;
    let folder = run::folder(&options, &prepared)?;
    let listeners: Listeners = vec![Arc::new(terminal(json, verbosity, Some(folder.path()), false))];
    let outcome = sent.run(&options, &folder, &listeners, &cancel)?;
    print_outcome(&outcome, json, verbosity);
    Ok(outcome.exit())
}

/// The phone that is named.
fn serial(device: &str) -> Result<String, Problem> {
    match devices::named(device)? {
        Devices::Phones(serials) => match <[String; 1]>::try_from(serials) {
            Ok([serial]) => Ok(serial),
            Err(_) => {
                let problem =
                    Problem::new(Exit::Usage, "'--on-device' is for one phone, and several are named");
                Err(problem.hint("start a run for each"))
            }
        },
        Devices::Sims(_) => {
            let message = format!("'--on-device' is for a phone, and '{device}' is none");
            Err(Problem::new(Exit::Usage, message).hint("name one with '--device SERIAL'"))
        }
    }
}

/// What the phone cannot do, or the laptop only where it runs the trails itself.
fn refuse(args: &Args) -> Result<(), Problem> {
    let asked = [
        (args.all_devices, "--all-devices"),
        (args.shard_across, "--shard-across"),
        (args.stands_in_for.is_some(), "--as"),
        (args.app.is_some(), "--app"),
        (args.jobs > 1, "--jobs"),
        (args.record.is_some(), "--record"),
        (args.capture.is_some(), "--capture"),
        (args.rpc_token.is_some(), "--rpc-token"),
    ];
    match asked.iter().find(|(is_asked, _)| *is_asked) {
        None => Ok(()),
        Some((_, option)) => {
            let message =
                format!("'{option}' does not go with '--on-device': the phone runs the trails itself");
            Err(Problem::new(Exit::Usage, message)
                .hint("without '--on-device' they run here, on the same phone"))
        }
    }
}
