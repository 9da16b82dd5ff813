//! Where reports go: known to be good before anything runs or is written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Prepared, RunOptions};
use crate::exit_code::{Exit, Problem};
use crate::files;

/// Refuses places that cannot be written, that are asked for twice, or that hold what is about to run.
pub(super) fn check(options: &RunOptions, prepared: &Prepared) -> Result<(), Problem> {
    let named = [("--events", &options.events), ("--junit", &options.junit), ("--record", &options.record)];
    let named: Vec<(&str, &PathBuf)> =
        named.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))).collect();
    for (index, (option, path)) in named.iter().enumerate() {
        if let Some((first, _)) = named[..index].iter().find(|(_, other)| same(other, path)) {
            let message = format!("{first} and {option} name the same file, {}", files::shown(path));
            return Err(Problem::new(Exit::Usage, message));
        }
        let holds_a_document = prepared.loaded.trails.iter().map(|trail| &trail.path).chain(&options.app);
        if *option != "--record" && holds_a_document.into_iter().any(|document| same(document, path)) {
            let message = format!("{option} would overwrite {}, which the run needs", files::shown(path));
            return Err(Problem::new(Exit::Usage, message));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let message = format!(
                "{} cannot be written: there is no folder {}",
                files::shown(path),
                files::shown(folder)
            );
            return Err(Problem::new(Exit::BadDocument, message));
        }
        try_writing(path).map_err(|error| cannot(path, &error))?;
    }
    Ok(())
}

/// The problem of a place that cannot be written.
pub(super) fn cannot(path: &Path, error: &io::Error) -> Problem {
    let message = format!("{} cannot be written: {}", files::shown(path), files::why(error));
    Problem::new(Exit::BadDocument, message)
}

/// Whether a file can be written, without leaving one behind.
fn try_writing(path: &Path) -> io::Result<()> {
    let existed = path.exists();
    fs::OpenOptions::new().append(true).create(true).open(path)?;
    if existed { Ok(()) } else { fs::remove_file(path) }
}

fn same(one: &Path, other: &Path) -> bool {
    let full = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    full(one).is_some_and(|one| full(other) == Some(one))
}
