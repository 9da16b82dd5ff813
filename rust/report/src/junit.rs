//! JUnit XML: one case per trail, grouped into suites by the folder part of the id.
//!
//! Invariant: no clock and no random id, so the same events give the same bytes.

mod document;
mod xml;

use std::io;
use std::path::Path;
use std::sync::Mutex;

use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, Spread, TrailRun, TrailTiming, Verdict};

use crate::locked;
use crate::output::{FirstError, WholeFile};
use crate::step_list::{Longest, failure_text};
use crate::text::one_line;
use crate::trail_log::{Attempt, Outcome, TrailLog, TrailLogs, passed, run_of};
use document::{CountsAs, Document};
use xml::Element;

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
        file.replace(document.to_xml().as_bytes())?;
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
                    state.running.remove(&run_of(event, id));
                }
                written
            }
            EventKind::RunFinished { duration_ms, .. } => {
                state.document.duration_ms = Some(*duration_ms);
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
            let (suite, _) = names(&trail.run);
            let status = Status::of(trail);
            let case = case(trail, &status).with_children(status.children);
            self.document.put(&suite, &trail.id, &case, status.duration_ms, status.counts_as);
        }
        self.file.replace(self.document.to_xml().as_bytes())
    }
}

/// `login/valid` is case `valid` of suite `login`; an id without a folder belongs to `trails`. Each of several devices has
/// suites of its own, such as `sim-2/login`.
fn names(run: &TrailRun) -> (String, &str) {
    let (suite, case) = run.trail.rsplit_once('/').unwrap_or(("trails", &run.trail));
    let suite = if suite.is_empty() { "trails" } else { suite };
    let suite = run.device.as_ref().map_or(suite.to_owned(), |device| format!("{device}/{suite}"));
    (suite, if case.is_empty() { "run" } else { case })
}

/// The case without what its status adds to it.
fn case(trail: &TrailLog, status: &Status) -> Element {
    let (suite, name) = names(&trail.run);
    let property = |name: &str, value: &str| Element::new("property").with("name", name).with("value", value);
    let mut properties = Vec::new();
    properties.extend(trail.title().map(|title| property("title", &title)));
    properties.push(property("device", &one_line(&trail.device)));
    if trail.outcome().is_some_and(|outcome| outcome.verdict == Verdict::Healed) {
        properties.push(property("verdict", Verdict::Healed.as_str()));
    }
    for (name, ms) in trail.outcome().and_then(|outcome| outcome.timing).iter().flat_map(timing) {
        properties.push(property(&name, &ms.to_string()));
    }
    Element::new("testcase")
        .with("name", name)
        .with("classname", &suite)
        .with_time(status.duration_ms)
        .with("file", &trail.file)
        .with_children([Element::new("properties").with_children(properties)])
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

/// How a case ended.
struct Status {
    counts_as: CountsAs,
    /// Of the attempt that gave the status.
    duration_ms: u64,
    children: Vec<Element>,
}

impl Status {
    /// As in Surefire, a trail that failed every time shows its first failure and then the others; one that passed
    /// in the end shows those before.
    fn of(trail: &TrailLog) -> Self {
        let Some(outcome) = trail.outcome() else { return Self::running(trail) };
        let failed = || {
            let ended =
                trail.attempts.iter().filter_map(|attempt| Some((attempt, attempt.outcome.as_ref()?)));
            ended.filter(|(_, outcome)| outcome.verdict == Verdict::Failed)
        };
        match outcome.verdict {
            verdict if passed(verdict) => Self {
                counts_as: CountsAs::Success,
                duration_ms: outcome.duration_ms,
                children: failed().map(|(attempt, outcome)| Told::of(attempt).flaky(outcome)).collect(),
            },
            Verdict::Failed => {
                let (first, first_outcome) = failed().next().expect("this attempt failed");
                let first = Told::of(first);
                let others = failed().skip(1).map(|(attempt, outcome)| Told::of(attempt).rerun(outcome));
                Self {
                    counts_as: first.counts_as(),
                    duration_ms: first_outcome.duration_ms,
                    children: std::iter::once(first.status()).chain(others).collect(),
                }
            }
            verdict => {
                let reason = outcome.reason.as_deref().unwrap_or("no reason given");
                let told =
                    if verdict == Verdict::NotRun { format!("not run: {reason}") } else { reason.to_owned() };
                Self {
                    counts_as: CountsAs::Skipped,
                    duration_ms: outcome.duration_ms,
                    children: vec![Element::new("skipped").with("message", &one_line(&told))],
                }
            }
        }
    }

    fn running(trail: &TrailLog) -> Self {
        let mut error = Element::new("error")
            .with("message", "was running when the report was written")
            .with("type", "running");
        let mut reruns = Vec::new();
        for attempt in &trail.attempts {
            match &attempt.outcome {
                Some(outcome) => reruns.push(Told::of(attempt).rerun(outcome)),
                None if attempt.steps_started() == 0 => {}
                None => error = error.with_text(failure_text(attempt, LONGEST).trim_end()),
            }
        }
        let children = std::iter::once(error).chain(reruns).collect();
        Self { counts_as: CountsAs::Error, duration_ms: 0, children }
    }
}

/// What a case says about a failed attempt.
struct Told {
    is_error: bool,
    ty: String,
    message: String,
    text: String,
}

impl Told {
    fn of(attempt: &Attempt) -> Self {
        let text = failure_text(attempt, LONGEST).trim_end().to_owned();
        match attempt.failure() {
            Some(failure) => Self {
                is_error: failure.kind.is_device_trouble(),
                ty: failure.kind.to_string(),
                message: one_line(&failure.message),
                text,
            },
            None => Self { is_error: false, ty: "failed".into(), message: "failed".into(), text },
        }
    }

    fn counts_as(&self) -> CountsAs {
        if self.is_error { CountsAs::Error } else { CountsAs::Failure }
    }

    /// As the status of the case.
    fn status(&self) -> Element {
        self.complete(Element::new(if self.is_error { "error" } else { "failure" }))
    }

    /// Before an attempt that passed.
    fn flaky(&self, outcome: &Outcome) -> Element {
        let name = if self.is_error { "flakyError" } else { "flakyFailure" };
        self.complete(Element::new(name).with_time(outcome.duration_ms))
    }

    /// Among attempts that all failed.
    fn rerun(&self, outcome: &Outcome) -> Element {
        let name = if self.is_error { "rerunError" } else { "rerunFailure" };
        self.complete(Element::new(name).with_time(outcome.duration_ms))
    }

    fn complete(&self, element: Element) -> Element {
        element.with("message", &self.message).with("type", &self.ty).with_text(&self.text)
    }
}

#[cfg(test)]
mod tests;
