//! The work itself: trails over workers, each with a fresh device and session.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use trailblaze_devices::recorded::Watched;
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::Device;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Memory;
use trailblaze_engine::observer::{Observer, OnDevice};
use trailblaze_engine::runner;
use trailblaze_engine::script::Module;
use trailblaze_engine::session::{DeadlineOf, Options, Parts, Session};
use trailblaze_model::event::{Event, EventKind, TrailTiming, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::hash::fnv1a;
use trailblaze_model::place::Source;

use super::host::{Laptop, file_name};
use super::lanes::{self, Lane};
use super::programs::Programs;
use super::reload::Reload;
use super::{
    Attached, Planned, PlannedWorld, Prepared, RunFolder, RunOptions, args, explain, keep, stand_in,
};
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{DEFAULT_DRIVER, LoadedTrail, device_classifiers};
use crate::session::{NOTHING, SavedFailure, SavedServers, SavedSession};
use crate::workspace::Workspace;

/// Why a trail was not run that no device could take any more.
const NOBODY_LEFT: &str = "no device is left that could run it";

/// What the sim is called in events and reports.
pub(super) const SIM: &str = "sim";

/// What drives it: the driver that the sim stands in for, or that there is no device at all.
pub(super) fn driver_name(options: &RunOptions) -> &'static str {
    match options.recorded {
        Some(_) => "recorded",
        None => options.driver.stands_in_for.unwrap_or(DEFAULT_DRIVER).key(),
    }
}

/// Everything that can be known before the first trail starts.
pub(super) fn plan(options: &RunOptions, prepared: &Prepared) -> Result<Vec<Planned>, Problem> {
    let workspace = &prepared.loaded.workspace;
    let mut apps: BTreeMap<PathBuf, Module> = BTreeMap::new();
    let mut planned = Vec::new();
    for trail in &prepared.chosen {
        let world = match &options.recorded {
            Some(saved) => PlannedWorld::Recorded(saved.clone()),
            None if !options.attached.is_empty() => PlannedWorld::Attached,
            None => PlannedWorld::Sim(read_app(sim_app(options, workspace, trail)?, &mut apps)?),
        };
        let memory = memory(options, trail);
        let args = args::resolve(&trail.trail.config, &options.args, &memory).map_err(|message| {
            let message = format!("{}: {message}", trail.source.file);
            Problem::new(Exit::BadDocument, message).hint("give it with '--arg NAME=VALUE'")
        })?;
        let block = trail.target.as_ref().and_then(|target| target.block(trail.driver));
        let app_id = block.and_then(|block| block.app_ids.first().cloned());
        planned.push(Planned { trail: trail.clone(), world, args, app_id });
    }
    Ok(planned)
}

/// Each app is read once.
pub(super) fn read_app(path: PathBuf, apps: &mut BTreeMap<PathBuf, Module>) -> Result<Module, Problem> {
    if let Some(app) = apps.get(&path) {
        return Ok(app.clone());
    }
    let source = std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("the sim app {} cannot be read: {}", files::shown(&path), files::why(&error));
        Problem::new(Exit::BadDocument, message)
    })?;
    let app = Module::new(files::shown(&path), source);
    apps.insert(path, app.clone());
    Ok(app)
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
    options.hidden.iter().for_each(|token| memory.hide(token.reveal().to_owned()));
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
    let (failed, end) = (AtomicBool::new(false), AtomicU64::new(0));
    let lanes = lanes::lanes(options, plan, workspace);
    let several = lanes::devices(options).len() > 1;
    // Which device takes a trail may be chance; what the trail says must not depend on it. A phone has a real clock.
    let is_chance = (options.jobs > 1 || options.shard_across) && options.attached.is_empty();
    let work = |lane: &Lane<'_>, mut gone: Option<&'static str>| {
        let mut now = options.recorded.as_ref().map_or(0, |saved| saved.world.start_ms);
        let attached = lane.attached;
        if let Some(attached) = attached {
            now = attached.clock().now_ms();
        }
        let observer: Arc<dyn Observer> = match several {
            true => Arc::new(OnDevice::new(lane.device.clone(), observer.clone())),
            false => observer.clone(),
        };
        let is_over = gone.is_some();
        while let Some(planned) = lane.next() {
            if is_chance {
                now = 0;
            }
            let (device, observer) = (&*lane.device, &observer);
            let place = Place { device, attached, several };
            let mut job = Job { options, planned, workspace, folder, place, observer, cancel, now };
            let why = job.stopped(failed.load(Ordering::Acquire));
            let why = why.or(gone);
            let verdict = match why {
                Some(why) => job.left_out(Verdict::NotRun, why.to_owned()),
                None => job.run(&mut gone),
            };
            if verdict == Verdict::Failed {
                failed.store(true, Ordering::Release);
            }
            now = job.now;
            end.fetch_max(now, Ordering::AcqRel);
            if gone.is_some() && !is_over && lane.is_shared() {
                // Others may still be able to take what is left.
                break;
            }
        }
    };
    let work = &work;
    std::thread::scope(|scope| {
        let (first, others) =
            lanes.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        for lane in others {
            scope.spawn(move || work(lane, None));
        }
        first.into_iter().for_each(|lane| work(lane, None));
    });
    // What nobody was left for.
    lanes.iter().for_each(|lane| work(lane, Some(NOBODY_LEFT)));
    end.into_inner()
}

/// Where a trail runs.
#[derive(Clone, Copy)]
struct Place<'a> {
    device: &'a str,
    /// The phone, where it is one.
    attached: Option<&'a Arc<dyn Attached>>,
    /// Whether the run has more than one device with a name.
    several: bool,
}

/// One trail on one worker.
struct Job<'a> {
    options: &'a RunOptions,
    planned: &'a Planned,
    workspace: &'a Workspace,
    folder: &'a RunFolder,
    place: Place<'a>,
    observer: &'a Arc<dyn Observer>,
    cancel: &'a Cancel,
    /// The clock of this device.
    now: u64,
}

/// A device, and its watcher where there is one.
struct Driven {
    device: Arc<dyn Device>,
    watched: Option<Arc<Watched>>,
}

/// How one attempt ended.
struct Ending {
    verdict: Verdict,
    reason: Option<String>,
    failure: Option<Failure>,
    attempt: u32,
    will_retry: bool,
    started: u64,
    timing: Option<TrailTiming>,
}

/// An attempt that is over, but not yet said to be.
struct Ended {
    kind: EventKind,
    /// The failure before the device had its say about it; none when the trail itself passed.
    met: Option<Failure>,
}

impl Ended {
    fn failure(&self) -> Option<&Failure> {
        match &self.kind {
            EventKind::TrailFinished { failure, .. } => failure.as_ref(),
            _ => None,
        }
    }
}

impl Job<'_> {
    fn trail(&self) -> &LoadedTrail {
        &self.planned.trail
    }

    fn emit(&self, kind: EventKind) {
        self.observer.event(&Event::of_trail(self.now, self.trail().id.clone(), kind));
    }

    /// What is said when an attempt is over.
    fn finished(&self, ending: Ending, now: u64) -> EventKind {
        let mut kind = EventKind::TrailFinished {
            id: self.trail().id.clone(),
            file: self.trail().source.file.clone(),
            title: self.trail().title(),
            device: self.place.device.to_owned(),
            verdict: ending.verdict,
            reason: ending.reason,
            failure: ending.failure,
            attempt: ending.attempt,
            will_retry: ending.will_retry,
            duration_ms: now - ending.started,
            timing: ending.timing,
        };
        let memory = memory(self.options, self.trail());
        kind.map_texts(&|text| memory.redact(text));
        kind
    }

    fn left_out(&self, verdict: Verdict, reason: String) -> Verdict {
        let ending = Ending {
            verdict,
            reason: Some(reason),
            failure: None,
            attempt: 0,
            will_retry: false,
            started: self.now,
            timing: None,
        };
        self.emit(self.finished(ending, self.now));
        verdict
    }

    /// When this trail must be over, and why then.
    fn deadline(&self) -> Option<(u64, DeadlineOf)> {
        let own = self.options.trail_timeout_ms.map(|timeout| self.now.saturating_add(timeout));
        let own = own.map(|own| (own, DeadlineOf::Trail));
        let all = self.options.end_ms.map(|end| (end, DeadlineOf::Run));
        [own, all].into_iter().flatten().min_by_key(|(deadline, _)| *deadline)
    }

    /// Why no more trails are started.
    fn stopped(&self, failed: bool) -> Option<&'static str> {
        let late = self.options.last_start_ms.is_some_and(|last| self.now > last);
        match () {
            () if self.cancel.is_cancelled() => Some("the run was interrupted"),
            () if self.options.fail_fast && failed => Some("an earlier trail failed"),
            () if late => Some("the time of the run is nearly over"),
            () => None,
        }
    }

    /// Why no other trail could be run here either. A sim is made anew for each.
    fn the_end(&self, failure: &Failure) -> Option<&'static str> {
        let is_lost = || self.place.attached.is_some_and(|phone| !phone.is_reached());
        match failure.kind {
            FailureKind::Toolset => Some("a toolset server is gone"),
            FailureKind::Device if is_lost() => Some("the device is gone"),
            _ => None,
        }
    }

    /// Runs the trail as often as it takes.
    fn run(&mut self, gone: &mut Option<&'static str>) -> Verdict {
        let skip = self.trail().trail.config.skip.for_device(&device_classifiers());
        if let Some(reason) = skip.filter(|reason| !reason.trim().is_empty()) {
            return self.left_out(Verdict::Skipped, reason.clone());
        }
        for attempt in 1.. {
            let started = self.now;
            let (failure, timing) = self.attempt(attempt);
            *gone = failure.as_ref().and_then(|failure| self.the_end(failure));
            let ending = self.ending(attempt, started, failure, timing);
            let (verdict, will_retry) = (ending.verdict, ending.will_retry);
            self.emit(self.finished(ending, self.now));
            if !will_retry {
                return verdict;
            }
        }
        Verdict::Failed
    }

    fn ending(
        &self,
        attempt: u32,
        started: u64,
        failure: Option<Failure>,
        timing: Option<TrailTiming>,
    ) -> Ending {
        // Another attempt would come to the same end.
        let final_kinds = [FailureKind::Interrupted, FailureKind::Toolset, FailureKind::Fatal];
        let is_final = failure.as_ref().is_some_and(|failure| final_kinds.contains(&failure.kind));
        let stopped = is_final || self.stopped(false).is_some();
        let will_retry = failure.is_some() && attempt <= self.options.retries && !stopped;
        let verdict = if failure.is_some() { Verdict::Failed } else { Verdict::Passed };
        Ending { verdict, reason: None, failure, attempt, will_retry, started, timing }
    }

    /// Why it failed, if it did, and where its time went.
    fn attempt(&mut self, attempt: u32) -> (Option<Failure>, Option<TrailTiming>) {
        let trail = self.trail().clone();
        self.emit(EventKind::TrailStarted {
            id: trail.id.clone(),
            file: trail.source.file.clone(),
            title: trail.title(),
            device: self.place.device.to_owned(),
            steps: trail.trail.steps.len(),
            attempt,
        });
        let clock: Arc<dyn Clock> = match self.place.attached {
            Some(attached) => attached.clock(),
            None => Arc::new(VirtualClock::starting_at(self.now)),
        };
        let mut timing = None;
        // A bug in the engine fails the trail that met it, not the run.
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            let device = self.device(&trail, clock.clone())?;
            let host = Arc::new(self.host(&trail, attempt, clock.clone()));
            let session = self.session(&trail, clock.clone(), device.device, host.clone());
            self.say_whose_session(&session);
            let met = runner::run_trail(&session, &trail.trail, &trail.source.file);
            let result = explain::explained(self.planned, self.place.attached, &session, met.clone());
            self.save_log(&session);
            timing = Some(session.timing());
            if let Some(watched) = &device.watched {
                let ending = self.ending(attempt, self.now, result.as_ref().err().cloned(), timing);
                let end = self.finished(ending, clock.now_ms());
                self.keep(&session, watched, &host, &Ended { kind: end, met: met.err() });
            }
            result
        }));
        self.now = clock.now_ms();
        let result = result.unwrap_or_else(|_| {
            let failure = Failure::new(FailureKind::Exception, "Trailblaze itself failed; this is a bug");
            Err(failure.hint("report it with the text above and the trail"))
        });
        (result.err(), timing)
    }

    /// Keeps what the system wrote while the trail ran.
    fn save_log(&self, session: &Session) {
        let Some(attached) = self.place.attached else { return };
        let Some(log) = attached.log() else { return };
        // Apps write into the system's log what they like.
        let log = session.memory.redact(&log).unwrap_or(log);
        match session.host.save("logcat", "txt", log.as_bytes()) {
            Ok(file) => session.emit(EventKind::Saved { name: "logcat".to_owned(), file }),
            Err(problem) => session.warn(problem.message, problem.hint),
        }
    }

    /// A trail may be run on what another one saw.
    fn say_whose_session(&self, session: &Session) {
        let PlannedWorld::Recorded(saved) = &self.planned.world else { return };
        let (recorded, own) = (&saved.meta.trail, &self.trail().id);
        if **recorded != **own {
            session.warn(
                format!("the session was recorded with the trail '{recorded}', not with '{own}'"),
                None,
            );
        }
    }

    /// A fresh device. What a device does is watched, so that a failure can be replayed.
    fn device(&self, trail: &LoadedTrail, clock: Arc<dyn Clock>) -> Result<Driven, Failure> {
        let device = match (&self.planned.world, self.place.attached) {
            (PlannedWorld::Sim(app), _) => {
                let seed = fnv1a(&trail.id);
                stand_in::sim(app, self.place.device, trail.driver, seed, clock.clone())?
            }
            (PlannedWorld::Recorded(saved), _) => {
                return Ok(Driven { device: stand_in::recorded(&saved.world, clock)?, watched: None });
            }
            (PlannedWorld::Attached, Some(attached)) => {
                attached.make_ready(self.planned.app_id.as_deref())?;
                attached.device()
            }
            (PlannedWorld::Attached, None) => {
                return Err(Failure::new(FailureKind::Device, "the phone is not there"));
            }
        };
        let watched = Arc::new(Watched::new(device, clock, self.limit()));
        Ok(Driven { device: watched.clone(), watched: Some(watched) })
    }

    /// What is asked for is kept whole; what is kept just in case may not grow large.
    fn limit(&self) -> Option<usize> {
        self.options.capture.is_none().then_some(keep::LIMIT)
    }

    /// Keeps the run where it was asked for, and as a bundle when it failed.
    fn keep(&self, session: &Session, watched: &Watched, host: &Laptop, end: &Ended) {
        let (trail, failure) = (self.trail(), end.failure());
        let wanted = failure.is_some_and(keep::is_worth_a_bundle);
        if self.options.capture.is_none() && !wanted {
            return;
        }
        let (Some(world), Some(programs), Some(calls)) =
            (watched.world(), host.programs.seen(), host.server_calls())
        else {
            return session
                .warn("the trail was too long for a bundle of its failure", Some("use --capture".into()));
        };
        let events = self.folder.path().join("events.jsonl");
        let others = host.read();
        let sources: Vec<&Source> = self.workspace.sources.iter().chain(&others).collect();
        let root = self.workspace.root.as_deref();
        let mut documents = keep::documents(root, trail, &sources);
        documents.extend(self.workspace.scripts().iter().flat_map(|script| keep::bundle(root, script)));
        let mut events = keep::events_of(&events, &trail.id, self.place.several.then_some(self.place.device));
        let last = Event::of_trail(session.now_ms(), trail.id.clone(), end.kind.clone());
        events.extend(format!("{}\n", last.to_line()).into_bytes());
        let mut meta = keep::meta(self.options, root, self.planned, self.place.attached);
        if let Some(failure) = failure {
            "failed".clone_into(&mut meta.verdict);
            let met = end.met.as_ref().map(|met| met.message.as_str()).unwrap_or(NOTHING);
            let met = session.memory.redact(met).unwrap_or_else(|| met.to_owned());
            let met = Some(met).filter(|met| *met != failure.message);
            let saved = SavedFailure::of(failure, &keep::base(root, trail), &events);
            meta.failure = Some(SavedFailure { met, ..saved });
        }
        let listed = self.options.starter.as_ref().map(|starter| starter.listed()).unwrap_or_default();
        let servers = SavedServers { listed, calls };
        let mut saved = SavedSession { meta, world, programs, servers, documents, events };
        saved.map_texts(&|text| keep::masked(self.options, &session.memory, text));
        let capture = self.options.capture.as_ref();
        let capture =
            capture.map(|folder| folder.join(if self.place.several { self.place.device } else { "" }));
        if let Some(folder) = &capture
            && let Err(error) = saved.save(folder, &file_name(&trail.id))
        {
            let (shown, why) = (files::shown(folder), files::why(&error));
            session.warn(format!("the session could not be written to {shown}: {why}"), None);
        }
        if wanted {
            let bundle = match crate::archive::pack(&saved.to_entries()) {
                Ok(bundle) => bundle,
                Err(error) => {
                    return session.warn(format!("there is no bundle of the failure: {error}"), None);
                }
            };
            match session.host.save("bundle", "zip", &bundle) {
                Ok(file) => session.emit(EventKind::Saved { name: "bundle".to_owned(), file }),
                Err(problem) => session.warn(problem.message, problem.hint),
            }
        }
    }

    fn host(&self, trail: &LoadedTrail, attempt: u32, clock: Arc<dyn Clock>) -> Laptop {
        let attempt = if attempt > 1 { format!("-attempt-{attempt}") } else { String::new() };
        let device = if self.place.several { format!("{}/", self.place.device) } else { String::new() };
        let prefix = format!("{device}{}{attempt}", file_name(&trail.id));
        let workspace = self.workspace.root.clone();
        let programs = match &self.planned.world {
            PlannedWorld::Recorded(saved) => Programs::recorded(clock, &saved.programs),
            PlannedWorld::Sim(_) | PlannedWorld::Attached => Programs::started(clock, self.limit()),
        };
        let attached = self.place.attached.cloned();
        let is_recorded = matches!(self.planned.world, PlannedWorld::Recorded(_));
        let reload = if is_recorded { None } else { Reload::of(self.options, trail) };
        let folder = self.folder.path().to_owned();
        Laptop::new(folder, prefix, workspace, self.cancel.clone(), programs, attached).reloading(reload)
    }

    /// Unique among the sessions of this machine: the run, and the trail in it.
    fn session_id(&self) -> String {
        let run = self.folder.path().file_name().map(|name| name.to_string_lossy().into_owned());
        let device = if self.place.several { format!("-{}", self.place.device) } else { String::new() };
        format!("{}-{:08x}{device}", run.unwrap_or_default(), fnv1a(&self.trail().id) as u32)
    }

    fn session(
        &self,
        trail: &LoadedTrail,
        clock: Arc<dyn Clock>,
        device: Arc<dyn Device>,
        host: Arc<Laptop>,
    ) -> Session {
        let deadline = self.deadline();
        Session::new(Parts {
            waypoints: self.workspace.waypoints.clone(),
            registry: trail.registry.clone(),
            device,
            clock,
            observer: self.observer.clone(),
            host,
            cancel: self.cancel.clone(),
            memory: memory(self.options, trail),
            args: self.planned.args.clone(),
            trail: Some(trail.id.clone()),
            options: Options {
                id: self.session_id(),
                strict: self.options.strict,
                app_id: self.planned.app_id.clone(),
                deadline_ms: deadline.map(|(deadline, _)| deadline),
                deadline_of: deadline.map(|(_, of)| of).unwrap_or_default(),
                seed: fnv1a(&trail.id),
                ..Options::default()
            },
        })
    }
}
