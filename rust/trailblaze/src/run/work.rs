//! The work itself: trails over workers, each with a fresh device and session.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use trailblaze_devices::sim::{SimDevice, SimOptions};
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::Device;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Memory;
use trailblaze_engine::observer::Observer;
use trailblaze_engine::runner;
use trailblaze_engine::script::Module;
use trailblaze_engine::session::{Options, Parts, Session};
use trailblaze_model::event::{Event, EventKind, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_script::QuickJs;

use super::host::{Laptop, file_name};
use super::{Planned, Prepared, RunFolder, RunOptions, args, select};
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{LoadedTrail, device_classifiers};
use crate::workspace::Workspace;

/// What the sim is called in events and reports.
const DEVICE: &str = "sim";

/// Everything that can be known before the first trail starts.
pub(super) fn plan(options: &RunOptions, prepared: &Prepared) -> Result<Vec<Planned>, Problem> {
    let workspace = &prepared.loaded.workspace;
    let mut apps: BTreeMap<PathBuf, Module> = BTreeMap::new();
    let mut planned = Vec::new();
    for trail in &prepared.chosen {
        let path = sim_app(options, workspace, trail)?;
        let app = match apps.get(&path) {
            Some(app) => app.clone(),
            None => {
                let source = std::fs::read_to_string(&path).map_err(|error| {
                    let message =
                        format!("the sim app {} cannot be read: {}", files::shown(&path), files::why(&error));
                    Problem::new(Exit::BadDocument, message)
                })?;
                let app = Module { name: files::shown(&path), source };
                apps.insert(path, app.clone());
                app
            }
        };
        let memory = memory(options, trail);
        let args = args::resolve(&trail.trail.config, &options.args, &memory).map_err(|message| {
            let message = format!("{}: {message}", trail.source.file);
            Problem::new(Exit::BadDocument, message).hint("give it with '--arg NAME=VALUE'")
        })?;
        let block = trail.target.as_ref().and_then(|target| target.block(trail.driver));
        let app_id = block.and_then(|block| block.app_ids.first().cloned());
        planned.push(Planned { trail: trail.clone(), app, args, app_id });
    }
    Ok(planned)
}

fn sim_app(options: &RunOptions, workspace: &Workspace, trail: &LoadedTrail) -> Result<PathBuf, Problem> {
    if let Some(app) = &options.app {
        return Ok(app.clone());
    }
    let named = trail.target.as_ref().and_then(|target| target.sim_app.as_ref());
    match (named, &workspace.root) {
        (Some(app), Some(root)) => Ok(files::normal(&root.join(app))),
        _ => {
            let message = format!("{}: the sim has no app to run", trail.source.file);
            let hint = "give one with '--app FILE', or 'sim: { app: FILE }' in the target";
            Err(Problem::new(Exit::BadDocument, message).hint(hint))
        }
    }
}

/// The trail's own memory, then `--memory`, then `--secret`.
fn memory(options: &RunOptions, trail: &LoadedTrail) -> Memory {
    let memory = Memory::default();
    for (name, value) in trail.trail.config.memory.iter().chain(&options.memory) {
        memory.set(name, value.clone());
    }
    for (name, secret) in &options.secrets {
        memory.set_secret(name, secret.clone());
    }
    memory
}

/// Runs everything; returns the time on the run's clock at the end.
pub(super) fn run_all(
    options: &RunOptions,
    plan: &[Planned],
    workspace: &Workspace,
    folder: &RunFolder,
    observer: &Arc<dyn Observer>,
    cancel: &Cancel,
) -> u64 {
    let (next, failed, end) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicU64::new(0));
    let worker = || {
        let mut now = 0;
        while let Some(planned) = plan.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut job = Job { options, planned, workspace, folder, observer, cancel, now };
            let stopped = cancel.is_cancelled() || (options.fail_fast && failed.load(Ordering::Acquire));
            let verdict = if stopped { job.not_run() } else { job.run() };
            if verdict == Verdict::Failed {
                failed.store(true, Ordering::Release);
            }
            now = job.now;
        }
        end.fetch_max(now, Ordering::AcqRel);
    };
    let jobs = options.jobs.clamp(1, plan.len().max(1));
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(worker);
        }
        worker();
    });
    end.into_inner()
}

/// One trail on one worker.
struct Job<'a> {
    options: &'a RunOptions,
    planned: &'a Planned,
    workspace: &'a Workspace,
    folder: &'a RunFolder,
    observer: &'a Arc<dyn Observer>,
    cancel: &'a Cancel,
    /// The clock of this worker.
    now: u64,
}

/// How one attempt ended.
struct Ending {
    verdict: Verdict,
    reason: Option<String>,
    failure: Option<Failure>,
    attempt: u32,
    will_retry: bool,
    started: u64,
}

impl Job<'_> {
    fn trail(&self) -> &LoadedTrail {
        &self.planned.trail
    }

    fn emit(&self, kind: EventKind) {
        self.observer.event(&Event { t: self.now, trail: Some(self.trail().id.clone()), kind });
    }

    fn finished(&self, ending: Ending) {
        let mut kind = EventKind::TrailFinished {
            id: self.trail().id.clone(),
            file: self.trail().source.file.clone(),
            title: self.trail().title(),
            device: DEVICE.to_owned(),
            verdict: ending.verdict,
            reason: ending.reason,
            failure: ending.failure,
            attempt: ending.attempt,
            will_retry: ending.will_retry,
            duration_ms: self.now - ending.started,
        };
        let memory = memory(self.options, self.trail());
        kind.map_texts(&|text| memory.redact(text));
        self.emit(kind);
    }

    fn left_out(&self, verdict: Verdict, reason: String) -> Verdict {
        self.finished(Ending {
            verdict,
            reason: Some(reason),
            failure: None,
            attempt: 0,
            will_retry: false,
            started: self.now,
        });
        verdict
    }

    fn not_run(&mut self) -> Verdict {
        let why =
            if self.cancel.is_cancelled() { "the run was interrupted" } else { "an earlier trail failed" };
        self.left_out(Verdict::NotRun, why.to_owned())
    }

    /// Runs the trail as often as it takes.
    fn run(&mut self) -> Verdict {
        let skip = self.trail().trail.config.skip.for_device(&device_classifiers());
        if let Some(reason) = skip.filter(|reason| !reason.trim().is_empty()) {
            return self.left_out(Verdict::Skipped, reason.clone());
        }
        let attempts = self.options.retries.saturating_add(1);
        for attempt in 1..=attempts {
            let started = self.now;
            let failure = self.attempt(attempt).err();
            let interrupted =
                failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Interrupted);
            let will_retry = failure.is_some() && attempt < attempts && !interrupted;
            let verdict = if failure.is_some() { Verdict::Failed } else { Verdict::Passed };
            self.finished(Ending { verdict, reason: None, failure, attempt, will_retry, started });
            if !will_retry {
                return verdict;
            }
        }
        Verdict::Failed
    }

    fn attempt(&mut self, attempt: u32) -> Result<(), Failure> {
        let trail = self.trail().clone();
        self.emit(EventKind::TrailStarted {
            id: trail.id.clone(),
            file: trail.source.file.clone(),
            title: trail.title(),
            device: DEVICE.to_owned(),
            steps: trail.trail.steps.len(),
            attempt,
        });
        let clock = Arc::new(VirtualClock::starting_at(self.now));
        // A bug in the engine fails the trail that met it, not the run.
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            let session = self.session(&trail, clock.clone(), attempt)?;
            runner::run_trail(&session, &trail.trail, &trail.source.file)
        }));
        self.now = clock.now_ms();
        result.unwrap_or_else(|_| {
            let failure = Failure::new(FailureKind::Exception, "Trailblaze itself failed; this is a bug");
            Err(failure.hint("report it with the text above and the trail"))
        })
    }

    fn session(
        &self,
        trail: &LoadedTrail,
        clock: Arc<VirtualClock>,
        attempt: u32,
    ) -> Result<Session, Failure> {
        let seed = select::fnv1a(&trail.id);
        let mut sim = SimOptions::new(self.planned.app.clone(), clock.clone(), Arc::new(QuickJs));
        DEVICE.clone_into(&mut sim.id);
        sim.driver = trail.driver;
        sim.seed = seed;
        let device: Arc<dyn Device> = Arc::new(SimDevice::new(sim)?);
        let attempt = if attempt > 1 { format!("-attempt-{attempt}") } else { String::new() };
        let host = Laptop {
            folder: self.folder.path().to_owned(),
            prefix: format!("{}{attempt}", file_name(&trail.id)),
            workspace: self.workspace.root.clone(),
            cancel: self.cancel.clone(),
        };
        Ok(Session::new(Parts {
            registry: trail.registry.clone(),
            device,
            clock,
            observer: self.observer.clone(),
            host: Arc::new(host),
            cancel: self.cancel.clone(),
            memory: memory(self.options, trail),
            args: self.planned.args.clone(),
            trail: Some(trail.id.clone()),
            options: Options {
                strict: self.options.strict,
                app_id: self.planned.app_id.clone(),
                seed,
                ..Options::default()
            },
        }))
    }
}
