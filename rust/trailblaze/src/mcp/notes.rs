//! What a live session says while it is driven: progress for who waits, and calls that a trail can be written from.

use std::sync::Mutex;

use trailblaze_engine::observer::Observer;
use trailblaze_mcp::server::Caller;
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::{Event, EventKind, LogLevel, StepKind};
use trailblaze_model::place::Place;
use trailblaze_model::trail::{Recording, Step};

use super::locked;
use crate::load::device_classifiers;

/// A reader of the events of one live session.
#[derive(Debug, Default)]
pub(super) struct Notes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Who waits for the current call.
    caller: Option<Caller>,
    /// What the current call is for.
    step: Option<String>,
    heard: u32,
    said: Said,
    recorded: Vec<(String, ToolCall)>,
    /// Tools that did something that no trail can hold.
    left_out: Vec<String>,
}

/// What a call said besides its result.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) warnings: Vec<String>,
    /// Files that it saved, below the folder of the session.
    pub(super) saved: Vec<String>,
}

impl Notes {
    /// What follows is said to this caller, and recorded under this text.
    pub(super) fn begin(&self, caller: &Caller, step: Option<String>) {
        let state = &mut *locked(&self.0);
        state.caller = Some(caller.clone());
        state.step = step;
        state.heard = 0;
        state.said = Said::default();
    }

    /// Nobody waits any more.
    pub(super) fn end(&self) -> Said {
        let state = &mut *locked(&self.0);
        state.caller = None;
        std::mem::take(&mut state.said)
    }

    /// The steps that were done until now, and the tools that are not in them.
    pub(super) fn steps(&self) -> (Vec<Step>, Vec<String>) {
        let state = locked(&self.0);
        let mut steps: Vec<(String, Vec<ToolCall>)> = Vec::new();
        for (text, call) in &state.recorded {
            match steps.last_mut() {
                Some((last, calls)) if last == text => calls.push(call.clone()),
                _ => steps.push((text.clone(), vec![call.clone()])),
            }
        }
        let classifier = device_classifiers().segments().first().cloned().unwrap_or_default();
        let step = |(text, calls): (String, Vec<ToolCall>)| Step {
            kind: StepKind::Step,
            text,
            recordable: true,
            max_retries: None,
            recording: Recording::PerClassifier(vec![(classifier.clone(), calls)]),
            at: Place::NOWHERE,
        };
        (steps.into_iter().map(step).collect(), state.left_out.clone())
    }

    pub(super) fn clear(&self) {
        let state = &mut *locked(&self.0);
        state.recorded.clear();
        state.left_out.clear();
    }
}

impl Observer for Notes {
    fn event(&self, event: &Event) {
        let state = &mut *locked(&self.0);
        match &event.kind {
            EventKind::ToolStarted { tool, .. } => {
                state.heard += 1;
                if let Some(caller) = &state.caller {
                    caller.progress(f64::from(state.heard), None, tool.as_str());
                }
            }
            EventKind::Recorded { tool, args } => {
                let text = state.step.clone().unwrap_or_else(|| tool.clone());
                state.recorded.push((text, ToolCall::new(tool, args.clone())));
            }
            EventKind::Saved { file, .. } => state.said.saved.push(file.clone()),
            EventKind::NotRecordable { tool } => state.left_out.push(tool.clone()),
            EventKind::Warning { message, hint } => {
                let hint = hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
                state.said.warnings.push(format!("warning: {message}{hint}"));
            }
            EventKind::Log { level: level @ (LogLevel::Warn | LogLevel::Error), source, message } => {
                let level = if *level == LogLevel::Error { "error" } else { "warning" };
                state.said.warnings.push(format!("{level} of {source}: {message}"));
            }
            _ => {}
        }
    }
}
