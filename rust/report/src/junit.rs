//! JUnit XML: one case per trail, grouped into suites by the folder part of the id.
//!
//! Invariant: no clock and no random id, so the same events give the same bytes.

mod document;

use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestRerun};
use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, Spread, TrailTiming, Verdict};

use crate::locked;
use crate::output::{FirstError, WholeFile};
use crate::step_list::{Longest, failure_text};
use crate::text::one_line;
use crate::trail_log::{Attempt, Outcome, TrailLog, TrailLogs, passed};
use document::Document;

const LONGEST: Longest = Longest(20_000);

/// Rewrites a JUnit file whenever a trail starts or ends. A killed run leaves a file that is valid and names
/// what was running.
#[derive(Debug)]
pub struct Junit(Mutex<State>);

#[derive(Debug)]
struct State {
    file: WholeFile,
    /// The trails that have not ended, or have just ended and stand in no report yet.
    running: TrailLogs,
    document: Document,
    error: FirstError,
}

impl Junit {
    /// Writes a report without cases at once, so that a place that cannot be written is known before the run.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = WholeFile::new(path)?;
        let document = Document::default();
        file.replace(document.to_xml()?.as_bytes())?;
        let running = TrailLogs::default();
        Ok(Self(Mutex::new(State { file, running, document, error: FirstError::default() })))
    }

    /// The first error of writing, if there was one.
    pub fn finish(&self) -> io::Result<()> {
        locked(&self.0).error.take()
    }
}

impl Observer for Junit {
    fn event(&self, event: &Event) {
        let state = &mut *locked(&self.0);
        state.running.apply(event);
        let written = match &event.kind {
            EventKind::TrailStarted { .. } => state.write(),
            EventKind::TrailFinished { id, will_retry, .. } => {
                let written = state.write();
                if !will_retry {
                    state.running.remove(id);
                }
                written
            }
            EventKind::RunFinished { duration_ms, .. } => {
                state.document.time = Some(Duration::from_millis(*duration_ms));
                state.write()
            }
            _ => return,
        };
        state.error.note(written);
    }
}

impl State {
    fn write(&mut self) -> io::Result<()> {
        for trail in self.running.iter() {
            let (suite, _) = names(&trail.id);
            self.document.put(suite, &trail.id, case(trail))?;
        }
        self.file.replace(self.document.to_xml()?.as_bytes())
    }
}

/// `login/valid` is case `valid` of suite `login`; an id without a folder belongs to `trails`.
fn names(id: &str) -> (&str, &str) {
    let (suite, case) = id.rsplit_once('/').unwrap_or(("trails", id));
    (if suite.is_empty() { "trails" } else { suite }, if case.is_empty() { "run" } else { case })
}

fn case(trail: &TrailLog) -> TestCase {
    let (suite, name) = names(&trail.id);
    let (status, duration_ms) = status(trail);
    let mut case = TestCase::new(name, status);
    case.set_classname(suite);
    case.set_time(Duration::from_millis(duration_ms));
    case.extra.insert("file".into(), trail.file.as_ref().into());
    if let Some(title) = trail.title() {
        case.add_property(Property::new("title", title));
    }
    case.add_property(Property::new("device", one_line(&trail.device)));
    if trail.outcome().is_some_and(|outcome| outcome.verdict == Verdict::Healed) {
        case.add_property(Property::new("verdict", Verdict::Healed.as_str()));
    }
    for (name, ms) in trail.outcome().and_then(|outcome| outcome.timing).iter().flat_map(timing) {
        case.add_property(Property::new(name, ms.to_string()));
    }
    case
}

/// `timing.settle.p95` and the like: milliseconds per step.
fn timing(timing: &TrailTiming) -> Vec<(String, u64)> {
    let TrailTiming { see, r#match, act, settle, verify } = timing;
    let phases = [("see", see), ("match", r#match), ("act", act), ("settle", settle), ("verify", verify)];
    let both = |(phase, spread): (&str, &Spread)| {
        [(format!("timing.{phase}.p50"), spread.p50), (format!("timing.{phase}.p95"), spread.p95)]
    };
    phases.into_iter().flat_map(both).collect()
}

/// The status of a case and the time of the attempt that gave it. As in Surefire, a trail that failed every time
/// shows its first failure and then the others; one that passed in the end shows those before.
fn status(trail: &TrailLog) -> (TestCaseStatus, u64) {
    let Some(outcome) = trail.outcome() else {
        return (running(trail), 0);
    };
    let failed = || {
        let ended = trail.attempts.iter().filter_map(|attempt| Some((attempt, attempt.outcome.as_ref()?)));
        ended.filter(|(_, outcome)| outcome.verdict == Verdict::Failed)
    };
    match outcome.verdict {
        verdict if passed(verdict) => {
            let flaky_runs = failed().map(|(attempt, outcome)| rerun(attempt, outcome)).collect();
            (TestCaseStatus::Success { flaky_runs }, outcome.duration_ms)
        }
        Verdict::Failed => {
            let (first, first_outcome) = failed().next().expect("this attempt failed");
            let mut status = failure_status(first);
            status.add_reruns(failed().skip(1).map(|(attempt, outcome)| rerun(attempt, outcome)));
            (status, first_outcome.duration_ms)
        }
        verdict => {
            let reason = outcome.reason.as_deref().unwrap_or("no reason given");
            let told =
                if verdict == Verdict::NotRun { format!("not run: {reason}") } else { reason.to_owned() };
            let mut status = TestCaseStatus::skipped();
            status.set_message(one_line(&told));
            (status, outcome.duration_ms)
        }
    }
}

fn running(trail: &TrailLog) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type("running").set_message("was running when the report was written");
    for attempt in &trail.attempts {
        match &attempt.outcome {
            Some(outcome) => {
                status.add_rerun(rerun(attempt, outcome));
            }
            None if attempt.steps_started() == 0 => {}
            None => {
                status.set_description(failure_text(attempt, LONGEST).trim_end());
            }
        }
    }
    status
}

fn failure_status(attempt: &Attempt) -> TestCaseStatus {
    let told = Told::of(attempt);
    let mut status = TestCaseStatus::non_success(told.kind);
    status.set_type(told.ty).set_message(told.message).set_description(told.text);
    status
}

fn rerun(attempt: &Attempt, outcome: &Outcome) -> TestRerun {
    let told = Told::of(attempt);
    let mut rerun = TestRerun::new(told.kind);
    rerun.set_type(told.ty).set_message(told.message).set_description(told.text);
    rerun.set_time(Duration::from_millis(outcome.duration_ms));
    rerun
}

/// What a case and a rerun say about a failed attempt.
struct Told {
    kind: NonSuccessKind,
    ty: String,
    message: String,
    text: String,
}

impl Told {
    fn of(attempt: &Attempt) -> Self {
        let text = failure_text(attempt, LONGEST).trim_end().to_owned();
        match attempt.failure() {
            Some(failure) => Self {
                kind: if failure.kind.is_device_trouble() {
                    NonSuccessKind::Error
                } else {
                    NonSuccessKind::Failure
                },
                ty: failure.kind.to_string(),
                message: one_line(&failure.message),
                text,
            },
            None => {
                Self { kind: NonSuccessKind::Failure, ty: "failed".into(), message: "failed".into(), text }
            }
        }
    }
}

#[cfg(test)]
mod tests;
