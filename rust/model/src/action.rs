//! What can reach a device: one closed list, which is also how gestures stand in the event stream.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing a device is told to do. Coordinates are screen pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Action {
    Tap {
        x: i32,
        y: i32,
    },
    DoubleTap {
        x: i32,
        y: i32,
    },
    LongPress {
        x: i32,
        y: i32,
        duration_ms: u64,
    },
    Swipe {
        x1: i32,
        y1: i32,
        x2: i32,
        y2: i32,
        duration_ms: u64,
    },
    /// Like a swipe, but the thing under the finger is carried along.
    Drag {
        x1: i32,
        y1: i32,
        x2: i32,
        y2: i32,
        duration_ms: u64,
    },
    /// Two fingers around a point, or around the centre of the screen; above 1 they move apart.
    Pinch {
        scale: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<(i32, i32)>,
    },
    /// Any number of fingers, each on its own way.
    Fingers {
        fingers: Vec<Finger>,
    },
    /// Asks a node to do what a click on it does. Nodes are named by their place in the last captured screen.
    Click {
        node: u32,
    },
    /// Asks a node to do what a long press on it does.
    LongClick {
        node: u32,
    },
    /// Asks a node to be scrolled to where it can be seen.
    ShowOnScreen {
        node: u32,
    },
    /// Replaces the text of a field.
    SetText {
        node: u32,
        text: String,
    },
    /// Types into the focused field as a keyboard does: the text in one piece.
    InputText {
        text: String,
    },
    /// Types into the focused field key by key.
    TypeKeys {
        text: String,
    },
    /// Deletes from the end of the focused field.
    EraseText {
        count: u32,
    },
    Key {
        name: Key,
    },
    Back,
    Home,
    HideKeyboard,
    LaunchApp {
        app_id: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        arguments: BTreeMap<String, Value>,
    },
    StopApp {
        app_id: String,
    },
    ClearAppData {
        app_id: String,
    },
    OpenLink {
        link: String,
    },
    SetClipboard {
        text: String,
    },
    /// Pastes the clipboard into the focused field.
    PasteClipboard,
    GrantPermission {
        app_id: String,
        permission: String,
    },
    RevokePermission {
        app_id: String,
        permission: String,
    },
    /// Airplane mode is the opposite of connected.
    SetConnected {
        connected: bool,
    },
    SetOrientation {
        orientation: Orientation,
    },
    /// Degrees, north and east counted upwards.
    SetLocation {
        latitude: f64,
        longitude: f64,
    },
    Shell {
        command: String,
    },
}

/// The way of one finger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finger {
    /// Where it goes down, where it passes, and where it goes up.
    pub points: Vec<(i32, i32)>,
    /// When it goes down, after the first one.
    #[serde(default)]
    pub start_ms: u64,
    pub duration_ms: u64,
}

/// How a device is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Orientation {
    Portrait,
    LandscapeLeft,
    UpsideDown,
    LandscapeRight,
}

impl Orientation {
    pub const ALL: &[Self] = &[Self::Portrait, Self::LandscapeLeft, Self::UpsideDown, Self::LandscapeRight];

    /// The name in trail files and Maestro flows.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Portrait => "PORTRAIT",
            Self::LandscapeLeft => "LANDSCAPE_LEFT",
            Self::UpsideDown => "UPSIDE_DOWN",
            Self::LandscapeRight => "LANDSCAPE_RIGHT",
        }
    }

    /// Case and underscores do not count.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |text: &str| text.trim().replace('_', "").to_ascii_uppercase();
        Self::ALL.iter().copied().find(|orientation| plain(orientation.key()) == plain(text))
    }

    /// From portrait, as the platform counts them: 0 to 3.
    pub const fn quarter_turns(self) -> u8 {
        match self {
            Self::Portrait => 0,
            Self::LandscapeLeft => 1,
            Self::UpsideDown => 2,
            Self::LandscapeRight => 3,
        }
    }
}

/// Keys that a device has, with the names used in trail files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Key {
    Enter,
    Backspace,
    Tab,
    Escape,
    Power,
    Lock,
    VolumeUp,
    VolumeDown,
    DpadUp,
    DpadDown,
    DpadLeft,
    DpadRight,
    DpadCenter,
    MediaPlayPause,
    MediaStop,
    MediaNext,
    MediaPrevious,
    MediaRewind,
    MediaFastForward,
    NavigationUp,
    NavigationDown,
    ButtonA,
    ButtonB,
    Menu,
    TvInput,
    TvInputHdmi1,
    TvInputHdmi2,
    TvInputHdmi3,
}

/// What an action gave back, for those that answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The output of a shell command; empty otherwise.
    pub text: String,
}

impl Action {
    /// Replaces texts that people wrote, wherever they stand.
    pub fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        match self {
            Self::InputText { text }
            | Self::SetText { text, .. }
            | Self::TypeKeys { text }
            | Self::SetClipboard { text } => map_text(text, replace),
            Self::OpenLink { link } => map_text(link, replace),
            Self::Shell { command } => map_text(command, replace),
            Self::LaunchApp { app_id, arguments } => {
                map_text(app_id, replace);
                arguments.values_mut().for_each(|value| map_value(value, replace));
            }
            Self::StopApp { app_id } | Self::ClearAppData { app_id } => map_text(app_id, replace),
            Self::GrantPermission { app_id, permission } | Self::RevokePermission { app_id, permission } => {
                map_text(app_id, replace);
                map_text(permission, replace);
            }
            Self::Tap { .. }
            | Self::DoubleTap { .. }
            | Self::LongPress { .. }
            | Self::Swipe { .. }
            | Self::Drag { .. }
            | Self::Pinch { .. }
            | Self::Fingers { .. }
            | Self::Click { .. }
            | Self::LongClick { .. }
            | Self::ShowOnScreen { .. }
            | Self::EraseText { .. }
            | Self::Key { .. }
            | Self::Back
            | Self::Home
            | Self::HideKeyboard
            | Self::PasteClipboard
            | Self::SetConnected { .. }
            | Self::SetOrientation { .. }
            | Self::SetLocation { .. } => {}
        }
    }
}

fn map_text(text: &mut String, replace: &dyn Fn(&str) -> Option<String>) {
    if let Some(new) = replace(text) {
        *text = new;
    }
}

/// Replaces texts wherever they stand, in names of fields as well.
pub fn map_args(args: &mut Map<String, Value>, replace: &dyn Fn(&str) -> Option<String>) {
    args.values_mut().for_each(|value| map_value(value, replace));
    if args.keys().any(|key| replace(key).is_some()) {
        let renamed = std::mem::take(args).into_iter();
        *args = renamed.map(|(key, value)| (replace(&key).unwrap_or(key), value)).collect();
    }
}

/// Replaces texts wherever they stand in a value.
pub fn map_value(value: &mut Value, replace: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => map_text(text, replace),
        Value::Array(items) => items.iter_mut().for_each(|item| map_value(item, replace)),
        Value::Object(map) => map_args(map, replace),
        // A secret of digits becomes a number when an argument asks for one.
        Value::Number(number) => {
            if let Some(new) = replace(&number.to_string()) {
                *value = Value::String(new);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}
