//! A failure is a value: kind, message, place and what to do next.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::place::FilePlace;

/// Why a tool call, a step or a trail failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureKind {
    /// No element fits
    NotFound,
    /// Several elements fit, and the run is strict
    Ambiguous,
    /// A check did not hold
    AssertionFailed,
    /// Something did not end within its time
    Timeout,
    /// Required arguments are missing
    MissingRequiredArgs,
    /// An argument has a wrong type or value
    InvalidArguments,
    /// A Maestro command cannot be run as written
    MaestroValidation,
    /// No source provides the tool
    UnknownTool,
    /// The tool is known, but not here: another driver, another agent mode or a later version
    NotSupported,
    /// The step can only be solved by a model and none is set
    NeedsModel,
    /// The device or its driver failed
    Device,
    /// An element was gone when it was acted on, or did not take the action
    Refused,
    /// The app under test crashed, hung or threw
    App,
    /// A recorded session has no answer: something else was done when it was recorded
    NotRecorded,
    /// A script threw, ran out of time or memory
    Script,
    /// A toolset server could not be started, reached or kept
    Toolset,
    /// Tools call each other too deeply or in a circle
    TooDeep,
    /// A tool failed in its own way
    Exception,
    /// The tool asked for the trail to end
    Fatal,
    /// The run was interrupted
    Interrupted,
}

impl FailureKind {
    /// The result variant that stands on the wire for this kind.
    pub const fn variant(self) -> &'static str {
        match self {
            Self::MissingRequiredArgs => "MissingRequiredArgs",
            Self::MaestroValidation => "MaestroValidationError",
            Self::UnknownTool => "UnknownTool",
            Self::Fatal | Self::Toolset | Self::Interrupted => "FatalError",
            _ => "ExceptionThrown",
        }
    }

    /// Whether the run, not the test, is in trouble.
    pub const fn is_device_trouble(self) -> bool {
        matches!(self, Self::Device)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What went wrong, where, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "place_as_text",
        deserialize_with = "place_of_text"
    )]
    pub at: Option<FilePlace>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The stack of a script or of the app, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// What on the screen comes nearest to what was looked for, best first. People have the hint; this is for programs
    /// that call tools.
    #[serde(skip)]
    pub candidates: Box<[String]>,
}

fn place_as_text<S: serde::Serializer>(at: &Option<FilePlace>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serializer.collect_str(at),
        None => serializer.serialize_none(),
    }
}

fn place_of_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<FilePlace>, D::Error> {
    Ok(FilePlace::parse(&String::deserialize(deserializer)?))
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), at: None, hint: None, stack: None, candidates: Box::default() }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn stack(mut self, stack: impl Into<String>) -> Self {
        self.stack = Some(stack.into());
        self
    }

    /// Sets the place unless a closer one is known.
    pub fn or_at(mut self, at: Option<FilePlace>) -> Self {
        self.at = self.at.or(at);
        self
    }
}

impl Failure {
    /// Replaces texts wherever they stand.
    pub fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        let texts = [Some(&mut self.message), self.hint.as_mut(), self.stack.as_mut()];
        for text in texts.into_iter().flatten().chain(self.candidates.iter_mut()) {
            if let Some(new) = replace(text) {
                *text = new;
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        if let Some(stack) = &self.stack {
            write!(f, "\n{stack}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
