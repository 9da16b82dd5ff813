//! Arguments against the JSON Schema of a tool: what is missing, what is wrong, and scalars brought
//! to the type that the schema asks for. Nothing, written out for an argument that takes no null, is the
//! same as leaving it out.
//!
//! The keywords that describe arguments are checked: `type`, `properties`, `required`,
//! `additionalProperties`, `items`, `enum`, `const`, bounds, lengths, `pattern`, the `format` of whole
//! numbers, `anyOf`, `oneOf`, `allOf` and references inside the document. Others are annotations.

mod broken;

use serde_json::{Map, Value};
use trailblaze_model::names;
use trailblaze_model::place::Place;
use trailblaze_model::yaml::{Node, NodeValue};

pub(crate) use broken::broken;

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// JSON pointer to the value; for one that is missing, to the mapping that should have it.
    pub pointer: String,
    /// What it is about, as people write it: `deep.0.x`. Empty for the arguments as a whole.
    pub name: String,
    pub message: String,
    pub hint: Option<String>,
}

impl Problem {
    /// Where it stands in the arguments as they were written: at the key of an argument that nobody knows, else
    /// at the value.
    pub(crate) fn place(&self, args: &Node) -> Place {
        let known = (self.kind == ProblemKind::Unknown).then(|| key_place(args, &self.pointer)).flatten();
        known.unwrap_or_else(|| args.place_at(&self.pointer))
    }
}

fn key_place(node: &Node, pointer: &str) -> Option<Place> {
    let mut node = node;
    let mut place = None;
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        node = match &node.value {
            NodeValue::List(items) => items.get(key.parse::<usize>().ok()?)?,
            NodeValue::Map(entries) => {
                let entry = entries.iter().find(|entry| entry.key == key)?;
                place = Some(entry.key_place);
                &entry.value
            }
            NodeValue::Scalar(_) => return None,
        };
    }
    place
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
/// So many values are compared; alternatives of alternatives would go on for ever.
const MAX_STEPS: usize = 200_000;

/// Checks arguments and coerces scalars in place.
pub fn validate(schema: &Value, args: &mut Map<String, Value>, tokens: Tokens) -> Vec<Problem> {
    let mut check = Check { root: schema, tokens, problems: Vec::new(), steps: 0 };
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
    steps: usize,
}

impl<'a> Check<'a> {
    fn push(&mut self, kind: ProblemKind, pointer: &str, message: String, hint: Option<String>) {
        let name = name_of(pointer);
        self.problems.push(Problem { kind, pointer: pointer.to_owned(), name, message, hint });
    }

    fn wrong(&mut self, pointer: &str, message: String) {
        self.push(ProblemKind::Wrong, pointer, message, None);
    }

    fn missing(&mut self, pointer: &str, key: &str) {
        let name = name_of(&below(pointer, key));
        let message = format!("'{name}' is missing");
        let pointer = pointer.to_owned();
        self.problems.push(Problem { kind: ProblemKind::Missing, pointer, name, message, hint: None });
    }

    fn value(&mut self, schema: &'a Value, value: &mut Value, pointer: &str, depth: usize) {
        let Value::Object(schema) = schema else {
            if *schema == Value::Bool(false) {
                self.wrong(pointer, format!("{} is not allowed", called(pointer)));
            }
            return;
        };
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            if self.problems.is_empty() {
                self.wrong(pointer, format!("{} nests too deeply", called(pointer)));
            }
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

    /// The problems of a value that is only tried.
    fn try_value(
        &mut self,
        schema: &'a Value,
        value: &mut Value,
        pointer: &str,
        depth: usize,
    ) -> Vec<Problem> {
        let before = std::mem::take(&mut self.problems);
        self.value(schema, value, pointer, depth);
        std::mem::replace(&mut self.problems, before)
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
        let Some(allowed) = allowed(schema) else { return };
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
        self.none_of(&allowed, value, pointer);
    }

    fn none_of(&mut self, allowed: &[&Value], value: &Value, pointer: &str) {
        let known: Vec<String> = allowed.iter().map(|one| plain(one)).collect();
        let message =
            format!("{} must be one of {}, not {}", called(pointer), known.join(", "), shown(value));
        self.wrong(pointer, message);
    }

    fn bounds(&mut self, schema: &Map<String, Value>, value: &Value, pointer: &str) {
        let format = schema.get("format").and_then(Value::as_str).filter(|_| value.is_number());
        let (least, most) = format.and_then(integer_range).unzip();
        let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
        let (size, low, high, must, what) = match value {
            Value::Number(number) => (number.as_f64(), "minimum", "maximum", "be", ""),
            Value::String(text) => {
                (Some(text.chars().count() as f64), "minLength", "maxLength", "have", " characters")
            }
            Value::Array(items) => (Some(items.len() as f64), "minItems", "maxItems", "have", " entries"),
            _ => return,
        };
        let Some(size) = size else { return };
        if let Some(low) = limit(low).or(least).filter(|low| size < *low) {
            self.wrong(pointer, format!("{} must {must} at least {low}{what}", called(pointer)));
        }
        if let Some(high) = limit(high).or(most).filter(|high| size > *high) {
            self.wrong(pointer, format!("{} must {must} at most {high}{what}", called(pointer)));
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
            if let Some(Value::Array(parts)) = schema.get(key) {
                self.alternatives(parts, value, pointer, depth);
            }
        }
    }

    /// The first alternative that takes the value as it is, else the first that it can be brought to.
    fn alternatives(&mut self, parts: &'a [Value], value: &mut Value, pointer: &str, depth: usize) {
        let mut first: Option<Vec<Problem>> = None;
        let mut brought: Option<Value> = None;
        for part in parts {
            let mut candidate = value.clone();
            let problems = self.try_value(part, &mut candidate, pointer, depth + 1);
            if !problems.is_empty() {
                first.get_or_insert(problems);
            } else if candidate == *value {
                return;
            } else {
                brought.get_or_insert(candidate);
            }
        }
        if let Some(brought) = brought {
            *value = brought;
            return;
        }
        let only_choices: Option<Vec<Vec<&Value>>> =
            parts.iter().map(|part| part.as_object().and_then(allowed)).collect();
        match only_choices {
            Some(choices) => self.none_of(&choices.concat(), value, pointer),
            None => self.problems.extend(first.unwrap_or_default()),
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
        let known = |key: &str| properties.and_then(|known| known.get(key));
        map.retain(|key, value| {
            !value.is_null()
                || known(key).is_none_or(|schema| {
                    self.try_value(schema, &mut Value::Null, pointer, depth + 1).is_empty()
                })
        });
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = name.as_str() else { continue };
            if !map.contains_key(name) {
                self.missing(pointer, name);
            }
        }
        for (key, value) in map.iter_mut() {
            let pointer = below(pointer, key);
            match (known(key), schema.get("additionalProperties")) {
                (Some(schema), _) => self.value(schema, value, &pointer, depth + 1),
                (None, Some(Value::Bool(false))) => {
                    let known = properties.unwrap_or(&none);
                    let hint = names::nearest_hint(key, known.keys().map(String::as_str)).or_else(|| {
                        let known: Vec<&str> = known.keys().map(String::as_str).collect();
                        (!known.is_empty()).then(|| format!("known arguments: {}", known.join(", ")))
                    });
                    let message = format!("there is no argument {}", called(&pointer));
                    self.push(ProblemKind::Unknown, &pointer, message, hint);
                }
                (None, Some(schema @ Value::Object(_))) => self.value(schema, value, &pointer, depth + 1),
                (None, _) => {}
            }
        }
    }
}

/// What fits into a whole number of a format.
fn integer_range(format: &str) -> Option<(f64, f64)> {
    match format {
        "int32" => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
        "uint32" => Some((0.0, f64::from(u32::MAX))),
        _ => None,
    }
}

/// The values of `enum` and `const`.
fn allowed(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(several)), _) => Some(several.iter().collect()),
        (_, Some(one)) => Some(vec![one]),
        _ => None,
    }
}

fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// `/deep/0/x` as `deep.0.x`
fn name_of(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
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
        (Value::Number(number), "integer") => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
            whole.map(|number| (number as i64).into())
        }
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
    if pointer.is_empty() { "the value".to_owned() } else { format!("'{}'", name_of(pointer)) }
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
mod tests;
