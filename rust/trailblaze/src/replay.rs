//! Runs saved sessions again, without a device.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::observer::Observer;
use trailblaze_model::failure::FailureKind;
use trailblaze_report::results::TrailResult;

use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::run::{self, DriverChoice, Outcome, RunOptions};
use crate::session::{Found, SavedFailure, mask, write_entries};
use crate::toolsets::RecordedServers;

/// What a replay may be told.
#[derive(Clone, Debug, Default)]
pub struct ReplayOptions {
    pub events: Option<PathBuf>,
    pub junit: Option<PathBuf>,
    pub out: Option<PathBuf>,
}

/// How a replay went.
#[derive(Debug)]
pub struct Replayed {
    pub outcome: Outcome,
    /// The verdict of the run that was saved.
    pub recorded_verdict: String,
    /// Why the run that was saved had failed, where it is known.
    pub recorded_failure: Option<SavedFailure>,
    /// Why this one failed.
    pub failure: Option<SavedFailure>,
}

impl Replayed {
    pub fn trail(&self) -> Option<&TrailResult> {
        self.outcome.result.trails.first()
    }

    /// In which way it did not go as it did when it was recorded; none when it did.
    pub fn difference(&self) -> Option<String> {
        let recorded = &self.recorded_verdict;
        if self.trail().is_none_or(|trail| trail.verdict.as_str() != recorded) {
            return Some(format!("not as recorded ({recorded})"));
        }
        let now = self.failure.as_ref()?;
        match &self.recorded_failure {
            Some(then) if now.kind == FailureKind::NotRecorded || !now.is(then) => {
                Some(format!("{recorded}, but otherwise: recorded {then}, now {now}"))
            }
            // A session of an older version does not say why; not this, in any case.
            None if now.kind == FailureKind::NotRecorded => {
                Some(format!("{recorded}, but otherwise: now {now}"))
            }
            _ => None,
        }
    }
}

/// Replays one session. The documents are laid out in a folder of their own for that long.
pub fn replay(
    found: &Found,
    options: &ReplayOptions,
    listeners: &[Arc<dyn Observer>],
    cancel: &Cancel,
) -> Result<Replayed, Problem> {
    let folder = own_folder()?;
    let start = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &Option<PathBuf>| path.as_ref().map(|path| start.join(path));
    let options = ReplayOptions {
        events: absolute(&options.events),
        junit: absolute(&options.junit),
        out: Some(absolute(&options.out).unwrap_or_else(|| folder.join("out"))),
    };
    let result = replay_in(&folder, found, &options, listeners, cancel);
    let _ = std::env::set_current_dir(&start);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

/// A folder that nobody else has.
fn own_folder() -> Result<PathBuf, Problem> {
    for number in 0.. {
        let name = format!("trailblaze-replay-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                let message = format!("{} cannot be made: {}", folder.display(), files::why(&error));
                return Err(Problem::new(Exit::BadDocument, message));
            }
        }
    }
    unreachable!("numbers do not end")
}

fn replay_in(
    folder: &Path,
    found: &Found,
    replay: &ReplayOptions,
    listeners: &[Arc<dyn Observer>],
    cancel: &Cancel,
) -> Result<Replayed, Problem> {
    let (session, shown) = (&found.session, &found.shown);
    let meta = &session.meta;
    let failed = |error: std::io::Error| {
        let message = format!("{shown}: the documents could not be written: {}", files::why(&error));
        Problem::new(Exit::BadDocument, message)
    };
    let own = folder.join("files");
    let root = files::normal(&own.join(&meta.root));
    write_entries(&root, &session.documents).map_err(failed)?;
    // Places in reports read as they did when the session was recorded.
    std::env::set_current_dir(&own).map_err(failed)?;
    let options = RunOptions {
        paths: vec![root.join(&meta.file)],
        target: meta.target.clone(),
        driver: DriverChoice { stands_in_for: Some(meta.driver) },
        agent: meta.agent(),
        memory: meta.memory.clone(),
        secrets: meta
            .secrets
            .iter()
            .map(|(name, length)| (name.clone(), Secret::new(mask(*length))))
            .collect(),
        args: meta.args.clone(),
        jobs: 1,
        strict: meta.strict,
        trail_timeout_ms: meta.trail_timeout_ms,
        junit: replay.junit.clone(),
        events: replay.events.clone(),
        out: replay.out.clone(),
        recorded: Some(Arc::new(session.clone())),
        starter: Some(RecordedServers::new(&session.servers)),
        ..RunOptions::default()
    };
    let prepared = run::prepare(&options)?;
    if let Some(error) = prepared.loaded.errors().next() {
        let message = format!("{shown}: the documents of the session have errors: {}", error.message);
        return Err(Problem::new(Exit::BadDocument, message));
    }
    let plan = run::plan(&options, &prepared)?;
    let folder = run::folder(&options, &prepared)?;
    let outcome = run::run(&options, &prepared, &plan, &folder, listeners, cancel)?;
    let failure = outcome.result.trails.first().and_then(|trail| trail.failure.as_ref()).map(|failure| {
        let base = files::normal(&std::env::current_dir().unwrap_or_default().join(&meta.root));
        let events = std::fs::read(outcome.folder.join("events.jsonl")).unwrap_or_default();
        SavedFailure::of(failure, &base, &events)
    });
    Ok(Replayed {
        outcome,
        recorded_verdict: meta.verdict.clone(),
        recorded_failure: meta.failure.clone(),
        failure,
    })
}
