//! A run on the phone itself: what Java hands over is a phone and the arguments of the instrumentation, and everything
//! else happens here.

mod arguments;
mod attached;
mod crash;
mod filter;
pub(crate) mod handed;
mod logcat;
mod packed;
mod reports;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod serve;
mod settings;
mod stop;

use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_android::class_tool::ApkClasses;
use trailblaze_android::device::AndroidDevice;
use trailblaze_android::platform::{Platform, Source};
use trailblaze_engine::clock::{Clock, SystemClock};
use trailblaze_engine::device::DeviceInfo;
use trailblaze_engine::host::Cancel;
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::Failure;
use trailblaze_model::names;
use trailblaze_model::test_name::TestName;
use trailblaze_report::instrumentation::{InstrumentationStatus, StatusSink};

use self::arguments::Arguments;
#[cfg(not(target_os = "android"))]
pub(crate) use self::arguments::duration;
use self::attached::Phone;
use self::filter::TestFilter;
use self::logcat::Logcat;
use self::packed::Packed;
use self::reports::Reports;
use self::settings::Changed;
use self::stop::Stop;
use crate::exit_code::Problem;
use crate::load::LoadedTrail;
use crate::run::{self, DriverChoice, Listeners, Outcome, Prepared, RunOptions, Selection};
use crate::workspace::Workspace;

/// The name of the socket of a session.
pub(crate) fn socket(session: &str) -> String {
    format!("trailblaze-{session}")
}

/// What log lines are found by.
const TAG: &str = "trailblaze";
const WARN: i32 = 5;
const ERROR: i32 = 6;
/// The run itself came to its end.
const FINISHED: i32 = -1;
/// Nothing could be run.
const CANCELLED: i32 = 0;
/// What helps where reports cannot be written.
const OTHER_FOLDER: &str = "'-e additionalTestOutputDir DIR' chooses another folder";
/// Documents and patterns may nest; a thread that Java made is too small for some of them.
const STACK: usize = 8 << 20;

/// Reads arguments as a run on a phone does, and gives its deadline in milliseconds; an error is for people.
#[cfg(not(target_os = "android"))]
pub(crate) fn deadline_of(arguments: &[(String, String)]) -> Result<Option<u64>, String> {
    Arguments::read(arguments, |_| Ok(String::new())).map(|arguments| arguments.deadline_ms)
}

/// Runs what the arguments ask for and tells Java how it ended. Nothing is thrown: whatever happens, the
/// instrumentation is finished.
pub fn run(platform: Arc<dyn Platform>, arguments: Vec<(String, String)>, cancel: &Cancel) {
    run_by(Arc::new(SystemClock::default()), platform, arguments, cancel);
}

/// [`run`] with a clock that is given, for tests that do not wait.
pub fn run_by(
    clock: Arc<dyn Clock>,
    platform: Arc<dyn Platform>,
    arguments: Vec<(String, String)>,
    cancel: &Cancel,
) {
    let (phone, stop) = (platform.clone(), cancel.clone());
    let work = move || run_all(&phone, &arguments, clock, &stop);
    let result = std::thread::Builder::new()
        .name("trailblaze".to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map_err(|error| format!("no thread could be started: {error}"))
        .and_then(|thread| {
            thread.join().unwrap_or_else(|_| Err("Trailblaze itself failed; this is a bug".to_owned()))
        });
    let finished = match result {
        Ok(summary) => platform.finish(FINISHED, &[("stream", summary)]),
        Err(message) => {
            platform.log(ERROR, TAG, &message);
            let short = message.lines().next().unwrap_or_default().to_owned();
            platform.finish(CANCELLED, &[("shortMsg", short), ("longMsg", message)])
        }
    };
    if let Err(failure) = finished {
        platform.log(ERROR, TAG, &format!("the instrumentation could not be finished: {}", told(failure)));
    }
}

/// The summary for people, or why nothing could be run.
fn run_all(
    platform: &Arc<dyn Platform>,
    arguments: &[(String, String)],
    clock: Arc<dyn Clock>,
    cancel: &Cancel,
) -> Result<String, String> {
    let mut arguments = Arguments::read(arguments, |path| std::fs::read_to_string(path))?;
    if let Some(file) = arguments.handed.take() {
        // It holds secrets, so it is for the shell only.
        let handed = platform.shell(&format!("cat {file}")).map_err(told)?;
        // Should the laptop be killed, they do not stay.
        let _ = platform.shell(&format!("rm -f {file}"));
        arguments.take_handed(&file, &handed)?;
    }
    let _stop = arguments.stop.clone().map(|file| Stop::when_there(file, cancel));
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if arguments.serve {
        return serve::run(platform, &arguments, clock.as_ref(), cancel);
    }
    let files = PathBuf::from(platform.files_dir().map_err(told)?);
    let status = Arc::new(InstrumentationStatus::new(Arc::new(Sink(platform.clone()))));
    let workspace = match &arguments.workspace {
        Some(folder) => folder.clone(),
        None => {
            let packed = Packed::list(platform.as_ref())?;
            packed.unpack(&files.join("workspace")).inspect_err(|why| {
                if !arguments.list {
                    status.refuse(&packed.trails(&arguments), why);
                }
            })?
        }
    };
    let driver = arguments.driver.unwrap_or(Driver::AndroidOndeviceAccessibility);
    let reports = Reports::new(arguments.output.as_deref(), &files);
    let cleared = if arguments.list { Ok(()) } else { reports.clear(&workspace) };
    let mut options = RunOptions {
        paths: match arguments.paths.as_slice() {
            [] => vec![workspace],
            paths => paths.iter().map(|path| workspace.join(path)).collect(),
        },
        target: arguments.target.clone(),
        driver: DriverChoice { stands_in_for: Some(driver) },
        agent: AgentMode::OnDevice,
        memory: arguments.memory.clone(),
        secrets: arguments.secrets.clone(),
        args: arguments.args.clone(),
        selection: Selection { tags: arguments.tags.clone(), ..Selection::default() },
        retries: arguments.retries,
        fail_fast: arguments.fail_fast,
        jobs: 1,
        strict: arguments.strict,
        classes: Some(Arc::new(ApkClasses::new(vec![platform.clone()]))),
        out: Some(reports.folder.clone()),
        ..RunOptions::default()
    };
    options.set_deadline(arguments.deadline_ms);
    options.trail_timeout_ms = arguments.timeout_ms;
    let phone = attach(platform, driver, clock.clone(), arguments.device.as_deref()).map_err(told)?;
    options.attached = vec![Arc::new(phone)];
    let Chosen { prepared, trouble } = choose(&mut options, &arguments.filter)?;
    let ids: Vec<Arc<str>> = prepared.chosen.iter().map(|trail| trail.id.clone()).collect();
    if arguments.list {
        return match trouble {
            Some(trouble) => Err(trouble),
            None => {
                status.list(&ids);
                Ok(format!("{} tests", ids.len()))
            }
        };
    }
    let start = || {
        cleared?;
        let mut changed = Changed::new(platform.clone());
        let plan = run::plan(&options, &prepared).map_err(shown)?;
        let folder = run::folder(&options, &prepared).map_err(|problem| shown(problem.hint(OTHER_FOLDER)))?;
        reports.mark()?;
        make_ready(&mut changed, driver, clock.as_ref(), cancel).map_err(told)?;
        let logcat = Arc::new(Logcat::new(platform.clone()));
        let listeners: Listeners = vec![status.clone(), logcat.clone()];
        let outcome = run::run(&options, &prepared, &plan, &folder, &listeners, cancel).map_err(shown)?;
        Ok(format!("{}session: {}\n", summary(&outcome), logcat.session))
    };
    trouble.map_or_else(start, Err).inspect_err(|why| status.refuse(&ids, why))
}

/// What was asked for.
struct Chosen {
    prepared: Prepared,
    /// Why it cannot be run.
    trouble: Option<String>,
}

/// Loads the trails and picks those that are asked for, also when they cannot be run: hosts know tests by their names.
fn choose(options: &mut RunOptions, filter: &TestFilter) -> Result<Chosen, String> {
    let mut prepared = run::prepare(options).map_err(shown)?;
    let mut trouble = Vec::new();
    if let Some(name) = options.target.take_if(|name| prepared.loaded.workspace.lacks_target(name)) {
        trouble.push(unknown_target(&prepared.loaded.workspace, &name));
        prepared = run::prepare(options).map_err(shown)?;
    }
    let errors: Vec<String> = prepared.loaded.errors().map(ToString::to_string).collect();
    if !errors.is_empty() {
        trouble.push(format!("the documents have errors\n{}", errors.join("\n")));
        prepared.chosen = options.selection.choose(&prepared.loaded.trails).unwrap_or_default();
    } else if let Err(nothing) = filter.check(&ids(&prepared.loaded.trails), &ids(&prepared.chosen)) {
        trouble.push(nothing);
    }
    prepared.chosen.retain(|trail| filter.has(&TestName::of(&trail.id)));
    let trouble = (!trouble.is_empty()).then(|| trouble.join("\n"));
    Ok(Chosen { prepared, trouble })
}

/// The ids of what can be run.
fn ids(trails: &[LoadedTrail]) -> Vec<Arc<str>> {
    trails.iter().filter(|trail| !trail.trail.is_config_only()).map(|trail| trail.id.clone()).collect()
}

fn unknown_target(workspace: &Workspace, name: &str) -> String {
    let known: Vec<&str> = workspace.targets.iter().map(|target| target.id.as_str()).collect();
    let there_are = match known.as_slice() {
        [] => "the workspace has none".to_owned(),
        known => format!("known are: {}", known.join(", ")),
    };
    let hint = names::nearest_hint(name, known.iter().copied());
    let hint =
        hint.unwrap_or_else(|| "without '-e target' each trail has its own, or the workspace's".to_owned());
    format!("unknown target '{name}', {there_are}\nhint: {hint}")
}

/// Changes on the phone what a run needs changed.
fn make_ready(
    changed: &mut Changed,
    driver: Driver,
    clock: &dyn Clock,
    cancel: &Cancel,
) -> Result<(), Failure> {
    changed.stop_animations()?;
    match source(driver) {
        Source::UiAutomation => Ok(()),
        Source::Service => changed.enable_service(clock, cancel),
    }
}

fn source(driver: Driver) -> Source {
    match driver {
        Driver::AndroidOndeviceInstrumentation => Source::UiAutomation,
        _ => Source::Service,
    }
}

/// The phone as it is, untouched. It is called after its model, unless it has another name.
#[cfg(not(target_os = "android"))]
pub fn attached(
    platform: &Arc<dyn Platform>,
    driver: Driver,
    clock: Arc<dyn Clock>,
    id: Option<&str>,
) -> Result<Arc<dyn run::Attached>, Failure> {
    Ok(Arc::new(attach(platform, driver, clock, id)?.with_own_time()?))
}

fn attach(
    platform: &Arc<dyn Platform>,
    driver: Driver,
    clock: Arc<dyn Clock>,
    id: Option<&str>,
) -> Result<Phone, Failure> {
    let display = platform.display()?;
    let about = platform.describe_device()?;
    let known = |name: &str| about.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let model = known("model").unwrap_or("android");
    let sdk = known("sdk").and_then(|sdk| sdk.parse().ok()).unwrap_or(0);
    let info = DeviceInfo {
        id: id.unwrap_or(model).to_owned(),
        driver,
        width: display.width,
        height: display.height,
        classifiers: classifiers(display.width.min(display.height), display.density),
    };
    let device = Arc::new(AndroidDevice::new(platform.clone(), clock.clone(), source(driver), sdk, info));
    Ok(Phone::new(platform.clone(), device, clock))
}

/// A tablet is at least 600 dp wide on its shorter side.
fn classifiers(shorter: i32, density: i32) -> Classifiers {
    let dp = i64::from(shorter) * 160 / i64::from(density.max(1));
    Classifiers::new(["android", if dp >= 600 { "tablet" } else { "phone" }])
}

/// Where the statuses go.
struct Sink(Arc<dyn Platform>);

impl StatusSink for Sink {
    fn status(&self, code: i32, values: &[(&str, String)]) {
        if let Err(failure) = self.0.status(code, values) {
            self.0.log(ERROR, TAG, &format!("a status could not be sent: {}", told(failure)));
        }
    }
}

fn summary(outcome: &Outcome) -> String {
    let count = |verdict| outcome.result.trails.iter().filter(|trail| trail.verdict == verdict).count();
    use trailblaze_model::event::Verdict::{Failed, NotRun, Passed, Skipped};
    let mut text = format!("\n\n{} passed, {} failed", count(Passed), count(Failed));
    for (number, word) in [(count(Skipped), "skipped"), (count(NotRun), "not run")] {
        if number > 0 {
            text += &format!(", {number} {word}");
        }
    }
    text += &format!("\nreports: {}\n", outcome.folder.display());
    outcome.problems.iter().for_each(|problem| text += &format!("{problem}\n"));
    text
}

fn told(failure: Failure) -> String {
    let hint = failure.hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let stack = failure.stack.map(|stack| format!("\n{stack}")).unwrap_or_default();
    format!("{}{hint}{stack}", failure.message)
}

/// As a host shows it, which says itself that this is an error.
fn shown(problem: Problem) -> String {
    let hint = problem.hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    format!("{}{hint}", problem.message)
}
