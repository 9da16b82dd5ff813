//! From what QuickJS reports to what the caller gets.

use rquickjs::{Ctx, Error, Object, Value};
use trailblaze_engine::script::{ScriptError, ScriptLimits};

use crate::deadline::Deadline;

/// The message that QuickJS gives to an error when an allocation fails.
const OUT_OF_MEMORY: &str = "out of memory";

/// Takes the pending exception, if `error` says that there is one.
pub(crate) fn caught(ctx: &Ctx<'_>, error: &Error, deadline: &Deadline, limits: ScriptLimits) -> ScriptError {
    let thrown = matches!(error, Error::Exception).then(|| ctx.catch());
    let object = thrown.as_ref().and_then(Value::as_object);
    let stack = object.and_then(|object| text(object, "stack")).filter(|stack| !stack.trim().is_empty());
    if deadline.was_hit() {
        return ScriptError::Timeout { limit_ms: limits.call_ms, stack };
    }
    let Some(thrown) = &thrown else {
        // QuickJS could not even make a string.
        if matches!(error, Error::Allocation | Error::Unknown) {
            return ScriptError::OutOfMemory { limit_bytes: limits.heap_bytes };
        }
        return ScriptError::Threw { message: error.to_string(), stack };
    };
    // With no memory left for an error object QuickJS throws null, so a script that throws null itself counts as well.
    if thrown.is_null() || object.is_some_and(is_out_of_memory) {
        return ScriptError::OutOfMemory { limit_bytes: limits.heap_bytes };
    }
    ScriptError::Threw { message: describe(ctx, thrown), stack }
}

fn is_out_of_memory(error: &Object<'_>) -> bool {
    error.is_error()
        && text(error, "name").as_deref() == Some("InternalError")
        && text(error, "message").is_some_and(|message| message.starts_with(OUT_OF_MEMORY))
}

fn describe<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> String {
    if let Some(error) = thrown.as_object().filter(|object| object.is_error()) {
        let name = text(error, "name").unwrap_or_default();
        let message = text(error, "message").unwrap_or_default();
        return match (name.as_str(), message.as_str()) {
            ("" | "Error", message) if !message.is_empty() => message.to_owned(),
            (name, "") => name.to_owned(),
            (name, message) => format!("{name}: {message}"),
        };
    }
    if let Some(string) = thrown.as_string().and_then(|string| string.to_string().ok()) {
        return string;
    }
    match ctx.json_stringify(thrown).and_then(|json| json.map(|json| json.to_string()).transpose()) {
        Ok(Some(json)) => format!("threw {json}"),
        // A value that cannot be printed leaves an exception behind.
        _ => {
            ctx.catch();
            format!("threw a value of type {}", thrown.type_name())
        }
    }
}

/// A text property; anything else (a getter that throws, a number, half a character) counts as absent.
fn text(object: &Object<'_>, key: &str) -> Option<String> {
    match object.get::<_, Value<'_>>(key) {
        Ok(value) => value.as_string()?.to_string().ok(),
        Err(_) => {
            object.ctx().catch();
            None
        }
    }
}
