//! A tool call as it stands in a document: a name, its arguments and where they were written.

use serde_json::{Map, Value};

use crate::place::FilePlace;
use crate::yaml::Node;

/// `toolName: {args}`. Equality ignores where it was written.
#[derive(Clone, Debug, Default)]
pub struct ToolCall {
    pub name: String,
    pub args: Map<String, Value>,
    /// The place of the name; none for calls that no document wrote.
    pub at: Option<FilePlace>,
    /// The arguments with the place of every value, for checks that point at one.
    pub source: Option<Node>,
}

impl ToolCall {
    pub fn new(name: impl Into<String>, args: Map<String, Value>) -> Self {
        Self { name: name.into(), args, at: None, source: None }
    }

    /// As it stands in YAML and in events: `{name: args}`.
    pub fn to_value(&self) -> Value {
        Value::Object(Map::from_iter([(self.name.clone(), Value::Object(self.args.clone()))]))
    }
}

impl PartialEq for ToolCall {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.args == other.args
    }
}
