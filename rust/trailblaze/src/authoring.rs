//! What authors of tools use while they write: one call, tests beside a toolset, types for an editor.

pub mod tests;
pub mod typegen;

use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_engine::registry::Registry;
use trailblaze_engine::yaml_tool::Classes;
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::{Diagnostic, Diagnostics, Severity};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::StepKind;
use trailblaze_model::place::{Place, Source};
use trailblaze_model::target::TargetFile;
use trailblaze_model::trail::{Config, Recording, Step, Trail};

use crate::exit_code::{Exit, Problem};
use crate::load::{self, DEFAULT_DRIVER, Loaded, LoadedTrail, Wanted};
use crate::run::Prepared;
use crate::toolsets::Starter;
use crate::workspace::Workspace;

/// A workspace that is open for its author.
#[derive(Debug)]
pub struct Bench {
    pub workspace: Arc<Workspace>,
    pub target: Option<Arc<TargetFile>>,
    pub driver: Driver,
    pub agent: AgentMode,
    /// What is wrong with its documents.
    pub problems: Vec<Diagnostic>,
}

impl Bench {
    /// Opens the workspace of a folder, or of the current one.
    pub fn open(
        folder: Option<PathBuf>,
        target: Option<&str>,
        driver: Option<Driver>,
        agent: AgentMode,
    ) -> Result<Self, Problem> {
        let mut problems = Diagnostics::new();
        let paths: Vec<PathBuf> = folder.into_iter().collect();
        let workspace = load::open(&paths, &mut problems)?;
        let target = match target {
            Some(name) => Some(workspace.target(name).cloned().ok_or_else(|| {
                Problem::new(Exit::BadDocument, format!("unknown target '{name}'"))
                    .hint(workspace.target_hint(name))
            })?),
            None => workspace.default_target().cloned(),
        };
        let driver = driver.unwrap_or(DEFAULT_DRIVER);
        Ok(Self { workspace: Arc::new(workspace), target, driver, agent, problems: problems.sorted() })
    }

    /// No workspace at all: there are still the built-in tools.
    pub fn empty(driver: Driver, agent: AgentMode) -> Self {
        Self { workspace: Arc::default(), target: None, driver, agent, problems: Vec::new() }
    }

    /// The tools of the workspace. An error is a toolset server that does not start.
    pub fn registry(&mut self, starter: Option<&dyn Starter>) -> Result<Arc<Registry>, Problem> {
        self.registry_with(starter, None)
    }

    /// The same on phones whose APK has classes that are tools.
    pub fn registry_with(
        &mut self,
        starter: Option<&dyn Starter>,
        classes: Option<&dyn Classes>,
    ) -> Result<Arc<Registry>, Problem> {
        let wanted = Wanted {
            workspace: &self.workspace,
            target: self.target.as_ref(),
            driver: self.driver,
            agent: self.agent,
            classes,
            starter,
        };
        load::registry(wanted, &mut self.problems).map(Arc::new)
    }

    /// The call that starts the target's app.
    pub fn launch(&self) -> Result<ToolCall, Problem> {
        let block = self.target.as_ref().and_then(|target| target.block(self.driver));
        let app = block.and_then(|block| block.app_ids.first()).ok_or_else(|| {
            Problem::new(Exit::BadDocument, "there is no app to start")
                .hint("a target names it under 'app_ids'")
        })?;
        let args = [("appId".to_owned(), app.as_str().into())];
        Ok(ToolCall::new("launchApp", args.into_iter().collect()))
    }

    /// A trail that no file holds, with these calls.
    pub fn trail(&self, id: &str, calls: Vec<ToolCall>, registry: Arc<Registry>) -> LoadedTrail {
        let step = Step {
            kind: StepKind::Tools,
            text: String::new(),
            recordable: true,
            max_retries: None,
            recording: Recording::Always(calls),
            at: Place::NOWHERE,
        };
        LoadedTrail {
            id: id.into(),
            path: PathBuf::from(id),
            source: Source::new(id, ""),
            trail: Arc::new(Trail { config: Config::default(), steps: vec![step] }),
            target: self.target.clone(),
            driver: self.driver,
            registry,
        }
    }

    /// What a run of such trails needs. Errors in documents end it before it begins.
    pub fn prepared(&self, chosen: Vec<LoadedTrail>) -> Prepared {
        let loaded = Loaded {
            workspace: self.workspace.clone(),
            trails: chosen.clone(),
            problems: self.problems.clone(),
            documents: self.workspace.documents,
            no_trails: None,
        };
        Prepared { loaded, chosen }
    }

    /// Refused with all errors in its documents, if there are any.
    pub fn without_errors(&self) -> Result<(), Problem> {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let errors: Vec<String> = errors.map(ToString::to_string).collect();
        if errors.is_empty() {
            return Ok(());
        }
        let message = format!("the workspace has errors\n{}", errors.join("\n"));
        Err(Problem::new(Exit::BadDocument, message).hint("correct them and try again"))
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}
