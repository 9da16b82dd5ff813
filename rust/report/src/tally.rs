//! How a run ended, in numbers and in words.

use std::fmt;

use trailblaze_model::event::{EventKind, Verdict};

use crate::text::duration;

/// What `runFinished` says, and how many trails passed only after a retry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub(crate) verdict: Verdict,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    pub(crate) not_run: usize,
    pub(crate) healed: usize,
    pub(crate) retried: usize,
    pub(crate) interrupted: bool,
    pub(crate) duration_ms: u64,
}

impl Tally {
    pub(crate) fn of(kind: &EventKind, retried: usize) -> Option<Self> {
        let EventKind::RunFinished {
            verdict,
            passed,
            failed,
            skipped,
            not_run,
            healed,
            interrupted,
            duration_ms,
        } = *kind
        else {
            return None;
        };
        Some(Self { verdict, passed, failed, skipped, not_run, healed, retried, interrupted, duration_ms })
    }

    pub(crate) const fn trails(&self) -> usize {
        self.passed + self.failed + self.skipped + self.not_run + self.healed
    }

    /// `incomplete: 9 passed, 1 not run`, with the time where it is known.
    pub(crate) fn of_collection(&self) -> String {
        let begin = if self.interrupted { "incomplete: " } else { "" };
        let time = Some(self.duration_ms).filter(|ms| *ms > 0).map(|ms| format!(" in {}", duration(ms)));
        format!("{begin}{}{}", self.counts(), time.unwrap_or_default())
    }

    /// `9 passed (1 after a retry), 1 failed, 1 skipped`
    fn counts(&self) -> String {
        let mut text = format!("{} passed", self.passed);
        if self.retried > 0 {
            text += &format!(" ({} after a retry)", self.retried);
        }
        let others = [
            (self.healed, "healed"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
            (self.not_run, "not run"),
        ];
        for (count, word) in others.into_iter().filter(|(count, _)| *count > 0) {
            text += &format!(", {count} {word}");
        }
        text
    }
}

/// `9 passed (1 after a retry), 1 failed, 1 skipped in 1.2 s`
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.interrupted {
            write!(f, "interrupted: ")?;
        }
        write!(f, "{} in {}", self.counts(), duration(self.duration_ms))
    }
}
