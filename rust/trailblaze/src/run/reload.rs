//! How the tools of a session are read again.

use std::path::Path;
use std::sync::Arc;

use trailblaze_engine::registry::Registry;
use trailblaze_engine::yaml_tool::Classes;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::{Failure, FailureKind};

use super::RunOptions;
use crate::authoring::Bench;
use crate::exit_code::{Exit, Problem};
use crate::load::LoadedTrail;
use crate::toolsets::Starter;

/// What the tools of a session were made for.
#[derive(Clone, Debug)]
pub struct Reload {
    pub target: Option<String>,
    pub driver: Driver,
    pub agent: AgentMode,
    pub starter: Option<Arc<dyn Starter>>,
    /// The classes of the APK, on a phone.
    pub classes: Option<Arc<dyn Classes>>,
}

impl Reload {
    /// For a trail of a run.
    pub(super) fn of(options: &RunOptions, trail: &LoadedTrail) -> Option<Self> {
        Some(Self {
            target: trail.target.as_ref().map(|target| target.id.clone()),
            driver: trail.driver,
            agent: options.agent,
            starter: options.starter.clone(),
            classes: options.classes.clone(),
        })
    }

    /// The registry of the workspace as it is now.
    pub(super) fn registry(&self, root: &Path) -> Result<Arc<Registry>, Failure> {
        self.starter.iter().for_each(|starter| starter.renew());
        let folder = Some(root.to_owned());
        let mut bench =
            Bench::open(folder, self.target.as_deref(), Some(self.driver), self.agent).map_err(failed)?;
        let registry =
            bench.registry_with(self.starter.as_deref(), self.classes.as_deref()).map_err(failed)?;
        bench.without_errors().map_err(failed)?;
        Ok(registry)
    }
}

fn failed(problem: Problem) -> Failure {
    let kind = if problem.exit == Exit::Toolset { FailureKind::Toolset } else { FailureKind::Exception };
    Failure { hint: problem.hint, ..Failure::new(kind, problem.message) }
}
