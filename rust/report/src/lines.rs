//! JSON lines: every event of a run, one per line.

use std::fmt;
use std::io::{self, Write};
use std::sync::Mutex;

use trailblaze_engine::observer::Observer;
use trailblaze_model::event::Event;

use crate::locked;
use crate::output::FirstError;

/// Writes every event as one line, at once: a killed run leaves whole lines.
pub struct JsonLines(Mutex<State>);

struct State {
    out: Box<dyn Write + Send>,
    error: FirstError,
}

impl JsonLines {
    /// `out` should not be buffered: each line is one write.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self(Mutex::new(State { out, error: FirstError::default() }))
    }

    /// The first error of writing, if there was one; nothing was written after it.
    pub fn finish(&self) -> io::Result<()> {
        locked(&self.0).error.take()
    }
}

impl Observer for JsonLines {
    fn event(&self, event: &Event) {
        let mut line = event.to_line();
        line.push('\n');
        let state = &mut *locked(&self.0);
        // After an error the last line may be cut; another one would be glued to it.
        if !state.error.seen() {
            state.error.note(state.out.write_all(line.as_bytes()).and_then(|()| state.out.flush()));
        }
    }
}

impl fmt::Debug for JsonLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLines").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
