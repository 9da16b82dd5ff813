//! A run on the phone itself that is started from here: the workspace goes there, events and reports come back.
//!
//! Invariant: what was pushed is removed, however the run ends, and no secret stands on a command line.

mod events;
mod follow;
mod pushed;
mod said;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_devices::adb::{self, Limit};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::observer::Observer;
use trailblaze_model::diagnostic::Severity;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::{Event, EventKind, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};

use self::events::Places;
use self::follow::{Ended, Follow};
use self::pushed::Pushed;
use crate::exit_code::{Exit, Problem};
use crate::laptop::{self, Agent, SMALL, trouble};
use crate::phone::handed::Handed;
use crate::run::{self, Outcome, Prepared, Reports, RunFolder, RunOptions};
use crate::{apk, files};

/// The phone that trails run on.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The one that is connected unless given.
    pub serial: Option<String>,
    pub driver: Driver,
    /// The agent's APK; looked for unless given.
    pub agent: Option<PathBuf>,
}

/// Loads and picks as the phone will; nothing was sent yet.
pub fn prepare(options: &RunOptions) -> Result<Prepared, Problem> {
    debug_assert_eq!(options.agent, AgentMode::OnDevice);
    let mut prepared = run::prepare_for(options, false)?;
    let workspace = &prepared.loaded.workspace;
    let root = workspace.root.clone().ok_or_else(|| {
        Problem::new(Exit::BadDocument, "the trails belong to no workspace, and a phone gets a whole one")
            .hint("'trailblaze init' makes one")
    })?;
    let outside = apk::outside(&root, workspace);
    prepared.loaded.problems.extend(outside);
    Ok(prepared)
}

/// A phone that has the workspace, until this is dropped.
#[derive(Debug)]
pub struct Sent {
    phone: Arc<adb::Phone>,
    agent: Agent,
    driver: Driver,
    pushed: Pushed,
    places: Places,
    /// The trails as the phone calls them, and the files that they are in here.
    trails: Vec<Trail>,
}

#[derive(Debug)]
struct Trail {
    id: Arc<str>,
    file: Arc<str>,
    title: String,
}

/// Finds the phone, makes sure that the agent is on it, and pushes what a run needs.
pub fn send(
    wanted: &Wanted,
    options: &RunOptions,
    prepared: &Prepared,
    cancel: &Cancel,
) -> Result<Sent, Problem> {
    debug_assert!(prepared.loaded.problems.iter().all(|problem| problem.severity != Severity::Error));
    let root = prepared.loaded.workspace.root.clone().unwrap_or_default();
    let chosen: Vec<PathBuf> = prepared.chosen.iter().map(|trail| trail.path.clone()).collect();
    let assets = apk::assets(&root, &prepared.loaded.workspace, &chosen)?;
    let stopped = |problem: Problem| if cancel.is_cancelled() { interrupted() } else { problem };
    let (phone, agent) = find(wanted, cancel).map_err(stopped)?;
    let handed = Handed {
        device: Some(phone.serial().to_owned()),
        paths: chosen.iter().map(|path| inner(&root, path)).collect(),
        target: options.target.clone(),
        memory: options.memory.clone(),
        secrets: options.secrets.clone(),
        args: options.args.clone(),
        retries: options.retries,
        fail_fast: options.fail_fast,
        strict: options.strict,
        trail_timeout_ms: options.trail_timeout_ms,
        deadline_ms: options.end_ms,
    };
    let pushed = Pushed::claim(&phone, &agent, cancel).map_err(trouble).map_err(stopped)?;
    // Somebody may have come at the same moment.
    laptop::taken::refuse_if_others(&phone, Some(pushed.name()), cancel).map_err(stopped)?;
    pushed.push(&assets, &handed, cancel).map_err(trouble).map_err(stopped)?;
    let places = Places::new(pushed.workspace(), &files::shown(&root));
    let trail = |trail: &crate::load::LoadedTrail| Trail {
        id: apk::id_on_phone(&root, trail).into(),
        file: files::shown(&trail.path).into(),
        title: trail.title(),
    };
    let trails = prepared.chosen.iter().map(trail).collect();
    Ok(Sent { phone, agent, driver: wanted.driver, pushed, places, trails })
}

fn interrupted() -> Problem {
    Problem::new(Exit::Interrupted, "interrupted before the run began; nothing is left on the phone")
}

/// A path in the workspace, as a phone writes it.
fn inner(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The phone, ready, with the agent on it and nobody else at work.
fn find(wanted: &Wanted, cancel: &Cancel) -> Result<(Arc<adb::Phone>, Agent), Problem> {
    let small = || Limit::within(SMALL, cancel);
    let server = laptop::server(cancel)?;
    let devices = server.devices(&small()).map_err(trouble)?;
    let listed = adb::choose(&devices, wanted.serial.as_deref()).map_err(trouble)?;
    listed.ready().map_err(trouble)?;
    let phone = Arc::new(server.phone(&listed.serial));
    let agent = laptop::make_ready(&phone, wanted.agent.as_deref(), cancel)?;
    Ok((phone, agent))
}

impl Sent {
    /// Lets the phone run, and shows what it says; the reports are in the folder at the end.
    pub fn run(
        mut self,
        options: &RunOptions,
        folder: &RunFolder,
        listeners: &[Arc<dyn Observer>],
        cancel: &Cancel,
    ) -> Result<Outcome, Problem> {
        let reports = Reports::open(options, folder, listeners).inspect_err(|_| folder.discard())?;
        // Much may have been pushed meanwhile.
        laptop::taken::refuse_if_others(&self.phone, Some(self.pushed.name()), cancel)
            .inspect_err(|_| folder.discard())?;
        let observers = reports.observers();
        let places = self.places.clone();
        let mut follow = Follow::start(&self.phone, &self.agent, &self.pushed, self.driver, places)
            .map_err(trouble)
            .inspect_err(|_| folder.discard())?;
        let ended = follow.until_it_ends(&observers, cancel);
        let mut notes = Vec::new();
        match &ended {
            Ended::Lost(_) => notes.push(self.pushed.leave()),
            Ended::Over | Ended::Refused(_) => notes.extend(self.fetch(folder)),
        }
        let ended = match ended {
            Ended::Refused(why) if !follow.has_begun() => {
                folder.discard();
                return Err(if cancel.is_cancelled() { interrupted() } else { why });
            }
            ended => ended,
        };
        if !follow.has_finished() {
            let why = match ended {
                Ended::Refused(problem) | Ended::Lost(problem) => {
                    notes.extend(problem.hint);
                    problem.message
                }
                Ended::Over => "it ended before the run was over".to_owned(),
            };
            self.close(&reports, follow.now(), &why, cancel.is_cancelled());
        }
        let problems = reports.finish();
        folder.point_latest();
        let (result, folder) = (reports.results.result(), folder.path().to_owned());
        Ok(Outcome { result, folder, problems, notes })
    }

    /// Fetches the files and removes what was pushed; what could not be, for people.
    fn fetch(&mut self, folder: &RunFolder) -> Vec<String> {
        // Where it cannot be held, it cannot be fetched either, which is said.
        let _ = self.pushed.is_over();
        let pulled = self.pushed.pull(&self.phone, folder.path());
        let pulled =
            pulled.map_err(|error| format!("not all files of the run could be fetched: {}", error.message));
        let removed = self.pushed.remove(&self.phone).map_err(|error| {
            format!("what was pushed to {} could not be removed: {}", self.pushed.base(), error.message)
        });
        pulled.err().into_iter().chain(removed.err()).collect()
    }

    /// Says of every trail how it ended, where the phone can no longer.
    fn close(&self, reports: &Reports, now: u64, why: &str, is_interrupted: bool) {
        let observers = reports.observers();
        let known = reports.results.result().trails;
        for trail in &self.trails {
            let known = known.iter().find(|known| known.id == trail.id);
            let is_open = known.is_some_and(|known| known.verdict == Verdict::NotRun && known.attempts > 0);
            if known.is_some() && !is_open {
                continue;
            }
            let gone = format!("the phone was lost: {why}");
            let failure = Failure::new(FailureKind::Device, gone.clone());
            let failure = match is_interrupted {
                true => Failure::new(FailureKind::Interrupted, "the run was interrupted"),
                false => failure.hint("'trailblaze doctor' looks at the phone"),
            };
            let kind = EventKind::TrailFinished {
                id: trail.id.clone(),
                file: trail.file.clone(),
                title: trail.title.clone(),
                device: self.phone.serial().to_owned(),
                verdict: if is_open { Verdict::Failed } else { Verdict::NotRun },
                reason: (!is_open).then_some(gone),
                failure: is_open.then_some(failure),
                attempt: known.map_or(1, |known| known.attempts),
                will_retry: false,
                duration_ms: 0,
                timing: None,
            };
            observers.event(&Event::of_trail(now, trail.id.clone(), kind));
        }
        let result = reports.results.result();
        let count = |verdict| result.trails.iter().filter(|trail| trail.verdict == verdict).count();
        let finished = EventKind::RunFinished {
            verdict: Verdict::Failed,
            passed: count(Verdict::Passed),
            failed: count(Verdict::Failed),
            skipped: count(Verdict::Skipped),
            not_run: count(Verdict::NotRun),
            healed: count(Verdict::Healed),
            interrupted: is_interrupted,
            duration_ms: now,
        };
        observers.event(&Event::of_run(now, finished));
    }
}
