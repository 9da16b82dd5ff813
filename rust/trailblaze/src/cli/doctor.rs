//! `trailblaze doctor`

use std::path::PathBuf;

use trailblaze_engine::host::Cancel;

use super::{print, print_json};
use crate::doctor::{self, Options};
use crate::exit_code::{Exit, Problem};
use crate::files;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The phone to look at; the only one that is connected unless given
    #[arg(long, value_name = "SERIAL")]
    device: Option<String>,
    /// The agent's APK; the release's, beside the program, unless given
    #[arg(long, value_name = "FILE")]
    agent_apk: Option<PathBuf>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Says what is missing, and writes what a phone said for sending.
pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let cancel = Cancel::default();
    super::run::stop_on_interrupt(&cancel);
    let options = Options { serial: args.device.clone(), agent: args.agent_apk.clone() };
    let report = doctor::examine(&options, &cancel);
    if cancel.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    if args.json {
        print_json(&report.json());
    } else {
        print(&report.text());
    }
    if let Some(file) = report.write(&std::env::current_dir().unwrap_or_default())? {
        talk!("report: {}; no text of the screen and no whole serial is in it", files::shown(&file));
    }
    Ok(report.exit())
}
