//! `trailblaze bench`

use crate::bench;
use crate::exit_code::{Exit, Problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What is measured
    what: What,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    /// The engine's share of a tool step
    Engine,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    match args.what {
        What::Engine => super::print_json(&bench::engine()?),
    }
    Ok(Exit::Passed)
}
