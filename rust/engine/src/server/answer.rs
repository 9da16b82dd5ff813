//! Results on the wire: what a server answers, and what a server's own call is answered.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use trailblaze_model::call::ToolCall;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::dispatch::Output;

const DELEGATES: &str = "_trailblaze_delegates";

/// Reads a `CallToolResult`.
pub fn output(result: &Value) -> Result<Output, Failure> {
    let message = text(result);
    let meta = &result["_meta"]["trailblaze"];
    // Something else than a boolean is wrong, and not a success.
    if !matches!(result["isError"], Value::Null | Value::Bool(false)) {
        let message = if message.is_empty() { "the tool says that it failed".to_owned() } else { message };
        let mut failure = Failure::new(kind(meta), message);
        failure.stack = meta["stack"].as_str().map(|stack| stack.trim_end().to_owned());
        failure.hint = meta["hint"].as_str().filter(|hint| !hint.is_empty()).map(str::to_owned);
        return Err(failure);
    }
    let structured = result.get("structuredContent").filter(|value| !value.is_null()).cloned();
    // The body of an answer may also be the JSON of its only text.
    let body = structured.clone().or_else(|| body_of(result));
    let body = body.as_ref().and_then(Value::as_object);
    if let Some(body) = body
        && body.get("success") == Some(&Value::Bool(false))
    {
        let error = body.get("error").and_then(Value::as_str).unwrap_or("the tool says that it failed");
        return Err(Failure::new(FailureKind::Exception, error));
    }
    let delegates = match body.and_then(|body| body.get(DELEGATES)) {
        Some(calls) => delegates(calls)?,
        None => Vec::new(),
    };
    Ok(Output { message, structured, delegates })
}

/// A kind says more than its variant, unless the two contradict each other.
fn kind(meta: &Value) -> FailureKind {
    let variant = meta["variant"].as_str().unwrap_or_default();
    let by_variant = match variant {
        "FatalError" => FailureKind::Fatal,
        "MissingRequiredArgs" => FailureKind::MissingRequiredArgs,
        "MaestroValidationError" => FailureKind::MaestroValidation,
        "UnknownTool" => FailureKind::UnknownTool,
        _ => FailureKind::Exception,
    };
    let by_name = FailureKind::deserialize(&meta["kind"]).ok();
    by_name
        .filter(|kind| by_variant == FailureKind::Exception || kind.variant() == variant)
        .unwrap_or(by_variant)
}

/// All text of the answer.
fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

fn body_of(result: &Value) -> Option<Value> {
    match result["content"].as_array()?.as_slice() {
        [only] => serde_json::from_str(only["text"].as_str()?).ok(),
        _ => None,
    }
}

fn delegates(calls: &Value) -> Result<Vec<ToolCall>, Failure> {
    let bad = || {
        let message = format!("'{DELEGATES}' must be a list of calls");
        Failure::new(FailureKind::Exception, message)
            .hint("for example [{\"tool\": \"tap\", \"args\": {\"text\": \"Login\"}}]")
    };
    let read = |call: &Value| {
        let name = call["tool"].as_str().or_else(|| call["name"].as_str())?;
        let args = match call.get("args").or_else(|| call.get("arguments")) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(args)) => args.clone(),
            Some(_) => return None,
        };
        Some(ToolCall::new(name, args))
    };
    calls.as_array().ok_or_else(bad)?.iter().map(|call| read(call).ok_or_else(bad)).collect()
}

/// The answer to a call that a script or a server made.
pub fn of_call(result: &Result<Output, Failure>) -> Value {
    let mut answer = Map::new();
    let mut add = |key: &str, value: Value| answer.insert(key.to_owned(), value);
    add("success", result.is_ok().into());
    match result {
        Ok(output) => {
            add("textContent", output.message.as_str().into());
            if let Some(structured) = &output.structured {
                add("structuredContent", structured.clone());
            }
        }
        Err(failure) => {
            add("errorMessage", failure.message.as_str().into());
            add("kind", failure.kind.to_string().into());
            if let Some(hint) = &failure.hint {
                add("hint", hint.as_str().into());
            }
            if !failure.candidates.is_empty() {
                add("candidates", json!(failure.candidates));
            }
        }
    }
    Value::Object(answer)
}

/// The keys that programs of an older wire look for.
const OLDER: [(&str, &str); 3] = [
    ("textContent", "text_content"),
    ("errorMessage", "error_message"),
    ("structuredContent", "structured_content"),
];

/// The same for other programs: the texts are always there, and in both spellings that are in use.
pub fn on_the_wire(answer: Value) -> Value {
    let mut wire =
        json!({ "type": "call_tool_result", "success": false, "textContent": "", "errorMessage": "" });
    let (Value::Object(said), Some(keys)) = (answer, wire.as_object_mut()) else { return wire };
    keys.extend(said);
    for (key, older) in OLDER {
        if let Some(value) = keys.get(key).cloned() {
            keys.insert(older.to_owned(), value);
        }
    }
    wire
}
