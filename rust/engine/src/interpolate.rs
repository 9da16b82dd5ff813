//! Variables in arguments: one left-to-right scan, values are not scanned again.
//!
//! `{{name}}` is a parameter of the YAML tool or a memory variable, `${name}` a memory variable,
//! `{{args.name}}` a declared argument of the trail. `{{?name}}` as a whole value drops its key
//! when there is no value.

use serde_json::{Map, Value};

/// Where names are looked up.
pub trait Lookup {
    /// The value of a name; none when nobody knows it. A parameter that was left out is null.
    fn find(&self, name: &str, spelling: Spelling) -> Result<Option<Value>, String>;
}

/// How a token was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `${name}`
    Dollar,
    /// `{{name}}` or `{{?name}}`
    Braces,
}

/// One token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub start: usize,
    pub end: usize,
    pub name: &'a str,
    pub spelling: Spelling,
    /// `{{?name}}`
    pub optional: bool,
}

/// The tokens of a text, from left to right.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(['$', '{']).map(|at| from + at) {
        match token_at(text, at) {
            Some(token) => {
                from = token.end;
                found.push(token);
            }
            None => from = at + 1,
        }
    }
    found
}

/// A name has no braces and no line breaks, so that no part of a text is read twice.
fn token_at(text: &str, at: usize) -> Option<Token<'_>> {
    let rest = &text[at..];
    let (spelling, open, close) = if rest.starts_with("${") {
        (Spelling::Dollar, "${", "}")
    } else if rest.starts_with("{{") {
        (Spelling::Braces, "{{", "}}")
    } else {
        return None;
    };
    let body = &rest[open.len()..];
    let length = body.find(['{', '}', '\n'])?;
    if !body[length..].starts_with(close) {
        return None;
    }
    let name = body[..length].trim();
    let (name, optional) = match name.strip_prefix('?') {
        Some(name) if spelling == Spelling::Braces => (name.trim(), true),
        _ => (name, false),
    };
    let end = at + open.len() + length + close.len();
    (!name.is_empty()).then_some(Token { start: at, end, name, spelling, optional })
}

/// What an interpolation could not resolve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// Tokens that stayed as they were written.
    pub unknown: Vec<String>,
    /// Tokens that can never be resolved, with the reason.
    pub bad: Vec<String>,
}

/// Replaces the tokens in every text of a value.
pub fn interpolate(value: &Value, lookup: &dyn Lookup, unresolved: &mut Unresolved) -> Option<Value> {
    match value {
        Value::String(text) => interpolate_text(text, lookup, unresolved),
        Value::Array(items) => {
            Some(items.iter().filter_map(|item| interpolate(item, lookup, unresolved)).collect())
        }
        Value::Object(map) => Some(Value::Object(interpolate_map(map, lookup, unresolved))),
        other => Some(other.clone()),
    }
}

/// As [`interpolate`], for the arguments of a call.
pub fn interpolate_map(
    map: &Map<String, Value>,
    lookup: &dyn Lookup,
    unresolved: &mut Unresolved,
) -> Map<String, Value> {
    let pairs = map.iter();
    pairs.filter_map(|(key, value)| Some((key.clone(), interpolate(value, lookup, unresolved)?))).collect()
}

fn interpolate_text(text: &str, lookup: &dyn Lookup, unresolved: &mut Unresolved) -> Option<Value> {
    let tokens = tokens(text);
    let mut find = |token: &Token<'_>| match lookup.find(token.name, token.spelling) {
        Ok(Some(value)) => Some(value),
        Ok(None) => {
            unresolved.unknown.push(text[token.start..token.end].to_owned());
            None
        }
        Err(reason) => {
            unresolved.bad.push(reason);
            None
        }
    };
    if let [token] = tokens.as_slice()
        && token.start == 0
        && token.end == text.len()
    {
        return match find(token) {
            Some(Value::Null) if token.optional => None,
            Some(value) => Some(value),
            None => Some(Value::String(text.to_owned())),
        };
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for token in &tokens {
        out.push_str(&text[from..token.start]);
        match find(token) {
            Some(Value::Null) => {}
            Some(Value::String(value)) => out.push_str(&value),
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str(&text[token.start..token.end]),
        }
        from = token.end;
    }
    out.push_str(&text[from..]);
    Some(Value::String(out))
}

/// Whether a value holds a token, so that its type is known only when it runs.
pub fn has_tokens(value: &Value) -> bool {
    match value {
        Value::String(text) => !tokens(text).is_empty(),
        Value::Array(items) => items.iter().any(has_tokens),
        Value::Object(map) => map.values().any(has_tokens),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    struct Names(Value);

    impl Lookup for Names {
        fn find(&self, name: &str, _spelling: Spelling) -> Result<Option<Value>, String> {
            Ok(self.0.get(name).cloned())
        }
    }

    #[track_caller]
    fn check(value: Value, expected: Value) -> Unresolved {
        let names = Names(json!({"n": 5, "b": true, "s": "text", "none": null, "again": "{{n}} ${s}"}));
        let mut unresolved = Unresolved::default();
        assert_eq!(interpolate(&value, &names, &mut unresolved), Some(expected));
        unresolved
    }

    #[test]
    fn a_whole_value_keeps_its_type() {
        check(json!({"a": "{{n}}", "b": "{{ b }}", "c": "${s}"}), json!({"a": 5, "b": true, "c": "text"}));
    }

    #[test]
    fn inside_a_text_it_is_spliced() {
        check(json!("n={{n}}, b=${b}; {{s}}!"), json!("n=5, b=true; text!"));
    }

    #[test]
    fn an_omitted_parameter_is_null_empty_or_dropped() {
        check(json!({"a": "{{none}}", "b": "x{{none}}y", "c": "{{?none}}"}), json!({"a": null, "b": "xy"}));
        check(json!(["{{?none}}", "{{?n}}"]), json!([5]));
    }

    #[test]
    fn values_are_not_scanned_again() {
        check(json!("{{again}}"), json!("{{n}} ${s}"));
        check(json!("<{{again}}>"), json!("<{{n}} ${s}>"));
    }

    #[test]
    fn unknown_names_stay_literal_and_are_reported() {
        let unresolved =
            check(json!(["{{nobody}}", "a ${nobody} b"]), json!(["{{nobody}}", "a ${nobody} b"]));
        assert_eq!(unresolved.unknown, ["{{nobody}}", "${nobody}"]);
    }

    #[test]
    fn what_is_no_token_stays() {
        for text in ["{", "{{", "{{}}", "{{?}}", "$", "${", "${}", "$5", "{n}", "{{n}", "a {{ } b", "${n\n}"]
        {
            check(json!(text), json!(text));
        }
    }

    #[test]
    fn braces_around_a_token_stay() {
        check(json!("{{{n}}"), json!("{5"));
        check(json!("{\"count\": {{n}}}"), json!("{\"count\": 5}"));
        check(json!("$${s}}"), json!("$text}"));
    }

    #[test]
    fn a_text_of_nothing_but_braces_is_read_in_one_go() {
        for part in ["${", "{{", "{{a", "${a ", "}}"] {
            let text = part.repeat(1 << 18);
            assert_eq!(tokens(&text), []);
        }
    }

    proptest! {
        #[test]
        fn a_text_without_known_names_never_changes(text in "[${}a-c? ]{0,20}") {
            let mut unresolved = Unresolved::default();
            let value = json!(text);
            prop_assert_eq!(interpolate(&value, &Names(json!({})), &mut unresolved), Some(value));
        }

        #[test]
        fn a_value_is_spliced_exactly(before in "[a-z ]{0,8}", value in "\\PC{0,12}", after in "[a-z ]{0,8}") {
            let names = Names(json!({ "x": value }));
            let mut unresolved = Unresolved::default();
            let text = json!(format!("{before}${{x}}{after}"));
            prop_assert_eq!(
                interpolate(&text, &names, &mut unresolved),
                Some(json!(format!("{before}{value}{after}")))
            );
        }
    }
}
