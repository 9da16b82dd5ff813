//! `events.jsonl`: our own events, as far as they were written.

use std::sync::Arc;

use serde_json::Value;
use trailblaze_model::event::{EventKind, StepKind, StepTiming, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};

use super::told::{End, Names, Told, Try, place};

/// Whether a text is of this kind.
pub(super) fn is_it(text: &str) -> bool {
    text.starts_with(r#"{"event":""#)
}

/// What it says, and how many of its lines say nothing.
pub(super) fn read(text: &str, names: &Names) -> (Told, usize) {
    let mut told = Told::default();
    let mut broken = 0;
    let mut last = 0;
    let mut is_over = false;
    for line in text.split_inclusive('\n') {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            // The last one may be cut off: how it ended tells that.
            broken += usize::from(line.ends_with('\n') && !line.trim().is_empty());
            continue;
        };
        last = event["t"].as_u64().unwrap_or(last);
        match event["event"].as_str().unwrap_or_default() {
            "runFinished" => is_over = true,
            "trailStarted" => {
                if let Some(id) = known(&event["id"], names, &mut told) {
                    let steps = event["steps"].as_u64().unwrap_or(0) as usize;
                    told.tries(&id).push(Try { steps, ..Try::default() });
                }
            }
            "trailFinished" => {
                if let Some(id) = known(&event["id"], names, &mut told) {
                    let current = told.current(&id);
                    current.verdict = verdict(&event["verdict"]);
                    current.reason = text_of(&event["reason"]);
                    current.failure = failure(&event["failure"]);
                    current.duration_ms = event["durationMs"].as_u64();
                }
            }
            name => {
                let id = event["trail"].as_str().and_then(|id| names.by_id(id));
                if let (Some(id), Some(kind)) = (id, step(name, &event)) {
                    told.current(&id).events.push(kind);
                }
            }
        }
    }
    told.end = if is_over { End::Finished } else { End::Cut(Some(last)) };
    (told, broken)
}

fn known(id: &Value, names: &Names, told: &mut Told) -> Option<Arc<str>> {
    let id = id.as_str()?;
    let found = names.by_id(id);
    if found.is_none() && !told.strangers.iter().any(|stranger| stranger == id) {
        told.strangers.push(id.to_owned());
    }
    found
}

/// What reports show of a step.
fn step(name: &str, event: &Value) -> Option<EventKind> {
    let text = |key: &str| text_of(&event[key]);
    Some(match name {
        "stepStarted" => EventKind::StepStarted {
            index: event["index"].as_u64()? as usize,
            kind: step_kind(&event["kind"]),
            text: text("text")?,
            at: text("at"),
        },
        "stepFinished" => EventKind::StepFinished {
            index: event["index"].as_u64()? as usize,
            verdict: verdict(&event["verdict"])?,
            failure: failure(&event["failure"]),
            duration_ms: event["durationMs"].as_u64().unwrap_or(0),
            timing: StepTiming::default(),
        },
        "warning" => EventKind::Warning { message: text("message")?, hint: text("hint") },
        "saved" => EventKind::Saved { name: text("name")?, file: text("file")? },
        _ => return None,
    })
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn step_kind(value: &Value) -> StepKind {
    match value.as_str() {
        Some("trailhead") => StepKind::Trailhead,
        Some("verify") => StepKind::Verify,
        Some("tools") => StepKind::Tools,
        _ => StepKind::Step,
    }
}

fn verdict(value: &Value) -> Option<Verdict> {
    use Verdict::{Failed, Healed, NotRun, Passed, Skipped};
    [Passed, Failed, Skipped, NotRun, Healed]
        .into_iter()
        .find(|verdict| value.as_str() == Some(verdict.as_str()))
}

fn failure(value: &Value) -> Option<Failure> {
    let message = text_of(&value["message"])?;
    // A kind of a later version is a failure all the same.
    let kind = serde_json::from_value(value["kind"].clone()).unwrap_or(FailureKind::Exception);
    Some(Failure {
        at: value["at"].as_str().and_then(place),
        hint: text_of(&value["hint"]),
        stack: text_of(&value["stack"]),
        ..Failure::new(kind, message)
    })
}
