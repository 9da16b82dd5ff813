//! Touching an element: where the finger goes, and what is done when it cannot get there.

use std::fmt;

use trailblaze_model::action::Action;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::{Direction, Point};
use trailblaze_model::screen::{Bounds, Flag, NodeRef};

use super::{Commands, Found, point_in};
use crate::matching::Means;
use crate::reach::{self, Reach, called, reach};
use crate::session::Phase;
use crate::settle::Settle;

const LONG_PRESS_MS: u64 = 500;
/// How long a moving element is waited for before it is touched where it is.
const STILL_MS: u64 = 2_000;
/// An element that was gone when it was touched is looked for again, so often in all.
const TRIES: u32 = 3;
/// So often it is swiped to bring an element into view.
const SWIPES: u32 = 12;
/// Less than this of an element is no place for a finger if more of it can be had.
const SLIVER: f64 = 0.1;

/// How an element is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Tap,
    DoubleTap,
    LongPress { duration_ms: u64 },
}

impl Touch {
    pub const LONG_PRESS: Self = Self::LongPress { duration_ms: LONG_PRESS_MS };

    pub fn long(long: bool) -> Self {
        if long { Self::LONG_PRESS } else { Self::Tap }
    }

    fn action(self, (x, y): (i32, i32)) -> Action {
        match self {
            Self::Tap => Action::Tap { x, y },
            Self::DoubleTap => Action::DoubleTap { x, y },
            Self::LongPress { duration_ms } => Action::LongPress { x, y, duration_ms },
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Tap => "tapped",
            Self::DoubleTap => "double-tapped",
            Self::LongPress { .. } => "pressed long",
        }
    }
}

/// What was touched, and how.
#[derive(Clone, Debug)]
pub struct Touched {
    pub found: Found,
    touch: Touch,
    way: Way,
}

/// How a touch reached its element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// A finger at a point.
    Gesture((i32, i32)),
    /// The click action of a node, which need not be the one that was looked for.
    Action { on: String },
}

/// `tapped 540,1200`, `tapped 'Save' by its click action`
impl fmt::Display for Touched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.touch.done();
        match &self.way {
            Way::Gesture((x, y)) => write!(f, "{done} {x},{y}"),
            Way::Action { on } => {
                let action =
                    if matches!(self.touch, Touch::LongPress { .. }) { "long-click" } else { "click" };
                write!(f, "{done} {on} by its {action} action")
            }
        }
    }
}

/// Where an element is to be touched.
enum Spot {
    At((i32, i32)),
    /// It has no place; its click action is all there is.
    Node,
}

impl Commands<'_> {
    /// Waits for an element and touches the middle of the part that is free.
    pub fn touch(&self, selector: &dyn Means, touch: Touch, timeout_ms: u64) -> Result<Touched, Failure> {
        self.touch_at(selector, None, touch, timeout_ms)
    }

    /// As [`Commands::touch`], at a point inside of the element.
    pub fn touch_at(
        &self,
        selector: &dyn Means,
        point: Option<Point>,
        touch: Touch,
        timeout_ms: u64,
    ) -> Result<Touched, Failure> {
        let mut tries = 1;
        loop {
            match self.try_touch(selector, point, touch, timeout_ms) {
                Err(failure) if failure.kind == FailureKind::Refused && tries < TRIES => {
                    tries += 1;
                    // What took its place may still be on its way.
                    self.settle()?;
                }
                result => return result,
            }
        }
    }

    fn try_touch(
        &self,
        selector: &dyn Means,
        point: Option<Point>,
        touch: Touch,
        timeout_ms: u64,
    ) -> Result<Touched, Failure> {
        let (found, spot) = self.wait_reachable(selector, point, timeout_ms)?;
        let way = match spot {
            Spot::At(at) => {
                self.touch_point(at, touch)?;
                Way::Gesture(at)
            }
            Spot::Node => Way::Action { on: self.click(selector, &found, touch)? },
        };
        Ok(Touched { found, touch, way })
    }

    /// The point at which a finger meets an element, after it was brought to where it can be touched.
    pub fn find_reachable(&self, selector: &dyn Means, timeout_ms: u64) -> Result<(i32, i32), Failure> {
        let (found, spot) = self.wait_reachable(selector, None, timeout_ms)?;
        match spot {
            Spot::At(at) => Ok(at),
            Spot::Node => Err(out_of_reach(selector, &found, Reach::Nowhere, None)),
        }
    }

    /// What covers an element may go away by itself; it is scrolled only once.
    fn wait_reachable(
        &self,
        selector: &dyn Means,
        point: Option<Point>,
        timeout_ms: u64,
    ) -> Result<(Found, Spot), Failure> {
        let found = self.find_still(selector, timeout_ms)?;
        let mut blocked = match self.reachable(selector, found, point, timeout_ms)? {
            Ok(reached) => return self.said_which(selector, reached),
            Err(failure) => failure,
        };
        let _phase = self.session.phase(Phase::Match);
        let reached = self.wait_for(timeout_ms, || {
            let Some(found) = self.look_anywhere(selector, 0)? else { return Ok(None) };
            match self.spot_of(selector, found, point)? {
                Ok(reached) => Ok(Some(reached)),
                Err(failure) => {
                    blocked = failure;
                    Ok(None)
                }
            }
        })?;
        match reached {
            Some(reached) => self.said_which(selector, reached),
            None => Err(blocked),
        }
    }

    fn said_which(&self, selector: &dyn Means, reached: (Found, Spot)) -> Result<(Found, Spot), Failure> {
        self.say_which(selector, &reached.0)?;
        let node = reached.0.node();
        if !node.has(Flag::Enabled) {
            self.session.warn(format!("{} is disabled; a tap may do nothing", called(node)), None);
        }
        Ok(reached)
    }

    pub fn touch_point(&self, at: (i32, i32), touch: Touch) -> Result<(), Failure> {
        self.act(touch.action(at))
    }

    /// Touches a point that somebody named, which must lie on the screen.
    pub fn touch_screen(&self, (x, y): (i32, i32), touch: Touch) -> Result<(), Failure> {
        self.check_on_screen((x, y))?;
        self.touch_point((x, y), touch)
    }

    /// A point that somebody named must lie on the screen.
    pub fn check_on_screen(&self, (x, y): (i32, i32)) -> Result<(), Failure> {
        let screen = self.session.capture()?;
        let (width, height) = (screen.width, screen.height);
        if (0..width).contains(&x) && (0..height).contains(&y) {
            return Ok(());
        }
        let message = format!("the point {x},{y} lies outside of the screen, which is {width} x {height}");
        Err(Failure::new(FailureKind::InvalidArguments, message))
    }

    /// The element when it does not move, so that the finger meets it.
    pub(super) fn find_still(&self, selector: &dyn Means, timeout_ms: u64) -> Result<Found, Failure> {
        let _phase = self.session.phase(Phase::Settle);
        let mut found = self.locate_anywhere(selector, timeout_ms)?;
        let quiet_ms = Settle::default().quiet_ms;
        let until = self.session.now_ms().saturating_add(STILL_MS);
        loop {
            let (now, changed) = (self.session.now_ms(), self.session.device().last_change_ms()?);
            if now >= changed.saturating_add(quiet_ms) || now >= until {
                return Ok(found);
            }
            self.session.check_cancelled()?;
            self.session.clock.sleep_until(now.saturating_add(quiet_ms));
            let again = self.locate_anywhere(selector, timeout_ms)?;
            // Whatever else moves, this did not.
            if again.node().bounds() == found.node().bounds() {
                return Ok(again);
            }
            found = again;
        }
    }

    /// The place of an element for a finger, after the keyboard and scrolling were taken out of the way.
    fn reachable(
        &self,
        selector: &dyn Means,
        mut found: Found,
        point: Option<Point>,
        timeout_ms: u64,
    ) -> Result<Result<(Found, Spot), Failure>, Failure> {
        if let Some(spot) = spot_in(found.node(), point)? {
            return Ok(Ok((found, spot)));
        }
        if found.screen.keyboard().is_some() && is_under_keyboard(&found) {
            self.hide_keyboard()?;
            found = self.find_still(selector, timeout_ms)?;
            if let Some(spot) = spot_in(found.node(), point)? {
                return Ok(Ok((found, spot)));
            }
        }
        let found = self.bring_into_view(selector, found, point, timeout_ms)?;
        self.spot_of(selector, found, point)
    }

    /// Where an element is touched as it is, or why it cannot be.
    fn spot_of(
        &self,
        selector: &dyn Means,
        found: Found,
        point: Option<Point>,
    ) -> Result<Result<(Found, Spot), Failure>, Failure> {
        if let Some(spot) = spot_in(found.node(), point)? {
            return Ok(Ok((found, spot)));
        }
        Ok(match reach(found.node()) {
            // Little of it is better than nothing.
            Reach::At(part) if point.is_none() => Ok((found, Spot::At(part.center()))),
            Reach::Nowhere => Ok((found, Spot::Node)),
            state => Err(out_of_reach(selector, &found, state, point)),
        })
    }

    /// Scrolls until an element can be touched; gives it back as it is when that cannot be.
    fn bring_into_view(
        &self,
        selector: &dyn Means,
        mut found: Found,
        point: Option<Point>,
        timeout_ms: u64,
    ) -> Result<Found, Failure> {
        let shows = found.node().actions().any(|action| action == "ACTION_SHOW_ON_SCREEN");
        if shows && !matches!(reach(found.node()), Reach::Covered(_)) {
            match self.act(Action::ShowOnScreen { node: number(found.node()) }) {
                Ok(()) => found = self.find_still(selector, timeout_ms)?,
                Err(failure) if failure.kind == FailureKind::Refused => {}
                Err(failure) => return Err(failure),
            }
        }
        for _ in 0..SWIPES {
            if spot_in(found.node(), point)?.is_some() {
                break;
            }
            let Some((from, to)) = swipe_towards(found.node()) else { break };
            let before = found.node().bounds();
            self.act(Action::Swipe { x1: from.0, y1: from.1, x2: to.0, y2: to.1, duration_ms: 400 })?;
            found = self.locate_anywhere(selector, timeout_ms)?;
            if found.node().bounds() == before {
                break;
            }
        }
        Ok(found)
    }

    /// Asks the element, or the nearest one around it that takes it, for its click action.
    fn click(&self, selector: &dyn Means, found: &Found, touch: Touch) -> Result<String, Failure> {
        let mut refused = None;
        let mut here = Some(found.node());
        while let Some(node) = here {
            here = node.parent();
            if !takes(node, touch) {
                continue;
            }
            match self.click_node(number(node), touch) {
                Ok(()) => return Ok(called(node)),
                Err(failure) if failure.kind == FailureKind::Refused => refused = Some(failure),
                Err(failure) => return Err(failure),
            }
        }
        let message =
            format!("{selector} has no place on the screen, and nothing around it takes the action");
        Err(refused.unwrap_or_else(|| Failure::new(FailureKind::NotFound, message)))
    }

    fn click_node(&self, node: u32, touch: Touch) -> Result<(), Failure> {
        match touch {
            Touch::Tap => self.act(Action::Click { node }),
            Touch::LongPress { .. } => self.act(Action::LongClick { node }),
            Touch::DoubleTap => {
                self.perform(Action::Click { node })?;
                self.act(Action::Click { node })
            }
        }
    }
}

/// The place of a node in its screen, as actions name it.
pub(super) fn number(node: NodeRef<'_>) -> u32 {
    node.id().index() as u32
}

fn takes(node: NodeRef<'_>, touch: Touch) -> bool {
    let (flag, action) = match touch {
        Touch::LongPress { .. } => (Flag::LongClickable, "ACTION_LONG_CLICK"),
        Touch::Tap | Touch::DoubleTap => (Flag::Clickable, "ACTION_CLICK"),
    };
    node.has(Flag::Enabled) && (node.has(flag) || node.actions().any(|known| known == action))
}

/// Where a finger meets an element, if it does without further ado.
fn spot_in(node: NodeRef<'_>, point: Option<Point>) -> Result<Option<Spot>, Failure> {
    let Reach::At(part) = reach(node) else { return Ok(None) };
    let bounds = node.bounds().unwrap_or(part);
    if point.is_some() {
        let (x, y) = point_in(bounds, point)?;
        // The far edges do not belong to an element.
        let at = (x.min(bounds.right - 1), y.min(bounds.bottom - 1));
        let seen = reach::visible_part(node).is_some_and(|seen| seen.contains(at.0, at.1));
        let free = seen && reach::covered_at(node, at).is_none();
        return Ok(free.then_some(Spot::At(at)));
    }
    let scrolls = scroller(node).is_some();
    let sliver =
        (part.area() as f64) < SLIVER * bounds.area() as f64 && bounds.area() < node.screen().bounds().area();
    Ok((!(sliver && scrolls)).then(|| Spot::At(part.center())))
}

fn is_under_keyboard(found: &Found) -> bool {
    let keyboard = found.screen.keyboard();
    let bounds = found.node().bounds();
    let overlap = keyboard.zip(bounds).is_some_and(|(keys, bounds)| !keys.intersect(bounds).is_empty());
    overlap
        && found.screen.windows()[found.node().window()].kind
            != trailblaze_model::screen::WindowKind::Keyboard
}

/// The nearest thing around an element that scrolls, with the part of it that is free.
fn scroller(node: NodeRef<'_>) -> Option<Bounds> {
    let mut here = node.parent();
    while let Some(parent) = here {
        if parent.has(Flag::Scrollable)
            && let Reach::At(view) = reach(parent)
        {
            return Some(view);
        }
        here = parent.parent();
    }
    None
}

type Line = ((i32, i32), (i32, i32));

/// The way of a finger that brings an element nearer to where it can be touched.
fn swipe_towards(node: NodeRef<'_>) -> Option<Line> {
    let (view, bounds) = (scroller(node)?, node.bounds()?);
    let ((x, y), (cx, cy)) = (bounds.center(), view.center());
    let off = |from: i32, to: i32, low: i32, high: i32| from < low || to > high;
    let vertical = off(bounds.top, bounds.bottom, view.top, view.bottom);
    let horizontal = off(bounds.left, bounds.right, view.left, view.right);
    // A finger that stays away from the edges starts no gesture of the system.
    let (high, wide) = (view.height() * 3 / 10, view.width() * 3 / 10);
    if vertical || !horizontal {
        let finger = if y > cy { Direction::Up } else { Direction::Down };
        let step = if finger == Direction::Up { -high } else { high };
        return Some(((cx, cy - step), (cx, cy + step)));
    }
    let step = if x > cx { -wide } else { wide };
    Some(((cx - step, cy), (cx + step, cy)))
}

fn out_of_reach(selector: &dyn Means, found: &Found, state: Reach, point: Option<Point>) -> Failure {
    let fail = |message: String| Failure::new(FailureKind::NotFound, message);
    match state {
        Reach::Covered(by) if by == "the keyboard" => {
            fail(format!("the element with {selector} is covered by the keyboard, which could not be hidden"))
        }
        Reach::Covered(by) => fail(format!("the element with {selector} is covered by {by}"))
            .hint("bring what lies above it out of the way before it is touched"),
        Reach::OffScreen | Reach::Nowhere => {
            let message = "lies outside of the screen and could not be scrolled into view";
            fail(format!("the element with {selector} {message}"))
        }
        Reach::At(_) => {
            let by = point
                .and_then(|point| point_in(found.node().bounds()?, Some(point)).ok())
                .and_then(|at| reach::covered_at(found.node(), at));
            match by {
                Some(by) => fail(format!("that point of the element with {selector} is covered by {by}")),
                None => fail(format!(
                    "that point of the element with {selector} lies outside of what can be seen"
                )),
            }
        }
    }
}
