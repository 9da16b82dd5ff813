//! What a person sees while a run is under way: a block per trail, and a line that shows how far it is.
//!
//! Trails may run at the same time, so a trail is printed as a whole when it ends. Only the verbose output is
//! printed as it happens, with the name of the trail before it whenever that changes. A call that takes long and says
//! how far it is does so in the line that is redrawn, and where there is none, in lines of its own.

mod live;
mod paint;
mod progress;

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, TrailRun, Verdict};

use crate::locked;
use crate::output::FirstError;
use crate::step_list::{self, Line, Longest, Tone, counted, mark};
use crate::tally::Tally;
use crate::text::{duration, one_line};
use crate::trail_log::{Attempt, CallProgress, Step, TrailLog, TrailLogs, Warning, run_of};
use live::Live;
use progress::Progress;

const LONGEST: Longest = Longest(2_000);
/// So often a call may say how far it is where every time takes a line.
const MOST_PROGRESS: usize = 100;

/// How the output looks.
#[derive(Clone, Debug)]
pub struct Options {
    /// Colours; marks and words say the same without.
    pub color: bool,
    /// A progress line on the second writer, for an interactive terminal.
    pub progress: bool,
    pub verbosity: Verbosity,
    /// The width of the terminal.
    pub columns: usize,
    /// The folder of the run: saved files are shown below it.
    pub folder: Option<PathBuf>,
    /// Times are those of a device whose clock only moves when somebody waits.
    pub virtual_time: bool,
    /// All of it has happened before, somewhere else: nothing runs, and a time of 0 is one that nobody knows.
    pub collected: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            color: false,
            progress: false,
            verbosity: Verbosity::Normal,
            columns: 80,
            folder: None,
            virtual_time: false,
            collected: false,
        }
    }
}

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Failures, warnings and the last line.
    Quiet,
    /// Every trail with its steps.
    #[default]
    Normal,
    /// Tool calls, device actions and logs too, as they happen.
    Verbose,
}

/// Prints results, and draws a progress line if that is wanted.
pub struct Terminal(Mutex<State>);

struct State {
    out: Box<dyn Write + Send>,
    options: Options,
    /// With a separator at its end, or empty.
    folder: String,
    trails: TrailLogs,
    run: Run,
    live: Live,
    progress: Progress,
    error: FirstError,
}

/// What is known of the run as a whole.
#[derive(Default)]
struct Run {
    device: String,
    trails: usize,
    retried: usize,
    /// The trails that failed, to be named again at the end.
    failed: Vec<Line>,
}

impl Terminal {
    /// Results go to `out`, the progress line to `progress`.
    pub fn new(out: Box<dyn Write + Send>, progress: Box<dyn Write + Send>, options: Options) -> Self {
        let progress = Progress::new(options.progress.then_some(progress), options.columns);
        let folder = options.folder.as_ref().map(|folder| folder.join("").display().to_string());
        Self(Mutex::new(State {
            out,
            folder: folder.unwrap_or_default(),
            options,
            trails: TrailLogs::default(),
            run: Run::default(),
            live: Live::default(),
            progress,
            error: FirstError::default(),
        }))
    }

    /// Clears the progress line, whether or not the run has finished, and gives the first error of writing.
    pub fn finish(&self) -> io::Result<()> {
        let state = &mut *locked(&self.0);
        state.progress.clear();
        state.error.take()
    }
}

impl Observer for Terminal {
    fn event(&self, event: &Event) {
        let state = &mut *locked(&self.0);
        state.trails.apply(event);
        let mut lines = Vec::new();
        if state.options.verbosity == Verbosity::Verbose {
            lines.extend(state.live.lines(event, &state.trails, &state.folder));
        }
        lines.extend(state.lines(event));
        if !lines.is_empty() {
            state.print(&lines);
        }
        if let EventKind::TrailFinished { id, will_retry: false, .. } = &event.kind {
            state.trails.remove(&run_of(event, id));
        }
        state.progress.event(event, &state.trails);
    }
}

impl State {
    fn print(&mut self, lines: &[Line]) {
        let mut text = String::new();
        for line in lines {
            if self.options.color {
                paint::push(&mut text, line);
            } else {
                text.push_str(&line.to_string());
            }
            text.push('\n');
        }
        self.progress.clear();
        self.error.note(self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()));
    }

    fn lines(&mut self, event: &Event) -> Vec<Line> {
        match &event.kind {
            EventKind::RunStarted { trails, driver, device, .. } => {
                self.run.device.clone_from(device);
                self.run.trails = *trails;
                if self.options.verbosity == Verbosity::Quiet {
                    return Vec::new();
                }
                let (device, driver) = (one_line(device), one_line(driver));
                if self.options.collected {
                    return vec![Line::plain(format!("Results of {device}"))];
                }
                vec![Line::plain(format!("Running {} on {device} ({driver})", counted(*trails, "trail")))]
            }
            EventKind::TrailFinished { id, .. } => self.trail_finished(&run_of(event, id)),
            // A warning of a trail stands in its block.
            EventKind::Warning { message, hint } if event.trail.is_none() => {
                step_list::warning(&Warning { message: message.clone(), hint: hint.clone() })
            }
            EventKind::Progress { call, tool, .. } => {
                let run = event.trail_run();
                run.and_then(|run| self.call_progress(&run, *call, tool)).into_iter().collect()
            }
            kind => {
                Tally::of(kind, self.run.retried).map(|tally| self.run_finished(&tally)).unwrap_or_default()
            }
        }
    }

    /// `… login/valid: unpack: half of it (1/2)`
    fn call_progress(&self, run: &TrailRun, call: u64, tool: &str) -> Option<Line> {
        if self.options.progress || self.options.verbosity != Verbosity::Normal {
            return None;
        }
        let CallProgress { times, text } = self.trails.get(run)?.last()?.progress_of(call)?;
        let text = format!("{}: {}: {text}", one_line(&run.to_string()), one_line(tool));
        let line = Line::new(Tone::Plain, "…", text);
        match times.cmp(&MOST_PROGRESS) {
            Ordering::Less => Some(line),
            Ordering::Equal => Some(line.aside("--verbose shows what follows")),
            Ordering::Greater => None,
        }
    }

    fn trail_finished(&mut self, run: &TrailRun) -> Vec<Line> {
        let Some(trail) = self.trails.get(run) else { return Vec::new() };
        let Some(attempt) = trail.last() else { return Vec::new() };
        let failed = attempt.outcome.as_ref().is_some_and(|outcome| outcome.verdict == Verdict::Failed);
        if failed && trail.outcome().is_some() {
            self.run.failed.push(failed_again(trail, attempt));
        }
        self.run.retried += usize::from(trail.is_flaky());
        match self.options.verbosity {
            Verbosity::Verbose => {
                let mut lines = vec![self.trail_line(trail, attempt)];
                lines.extend(self.outside_steps(attempt).into_iter().map(|line| line.indent(2)));
                lines
            }
            Verbosity::Normal => self.block(trail, attempt),
            Verbosity::Quiet if failed => self.block(trail, attempt),
            Verbosity::Quiet => {
                let of_steps = attempt.steps.iter().flat_map(|step| &step.notes.warnings);
                attempt.notes.warnings.iter().chain(of_steps).flat_map(step_list::warning).collect()
            }
        }
    }

    /// The trail, its steps, and under a step that failed all that is needed to find out why.
    fn block(&self, trail: &TrailLog, attempt: &Attempt) -> Vec<Line> {
        let mut below: Vec<_> = attempt.notes.warnings.iter().flat_map(step_list::warning).collect();
        below.extend(step_list::steps(attempt, |step| under_failed(step, &self.folder)));
        below.extend(self.outside_steps(attempt));
        let first = self.trail_line(trail, attempt);
        std::iter::once(first).chain(below.into_iter().map(|line| line.indent(2))).collect()
    }

    fn outside_steps(&self, attempt: &Attempt) -> Vec<Line> {
        let failure = attempt.failure_outside_steps();
        let mut lines: Vec<_> =
            failure.map(|failure| step_list::failure(failure, None, LONGEST)).unwrap_or_default();
        lines.extend(step_list::saved(&attempt.notes, &self.folder));
        lines
    }

    /// `✓ login/valid  Sign in with a valid user  1.2 s`
    fn trail_line(&self, trail: &TrailLog, attempt: &Attempt) -> Line {
        let (tone, label) = mark(attempt.outcome.as_ref().map(|outcome| outcome.verdict));
        let mut text = one_line(&trail.run.to_string());
        if let Some(title) = trail.title() {
            text += &format!("  {title}");
        }
        Line::new(tone, label, text).aside(self.beside_trail(trail, attempt))
    }

    fn beside_trail(&self, trail: &TrailLog, attempt: &Attempt) -> String {
        let Some(outcome) = &attempt.outcome else { return "did not end".into() };
        let reason = outcome.reason.as_deref().map(one_line);
        match outcome.verdict {
            verdict @ (Verdict::Skipped | Verdict::NotRun) => {
                let reason = reason.unwrap_or_else(|| "no reason given".into());
                return format!("{}: {reason}", step_list::word(verdict));
            }
            Verdict::Passed | Verdict::Healed | Verdict::Failed => {}
        }
        let is_timed = !self.options.collected || outcome.duration_ms > 0;
        let mut beside: Vec<String> = is_timed.then(|| duration(outcome.duration_ms)).into_iter().collect();
        if outcome.verdict == Verdict::Healed {
            beside.push("healed".into());
        }
        if trail.device != self.run.device && trail.run.device.is_none() {
            beside.push(format!("on {}", one_line(&trail.device)));
        }
        if outcome.will_retry {
            beside.push(format!("attempt {}, trying again", attempt.number));
        } else if attempt.number > 1 {
            beside.push(format!("attempt {}", attempt.number));
        }
        beside.join(", ")
    }

    fn run_finished(&self, tally: &Tally) -> Vec<Line> {
        let mut lines = Vec::new();
        for trail in self.trails.iter() {
            if let Some(attempt) = trail.last() {
                lines.extend(self.block(trail, attempt));
            }
        }
        lines.push(Line::plain(""));
        // With one trail the block above says it all.
        if self.run.trails > 1 {
            lines.extend(self.run.failed.iter().cloned());
        }
        let (tone, _) = mark(Some(tally.verdict));
        let tone = if tally.interrupted { Tone::Failed } else { tone };
        let text = match (self.options.collected, self.options.virtual_time) {
            (true, _) => tally.of_collection(),
            (false, true) => format!("{tally} of virtual time"),
            (false, false) => tally.to_string(),
        };
        lines.push(Line { tone, ..Line::plain(text) });
        lines
    }
}

/// All that is needed to find out why a step failed: the error with its place, the call, the hint, the pictures.
fn under_failed(step: &Step, folder: &str) -> Vec<Line> {
    let mut lines = match &step.failure {
        Some(failure) => step_list::failure(failure, Some(step), LONGEST),
        None => step_list::failed_calls(step),
    };
    lines.extend(step_list::saved(&step.notes, folder));
    lines
}

/// A failed trail in one line: its id and where to look.
fn failed_again(trail: &TrailLog, attempt: &Attempt) -> Line {
    let failure = attempt.failure();
    let place = failure.and_then(|failure| step_list::place(failure, attempt.failed_step()));
    let place = place.unwrap_or_else(|| one_line(&trail.file));
    Line::new(Tone::Failed, "✗", one_line(&trail.run.to_string())).aside(place)
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
