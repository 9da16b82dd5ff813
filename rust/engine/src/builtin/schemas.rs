//! What every tool says about itself: its description and its schema, in one file that is written out from the
//! structs of the arguments and their comments. Making schemas takes ten times the code of reading them, and
//! the library of the phone counts its bytes; so that everybody runs the same code, all read them.

use serde_json::{Map, Value};

use crate::registry::Tool;

const FILE: &str = include_str!("schemas.json");

/// What a struct of arguments must have to be written out.
#[cfg(test)]
pub(super) use schemars::JsonSchema as Described;

/// What a struct of arguments must have to be written out: nothing here, where that is not done.
#[cfg(not(test))]
pub(super) trait Described {}

#[cfg(not(test))]
impl<T> Described for T {}

/// Gives tools their descriptions and schemas.
pub(super) fn describe(tools: &mut [Tool]) {
    let mut all: Map<String, Value> = serde_json::from_str(FILE).expect("the file is JSON");
    for tool in tools {
        let entry = all.get_mut(&tool.name).expect("every tool is there after 'cargo xtask codegen'");
        tool.schema = entry["inputSchema"].take();
        if let Value::String(text) = entry["description"].take() {
            tool.description = text;
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
