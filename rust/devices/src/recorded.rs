//! A device that was watched, and the same world again without it.
//!
//! [`Watched`] stands in front of any device and notes what it showed and what reached it. [`RecordedDevice`]
//! answers from those notes, on a virtual clock, as long as it is asked the same things.

mod lines;
mod replay;
mod watch;

use std::sync::Arc;

use trailblaze_engine::device::{DeviceInfo, LogLine};
use trailblaze_model::action::Action;
use trailblaze_model::failure::Failure;
use trailblaze_model::screen::Screen;

pub use lines::BadWorld;
pub use replay::RecordedDevice;
pub use watch::Watched;

/// Everything that was seen of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    pub info: DeviceInfo,
    /// When it was first looked at, on the run's clock.
    pub start_ms: u64,
    pub installed: Vec<String>,
    /// Each different screen once.
    pub screens: Vec<Arc<Screen>>,
    pub notes: Vec<Note>,
}

/// One thing that was seen, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub t: u64,
    pub what: Seen,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A look at the screen, by its number.
    Screen(Result<usize, Failure>),
    /// When the screen had last changed.
    Changed(Result<u64, Failure>),
    /// The app in front.
    Front(Result<Option<String>, Failure>),
    /// The app wrote a line.
    Log(LogLine),
    /// Something reached the device, and what it answered.
    Acted { action: Action, answer: Result<String, Failure> },
}

impl World {
    /// Replaces texts wherever they stand: in what was typed and in what was shown.
    pub fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        for screen in &mut self.screens {
            if let Some(changed) = screen.map_texts(replace) {
                *screen = Arc::new(changed);
            }
        }
        let change = |text: &mut String| {
            if let Some(new) = replace(text) {
                *text = new;
            }
        };
        for note in &mut self.notes {
            match &mut note.what {
                Seen::Screen(Err(failure)) | Seen::Changed(Err(failure)) | Seen::Front(Err(failure)) => {
                    failure.map_texts(replace);
                }
                Seen::Log(line) => change(&mut line.message),
                Seen::Acted { action, answer } => {
                    action.map_texts(replace);
                    match answer {
                        Ok(text) => change(text),
                        Err(failure) => failure.map_texts(replace),
                    }
                }
                Seen::Screen(Ok(_)) | Seen::Changed(Ok(_)) | Seen::Front(Ok(_)) => {}
            }
        }
    }
}
