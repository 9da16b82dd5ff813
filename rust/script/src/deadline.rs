//! The wall clock of one call, as the interrupt handler and the job pump see it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use trailblaze_engine::host::Cancel;

/// Why a script was stopped. Once there is a reason it stays: the runtime is thrown away after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    TimeIsUp,
    Cancelled,
}

#[derive(Clone)]
pub(crate) struct Deadline {
    at: Rc<Cell<Instant>>,
    cancel: Rc<RefCell<Cancel>>,
    stopped: Rc<Cell<Option<Stop>>>,
}

impl Deadline {
    pub(crate) fn new(at: Instant) -> Self {
        Self { at: Rc::new(Cell::new(at)), cancel: Rc::default(), stopped: Rc::default() }
    }

    pub(crate) fn set(&self, at: Instant, cancel: Cancel) {
        self.at.set(at);
        self.cancel.replace(cancel);
    }

    /// Looks at the clock and at who may have cancelled.
    pub(crate) fn is_over(&self) -> bool {
        if self.stopped.get().is_none() {
            if self.cancel.borrow().is_cancelled() {
                self.stopped.set(Some(Stop::Cancelled));
            } else if Instant::now() >= self.at.get() {
                self.stopped.set(Some(Stop::TimeIsUp));
            }
        }
        self.stopped.get().is_some()
    }

    /// Whether somebody was stopped because of it.
    pub(crate) fn was_hit(&self) -> Option<Stop> {
        self.stopped.get()
    }
}
