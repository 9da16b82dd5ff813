//! Reads the properties of one node from JSON, by the names that selectors and captures use.

use std::fmt;

use serde_json::{Map, Value};

use super::{Bounds, Flag, NodeSpec, Prop};

/// A property with a value of the wrong kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadNode {
    pub key: String,
    pub message: String,
}

impl fmt::Display for BadNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' {}", self.key, self.message)
    }
}

impl std::error::Error for BadNode {}

/// Reads `text`, `isClickable`, `bounds: [l, t, r, b]` and the rest; keys that are no property are ignored.
pub fn spec_from_json(node: &Map<String, Value>) -> Result<NodeSpec, BadNode> {
    let bad = |key: &str, message: &str| BadNode { key: key.to_owned(), message: message.to_owned() };
    let mut spec = NodeSpec::default();
    for (key, value) in node {
        if value.is_null() {
            continue;
        }
        if let Some(prop) = Prop::from_key(key) {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                _ => return Err(bad(key, "must be a text")),
            };
            spec.props[prop as usize] = Some(text);
        } else if let Some(flag) = Flag::from_key(key) {
            let on = value.as_bool().ok_or_else(|| bad(key, "must be true or false"))?;
            spec.flags.set(flag, on);
        } else if key == "bounds" {
            spec.bounds = Some(bounds(value).ok_or_else(|| bad(key, "must be [left, top, right, bottom]"))?);
        } else if key == "inputType" {
            spec.input_type = int(value).ok_or_else(|| bad(key, "must be a whole number"))?;
        } else if key == "maxTextLength" {
            spec.max_text_length = int(value).ok_or_else(|| bad(key, "must be a whole number"))?;
        }
    }
    Ok(spec)
}

fn bounds(value: &Value) -> Option<Bounds> {
    let side = |key: &str, index: usize| match value {
        Value::Array(sides) if sides.len() == 4 => int(&sides[index]),
        Value::Object(sides) => sides.get(key).map_or(Some(0), int),
        _ => None,
    };
    Some(Bounds::new(side("left", 0)?, side("top", 1)?, side("right", 2)?, side("bottom", 3)?))
}

/// A whole number; a fraction is rounded, since layouts are computed.
fn int(value: &Value) -> Option<i32> {
    let number = value.as_f64()?.round();
    (number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX)).then_some(number as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(value: Value) -> Result<NodeSpec, BadNode> {
        spec_from_json(value.as_object().unwrap())
    }

    #[test]
    fn properties_have_the_names_of_selectors() {
        let spec = spec(
            json!({"text": 5, "isClickable": true, "isEnabled": false, "bounds": [0, 1.4, 2, 3], "mine": {}}),
        )
        .unwrap();
        assert_eq!(spec.props[Prop::Text as usize].as_deref(), Some("5"));
        assert!(spec.flags.has(Flag::Clickable) && !spec.flags.has(Flag::Enabled));
        assert_eq!(spec.bounds, Some(Bounds::new(0, 1, 2, 3)));
    }

    #[test]
    fn a_wrong_kind_is_named() {
        assert_eq!(
            spec(json!({"isClickable": 1})).unwrap_err().to_string(),
            "'isClickable' must be true or false"
        );
        assert!(spec(json!({"bounds": [0, 0, 1e300, 1]})).is_err());
    }
}
