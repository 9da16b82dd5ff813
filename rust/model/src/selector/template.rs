//! `{{target.appId}}` in the patterns of selectors.

use serde_json::Value;

const TOKEN: &str = "{{target.appId}}";

/// Replaces the token in every `*Regex` by the ids of the app. False when a token is left, because no id is known or
/// because it stands where none is filled in: such a selector must not match silently nothing.
pub fn fill_app_id(value: &mut Value, ids: &[String]) -> bool {
    match value {
        Value::Object(map) => {
            let mut filled = true;
            for (key, value) in map {
                filled &= match value {
                    Value::String(text) if key.ends_with("Regex") => fill(text, ids),
                    other => fill_app_id(other, ids),
                };
            }
            filled
        }
        Value::Array(items) => {
            let mut filled = true;
            for item in items {
                filled &= fill_app_id(item, ids);
            }
            filled
        }
        Value::String(text) => !text.contains(TOKEN),
        _ => true,
    }
}

fn fill(text: &mut String, ids: &[String]) -> bool {
    let pattern = match ids {
        [] => return !text.contains(TOKEN),
        [one] => format!(r"\Q{one}\E"),
        several => {
            let quoted: Vec<String> = several.iter().map(|id| format!(r"\Q{id}\E")).collect();
            format!("(?:{})", quoted.join("|"))
        }
    };
    let (mut out, mut rest) = (String::with_capacity(text.len() + pattern.len()), text.as_str());
    while let Some((before, after)) = rest.split_once(TOKEN) {
        out.push_str(before);
        out.push_str(&if is_quoted(&out) { format!(r"\E{pattern}\Q") } else { pattern.clone() });
        rest = after;
    }
    *text = out + rest;
    true
}

/// Whether what follows this part of a pattern is quoted.
fn is_quoted(before: &str) -> bool {
    let mut rest = before;
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at + 1..];
        match escape.strip_prefix('Q') {
            Some(quoted) => match quoted.split_once("\\E") {
                Some((_, after)) => rest = after,
                None => return true,
            },
            None => rest = escape.get(escape.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default(),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_quoted_into_patterns() {
        let filled_in = |pattern: &str, ids: &[&str]| {
            let mut value = json!({"below": {"androidAccessibility": {"resourceIdRegex": pattern}}});
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            let done = fill_app_id(&mut value, &ids);
            (done, value["below"]["androidAccessibility"]["resourceIdRegex"].as_str().unwrap().to_owned())
        };
        let filled = |ids: &[&str]| filled_in("{{target.appId}}:id/ok", ids);
        assert_eq!(filled(&["a.b"]), (true, r"\Qa.b\E:id/ok".to_owned()));
        assert_eq!(filled(&["a", "b"]), (true, r"(?:\Qa\E|\Qb\E):id/ok".to_owned()));
        assert!(!filled(&[]).0);
        assert!(filled_in("no token", &[]).0);
        let quoted = r"\Q{{target.appId}}:id/a+b\E";
        assert_eq!(filled_in(quoted, &["a"]), (true, r"\Q\E\Qa\E\Q:id/a+b\E".to_owned()));
        assert_eq!(filled_in(r"\\Q{{target.appId}}", &["a"]).1, r"\\Q\Qa\E");
    }

    #[test]
    fn a_token_where_none_is_filled_in_is_a_rest() {
        let mut value = json!({"androidAccessibility": {"uniqueId": "{{target.appId}}", "textRegex": "a"}});
        assert!(!fill_app_id(&mut value, &["a".to_owned()]));
    }
}
