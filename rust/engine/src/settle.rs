//! Waiting until the screen is still.
//!
//! Most waits end when nothing has been announced for a moment and the tree stayed the same meanwhile: some changes
//! send no event. Where something moves without end (a spinner, a clock) the wait ends once everything else is still.

use std::collections::HashMap;
use std::sync::Arc;

use trailblaze_model::failure::Failure;
use trailblaze_model::screen::{Flag, NodeRef, Prop, Screen, WindowKind};

use crate::session::{Phase, Session};

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
/// A new window that is still empty is waited for so long.
const EMPTY_MS: u64 = 1_000;
/// A window that is smaller than this part of the screen is the handle of a cursor: nothing will come into it.
const HANDLE: f64 = 0.01;

/// Waits; false when the screen was still moving at the cap.
pub fn settle(session: &Session, settle: Settle) -> Result<bool, Failure> {
    let _phase = session.phase(Phase::Settle);
    let start = session.now_ms();
    let cap = start.saturating_add(settle.cap_ms);
    let mut parts = Parts::knowing(session.restless());
    // Beside what is known to move without end nobody waits for it to stop.
    let patience = if parts.changes.is_empty() { RESTLESS_AFTER_MS } else { 0 };
    let restless_at = start.saturating_add(patience);
    loop {
        session.check_cancelled()?;
        let now = session.now_ms();
        let announced = session.device().last_change_ms()?;
        let quiet_from = announced.max(parts.unannounced_ms);
        let still_at = quiet_from.saturating_add(settle.quiet_ms).max(start.saturating_add(settle.grace_ms));
        let half_at = still_at.saturating_sub(settle.quiet_ms / 2);
        let graced = start.saturating_add(settle.grace_ms);
        let fills =
            |screen: &Screen| now < start.saturating_add(EMPTY_MS) && session.has_new_empty_window(screen);
        if now >= restless_at {
            let screen = session.capture()?;
            let fills = fills(&screen);
            let quiet = parts.look(screen, now) >= settle.quiet_ms.max(LOOK_MS);
            if quiet && !fills && now >= graced {
                session.note_restless(parts.restless());
                return Ok(true);
            }
        } else if now >= still_at {
            let screen = session.capture()?;
            let fills = fills(&screen);
            if !parts.changed_unannounced(screen) && !fills {
                return Ok(true);
            }
            parts.unannounced_ms = now;
        } else if now >= half_at {
            // What the tree at the end of the quiet time is compared with.
            parts.last = Some(session.capture()?);
        }
        if now >= cap {
            return Ok(false);
        }
        let next = if now >= restless_at {
            if now < graced { graced } else { now.saturating_add(LOOK_MS) }
        } else if now < half_at {
            half_at
        } else {
            still_at.max(now.saturating_add(1))
        };
        session.clock.sleep_until(next.min(cap));
    }
}

/// What was seen of a screen, over several looks.
#[derive(Default)]
struct Parts {
    last: Option<Arc<Screen>>,
    /// How often a part changed.
    changes: HashMap<Place, u32>,
    /// When something changed that had not been restless before.
    news_ms: u64,
    /// When the tree was seen to be another one without a word.
    unannounced_ms: u64,
}

impl Parts {
    fn knowing(restless: Vec<Place>) -> Self {
        let changes = restless.into_iter().map(|place| (place, RESTLESS_CHANGES)).collect();
        Self { changes, ..Self::default() }
    }

    fn restless(&self) -> Vec<Place> {
        // A whole window is never restless: what comes up in it is what is waited for.
        let restless = self
            .changes
            .iter()
            .filter(|(place, changes)| !place.path.is_empty() && **changes >= RESTLESS_CHANGES);
        restless.map(|(place, _)| place.clone()).collect()
    }

    /// Whether the tree is another one than in the middle of the quiet time, although nobody said so.
    fn changed_unannounced(&mut self, screen: Arc<Screen>) -> bool {
        let before = self.last.replace(screen.clone());
        before.is_some_and(|before| !Arc::ptr_eq(&before, &screen) && !before.looks_like(&screen))
    }

    /// Compares with the last look; returns how long nothing but restless parts has changed.
    fn look(&mut self, screen: Arc<Screen>, now: u64) -> u64 {
        if self.news_ms == 0 {
            self.news_ms = now;
        }
        let Some(before) = self.last.replace(screen.clone()) else { return 0 };
        if Arc::ptr_eq(&before, &screen) {
            return now - self.news_ms;
        }
        for id in before.changes(&before.fingerprint(), &screen, &screen.fingerprint()) {
            let place = place(screen.node(id));
            // A whole window that changes is news every time.
            let is_root = place.path.is_empty();
            let count = self.changes.entry(place).or_default();
            *count += 1;
            if is_root || *count < RESTLESS_CHANGES {
                self.news_ms = now;
            }
        }
        now - self.news_ms
    }
}

/// Where a node stands, on every look at the same window.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    window: usize,
    /// What the window is: another one in its place has other restless parts.
    root: [Option<String>; 3],
    /// Which child it is on every level, from the node up.
    path: Vec<usize>,
    /// What the node is.
    node: [Option<String>; 2],
}

fn place(node: NodeRef<'_>) -> Place {
    let mut path = Vec::new();
    let mut here = node;
    while let Some(parent) = here.parent() {
        path.push(parent.children().position(|child| child.id() == here.id()).unwrap_or(0));
        here = parent;
    }
    let of = |node: NodeRef<'_>, prop: Prop| node.get(prop).map(str::to_owned);
    let root = [Prop::PackageName, Prop::ClassName, Prop::PaneTitle].map(|prop| of(here, prop));
    let own = [Prop::ClassName, Prop::ResourceId].map(|prop| of(node, prop));
    Place { window: node.window(), root, path, node: own }
}

/// How many windows of apps have nothing in them yet.
pub(crate) fn empty_windows(screen: &Screen) -> usize {
    let of_an_app = |kind: WindowKind| matches!(kind, WindowKind::Application | WindowKind::Dialog);
    let windows = screen.windows().iter().filter(|window| of_an_app(window.kind));
    windows.map(|window| screen.node(window.root)).filter(|root| is_empty(*root) && !is_handle(*root)).count()
}

/// A window that has no size yet is none.
fn is_handle(root: NodeRef<'_>) -> bool {
    let whole = root.screen().bounds().area() as f64;
    root.bounds().is_some_and(|bounds| !bounds.is_empty() && (bounds.area() as f64) < HANDLE * whole)
}

/// Layouts that hold nothing yet: no text, no id of the app, nothing that takes a touch.
fn is_empty(root: NodeRef<'_>) -> bool {
    let takes = [Flag::Clickable, Flag::Editable, Flag::Checkable, Flag::Scrollable];
    let is_something = |node: NodeRef<'_>| {
        node.resolved_text().is_some_and(|text| !text.trim().is_empty())
            || node.resource_id().is_some_and(|id| !id.starts_with("android:"))
            || takes.iter().any(|flag| node.has(*flag))
    };
    !std::iter::once(root).chain(root.descendants()).any(is_something)
}
