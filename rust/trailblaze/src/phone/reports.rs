//! The folder of the reports on the phone, which no earlier run and nobody else may have anything in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::OTHER_FOLDER;
use crate::files;

/// Where reports go in a folder of the host.
const OWN_FOLDER: &str = "trailblaze";
/// Says that all in this folder was written by a run. Without it, nothing there is removed.
const MARK: &str = ".trailblaze-reports";

pub(super) struct Reports {
    pub folder: PathBuf,
    /// The folder is the host's, and others may write there as well.
    is_of_host: bool,
}

impl Reports {
    pub(super) fn new(output: Option<&Path>, files: &Path) -> Self {
        let folder = output.map_or_else(|| files.join("reports"), |output| output.join(OWN_FOLDER));
        Self { folder, is_of_host: output.is_some() }
    }

    /// Removes what an earlier run left; it would be collected as if it were of this one.
    pub(super) fn clear(&self, workspace: &Path) -> Result<(), String> {
        let shown = self.folder.display();
        let refused = |why: String| Err(format!("{why}\nhint: {OTHER_FOLDER}"));
        let (own, others) = (real(&self.folder), real(workspace));
        if own.starts_with(&others) || others.starts_with(&own) {
            let workspace = workspace.display();
            return refused(format!(
                "the reports in {shown} and the workspace in {workspace} lie in each other"
            ));
        }
        if self.is_of_host && !is_empty(&self.folder) && !self.folder.join(MARK).exists() {
            return refused(format!("the folder {shown} is not empty, and what is in it is not from a run"));
        }
        match fs::remove_dir_all(&self.folder) {
            Err(error) if self.folder.exists() => {
                refused(format!("the folder {shown} cannot be cleared: {}", files::why(&error)))
            }
            _ => Ok(()),
        }
    }

    /// Lets a later run know that it may remove the folder.
    pub(super) fn mark(&self) -> Result<(), String> {
        let mark = self.folder.join(MARK);
        let cannot = |error: io::Error| {
            format!("{} cannot be written: {}\nhint: {OTHER_FOLDER}", mark.display(), files::why(&error))
        };
        if self.is_of_host { fs::write(&mark, "").map_err(cannot) } else { Ok(()) }
    }
}

/// Without links, as far as the path is there.
fn real(path: &Path) -> PathBuf {
    let path = files::normal(path);
    let there = path.ancestors().find_map(|there| Some((there.canonicalize().ok()?, there)));
    there.and_then(|(real, there)| Some(real.join(path.strip_prefix(there).ok()?))).unwrap_or(path)
}

/// Also when there is no such folder.
fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}
