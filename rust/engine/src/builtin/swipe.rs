//! Swiping, dragging, scrolling and pinching.

use serde::Deserialize;
use serde_json::{Map, Value};
use trailblaze_model::action::Finger;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::maestro::Point;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::screen::Bounds;
use trailblaze_model::selector::Selector;

use super::touch::{index, missing, primitive_selector};
use super::{BuiltIn, Entry, not_for_llm};
use crate::commands::{FIND_MS, ScrollTo, SwipePath, point_in};
use crate::dispatch::{Context, Output};
use crate::matching::Means;

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<Swipe>(),
    Entry::of::<SwipeWithRelativeCoordinates>(),
    Entry::of::<DragByPoints>(),
    Entry::of::<Scroll>(),
    Entry::of::<ScrollUntilTextIsVisible>(),
    Entry::of::<Pinch>(),
    Entry::of::<SwipeBetweenElements>(),
    Entry::of::<TouchWithFingers>(),
];

/// A direction, up and down as on the screen.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl From<Direction> for trailblaze_model::maestro::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Up => Self::Up,
            Direction::Down => Self::Down,
            Direction::Left => Self::Left,
            Direction::Right => Self::Right,
        }
    }
}

fn down() -> Direction {
    Direction::Down
}

/// Swipe over the screen, or over an element.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Swipe {
    /// The way of the finger
    #[serde(default = "down")]
    direction: Direction,
    /// Begin on the element that contains this text
    swipe_on_element_text: Option<String>,
    /// How long the finger takes
    #[serde(default = "swipe_ms")]
    duration_ms: u64,
}

fn swipe_ms() -> u64 {
    400
}

impl BuiltIn for Swipe {
    const NAME: &'static str = "swipe";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let finger = self.direction.into();
        let path = match &self.swipe_on_element_text {
            None => SwipePath::over_screen(finger),
            Some(text) => {
                let found = commands.find(&Selector::containing(text), FIND_MS)?;
                SwipePath::from_point(found.bounds().center(), finger, context.session.screen_size())
            }
        };
        commands.swipe(path, self.duration_ms)?;
        Ok(Output::default())
    }
}

/// Swipe between two points, given in percent of the screen or of an element.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct SwipeWithRelativeCoordinates {
    /// Where the finger begins: "50%,80%"
    start_relative: String,
    /// Where the finger ends: "50%,20%"
    end_relative: String,
    /// The percentages are of the element that contains this text
    swipe_on_element_text: Option<String>,
    /// How long the finger takes
    #[serde(default = "swipe_ms")]
    duration_ms: u64,
}

impl BuiltIn for SwipeWithRelativeCoordinates {
    const NAME: &'static str = "swipeWithRelativeCoordinates";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let (from, to) =
            (percent("startRelative", &self.start_relative)?, percent("endRelative", &self.end_relative)?);
        let (from, to) = match &self.swipe_on_element_text {
            None => (from, to),
            Some(text) => {
                let bounds = commands.find(&Selector::containing(text), FIND_MS)?.bounds();
                let (x1, y1) = point_in(bounds, Some(from))?;
                let (x2, y2) = point_in(bounds, Some(to))?;
                (Point::Pixels(x1, y1), Point::Pixels(x2, y2))
            }
        };
        commands.swipe(SwipePath::between(from, to), self.duration_ms)?;
        Ok(Output::default())
    }
}

fn percent(key: &str, text: &str) -> Result<Point, Failure> {
    match Point::parse(text) {
        Some(point @ Point::Percent(..)) => Ok(point),
        _ => {
            let message = format!("'{key}': '{text}' is no point like \"50%,20%\"");
            Err(Failure::new(FailureKind::InvalidArguments, message))
        }
    }
}

/// Drag slowly from one point of the screen to another.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct DragByPoints {
    /// Pixels from the left
    start_x: i32,
    /// Pixels from the top
    start_y: i32,
    /// Pixels from the left
    end_x: i32,
    /// Pixels from the top
    end_y: i32,
    /// How long the finger takes
    #[serde(default = "drag_ms")]
    duration_ms: u64,
}

fn drag_ms() -> u64 {
    1_000
}

impl BuiltIn for DragByPoints {
    const NAME: &'static str = "dragByPoints";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let (from, to) = ((self.start_x, self.start_y), (self.end_x, self.end_y));
        context.commands().check_on_screen(from)?;
        context.commands().check_on_screen(to)?;
        context.commands().drag(from, to, self.duration_ms)?;
        Ok(Output::default())
    }
}

/// Show more content in a direction.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Scroll {
    /// Where the content goes on
    #[serde(default = "down")]
    direction: Direction,
    /// How many times
    #[serde(default = "once")]
    amount: u32,
}

fn once() -> u32 {
    1
}

impl BuiltIn for Scroll {
    const NAME: &'static str = "scroll";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().scroll(self.direction.into(), self.amount)?;
        Ok(Output::default())
    }
}

/// Where on the screen scrolling begins.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum StartPosition {
    #[default]
    Center,
    Top,
    Bottom,
}

/// Scroll until an element is visible, found by a part of its text, by a regular expression or by its id.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ScrollUntilTextIsVisible {
    /// A part of the text of the element
    #[serde(default)]
    text: String,
    /// A regular expression for the whole text of the element
    text_regex: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
    /// Which one of several, from the top, beginning with 0
    #[serde(default)]
    index: i64,
    /// Where the content goes on
    #[serde(default = "down")]
    direction: Direction,
    /// How much of the element must be shown, in percent
    #[serde(default = "whole")]
    visibility_percentage: u32,
    /// Bring the element to the middle of the screen
    #[serde(default)]
    center_element: bool,
    /// Where on the screen scrolling begins
    #[serde(default)]
    scroll_start_position: StartPosition,
}

fn whole() -> u32 {
    100
}

const SCROLL_MS: u64 = 20_000;

impl BuiltIn for ScrollUntilTextIsVisible {
    const NAME: &'static str = "scrollUntilTextIsVisible";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        if self.text.is_empty() && self.text_regex.is_none() && self.id.is_none() {
            return Err(missing("'scrollUntilTextIsVisible' needs 'text', 'textRegex' or 'id'"));
        }
        let pattern = |text: &str| Pattern::new(text, Dialect::Maestro);
        let element = Selector {
            text: match &self.text_regex {
                Some(regex) => Some(pattern(regex)),
                None => (!self.text.is_empty()).then(|| Pattern::containing(&self.text)),
            },
            id: self.id.as_deref().map(pattern),
            index: index(self.index),
            ..Selector::default()
        };
        let scroll = ScrollTo {
            element,
            direction: self.direction.into(),
            timeout_ms: SCROLL_MS,
            duration_ms: swipe_ms(),
            share: f64::from(self.visibility_percentage.min(100)) / 100.0,
            centre: self.center_element,
            start_percent: match self.scroll_start_position {
                StartPosition::Center => 50,
                StartPosition::Top => 20,
                StartPosition::Bottom => 80,
            },
        };
        context.commands().scroll_to(&scroll)?;
        Ok(Output::default())
    }
}

/// Pinch with two fingers around the middle of an element, or of the screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Pinch {
    /// Above 1 the fingers move apart, below 1 together
    #[cfg_attr(test, schemars(range(min = 0.01, max = 100)))]
    scale: f64,
    /// The whole text of the element, or a regular expression for it
    text: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
}

impl BuiltIn for Pinch {
    const NAME: &'static str = "pinch";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let at = match self.text.is_some() || self.id.is_some() {
            false => None,
            true => {
                let element = primitive_selector(self.text.as_deref(), self.id.as_deref(), None);
                Some(commands.find_reachable(&element, FIND_MS)?)
            }
        };
        commands.pinch(self.scale, at)?;
        Ok(Output::default())
    }
}

/// Swipe or drag from one element to another.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct SwipeBetweenElements {
    /// Where the finger begins: a selector
    from: Option<Map<String, Value>>,
    /// Where the finger begins: the element that contains this text
    from_text: Option<String>,
    /// Where the finger ends: a selector
    to: Option<Map<String, Value>>,
    /// Where the finger ends: the element that contains this text
    to_text: Option<String>,
    /// Carry the element along
    #[serde(default)]
    drag: bool,
    /// How long the finger takes; 400 for a swipe, 1000 for a drag
    duration_ms: Option<u64>,
}

impl BuiltIn for SwipeBetweenElements {
    const NAME: &'static str = "swipeBetweenElements";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let from = end("from", self.from, self.from_text)?;
        let to = end("to", self.to, self.to_text)?;
        let from = commands.find_reachable(from.as_ref(), FIND_MS)?;
        let to = commands.find_reachable(to.as_ref(), FIND_MS)?;
        if self.drag {
            commands.drag(from, to, self.duration_ms.unwrap_or(drag_ms()))?;
        } else {
            let path = SwipePath::between(Point::Pixels(from.0, from.1), Point::Pixels(to.0, to.1));
            commands.swipe(path, self.duration_ms.unwrap_or(swipe_ms()))?;
        }
        Ok(Output::message(format!("from {},{} to {},{}", from.0, from.1, to.0, to.1)))
    }
}

/// The element at one end.
fn end(
    key: &str,
    selector: Option<Map<String, Value>>,
    text: Option<String>,
) -> Result<Box<dyn Means>, Failure> {
    match (selector, text) {
        (Some(selector), None) => Ok(Box::new(super::selector::read(selector)?)),
        (None, Some(text)) => Ok(Box::new(Selector::containing(&text))),
        _ => Err(missing(&format!("'swipeBetweenElements' needs either '{key}' or '{key}Text'"))),
    }
}

/// Touch with any number of fingers at once, each on its own way.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TouchWithFingers {
    /// The fingers
    #[cfg_attr(test, schemars(length(min = 1, max = 10)))]
    fingers: Vec<OneFinger>,
}

/// The way of one finger.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OneFinger {
    /// Where it goes down, passes and goes up: "540,1200" or "50%,20%"
    #[cfg_attr(test, schemars(length(min = 1)))]
    points: Vec<String>,
    /// When it goes down, after the first one
    #[serde(default)]
    start_ms: u64,
    /// How long it stays down
    #[serde(default = "swipe_ms")]
    duration_ms: u64,
}

impl BuiltIn for TouchWithFingers {
    const NAME: &'static str = "touchWithFingers";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let (width, height) = context.session.screen_size();
        let on_screen = |text: &String| match Point::parse(text) {
            Some(Point::Pixels(x, y)) => Ok((x, y)),
            Some(percent) => point_in(Bounds::new(0, 0, width - 1, height - 1), Some(percent)),
            None => {
                let message = format!("'{text}' is no point like \"540,1200\" or \"50%,20%\"");
                Err(Failure::new(FailureKind::InvalidArguments, message))
            }
        };
        let finger = |finger: OneFinger| {
            let points = finger.points.iter().map(on_screen).collect::<Result<Vec<_>, _>>()?;
            Ok(Finger { points, start_ms: finger.start_ms, duration_ms: finger.duration_ms })
        };
        let fingers = self.fingers.into_iter().map(finger).collect::<Result<Vec<_>, Failure>>()?;
        context.commands().fingers(fingers)?;
        Ok(Output::default())
    }
}
