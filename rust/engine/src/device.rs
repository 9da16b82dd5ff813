//! The device that commands run on: screens in, gestures out.

use std::sync::Arc;

use trailblaze_model::action::{Action, Answer};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::Failure;
use trailblaze_model::screen::Screen;

/// What is known of a device before the first capture.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInfo {
    pub id: String,
    /// For `sim` and `recorded`: the driver they stand in for.
    pub driver: Driver,
    pub width: i32,
    pub height: i32,
    pub classifiers: Classifiers,
}

/// How a screen is seen and touched. Failures have the kinds `Device` (the driver is in trouble),
/// `App` (the app under test threw or hung), `NotFound` (nothing is focused, no such app) or
/// `NotSupported` (this device cannot do it).
pub trait Device: Send + Sync {
    fn info(&self) -> &DeviceInfo;

    /// The screen as it is now.
    fn capture(&self) -> Result<Arc<Screen>, Failure>;

    /// Performs one action and returns when the device took it; does not wait for the screen to settle.
    fn act(&self, action: &Action) -> Result<Answer, Failure>;

    /// When the screen last changed, in milliseconds on the run's clock.
    fn last_change_ms(&self) -> Result<u64, Failure>;

    /// The screen as a PNG.
    fn screenshot(&self) -> Result<Vec<u8>, Failure>;

    /// The app in front, if it is known.
    fn foreground_app(&self) -> Result<Option<String>, Failure>;

    /// The ids of the installed apps.
    fn installed_apps(&self) -> Result<Vec<String>, Failure>;

    /// How long whatever is asked from now on may take: what is left of the tool call that it is asked for. None
    /// outside of one.
    fn set_time_left(&self, _left_ms: Option<u64>) {}

    /// Lines that the app wrote since the last call.
    fn take_logs(&self) -> Vec<LogLine> {
        Vec::new()
    }
}

/// One line of an app's console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub level: trailblaze_model::event::LogLevel,
    pub message: String,
}
