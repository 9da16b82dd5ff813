//! Compiled bundles on a laptop: in a folder of the user, and never in a workspace, which may be from anyone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use trailblaze_engine::script::Module;
use trailblaze_model::hash::fnv1a_of;

use super::make;
use crate::caches;

/// Each change of a source leaves a file; compiling anew is cheap.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Where the compiled form of a module is; none when the user has no such folder, or not alone.
pub(super) fn path(module: &Module) -> Option<PathBuf> {
    let folder = caches::private("compiled")?;
    let pieces = [trailblaze_bundle::ENGINE, &module.name, &module.source].map(str::as_bytes);
    let hash = fnv1a_of([pieces[0], b"\0", pieces[1], b"\0", pieces[2]]);
    Some(folder.join(format!("{hash:016x}.qjs")))
}

/// Keeps it for the next time; without it a bundle only starts more slowly.
pub(super) fn keep(path: &Path, bytes: &[u8]) {
    let _ = make::write(path, bytes);
    path.parent().into_iter().for_each(remove_old);
}

fn remove_old(folder: &Path) {
    let is_old = |path: &PathBuf| {
        let written = fs::metadata(path).and_then(|metadata| metadata.modified());
        let age = written.ok().and_then(|written| SystemTime::now().duration_since(written).ok());
        age.is_some_and(|age| age > KEPT_FOR)
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(is_old).for_each(|path| drop(fs::remove_file(path)));
}
