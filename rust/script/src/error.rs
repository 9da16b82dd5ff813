//! From what QuickJS reports to what the caller gets.

use rquickjs::{Ctx, Error, Object, Value};
use trailblaze_engine::script::{ScriptError, ScriptLimits};

use crate::deadline::{Deadline, Stop};

/// The message that QuickJS gives to an error when an allocation fails.
const OUT_OF_MEMORY: &str = "out of memory";

/// Takes the pending exception, if `error` says that there is one.
pub(crate) fn caught(ctx: &Ctx<'_>, error: &Error, deadline: &Deadline, limits: ScriptLimits) -> ScriptError {
    let value = matches!(error, Error::Exception).then(|| ctx.catch());
    let object = value.as_ref().and_then(Value::as_object);
    let stack = object.and_then(|object| text(object, "stack")).filter(|stack| !stack.trim().is_empty());
    let stopped = |stack| match deadline.was_hit() {
        Some(Stop::TimeIsUp) => Some(ScriptError::Timeout { limit_ms: limits.call_ms, stack }),
        Some(Stop::Cancelled) => Some(ScriptError::Cancelled),
        None => None,
    };
    if let Some(stopped) = stopped(stack.clone()) {
        return stopped;
    }
    let Some(value) = &value else {
        // QuickJS could not even make a string.
        if matches!(error, Error::Allocation | Error::Unknown) {
            return ScriptError::OutOfMemory { limit_bytes: limits.heap_bytes };
        }
        return ScriptError::Threw { message: error.to_string(), stack };
    };
    // With no memory left for an error object QuickJS throws null, so a script that throws null itself counts as well.
    if value.is_null() || object.is_some_and(is_out_of_memory) {
        return ScriptError::OutOfMemory { limit_bytes: limits.heap_bytes };
    }
    let message = describe(ctx, value);
    // The script has a say in how its error reads, and may not come to an end with it.
    stopped(None).unwrap_or(ScriptError::Threw { message, stack })
}

/// A thrown value, for people.
pub(crate) struct Thrown {
    pub(crate) message: String,
    pub(crate) stack: Option<String>,
}

pub(crate) fn thrown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Thrown {
    let stack = value.as_object().and_then(|object| text(object, "stack"));
    Thrown { message: describe(ctx, value), stack: stack.filter(|stack| !stack.trim().is_empty()) }
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
