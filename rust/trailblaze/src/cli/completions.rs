//! `trailblaze completions`

use clap_complete::Shell;

use crate::exit_code::{Exit, Problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::definition(), "trailblaze", &mut text);
    super::print(&String::from_utf8_lossy(&text));
    Ok(Exit::Passed)
}
