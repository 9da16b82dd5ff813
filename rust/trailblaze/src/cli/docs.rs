//! `trailblaze docs`

use std::path::PathBuf;

use crate::docs;
use crate::exit_code::{Exit, Problem};
use crate::files;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where the pages are written
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    for (name, text) in docs::pages() {
        let path = args.folder.join(name);
        std::fs::write(&path, text).map_err(|error| {
            let message = format!("{} could not be written: {}", files::shown(&path), files::why(&error));
            Problem::new(Exit::BadDocument, message)
        })?;
    }
    Ok(Exit::Passed)
}
