//! What scripts write to `console`, kept until somebody asks for it.

use std::sync::{Arc, Mutex, PoisonError};

use trailblaze_engine::device::LogLine;
use trailblaze_model::event::LogLevel;

/// A script that floods its console must not fill the memory of the program: what is past these limits is
/// dropped, and the last line says so.
const MAX_LINES: usize = 1_000;
const MAX_LINE_BYTES: usize = 16 << 10;

#[derive(Default)]
struct Kept {
    lines: Vec<LogLine>,
    dropped: usize,
}

/// Shared by the script's thread, which writes, and its caller, who reads even when the thread hangs.
#[derive(Clone, Default)]
pub(crate) struct Console(Arc<Mutex<Kept>>);

impl Console {
    pub(crate) fn write(&self, level: &str, mut message: String) {
        let level = match level {
            "debug" => LogLevel::Debug,
            "warn" => LogLevel::Warn,
            "error" => LogLevel::Error,
            _ => LogLevel::Info,
        };
        if message.len() > MAX_LINE_BYTES {
            message.truncate(message.floor_char_boundary(MAX_LINE_BYTES));
            message.push('…');
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.lines.len() < MAX_LINES {
            kept.lines.push(LogLine { level, message });
        } else {
            kept.dropped += 1;
        }
    }

    pub(crate) fn take(&self) -> Vec<LogLine> {
        let kept = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut lines = kept.lines;
        if kept.dropped > 0 {
            let message = format!("{} more lines were dropped", kept.dropped);
            lines.push(LogLine { level: LogLevel::Warn, message });
        }
        lines
    }
}
