//! Looking at the screen: queries, assertions, and the waiting in both.

use std::sync::Arc;

use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Bounds, NodeId, NodeRef, Screen};

use super::{Commands, seconds};
use crate::matching::{Means, which};
use crate::session::Phase;

const POLL_MS: u64 = 100;

/// An element on the screen it was found on.
#[derive(Clone, Debug)]
pub struct Found {
    pub screen: Arc<Screen>,
    pub id: NodeId,
    /// The others that fitted as well, in their order.
    pub others: Vec<NodeId>,
}

impl Found {
    pub fn node(&self) -> NodeRef<'_> {
        self.screen.node(self.id)
    }

    /// The part that can be seen.
    pub fn bounds(&self) -> Bounds {
        let bounds = self.node().bounds().unwrap_or(self.screen.bounds());
        let seen = bounds.intersect(self.screen.bounds());
        if seen.width() < 0 || seen.height() < 0 { bounds } else { seen }
    }
}

impl Commands<'_> {
    // Queries

    pub fn is_visible(&self, selector: &dyn Means, timeout_ms: u64) -> Result<bool, Failure> {
        Ok(self.look_for(selector, timeout_ms)?.is_some())
    }

    pub fn element_text(&self, selector: &dyn Means) -> Result<Option<String>, Failure> {
        let found = self.look_for(selector, 0)?;
        Ok(found.and_then(|found| found.node().resolved_text().map(str::to_owned)))
    }

    pub fn element_count(&self, selector: &dyn Means) -> Result<usize, Failure> {
        Ok(selector.find(self.session.capture()?.as_ref())?.len())
    }

    // Assertions

    /// The element, once it is there.
    pub fn find(&self, selector: &dyn Means, timeout_ms: u64) -> Result<Found, Failure> {
        let found = self.locate(selector, timeout_ms)?;
        self.say_which(selector, &found)?;
        Ok(found)
    }

    pub fn assert_visible(&self, selector: &dyn Means, timeout_ms: u64) -> Result<(), Failure> {
        let _phase = self.session.phase(Phase::Verify);
        match self.look_for(selector, timeout_ms)? {
            Some(_) => Ok(()),
            None => {
                let failure = self.not_found(selector, timeout_ms)?;
                Err(Failure { kind: FailureKind::AssertionFailed, ..failure })
            }
        }
    }

    pub fn assert_not_visible(&self, selector: &dyn Means, timeout_ms: u64) -> Result<(), Failure> {
        let _phase = self.session.phase(Phase::Verify);
        let gone = self.wait_for(timeout_ms, || {
            let screen = self.session.capture()?;
            Ok(selector.find(&screen)?.is_empty().then_some(()))
        })?;
        gone.ok_or_else(|| {
            let message = format!("{selector} is still visible after {}", seconds(timeout_ms));
            Failure::new(FailureKind::AssertionFailed, message)
        })
    }

    /// The element says what is expected, apart from spaces around it.
    pub fn assert_text(&self, selector: &dyn Means, expected: &str, timeout_ms: u64) -> Result<(), Failure> {
        let _phase = self.session.phase(Phase::Verify);
        let mut actual = None;
        let same = self.wait_for(timeout_ms, || {
            actual = self.element_text(selector)?;
            let same = actual.as_ref().is_some_and(|actual| actual.trim() == expected.trim());
            Ok(same.then_some(()))
        })?;
        match (same, actual) {
            (Some(()), _) => Ok(()),
            (None, Some(actual)) => {
                let message = format!("{selector} says '{actual}', not '{expected}'");
                Err(Failure::new(FailureKind::AssertionFailed, message))
            }
            (None, None) => self.assert_visible(selector, 0),
        }
    }

    // Waiting

    /// Asks again and again until there is an answer or the time is up. Asks at least once.
    pub fn wait_for<T>(
        &self,
        timeout_ms: u64,
        ask: impl FnMut() -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.wait_every(POLL_MS, timeout_ms, ask)
    }

    /// As [`Commands::wait_for`], so often.
    pub fn wait_every<T>(
        &self,
        poll_ms: u64,
        timeout_ms: u64,
        mut ask: impl FnMut() -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        let until = self.session.now_ms().saturating_add(timeout_ms);
        loop {
            self.session.check_cancelled()?;
            if let Some(answer) = ask()? {
                return Ok(Some(answer));
            }
            let now = self.session.now_ms();
            if now >= until {
                return Ok(None);
            }
            self.check_deadline()?;
            self.session.clock.sleep_until(now.saturating_add(poll_ms.max(1)).min(until));
        }
    }

    /// The element, if it is there in time.
    pub(crate) fn look_for(&self, selector: &dyn Means, timeout_ms: u64) -> Result<Option<Found>, Failure> {
        self.look_with(timeout_ms, &|screen| selector.find(screen))
    }

    fn look_with(
        &self,
        timeout_ms: u64,
        find: &dyn Fn(&Screen) -> Result<Vec<NodeId>, Failure>,
    ) -> Result<Option<Found>, Failure> {
        let _phase = self.session.phase(Phase::Match);
        let mut last: Option<Arc<Screen>> = None;
        self.wait_for(timeout_ms, || {
            let screen = self.session.capture()?;
            // The same screen cannot give another answer.
            if last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &screen)) {
                return Ok(None);
            }
            last = Some(screen.clone());
            let matches = find(&screen)?;
            let found = matches.split_first();
            Ok(found.map(|(id, others)| Found { id: *id, others: others.to_vec(), screen: screen.clone() }))
        })
    }

    /// The element, also when it must be scrolled to first.
    pub(super) fn look_anywhere(
        &self,
        selector: &dyn Means,
        timeout_ms: u64,
    ) -> Result<Option<Found>, Failure> {
        self.look_with(timeout_ms, &|screen| {
            let matches = selector.find(screen)?;
            if matches.is_empty() { selector.find_anywhere(screen) } else { Ok(matches) }
        })
    }

    pub(super) fn locate_anywhere(&self, selector: &dyn Means, timeout_ms: u64) -> Result<Found, Failure> {
        match self.look_anywhere(selector, timeout_ms)? {
            Some(found) => Ok(found),
            None => Err(self.not_found(selector, timeout_ms)?),
        }
    }

    /// As [`Commands::find`], without a word about others that fit.
    pub(super) fn locate(&self, selector: &dyn Means, timeout_ms: u64) -> Result<Found, Failure> {
        match self.look_for(selector, timeout_ms)? {
            Some(found) => Ok(found),
            None => Err(self.not_found(selector, timeout_ms)?),
        }
    }

    pub(super) fn not_found(&self, selector: &dyn Means, timeout_ms: u64) -> Result<Failure, Failure> {
        let screen = self.session.capture()?;
        let waited = if timeout_ms == 0 { String::new() } else { format!(" within {}", seconds(timeout_ms)) };
        let message = format!("no element with {selector}{waited}");
        let mut failure = Failure::new(FailureKind::NotFound, message);
        failure.hint = selector.suggestion(&screen);
        failure.candidates = selector.candidates(&screen);
        Ok(failure)
    }

    /// Says which one of several was taken; in a strict session that is an error.
    pub(super) fn say_which(&self, selector: &dyn Means, found: &Found) -> Result<(), Failure> {
        let Some(next) = found.others.first().filter(|_| !selector.has_index()) else { return Ok(()) };
        let hint = match selector.precise(&found.screen, found.id) {
            Some(way) => format!("say more about it, e.g. {way}"),
            None => "say more about it, or add 'index'".to_owned(),
        };
        let many = found.others.len() + 1;
        let taken = which::described(found.node());
        let others = which::list(&found.screen, &found.others);
        if self.session.options.strict {
            let message = format!("{selector} fits {many} elements: {taken}, {others}");
            return Err(Failure::new(FailureKind::Ambiguous, message).hint(hint));
        }
        let reason = selector.reason(found.node(), found.screen.node(*next));
        let message = format!("{selector} fits {many} elements; took {taken}, {reason}; also {others}");
        self.session.warn(message, Some(hint));
        Ok(())
    }
}
