//! Which element is meant: text, id, description, flags and index, in the Maestro dialect.

mod native;
mod template;

use std::fmt;

use crate::pattern::{Dialect, Pattern};

pub use native::{Block, Field, NodeSelector, Predicates, Problem};
pub use template::fill_app_id;

/// All parts that are set must fit. Without any it fits every node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selector {
    /// Text, hint or content description.
    pub text: Option<Pattern>,
    /// The whole resource id, or the part after its last `/`.
    pub id: Option<Pattern>,
    /// Only the content description.
    pub description: Option<Pattern>,
    pub enabled: Option<bool>,
    pub selected: Option<bool>,
    pub checked: Option<bool>,
    pub focused: Option<bool>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    /// How far width and height may be off.
    pub tolerance: i32,
    pub traits: Vec<Trait>,
    /// Top left corners are compared.
    pub below: Option<Box<Selector>>,
    pub above: Option<Box<Selector>>,
    pub left_of: Option<Box<Selector>>,
    pub right_of: Option<Box<Selector>>,
    /// A direct child is meant by it.
    pub contains_child: Option<Box<Selector>>,
    /// For each of them, something inside is meant by it.
    pub contains_descendants: Vec<Selector>,
    /// Only inside of the first that it means, that one included.
    pub child_of: Option<Box<Selector>>,
    /// Among the matches, by position; negative counts from the end.
    pub index: Option<i64>,
}

/// What an element is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// It says something.
    Text,
    /// As wide as high, within 3 %.
    Square,
    /// It says more than 200 characters.
    LongText,
}

impl Trait {
    pub const ALL: &[Self] = &[Self::Text, Self::Square, Self::LongText];

    pub const fn key(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Square => "square",
            Self::LongText => "long-text",
        }
    }
}

impl Selector {
    pub fn text(text: &str) -> Self {
        Self { text: Some(Pattern::new(text, Dialect::Maestro)), ..Self::default() }
    }

    pub fn containing(text: &str) -> Self {
        Self { text: Some(Pattern::containing(text)), ..Self::default() }
    }

    pub fn id(id: &str) -> Self {
        Self { id: Some(Pattern::new(id, Dialect::Maestro)), ..Self::default() }
    }

    pub fn description(text: &str) -> Self {
        Self { description: Some(Pattern::new(text, Dialect::Maestro)), ..Self::default() }
    }

    /// The patterns with the names of their keys.
    pub fn patterns(&self) -> impl Iterator<Item = (&'static str, &Pattern)> {
        [("text", &self.text), ("id", &self.id), ("description", &self.description)]
            .into_iter()
            .filter_map(|(key, pattern)| Some((key, pattern.as_ref()?)))
    }

    /// The selectors that this one stands in relation to, with their keys.
    fn relations(&self) -> impl Iterator<Item = (String, &Self)> {
        let single = [
            ("below", &self.below),
            ("above", &self.above),
            ("leftOf", &self.left_of),
            ("rightOf", &self.right_of),
            ("containsChild", &self.contains_child),
            ("childOf", &self.child_of),
        ];
        let single = single.into_iter().filter_map(|(key, inner)| Some((key.to_owned(), inner.as_deref()?)));
        let inside = self.contains_descendants.iter().enumerate();
        single.chain(inside.map(|(index, inner)| (format!("containsDescendants/{index}"), inner)))
    }

    /// Patterns that are no regular expressions, also in selectors inside.
    pub fn warnings(&self) -> Vec<Problem> {
        let own =
            self.patterns().filter_map(|(key, pattern)| Problem::no_pattern(format!("/{key}"), pattern));
        let mut found: Vec<Problem> = own.collect();
        for (key, inner) in self.relations() {
            let inner = inner.warnings().into_iter();
            found.extend(
                inner.map(|problem| Problem { pointer: format!("/{key}{}", problem.pointer), ..problem }),
            );
        }
        found
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether anything is said of the element itself, apart from what stands around and in it.
    pub fn has_own_predicates(&self) -> bool {
        let own = Self {
            below: None,
            above: None,
            left_of: None,
            right_of: None,
            contains_child: None,
            contains_descendants: Vec::new(),
            child_of: None,
            index: None,
            ..self.clone()
        };
        !own.is_empty()
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> =
            self.patterns().map(|(key, pattern)| format!("{key} '{}'", pattern.text())).collect();
        let flags = [
            ("enabled", self.enabled),
            ("selected", self.selected),
            ("checked", self.checked),
            ("focused", self.focused),
        ];
        for (name, value) in flags {
            if let Some(value) = value {
                parts.push(if value { name.to_owned() } else { format!("not {name}") });
            }
        }
        for (name, size) in [("width", self.width), ("height", self.height)] {
            parts.extend(size.map(|size| format!("{name} {size}")));
        }
        parts.extend(self.traits.iter().map(|each| each.key().to_owned()));
        let relations = [
            ("below", &self.below),
            ("above", &self.above),
            ("left of", &self.left_of),
            ("right of", &self.right_of),
            ("with a child", &self.contains_child),
            ("inside of", &self.child_of),
        ];
        for (name, inner) in relations {
            parts.extend(inner.as_ref().map(|inner| format!("{name} ({inner})")));
        }
        parts.extend(self.contains_descendants.iter().map(|inner| format!("containing ({inner})")));
        if let Some(index) = self.index.filter(|index| *index != 0) {
            parts.push(format!("index {index}"));
        }
        f.write_str(&if parts.is_empty() { "any element".to_owned() } else { parts.join(", ") })
    }
}
