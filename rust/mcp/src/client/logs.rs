//! The lines that a server wrote and that nobody took yet.

use std::sync::{Mutex, PoisonError};

use trailblaze_engine::device::LogLine;
use trailblaze_model::event::LogLevel;

/// So much is kept between two looks. A server that floods must not take all memory.
const MOST_BYTES: usize = 4 << 20;
/// What one line takes besides its text, about.
const LINE_BYTES: usize = 48;

#[derive(Debug, Default)]
pub(super) struct Logs(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    lines: Vec<LogLine>,
    bytes: usize,
    dropped: u64,
}

impl Logs {
    pub(super) fn push(&self, level: LogLevel, message: impl Into<String>) {
        let message = message.into();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = message.len() + LINE_BYTES;
        if kept.bytes + bytes > MOST_BYTES {
            kept.dropped += 1;
            return;
        }
        kept.bytes += bytes;
        kept.lines.push(LogLine { level, message });
    }

    pub(super) fn take(&self) -> Vec<LogLine> {
        let Kept { mut lines, dropped, .. } =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if dropped > 0 {
            let message = format!("it wrote too much at once: {dropped} more lines are not shown");
            lines.push(LogLine { level: LogLevel::Warn, message });
        }
        lines
    }
}

/// A text of somebody else in bounded length, on one line.
pub(super) fn cut(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_bounded_and_said() {
        let logs = Logs::default();
        for _ in 0..10 {
            logs.push(LogLevel::Info, "x".repeat(MOST_BYTES / 4));
        }
        let lines = logs.take();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[3].message, "it wrote too much at once: 7 more lines are not shown");
        assert!(logs.take().is_empty());
    }
}
