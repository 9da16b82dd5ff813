//! Which element is meant: text, id, description, flags and index, in the Maestro dialect.

use std::fmt;

use crate::pattern::{Dialect, Pattern};

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
    /// Among the matches, by position; negative counts from the end.
    pub index: Option<i64>,
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

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
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
        if let Some(index) = self.index.filter(|index| *index != 0) {
            parts.push(format!("index {index}"));
        }
        f.write_str(&if parts.is_empty() { "any element".to_owned() } else { parts.join(", ") })
    }
}
