//! The options of one command, read as the types that it needs.

use serde_json::{Map, Value};

use super::{Direction, Point, Target};
use crate::names;
use crate::pattern::{Dialect, Pattern};
use crate::selector::{Selector, Trait};

/// What is wrong with a command, and where in the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer relative to what was read.
    pub pointer: String,
    pub message: String,
    pub hint: Option<String>,
    /// A command that is known but cannot run in this version.
    pub later: bool,
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    pub(super) fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), hint: None, later: false }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Whether `${x}` and `{{x}}` still stand in the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tokens {
    /// A document that is checked: a number that a token stands for is fine.
    Open,
    /// A command that runs: what is left of tokens is text.
    Filled,
}

/// The key of a pointer: `/` and `~` are written as `~1` and `~0`.
pub(super) fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

pub(super) struct Options<'a> {
    pub(super) name: &'static str,
    pub(super) base: String,
    pub(super) scalar: Option<String>,
    /// Written as `name:` with nothing behind it.
    pub(super) null: bool,
    pub(super) map: Option<&'a Map<String, Value>>,
    pub(super) tokens: Tokens,
}

/// Options that every command has.
const COMMON: &[&str] = &["label", "optional"];
const SELECTOR: &[&str] = &[
    "text",
    "id",
    "enabled",
    "selected",
    "checked",
    "focused",
    "index",
    "width",
    "height",
    "tolerance",
    "traits",
    "below",
    "above",
    "leftOf",
    "rightOf",
    "containsChild",
    "containsDescendants",
    "childOf",
];
/// Selectors inside of each other nest at most so deep.
const MAX_NESTING: usize = 10;

impl<'a> Options<'a> {
    pub(super) fn new(
        name: &'static str,
        value: Option<&'a Value>,
        base: String,
        tokens: Tokens,
    ) -> Result<Self> {
        let mut options = Self { name, base, scalar: None, null: false, map: None, tokens };
        match value {
            None => {}
            Some(Value::Object(map)) => options.map = Some(map),
            Some(Value::Null) => options.null = true,
            Some(Value::Array(_)) => return Err(options.wrong(format!("'{name}' does not take a list"))),
            Some(scalar) => options.scalar = Some(scalar_text(scalar)),
        }
        Ok(options)
    }

    /// A problem of the command as a whole.
    pub(super) fn wrong(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.base.as_str(), message)
    }

    /// A problem of one option.
    pub(super) fn bad(&self, key: &str, message: impl Into<String>) -> Problem {
        Problem::new(below(&self.base, key), message)
    }

    /// A problem of the value of [`Options::main`], wherever it was written.
    pub(super) fn bad_main(&self, key: &str, message: impl Into<String>) -> Problem {
        if self.scalar.is_some() { self.wrong(message) } else { self.bad(key, message) }
    }

    /// A token that is not filled in yet.
    pub(super) fn is_open(&self, text: &str) -> bool {
        self.tokens == Tokens::Open && (text.contains("${") || text.contains("{{"))
    }

    /// Refuses every option that is none of these.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        for key in self.map.into_iter().flat_map(Map::keys) {
            if !known.contains(&key.as_str()) && !COMMON.contains(&key.as_str()) {
                return Err(self.unknown(&format!("'{}'", self.name), key, known));
            }
        }
        Ok(())
    }

    fn unknown(&self, what: &str, key: &str, known: &[&str]) -> Problem {
        let mut all: Vec<&str> = known.to_vec();
        all.extend(COMMON.iter().filter(|common| !known.contains(common)));
        let hint = names::nearest_hint(key, all.iter().copied())
            .unwrap_or_else(|| format!("options: {}", all.join(", ")));
        self.bad(key, format!("{what} has no option '{key}'")).hint(hint)
    }

    /// A command that is only written as a mapping.
    pub(super) fn no_scalar(&self) -> Result<()> {
        match &self.scalar {
            Some(value) => Err(self.wrong(format!("'{}' takes no single value, not '{value}'", self.name))),
            None => Ok(()),
        }
    }

    /// The value of a command that is mainly one text.
    pub(super) fn main(&self, key: &str) -> Result<String> {
        let value = match self.scalar.clone() {
            Some(text) => Some(text),
            None => self.text(key)?,
        };
        value.ok_or_else(|| self.wrong(format!("'{}' needs '{key}'", self.name)))
    }

    fn value(&self, key: &str) -> Option<&'a Value> {
        self.map?.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Object(_) | Value::Array(_)) => Err(self.bad(key, format!("'{key}' must be a text"))),
            Some(value) => Ok(Some(scalar_text(value))),
        }
    }

    pub(super) fn bool(&self, key: &str) -> Result<Option<bool>> {
        match self.text(key)?.as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(text) if self.is_open(text) => Ok(None),
            Some(other) => Err(self.bad(key, format!("'{key}' must be true or false, not '{other}'"))),
        }
    }

    /// A whole number; `_` between digits is allowed, decimals are cut off.
    pub(super) fn signed(&self, key: &str) -> Result<Option<i64>> {
        let Some(text) = self.text(key)?.filter(|text| !self.is_open(text)) else { return Ok(None) };
        match text.replace('_', "").trim().parse::<f64>().ok().filter(|number| number.abs() < 1e15) {
            Some(number) => Ok(Some(number as i64)),
            None => Err(self.bad(key, format!("'{key}' must be a number, not '{text}'"))),
        }
    }

    pub(super) fn millis(&self, key: &str) -> Result<Option<u64>> {
        let Some(number) = self.signed(key)? else { return Ok(None) };
        let number = u64::try_from(number);
        number.map(Some).map_err(|_| self.bad(key, format!("'{key}' must not be negative")))
    }

    pub(super) fn count(&self, key: &str) -> Result<Option<u32>> {
        Ok(self.millis(key)?.map(|number| number.try_into().unwrap_or(u32::MAX)))
    }

    pub(super) fn direction(&self, key: &str) -> Result<Option<Direction>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        if self.is_open(&text) {
            return Ok(Some(Direction::Down));
        }
        let direction = Direction::parse(&text).ok_or_else(|| {
            self.bad(key, format!("unknown direction '{text}'")).hint("use UP, DOWN, LEFT or RIGHT")
        });
        direction.map(Some)
    }

    pub(super) fn point(&self, key: &str) -> Result<Option<Point>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        if self.is_open(&text) {
            return Ok(Some(Point::Pixels(0, 0)));
        }
        let point = Point::parse(&text).ok_or_else(|| {
            let hint = "write \"50%,20%\" with 0 to 100, or \"540,1200\"";
            self.bad(key, format!("'{text}' is no point")).hint(hint)
        });
        point.map(Some)
    }

    /// An element, written as a text or as a mapping; `own` are options that may stand beside it.
    pub(super) fn element(&self, own: &[&str]) -> Result<Selector> {
        if let Some(text) = &self.scalar {
            return Ok(Selector::text(text));
        }
        let Some(map) = self.map else {
            return Err(self.wrong(format!("'{}' needs an element", self.name)));
        };
        let selector = self.selector(map, own)?;
        let named = self.tokens == Tokens::Open && SELECTOR.iter().any(|key| self.value(key).is_some());
        if selector.is_empty() && !named {
            return Err(self
                .wrong(format!("'{}' needs an element", self.name))
                .hint("name it by 'text' or 'id'"));
        }
        Ok(selector)
    }

    /// An element, a point of the screen, or a point of an element.
    pub(super) fn target(&self, own: &[&str]) -> Result<Target> {
        let point = self.point("point")?;
        let mut own = own.to_vec();
        own.push("point");
        match (point, self.map) {
            (Some(_), Some(map)) => Ok(Target { selector: self.selector(map, &own)?, point }),
            _ => Ok(Target { selector: self.element(&own)?, point }),
        }
    }

    /// An element that is the value of an option.
    pub(super) fn inner(&self, key: &str) -> Result<Option<Options<'a>>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let inner = Options::new(self.name, Some(value), below(&self.base, key), self.tokens)?;
        inner.bool("optional")?;
        inner.text("label")?;
        Ok(Some(inner))
    }

    fn selector(&self, map: &'a Map<String, Value>, own: &[&str]) -> Result<Selector> {
        for key in map.keys().map(String::as_str) {
            if key == "css" {
                return Err(self.bad(key, "'css' is for web pages, and this is an Android screen"));
            }
            let known = SELECTOR.contains(&key) || own.contains(&key) || COMMON.contains(&key);
            if !known {
                let known: Vec<&str> = SELECTOR.iter().chain(own).copied().collect();
                return Err(self.unknown("the selector", key, &known));
            }
        }
        let pattern = |key: &str| -> Result<Option<Pattern>> {
            Ok(self.text(key)?.map(|text| Pattern::new(&text, Dialect::Maestro)))
        };
        Ok(Selector {
            text: pattern("text")?,
            id: pattern("id")?,
            description: None,
            enabled: self.bool("enabled")?,
            selected: self.bool("selected")?,
            checked: self.bool("checked")?,
            focused: self.bool("focused")?,
            width: self.size("width")?,
            height: self.size("height")?,
            tolerance: self.size("tolerance")?.unwrap_or(0),
            traits: self.traits()?,
            below: self.relation("below")?,
            above: self.relation("above")?,
            left_of: self.relation("leftOf")?,
            right_of: self.relation("rightOf")?,
            contains_child: self.relation("containsChild")?,
            contains_descendants: self.descendants()?,
            child_of: self.relation("childOf")?,
            index: self.signed("index")?,
        })
    }

    fn size(&self, key: &str) -> Result<Option<i32>> {
        Ok(self.count(key)?.map(|size| i32::try_from(size).unwrap_or(i32::MAX)))
    }

    /// Words, apart by spaces or commas.
    fn traits(&self) -> Result<Vec<Trait>> {
        let words = self.text("traits")?.unwrap_or_default();
        let words = words.split([' ', ',']).filter(|word| !word.is_empty());
        words
            .map(|word| {
                let known = Trait::ALL.iter().copied().find(|known| known.key().eq_ignore_ascii_case(word));
                known.ok_or_else(|| {
                    self.bad("traits", format!("unknown trait '{word}'"))
                        .hint("use text, square or long-text")
                })
            })
            .collect()
    }

    fn relation(&self, key: &str) -> Result<Option<Box<Selector>>> {
        let Some(inner) = self.inner(key)? else { return Ok(None) };
        self.check_nesting(key)?;
        inner.element(&[]).map(|selector| Some(Box::new(selector)))
    }

    fn descendants(&self) -> Result<Vec<Selector>> {
        let key = "containsDescendants";
        let Some(value) = self.value(key) else { return Ok(Vec::new()) };
        let Value::Array(items) = value else {
            return Err(self.bad(key, format!("'{key}' must be a list of selectors")));
        };
        self.check_nesting(key)?;
        let base = below(&self.base, key);
        let one = |(index, item)| {
            Options::new(self.name, Some(item), format!("{base}/{index}"), self.tokens)?.element(&[])
        };
        items.iter().enumerate().map(one).collect()
    }

    fn check_nesting(&self, key: &str) -> Result<()> {
        let depth = self.base.matches('/').count();
        if depth <= 2 * MAX_NESTING {
            return Ok(());
        }
        Err(self.bad(key, format!("selectors nest deeper than {MAX_NESTING} levels")))
    }

    /// A mapping; absent = empty.
    pub(super) fn map(&self, key: &str) -> Result<Map<String, Value>> {
        match self.value(key) {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map.clone()),
            Some(_) => Err(self.bad(key, format!("'{key}' must be a mapping"))),
        }
    }
}

/// A scalar as it was written.
pub(super) fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
