//! Inline Maestro commands: the values of the tool `maestro` as typed commands.
//!
//! They are read twice: when a document is checked, with their places, and when they run, with
//! variables filled in.

mod options;
mod read;
mod table;

pub use options::Problem;
pub use read::{check_commands, read_command, read_commands};
pub use table::{COMMANDS, KEYS_BY_NAME, later_reason};

use serde_json::Value;

use crate::action::{Key, Orientation};
use crate::selector::Selector;

/// One command with the options that all of them have.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its key in YAML.
    pub name: &'static str,
    pub label: Option<String>,
    /// A failure does not fail the step.
    pub optional: bool,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Tap(Tap),
    LongPress {
        target: Target,
    },
    AssertVisible(Selector),
    AssertNotVisible(Selector),
    ExtendedWaitUntil {
        condition: Condition,
        timeout_ms: u64,
    },
    WaitForAnimationToEnd {
        timeout_ms: u64,
    },
    Scroll,
    ScrollUntilVisible(ScrollUntilVisible),
    Swipe {
        swipe: Swipe,
        duration_ms: u64,
    },
    Back,
    HideKeyboard,
    PressKey(PressedKey),
    InputText(String),
    /// None = the whole field.
    EraseText {
        count: Option<u32>,
    },
    CopyTextFrom(Selector),
    PasteText,
    LaunchApp(LaunchApp),
    StopApp {
        app_id: Option<String>,
    },
    ClearState {
        app_id: Option<String>,
    },
    OpenLink {
        link: String,
    },
    SetOrientation(Orientation),
    SetLocation {
        latitude: f64,
        longitude: f64,
    },
}

/// What is touched: an element, a point of the screen, or a point inside an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub selector: Selector,
    pub point: Option<Point>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tap {
    pub target: Target,
    /// Two taps that count as one gesture.
    pub double: bool,
    pub repeat: u32,
    pub delay_ms: u64,
    /// Tap once more when nothing changed.
    pub retry_if_no_change: bool,
}

/// `"x%,y%"` or `"x,y"`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Percent(i32, i32),
    Pixels(i32, i32),
}

impl Point {
    pub fn parse(text: &str) -> Option<Self> {
        let (x, y) = text.split_once(',')?;
        let (x, y) = (x.trim(), y.trim());
        match (x.strip_suffix('%'), y.strip_suffix('%')) {
            (Some(x), Some(y)) => {
                let percent = |text: &str| text.trim().parse().ok().filter(|value| (0..=100).contains(value));
                Some(Self::Percent(percent(x)?, percent(y)?))
            }
            (None, None) => Some(Self::Pixels(x.parse().ok()?, y.parse().ok()?)),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Visible(Selector),
    NotVisible(Selector),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    pub const ALL: &[Self] = &[Self::Up, Self::Down, Self::Left, Self::Right];

    pub const fn key(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Down => "DOWN",
            Self::Left => "LEFT",
            Self::Right => "RIGHT",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|direction| direction.key().eq_ignore_ascii_case(text.trim()))
    }

    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScrollUntilVisible {
    pub element: Selector,
    /// Where the content goes on.
    pub direction: Direction,
    pub timeout_ms: u64,
    pub speed: u64,
    pub visibility_percentage: u32,
    pub center_element: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Swipe {
    /// The way of the finger.
    Direction(Direction),
    Points(Point, Point),
    /// From an element towards the edge of the screen.
    Element {
        from: Box<Target>,
        direction: Direction,
    },
}

/// Keys that are gestures of their own are told apart from those that go to the focused view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressedKey {
    Back,
    Home,
    Key(Key),
}

#[derive(Clone, Debug, PartialEq)]
pub struct LaunchApp {
    pub app_id: Option<String>,
    pub clear_state: bool,
    pub stop_app: bool,
    /// `allow`, `deny` or `unset` per permission.
    pub permissions: Vec<(String, String)>,
    pub arguments: serde_json::Map<String, Value>,
}
