//! Arguments against the JSON Schema of a tool: what is missing, what is wrong, and scalars brought
//! to the type that the schema asks for.
//!
//! The keywords that describe arguments are checked: `type`, `properties`, `required`,
//! `additionalProperties`, `items`, `enum`, `const`, bounds, lengths, `pattern`, `anyOf`, `oneOf`,
//! `allOf` and references inside the document. Others are annotations.

use serde_json::{Map, Value};
use trailblaze_model::names;

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// JSON pointer into the arguments.
    pub pointer: String,
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    Missing,
    Unknown,
    Wrong,
}

/// Whether values with tokens are left alone, because their type is known only when they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    Skip,
    None,
}

/// References may nest this deep.
const MAX_DEPTH: usize = 64;

/// Checks arguments and coerces scalars in place.
pub fn validate(schema: &Value, args: &mut Map<String, Value>, tokens: Tokens) -> Vec<Problem> {
    let mut check = Check { root: schema, tokens, problems: Vec::new() };
    let mut value = Value::Object(std::mem::take(args));
    check.value(schema, &mut value, "", 0);
    if let Value::Object(map) = value {
        *args = map;
    }
    check.problems
}

struct Check<'a> {
    root: &'a Value,
    tokens: Tokens,
    problems: Vec<Problem>,
}

impl<'a> Check<'a> {
    fn push(&mut self, kind: ProblemKind, pointer: &str, message: String, hint: Option<String>) {
        self.problems.push(Problem { kind, pointer: pointer.to_owned(), message, hint });
    }

    fn wrong(&mut self, pointer: &str, message: String) {
        self.push(ProblemKind::Wrong, pointer, message, None);
    }

    fn value(&mut self, schema: &'a Value, value: &mut Value, pointer: &str, depth: usize) {
        let Value::Object(schema) = schema else {
            if *schema == Value::Bool(false) {
                self.wrong(pointer, format!("{} is not allowed", called(pointer)));
            }
            return;
        };
        if depth > MAX_DEPTH {
            self.wrong(pointer, format!("{} nests too deeply", called(pointer)));
            return;
        }
        if self.tokens == Tokens::Skip
            && matches!(value, Value::String(_))
            && crate::interpolate::has_tokens(value)
        {
            return;
        }
        if let Some(Value::String(reference)) = schema.get("$ref") {
            match reference.strip_prefix('#').and_then(|path| self.root.pointer(path)) {
                Some(target) => self.value(target, value, pointer, depth + 1),
                None => {
                    self.wrong(pointer, format!("the schema refers to '{reference}', which is not in it"))
                }
            }
        }
        if !self.type_fits(schema, value, pointer) {
            return;
        }
        self.choices(schema, value, pointer);
        self.bounds(schema, value, pointer);
        self.combinations(schema, value, pointer, depth);
        match value {
            Value::Object(map) => self.object(schema, map, pointer, depth),
            Value::Array(items) => {
                if let Some(schema) = schema.get("items") {
                    for (index, item) in items.iter_mut().enumerate() {
                        self.value(schema, item, &format!("{pointer}/{index}"), depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Coerces a scalar to the first type that takes it.
    fn type_fits(&mut self, schema: &Map<String, Value>, value: &mut Value, pointer: &str) -> bool {
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        if types.iter().any(|kind| is_of(value, kind)) {
            return true;
        }
        if let Some(coerced) = types.iter().find_map(|kind| coerce(value, kind)) {
            *value = coerced;
            return true;
        }
        let wanted: Vec<&str> =
            types.iter().filter(|kind| **kind != "null").map(|kind| article(kind)).collect();
        let message = format!("{} must be {}, not {}", called(pointer), wanted.join(" or "), shown(value));
        self.wrong(pointer, message);
        false
    }

    /// `enum` and `const`; texts are compared without case and take the spelling of the schema.
    fn choices(&mut self, schema: &Map<String, Value>, value: &mut Value, pointer: &str) {
        let allowed: Vec<&Value> = match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(several)), _) => several.iter().collect(),
            (_, Some(one)) => vec![one],
            _ => return,
        };
        if allowed.contains(&&*value) {
            return;
        }
        if let Value::String(text) = value {
            let same =
                allowed.iter().filter_map(|one| one.as_str()).find(|one| one.eq_ignore_ascii_case(text));
            if let Some(same) = same {
                *text = same.to_owned();
                return;
            }
        }
        let known: Vec<String> = allowed.iter().map(|one| plain(one)).collect();
        let message =
            format!("{} must be one of {}, not {}", called(pointer), known.join(", "), shown(value));
        self.wrong(pointer, message);
    }

    fn bounds(&mut self, schema: &Map<String, Value>, value: &Value, pointer: &str) {
        let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
        let (what, size) = match value {
            Value::Number(number) => ("", number.as_f64()),
            Value::String(text) => ("Length", Some(text.chars().count() as f64)),
            Value::Array(items) => ("Items", Some(items.len() as f64)),
            _ => return,
        };
        let Some(size) = size else { return };
        let (low, high) = match what {
            "" => ("minimum".to_owned(), "maximum".to_owned()),
            what => (format!("min{what}"), format!("max{what}")),
        };
        if let Some(low) = limit(&low).filter(|low| size < *low) {
            self.wrong(pointer, format!("{} must be at least {low}", called(pointer)));
        }
        if let Some(high) = limit(&high).filter(|high| size > *high) {
            self.wrong(pointer, format!("{} must be at most {high}", called(pointer)));
        }
        if let (Value::String(text), Some(Value::String(pattern))) = (value, schema.get("pattern"))
            && let Ok(regex) = regex::Regex::new(pattern)
            && !regex.is_match(text)
        {
            self.wrong(pointer, format!("{} must match {pattern}", called(pointer)));
        }
    }

    fn combinations(
        &mut self,
        schema: &'a Map<String, Value>,
        value: &mut Value,
        pointer: &str,
        depth: usize,
    ) {
        if let Some(Value::Array(all)) = schema.get("allOf") {
            for part in all {
                self.value(part, value, pointer, depth + 1);
            }
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(parts)) = schema.get(key) else { continue };
            let mut first: Option<Vec<Problem>> = None;
            let mut fits = false;
            for part in parts {
                let mut candidate = value.clone();
                let mut check = Check { root: self.root, tokens: self.tokens, problems: Vec::new() };
                check.value(part, &mut candidate, pointer, depth + 1);
                if check.problems.is_empty() {
                    *value = candidate;
                    fits = true;
                    break;
                }
                first.get_or_insert(check.problems);
            }
            if !fits {
                self.problems.extend(first.unwrap_or_default());
            }
        }
    }

    fn object(
        &mut self,
        schema: &'a Map<String, Value>,
        map: &mut Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str() else { continue };
            if !map.contains_key(name) {
                self.push(ProblemKind::Missing, pointer, format!("'{name}' is missing"), None);
            }
        }
        for (key, value) in map.iter_mut() {
            let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
            match (properties.and_then(|known| known.get(key)), schema.get("additionalProperties")) {
                (Some(schema), _) => self.value(schema, value, &pointer, depth + 1),
                (None, Some(Value::Bool(false))) => {
                    let known = properties.unwrap_or(&none);
                    let hint = names::nearest_hint(key, known.keys().map(String::as_str)).or_else(|| {
                        let known: Vec<&str> = known.keys().map(String::as_str).collect();
                        (!known.is_empty()).then(|| format!("known arguments: {}", known.join(", ")))
                    });
                    self.push(ProblemKind::Unknown, &pointer, format!("there is no argument '{key}'"), hint);
                }
                (None, Some(schema @ Value::Object(_))) => self.value(schema, value, &pointer, depth + 1),
                (None, _) => {}
            }
        }
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

/// A scalar as another type, where nothing is lost.
fn coerce(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::Number(number), "string") => Some(number.to_string().into()),
        (Value::Bool(flag), "string") => Some(flag.to_string().into()),
        (Value::String(text), "integer") => text.trim().parse::<i64>().ok().map(Value::from),
        (Value::String(text), "number") => {
            let text = text.trim();
            match text.parse::<i64>() {
                Ok(whole) => Some(whole.into()),
                Err(_) => text.parse::<f64>().ok().filter(|n| n.is_finite()).map(Value::from),
            }
        }
        (Value::String(text), "boolean") => match text.trim() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        _ => None,
    }
}

fn called(pointer: &str) -> String {
    if pointer.is_empty() { "the value".to_owned() } else { format!("'{}'", pointer[1..].replace('/', ".")) }
}

fn article(kind: &str) -> &str {
    match kind {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping",
        other => other,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::Null => "nothing".to_owned(),
        other => format!("'{}'", plain(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: Value, args: Value, expected: Result<Value, &[&str]>) {
        let mut map = args.as_object().cloned().unwrap();
        let problems = validate(&schema, &mut map, Tokens::None);
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        match expected {
            Ok(expected) => {
                assert!(messages.is_empty(), "{messages:?}");
                assert_eq!(Value::Object(map), expected);
            }
            Err(expected) => assert_eq!(messages, expected),
        }
    }

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "count": {"type": ["integer", "null"], "minimum": 0},
                "mode": {"type": "string", "enum": ["UP", "DOWN"]},
                "deep": {"type": "array", "items": {"$ref": "#/$defs/point"}},
            },
            "required": ["text"],
            "additionalProperties": false,
            "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
        })
    }

    #[test]
    fn scalars_are_brought_to_the_type_asked_for() {
        check(
            schema(),
            json!({"text": 5, "count": "7", "mode": "up", "deep": [{"x": "1.5"}]}),
            Ok(json!({"text": "5", "count": 7, "mode": "UP", "deep": [{"x": 1.5}]})),
        );
        check(schema(), json!({"text": true, "count": null}), Ok(json!({"text": "true", "count": null})));
    }

    #[test]
    fn every_problem_is_reported_in_one_go() {
        check(
            schema(),
            json!({"count": "many", "mode": "SIDE", "deep": [{}], "txt": 1}),
            Err(&[
                "'text' is missing",
                "'count' must be a whole number, not 'many'",
                "'mode' must be one of UP, DOWN, not 'SIDE'",
                "'x' is missing",
                "there is no argument 'txt'",
            ]),
        );
        check(schema(), json!({"text": "a", "count": -1}), Err(&["'count' must be at least 0"]));
    }

    #[test]
    fn values_with_tokens_wait_for_the_run() {
        let mut args = json!({"text": "a", "count": "${n}"}).as_object().cloned().unwrap();
        assert!(validate(&schema(), &mut args, Tokens::Skip).is_empty());
        assert_eq!(validate(&schema(), &mut args, Tokens::None).len(), 1);
    }

    #[test]
    fn one_of_several_shapes_is_enough() {
        let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        check(schema.clone(), json!({"b": 1}), Ok(json!({"b": 1})));
        check(schema, json!({}), Err(&["'a' is missing"]));
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"$ref": "#"});
        check(schema, json!({}), Err(&["the value nests too deeply"]));
    }
}
