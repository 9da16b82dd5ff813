//! `driverDetail`: the properties of a node by the names of its dialect.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Key, LEGACY_FLAGS};
use crate::pattern::Dialect;
use crate::screen::{Collection, CollectionItem, Flag, Flags, NodeSpec, Prop, Range};

/// Reads into the node that the detail belongs to. `class` can stand last, so what both dialects could mean is
/// kept until it is known.
pub(super) struct Detail<'a> {
    spec: &'a mut NodeSpec,
    dialect: Dialect,
    maestro_flags: Flags,
    maestro_description: Option<String>,
}

impl<'a> Detail<'a> {
    pub(super) fn new(spec: &'a mut NodeSpec) -> Self {
        Self { spec, dialect: Dialect::Native, maestro_flags: Flags::default(), maestro_description: None }
    }
}

impl<'de> DeserializeSeed<'de> for Detail<'_> {
    type Value = Dialect;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Dialect, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Detail<'_> {
    type Value = Dialect;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the properties of a node")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Dialect, A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            if let Some(prop) = Prop::from_key(&key).filter(|prop| *prop != Prop::Ref) {
                self.spec.props[prop as usize] = map.next_value()?;
            } else if let Some(flag) = Flag::from_key(&key) {
                self.spec.flags.set(flag, map.next_value()?);
            } else if !self.number(&key, &mut map)? && !self.other(&key, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if self.dialect == Dialect::Maestro {
            self.spec.flags = self.maestro_flags;
            self.spec.props[Prop::ContentDescription as usize] = self.maestro_description;
        }
        Ok(self.dialect)
    }
}

impl Detail<'_> {
    fn number<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        let number = match key {
            "inputType" => &mut self.spec.input_type,
            "maxTextLength" => &mut self.spec.max_text_length,
            "drawingOrder" => &mut self.spec.drawing_order,
            _ => return Ok(false),
        };
        *number = map.next_value()?;
        Ok(true)
    }

    fn other<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "class" => self.dialect = dialect(&map.next_value::<Cow<'_, str>>()?)?,
            "actions" => self.spec.actions = map.next_value()?,
            "accessibilityText" => self.maestro_description = map.next_value()?,
            "collectionItemInfo" => {
                self.spec.rare.item = map.next_value::<Option<RawItem>>()?.map(CollectionItem::from);
            }
            "collectionInfo" => {
                self.spec.rare.collection = map.next_value::<Option<RawCollection>>()?.map(Collection::from);
            }
            "rangeInfo" => self.spec.rare.range = map.next_value::<Option<RawRange>>()?.map(Range::from),
            key => match LEGACY_FLAGS.iter().find(|(name, _)| *name == key) {
                Some((_, flag)) => self.maestro_flags.set(*flag, map.next_value()?),
                None => return Ok(false),
            },
        }
        Ok(true)
    }
}

fn dialect<E: serde::de::Error>(class: &str) -> Result<Dialect, E> {
    match class {
        "androidAccessibility" => Ok(Dialect::Native),
        "androidMaestro" => Ok(Dialect::Maestro),
        other => Err(E::custom(format!("'{other}' is no tree of an Android screen"))),
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawItem {
    row_index: i32,
    row_span: i32,
    column_index: i32,
    column_span: i32,
    is_heading: bool,
}

impl From<RawItem> for CollectionItem {
    fn from(item: RawItem) -> Self {
        Self {
            row: item.row_index,
            row_span: item.row_span,
            column: item.column_index,
            column_span: item.column_span,
            is_heading: item.is_heading,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawCollection {
    row_count: i32,
    column_count: i32,
    is_hierarchical: bool,
}

impl From<RawCollection> for Collection {
    fn from(info: RawCollection) -> Self {
        Self { rows: info.row_count, columns: info.column_count, is_hierarchical: info.is_hierarchical }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawRange {
    r#type: i32,
    min: f64,
    max: f64,
    current: f64,
}

impl From<RawRange> for Range {
    fn from(range: RawRange) -> Self {
        Self { kind: range.r#type, min: range.min, max: range.max, current: range.current }
    }
}
