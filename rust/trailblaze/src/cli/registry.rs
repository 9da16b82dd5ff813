//! `trailblaze registry`

use super::{Scope, print_json};
use crate::VERSION;
use crate::exit_code::{Exit, Problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    scope: Scope,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    print_json(&args.scope.registry()?.to_json("trailblaze", VERSION));
    Ok(Exit::Passed)
}
