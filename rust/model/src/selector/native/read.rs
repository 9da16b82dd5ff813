//! Reads a selector and reports what does not fit, with the place of it.

use serde_json::{Map, Value};

use super::tables::{FOREIGN, NUMBERS, RELATIONS, block_key, tables};
use super::{Block, NodeSelector, Predicates, Problem};
use crate::names;
use crate::pattern::{Dialect, Pattern};

/// Deeper selectors are not read at all.
const MAX_DEPTH: usize = 64;

pub(super) fn read(value: &Value) -> Result<NodeSelector, Vec<Problem>> {
    let mut reader = Reader { problems: Vec::new() };
    let selector = reader.selector(value, "", 0);
    if reader.problems.is_empty() { Ok(selector) } else { Err(reader.problems) }
}

struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, pointer: &str, message: impl Into<String>, hint: Option<String>) {
        self.problems.push(Problem { pointer: pointer.to_owned(), message: message.into(), hint });
    }

    fn unknown(&mut self, pointer: &str, message: String, key: &str, what: &str, known: &[&str]) {
        let hint = names::nearest_hint(key, known.iter().copied())
            .unwrap_or_else(|| format!("known {what}: {}", known.join(", ")));
        self.problem(pointer, message, Some(hint));
    }

    fn selector(&mut self, value: &Value, pointer: &str, depth: usize) -> NodeSelector {
        let mut selector = NodeSelector::default();
        let Value::Object(map) = value else {
            self.problem(pointer, "a selector must be a mapping", None);
            return selector;
        };
        if depth > MAX_DEPTH {
            self.problem(pointer, format!("selectors nest deeper than {MAX_DEPTH} levels"), None);
            return selector;
        }
        let mut blocks: Vec<&str> = Vec::new();
        // A key with nothing counts as left out.
        for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
            let at = join(pointer, key);
            if let Some(block) = self.block(key, value, &at) {
                if block != Block::Any {
                    blocks.push(key);
                    selector.block = block;
                }
                continue;
            }
            match key.as_str() {
                key if RELATIONS.contains(&key) => {
                    let inner = Some(Box::new(self.selector(value, &at, depth + 1)));
                    match key {
                        "childOf" => selector.child_of = inner,
                        "containsChild" => selector.contains_child = inner,
                        "below" => selector.below = inner,
                        "above" => selector.above = inner,
                        "leftOf" => selector.left_of = inner,
                        _ => selector.right_of = inner,
                    }
                }
                "containsDescendants" => match value {
                    Value::Array(items) => {
                        let inner = items.iter().enumerate();
                        selector.contains_descendants = inner
                            .map(|(index, item)| self.selector(item, &format!("{at}/{index}"), depth + 1))
                            .collect();
                    }
                    _ => self.problem(&at, "'containsDescendants' must be a list of selectors", None),
                },
                "index" => match whole(value) {
                    Some(index) => selector.index = Some(index),
                    None => self.problem(&at, "'index' must be a whole number", None),
                },
                key => {
                    let own = ["androidAccessibility", "androidMaestro", "containsDescendants", "index"];
                    let foreign = FOREIGN.iter().map(|(name, _)| *name);
                    let known: Vec<&str> =
                        own.into_iter().chain(foreign).chain(RELATIONS.iter().copied()).collect();
                    self.unknown(&at, format!("a selector has no key '{key}'"), key, "keys", &known);
                }
            }
        }
        if let [_, second, ..] = blocks.as_slice() {
            let message = "a selector has predicates for one kind of tree, not for two";
            self.problem(&join(pointer, second), message, None);
        }
        selector
    }

    /// None when the key is no block.
    fn block(&mut self, key: &str, value: &Value, pointer: &str) -> Option<Block> {
        let dialect = match key {
            "androidAccessibility" => Some(Dialect::Native),
            "androidMaestro" => Some(Dialect::Maestro),
            _ => None,
        };
        let foreign = FOREIGN.iter().find(|(name, _)| *name == key);
        if dialect.is_none() && foreign.is_none() {
            return None;
        }
        let Value::Object(map) = value else {
            self.problem(pointer, "the predicates of a selector must be a mapping", None);
            return Some(Block::Any);
        };
        let map: Map<String, Value> = map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        Some(match (dialect, foreign) {
            _ if map.is_empty() => Block::Any,
            (Some(dialect), _) => Block::Android(self.predicates(&map, pointer, dialect)),
            (None, Some((name, known))) => {
                self.foreign(&map, pointer, name, known);
                Block::Foreign { name, predicates: map }
            }
            (None, None) => Block::Any,
        })
    }

    fn foreign(&mut self, map: &Map<String, Value>, pointer: &str, name: &str, known: &[&str]) {
        for (key, value) in map {
            let at = join(pointer, key);
            if !known.contains(&key.as_str()) {
                self.unknown(&at, format!("'{name}' has no predicate '{key}'"), key, "predicates", known);
            } else if scalar(value).is_none() {
                self.problem(&at, format!("'{key}' must be a single value"), None);
            }
        }
    }

    fn predicates(&mut self, map: &Map<String, Value>, pointer: &str, dialect: Dialect) -> Predicates {
        let mut predicates = Predicates::new(dialect);
        let (texts, flags) = tables(dialect);
        let is_native = dialect == Dialect::Native;
        for (key, value) in map {
            let at = join(pointer, key);
            if let Some((_, field)) = texts.iter().find(|(known, _)| known == key) {
                match scalar(value) {
                    Some(text) => predicates.texts.push((*field, Pattern::new(&text, dialect))),
                    None => self.problem(&at, format!("'{key}' must be a text"), None),
                }
            } else if let Some((_, flag)) = flags.iter().find(|(known, _)| known == key) {
                match value.as_bool() {
                    Some(on) => predicates.flags.push((*flag, on)),
                    None => self.problem(&at, format!("'{key}' must be true or false"), None),
                }
            } else if is_native && key == "uniqueId" {
                predicates.unique_id = scalar(value);
                if predicates.unique_id.is_none() {
                    self.problem(&at, "'uniqueId' must be a text", None);
                }
            } else if is_native && NUMBERS.contains(&key.as_str()) {
                let number = whole(value).and_then(|number| i32::try_from(number).ok());
                match (key.as_str(), number) {
                    (_, None) => self.problem(&at, format!("'{key}' must be a whole number"), None),
                    ("inputType", number) => predicates.input_type = number,
                    ("collectionItemRowIndex", number) => predicates.row = number,
                    (_, number) => predicates.column = number,
                }
            } else {
                let mut known: Vec<&str> =
                    texts.iter().map(|(key, _)| *key).chain(flags.iter().map(|(key, _)| *key)).collect();
                if is_native {
                    known.push("uniqueId");
                    known.extend(NUMBERS);
                }
                let message = format!("'{}' has no predicate '{key}'", block_key(dialect));
                self.unknown(&at, message, key, "predicates", &known);
            }
        }
        predicates
    }
}

fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
}
