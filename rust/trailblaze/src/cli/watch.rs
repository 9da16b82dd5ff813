//! Doing something again whenever a file changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use trailblaze_engine::host::Cancel;

use super::run::stop_on_interrupt;
use crate::exit_code::{Exit, Problem};
use crate::workspace;

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(300);

/// How long the wait may be deaf to an interrupt.
const SLICE: Duration = Duration::from_millis(50);

type Seen = BTreeMap<PathBuf, Option<SystemTime>>;

/// Does it now and after every change below the folder of the workspace, until the program is interrupted. `written`
/// is the file or folder that the work itself writes, where there is one.
pub(super) fn each_change(
    workspace: Option<&Path>,
    written: Option<&Path>,
    mut work: impl FnMut(&Cancel) -> Result<Exit, Problem>,
) -> Result<Exit, Problem> {
    let here = workspace.unwrap_or_else(|| Path::new("."));
    let folder = workspace::find_root(here).unwrap_or_else(|| here.to_owned());
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    loop {
        // What changes while the work is under way is done once more.
        let before = look(&folder, written);
        if let Err(problem) = work(&cancel) {
            talk!("{problem}");
        }
        if !cancel.is_cancelled() {
            talk!("\nwaiting for changes; Ctrl-C ends it");
        }
        while look(&folder, written) == before {
            let mut waited = Duration::ZERO;
            while waited < EVERY && !cancel.is_cancelled() {
                std::thread::sleep(SLICE);
                waited += SLICE;
            }
            if cancel.is_cancelled() {
                return Ok(Exit::Interrupted);
            }
        }
    }
}

fn look(folder: &Path, written: Option<&Path>) -> Seen {
    // It may not be there before the work was done.
    let written = written.and_then(|path| path.canonicalize().ok());
    let mut seen = Seen::new();
    let mut todo: Vec<PathBuf> = folder.canonicalize().into_iter().collect();
    while let Some(next) = todo.pop() {
        for path in workspace::entries(&next) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // Packages and what runs write are not what an author changes.
            if name.starts_with('.') || name == "node_modules" || written.as_ref() == Some(&path) {
                continue;
            }
            if path.is_dir() {
                todo.push(path);
            } else {
                let changed = path.metadata().and_then(|metadata| metadata.modified()).ok();
                seen.insert(path, changed);
            }
        }
    }
    seen
}
