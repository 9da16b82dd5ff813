//! What can reach a device: one closed list, which is also how gestures stand in the event stream.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One thing a device is told to do. Coordinates are screen pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Action {
    Tap { x: i32, y: i32 },
    DoubleTap { x: i32, y: i32 },
    LongPress { x: i32, y: i32, duration_ms: u64 },
    Swipe { x1: i32, y1: i32, x2: i32, y2: i32, duration_ms: u64 },
    /// Like a swipe, but the thing under the finger is carried along.
    Drag { x1: i32, y1: i32, x2: i32, y2: i32, duration_ms: u64 },
    /// Two fingers around the centre of the screen; above 1 they move apart.
    Pinch { scale: f64 },
    /// Types into the focused field.
    InputText { text: String },
    /// Deletes from the end of the focused field.
    EraseText { count: u32 },
    Key { name: Key },
    Back,
    Home,
    HideKeyboard,
    LaunchApp {
        app_id: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        arguments: BTreeMap<String, serde_json::Value>,
    },
    StopApp { app_id: String },
    ClearAppData { app_id: String },
    OpenLink { link: String },
    SetClipboard { text: String },
    /// Pastes the clipboard into the focused field.
    PasteClipboard,
    GrantPermission { app_id: String, permission: String },
    RevokePermission { app_id: String, permission: String },
    /// Airplane mode is the opposite of connected.
    SetConnected { connected: bool },
    Shell { command: String },
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
