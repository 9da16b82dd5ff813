//! Reads typed values out of nodes and reports what does not fit, so that one pass finds every problem.

use serde_json::Value as Json;

use super::node::{Node, Value};
use crate::call::ToolCall;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::names;
use crate::place::{FilePlace, Place, Source};

/// So many errors, and so many warnings, are reported of one document.
const MAX_PROBLEMS: usize = 100;

/// The document that is being read and the problems found in it.
#[derive(Debug)]
pub struct Reader<'a> {
    pub source: &'a Source,
    pub problems: &'a mut Diagnostics,
    errors: usize,
    warnings: usize,
}

/// The entries of a mapping whose keys were checked.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'n> {
    pub node: &'n Node,
}

impl<'n> Fields<'n> {
    /// The value of a key; an explicit null counts as absent.
    pub fn get(self, key: &str) -> Option<&'n Node> {
        self.node.get(key).filter(|value| !value.is_null())
    }

    pub fn has(self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    pub fn key_place(self, key: &str) -> Place {
        let entries = self.node.as_map().unwrap_or_default();
        entries.iter().find(|entry| entry.key == key).map_or(self.node.place, |entry| entry.key_place)
    }
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a Source, problems: &'a mut Diagnostics) -> Self {
        Self { source, problems, errors: 0, warnings: 0 }
    }

    pub fn file_place(&self, place: Place) -> FilePlace {
        FilePlace { file: self.source.file.clone(), place }
    }

    pub fn error(&mut self, code: Code, at: Place, message: impl Into<String>) {
        self.push_error(code, at, message.into(), None);
    }

    pub fn error_hint(&mut self, code: Code, at: Place, message: impl Into<String>, hint: impl Into<String>) {
        self.push_error(code, at, message.into(), Some(hint.into()));
    }

    fn push_error(&mut self, code: Code, at: Place, message: String, hint: Option<String>) {
        self.errors += 1;
        if self.errors <= MAX_PROBLEMS {
            self.problems.push(Diagnostic::error(code, message).at(self.source, at).hint_opt(hint));
        } else if self.errors == MAX_PROBLEMS + 1 {
            let message = format!("the file has more than {MAX_PROBLEMS} errors; the rest is not shown");
            self.problems.push(Diagnostic::error(Code::Limit, message).at(self.source, at));
        }
    }

    pub fn warning(&mut self, code: Code, at: Place, message: impl Into<String>, hint: Option<String>) {
        self.warnings += 1;
        if self.warnings <= MAX_PROBLEMS {
            self.problems.push(Diagnostic::warning(code, message).at(self.source, at).hint_opt(hint));
        }
    }

    /// Reports a document without any value.
    pub fn is_empty_document(&mut self, node: &Node, hint: &str) -> bool {
        if node.is_null() {
            let problem = Diagnostic::error(Code::Unreadable, "the file is empty")
                .in_file(self.source.file.clone())
                .hint(hint);
            self.problems.push(problem);
        }
        node.is_null()
    }

    fn wrong_type(&mut self, node: &Node, what: &str, wanted: &str) {
        let hint = match (wanted, node.kind()) {
            ("a text", "a mapping") => "put quotes around a text with '{' or ': ' in it",
            ("a text", "a list") => "put quotes around a text that begins with '[' or '- '",
            ("a text", _) => "write a text, or remove it",
            ("a list", _) => "begin each item with '- ', on a line of its own",
            _ => "write 'key: value', each on a line of its own",
        };
        let message = format!("{what} must be {wanted}, not {}", node.kind());
        self.error_hint(Code::WrongType, node.place, message, hint);
    }

    /// A mapping whose keys are all known; every other key is an error with the nearest known one.
    pub fn fields<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Option<Fields<'n>> {
        let fields = self.open_fields(node, what)?;
        for entry in fields.node.as_map().unwrap_or_default() {
            if !known.contains(&entry.key.as_str()) {
                let message = format!("{what} has no key '{}'", entry.key);
                self.error_hint(
                    Code::UnknownKey,
                    entry.key_place,
                    message,
                    unknown_key_hint(&entry.key, known),
                );
            }
        }
        Some(fields)
    }

    /// A mapping with keys of any name.
    pub fn open_fields<'n>(&mut self, node: &'n Node, what: &str) -> Option<Fields<'n>> {
        if node.as_map().is_none() {
            self.wrong_type(node, what, "a mapping");
            return None;
        }
        Some(Fields { node })
    }

    /// A required text.
    pub fn required(&mut self, fields: Fields<'_>, key: &str, what: &str) -> Option<String> {
        let Some(node) = fields.get(key) else {
            if fields.has(key) {
                let hint = format!("write a text behind '{key}:'");
                self.error_hint(Code::BadValue, fields.key_place(key), format!("'{key}' is empty"), hint);
                return None;
            }
            let hint = format!("add '{key}: …'");
            self.error_hint(Code::MissingKey, fields.node.place, format!("{what} needs '{key}'"), hint);
            return None;
        };
        let text = self.text(node, &format!("'{key}'"))?;
        if text.trim().is_empty() {
            let hint = format!("write a text behind '{key}:'");
            self.error_hint(Code::BadValue, node.place, format!("'{key}' is empty"), hint);
            return None;
        }
        Some(text)
    }

    /// A text; numbers and booleans count as the text they were written as.
    pub fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        match &node.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(scalar.text.clone()),
            _ => {
                self.wrong_type(node, what, "a text");
                None
            }
        }
    }

    pub fn optional_text(&mut self, fields: Fields<'_>, key: &str) -> Option<String> {
        let node = fields.get(key)?;
        self.text(node, &format!("'{key}'"))
    }

    pub fn optional_bool(&mut self, fields: Fields<'_>, key: &str) -> Option<bool> {
        let node = fields.get(key)?;
        match node.as_scalar().map(|scalar| scalar.text.as_str()) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => {
                let hint = format!("write '{key}: true' or '{key}: false'");
                let message = format!("'{key}' must be true or false");
                self.error_hint(Code::WrongType, node.place, message, hint);
                None
            }
        }
    }

    pub fn optional_count(&mut self, fields: Fields<'_>, key: &str) -> Option<u32> {
        let node = fields.get(key)?;
        let number = node.as_scalar().and_then(|scalar| scalar.text.parse().ok());
        if number.is_none() {
            let message = format!("'{key}' must be a whole number from 0 on");
            let hint = format!("for example '{key}: 3'");
            self.error_hint(Code::WrongType, node.place, message, hint);
        }
        number
    }

    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        if node.as_list().is_none() {
            self.wrong_type(node, what, "a list");
        }
        node.as_list()
    }

    /// A list of texts with their places; absent = empty.
    pub fn texts(&mut self, fields: Fields<'_>, key: &str) -> Vec<(String, Place)> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        let what = format!("'{key}'");
        let Some(items) = self.list(node, &what) else { return Vec::new() };
        let mut texts = Vec::new();
        for item in items {
            if let Some(text) = self.text(item, &format!("an item of {what}")) {
                texts.push((text, item.place));
            }
        }
        texts
    }

    /// A mapping from texts to texts; absent = empty.
    pub fn text_map(&mut self, fields: Fields<'_>, key: &str) -> Vec<(String, String)> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        let Some(map) = self.open_fields(node, &format!("'{key}'")) else { return Vec::new() };
        let mut pairs = Vec::new();
        for entry in map.node.as_map().unwrap_or_default() {
            if let Some(text) = self.text(&entry.value, &format!("'{key}.{}'", entry.key)) {
                pairs.push((entry.key.clone(), text));
            }
        }
        pairs
    }

    /// The default of something declared with a type. Numbers and flags keep tokens, which stand for a
    /// value that is known later; an explicit null is a default of its own.
    pub fn default_value(&mut self, fields: Fields<'_>, kind: &str) -> Option<Json> {
        let node = fields.node.get("default")?;
        let text = node.as_scalar().filter(|scalar| !scalar.is_null()).map(|scalar| scalar.text.as_str());
        let open = text.is_some_and(|text| text.contains("{{") || text.contains("${"));
        let value = match (kind, text) {
            _ if node.is_null() => Some(Json::Null),
            ("string", Some(text)) => Some(text.into()),
            ("array", None) if node.as_list().is_some() => Some(node.to_json()),
            ("object", None) if node.as_map().is_some() => Some(node.to_json()),
            (_, Some(text)) if open => Some(text.into()),
            ("boolean", Some("true")) => Some(true.into()),
            ("boolean", Some("false")) => Some(false.into()),
            ("integer", Some(text)) => text.parse::<i64>().ok().map(Json::from),
            ("number", Some(text)) => number(text),
            _ => None,
        };
        if value.is_none() {
            let message = format!("the default does not fit the type '{kind}'");
            self.error(Code::BadValue, node.place, message);
        }
        value
    }

    /// A list of tool calls; those that are malformed are reported and left out.
    pub fn tool_calls(&mut self, node: &Node, what: &str) -> Vec<ToolCall> {
        let Some(items) = self.list(node, what) else { return Vec::new() };
        items.iter().filter_map(|item| self.tool_call(item)).collect()
    }

    /// `toolName: {args}`
    pub fn tool_call(&mut self, node: &Node) -> Option<ToolCall> {
        let entry = match node.as_map() {
            Some([entry]) => entry,
            Some([]) => {
                self.error(Code::Structure, node.place, "a tool call needs the name of a tool");
                return None;
            }
            Some([_, second, ..]) => {
                let message =
                    format!("a tool call has one key, the tool's name; '{}' is a second one", second.key);
                let hint = "start each call with its own '-', and indent arguments below the name";
                self.error_hint(Code::Structure, second.key_place, message, hint);
                return None;
            }
            None => {
                let hint = match node.as_scalar() {
                    Some(scalar) if !scalar.is_null() => format!("write '{}: {{}}'", scalar.text),
                    _ => "write 'toolName: {arguments}'".to_owned(),
                };
                let message = format!("a tool call is a mapping with one key, not {}", node.kind());
                self.error_hint(Code::WrongType, node.place, message, hint);
                return None;
            }
        };
        let args = match &entry.value.value {
            _ if entry.value.is_null() => serde_json::Map::new(),
            Value::Map(entries) => entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect(),
            _ => {
                let what = format!("the arguments of '{}'", entry.key);
                self.wrong_type(&entry.value, &what, "a mapping");
                return None;
            }
        };
        Some(ToolCall {
            name: entry.key.clone(),
            args,
            at: Some(self.file_place(entry.key_place)),
            source: Some(entry.value.clone()),
        })
    }
}

/// The nearest known key, or all of them.
pub(crate) fn unknown_key_hint(key: &str, known: &[&str]) -> String {
    if key == "<<" {
        return "YAML 1.2 has no merge keys; write the values out".to_owned();
    }
    names::nearest_hint(key, known.iter().copied())
        .unwrap_or_else(|| format!("known keys: {}", known.join(", ")))
}

/// Whole numbers stay whole.
fn number(text: &str) -> Option<Json> {
    match text.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => text.parse::<f64>().ok().filter(|float| float.is_finite()).map(Json::from),
    }
}
