//! Scrolling until an element can be seen.

use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::Direction;
use trailblaze_model::screen::{Bounds, Flag, NodeRef, Screen};
use trailblaze_model::selector::Selector;

use super::{Commands, Found, SwipePath, seconds};
use crate::matching;
use crate::reach::view_of;

/// How long each look waits for the element to come up.
const LOOK_MS: u64 = 500;
/// So many swipes that move nothing are the end; the first may have come too early for more content.
const END_SWIPES: u32 = 2;
/// So often it is scrolled on to bring an element to the middle.
const CENTRE_TRIES: u32 = 5;

/// What to scroll to, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollTo {
    pub element: Selector,
    /// Where the content goes on.
    pub direction: Direction,
    pub timeout_ms: u64,
    /// Of one swipe.
    pub duration_ms: u64,
    /// How much of the element must be seen, from 0 to 1.
    pub share: f64,
    /// Bring it to the middle of the screen.
    pub centre: bool,
    /// The height at which the finger begins, in percent.
    pub start_percent: i32,
}

impl Commands<'_> {
    /// Scrolls until enough of an element is shown.
    pub fn scroll_to(&self, scroll: &ScrollTo) -> Result<Found, Failure> {
        let until = self.session.now_ms().saturating_add(scroll.timeout_ms);
        let path = SwipePath::from_height(scroll.start_percent, scroll.direction.opposite());
        let (mut tries, mut unmoved) = (0, 0);
        loop {
            let found = self.look_for(&scroll.element, LOOK_MS)?;
            let ended = unmoved >= END_SWIPES;
            if let Some(found) = &found {
                let shown =
                    found.node().bounds().map_or(0.0, |b| matching::visible_share(b, view_of(found.node())));
                let centring = scroll.centre && shown > 0.1 && tries < CENTRE_TRIES && !ended;
                let done =
                    if centring { has_passed_middle(found, scroll.direction) } else { shown >= scroll.share };
                if done {
                    return Ok(found.clone());
                }
                tries += u32::from(centring);
            }
            if ended || self.session.now_ms() >= until {
                let waited = seconds(scroll.timeout_ms);
                let limit = if ended {
                    "up to the end of what scrolls".to_owned()
                } else {
                    format!("within {waited}")
                };
                return Err(match found {
                    None => {
                        let failure = self.not_found(&scroll.element, 0)?;
                        Failure { message: format!("{} {limit}", failure.message), ..failure }
                    }
                    Some(_) => {
                        let message =
                            format!("not enough of {} could be scrolled to {limit}", scroll.element);
                        Failure::new(FailureKind::NotFound, message)
                    }
                });
            }
            let before = self.session.capture()?;
            self.swipe(path, scroll.duration_ms)?;
            let from = path.points(self.session.screen_size()).0;
            let moved = looks_scrolled(&before, self.session.capture()?.as_ref(), from);
            unmoved = if moved { 0 } else { unmoved + 1 };
        }
    }
}

/// Whether a swipe moved what it began on: what scrolls there, else the whole screen.
fn looks_scrolled(before: &Screen, after: &Screen, (x, y): (i32, i32)) -> bool {
    let scroller = |screen: &Screen| {
        let scrolls = |node: &NodeRef<'_>| {
            node.has(Flag::Scrollable) && node.bounds().is_some_and(|bounds| bounds.contains(x, y))
        };
        screen.nodes().rfind(scrolls).map(|node| (node.id().index(), node.end_index()))
    };
    let (Some((from, to)), Some((start, end))) = (scroller(before), scroller(after)) else {
        return !before.looks_like(after);
    };
    let part = |screen: &Screen, from: usize, to: usize| -> Vec<(Option<Bounds>, Option<String>)> {
        let nodes = screen.nodes().skip(from).take(to - from);
        nodes.map(|node| (node.bounds(), node.resolved_text().map(str::to_owned))).collect()
    };
    part(before, from, to) != part(after, start, end)
}

/// Whether the element came as far as the middle of the screen, give or take a fifth of it.
fn has_passed_middle(found: &Found, content: Direction) -> bool {
    let (x, y) = found.bounds().center();
    let (width, height) = (found.screen.width, found.screen.height);
    match content {
        Direction::Down => y < height / 2 + height / 5,
        Direction::Up => y > height / 2 - height / 5,
        Direction::Right => x < width / 2 + width / 5,
        Direction::Left => x > width / 2 - width / 5,
    }
}
