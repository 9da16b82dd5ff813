//! What is wrong with JSON that is no message of the contract, for whoever wrote it.

use buffa_descriptor::{DescriptorPool, FieldKind, MessageIndex, ScalarType, SingularKind};
use serde_json::Value;
use trailblaze_model::names;

/// The longest value that is shown as it was sent.
const MOST_SHOWN: usize = 40;

/// The first thing that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    pub message: String,
    pub hint: String,
}

impl From<String> for Misfit {
    fn from(message: String) -> Self {
        Self { message, hint: String::new() }
    }
}

/// None where it cannot be told: then the library's own words must do.
pub(crate) fn find(pool: &DescriptorPool, message: MessageIndex, text: &str) -> Option<Misfit> {
    let json: Value = serde_json::from_str(text).ok()?;
    let name = pool.message(message).full_name();
    let found = in_message(pool, message, &json, "")?;
    Some(Misfit { message: format!("this is no {name}: {}", found.message), ..found })
}

fn in_message(pool: &DescriptorPool, message: MessageIndex, json: &Value, at: &str) -> Option<Misfit> {
    let kind = pool.message(message);
    // These have a JSON of their own.
    if kind.full_name().starts_with("google.protobuf.") {
        return None;
    }
    let Some(given) = json.as_object() else { return Some(wrong(at, "an object", json)) };
    given.iter().find_map(|(key, value)| {
        let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        let field = kind.fields().iter().find(|field| field.json_name() == key || field.name() == key);
        let Some(field) = field else {
            let known = || kind.fields().iter().map(|field| field.json_name());
            let all = || format!("it has {}", names::list(&known().collect::<Vec<_>>()));
            let hint = names::nearest_hint(key, known()).unwrap_or_else(all);
            return Some(Misfit { message: format!("there is no field '{at}'"), hint });
        };
        if value.is_null() {
            return None;
        }
        match (field.kind(), value) {
            (FieldKind::Singular(kind), value) => in_value(pool, kind, value, &at),
            (FieldKind::List(kind), Value::Array(values)) => values
                .iter()
                .enumerate()
                .find_map(|(index, value)| in_value(pool, kind, value, &format!("{at}[{index}]"))),
            (FieldKind::List(_), other) => Some(wrong(&at, "a list", other)),
            (FieldKind::Map { value: kind, .. }, Value::Object(values)) => {
                values.iter().find_map(|(key, value)| in_value(pool, kind, value, &format!("{at}.{key}")))
            }
            (FieldKind::Map { .. }, other) => Some(wrong(&at, "an object", other)),
        }
    })
}

fn in_value(pool: &DescriptorPool, kind: SingularKind, value: &Value, at: &str) -> Option<Misfit> {
    let scalar = match kind {
        SingularKind::Message(message) => return in_message(pool, message, value, at),
        SingularKind::Enum(kind) => {
            let known = pool.enumeration(kind);
            let fits =
                value.is_i64() || value.as_str().is_some_and(|name| known.value_by_name(name).is_some());
            let names: Vec<&str> = known.values().iter().map(|value| value.name()).collect();
            return (!fits).then(|| wrong(at, &format!("one of {}", names.join(", ")), value));
        }
        SingularKind::Scalar(scalar) => scalar,
    };
    // A number may be written as a text.
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    let whole = |low: f64, high: f64| {
        number.is_some_and(|number| number.fract() == 0.0 && (low..=high).contains(&number))
    };
    let (fits, wanted) = match scalar {
        ScalarType::String => (value.is_string(), "a text"),
        ScalarType::Bytes => (value.is_string(), "a text in base64"),
        ScalarType::Bool => (value.is_boolean(), "true or false"),
        ScalarType::Double | ScalarType::Float => (number.is_some(), "a number"),
        ScalarType::Uint32 | ScalarType::Fixed32 => {
            (whole(0.0, u32::MAX.into()), "a whole number that is not negative")
        }
        ScalarType::Uint64 | ScalarType::Fixed64 => {
            (whole(0.0, f64::INFINITY), "a whole number that is not negative")
        }
        ScalarType::Int32 | ScalarType::Sint32 | ScalarType::Sfixed32 => {
            (whole(i32::MIN.into(), i32::MAX.into()), "a whole number of 32 bits")
        }
        _ => (whole(f64::NEG_INFINITY, f64::INFINITY), "a whole number"),
    };
    (!fits).then(|| wrong(at, wanted, value))
}

fn wrong(at: &str, wanted: &str, value: &Value) -> Misfit {
    let what = if at.is_empty() { "the message".to_owned() } else { format!("'{at}'") };
    let given = match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) if text.chars().count() > MOST_SHOWN => "such a text".to_owned(),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    };
    Misfit::from(format!("{what} must be {wanted}, not {given}"))
}
