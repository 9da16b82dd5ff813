//! Tools about trails: run, check and record them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use trailblaze_engine::observer::Observer;
use trailblaze_mcp::server::{Caller, answer};
use trailblaze_model::diagnostic::Diagnostic;
use trailblaze_model::event::{Event, EventKind, Verdict};
use trailblaze_model::trail::{Config, Trail};

use super::resources::report_uri;
use super::{Said, Shared, count, flag, locked, text};
use crate::authoring::Bench;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{self, LoadOptions};
use crate::run::{self, DriverChoice, Outcome, RunOptions, Selection};
use crate::toolsets::ToolsetServers;

/// Tells who waits how far the run is.
struct Teller {
    caller: Caller,
    done: Mutex<u32>,
    steps: usize,
}

impl Observer for Teller {
    fn event(&self, event: &Event) {
        if let EventKind::StepStarted { text, .. } = &event.kind {
            let mut done = locked(&self.done);
            *done += 1;
            let trail = event.trail.as_deref().unwrap_or_default();
            // With retries there are more steps than were counted.
            let total = self.steps.max(*done as usize) as f64;
            self.caller.progress(f64::from(*done), Some(total), format!("{trail}: {text}"));
        }
    }
}

impl Shared {
    /// What a call is about: the path that it names, or the whole workspace.
    fn paths(&self, bench: &Bench, args: &Map<String, Value>) -> Vec<PathBuf> {
        match text(args, "path") {
            Some(path) => vec![self.path(bench, path)],
            None => bench.workspace.root.iter().cloned().collect(),
        }
    }
}

pub(super) fn run(shared: &Shared, args: &Map<String, Value>, caller: &Caller) -> Said {
    let bench = shared.base()?;
    let phone = shared.phone.as_ref();
    let _turn = phone.map(|phone| phone.turn(&caller.cancel)).transpose()?;
    let phones = phone.map(|phone| phone.take(caller)).transpose()?;
    let options = RunOptions {
        paths: shared.paths(&bench, args),
        target: shared.options.target.clone(),
        driver: DriverChoice { stands_in_for: shared.named_driver() },
        memory: pairs(args, "memory"),
        args: pairs(args, "args"),
        selection: Selection { tags: texts(args, "tags"), filters: texts(args, "filters"), shard: None },
        jobs: 1,
        record: text(args, "record").map(|file| own_file(&bench, file)).transpose()?,
        attached: phones.iter().flat_map(|phones| phones.attached()).collect(),
        classes: phones.as_ref().and_then(|phones| phones.classes()),
        starter: Some(ToolsetServers::new(&caller.cancel, shared.endpoint.clone())),
        ..RunOptions::default()
    };
    let prepared = run::prepare(&options).map_err(in_our_words)?;
    let errors: Vec<&Diagnostic> = prepared.loaded.errors().collect();
    if !errors.is_empty() {
        return Err(nothing_ran(&errors).into());
    }
    let plan = run::plan(&options, &prepared)?;
    let folder = run::folder(&options, &prepared)?;
    let steps = prepared.chosen.iter().map(|trail| trail.trail.steps.len()).sum();
    let teller = Teller { caller: caller.clone(), done: Mutex::default(), steps };
    let mut outcome = run::run(&options, &prepared, &plan, &folder, &[Arc::new(teller)], &caller.cancel)?;
    outcome.notes.extend(phones.iter().flat_map(|phones| phones.put_back()));
    Ok(told(&outcome))
}

/// What the command line calls its options are arguments here.
fn in_our_words(problem: Problem) -> Problem {
    let names = [("--tag", "'tags'"), ("--filter", "'filters'"), ("--record", "'record'")];
    let say = |text: String| names.iter().fold(text, |text, (option, name)| text.replace(option, name));
    Problem { exit: problem.exit, message: say(problem.message), hint: problem.hint.map(say) }
}

fn nothing_ran(errors: &[&Diagnostic]) -> Problem {
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    Problem::new(Exit::BadDocument, format!("nothing was run\n{}", shown.join("\n")))
}

/// How a run ended, for models and for programs.
fn told(outcome: &Outcome) -> Value {
    let result = &outcome.result;
    let passed = result.trails.iter().filter(|trail| trail.verdict == Verdict::Passed).count();
    let mut lines = vec![format!(
        "{}: {passed} of {} passed",
        result.verdict.as_str(),
        count(result.trails.len(), "trail")
    )];
    for trail in result.trails.iter().filter(|trail| trail.verdict != Verdict::Passed) {
        let why = trail.failure.as_ref().map(|failure| format!("{}: {failure}", failure.kind));
        let why = why.or_else(|| trail.reason.clone()).unwrap_or_default();
        lines.push(format!("{} {}: {why}", trail.verdict.as_str(), trail.id));
    }
    lines.extend(outcome.notes.iter().map(|note| format!("warning: {note}")));
    lines.extend(outcome.problems.iter().map(ToString::to_string));
    let report = report_uri(&outcome.folder, "summary.md");
    lines.push(format!("report: {report}"));
    let mut structured = result.to_json();
    structured["report"] = report.into();
    answer::structured(vec![answer::text(lines.join("\n"))], structured)
}

pub(super) fn check(shared: &Shared, args: &Map<String, Value>) -> Said {
    let bench = shared.base()?;
    let paths = shared.paths(&bench, args);
    let (target, driver) = (shared.options.target.clone(), shared.named_driver());
    let loaded = load::load(&LoadOptions { target, driver, ..LoadOptions::new(paths) })?;
    let errors = loaded.errors().count();
    let warnings = loaded.problems.len() - errors;
    let mut lines = vec![format!(
        "{} checked: {}, {}",
        count(loaded.documents, "file"),
        count(errors, "error"),
        count(warnings, "warning")
    )];
    lines.extend(loaded.problems.iter().map(ToString::to_string));
    lines.extend((!loaded.trails.is_empty()).then(|| format!("{}:", count(loaded.trails.len(), "trail"))));
    lines.extend(loaded.trails.iter().map(|trail| format!("{} {}", trail.source.file, trail.title())));
    let trails: Vec<Value> = loaded
        .trails
        .iter()
        .map(|trail| json!({ "id": *trail.id, "file": *trail.source.file, "title": trail.title() }))
        .collect();
    let structured = json!({
        "files": loaded.documents, "errors": errors, "warnings": warnings, "trails": trails,
    });
    Ok(answer::structured(vec![answer::text(lines.join("\n"))], structured))
}

/// What was done on a device becomes a trail.
pub(super) fn record(shared: &Shared, args: &Map<String, Value>, caller: &Caller) -> Said {
    let opened = shared.opened_for(args, caller)?;
    let file = text(args, "file").unwrap_or_default();
    let path = own_file(&opened.bench, file)?;
    if !file.ends_with(".trail.yaml") {
        let message = format!("'{file}' does not end with .trail.yaml, so nobody would find the trail in it");
        let name = file.trim_end_matches(".yaml").trim_end_matches(".yml");
        return Err(Problem::new(Exit::Usage, message).hint(format!("call it '{name}.trail.yaml'")).into());
    }
    if path.exists() {
        let message = format!("{} is there already", files::shown(&path));
        return Err(Problem::new(Exit::BadDocument, message).hint("choose another file").into());
    }
    let config = Config {
        target: opened.bench.target.as_ref().map(|target| target.id.clone()),
        title: text(args, "title").map(str::to_owned),
        ..Config::default()
    };
    let clear = flag(args, "clear");
    shared.desk(args, caller)?.ask(caller, move |seat| {
        let (steps, left_out) = seat.notes.steps();
        if steps.is_empty() {
            let message = "nothing was done on the device that can be recorded";
            return Err(Problem::new(Exit::Usage, message).hint("use 'tool' first").into());
        }
        let (calls, number) =
            (steps.iter().map(|step| step.recording.all_calls().count()).sum(), steps.len());
        write(&path, &Trail { config, steps }.print())?;
        if clear {
            seat.notes.clear();
        }
        let shown = files::shown(&path);
        let mut lines = vec![format!("wrote {shown}: {}, {}", count(number, "step"), count(calls, "call"))];
        lines
            .extend(left_out.iter().map(|tool| format!("warning: '{tool}' is not recordable and not in it")));
        let structured = json!({ "file": shown, "steps": number, "calls": calls, "notRecorded": left_out });
        Ok(answer::structured(vec![answer::text(lines.join("\n"))], structured))
    })
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let folder = path.parent().map(std::fs::create_dir_all).unwrap_or(Ok(()));
    folder.and_then(|()| std::fs::write(path, text)).map_err(|error| {
        let message = format!("{} could not be written: {}", files::shown(path), files::why(&error));
        Problem::new(Exit::BadDocument, message)
    })
}

/// A file that may be written: only the workspace is a model's to write to.
fn own_file(bench: &Bench, file: &str) -> Result<PathBuf, Problem> {
    let root = bench.workspace.root.as_deref().map(files::normal).ok_or_else(|| {
        Problem::new(Exit::BadDocument, "there is no workspace to write to")
            .hint("'trailblaze init' makes one")
    })?;
    let path = files::normal(&root.join(file));
    if path.starts_with(&root) && path != root {
        return Ok(path);
    }
    let message = format!("'{file}' is no file of the workspace");
    Err(Problem::new(Exit::Usage, message).hint("paths are relative to the workspace"))
}

fn texts(args: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = args.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn pairs(args: &Map<String, Value>, key: &str) -> Vec<(String, String)> {
    let pairs = args.get(key).and_then(Value::as_object);
    let pair =
        |(name, value): (&String, &Value)| (name.clone(), value.as_str().unwrap_or_default().to_owned());
    pairs.map(|pairs| pairs.iter().map(pair).collect()).unwrap_or_default()
}
