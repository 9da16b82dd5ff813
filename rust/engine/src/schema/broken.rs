//! What is wrong with a schema itself, before there are arguments for it.

use serde_json::{Map, Value};
use trailblaze_model::names;
use trailblaze_model::pattern::{Dialect, Pattern};

use super::{MAX_DEPTH, below, name_of, plain};

const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object", "null"];

/// What keeps a schema from saying what its author means, one message each.
pub(crate) fn broken(schema: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    walk(schema, "", 0, &mut wrong);
    wrong
}

fn walk(schema: &Value, pointer: &str, depth: usize, wrong: &mut Vec<String>) {
    let of = |keyword: &str| match name_of(pointer) {
        name if name.is_empty() => format!("'{keyword}'"),
        name => format!("'{keyword}' of '{name}'"),
    };
    let schema = match schema {
        Value::Object(schema) => schema,
        Value::Bool(_) => return,
        other => {
            let message = format!(
                "'{}' must be a schema, for example {{\"type\": \"string\"}}, not {other}",
                name_of(pointer)
            );
            return wrong.push(message);
        }
    };
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(types) = schema.get("type") {
        let several = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
        for unknown in several.iter().filter(|one| !one.as_str().is_some_and(|one| TYPES.contains(&one))) {
            let known = names::list(TYPES);
            wrong.push(format!("{} must be one of {known}, not '{}'", of("type"), plain(unknown)));
        }
    }
    if schema.get("required").is_some_and(|required| !is_list_of_texts(required)) {
        wrong.push(format!("{} must be a list of texts", of("required")));
    }
    if schema.get("enum").is_some_and(|allowed| !allowed.is_array()) {
        wrong.push(format!("{} must be a list", of("enum")));
    }
    if let Some(pattern) = schema.get("pattern") {
        match pattern.as_str().map(not_regular) {
            None => wrong.push(format!("{} must be a text", of("pattern"))),
            Some(Some(why)) => {
                wrong.push(format!("{} is no regular expression: {why}", of("pattern")));
            }
            Some(None) => {}
        }
    }
    for keyword in ["properties", "$defs", "definitions"] {
        let Some(named) = schema.get(keyword) else { continue };
        match named.as_object() {
            // The arguments of a call are called by their names, without the keyword.
            Some(named) if keyword == "properties" => below_each(named, pointer, depth, wrong),
            Some(named) => below_each(named, &below(pointer, keyword), depth, wrong),
            None => wrong.push(format!("{} must be a mapping", of(keyword))),
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        match schema.get(keyword) {
            Some(Value::Array(parts)) => parts.iter().for_each(|part| walk(part, pointer, depth + 1, wrong)),
            Some(_) => wrong.push(format!("{} must be a list", of(keyword))),
            None => {}
        }
    }
    match schema.get("items") {
        // Older schemas have one for each place.
        Some(Value::Array(parts)) => {
            parts.iter().for_each(|part| walk(part, &below(pointer, "items"), depth + 1, wrong))
        }
        Some(items) => walk(items, &below(pointer, "items"), depth + 1, wrong),
        None => {}
    }
    if let Some(others) = schema.get("additionalProperties") {
        walk(others, &below(pointer, "additionalProperties"), depth + 1, wrong);
    }
}

fn below_each(schemas: &Map<String, Value>, pointer: &str, depth: usize, wrong: &mut Vec<String>) {
    for (name, schema) in schemas {
        walk(schema, &below(pointer, name), depth + 1, wrong);
    }
}

fn is_list_of_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

/// Why a text is no regular expression. Other dialects than ours have look-around, which is not wrong.
fn not_regular(text: &str) -> Option<String> {
    let here = regex::Regex::new(text);
    here.err().and_then(|_| Pattern::new(text, Dialect::Native).error().map(str::to_owned))
}
