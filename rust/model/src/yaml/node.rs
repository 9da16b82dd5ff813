//! One value of a YAML document with its place.

use serde_json::Value as Json;

use crate::place::Place;

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub place: Place,
    /// Where the text of the value ends; for block collections, of their last value.
    pub end: Place,
    /// Written as `[…]` or `{…}`.
    pub flow: bool,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_place: Place,
    pub value: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    pub text: String,
    /// Neither quoted nor a block, so it may stand for something other than text.
    pub plain: bool,
}

impl Scalar {
    pub fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// The typed value. A number that would print differently from what was written stays a text;
    /// a key that needs a number still reads it as one.
    pub fn to_json(&self) -> Json {
        if !self.plain {
            return Json::String(self.text.clone());
        }
        match self.text.as_str() {
            _ if self.is_null() => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            text => number(text).unwrap_or_else(|| Json::String(text.to_owned())),
        }
    }
}

fn number(text: &str) -> Option<Json> {
    let looks_like_one = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if !looks_like_one {
        return None;
    }
    let number: Json = if let Ok(whole) = text.parse::<i64>() {
        whole.into()
    } else if let Ok(whole) = text.parse::<u64>() {
        whole.into()
    } else {
        text.parse::<f64>().ok().filter(|float| float.is_finite())?.into()
    };
    let printed = number.to_string();
    (printed == text).then_some(number)
}

impl Node {
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// What a person calls this value.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) if scalar.is_null() => "nothing",
            Value::Scalar(_) => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar(scalar) => scalar.to_json(),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect())
            }
        }
    }

    /// The place of the value at a JSON pointer, or of the closest value above it.
    pub fn place_at(&self, pointer: &str) -> Place {
        let mut node = self;
        let mut place = self.place;
        for segment in pointer.split('/').skip(1) {
            let key = segment.replace("~1", "/").replace("~0", "~");
            let next = match &node.value {
                Value::List(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)),
                Value::Map(entries) => {
                    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
                }
                Value::Scalar(_) => None,
            };
            let Some(next) = next else { break };
            node = next;
            place = next.place;
        }
        place
    }
}
