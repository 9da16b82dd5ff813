//! The headers that say in front of a message what stands in it, since 2026-07-28.
//!
//! A tool may ask in its schema that arguments are sent as headers, too: `"x-mcp-header": "Region"` on a property
//! becomes `Mcp-Param-Region`. A tool that asks for what cannot be done is left out.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

const KEY: &str = "x-mcp-header";
/// Schemas below these describe something else than one certain argument.
const ELSEWHERE: &[&str] = &[
    "items",
    "prefixItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "patternProperties",
    "dependentSchemas",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$defs",
    "definitions",
];
/// Those of them whose members are schemas by name.
const BY_NAME: &[&str] = &["patternProperties", "dependentSchemas", "$defs", "definitions"];
/// Whole numbers up to here are the same in every language.
const LARGEST: u64 = (1 << 53) - 1;

/// The name of a header, by RFC 9110.
pub(super) fn is_token(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_fine)
}

/// An argument that is sent as a header.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mirrored {
    header: String,
    /// The keys that lead to it.
    path: Vec<String>,
}

/// What the tools of a server want to have as headers, by their names.
#[derive(Debug, Default)]
pub(in crate::client) struct Mirrors(Mutex<HashMap<String, Arc<Vec<Mirrored>>>>);

impl Mirrors {
    /// Takes it from `tools/list`, and leaves tools out that cannot be called. `told` is told about each of those.
    pub(super) fn learn(&self, tools: &mut Vec<Value>, told: impl Fn(&str, &str)) {
        let mut known = HashMap::new();
        tools.retain(|tool| {
            let name = tool["name"].as_str().unwrap_or_default();
            match of_schema(&tool["inputSchema"]) {
                Ok(mirrored) if mirrored.is_empty() => true,
                Ok(mirrored) => known.insert(name.to_owned(), Arc::new(mirrored)).is_none(),
                Err(why) => {
                    told(name, &why);
                    false
                }
            }
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// The headers for one call. `arguments` are read only where some are wanted.
    pub(super) fn of_call(&self, tool: &str, arguments: impl FnOnce() -> Value) -> Vec<(String, String)> {
        let wanted = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(tool).cloned();
        let Some(wanted) = wanted else { return Vec::new() };
        let arguments = arguments();
        let headers = wanted.iter().filter_map(|Mirrored { header, path }| {
            let value = path.iter().try_fold(&arguments, |value, key| value.get(key))?;
            Some((format!("Mcp-Param-{header}"), encoded(&as_text(value)?)))
        });
        headers.collect()
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Number(number) => {
            let float = number.as_f64()?;
            if float.fract() != 0.0 {
                return Some(number.to_string());
            }
            // `7.0` is a whole number as well.
            (float.abs() <= LARGEST as f64).then(|| (float as i64).to_string())
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A text as the value of a header: as it is where that can be, else in base64.
pub(super) fn encoded(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
        && text.trim_ascii().len() == text.len()
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if is_plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}

/// All of a schema, or why it cannot be done.
fn of_schema(schema: &Value) -> Result<Vec<Mirrored>, String> {
    let mut walk = Walk { found: Vec::new(), names: BTreeSet::new() };
    walk.visit(schema, &mut Vec::new(), true)?;
    Ok(walk.found)
}

struct Walk {
    found: Vec<Mirrored>,
    /// In small letters.
    names: BTreeSet<String>,
}

impl Walk {
    fn visit(&mut self, schema: &Value, path: &mut Vec<String>, is_certain: bool) -> Result<(), String> {
        let Value::Object(members) = schema else { return Ok(()) };
        if let Some(name) = members.get(KEY) {
            self.declared(name, members.get("type"), path, is_certain)?;
        }
        if let Some(Value::Object(properties)) = members.get("properties") {
            for (key, property) in properties {
                path.push(key.clone());
                self.visit(property, path, is_certain)?;
                path.pop();
            }
        }
        for (keyword, below) in members.iter().filter(|(key, _)| ELSEWHERE.contains(&key.as_str())) {
            let by_name = BY_NAME.contains(&keyword.as_str());
            let schemas: Vec<&Value> = match below {
                Value::Array(schemas) => schemas.iter().collect(),
                Value::Object(schemas) if by_name => schemas.values().collect(),
                schema => vec![schema],
            };
            for schema in schemas {
                self.visit(schema, path, false)?;
            }
        }
        Ok(())
    }

    fn declared(
        &mut self,
        name: &Value,
        kind: Option<&Value>,
        path: &[String],
        is_certain: bool,
    ) -> Result<(), String> {
        let place = path.join(".");
        if !is_certain || path.is_empty() {
            return Err(format!("'{KEY}' does not stand on a property"));
        }
        let Some(name) = name.as_str().filter(|name| is_token(name)) else {
            return Err(format!("the '{KEY}' of '{place}' is not the name of a header"));
        };
        if !matches!(kind.and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
            return Err(format!(
                "'{place}' has '{KEY}', but is neither a string nor an integer nor a boolean"
            ));
        }
        if !self.names.insert(name.to_ascii_lowercase()) {
            return Err(format!("'{KEY}: {name}' is there twice"));
        }
        self.found.push(Mirrored { header: name.to_owned(), path: path.to_vec() });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_text(text: &str, expected: &str) {
        assert_eq!(encoded(text), expected);
    }

    #[test]
    fn texts_as_values() {
        check_text("us west 1", "us west 1");
        check_text("", "=?base64??=");
        check_text(" padded", "=?base64?IHBhZGRlZA==?=");
        check_text("zwölf", "=?base64?enfDtmxm?=");
        check_text("a\r\nb", "=?base64?YQ0KYg==?=");
        check_text("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
        check_text("=?base64?YQ", "=?base64?YQ");
    }

    fn learned(schema: Value) -> (Mirrors, Vec<String>) {
        let mirrors = Mirrors::default();
        let mut tools = vec![json!({ "name": "t", "inputSchema": schema })];
        let told = Mutex::new(Vec::new());
        mirrors.learn(&mut tools, |name, why| told.lock().unwrap().push(format!("{name}: {why}")));
        let told = told.into_inner().unwrap();
        assert_eq!(tools.len() + told.len(), 1);
        (mirrors, told)
    }

    #[test]
    fn arguments_as_headers() {
        let (mirrors, told) = learned(json!({ "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "deep": { "properties": { "on": { "type": "boolean", "x-mcp-header": "On" } } },
            "n": { "type": "integer", "x-mcp-header": "N" },
            "other": { "type": "string" },
        }}));
        assert_eq!(told, [""; 0]);
        let check = |arguments: Value, expected: &[(&str, &str)]| {
            let found = mirrors.of_call("t", || arguments);
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, expected);
        };
        check(json!({ "region": "eu", "other": "x" }), &[("Mcp-Param-Region", "eu")]);
        check(
            json!({ "region": null, "deep": { "on": false }, "n": 7.0 }),
            &[("Mcp-Param-On", "false"), ("Mcp-Param-N", "7")],
        );
        check(json!({ "n": 9_007_199_254_740_993_u64, "deep": 1 }), &[]);
        check(json!({ "n": -12 }), &[("Mcp-Param-N", "-12")]);
        assert_eq!(mirrors.of_call("other", || unreachable!("it wants no headers")), []);
    }

    #[track_caller]
    fn check_refused(properties: Value, expected: &str) {
        let (_, told) = learned(json!({ "type": "object", "properties": properties }));
        assert_eq!(told, [format!("t: {expected}")]);
    }

    #[test]
    fn tools_that_are_left_out() {
        let string = |name: Value| json!({ "type": "string", "x-mcp-header": name });
        let no_name = "the 'x-mcp-header' of 'a' is not the name of a header";
        for name in [json!(""), json!(1), json!("a b"), json!("a:b"), json!("ä"), json!("a\n")] {
            check_refused(json!({ "a": string(name) }), no_name);
        }
        check_refused(
            json!({ "a": string(json!("X")), "b": string(json!("x")) }),
            "'x-mcp-header: x' is there twice",
        );
        for kind in ["number", "object", "array", "null"] {
            check_refused(
                json!({ "a": { "type": kind, "x-mcp-header": "X" } }),
                "'a' has 'x-mcp-header', but is neither a string nor an integer nor a boolean",
            );
        }
        for keyword in ["items", "anyOf", "$defs"] {
            let below = match keyword {
                "items" => string(json!("X")),
                "anyOf" => json!([string(json!("X"))]),
                _ => json!({ "x": string(json!("X")) }),
            };
            check_refused(json!({ "a": { keyword: below } }), "'x-mcp-header' does not stand on a property");
        }
    }
}
