//! A phone writes no trails: what a run recorded is in its events, and a laptop makes a trail of it.

use std::path::{Path, PathBuf};

use trailblaze_report::recording::Recording;

use crate::exit_code::{Exit, Problem};
use crate::load::LoadedTrail;

fn not_here() -> Problem {
    Problem::new(Exit::Usage, "trails are written on the laptop")
}

pub(super) fn check(_path: &Path, _loaded: &LoadedTrail) -> Result<(), Problem> {
    Err(not_here())
}

pub(super) fn file_of(path: &Path, _device: Option<&str>) -> PathBuf {
    path.to_owned()
}

pub(super) fn write(
    _path: &Path,
    _recording: &Recording,
    _chosen: &[LoadedTrail],
) -> Result<Vec<String>, Problem> {
    Err(not_here())
}
