//! Where the finger goes.

use trailblaze_model::maestro::{Direction, Point};

/// A way over the screen, in percent of it or in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwipePath {
    from: Point,
    to: Point,
}

impl SwipePath {
    pub fn between(from: Point, to: Point) -> Self {
        Self { from, to }
    }

    /// The way of the finger for the tool `swipe`.
    pub fn over_screen(finger: Direction) -> Self {
        match finger {
            Direction::Up => Self::percent((50, 50), (50, 10)),
            Direction::Down => Self::percent((50, 50), (50, 90)),
            Direction::Left => Self::percent((90, 50), (10, 50)),
            Direction::Right => Self::percent((10, 50), (90, 50)),
        }
    }

    /// The way of the finger for Maestro's `swipe`, which starts higher when it goes down.
    pub fn maestro(finger: Direction) -> Self {
        match finger {
            Direction::Down => Self::percent((50, 20), (50, 90)),
            other => Self::over_screen(other),
        }
    }

    /// From the middle of the screen, for scrolling.
    pub fn from_centre(finger: Direction) -> Self {
        Self::from_height(50, finger)
    }

    /// From the middle line of the screen, at a share of its height, to the edge.
    pub fn from_height(percent: i32, finger: Direction) -> Self {
        let to = match finger {
            Direction::Up => (50, 10),
            Direction::Down => (50, 90),
            Direction::Left => (10, percent),
            Direction::Right => (90, percent),
        };
        Self::percent((50, percent), to)
    }

    /// From a point, such as the middle of an element, towards the edge of a screen of this size.
    pub fn from_point((x, y): (i32, i32), finger: Direction, size: (i32, i32)) -> Self {
        let to = match finger {
            Direction::Up => (x, share(size.1, 10)),
            Direction::Down => (x, share(size.1, 90)),
            Direction::Left => (share(size.0, 10), y),
            Direction::Right => (share(size.0, 90), y),
        };
        Self { from: Point::Pixels(x, y), to: Point::Pixels(to.0, to.1) }
    }

    fn percent(from: (i32, i32), to: (i32, i32)) -> Self {
        Self { from: Point::Percent(from.0, from.1), to: Point::Percent(to.0, to.1) }
    }

    pub(super) fn points(self, (width, height): (i32, i32)) -> ((i32, i32), (i32, i32)) {
        let pixels = |point: Point| match point {
            Point::Pixels(x, y) => (x, y),
            Point::Percent(x, y) => (share(width, x), share(height, y)),
        };
        (pixels(self.from), pixels(self.to))
    }
}

fn share(size: i32, percent: i32) -> i32 {
    (i64::from(size) * i64::from(percent) / 100) as i32
}
