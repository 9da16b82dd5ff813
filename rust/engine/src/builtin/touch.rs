//! Tapping, pressing, swiping and dragging.

use schemars::JsonSchema;
use serde::Deserialize;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::maestro::{Point, ScrollUntilVisible};
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::selector::Selector;

use super::{BuiltIn, built_in, not_for_llm};
use crate::commands::{FIND_MS, SwipePath, Touch};
use crate::dispatch::{Context, Output};
use crate::maestro;
use crate::registry::Tool;

pub(super) fn add(tools: &mut Vec<Tool>) {
    tools.extend([
        built_in::<Tap>(),
        built_in::<TapOnPoint>(),
        built_in::<TapOnElementWithText>(),
        built_in::<TapOnElementWithAccessibilityText>(),
        built_in::<LongPressOnElementWithText>(),
        built_in::<LongPressElementWithAccessibilityText>(),
        built_in::<Swipe>(),
        built_in::<SwipeWithRelativeCoordinates>(),
        built_in::<DragByPoints>(),
        built_in::<Scroll>(),
        built_in::<ScrollUntilTextIsVisible>(),
        built_in::<Pinch>(),
    ]);
}

/// A direction, up and down as on the screen.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Direction {
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

/// `index: 0` is what most callers write without meaning a position.
pub(super) fn index(index: i64) -> Option<i64> {
    (index != 0).then_some(index)
}

/// Tap an element by its text, id or position among several, or tap a point of the screen.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tap {
    /// The whole text of the element, or a regular expression for it
    text: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
    /// Which one of several, from the top, beginning with 0
    index: Option<i64>,
    /// Pixels from the left
    x: Option<i32>,
    /// Pixels from the top
    y: Option<i32>,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
    /// An element of the last snapshot
    #[serde(rename = "ref")]
    reference: Option<String>,
}

impl BuiltIn for Tap {
    const NAME: &'static str = "tap";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let touch = Touch::long(self.long_press);
        if self.reference.is_some() {
            return Err(no_refs());
        }
        match (self.x, self.y, self.text.is_some() || self.id.is_some()) {
            (Some(x), Some(y), false) => commands.touch_point((x, y), touch)?,
            (None, None, true) => {
                let selector = primitive_selector(self.text.as_deref(), self.id.as_deref(), self.index);
                commands.touch(&selector, touch, FIND_MS)?;
            }
            _ => {
                let failure = Failure::new(
                    FailureKind::MissingRequiredArgs,
                    "'tap' needs 'text' or 'id', or 'x' and 'y'",
                );
                return Err(failure);
            }
        }
        Ok(Output::default())
    }
}

pub(super) fn no_refs() -> Failure {
    Failure::new(
        FailureKind::NotSupported,
        "'ref' needs snapshots of the screen, which this version does not have yet",
    )
    .hint("use 'text' or 'id'")
}

pub(super) fn primitive_selector(text: Option<&str>, id: Option<&str>, index: Option<i64>) -> Selector {
    let pattern = |text: &str| Pattern::new(text, Dialect::Maestro);
    Selector { text: text.map(pattern), id: id.map(pattern), index, ..Selector::default() }
}

/// Tap a point of the screen.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TapOnPoint {
    /// Pixels from the left
    x: i32,
    /// Pixels from the top
    y: i32,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
}

impl BuiltIn for TapOnPoint {
    const NAME: &'static str = "tapOnPoint";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().touch_point((self.x, self.y), Touch::long(self.long_press))?;
        Ok(Output::default())
    }
}

/// What narrows an element down besides its text.
macro_rules! text_tool {
    ($(#[$doc:meta])* $struct:ident, $name:literal, $field:ident, $make:expr, $touch:expr) => {
        $(#[$doc])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        struct $struct {
            /// What the element says
            $field: String,
            /// The resource id of the element, whole or its last part, or a regular expression for it
            id: Option<String>,
            /// Which one of several, from the top, beginning with 0
            #[serde(default)]
            index: i64,
            /// Whether the element must be enabled
            enabled: Option<bool>,
            /// Whether the element must be selected
            selected: Option<bool>,
        }

        impl BuiltIn for $struct {
            const NAME: &'static str = $name;

            fn flags() -> ToolFlags {
                not_for_llm()
            }

            fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
                let make: fn(&str) -> Selector = $make;
                let selector = Selector {
                    id: self.id.as_deref().map(|id| Pattern::new(id, Dialect::Maestro)),
                    index: index(self.index),
                    enabled: self.enabled,
                    selected: self.selected,
                    ..make(&self.$field)
                };
                context.commands().touch(&selector, $touch, FIND_MS)?;
                Ok(Output::default())
            }
        }
    };
}

text_tool!(
    /// Tap the element that contains a text, hint or content description.
    TapOnElementWithText, "tapOnElementWithText", text, Selector::containing, Touch::Tap
);
text_tool!(
    /// Press the element long that contains a text, hint or content description.
    LongPressOnElementWithText, "longPressOnElementWithText", text, Selector::containing, Touch::LONG_PRESS
);
text_tool!(
    /// Tap the element whose content description contains a text.
    TapOnElementWithAccessibilityText, "tapOnElementWithAccessibilityText", accessibility_text, describing, Touch::Tap
);
text_tool!(
    /// Press the element long whose content description contains a text.
    LongPressElementWithAccessibilityText, "longPressElementWithAccessibilityText", accessibility_text, describing,
    Touch::LONG_PRESS
);

fn describing(text: &str) -> Selector {
    Selector { description: Some(Pattern::containing(text)), ..Selector::default() }
}

/// Swipe over the screen, or over an element.
#[derive(Deserialize, JsonSchema)]
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
                let info = context.session.device().info();
                let found = commands.find(&Selector::containing(text), FIND_MS)?;
                SwipePath::from_element(found.bounds(), finger, (info.width, info.height))
            }
        };
        commands.swipe(path, self.duration_ms)?;
        Ok(Output::default())
    }
}

/// Swipe between two points, given in percent of the screen or of an element.
#[derive(Deserialize, JsonSchema)]
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
                let (x1, y1) = crate::commands::point_in(bounds, Some(from))?;
                let (x2, y2) = crate::commands::point_in(bounds, Some(to))?;
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
#[derive(Deserialize, JsonSchema)]
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
        context.commands().drag(from, to, self.duration_ms)?;
        Ok(Output::default())
    }
}

/// Show more content in a direction.
#[derive(Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum StartPosition {
    #[default]
    Center,
    Top,
    Bottom,
}

/// Scroll until an element is visible, found by a part of its text, by a regular expression or by its id.
#[derive(Deserialize, JsonSchema)]
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

impl BuiltIn for ScrollUntilTextIsVisible {
    const NAME: &'static str = "scrollUntilTextIsVisible";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        if self.text.is_empty() && self.text_regex.is_none() && self.id.is_none() {
            let message = "'scrollUntilTextIsVisible' needs 'text', 'textRegex' or 'id'";
            return Err(Failure::new(FailureKind::MissingRequiredArgs, message));
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
        let scroll = ScrollUntilVisible {
            element,
            direction: self.direction.into(),
            timeout_ms: 20_000,
            speed: 60,
            visibility_percentage: self.visibility_percentage.min(100),
            center_element: self.center_element,
        };
        let start = match self.scroll_start_position {
            StartPosition::Center => 50,
            StartPosition::Top => 20,
            StartPosition::Bottom => 80,
        };
        maestro::scroll_until_visible(&context.commands(), &scroll, start)?;
        Ok(Output::default())
    }
}

/// Pinch with two fingers around the middle of the screen.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Pinch {
    /// Above 1 the fingers move apart, below 1 together
    #[schemars(range(min = 0.01, max = 100))]
    scale: f64,
}

impl BuiltIn for Pinch {
    const NAME: &'static str = "pinch";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().pinch(self.scale)?;
        Ok(Output::default())
    }
}
