//! What a server writes to stderr, and to stdout where that is not its way for messages: all of it to the log, the end of it into errors.

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use trailblaze_model::event::LogLevel;

use super::lines::{Line, Lines};
use super::logs::{Logs, cut};

/// So many lines are kept for errors.
const KEPT: usize = 64;
const LONGEST_LINE: usize = 64 << 10;
/// So much of one line is shown.
const SHOWN_CHARS: usize = 2_000;

/// The last lines of a process, written by the thread that drains its stderr.
#[derive(Debug, Default)]
pub(super) struct LastLines {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<String>,
    ended: bool,
}

impl LastLines {
    /// Drains on a thread of its own, which ends when nobody can write any more.
    pub(super) fn drain(stream: impl AsFd + Send + 'static, logs: Arc<Logs>) -> std::io::Result<Arc<Self>> {
        let kept = Arc::new(Self::default());
        let mine = kept.clone();
        let read = move || {
            let mut lines = Lines::new(LONGEST_LINE);
            while matches!(lines.read(&stream), Ok(count) if count > 0) {
                while let Some(line) = lines.next() {
                    mine.push(line, &logs);
                }
            }
            if let Some(rest) = lines.rest() {
                mine.push(rest, &logs);
            }
            mine.state.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
            mine.changed.notify_all();
        };
        thread::Builder::new().name("toolset stderr".to_owned()).spawn(read)?;
        Ok(kept)
    }

    fn push(&self, line: Line, logs: &Logs) {
        let text = match line {
            Line::Text(bytes) => cut(String::from_utf8_lossy(&bytes).trim_end(), SHOWN_CHARS),
            Line::TooLong => "(a line that is too long)".to_owned(),
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.lines.len() == KEPT {
            state.lines.pop_front();
        }
        state.lines.push_back(text.clone());
        drop(state);
        logs.push(LogLevel::Info, text);
    }

    /// The last lines. Those that a process wrote at its end may still be on their way, so they are waited for, but
    /// not for long: a child of the process may keep stderr open.
    pub(super) fn at_the_end(&self, patience: Duration) -> Vec<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, _) = self
            .changed
            .wait_timeout_while(state, patience, |state| !state.ended)
            .unwrap_or_else(PoisonError::into_inner);
        state.lines.iter().cloned().collect()
    }
}
