//! Toolset YAML: tools that are switched on together, and groups of tools.

use crate::diagnostic::{Code, Diagnostics};
use crate::driver::{Driver, Platform};
use crate::names;
use crate::place::{FilePlace, Source};
use crate::yaml::{self, Fields, Reader};

/// One file of `trailblaze-config/toolsets/`.
#[derive(Clone, Debug)]
pub struct ToolsetFile {
    pub id: String,
    pub at: FilePlace,
    pub description: String,
    /// Empty = all.
    pub platforms: Vec<Platform>,
    /// Empty = all.
    pub drivers: Vec<Driver>,
    pub always_enabled: bool,
    /// Names of tools of any source, with their places.
    pub tools: Vec<(String, FilePlace)>,
}

impl PartialEq for ToolsetFile {
    fn eq(&self, other: &Self) -> bool {
        let names =
            |toolset: &Self| -> Vec<String> { toolset.tools.iter().map(|(name, _)| name.clone()).collect() };
        self.id == other.id
            && self.description == other.description
            && self.platforms == other.platforms
            && self.drivers == other.drivers
            && self.always_enabled == other.always_enabled
            && names(self) == names(other)
    }
}

impl ToolsetFile {
    /// Prints the file; reading it gives this toolset back.
    pub fn print(&self) -> String {
        let mut map = serde_json::Map::new();
        map.insert("id".into(), self.id.as_str().into());
        if !self.description.is_empty() {
            map.insert("description".into(), self.description.as_str().into());
        }
        if !self.platforms.is_empty() {
            map.insert("platforms".into(), serde_json::json!(self.platforms));
        }
        if !self.drivers.is_empty() {
            map.insert("drivers".into(), serde_json::json!(self.drivers));
        }
        if self.always_enabled {
            map.insert("always_enabled".into(), true.into());
        }
        map.insert("tools".into(), self.tools.iter().map(|(name, _)| name.as_str()).collect());
        yaml::print(&serde_json::Value::Object(map))
    }
}

/// Reads a toolset file. None means that it has errors, which were reported.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<ToolsetFile> {
    let errors = problems.errors().count();
    let node = yaml::read(source, problems)?;
    let mut reader = Reader::new(source, problems);
    if reader.is_empty_document(&node, "a toolset begins with 'id:'") {
        return None;
    }
    let known = ["id", "description", "platforms", "drivers", "always_enabled", "tools"];
    let fields = reader.fields(&node, "a toolset", &known)?;
    let id = reader.required(fields, "id", "a toolset");
    let toolset = ToolsetFile {
        id: id.unwrap_or_default(),
        at: reader.file_place(fields.key_place("id")),
        description: reader.optional_text(fields, "description").unwrap_or_default(),
        platforms: platforms(&mut reader, fields, "platforms"),
        drivers: drivers(&mut reader, fields, "drivers"),
        always_enabled: reader.optional_bool(fields, "always_enabled").unwrap_or_default(),
        tools: {
            let names = reader.texts(fields, "tools");
            names.into_iter().map(|(name, place)| (name, reader.file_place(place))).collect()
        },
    };
    (problems.errors().count() == errors).then_some(toolset)
}

pub(crate) fn platforms(reader: &mut Reader<'_>, fields: Fields<'_>, key: &str) -> Vec<Platform> {
    let mut platforms = Vec::new();
    for (name, place) in reader.texts(fields, key) {
        match Platform::parse(&name) {
            Some(platform) => platforms.push(platform),
            None => unknown(reader, "platform", &name, place, Platform::ALL.iter().map(|p| p.key())),
        }
    }
    platforms
}

/// Driver keys; a platform stands for its drivers.
pub(crate) fn drivers(reader: &mut Reader<'_>, fields: Fields<'_>, key: &str) -> Vec<Driver> {
    let mut drivers = Vec::new();
    for (name, place) in reader.texts(fields, key) {
        match Driver::parse_group(&name) {
            Some(group) => drivers.extend(group),
            None => unknown(reader, "driver", &name, place, Driver::ALL.iter().map(|d| d.key())),
        }
    }
    drivers
}

pub(crate) fn unknown<'a>(
    reader: &mut Reader<'_>,
    what: &str,
    name: &str,
    at: crate::place::Place,
    known: impl Iterator<Item = &'a str> + Clone,
) {
    let hint = names::nearest_hint(name, known.clone())
        .unwrap_or_else(|| format!("known {what}s: {}", known.collect::<Vec<_>>().join(", ")));
    reader.error_hint(Code::UnknownName, at, format!("unknown {what} '{name}'"), hint);
}
