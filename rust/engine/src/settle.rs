//! Waiting until the screen is still.
//!
//! Most waits end when nothing has changed for a moment. Where something moves without end (a spinner, a clock)
//! the wait ends once everything else is still.

use std::collections::HashMap;
use std::sync::Arc;

use trailblaze_model::failure::Failure;
use trailblaze_model::screen::{NodeRef, Screen};

use crate::session::Session;

/// When a screen counts as still. Milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settle {
    /// So long nothing may change.
    pub quiet_ms: u64,
    /// So long a first change is waited for.
    pub grace_ms: u64,
    /// Not longer than this in all.
    pub cap_ms: u64,
}

impl Default for Settle {
    fn default() -> Self {
        Self { quiet_ms: 100, grace_ms: 150, cap_ms: 5_000 }
    }
}

/// A screen that has not settled for so long is looked at part by part.
const RESTLESS_AFTER_MS: u64 = 1_500;
/// So often it is looked at then.
const LOOK_MS: u64 = 100;
/// A part that changed in so many looks is restless.
const RESTLESS_CHANGES: u32 = 4;

/// Waits; false when the screen was still moving at the cap.
pub fn settle(session: &Session, settle: Settle) -> Result<bool, Failure> {
    let start = session.now_ms();
    let cap = start.saturating_add(settle.cap_ms);
    let mut parts = Parts::default();
    loop {
        session.check_cancelled()?;
        let now = session.now_ms();
        let changed = session.device().last_change_ms()?;
        let still_at = changed.saturating_add(settle.quiet_ms).max(start.saturating_add(settle.grace_ms));
        if now >= still_at {
            return Ok(true);
        }
        if now >= cap {
            return Ok(false);
        }
        if now < start.saturating_add(RESTLESS_AFTER_MS) {
            session.clock.sleep_until(still_at.min(cap));
            continue;
        }
        if parts.look(session.capture()?, now) >= settle.quiet_ms.max(LOOK_MS) {
            return Ok(true);
        }
        session.clock.sleep_until(now.saturating_add(LOOK_MS).min(cap));
    }
}

/// Which parts of a screen keep moving, over several looks.
#[derive(Default)]
struct Parts {
    last: Option<Arc<Screen>>,
    /// How often a part changed, by its place in the tree.
    changes: HashMap<Vec<usize>, u32>,
    /// When something changed that had not been restless before.
    news_ms: u64,
}

impl Parts {
    /// Compares with the last look; returns how long nothing but restless parts has changed.
    fn look(&mut self, screen: Arc<Screen>, now: u64) -> u64 {
        let Some(before) = self.last.replace(screen.clone()) else {
            self.news_ms = now;
            return 0;
        };
        if Arc::ptr_eq(&before, &screen) {
            return now - self.news_ms;
        }
        for id in before.changes(&before.fingerprint(), &screen, &screen.fingerprint()) {
            let place = place(screen.node(id));
            // A whole window that changes is news every time.
            let is_root = place.len() <= 1;
            let count = self.changes.entry(place).or_default();
            *count += 1;
            if is_root || *count < RESTLESS_CHANGES {
                self.news_ms = now;
            }
        }
        now - self.news_ms
    }
}

/// The place of a node: its window, then which child it is on every level.
fn place(node: NodeRef<'_>) -> Vec<usize> {
    let mut path = Vec::new();
    let mut here = node;
    while let Some(parent) = here.parent() {
        path.push(parent.children().position(|child| child.id() == here.id()).unwrap_or(0));
        here = parent;
    }
    path.push(node.window());
    path.reverse();
    path
}
