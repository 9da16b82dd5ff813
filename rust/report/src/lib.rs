//! Readers of the event stream: terminal, JUnit, JSON lines, summary, results and the recorder.
//!
//! Invariant: a reader knows nothing but the events it is handed. What two of them say about a trail is
//! made in one place (`trail_log` folds, `step_list` words), so they cannot disagree.
//!
//! Trails are reported in the order of their ids, so a run gives the same reports with any number of jobs.

pub mod instrumentation;
pub mod junit;
pub mod lines;
pub mod recording;
pub mod results;
pub mod summary;
pub mod terminal;

mod output;
mod step_list;
mod tally;
#[cfg(test)]
mod testing;
mod text;
mod trail_log;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A reader that panicked once must not silence the others, so poison is ignored.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
