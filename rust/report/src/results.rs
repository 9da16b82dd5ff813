//! What a run amounts to: one result per trail, for `run --json` and for the exit code.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, TrailRun, Verdict};
use trailblaze_model::failure::Failure;

use crate::locked;
use crate::trail_log::run_of;

/// Collects the result of every trail.
#[derive(Debug, Default)]
pub struct Results(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    trails: BTreeMap<TrailRun, TrailResult>,
    /// The verdict of the run and whether it was interrupted.
    finished: Option<(Verdict, bool)>,
}

/// How the run ended.
#[derive(Clone, Debug)]
pub struct RunResult {
    pub verdict: Verdict,
    pub interrupted: bool,
    /// In the order of their ids.
    pub trails: Vec<TrailResult>,
}

/// How one trail ended; after a retry, how its last attempt did.
#[derive(Clone, Debug)]
pub struct TrailResult {
    pub id: Arc<str>,
    pub file: Arc<str>,
    pub title: String,
    pub device: String,
    pub verdict: Verdict,
    /// Why it was skipped or not run.
    pub reason: Option<String>,
    pub failure: Option<Failure>,
    /// Of the last attempt.
    pub duration_ms: u64,
    /// How often it was started.
    pub attempts: u32,
}

impl Results {
    pub fn new() -> Self {
        Self::default()
    }

    /// What is known so far. Without a `runFinished`, a trail that was started and did not end is `notRun`, and
    /// the run has failed unless all of it passed or was skipped.
    pub fn result(&self) -> RunResult {
        let state = locked(&self.0);
        let trails: Vec<_> = state.trails.values().cloned().collect();
        let (verdict, interrupted) = state.finished.unwrap_or_else(|| (verdict_of(&trails), false));
        RunResult { verdict, interrupted, trails }
    }
}

fn verdict_of(trails: &[TrailResult]) -> Verdict {
    let bad = |trail: &TrailResult| matches!(trail.verdict, Verdict::Failed | Verdict::NotRun);
    if trails.iter().any(bad) { Verdict::Failed } else { Verdict::Passed }
}

impl Observer for Results {
    fn event(&self, event: &Event) {
        let state = &mut *locked(&self.0);
        match &event.kind {
            EventKind::TrailStarted { id, file, title, device, attempt, .. } => {
                let running = TrailResult {
                    id: Arc::clone(id),
                    file: Arc::clone(file),
                    title: title.clone(),
                    device: device.clone(),
                    verdict: Verdict::NotRun,
                    reason: Some("it did not end".into()),
                    failure: None,
                    duration_ms: 0,
                    attempts: *attempt,
                };
                state.trails.insert(run_of(event, id), running);
            }
            EventKind::TrailFinished {
                id,
                file,
                title,
                device,
                verdict,
                reason,
                failure,
                duration_ms,
                ..
            } => {
                let run = run_of(event, id);
                let ended = TrailResult {
                    id: Arc::clone(id),
                    file: Arc::clone(file),
                    title: title.clone(),
                    device: device.clone(),
                    verdict: *verdict,
                    reason: reason.clone(),
                    failure: failure.clone(),
                    duration_ms: *duration_ms,
                    attempts: state.trails.get(&run).map_or(0, |started| started.attempts),
                };
                state.trails.insert(run, ended);
            }
            EventKind::RunFinished { verdict, interrupted, .. } => {
                state.finished = Some((*verdict, *interrupted));
            }
            _ => {}
        }
    }
}

impl RunResult {
    /// `{verdict, trails: [{id, file, device, verdict, durationMs, failure?}]}`
    pub fn to_json(&self) -> Value {
        let trails: Vec<_> = self.trails.iter().map(TrailResult::to_json).collect();
        json!({ "verdict": self.verdict.as_str(), "trails": trails })
    }
}

impl TrailResult {
    fn to_json(&self) -> Value {
        let mut value = json!({
            "id": *self.id,
            "file": *self.file,
            "device": self.device,
            "verdict": self.verdict.as_str(),
            "durationMs": self.duration_ms,
        });
        if let Some(failure) = &self.failure {
            value["failure"] = json!(failure);
        }
        value
    }
}

#[cfg(test)]
mod tests;
