//! What the library asks of a phone: the methods of the Java `Bridge`, in Rust's own types.
//!
//! Behind it is Java over JNI; tests put a phone of paper there.

use std::sync::Arc;
use std::time::Duration;

use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

/// Who sees the screen and touches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Source {
    /// The accessibility service in the test APK.
    Service = 0,
    /// What the platform gives to instrumentation tests.
    UiAutomation = 1,
}

/// What `UiAutomation` calls `ROTATION_UNFREEZE`.
pub const TURNS_BY_ITSELF: i32 = -2;

/// The display as it is held now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    pub width: i32,
    pub height: i32,
    /// Quarter turns, 0 to 3.
    pub rotation: i32,
    pub density: i32,
}

/// An accessibility event, by its numbers in the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UiEvent {
    /// Milliseconds since the phone was started.
    pub uptime_ms: u64,
    pub kind: i32,
    pub changes: i32,
}

/// A toast or a notification that came up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Milliseconds since the phone was started.
    pub uptime_ms: u64,
    pub app_id: String,
    pub class: String,
    pub text: String,
}

/// One step of an injected touch: all fingers that are down.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// After the first one.
    pub at_ms: u64,
    /// As `MotionEvent` has it, with the index of the finger.
    pub action: i32,
    /// The number of each finger and where it is.
    pub pointers: Vec<(i32, f32, f32)>,
}

/// The way of one finger that the service dispatches.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    pub points: Vec<(f32, f32)>,
    pub start_ms: u64,
    pub duration_ms: u64,
}

/// One thing that puts something back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// So many quarter turns, or [`TURNS_BY_ITSELF`].
    Rotation(i32),
    /// A provider of locations that was put in the place of a real one.
    Provider(String),
    /// A command.
    Shell(String),
}

/// A value that is handed to an app when it is started.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    pub key: String,
    /// `s`, `b`, `i`, `l` or `d`
    pub kind: &'static str,
    pub value: String,
}

/// A phone. `false` means that the platform did not take it.
pub trait Platform: Send + Sync {
    /// All windows; none when there is nothing that may be seen.
    fn capture(&self, source: Source) -> Result<Option<Screen>, Failure>;
    /// A PNG; none when the platform gives none.
    fn screenshot(&self, source: Source) -> Result<Option<Vec<u8>>, Failure>;
    /// What happened since the last call.
    fn take_events(&self) -> Result<Vec<UiEvent>, Failure>;
    /// What came up since the last call.
    fn take_notices(&self) -> Result<Vec<Notice>, Failure> {
        Ok(Vec::new())
    }
    fn uptime_ms(&self) -> Result<u64, Failure>;
    fn display(&self) -> Result<Display, Failure>;

    /// Asks a node of the last capture for an action.
    fn perform(&self, node: u32, action: i32, text: Option<&str>) -> Result<bool, Failure>;
    fn inject(&self, motions: &[Motion]) -> Result<bool, Failure>;
    fn dispatch(&self, strokes: &[Stroke]) -> Result<bool, Failure>;
    fn key(&self, code: i32) -> Result<bool, Failure>;
    fn keys(&self, text: &str) -> Result<bool, Failure>;
    fn commit(&self, text: &str) -> Result<bool, Failure>;
    fn global(&self, source: Source, action: i32) -> Result<bool, Failure>;
    fn set_clipboard(&self, text: &str) -> Result<(), Failure>;
    /// Holds the phone by so many quarter turns, or lets it turn by itself again: [`TURNS_BY_ITSELF`].
    fn set_rotation(&self, quarter_turns: i32) -> Result<bool, Failure>;
    /// Puts a provider of locations in the place of a real one.
    fn add_test_provider(&self, name: &str) -> Result<(), Failure>;
    fn set_test_location(&self, provider: &str, latitude: f64, longitude: f64) -> Result<(), Failure>;
    fn remove_test_provider(&self, name: &str) -> Result<(), Failure>;
    fn shell(&self, command: &str) -> Result<String, Failure>;
    /// One web request, see [`crate::web`].
    fn fetch(&self, request: &[u8]) -> Result<Vec<u8>, Failure>;
    fn launch(&self, app_id: &str, extras: &[Extra]) -> Result<bool, Failure>;
    fn open(&self, link: &str) -> Result<bool, Failure>;
    fn installed(&self) -> Result<Vec<String>, Failure>;

    fn is_service_connected(&self) -> Result<bool, Failure>;
    fn service_component(&self) -> Result<String, Failure>;

    fn status(&self, code: i32, values: &[(&str, String)]) -> Result<(), Failure>;
    fn finish(&self, code: i32, values: &[(&str, String)]) -> Result<(), Failure>;
    /// The names in a folder of the APK's assets.
    fn assets(&self, folder: &str) -> Result<Vec<String>, Failure>;
    fn asset(&self, path: &str) -> Result<Vec<u8>, Failure>;
    /// Where reports go.
    fn files_dir(&self) -> Result<String, Failure>;
    fn describe_device(&self) -> Result<Vec<(String, String)>, Failure>;
    fn log(&self, priority: i32, tag: &str, message: &str);

    /// What is to be undone should nobody be there any more who could: a phone whose laptop is gone does it. It takes the
    /// place of what was said before.
    fn undo_when_alone(&self, _undo: &[Undo]) -> Result<(), Failure> {
        Ok(())
    }

    /// How long whatever is asked from now on may take; none has no such limit. A phone is asked at once.
    fn set_time_left(&self, _left: Option<Duration>) {}

    /// Whether the phone is there at all: one on a cable may be gone for good.
    fn is_reached(&self) -> bool {
        true
    }

    /// A class of the APK that is a tool.
    fn class_code(&self, class: &str) -> Result<Arc<dyn ClassCode>, Failure> {
        Err(Failure::new(FailureKind::NotSupported, format!("there is no class {class} here")))
    }
}

/// A tool that is a class; texts are JSON.
pub trait ClassCode: Send + Sync {
    /// The phone that has it, by its name in the run; none when there is only one.
    fn phone(&self) -> Option<&str> {
        None
    }

    fn describe(&self) -> Result<String, Failure>;

    /// `commands` is the number under which the class may call back.
    fn execute(&self, arguments: &str, commands: u64) -> Result<String, Failure>;
}
