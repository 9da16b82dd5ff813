//! Scrolling until an element can be seen.

use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::Direction;
use trailblaze_model::selector::Selector;

use super::{Commands, Found, SwipePath, seconds};
use crate::matching;

/// How long each look waits for the element to come up.
const LOOK_MS: u64 = 500;
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
        let mut tries = 0;
        loop {
            let found = self.look_for(&scroll.element, LOOK_MS)?;
            if let Some(found) = &found {
                let shown =
                    found.node().bounds().map_or(0.0, |b| matching::visible_share(b, found.screen.bounds()));
                let centring = scroll.centre && shown > 0.1 && tries < CENTRE_TRIES;
                let done =
                    if centring { has_passed_middle(found, scroll.direction) } else { shown >= scroll.share };
                if done {
                    return Ok(found.clone());
                }
                tries += u32::from(centring);
            }
            if self.session.now_ms() >= until {
                return Err(match found {
                    None => self.not_found(&scroll.element, scroll.timeout_ms)?,
                    Some(_) => {
                        let waited = seconds(scroll.timeout_ms);
                        let message =
                            format!("not enough of {} could be scrolled to within {waited}", scroll.element);
                        Failure::new(FailureKind::NotFound, message)
                    }
                });
            }
            self.swipe(path, scroll.duration_ms)?;
        }
    }
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
