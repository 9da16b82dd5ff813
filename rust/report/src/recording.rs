//! The recorder: what a run did, step by step, in a form that a trail file can be written from.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, StepKind, TrailRun, Verdict};

use crate::locked;
use crate::trail_log::run_of;

/// Collects the recorded calls of every trail.
#[derive(Debug, Default)]
pub struct Recording(Mutex<BTreeMap<TrailRun, RecordedTrail>>);

/// What was recorded in the last attempt of one trail.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTrail {
    /// Where it ran, in a run with several devices.
    pub device: Option<Arc<str>>,
    pub id: Arc<str>,
    pub file: Arc<str>,
    pub title: String,
    /// None if it did not end.
    pub verdict: Option<Verdict>,
    /// Those that were started, in order.
    pub steps: Vec<RecordedStep>,
}

/// What was recorded in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep {
    /// 0-based, the trailhead included.
    pub index: usize,
    pub kind: StepKind,
    pub text: String,
    /// Tools and arguments, in the order of the calls.
    pub calls: Vec<(String, Map<String, Value>)>,
    /// False if the step needs a model every time.
    pub recordable: bool,
    /// Passed or healed.
    pub passed: bool,
}

impl Recording {
    pub fn new() -> Self {
        Self::default()
    }

    /// The trails that were started, in the order of their ids.
    pub fn trails(&self) -> Vec<RecordedTrail> {
        locked(&self.0).values().cloned().collect()
    }
}

impl Observer for Recording {
    fn event(&self, event: &Event) {
        let trails = &mut *locked(&self.0);
        match &event.kind {
            EventKind::TrailStarted { id, file, title, .. } => {
                let trail = RecordedTrail {
                    device: event.device.clone(),
                    id: Arc::clone(id),
                    file: Arc::clone(file),
                    title: title.clone(),
                    verdict: None,
                    steps: Vec::new(),
                };
                trails.insert(run_of(event, id), trail);
            }
            EventKind::TrailFinished { id, verdict, .. } => {
                if let Some(trail) = trails.get_mut(&run_of(event, id)) {
                    trail.verdict = Some(*verdict);
                }
            }
            kind => {
                if let Some(trail) = event.trail_run().and_then(|run| trails.get_mut(&run)) {
                    trail.apply(kind);
                }
            }
        }
    }
}

impl RecordedTrail {
    fn apply(&mut self, kind: &EventKind) {
        if let EventKind::StepStarted { index, kind, text, .. } = kind {
            self.steps.push(RecordedStep {
                index: *index,
                kind: *kind,
                text: text.clone(),
                calls: Vec::new(),
                recordable: true,
                passed: false,
            });
            return;
        }
        let Some(step) = self.steps.last_mut() else { return };
        match kind {
            EventKind::Recorded { tool, args } => step.calls.push((tool.clone(), args.clone())),
            EventKind::NotRecordable { .. } => step.recordable = false,
            EventKind::StepFinished { verdict, .. } => {
                step.passed = matches!(verdict, Verdict::Passed | Verdict::Healed);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
