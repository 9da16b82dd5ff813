//! `trailblaze farm collect`: one report out of what a farm gave back, also where some of it is missing.

mod expected;
mod found;
mod instrumentation;
mod junit;
mod lines;
mod logcat;
mod merge;
mod report;
mod told;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use trailblaze_model::diagnostic::{Diagnostic, Severity};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::names;
use trailblaze_report::results::RunResult;

use self::expected::{Expected, UNNAMED};
use self::told::Names;
use super::PLAN;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{self, DEFAULT_DRIVER, LoadOptions, LoadedTrail};
use crate::run::{Listeners, RunFolder, Selection};

pub use merge::Trouble;

/// Everything that `farm collect` can be told.
#[derive(Clone, Debug)]
pub struct CollectOptions {
    /// What came back: a folder, or a zip of one.
    pub folder: PathBuf,
    /// The workspace that was run.
    pub paths: Vec<PathBuf>,
    /// What was planned; without it, all trails of the workspace should have run.
    pub plan: Option<PathBuf>,
    pub selection: Selection,
    pub junit: Option<PathBuf>,
    pub out: Option<PathBuf>,
}

/// What came back, read and put together; nothing is written yet.
#[derive(Debug)]
pub struct Collected {
    root: PathBuf,
    trails: Vec<LoadedTrail>,
    merged: Vec<merge::Merged>,
    pub troubles: Vec<Trouble>,
    /// What could not be read, and results of nobody's trails.
    pub notes: Vec<String>,
}

/// How a collection ended.
#[derive(Debug)]
pub struct Outcome {
    pub result: RunResult,
    pub folder: PathBuf,
    pub problems: Vec<Problem>,
    /// Trails that passed, but not everywhere or not at once.
    pub flaky: Vec<String>,
    /// Trails that failed with what ran them.
    pub infrastructure: Vec<String>,
    exit: Exit,
}

impl Outcome {
    /// A trail that failed as a test weighs more than one that could not be run.
    pub fn exit(&self) -> Exit {
        self.problems.first().map_or(self.exit, |problem| problem.exit)
    }

    pub fn to_json(&self, troubles: &[Trouble]) -> Value {
        let mut value = self.result.to_json();
        let trouble = |trouble: &Trouble| {
            let mut value = json!({ "device": trouble.device, "why": trouble.why });
            if let Some(shard) = trouble.shard {
                value["shard"] = json!(shard);
            }
            value
        };
        value["flaky"] = json!(self.flaky);
        value["infrastructure"] = json!(self.infrastructure);
        value["troubles"] = troubles.iter().map(trouble).collect();
        value
    }
}

/// Reads everything; an error says why there is nothing to report.
pub fn read(options: &CollectOptions) -> Result<Collected, Problem> {
    let loaded = load::load(&LoadOptions {
        driver: Some(DEFAULT_DRIVER),
        agent: AgentMode::OnDevice,
        ..LoadOptions::new(options.paths.clone())
    })?;
    if let Some(problem) = &loaded.no_trails {
        return Err(problem.clone());
    }
    let is_error = |problem: &&Diagnostic| problem.severity == Severity::Error;
    let bad: Vec<String> = loaded.problems.iter().filter(is_error).map(ToString::to_string).collect();
    if loaded.trails.is_empty() {
        let message = format!("no trail of the workspace can be read:\n{}", bad.join("\n"));
        return Err(Problem::new(Exit::BadDocument, message));
    }
    let ids: Vec<Arc<str>> = loaded.trails.iter().map(|trail| trail.id.clone()).collect();
    let names = Names::new(&ids);
    let beside = options.folder.join(PLAN);
    let expected = match (&options.plan, beside.is_file()) {
        (Some(plan), _) => Expected::of_plan(plan)?,
        (None, true) => Expected::of_plan(&beside)?,
        (None, false) => {
            let chosen = options.selection.choose(&loaded.trails)?;
            Expected::of_workspace(chosen.iter().map(|trail| trail.id.clone()).collect())
        }
    };
    if let Some(id) = expected.ids().find(|id| names.by_id(id).is_none()) {
        let message = format!("the plan has the trail '{id}', and the workspace does not");
        return Err(
            Problem::new(Exit::BadDocument, message).hint("collect with the workspace that was planned")
        );
    }
    let found = found::read(&options.folder, &names)?;
    check(options, &found)?;
    let mut notes = found.notes.clone();
    if !found.strangers.is_empty() {
        let some: Vec<String> = found.strangers.iter().take(3).map(|name| format!("'{name}'")).collect();
        let more = if found.strangers.len() > 3 { " and others" } else { "" };
        notes.push(format!(
            "left out, because the workspace has no such trails: {}{more}",
            names::list(&some)
        ));
    }
    let folders: BTreeSet<&str> =
        found.executions.iter().filter_map(|execution| expected.stranger(&execution.device)).collect();
    notes.extend(folders.into_iter().map(|name| stray(name, &expected.devices)));
    let (merged, troubles) = merge::merge(&found, &expected);
    let root = loaded.workspace.root.clone().unwrap_or_default();
    Ok(Collected { root, trails: loaded.trails, merged, troubles, notes })
}

/// Results of which nobody knows the device.
fn stray(folder: &str, devices: &[String]) -> String {
    let hint = "hint: copy the results of each device into a folder with its name";
    let devices = names::list(devices);
    match folder {
        "" => format!(
            "results that lie in no folder of a device are listed as '{UNNAMED}'; the plan has {devices}\n{hint}"
        ),
        _ => {
            format!("the plan has no device that is called like the folder '{folder}', but {devices}\n{hint}")
        }
    }
}

/// Refuses a folder without results, and results of somebody else.
fn check(options: &CollectOptions, found: &found::Found) -> Result<(), Problem> {
    let shown = files::shown(&options.folder);
    if found.files == 0 {
        let message = format!("{shown} holds no results");
        let hint = "results are instrumentation.results, JUnit files, events.jsonl, logs, or zips of them";
        let mut problem = Problem::new(Exit::BadDocument, message).hint(hint);
        if let Some(note) = found.notes.first() {
            problem.message = format!("{}: {note}", problem.message);
        }
        return Err(problem);
    }
    let is_ours = found.executions.iter().any(|execution| !execution.trails().is_empty())
        || found.merged.iter().any(|(_, told)| !told.trails.is_empty());
    match found.strangers.first() {
        Some(stranger) if !is_ours => {
            let message = format!("{shown} holds results of another workspace: this one has no '{stranger}'");
            Err(Problem::new(Exit::BadDocument, message)
                .hint("name the workspace that was run with --workspace"))
        }
        _ => Ok(()),
    }
}

/// Writes the report; the listeners hear the same events.
pub fn report(
    options: &CollectOptions,
    collected: &Collected,
    folder: &RunFolder,
    listeners: &Listeners,
) -> Result<Outcome, Problem> {
    report::write(options, collected, folder, listeners)
}

/// The folder for the report: the next plan finds the times there.
pub fn folder(options: &CollectOptions, collected: &Collected) -> Result<RunFolder, Problem> {
    let full = |path: &Path| std::path::absolute(path).map(|path| files::normal(&path)).unwrap_or_default();
    if options.out.as_ref().is_some_and(|out| full(out).starts_with(full(&options.folder))) {
        let message = "the report cannot go into the folder that is collected";
        return Err(Problem::new(Exit::Usage, message).hint("it would be collected the next time"));
    }
    options.junit.as_deref().map(check_junit).transpose()?;
    RunFolder::create(options.out.as_deref(), &collected.root)
}

/// Said before there is a report that lacks it.
fn check_junit(path: &Path) -> Result<(), Problem> {
    let bad = |message: String, hint: &str| Err(Problem::new(Exit::Usage, message).hint(hint));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => {
            bad(format!("--junit: the folder {} does not exist", files::shown(folder)), "make it first")
        }
        None if path.is_dir() => {
            bad(format!("--junit: {} is a folder", files::shown(path)), "give it a name for the file")
        }
        None => Ok(()),
    }
}
