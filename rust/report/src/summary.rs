//! `summary.md`: the run on one page, for people and for pull requests.
//!
//! The page is a `String`, and writing into one cannot fail: the results of `write!` are dropped.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, Verdict};

use crate::locked;
use crate::output::{FirstError, WholeFile};
use crate::step_list::{Longest, counted, failure_text, mark, word};
use crate::tally::Tally;
use crate::text::{duration, one_line};
use crate::trail_log::{Attempt, Saved, TrailLog, TrailLogs, passed, run_of};

const LONGEST: Longest = Longest(20_000);

/// Writes the page when the run has finished. It belongs into the folder of the run: its links are relative.
#[derive(Debug)]
pub struct Summary(Mutex<State>);

#[derive(Debug)]
struct State {
    file: WholeFile,
    /// `sim, android-ondevice-accessibility`
    device: String,
    trails: TrailLogs,
    error: FirstError,
}

impl Summary {
    /// Nothing is written before the run has finished.
    pub fn new(path: &Path) -> io::Result<Self> {
        let file = WholeFile::new(path)?;
        let (trails, error) = (TrailLogs::default(), FirstError::default());
        Ok(Self(Mutex::new(State { file, device: String::new(), trails, error })))
    }

    /// The error of writing, if there was one.
    pub fn finish(&self) -> io::Result<()> {
        locked(&self.0).error.take()
    }
}

impl Observer for Summary {
    fn event(&self, event: &Event) {
        let state = &mut *locked(&self.0);
        state.trails.apply(event);
        match &event.kind {
            EventKind::RunStarted { driver, device, .. } => state.device = format!("{device}, {driver}"),
            EventKind::TrailFinished { id, verdict, .. } if *verdict != Verdict::Failed => {
                let trail = state.trails.get_mut(&run_of(event, id));
                if let Some(attempt) = trail.and_then(|trail| trail.attempts.last_mut()) {
                    attempt.forget_steps();
                }
            }
            kind => {
                let retried = state.trails.iter().filter(|trail| trail.is_flaky()).count();
                if let Some(tally) = Tally::of(kind, retried) {
                    state.error.note(state.file.replace(page(state, &tally).as_bytes()));
                }
            }
        }
    }
}

fn page(state: &State, tally: &Tally) -> String {
    // What was collected from elsewhere may come without any time.
    let is_timed = |trail: &TrailLog| trail.outcome().is_some_and(|outcome| outcome.timing.is_some());
    let is_known = tally.duration_ms > 0 || state.trails.iter().any(is_timed);
    let told = if is_known { tally.to_string() } else { tally.of_collection() };
    let mut page = format!("# {}\n\n{told} on {}\n", title(tally), markdown(&state.device));
    table(&mut page, &state.trails);
    for trail in state.trails.iter() {
        let verdict = trail.outcome().map(|outcome| outcome.verdict);
        if !matches!(verdict, Some(Verdict::Skipped | Verdict::NotRun)) {
            failures(&mut page, trail);
        }
    }
    reasons(&mut page, &state.trails, Verdict::Skipped, "Skipped");
    reasons(&mut page, &state.trails, Verdict::NotRun, "Not run");
    page
}

fn title(tally: &Tally) -> String {
    let (_, mark) = mark(Some(tally.verdict));
    let all = tally.trails();
    if tally.interrupted {
        let ran = all - tally.not_run;
        format!("✗ Interrupted: {ran} of {} ran", counted(all, "trail"))
    } else if tally.failed > 0 {
        format!("{mark} {} of {} failed", tally.failed, counted(all, "trail"))
    } else if tally.passed + tally.healed > 0 {
        format!("{mark} {} passed", counted(tally.passed + tally.healed, "trail"))
    } else {
        "– No trail was run".into()
    }
}

fn table(page: &mut String, trails: &TrailLogs) {
    page.push_str("\n| verdict | trail | time | device |\n|---|---|---:|---|\n");
    for trail in trails.iter() {
        let outcome = trail.outcome();
        let (_, mark) = mark(outcome.map(|outcome| outcome.verdict));
        let word = outcome.map_or("did not end", |outcome| word(outcome.verdict));
        let name = match trail.title() {
            Some(title) => format!("{}<br>{}", markdown(&trail.id), markdown(&title)),
            None => markdown(&trail.id),
        };
        let attempt = match trail.attempts.len() {
            0 | 1 => String::new(),
            attempts => format!(" (attempt {attempts})"),
        };
        let time = outcome
            .filter(|outcome| !matches!(outcome.verdict, Verdict::Skipped | Verdict::NotRun))
            .filter(|outcome| outcome.duration_ms > 0 || outcome.timing.is_some())
            .map(|outcome| duration(outcome.duration_ms))
            .unwrap_or_default();
        let device = markdown(&trail.device);
        let _ = writeln!(page, "| {mark} {word}{attempt} | {name} | {time} | {device} |");
    }
}

/// A section for every attempt that did not pass.
fn failures(page: &mut String, trail: &TrailLog) {
    for attempt in &trail.attempts {
        let verdict = attempt.outcome.as_ref().map(|outcome| outcome.verdict);
        if verdict.is_some_and(passed) {
            continue;
        }
        let (_, mark) = mark(verdict);
        let mut heading = format!("{mark} {}", markdown(&trail.run.to_string()));
        if trail.attempts.len() > 1 {
            let _ = write!(heading, ", attempt {} of {}", attempt.number, trail.attempts.len());
        }
        if trail.is_flaky() {
            heading.push_str(" (passed in the end)");
        }
        let text = failure_text(attempt, LONGEST);
        let fence = fence(&text);
        let file = markdown(&trail.file);
        let _ = write!(page, "\n## {heading}\n\n{file}\n\n{fence}text\n{text}{fence}\n");
        pictures(page, attempt);
    }
}

fn pictures(page: &mut String, attempt: &Attempt) {
    for Saved { name, file } in attempt.saved() {
        let picture = [".png", ".jpg", ".jpeg", ".webp"].iter().any(|end| file.ends_with(end));
        let bang = if picture { "!" } else { "" };
        let _ = write!(page, "\n{bang}[{}]({})\n", markdown(name), link(file));
    }
}

fn reasons(page: &mut String, trails: &TrailLogs, verdict: Verdict, heading: &str) {
    let mut heading = Some(heading);
    for trail in trails.iter() {
        let Some(outcome) = trail.outcome().filter(|outcome| outcome.verdict == verdict) else { continue };
        if let Some(heading) = heading.take() {
            let _ = write!(page, "\n## {heading}\n\n");
        }
        let reason = outcome.reason.as_deref().unwrap_or("no reason given");
        let _ = writeln!(page, "- {}: {}", markdown(&trail.run.to_string()), markdown(reason));
    }
}

/// One line in which nothing is markup.
fn markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A path as the target of a link.
fn link(path: &str) -> String {
    let mut link = String::new();
    for c in path.replace('\\', "/").chars() {
        match c {
            ' ' | '(' | ')' | '<' | '>' | '%' | '#' | '?' | '|' => {
                let _ = write!(link, "%{:02X}", u32::from(c));
            }
            c if c.is_control() => {}
            c => link.push(c),
        }
    }
    link
}

/// Longer than any row of backticks in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(3.max(longest + 1))
}

#[cfg(test)]
mod tests;
