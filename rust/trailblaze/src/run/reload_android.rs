//! A phone has the tools that were packed.

use std::path::Path;
use std::sync::Arc;

use trailblaze_engine::registry::Registry;
use trailblaze_model::failure::Failure;

use super::RunOptions;
use crate::load::LoadedTrail;

/// There is none.
pub(super) enum Reload {}

impl Reload {
    pub(super) fn of(_options: &RunOptions, _trail: &LoadedTrail) -> Option<Self> {
        None
    }

    pub(super) fn registry(&self, _root: &Path) -> Result<Arc<Registry>, Failure> {
        match *self {}
    }
}
