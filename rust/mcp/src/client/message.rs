//! JSON-RPC messages: what is written and what is read.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A message from the server. What it is shows in what it has.
#[derive(Debug, Deserialize)]
pub(super) struct Incoming<'a> {
    #[serde(default)]
    pub(super) id: Option<Value>,
    #[serde(default, borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) params: Value,
    #[serde(default, deserialize_with = "present")]
    pub(super) result: Option<Value>,
    #[serde(default)]
    pub(super) error: Option<RpcError>,
}

/// A result that is null is one, too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl<'a> Incoming<'a> {
    /// None where the line is something else.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let message: Self = serde_json::from_slice(line).ok()?;
        let is_result = message.id.is_some() && message.result.is_some();
        (message.method.is_some() || is_result || message.error.is_some()).then_some(message)
    }
}

/// How a server refuses a request.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) data: Value,
}

pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const UNSUPPORTED_VERSION: i64 = -32022;

/// The parameters of a request.
#[derive(Clone, Copy)]
pub(super) enum Params<'a> {
    /// JSON of an object without `_meta`.
    Object(&'a str),
    /// Made from more entries of `_meta`, each with a comma behind it. Signs of progress are asked for.
    Made(&'a dyn Fn(&str) -> String),
}

/// A request on one line. `meta` are entries of `_meta`, each with a comma behind it.
pub(super) fn request(id: u64, method: &str, params: Params<'_>, meta: &str) -> String {
    let made;
    let (object, meta) = match params {
        Params::Object(object) => (object, meta.trim_end_matches(',')),
        Params::Made(make) => {
            made = make(&format!(r#""progressToken":{id},{meta}"#));
            (made.as_str(), "")
        }
    };
    let mut text = String::with_capacity(object.len() + meta.len() + method.len() + 80);
    write_into(&mut text, format_args!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":"#));
    match object.strip_suffix('}') {
        Some(open) if !meta.is_empty() => {
            let comma = if open.len() > 1 { "," } else { "" };
            write_into(&mut text, format_args!(r#"{open}{comma}"_meta":{{{meta}}}}}"#));
        }
        _ => text.push_str(object),
    }
    text.push_str("}\n");
    text
}

fn write_into(text: &mut String, piece: fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = text.write_fmt(piece);
}

pub(super) fn notification(method: &str, params: &Value) -> String {
    let mut text = format!(r#"{{"jsonrpc":"2.0","method":"{method}""#);
    if !params.is_null() {
        write_into(&mut text, format_args!(r#","params":{params}"#));
    }
    text.push_str("}\n");
    text
}

/// The answer to a request of the server.
pub(super) fn answer(id: &Value, answer: Result<(), &RpcError>) -> String {
    match answer {
        Ok(()) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"),
        Err(RpcError { code, message, .. }) => {
            let message = Value::from(message.as_str());
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}}}}}\n"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(params: Params<'_>, meta: &str, expected: &str) {
        let text = request(7, "tools/call", params, meta);
        let whole = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{expected}}}"#);
        assert_eq!(text.trim_end_matches('\n'), whole);
        serde_json::from_str::<Value>(&text).unwrap();
    }

    #[test]
    fn entries_join_the_meta_of_a_request() {
        check(Params::Object("{}"), "", "{}");
        check(Params::Object("{}"), r#""c":1,"#, r#"{"_meta":{"c":1}}"#);
        check(Params::Object(r#"{"cursor":"x"}"#), r#""c":1,"#, r#"{"cursor":"x","_meta":{"c":1}}"#);
        let make = |meta: &str| format!(r#"{{"name":"a","_meta":{{{meta}"b":2}}}}"#);
        check(Params::Made(&make), "", r#"{"name":"a","_meta":{"progressToken":7,"b":2}}"#);
        check(Params::Made(&make), r#""c":1,"#, r#"{"name":"a","_meta":{"progressToken":7,"c":1,"b":2}}"#);
    }

    #[test]
    fn lines_that_are_messages_and_others() {
        let is_message = |line: &str| Incoming::read(line.as_bytes()).is_some();
        assert!(is_message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(is_message(r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#));
        assert!(is_message(r#"{"jsonrpc":"2.0","id":1,"result":null}"#));
        assert!(is_message(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#));
        assert!(is_message(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#));
        for noise in ["hello", "", "42", "{}", r#"{"a":1}"#, "[]", "{ a: 1 }", r#"{"id":1}"#] {
            assert!(!is_message(noise), "{noise}");
        }
        assert!(!is_message(&"[".repeat(100_000)), "deep nesting is no message");
    }
}
