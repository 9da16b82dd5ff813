//! Runs trails: picks them, gives each a device and a session, and lets the reporters listen.

mod args;
mod explain;
mod folder;
mod host;
mod keep;
mod lanes;
#[cfg(not(target_os = "android"))]
mod live;
mod places;
#[cfg_attr(target_os = "android", path = "run/program_android.rs")]
mod program;
mod programs;
#[cfg_attr(target_os = "android", path = "run/record_android.rs")]
mod record;
#[cfg_attr(target_os = "android", path = "run/reload_android.rs")]
mod reload;
mod select;
#[cfg_attr(target_os = "android", path = "run/stand_in_android.rs")]
mod stand_in;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::{Device, LogLine};
use trailblaze_engine::host::{Cancel, WebAnswer, WebRequest};
use trailblaze_engine::memory::{Memory, Secret};
use trailblaze_engine::observer::{Observer, Observers};
use trailblaze_engine::script::Module;
use trailblaze_engine::yaml_tool::Classes;
use trailblaze_model::diagnostic::{Code, Diagnostic, Severity};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::{Event, EventKind, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_report::junit::Junit;
use trailblaze_report::lines::JsonLines;
use trailblaze_report::recording::Recording;
use trailblaze_report::results::{Results, RunResult};
use trailblaze_report::summary::Summary;

pub use folder::RunFolder;
#[cfg(not(target_os = "android"))]
pub use live::{Live, Stand};
#[cfg(not(target_os = "android"))]
pub use reload::Reload;
pub use select::{Selection, Shard};

use crate::VERSION;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{self, LoadOptions, Loaded, LoadedTrail};
use crate::session::SavedSession;
use crate::toolsets::Starter;

/// Everything that `run` can be told.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub paths: Vec<PathBuf>,
    pub target: Option<String>,
    pub driver: DriverChoice,
    pub agent: AgentMode,
    pub memory: Vec<(String, String)>,
    pub secrets: Vec<(String, Secret)>,
    pub args: Vec<(String, String)>,
    pub selection: Selection,
    pub retries: u32,
    pub fail_fast: bool,
    pub jobs: usize,
    /// The names of the sims; none = one that is called `sim`, or as many as there are jobs.
    pub devices: Vec<Arc<str>>,
    /// What nobody may read, besides the secrets of trails: the token of the run.
    pub hidden: Option<Secret>,
    /// Whether each trail runs on one of the devices instead of on all.
    pub shard_across: bool,
    pub strict: bool,
    pub app: Option<PathBuf>,
    pub junit: Option<PathBuf>,
    pub events: Option<PathBuf>,
    pub record: Option<PathBuf>,
    pub out: Option<PathBuf>,
    /// Save every run as a session that can be replayed.
    pub capture: Option<PathBuf>,
    /// Run on what was seen before instead of a device.
    pub recorded: Option<Arc<SavedSession>>,
    /// Run on devices that are there already.
    pub attached: Vec<Arc<dyn Attached>>,
    /// No trail starts after this, in milliseconds on the run's clock.
    pub last_start_ms: Option<u64>,
    /// When the run must be over, whatever it is doing.
    pub end_ms: Option<u64>,
    /// The longest that one trail may take.
    pub trail_timeout_ms: Option<u64>,
    /// The classes of the APK, on a phone.
    pub classes: Option<Arc<dyn Classes>>,
    /// Starts toolsets that are programs.
    pub starter: Option<Arc<dyn Starter>>,
}

/// No trail is started when less than this is left of the time of a run.
pub(crate) const LAST_START_MS: u64 = 60_000;

impl RunOptions {
    /// How long the run may take.
    pub fn set_deadline(&mut self, deadline_ms: Option<u64>) {
        self.end_ms = deadline_ms;
        self.last_start_ms =
            deadline_ms.map(|deadline| deadline.saturating_sub(LAST_START_MS.min(deadline / 2)));
    }

    /// When the run starts, on its clock.
    fn start_ms(&self) -> u64 {
        let saved = self.recorded.as_ref().map(|saved| saved.world.start_ms);
        saved.or_else(|| Some(self.attached.first()?.clock().now_ms())).unwrap_or_default()
    }
}

/// A device that is not made for each trail: a phone.
pub trait Attached: Send + Sync + std::fmt::Debug {
    fn device(&self) -> Arc<dyn Device>;

    fn clock(&self) -> Arc<dyn Clock>;

    /// Leaves nothing of what ran before.
    fn make_ready(&self, app_id: Option<&str>) -> Result<(), Failure>;

    /// Puts back what trails changed on it: where it is, how it is held.
    fn put_back(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether it is there at all.
    fn is_reached(&self) -> bool {
        true
    }

    /// A failure with what the device knows about it: the app crashed, say.
    fn explain(&self, app_id: Option<&str>, failure: Failure) -> Failure;

    /// How the app came to its end since the device was made ready, if it did.
    fn crash(&self, app_id: Option<&str>) -> Option<Failure>;

    /// Sends a web request of a script.
    fn fetch(&self, request: &WebRequest) -> Result<WebAnswer, String>;

    /// What the system wrote since the device was made ready.
    fn log(&self) -> Option<String>;

    /// The versions of the device and of the app, where they are known, by what they are of.
    fn versions(&self, _app_id: Option<&str>) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The device that trails run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriverChoice {
    /// The driver that the sim stands in for; none = the trail's pin, else the default.
    pub stands_in_for: Option<Driver>,
}

/// Who listens besides the reports on disk.
pub type Listeners = Vec<Arc<dyn Observer>>;

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    pub result: RunResult,
    pub folder: PathBuf,
    /// Reports that could not be written, and other trouble at the end.
    pub problems: Vec<Problem>,
    /// What a person should know of the recording.
    pub notes: Vec<String>,
}

impl Outcome {
    pub fn exit(&self) -> Exit {
        let failures = || self.result.trails.iter().filter_map(|trail| trail.failure.as_ref());
        if self.result.interrupted {
            Exit::Interrupted
        } else if let Some(problem) = self.problems.first() {
            problem.exit
        } else if failures().any(|failure| failure.kind == FailureKind::Toolset) {
            Exit::Toolset
        } else if failures().any(|failure| failure.kind.is_device_trouble()) {
            Exit::Device
        } else if self.result.verdict == Verdict::Failed {
            Exit::TrailFailed
        } else {
            Exit::Passed
        }
    }
}

/// What was loaded for a run, with the trails that it will run.
#[derive(Debug)]
pub struct Prepared {
    pub loaded: Loaded,
    pub chosen: Vec<LoadedTrail>,
}

/// Loads and picks; nothing has run yet.
pub fn prepare(options: &RunOptions) -> Result<Prepared, Problem> {
    prepare_for(options, options.recorded.is_none() && options.attached.is_empty())
}

/// The same for a device that is not this one's.
pub(crate) fn prepare_for(options: &RunOptions, on_sim: bool) -> Result<Prepared, Problem> {
    let mut loaded = load::load(&LoadOptions {
        paths: options.paths.clone(),
        target: options.target.clone(),
        driver: options.driver.stands_in_for,
        agent: options.agent,
        classes: options.classes.clone(),
        starter: options.starter.clone(),
    })?;
    loaded.problems.retain_mut(|problem| matters_to_a_run(problem, on_sim));
    if loaded.errors().next().is_some() {
        // What is wrong is said before anything else can be.
        return Ok(Prepared { loaded, chosen: Vec::new() });
    }
    if let Some(problem) = &loaded.no_trails {
        return Err(problem.clone());
    }
    let chosen = options.selection.choose(&loaded.trails)?;
    check_args(options, &chosen)?;
    if options.record.is_some() && chosen.len() != 1 {
        let message = format!("--record writes one trail, and {} were chosen", chosen.len());
        return Err(Problem::new(Exit::Usage, message).hint("name the trail file, or use --filter"));
    }
    if let (Some(path), [trail]) = (&options.record, chosen.as_slice()) {
        let devices = lanes::devices(options);
        for device in &devices {
            record::check(&record::file_of(path, (devices.len() > 1).then_some(device)), trail)?;
        }
    }
    Ok(Prepared { loaded, chosen })
}

/// An argument that no trail declares is a slip of the pen.
fn check_args(options: &RunOptions, chosen: &[LoadedTrail]) -> Result<(), Problem> {
    let declared: Vec<&str> =
        chosen.iter().flat_map(|trail| &trail.trail.config.args).map(|arg| arg.name.as_str()).collect();
    let unknown = options.args.iter().map(|(name, _)| name.as_str()).find(|name| !declared.contains(name));
    let Some(name) = unknown.filter(|_| !chosen.is_empty()) else { return Ok(()) };
    let problem = Problem::new(Exit::Usage, format!("no trail declares the argument '{name}'"));
    let hint = trailblaze_model::names::nearest_hint(name, declared.iter().copied());
    Err(Problem { hint, ..problem })
}

/// A tool that nobody knows fails only when it is called, a step without a recording only when it comes, and
/// files of the sim's app are not needed elsewhere.
fn matters_to_a_run(problem: &mut Diagnostic, on_sim: bool) -> bool {
    if problem.code == Code::UnknownTool {
        problem.severity = Severity::Warning;
    }
    problem.code != Code::Coverage && (problem.code != Code::MissingFile || on_sim)
}

/// Everything that the trails need, known before the first one starts.
pub fn plan(options: &RunOptions, prepared: &Prepared) -> Result<Plan, Problem> {
    places::check(options, prepared)?;
    let plan = work::plan(options, prepared)?;
    if let Some(starter) = &options.starter {
        starter.ready(lanes::width(options, plan.len()))?;
    }
    Ok(Plan(plan))
}

/// The folder for the reports of a run.
pub fn folder(options: &RunOptions, prepared: &Prepared) -> Result<RunFolder, Problem> {
    let here = || std::env::current_dir().unwrap_or_default();
    let base = prepared.loaded.workspace.root.clone().unwrap_or_else(here);
    RunFolder::create(options.out.as_deref(), &base)
}

/// Runs what was planned.
pub fn run(
    options: &RunOptions,
    prepared: &Prepared,
    plan: &Plan,
    folder: &RunFolder,
    listeners: &[Arc<dyn Observer>],
    cancel: &Cancel,
) -> Result<Outcome, Problem> {
    let reports = Reports::open(options, folder, listeners).inspect_err(|_| folder.discard())?;
    let start = options.start_ms();
    let observers: Arc<dyn Observer> = Arc::new(reports.observers());
    let emit = |t: u64, kind: EventKind| observers.event(&Event::of_run(t, kind));
    let hidden = Memory::default();
    options.secrets.iter().for_each(|(name, secret)| hidden.set_secret(name, secret.clone()));
    options.hidden.iter().for_each(|token| hidden.hide(token.reveal().to_owned()));
    emit(
        start,
        EventKind::RunStarted {
            version: VERSION.to_owned(),
            trails: lanes::runs(options, prepared.chosen.len()),
            driver: work::driver_name(options).to_owned(),
            device: lanes::devices(options).join(", "),
        },
    );
    let end = work::run_all(options, &plan.0, &prepared.loaded.workspace, folder, &observers, cancel);
    // What servers say at their end belongs to no trail.
    for (source, LogLine { level, message }) in options.starter.iter().flat_map(|starter| starter.close()) {
        let message = hidden.redact(&message).unwrap_or(message);
        emit(end, EventKind::Log { level, source, message });
    }
    let interim = reports.results.result();
    let count = |verdict: Verdict| interim.trails.iter().filter(|trail| trail.verdict == verdict).count();
    let failed = count(Verdict::Failed);
    let interrupted = cancel.is_cancelled();
    emit(
        end,
        EventKind::RunFinished {
            verdict: if failed > 0 || interrupted { Verdict::Failed } else { Verdict::Passed },
            passed: count(Verdict::Passed),
            failed,
            skipped: count(Verdict::Skipped),
            not_run: count(Verdict::NotRun),
            healed: count(Verdict::Healed),
            interrupted,
            duration_ms: end.saturating_sub(start),
        },
    );
    let mut problems = reports.finish();
    let mut notes = Vec::new();
    if let (Some(path), Some(recording)) = (&options.record, &reports.recording) {
        match record::write(path, recording, &prepared.chosen) {
            Ok(found) => notes = found,
            Err(problem) => problems.push(problem),
        }
    }
    folder.point_latest();
    Ok(Outcome { result: reports.results.result(), folder: folder.path().to_owned(), problems, notes })
}

/// The readers of one run.
pub(crate) struct Reports {
    pub(crate) results: Arc<Results>,
    /// Only when it is asked for: it keeps every call of the run.
    recording: Option<Arc<Recording>>,
    summary: Arc<Summary>,
    lines: Vec<(PathBuf, Arc<JsonLines>)>,
    junit: Vec<(PathBuf, Arc<Junit>)>,
    listeners: Listeners,
}

impl Reports {
    /// A place that cannot be written is known before anything runs.
    pub(crate) fn open(
        options: &RunOptions,
        folder: &RunFolder,
        listeners: &[Arc<dyn Observer>],
    ) -> Result<Self, Problem> {
        let mut lines = Vec::new();
        for path in [Some(folder.path().join("events.jsonl")), options.events.clone()].into_iter().flatten() {
            let file = std::fs::File::create(&path).map_err(|error| places::cannot(&path, &error))?;
            lines.push((path, Arc::new(JsonLines::new(Box::new(file)))));
        }
        let mut junit = Vec::new();
        for path in [Some(folder.path().join("junit.xml")), options.junit.clone()].into_iter().flatten() {
            let report = Junit::create(&path).map_err(|error| places::cannot(&path, &error))?;
            junit.push((path, Arc::new(report)));
        }
        let summary_path = folder.path().join("summary.md");
        let summary = Summary::new(&summary_path).map_err(|error| places::cannot(&summary_path, &error))?;
        if let Some(capture) = &options.capture {
            std::fs::create_dir_all(capture).map_err(|error| places::cannot(capture, &error))?;
        }
        Ok(Self {
            results: Arc::new(Results::new()),
            recording: options.record.as_ref().map(|_| Arc::new(Recording::new())),
            summary: Arc::new(summary),
            lines,
            junit,
            listeners: listeners.to_vec(),
        })
    }

    pub(crate) fn observers(&self) -> Observers {
        let mut all: Vec<Box<dyn Observer>> = Vec::new();
        all.extend(self.lines.iter().map(|(_, lines)| Box::new(lines.clone()) as Box<dyn Observer>));
        all.extend(self.junit.iter().map(|(_, junit)| Box::new(junit.clone()) as Box<dyn Observer>));
        all.push(Box::new(self.summary.clone()));
        all.push(Box::new(self.results.clone()));
        all.extend(self.recording.clone().map(|recording| Box::new(recording) as Box<dyn Observer>));
        all.extend(self.listeners.iter().map(|other| Box::new(other.clone()) as Box<dyn Observer>));
        Observers(all)
    }

    pub(crate) fn finish(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut note = |what: String, result: std::io::Result<()>| {
            if let Err(error) = result {
                let message = format!("{what} could not be written: {}", files::why(&error));
                problems.push(Problem::new(Exit::BadDocument, message));
            }
        };
        for (path, lines) in &self.lines {
            note(files::shown(path), lines.finish());
        }
        for (path, junit) in &self.junit {
            note(files::shown(path), junit.finish());
        }
        note("summary.md".to_owned(), self.summary.finish());
        problems
    }
}

/// The trails of a run, ready to start.
#[derive(Debug)]
pub struct Plan(Vec<Planned>);

/// What a trail will run on.
#[derive(Clone, Debug)]
enum PlannedWorld {
    Sim(Module),
    Recorded(Arc<SavedSession>),
    /// On which phone, the lane knows.
    Attached,
}

/// A trail that will run, with what its session needs.
#[derive(Debug)]
struct Planned {
    trail: LoadedTrail,
    world: PlannedWorld,
    args: Map<String, Value>,
    app_id: Option<String>,
}
