//! JSON values to YAML that reads back as the same values.

use serde_json::Value;

use super::node::Scalar;

/// A longer key is only read behind a `?`.
const MAX_SIMPLE_KEY: usize = 1_000;

/// Prints a value in block style, with a line ending at the end.
pub fn print(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => entries(&mut out, value, 0),
        Value::Array(items) if !items.is_empty() => entries(&mut out, value, 0),
        _ => {
            scalar(&mut out, value);
            out.push('\n');
        }
    }
    out
}

/// Prints the entries of a collection that is not empty, each on lines of its own.
pub(super) fn entries(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) => {
            for (index, (key, value)) in map.iter().enumerate() {
                // The first entry of a mapping in a list stands behind its dash.
                if index > 0 || !out.ends_with("- ") {
                    out.push_str(&" ".repeat(indent));
                }
                let start = out.len();
                text(out, key);
                if out[start..].chars().count() > MAX_SIMPLE_KEY {
                    out.insert_str(start, "? ");
                    out.push('\n');
                    out.push_str(&" ".repeat(indent));
                }
                out.push(':');
                after_marker(out, value, indent + 2);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 || !out.ends_with("- ") {
                    out.push_str(&" ".repeat(indent));
                }
                match item {
                    Value::Object(map) if !map.is_empty() => {
                        out.push_str("- ");
                        entries(out, item, indent + 2);
                    }
                    Value::Array(inner) if !inner.is_empty() => {
                        out.push_str("- ");
                        entries(out, item, indent + 2);
                    }
                    _ => {
                        out.push('-');
                        after_marker(out, item, indent + 2);
                    }
                }
            }
        }
        _ => unreachable!("only collections have entries"),
    }
}

/// What follows `key:` or `-`: on the same line, or on lines of its own.
fn after_marker(out: &mut String, value: &Value, indent: usize) {
    let nested = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if nested {
        out.push('\n');
        entries(out, value, indent);
    } else if let Some(lines) = value.as_str().filter(|text| is_block(text)) {
        out.push_str(if lines.ends_with('\n') { " |\n" } else { " |-\n" });
        for line in lines.lines() {
            if !line.is_empty() {
                out.push_str(&" ".repeat(indent));
            }
            out.push_str(line);
            out.push('\n');
        }
    } else {
        out.push(' ');
        scalar(out, value);
        out.push('\n');
    }
}

/// Whether a text of several lines can stand as it is below a `|`.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with([' ', '\n'])
        && !body.ends_with('\n')
        && body.lines().all(|line| !line.starts_with('\t') && line.trim_end() == line)
        && !body.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || is_odd(c))
}

/// Characters that some readers take for line breaks, or leave out.
fn is_odd(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn scalar(out: &mut String, value: &Value) {
    match value {
        Value::String(value) => text(out, value),
        other => out.push_str(&other.to_string()),
    }
}

fn text(out: &mut String, value: &str) {
    if is_plain(value) {
        out.push_str(value);
    } else {
        quoted(out, value);
    }
}

/// Whether a text can stand without quotes, for us and for other readers.
fn is_plain(value: &str) -> bool {
    let first = value.chars().next();
    let last = value.chars().next_back();
    let untyped = Scalar { text: value.to_owned(), plain: true }.to_json().is_string();
    let other_readers = ["yes", "no", "on", "off", "y", "n", "true", "false", "null"];
    let unsigned = value.strip_prefix('+').unwrap_or(value);
    let unsigned = unsigned.strip_prefix('.').unwrap_or(unsigned);
    let number_like = unsigned.starts_with(|c: char| c.is_ascii_digit())
        || [".inf", ".nan"].iter().any(|word| value.to_lowercase().contains(word))
        || value.starts_with("...");
    untyped
        && !number_like
        && !first.is_none_or(|c| c.is_whitespace() || "-?:,[]{}#&*!|>'\"%@`=<~".contains(c))
        && !last.is_none_or(|c| c.is_whitespace() || c == ':')
        && !other_readers.iter().any(|word| value.eq_ignore_ascii_case(word))
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.contains(is_odd)
        && !value.chars().any(char::is_control)
        && value.chars().all(|c| c == ' ' || !c.is_whitespace())
}

fn quoted(out: &mut String, value: &str) {
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || is_odd(c) => {
                out.push_str(&format!("\\U{:08X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Prints a value on one line, for a place inside of `[…]` or `{…}`.
pub(super) fn flow(out: &mut String, value: &Value) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push_str("{ ");
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                flow_entry(out, key, value);
            }
            out.push_str(" }");
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                flow(out, item);
            }
            out.push(']');
        }
        Value::String(value) => flow_text(out, value),
        other => out.push_str(&other.to_string()),
    }
}

/// `key: value` between the braces of a mapping.
pub(super) fn flow_entry(out: &mut String, key: &str, value: &Value) {
    let start = out.len();
    flow_text(out, key);
    if out[start..].chars().count() > MAX_SIMPLE_KEY {
        out.insert_str(start, "? ");
    }
    out.push_str(": ");
    flow(out, value);
}

fn flow_text(out: &mut String, value: &str) {
    if is_plain(value) && !value.contains([',', '[', ']', '{', '}', ':']) {
        out.push_str(value);
    } else {
        quoted(out, value);
    }
}
