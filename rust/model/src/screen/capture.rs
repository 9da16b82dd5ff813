//! A screen that was saved as JSON: the rich tree, the older tree beside it, and where it came from.
//!
//! Properties that have their default value are left out of the file. Unknown keys are ignored.

mod read;
mod write;

use std::fmt;

use super::Screen;

/// One `*.example.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    pub waypoint_id: Option<String>,
    pub captured_at: Option<String>,
    pub captured_from: Option<String>,
    pub screenshot_file: Option<String>,
    /// The rich tree, on which selectors run.
    pub screen: Option<Screen>,
    /// The older tree, for files that have only that.
    pub legacy: Option<Screen>,
    pub width: i32,
    pub height: i32,
}

impl Capture {
    /// Reads a file's text.
    pub fn read(text: &str) -> Result<Self, BadCapture> {
        read::read(text)
    }

    /// Prints a file's text; reading it gives this capture back.
    pub fn print(&self) -> String {
        write::print(self)
    }

    /// The rich tree, else the older one.
    pub fn best(&self) -> Option<&Screen> {
        self.screen.as_ref().or(self.legacy.as_ref())
    }
}

/// Why a text is no capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCapture {
    /// From 1; 0 when the problem has no place.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for BadCapture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadCapture {}
