//! The words in which every report tells about a step, a failure and a trail.

use std::fmt;

use trailblaze_model::event::Verdict;
use trailblaze_model::failure::Failure;

use crate::text::{block, call, clean, duration, one_line};
use crate::trail_log::{Attempt, Notes, Saved, Step, Warning};

/// The longest message or stack that is shown, in characters. The JSON lines have all of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Longest(pub(crate) usize);

/// A step that takes this long says so.
const SLOW_MS: u64 = 1_000;

/// What a line is about; a terminal gives it a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Passed,
    Failed,
    LeftOut,
    Warning,
    Hint,
    Plain,
}

/// One thing to say: a mark or a word, a text that may have several lines, and something beside it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) indent: usize,
    pub(crate) tone: Tone,
    pub(crate) label: &'static str,
    pub(crate) text: String,
    pub(crate) aside: String,
}

impl Line {
    pub(crate) fn new(tone: Tone, label: &'static str, text: impl Into<String>) -> Self {
        Self { indent: 0, tone, label, text: text.into(), aside: String::new() }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(Tone::Plain, "", text)
    }

    pub(crate) fn aside(mut self, aside: impl Into<String>) -> Self {
        self.aside = aside.into();
        self
    }

    pub(crate) const fn indent(mut self, by: usize) -> Self {
        self.indent += by;
        self
    }

    /// The text with every further line under the first.
    pub(crate) fn hanging_text(&self) -> String {
        let hang = if self.label.is_empty() { 0 } else { 2 };
        self.text.replace('\n', &format!("\n{:1$}", "", self.indent + hang))
    }
}

/// Without colour.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:1$}", "", self.indent)?;
        let parts = [self.label, &self.hanging_text(), &self.aside];
        let mut gap = "";
        for (part, next_gap) in parts.into_iter().zip([" ", "  ", ""]).filter(|(part, _)| !part.is_empty()) {
            write!(f, "{gap}{part}")?;
            gap = next_gap;
        }
        Ok(())
    }
}

pub(crate) const fn mark(verdict: Option<Verdict>) -> (Tone, &'static str) {
    match verdict {
        Some(Verdict::Passed | Verdict::Healed) => (Tone::Passed, "✓"),
        Some(Verdict::Failed) => (Tone::Failed, "✗"),
        Some(Verdict::Skipped | Verdict::NotRun) => (Tone::LeftOut, "–"),
        None => (Tone::Plain, "?"),
    }
}

/// The words of a verdict; `NotRun` is two.
pub(crate) const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotRun => "not run",
        other => other.as_str(),
    }
}

/// `✓ Open the sign-in page`
pub(crate) fn step_line(step: &Step) -> Line {
    let (tone, label) = mark(step.verdict);
    let mut beside = Vec::new();
    if let Some(verdict @ (Verdict::Healed | Verdict::Skipped | Verdict::NotRun)) = step.verdict {
        beside.push(word(verdict).to_owned());
    }
    if step.duration_ms >= SLOW_MS {
        beside.push(duration(step.duration_ms));
    }
    Line::new(tone, label, &step.text).aside(beside.join(", "))
}

/// All steps of an attempt, with warnings under them and, under those that failed, what `under_failed` says.
pub(crate) fn steps(attempt: &Attempt, under_failed: impl Fn(&Step) -> Vec<Line>) -> Vec<Line> {
    let mut lines = Vec::new();
    if attempt.earlier > 0 {
        lines.push(Line::new(Tone::Passed, "✓", format!("{} before", counted(attempt.earlier, "step"))));
    }
    for step in &attempt.steps {
        lines.push(step_line(step));
        if step.verdict == Some(Verdict::Failed) {
            lines.extend(under_failed(step).into_iter().map(|line| line.indent(2)));
        }
        lines.extend(step.notes.warnings.iter().flat_map(warning).map(|line| line.indent(2)));
    }
    if attempt.outcome.is_some() && attempt.steps_not_run() > 0 {
        let count = counted(attempt.steps_not_run(), "step");
        lines.push(Line::new(Tone::LeftOut, "–", format!("{count} not run")));
    }
    lines
}

/// `1 step`, `2 steps`
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// `error: file:line:column: message`, the call, the stack and the hint.
pub(crate) fn failure(failure: &Failure, step: Option<&Step>, longest: Longest) -> Vec<Line> {
    let message = block(&failure.message, longest.0);
    let told = match place(failure, step) {
        Some(at) => format!("{at}: {message}"),
        None => message,
    };
    let mut lines = vec![Line::new(Tone::Failed, "error:", told)];
    lines.extend(step.map(failed_calls).unwrap_or_default().into_iter().map(|line| line.indent(2)));
    lines.extend(failure.stack.as_ref().map(|stack| Line::plain(block(stack, longest.0)).indent(2)));
    lines.extend(failure.hint.as_deref().map(hint));
    lines
}

pub(crate) fn hint(text: &str) -> Line {
    Line::new(Tone::Hint, "hint:", clean(text.trim_end()))
}

/// Where the failure is, or else where its step is.
pub(crate) fn place(failure: &Failure, step: Option<&Step>) -> Option<String> {
    let at = failure.at.as_ref().map(ToString::to_string).or_else(|| step?.at.clone());
    at.map(|at| clean(&at).into_owned())
}

/// The call that failed below the calls it stands in.
pub(crate) fn failed_calls(step: &Step) -> Vec<Line> {
    let calls = step.failed_calls.iter().enumerate();
    calls
        .map(|(depth, failed)| {
            let text = call(&failed.tool, &failed.args);
            let line = if depth == 0 { Line::new(Tone::Plain, "in", text) } else { Line::plain(text) };
            line.indent(if depth == 0 { 0 } else { 1 + 2 * depth })
        })
        .collect()
}

pub(crate) fn warning(warning: &Warning) -> Vec<Line> {
    let message = block(&warning.message, 2_000);
    let told = Line::new(Tone::Warning, "warning:", message);
    std::iter::once(told).chain(warning.hint.as_deref().map(hint)).collect()
}

/// `screenshot: screens/2.png`
pub(crate) fn saved(notes: &Notes, under: &str) -> Vec<Line> {
    let told =
        |saved: &Saved| Line::plain(format!("{}: {under}{}", one_line(&saved.name), one_line(&saved.file)));
    notes.saved.iter().map(told).collect()
}

/// A failed attempt as a text of its own: message, place, hint, the steps with what was saved, the stack.
pub(crate) fn failure_text(attempt: &Attempt, longest: Longest) -> String {
    let mut text = String::new();
    if let Some(failure) = attempt.failure() {
        text += &format!("{}\n", block(&failure.message, longest.0));
        if let Some(at) = place(failure, attempt.failed_step()) {
            text += &format!("at {at}\n");
        }
        if let Some(told) = &failure.hint {
            text += &format!("{}\n", hint(told));
        }
    }
    let mut push_part = |lines: Vec<Line>| {
        if !lines.is_empty() && !text.is_empty() {
            text.push('\n');
        }
        text.extend(lines.iter().map(|line| format!("{line}\n")));
    };
    push_part(attempt.notes.warnings.iter().flat_map(warning).collect());
    push_part(steps(attempt, |step| {
        let mut lines = failed_calls(step);
        lines.extend(saved(&step.notes, ""));
        lines
    }));
    let stack = attempt.failure().and_then(|failure| failure.stack.as_deref());
    push_part(stack.map(|stack| Line::plain(block(stack, longest.0))).into_iter().collect());
    text
}
