//! Writes what a run recorded as a trail that replays.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::event::StepKind;
use trailblaze_model::place::Source;
use trailblaze_model::trail::{self, Recording as Calls, Step, Trail};
use trailblaze_model::yaml;
use trailblaze_report::recording::{RecordedTrail, Recording};

use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{LoadedTrail, device_classifiers};

/// Whether a file can be written there, known before the run.
pub(super) fn check_place(path: &Path) -> io::Result<()> {
    let existed = path.exists();
    fs::OpenOptions::new().append(true).create(true).open(path)?;
    if existed { Ok(()) } else { fs::remove_file(path) }
}

/// Writes the one trail that ran. A file that is there already and has the same steps is edited, so that its
/// comments survive; any other file is replaced by a new trail.
pub(super) fn write(path: &Path, recording: &Recording, chosen: &[LoadedTrail]) -> Result<(), Problem> {
    let (Some(recorded), Some(loaded)) = (recording.trails().into_iter().next(), chosen.first()) else {
        return Err(Problem::new(Exit::BadDocument, "nothing was recorded: no trail ran"));
    };
    let text = match fs::read_to_string(path) {
        Ok(text) if !text.trim().is_empty() => edited(Source::new(files::shown(path), text), &recorded)?,
        _ => fresh(&loaded.trail, &recorded).print(),
    };
    let temporary = path.with_extension("yaml.tmp");
    fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        let message = format!("{} could not be written: {}", files::shown(path), files::why(&error));
        Problem::new(Exit::BadDocument, message)
    })
}

/// The classifier that recordings are written for.
fn classifier() -> String {
    device_classifiers().joined()
}

fn calls(recorded: &[(String, serde_json::Map<String, Value>)]) -> Vec<ToolCall> {
    recorded.iter().map(|(name, args)| ToolCall::new(name, args.clone())).collect()
}

/// The trail that ran, with the recorded calls in place of its own.
fn fresh(original: &Trail, recorded: &RecordedTrail) -> Trail {
    let mut trail = original.clone();
    for step in &recorded.steps {
        let Some(own) = trail.steps.get_mut(step.index) else { continue };
        let list = calls(&step.calls);
        if !step.recordable {
            *own = Step { recordable: false, recording: Calls::None, ..own.clone() };
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
            other if one_call => *other = Calls::PerClassifier(vec![(classifier(), list)]),
            _ => {}
        }
    }
    trail
}

fn edited(source: Source, recorded: &RecordedTrail) -> Result<String, Problem> {
    let other = |why: &str| {
        let message = format!("{} is there already and {why}", source.file);
        Problem::new(Exit::BadDocument, message).hint("choose another file for --record")
    };
    let mut problems = Diagnostics::new();
    let existing = trail::read(&source, &mut problems).ok_or_else(|| other("is no trail"))?;
    let same = recorded.steps.iter().all(|step| {
        existing.steps.get(step.index).is_some_and(|own| own.kind == step.kind && own.text == step.text)
    });
    if !same {
        return Err(other("has other steps"));
    }
    let mut text = source.text.to_string();
    for step in recorded.steps.iter().filter(|step| step.recordable) {
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
        None => Err(other("could not be edited without breaking it")),
    }
}
