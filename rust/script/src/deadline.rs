//! The wall clock of one call, as the interrupt handler and the job pump see it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

#[derive(Clone)]
pub(crate) struct Deadline {
    at: Rc<Cell<Instant>>,
    passed: Rc<Cell<bool>>,
}

impl Deadline {
    pub(crate) fn new(at: Instant) -> Self {
        Self { at: Rc::new(Cell::new(at)), passed: Rc::default() }
    }

    pub(crate) fn set(&self, at: Instant) {
        self.at.set(at);
    }

    /// Looks at the clock. Once true it stays true: the runtime is thrown away after that.
    pub(crate) fn is_over(&self) -> bool {
        if !self.passed.get() && Instant::now() >= self.at.get() {
            self.passed.set(true);
        }
        self.passed.get()
    }

    /// Whether somebody was stopped because of it.
    pub(crate) fn was_hit(&self) -> bool {
        self.passed.get()
    }
}
