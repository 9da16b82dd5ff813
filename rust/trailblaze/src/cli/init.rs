//! `trailblaze init`

use std::path::PathBuf;

use super::print;
use crate::exit_code::{Exit, Problem};
use crate::{files, init};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where; the current folder unless given
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Add a toolset in TypeScript, with a test
    #[arg(long)]
    with_tools: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let written = init::init(&args.folder, args.with_tools)?;
    for path in &written {
        print(&format!("wrote {}\n", files::shown(path)));
    }
    let place = files::shown(&std::path::absolute(&args.folder).unwrap_or_else(|_| args.folder.clone()));
    let command = if place == "." { "trailblaze run".to_owned() } else { format!("trailblaze run {place}") };
    talk!("\nnow type: {command}");
    Ok(Exit::Passed)
}
