//! What went wrong in the app or in its runtime, as a failure.

use trailblaze_engine::script::ScriptError;
use trailblaze_model::failure::{Failure, FailureKind};

use super::SimOptions;
use super::modules::OWN;

pub(super) fn from_script(error: ScriptError, options: &SimOptions) -> Failure {
    let file = &options.app.name;
    let (message, stack) = match error {
        ScriptError::Threw { message, stack } => (format!("the app in {file} failed: {message}"), stack),
        ScriptError::Load { message, stack } => {
            (format!("the app in {file} cannot be loaded: {message}"), stack)
        }
        ScriptError::Timeout { limit_ms, stack } => {
            (format!("the app in {file} did not come back within {limit_ms} ms and was ended"), stack)
        }
        ScriptError::Stuck { limit_ms } => {
            (format!("the app in {file} did not come back within {limit_ms} ms and was given up"), None)
        }
        ScriptError::Stopped { message } => (format!("the app in {file} failed: {message}"), None),
        ScriptError::OutOfMemory { limit_bytes } => (
            format!("the app in {file} used more than {} MiB of memory and was ended", limit_bytes >> 20),
            None,
        ),
        ScriptError::Gone | ScriptError::Cancelled => return bug("the sim's runtime ended"),
    };
    app(message, stack)
}

/// A failure of the app; the stack keeps only what the app's author can change.
pub(super) fn app(message: impl Into<String>, stack: Option<String>) -> Failure {
    let mut failure = Failure::new(FailureKind::App, message);
    failure.stack = stack.and_then(own_lines_removed);
    failure
}

/// Something that cannot happen unless the sim itself is wrong.
pub(super) fn bug(message: &str) -> Failure {
    Failure::new(FailureKind::Device, message).hint("this is a bug in Trailblaze's sim, not in the app")
}

fn own_lines_removed(stack: String) -> Option<String> {
    let lines: Vec<_> = stack
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.contains(OWN) && !line.ends_with("(native)"))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
