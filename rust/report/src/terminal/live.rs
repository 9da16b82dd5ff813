//! The verbose output: steps, tool calls, device actions and logs as they happen.

use serde_json::Value;
use trailblaze_model::action::Action;
use trailblaze_model::event::{Event, EventKind, LogLevel, TrailRun};

use super::LONGEST;
use crate::step_list::{Line, Tone, saved, step_line, warning};
use crate::text::{block, call, one_line};
use crate::trail_log::{Attempt, Notes, Saved, TrailLogs, Warning, run_of};

#[derive(Default)]
pub(super) struct Live {
    /// Whose lines were printed last.
    speaking: Option<TrailRun>,
}

impl Live {
    /// What an event looks like inside its trail, after `trails` has taken it in.
    pub(super) fn lines(&mut self, event: &Event, trails: &TrailLogs, folder: &str) -> Vec<Line> {
        let run = match &event.kind {
            EventKind::TrailStarted { id, .. } | EventKind::TrailFinished { id, .. } => {
                Some(run_of(event, id))
            }
            _ => event.trail_run(),
        };
        let Some(run) = run else {
            return log(&event.kind).into_iter().collect();
        };
        let Some(attempt) = trails.get(&run).and_then(|trail| trail.last()) else { return Vec::new() };
        let lines = inside(&event.kind, attempt, folder);
        let mut told = Vec::new();
        let starts = matches!(event.kind, EventKind::TrailStarted { .. });
        if starts || (!lines.is_empty() && self.speaking.as_ref() != Some(&run)) {
            told.push(Line::new(Tone::Plain, "▸", one_line(&run.to_string())));
            self.speaking = Some(run);
        }
        if matches!(event.kind, EventKind::TrailFinished { .. }) {
            self.speaking = None;
        }
        told.extend(lines);
        told
    }
}

fn inside(kind: &EventKind, attempt: &Attempt, folder: &str) -> Vec<Line> {
    let step = attempt.steps.back();
    let below = |depth: usize| 4 + 2 * depth;
    match kind {
        EventKind::StepStarted { .. } => {
            step.map(|step| Line::plain(&step.text).indent(2)).into_iter().collect()
        }
        EventKind::ToolStarted { call: number, tool, args, .. } => {
            vec![Line::plain(call(tool, args)).indent(below(attempt.depth(*number)))]
        }
        EventKind::ToolFinished { call, message, failure, .. } => {
            let line = match failure {
                // The calls around it fail with the same words.
                Some(_) if !attempt.is_innermost_failed(*call) => return Vec::new(),
                Some(failure) => Line::new(Tone::Failed, "✗", block(&failure.message, LONGEST.0)),
                None if message.is_empty() => return Vec::new(),
                None => Line::new(Tone::Passed, "✓", block(message, LONGEST.0)),
            };
            // The call has just been closed, so it stood one deeper.
            vec![line.indent(below(attempt.open_depth() + 1))]
        }
        EventKind::Progress { call, progress, .. } => {
            let line = Line::new(Tone::Plain, "…", one_line(&progress.to_string()));
            vec![line.indent(below(attempt.depth(*call) + 1))]
        }
        EventKind::Device(action) => {
            vec![Line::new(Tone::Plain, "→", action_text(action)).indent(below(attempt.open_depth()))]
        }
        EventKind::Warning { message, hint } => {
            let told = warning(&Warning { message: message.clone(), hint: hint.clone() });
            told.into_iter().map(|line| line.indent(4)).collect()
        }
        // What a running step saves is told when it ends.
        EventKind::Saved { name, file } if step.is_none_or(|step| step.verdict.is_some()) => {
            let notes =
                Notes { saved: vec![Saved { name: name.clone(), file: file.clone() }], ..Notes::default() };
            saved(&notes, folder).into_iter().map(|line| line.indent(4)).collect()
        }
        EventKind::Log { .. } => log(kind).map(|line| line.indent(4)).into_iter().collect(),
        EventKind::StepFinished { .. } => {
            let Some(step) = step else { return Vec::new() };
            let mut lines = vec![step_line(step).indent(2)];
            if step.failure.is_some() {
                lines.extend(super::under_failed(step, folder).into_iter().map(|line| line.indent(4)));
            }
            lines
        }
        _ => Vec::new(),
    }
}

/// `tap {"x":540,"y":1200}`
fn action_text(action: &Action) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(action) else {
        unreachable!("every action serialises to a map")
    };
    let name = fields.shift_remove("action");
    call(name.as_ref().and_then(Value::as_str).unwrap_or_default(), &fields)
}

fn log(kind: &EventKind) -> Option<Line> {
    let EventKind::Log { level, source, message } = kind else { return None };
    let level = match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    };
    Some(Line::plain(format!("{} {level}: {}", one_line(source), block(message, LONGEST.0))))
}
