//! Writes what a run recorded as a trail that replays.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::event::StepKind;
use trailblaze_model::place::Source;
use trailblaze_model::trail::{self, Recording as Calls, Step, Trail};
use trailblaze_model::yaml;
use trailblaze_report::recording::{RecordedStep, RecordedTrail, Recording};

use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{LoadedTrail, device_classifiers};

/// Whether a file that is there already can take the recording of a trail.
pub(super) fn check(path: &Path, loaded: &LoadedTrail) -> Result<(), Problem> {
    let Ok(text) = fs::read_to_string(path) else { return Ok(()) };
    if text.trim().is_empty() {
        return Ok(());
    }
    let source = Source::new(files::shown(path), text);
    let other = |why: &str| {
        let message = format!("{} is there already and {why}", source.file);
        Problem::new(Exit::BadDocument, message).hint("choose another file for --record")
    };
    let mut problems = Diagnostics::new();
    let existing = trail::read(&source, &mut problems).ok_or_else(|| other("is no trail"))?;
    let names = |trail: &Trail| -> Vec<(StepKind, String)> {
        trail.steps.iter().map(|step| (step.kind, step.text.clone())).collect()
    };
    if names(&existing) != names(&loaded.trail) {
        return Err(other("has other steps"));
    }
    let unified = yaml::read(&source, &mut problems).is_some_and(|document| document.as_map().is_some());
    if unified { Ok(()) } else { Err(other("is in the list form, which cannot be edited")) }
}

/// The file of a device: one of several has a file of its own, such as `login.sim-2.trail.yaml`.
pub(super) fn file_of(path: &Path, device: Option<&str>) -> PathBuf {
    let Some(device) = device else { return path.to_owned() };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, rest) = name.split_once('.').unwrap_or((&name, ""));
    let rest = if rest.is_empty() { String::new() } else { format!(".{rest}") };
    path.with_file_name(format!("{stem}.{device}{rest}"))
}

/// Writes the one trail that ran, for each device where that was, and says what could not be recorded.
pub(super) fn write(
    path: &Path,
    recording: &Recording,
    chosen: &[LoadedTrail],
) -> Result<Vec<String>, Problem> {
    let (recorded, Some(loaded)) = (recording.trails(), chosen.first()) else { return Ok(Vec::new()) };
    if recorded.is_empty() {
        return Err(Problem::new(Exit::BadDocument, "nothing was recorded: no trail ran"));
    }
    let mut notes = Vec::new();
    for recorded in &recorded {
        let device = recorded.device.as_deref();
        let whose = device.map(|device| format!("[{device}] ")).unwrap_or_default();
        let left_out = recorded.steps.iter().filter_map(not_recorded);
        notes.extend(left_out.map(|note| format!("{whose}{note}")));
        write_one(&file_of(path, device), recorded, loaded)?;
    }
    Ok(notes)
}

/// A file that is there already is edited, so that its comments survive.
fn write_one(path: &Path, recorded: &RecordedTrail, loaded: &LoadedTrail) -> Result<(), Problem> {
    let text = match fs::read_to_string(path) {
        Ok(text) if !text.trim().is_empty() => edited(Source::new(files::shown(path), text), recorded)?,
        _ => fresh(&loaded.trail, recorded).print(),
    };
    let temporary = path.with_extension("yaml.tmp");
    fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        let message = format!("{} could not be written: {}", files::shown(path), files::why(&error));
        Problem::new(Exit::BadDocument, message)
    })
}

/// Why a step is not in the recording as it ran.
fn not_recorded(step: &RecordedStep) -> Option<String> {
    let why = if !step.passed {
        "it failed"
    } else if !step.recordable {
        "it called a tool that is not recordable; it keeps what it had"
    } else if step.kind == StepKind::Trailhead && step.calls.len() > 1 {
        "a trailhead holds one call"
    } else {
        return None;
    };
    Some(format!("step {} '{}' was not recorded: {why}", step.index + 1, step.text))
}

/// The classifier that recordings are written for.
fn classifier() -> String {
    device_classifiers().joined()
}

fn calls(recorded: &[(String, serde_json::Map<String, Value>)]) -> Vec<ToolCall> {
    recorded.iter().map(|(name, args)| ToolCall::new(name, args.clone())).collect()
}

/// The trail that ran, with the recorded calls in place of its own. A step that failed keeps what it had: without
/// its last call it would pass.
fn fresh(original: &Trail, recorded: &RecordedTrail) -> Trail {
    let mut trail = original.clone();
    let list_form = trail.steps.iter().any(|step| matches!(step.recording, Calls::Always(_)));
    for step in recorded.steps.iter().filter(|step| step.passed) {
        let Some(own) = trail.steps.get_mut(step.index) else { continue };
        let list = calls(&step.calls);
        if !step.recordable {
            // What a trail wrote down itself is kept; only what a model solved needs one again.
            if own.recording.for_device(&device_classifiers()).is_none() {
                *own = Step { recordable: false, recording: Calls::None, ..own.clone() };
            }
            continue;
        }
        // A trailhead holds one call; the rest of what it became cannot be written there.
        let one_call = own.kind != StepKind::Trailhead || list.len() <= 1;
        match &mut own.recording {
            Calls::Always(own) => *own = list,
            Calls::PerClassifier(per) if one_call => {
                per.retain(|(name, _)| *name != classifier());
                per.push((classifier(), list));
            }
            other if list_form => *other = Calls::Always(list),
            other if one_call => *other = Calls::PerClassifier(vec![(classifier(), list)]),
            _ => {}
        }
    }
    trail
}

fn edited(source: Source, recorded: &RecordedTrail) -> Result<String, Problem> {
    let mut text = source.text.to_string();
    for step in recorded.steps.iter().filter(|step| step.passed && step.recordable) {
        let source = Source::new(source.file.clone(), text.clone());
        let mut problems = Diagnostics::new();
        let Some(document) = yaml::read(&source, &mut problems) else { break };
        let nodes = trail::step_nodes(&document);
        let Some(node) = nodes.get(step.index) else { continue };
        let list = calls(&step.calls);
        let value = match (step.kind, list.as_slice()) {
            (StepKind::Trailhead, [call]) => call.to_value(),
            (StepKind::Trailhead, []) => Value::Object(Default::default()),
            (StepKind::Trailhead, _) => continue,
            _ => list.iter().map(ToolCall::to_value).collect(),
        };
        text = yaml::set_recording(&source, node, &classifier(), &value);
    }
    let mut problems = Diagnostics::new();
    match trail::read(&Source::new(source.file.clone(), text.clone()), &mut problems) {
        Some(_) => Ok(text),
        None => {
            let message = format!("{} could not be edited without breaking it", source.file);
            Err(Problem::new(Exit::BadDocument, message).hint("choose another file for --record"))
        }
    }
}
