//! What the program exits with. The numbers are a contract.

use std::process::ExitCode;

/// Why the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// All trails passed, or there was nothing wrong
    Passed = 0,
    /// A trail failed
    TrailFailed = 1,
    /// The command line makes no sense
    Usage = 2,
    /// A document or the configuration is bad: all that `check` can see
    BadDocument = 3,
    /// The device or its driver is in trouble
    Device = 4,
    /// A toolset server could not be started, reached or kept
    Toolset = 5,
    /// A bug in Trailblaze
    Bug = 70,
    /// The run was interrupted
    Interrupted = 130,
}

impl Exit {
    pub const ALL: &[Self] = &[
        Self::Passed,
        Self::TrailFailed,
        Self::Usage,
        Self::BadDocument,
        Self::Device,
        Self::Toolset,
        Self::Bug,
        Self::Interrupted,
    ];

    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Passed => "All trails passed, or there was nothing wrong",
            Self::TrailFailed => "A trail failed",
            Self::Usage => "The command line makes no sense",
            Self::BadDocument => "A document or the configuration is bad: all that `check` can see",
            Self::Device => "The device or its driver is in trouble",
            Self::Toolset => "A toolset server could not be started, reached or kept",
            Self::Bug => "A bug in Trailblaze",
            Self::Interrupted => "The run was interrupted",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What went wrong before or around a run: the message, a hint, and the code to exit with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub exit: Exit,
    pub message: String,
    pub hint: Option<String>,
}

impl Problem {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}
