//! Runs trails: picks them, gives each a device and a session, and lets the reporters listen.

mod args;
mod folder;
mod host;
mod record;
mod select;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::observer::{Observer, Observers};
use trailblaze_engine::script::Module;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::{Event, EventKind, Verdict};
use trailblaze_report::junit::Junit;
use trailblaze_report::lines::JsonLines;
use trailblaze_report::recording::Recording;
use trailblaze_report::results::{Results, RunResult};
use trailblaze_report::summary::Summary;
use trailblaze_report::terminal::Terminal;

pub use folder::RunFolder;
pub use select::{Selection, Shard, fnv1a};

use crate::VERSION;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{self, LoadOptions, Loaded, LoadedTrail};

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
    pub strict: bool,
    pub app: Option<PathBuf>,
    pub junit: Option<PathBuf>,
    pub events: Option<PathBuf>,
    pub record: Option<PathBuf>,
    pub out: Option<PathBuf>,
}

/// The device that trails run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriverChoice {
    /// The driver that the sim stands in for; none = the trail's pin, else the default.
    pub stands_in_for: Option<Driver>,
}

/// How people see a run.
pub struct Screen {
    /// None with `--json`, where only the result is printed.
    pub terminal: Option<Arc<Terminal>>,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Screen({})", self.terminal.is_some())
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    pub result: RunResult,
    pub folder: PathBuf,
    /// Reports that could not be written, and other trouble at the end.
    pub problems: Vec<Problem>,
}

impl Outcome {
    pub fn exit(&self) -> Exit {
        let failures = || self.result.trails.iter().filter_map(|trail| trail.failure.as_ref());
        if self.result.interrupted {
            Exit::Interrupted
        } else if let Some(problem) = self.problems.first() {
            problem.exit
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
    let loaded = load::load(&LoadOptions {
        paths: options.paths.clone(),
        target: options.target.clone(),
        driver: options.driver.stands_in_for,
        agent: options.agent,
    })?;
    let chosen = options.selection.choose(&loaded.trails)?;
    if options.record.is_some() && chosen.len() != 1 {
        let message = format!("--record writes one trail, and {} were chosen", chosen.len());
        return Err(Problem::new(Exit::Usage, message).hint("name the trail file, or use --filter"));
    }
    Ok(Prepared { loaded, chosen })
}

/// Runs what was prepared.
pub fn run(
    options: &RunOptions,
    prepared: &Prepared,
    screen: &Screen,
    cancel: &Cancel,
) -> Result<Outcome, Problem> {
    let plan = work::plan(options, prepared)?;
    let base =
        prepared.loaded.workspace.root.clone().unwrap_or_else(|| std::env::current_dir().unwrap_or_default());
    let folder = RunFolder::create(options.out.as_deref(), &base)?;
    let reports = Reports::open(options, &folder, screen)?;
    let observers: Arc<dyn Observer> = Arc::new(reports.observers());
    let emit = |t: u64, kind: EventKind| observers.event(&Event { t, trail: None, kind });
    emit(
        0,
        EventKind::RunStarted {
            version: VERSION.to_owned(),
            trails: prepared.chosen.len(),
            driver: options.driver.stands_in_for.unwrap_or(load::DEFAULT_DRIVER).key().to_owned(),
            device: "sim".to_owned(),
        },
    );
    let end = work::run_all(options, &plan, &prepared.loaded.workspace, &folder, &observers, cancel);
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
            duration_ms: end,
        },
    );
    let mut problems = reports.finish();
    if let Some(path) = &options.record {
        problems.extend(record::write(path, &reports.recording, &prepared.chosen).err());
    }
    folder.point_latest();
    Ok(Outcome { result: reports.results.result(), folder: folder.path().to_owned(), problems })
}

/// The readers of one run.
struct Reports {
    results: Arc<Results>,
    recording: Arc<Recording>,
    summary: Arc<Summary>,
    lines: Vec<(PathBuf, Arc<JsonLines>)>,
    junit: Vec<(PathBuf, Arc<Junit>)>,
    terminal: Option<Arc<Terminal>>,
}

impl Reports {
    /// A place that cannot be written is known before anything runs.
    fn open(options: &RunOptions, folder: &RunFolder, screen: &Screen) -> Result<Self, Problem> {
        let cannot = |path: &std::path::Path, error: &std::io::Error| {
            let message = format!("{} cannot be written: {}", files::shown(path), files::why(error));
            Problem::new(Exit::BadDocument, message)
        };
        let mut lines = Vec::new();
        for path in [Some(folder.path().join("events.jsonl")), options.events.clone()].into_iter().flatten() {
            let file = std::fs::File::create(&path).map_err(|error| cannot(&path, &error))?;
            lines.push((path, Arc::new(JsonLines::new(Box::new(file)))));
        }
        let mut junit = Vec::new();
        for path in [Some(folder.path().join("junit.xml")), options.junit.clone()].into_iter().flatten() {
            let report = Junit::create(&path).map_err(|error| cannot(&path, &error))?;
            junit.push((path, Arc::new(report)));
        }
        let summary_path = folder.path().join("summary.md");
        let summary = Summary::new(&summary_path).map_err(|error| cannot(&summary_path, &error))?;
        if let Some(path) = &options.record {
            record::check_place(path).map_err(|error| cannot(path, &error))?;
        }
        Ok(Self {
            results: Arc::new(Results::new()),
            recording: Arc::new(Recording::new()),
            summary: Arc::new(summary),
            lines,
            junit,
            terminal: screen.terminal.clone(),
        })
    }

    fn observers(&self) -> Observers {
        let mut all: Vec<Box<dyn Observer>> = Vec::new();
        all.extend(self.lines.iter().map(|(_, lines)| Box::new(lines.clone()) as Box<dyn Observer>));
        all.extend(self.junit.iter().map(|(_, junit)| Box::new(junit.clone()) as Box<dyn Observer>));
        all.push(Box::new(self.summary.clone()));
        all.push(Box::new(self.results.clone()));
        all.push(Box::new(self.recording.clone()));
        all.extend(self.terminal.clone().map(|terminal| Box::new(terminal) as Box<dyn Observer>));
        Observers(all)
    }

    fn finish(&self) -> Vec<Problem> {
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
        if let Some(terminal) = &self.terminal {
            // Nobody is left to read a report on a terminal that is gone.
            let _ = terminal.finish();
        }
        problems
    }
}

/// A trail that will run, with what its session needs.
struct Planned {
    trail: LoadedTrail,
    app: Module,
    args: Map<String, Value>,
    app_id: Option<String>,
}
