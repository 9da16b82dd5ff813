//! The native selector: predicates on a node, and relations to other nodes.

mod read;
mod tables;

use serde_json::{Map, Value};

use crate::pattern::{Dialect, Pattern};
use crate::screen::{Flag, Prop};

use self::tables::{NUMBERS, block_key, tables};

/// `nodeSelector` of a trail. Nothing set fits every node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeSelector {
    pub block: Block,
    /// Only below a node that fits.
    pub child_of: Option<Box<NodeSelector>>,
    /// A direct child fits.
    pub contains_child: Option<Box<NodeSelector>>,
    /// For each of them a strict descendant fits.
    pub contains_descendants: Vec<NodeSelector>,
    pub below: Option<Box<NodeSelector>>,
    pub above: Option<Box<NodeSelector>>,
    pub left_of: Option<Box<NodeSelector>>,
    pub right_of: Option<Box<NodeSelector>>,
    /// Which one of several, from the top, beginning with 0.
    pub index: Option<i64>,
}

/// What the node itself must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Block {
    /// No block: every node fits.
    #[default]
    Any,
    Android(Predicates),
    /// A block for another kind of tree, which no node of ours fits; as it was written.
    Foreign {
        name: &'static str,
        predicates: Map<String, Value>,
    },
}

/// All of them must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicates {
    pub dialect: Dialect,
    pub texts: Vec<(Field, Pattern)>,
    pub flags: Vec<(Flag, bool)>,
    pub unique_id: Option<String>,
    pub input_type: Option<i32>,
    pub row: Option<i32>,
    pub column: Option<i32>,
}

impl Predicates {
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            texts: Vec::new(),
            flags: Vec::new(),
            unique_id: None,
            input_type: None,
            row: None,
            column: None,
        }
    }

    /// Whether the dialect has a predicate for the field.
    pub fn knows(&self, field: Field) -> bool {
        tables(self.dialect).0.iter().any(|(_, known)| *known == field)
    }

    pub fn knows_flag(&self, flag: Flag) -> bool {
        tables(self.dialect).1.iter().any(|(_, known)| *known == flag)
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::new(self.dialect)
    }
}

/// What a pattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Text, else hint, else content description.
    Resolved,
    Prop(Prop),
}

/// What is wrong with a selector, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer into the selector.
    pub pointer: String,
    pub message: String,
    pub hint: Option<String>,
}

impl Problem {
    /// For a pattern that is no regular expression.
    pub(super) fn no_pattern(pointer: String, pattern: &Pattern) -> Option<Self> {
        let error = pattern.error()?;
        let message =
            format!("'{}' is no regular expression ({error}) and is taken literally", pattern.text());
        Some(Self {
            pointer,
            message,
            hint: Some("put '\\Q' before a text that is meant literally".to_owned()),
        })
    }
}

impl NodeSelector {
    /// What nests deeper than this fits nothing.
    pub const MAX_NESTING: usize = 10;

    /// Reads a selector; every problem is reported.
    pub fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        read::read(value)
    }

    /// A selector with only a block.
    pub fn of(predicates: Predicates) -> Self {
        Self { block: Block::Android(predicates), ..Self::default() }
    }

    /// As it stands in a trail.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        match &self.block {
            Block::Any => {}
            Block::Android(predicates) => {
                map.insert(block_key(predicates.dialect).to_owned(), predicates.to_value());
            }
            Block::Foreign { name, predicates } => {
                map.insert((*name).to_owned(), Value::Object(predicates.clone()));
            }
        }
        for (key, inner) in self.relations() {
            map.insert(key.to_owned(), inner.to_value());
        }
        if !self.contains_descendants.is_empty() {
            let inner: Vec<Value> = self.contains_descendants.iter().map(Self::to_value).collect();
            map.insert("containsDescendants".to_owned(), Value::Array(inner));
        }
        if let Some(index) = self.index {
            map.insert("index".to_owned(), index.into());
        }
        Value::Object(map)
    }

    /// The selectors that stand for a single key, with that key.
    fn relations(&self) -> impl Iterator<Item = (&'static str, &NodeSelector)> {
        let relations = [
            ("childOf", &self.child_of),
            ("containsChild", &self.contains_child),
            ("below", &self.below),
            ("above", &self.above),
            ("leftOf", &self.left_of),
            ("rightOf", &self.right_of),
        ];
        relations.into_iter().filter_map(|(key, inner)| Some((key, inner.as_deref()?)))
    }

    /// The dialect of the nodes that are meant; none when the selector has no predicates at all.
    pub fn dialect(&self) -> Option<Dialect> {
        if let Block::Android(predicates) = &self.block {
            return Some(predicates.dialect);
        }
        let inner = self.relations().map(|(_, inner)| inner).chain(&self.contains_descendants);
        inner.into_iter().find_map(Self::dialect)
    }

    /// What can be meant otherwise than it works: patterns that are no regular expressions, and selectors that
    /// nest so deeply that they fit nothing.
    pub fn warnings(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        self.add_warnings("", 0, &mut found);
        found
    }

    fn add_warnings(&self, pointer: &str, depth: usize, found: &mut Vec<Problem>) {
        if depth > Self::MAX_NESTING {
            let message = format!("selectors that nest deeper than {} levels fit nothing", Self::MAX_NESTING);
            found.push(Problem { pointer: pointer.to_owned(), message, hint: None });
            return;
        }
        if let Block::Android(predicates) = &self.block {
            let block = block_key(predicates.dialect);
            for (field, pattern) in &predicates.texts {
                let key = tables(predicates.dialect).0.iter().find(|(_, known)| known == field);
                if let Some((key, _)) = key {
                    found.extend(Problem::no_pattern(format!("{pointer}/{block}/{key}"), pattern));
                }
            }
        }
        for (key, inner) in self.relations() {
            inner.add_warnings(&format!("{pointer}/{key}"), depth + 1, found);
        }
        for (index, inner) in self.contains_descendants.iter().enumerate() {
            inner.add_warnings(&format!("{pointer}/containsDescendants/{index}"), depth + 1, found);
        }
    }
}

impl std::fmt::Display for NodeSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.to_value())
    }
}

impl Predicates {
    fn to_value(&self) -> Value {
        let (texts, flags) = tables(self.dialect);
        let mut map = Map::new();
        for (field, pattern) in &self.texts {
            if let Some((key, _)) = texts.iter().find(|(_, known)| known == field) {
                map.insert((*key).to_owned(), pattern.text().into());
            }
        }
        for (flag, on) in &self.flags {
            if let Some((key, _)) = flags.iter().find(|(_, known)| known == flag) {
                map.insert((*key).to_owned(), (*on).into());
            }
        }
        if let Some(id) = &self.unique_id {
            map.insert("uniqueId".to_owned(), id.as_str().into());
        }
        for (key, number) in NUMBERS.iter().zip([self.input_type, self.row, self.column]) {
            if let Some(number) = number {
                map.insert((*key).to_owned(), number.into());
            }
        }
        Value::Object(map)
    }
}
