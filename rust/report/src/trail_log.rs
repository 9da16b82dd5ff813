//! Folds the events of a run into what is known of every trail: its attempts, their steps and what failed.
//!
//! Several trails may be running at once, each with several attempts one after the other. What is kept is
//! bounded: a trail of ten thousand steps does not make a report grow without end.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};
use trailblaze_model::event::{Event, EventKind, Progress, TrailRun, TrailTiming, Verdict};
use trailblaze_model::failure::Failure;

use crate::text::one_line;

/// How many steps of an attempt are kept; older ones are only counted.
const KEPT: usize = 1_000;

/// The trails that a reader has heard of and not let go.
#[derive(Debug, Default)]
pub(crate) struct TrailLogs(BTreeMap<TrailRun, TrailLog>);

#[derive(Debug)]
pub(crate) struct TrailLog {
    pub(crate) run: TrailRun,
    pub(crate) id: Arc<str>,
    pub(crate) file: Arc<str>,
    pub(crate) title: String,
    pub(crate) device: String,
    pub(crate) attempts: Vec<Attempt>,
}

#[derive(Debug, Default)]
pub(crate) struct Attempt {
    pub(crate) number: u32,
    /// How many steps it has, if it was started.
    planned: usize,
    /// How many steps were let go from the front of `steps`. All of them had ended.
    pub(crate) earlier: usize,
    pub(crate) steps: VecDeque<Step>,
    /// What was said before the first step.
    pub(crate) notes: Notes,
    open: Vec<OpenCall>,
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Debug)]
pub(crate) struct Step {
    /// One line.
    pub(crate) text: String,
    pub(crate) at: Option<String>,
    /// None while it is running.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) failure: Option<Box<Failure>>,
    /// The call that failed, with the calls that it stands in, from the outside in.
    pub(crate) failed_calls: Vec<Call>,
    pub(crate) duration_ms: u64,
    pub(crate) notes: Notes,
}

/// What was said beside the steps themselves.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) warnings: Vec<Warning>,
    pub(crate) saved: Vec<Saved>,
}

#[derive(Clone, Debug)]
pub(crate) struct Warning {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Saved {
    pub(crate) name: String,
    /// Relative to the folder of the run.
    pub(crate) file: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    number: u64,
    pub(crate) tool: String,
    pub(crate) args: Map<String, Value>,
}

#[derive(Debug)]
struct OpenCall {
    parent: Option<u64>,
    call: Call,
    /// None until it says how far it is.
    progress: Option<CallProgress>,
}

/// How far a call is.
#[derive(Debug)]
pub(crate) struct CallProgress {
    /// How often it said so.
    pub(crate) times: usize,
    /// What it said last, on one line.
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) failure: Option<Failure>,
    pub(crate) will_retry: bool,
    pub(crate) duration_ms: u64,
    pub(crate) timing: Option<TrailTiming>,
}

/// The run of a trail that an event begins or ends.
pub(crate) fn run_of(event: &Event, id: &Arc<str>) -> TrailRun {
    TrailRun { trail: Arc::clone(id), device: event.device.clone() }
}

impl TrailLogs {
    pub(crate) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::TrailStarted { id, file, title, device, steps, attempt } => {
                let log = self.log(run_of(event, id), file, title, device);
                log.attempts.push(Attempt { number: *attempt, planned: *steps, ..Attempt::default() });
            }
            EventKind::TrailFinished {
                id,
                file,
                title,
                device,
                verdict,
                reason,
                failure,
                attempt,
                will_retry,
                duration_ms,
                timing,
            } => {
                let log = self.log(run_of(event, id), file, title, device);
                log.ending(*attempt).outcome = Some(Outcome {
                    verdict: *verdict,
                    reason: reason.clone(),
                    failure: failure.clone(),
                    will_retry: *will_retry,
                    duration_ms: *duration_ms,
                    timing: *timing,
                });
            }
            kind => {
                let log = event.trail_run().and_then(|run| self.0.get_mut(&run));
                if let Some(attempt) = log.and_then(|log| log.attempts.last_mut()) {
                    attempt.apply(kind);
                }
            }
        }
    }

    fn log(&mut self, run: TrailRun, file: &Arc<str>, title: &str, device: &str) -> &mut TrailLog {
        let log = self.0.entry(run.clone()).or_insert_with(|| TrailLog {
            id: Arc::clone(&run.trail),
            run,
            file: Arc::clone(file),
            title: title.to_owned(),
            device: String::new(),
            attempts: Vec::new(),
        });
        device.clone_into(&mut log.device);
        log
    }

    pub(crate) fn get(&self, run: &TrailRun) -> Option<&TrailLog> {
        self.0.get(run)
    }

    pub(crate) fn get_mut(&mut self, run: &TrailRun) -> Option<&mut TrailLog> {
        self.0.get_mut(run)
    }

    /// Lets a trail go.
    pub(crate) fn remove(&mut self, run: &TrailRun) {
        self.0.remove(run);
    }

    /// In the order of the ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &TrailLog> {
        self.0.values()
    }
}

impl TrailLog {
    /// The attempt that a `trailFinished` ends; a trail that is left out has not been started.
    fn ending(&mut self, number: u32) -> &mut Attempt {
        let running =
            self.attempts.iter().rposition(|attempt| attempt.number == number && attempt.outcome.is_none());
        let index = running.unwrap_or_else(|| {
            self.attempts.push(Attempt { number, ..Attempt::default() });
            self.attempts.len() - 1
        });
        &mut self.attempts[index]
    }

    /// How it ended; none while it is running and between two attempts.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.last()?.outcome.as_ref().filter(|outcome| !outcome.will_retry)
    }

    pub(crate) fn last(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// Passed, but not at once.
    pub(crate) fn is_flaky(&self) -> bool {
        self.attempts.len() > 1 && self.outcome().is_some_and(|outcome| passed(outcome.verdict))
    }

    /// The title, where it says more than the id.
    pub(crate) fn title(&self) -> Option<String> {
        let title = one_line(&self.title);
        (!title.is_empty() && title != *self.id).then_some(title)
    }
}

pub(crate) const fn passed(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Passed | Verdict::Healed)
}

impl Attempt {
    fn apply(&mut self, kind: &EventKind) {
        match kind {
            EventKind::StepStarted { text, at, .. } => self.start_step(text, at.as_deref()),
            EventKind::StepFinished { verdict, failure, duration_ms, .. } => {
                self.open.clear();
                if let Some(step) = self.steps.back_mut() {
                    step.finish(*verdict, failure.as_ref(), *duration_ms);
                }
            }
            EventKind::ToolStarted { call, parent, tool, args, .. } => self.open.push(OpenCall {
                parent: *parent,
                call: Call { number: *call, tool: tool.clone(), args: args.clone() },
                progress: None,
            }),
            EventKind::Progress { call, progress, .. } => self.note_progress(*call, progress),
            EventKind::ToolFinished { call, failure, .. } => self.finish_call(*call, failure.is_some()),
            EventKind::Warning { message, hint } => {
                self.notes_now().warnings.push(Warning { message: message.clone(), hint: hint.clone() });
            }
            EventKind::Saved { name, file } => {
                self.notes_now().saved.push(Saved { name: name.clone(), file: file.clone() });
            }
            _ => {}
        }
    }

    fn start_step(&mut self, text: &str, at: Option<&str>) {
        self.open.clear();
        self.steps.push_back(Step {
            text: one_line(text),
            at: at.map(str::to_owned),
            verdict: None,
            failure: None,
            failed_calls: Vec::new(),
            duration_ms: 0,
            notes: Notes::default(),
        });
        if self.steps.len() > KEPT && self.steps.front().is_some_and(|step| step.failure.is_none()) {
            self.steps.pop_front();
            self.earlier += 1;
        }
    }

    fn note_progress(&mut self, number: u64, progress: &Progress) {
        if let Some(open) = self.open.iter_mut().find(|open| open.call.number == number) {
            let before = open.progress.as_ref().map_or(0, |progress| progress.times);
            open.progress = Some(CallProgress { times: before + 1, text: one_line(&progress.to_string()) });
        }
    }

    /// How far the innermost call is that says so.
    pub(crate) fn progress(&self) -> Option<&CallProgress> {
        self.open.iter().rev().find_map(|open| open.progress.as_ref())
    }

    pub(crate) fn progress_of(&self, number: u64) -> Option<&CallProgress> {
        self.open.iter().find(|open| open.call.number == number)?.progress.as_ref()
    }

    /// Keeps the innermost call that failed. A failure that an outer call survived is none.
    fn finish_call(&mut self, number: u64, failed: bool) {
        let chain = if failed { self.chain(number) } else { Vec::new() };
        self.open.retain(|open| open.call.number != number);
        let Some(step) = self.steps.back_mut() else { return };
        let inside = step.failed_calls.iter().any(|call| call.number == number);
        if inside != failed {
            step.failed_calls = chain;
        }
    }

    /// A call and the calls around it, from the outside in.
    fn chain(&self, number: u64) -> Vec<Call> {
        let mut chain = VecDeque::new();
        let mut next = Some(number);
        while let Some(open) = self.open.iter().find(|open| Some(open.call.number) == next) {
            chain.push_front(open.call.clone());
            // Parents are numbered before their children, so this ends.
            next = open.parent.filter(|parent| *parent < open.call.number);
        }
        chain.into()
    }

    /// How many calls stand around this one.
    pub(crate) fn depth(&self, number: u64) -> usize {
        self.chain(number).len().saturating_sub(1)
    }

    /// How many calls are under way, one inside the other.
    pub(crate) fn open_depth(&self) -> usize {
        self.open.last().map_or(0, |open| self.chain(open.call.number).len())
    }

    pub(crate) fn is_innermost_failed(&self, number: u64) -> bool {
        let innermost = self.steps.back().and_then(|step| step.failed_calls.last());
        innermost.is_none_or(|call| call.number == number)
    }

    /// A picture of a failure may be saved when its step has already ended.
    fn notes_now(&mut self) -> &mut Notes {
        self.steps.back_mut().map_or(&mut self.notes, |step| &mut step.notes)
    }

    pub(crate) fn steps_not_run(&self) -> usize {
        self.planned.saturating_sub(self.steps_started())
    }

    pub(crate) fn steps_started(&self) -> usize {
        self.earlier + self.steps.len()
    }

    pub(crate) const fn steps_planned(&self) -> usize {
        self.planned
    }

    pub(crate) fn failed_step(&self) -> Option<&Step> {
        self.steps.iter().rev().find(|step| step.verdict == Some(Verdict::Failed))
    }

    /// Why it failed.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        let of_trail = self.outcome.as_ref().and_then(|outcome| outcome.failure.as_ref());
        of_trail.or_else(|| self.failed_step()?.failure.as_deref())
    }

    /// The failure of the trail, unless a step has already told it.
    pub(crate) fn failure_outside_steps(&self) -> Option<&Failure> {
        let failure = self.outcome.as_ref()?.failure.as_ref()?;
        let told = |step: &Step| {
            step.failure
                .as_ref()
                .is_some_and(|of_step| of_step.kind == failure.kind && of_step.message == failure.message)
        };
        (!self.steps.iter().any(told)).then_some(failure)
    }

    /// Everything that was saved, in order.
    pub(crate) fn saved(&self) -> impl Iterator<Item = &Saved> {
        self.notes.saved.iter().chain(self.steps.iter().flat_map(|step| &step.notes.saved))
    }

    /// Only the outcome stays.
    pub(crate) fn forget_steps(&mut self) {
        self.earlier += self.steps.len();
        self.steps = VecDeque::new();
        self.notes = Notes::default();
    }
}

impl Step {
    fn finish(&mut self, verdict: Verdict, failure: Option<&Failure>, duration_ms: u64) {
        self.verdict = Some(verdict);
        self.failure = failure.cloned().map(Box::new);
        self.duration_ms = duration_ms;
        if verdict != Verdict::Failed {
            self.failed_calls = Vec::new();
            self.at = None;
        }
    }
}
