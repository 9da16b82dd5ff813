//! A phone runs no programs of a laptop: tools that need one are not there.

use std::path::Path;

use trailblaze_engine::host::{Cancel, CommandOutput, HostCommand};
use trailblaze_model::failure::{Failure, FailureKind};

pub(super) fn run(_command: &HostCommand, _base: &Path, _cancel: &Cancel) -> Result<CommandOutput, Failure> {
    Err(Failure::new(FailureKind::NotSupported, "programs run on the laptop"))
}
