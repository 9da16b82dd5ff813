//! JSON text that JavaScript printed.

use serde_json::Value;

/// JavaScript strings may hold half of a surrogate pair; those become U+FFFD, since JSON in Rust has no place for them.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| {
        let repaired = replace_lone_surrogates(text);
        if repaired == text { Err(error) } else { serde_json::from_str(&repaired) }
    })
}

/// `JSON.stringify` escapes surrogates only when they stand alone.
fn replace_lone_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let lone = rest.len() >= 6
            && rest[1..].starts_with(['u'])
            && rest.is_char_boundary(6)
            && u16::from_str_radix(&rest[2..6], 16).is_ok_and(|unit| (0xd800..=0xdfff).contains(&unit));
        let length = if lone { 6 } else { 2.min(rest.len()) };
        out.push_str(if lone { "\\ufffd" } else { &rest[..length] });
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(replace_lone_surrogates(text), expected);
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        check(r#""a\ud83db""#, r#""a\ufffdb""#);
        check(r#""\\ud83d\n\u0041""#, r#""\\ud83d\n\u0041""#);
        check(r#""é\"\udfff""#, r#""é\"\ufffd""#);
    }
}
