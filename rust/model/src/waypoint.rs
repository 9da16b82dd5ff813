//! Waypoints: what a screen must show, and must not, to be a known place of the app.

use std::borrow::Cow;

use serde_json::Value;

use crate::classifier::Classifiers;
use crate::diagnostic::{Code, Diagnostics};
use crate::place::{FilePlace, Source};
use crate::selector::{NodeSelector, fill_app_id};
use crate::yaml::{self, Entry, Node, Reader};

/// One `*.waypoint.yaml`. Equality ignores where it was written.
#[derive(Clone, Debug)]
pub struct Waypoint {
    pub id: String,
    pub at: FilePlace,
    pub description: Option<String>,
    pub route: Option<String>,
    /// One block per device classifier, in the order of the file.
    pub blocks: Vec<(String, Block)>,
}

impl PartialEq for Waypoint {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.description == other.description
            && self.route == other.route
            && self.blocks == other.blocks
    }
}

/// What holds for one kind of device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub route: Option<String>,
    pub required: Vec<Condition>,
    pub forbidden: Vec<Condition>,
    pub example: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub description: Option<String>,
    /// So many nodes must fit.
    pub min_count: u32,
    /// None: a required condition fails, a forbidden one holds.
    pub selector: Option<Target>,
}

/// A selector as it was written, and compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    value: Value,
    selector: NodeSelector,
    /// Holds `{{target.appId}}`, so it can be used only once an app is known.
    has_token: bool,
}

impl Target {
    /// The selector for an app; none when it needs an id and there is none.
    pub fn for_app(&self, ids: &[String]) -> Option<Cow<'_, NodeSelector>> {
        if !self.has_token {
            return Some(Cow::Borrowed(&self.selector));
        }
        let mut value = self.value.clone();
        if !fill_app_id(&mut value, ids) {
            return None;
        }
        NodeSelector::read(&value).ok().map(Cow::Owned)
    }

    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl Condition {
    /// What a person calls it.
    pub fn name(&self) -> String {
        match (&self.description, &self.selector) {
            (Some(description), _) => description.clone(),
            (None, Some(target)) => target.value.to_string(),
            (None, None) => "a condition without a selector".to_owned(),
        }
    }
}

impl Waypoint {
    /// The conditions for a device: each part comes from the closest block that has any. None without a block.
    pub fn for_device(&self, device: &Classifiers) -> Option<Block> {
        let chain = device.chain();
        let blocks: Vec<&Block> = chain
            .iter()
            .filter_map(|key| self.blocks.iter().find(|(name, _)| name == key).map(|(_, block)| block))
            .collect();
        if blocks.is_empty() {
            return None;
        }
        let conditions = |part: fn(&Block) -> &Vec<Condition>| {
            blocks.iter().map(|block| part(block)).find(|list| !list.is_empty()).cloned().unwrap_or_default()
        };
        let text = |part: fn(&Block) -> &Option<String>| {
            blocks.iter().filter_map(|block| part(block).clone()).find(|text| !text.is_empty())
        };
        Some(Block {
            route: text(|block| &block.route).or_else(|| self.route.clone()),
            required: conditions(|block| &block.required),
            forbidden: conditions(|block| &block.forbidden),
            example: text(|block| &block.example),
        })
    }
}

/// Reads a waypoint file. None means that it has errors, which were reported.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<Waypoint> {
    let errors = problems.errors().count();
    let node = yaml::read(source, problems)?;
    let mut reader = Reader::new(source, problems);
    let waypoint = read_waypoint(&mut reader, &node);
    if problems.errors().count() > errors { None } else { waypoint }
}

fn read_waypoint(reader: &mut Reader<'_>, node: &Node) -> Option<Waypoint> {
    let fields = reader.open_fields(node, "a waypoint")?;
    let id = reader.required(fields, "id", "a waypoint");
    let description = reader.optional_text(fields, "description");
    let route = reader.optional_text(fields, "route");
    let own = ["id", "description", "route"];
    let entries = node.as_map().unwrap_or_default().iter().filter(|entry| !own.contains(&entry.key.as_str()));
    let blocks = entries.filter_map(|entry| block(reader, entry)).collect();
    let place = fields.key_place("id");
    if let Some(id) = id.as_deref().filter(|id| !id.contains('/') || id.split('/').any(str::is_empty)) {
        let hint = Some("the id of a waypoint is '<map>/<segment>', as 'mail/inbox'".to_owned());
        reader.warning(Code::BadValue, place, format!("the id '{id}' has not the form of one"), hint);
    }
    let at = reader.file_place(place);
    Some(Waypoint { id: id?, at, description, route, blocks })
}

fn block(reader: &mut Reader<'_>, entry: &Entry) -> Option<(String, Block)> {
    if entry.value.is_null() {
        return Some((entry.key.clone(), Block::default()));
    }
    let what = format!("'{}'", entry.key);
    let fields = reader.fields(&entry.value, &what, &["route", "required", "forbidden", "example"])?;
    let mut conditions = |key: &str| -> Vec<Condition> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        let items = reader.list(node, &format!("'{key}'")).unwrap_or_default();
        items.iter().filter_map(|item| condition(reader, item)).collect()
    };
    let (required, forbidden) = (conditions("required"), conditions("forbidden"));
    let example = fields.get("example").and_then(|node| match node.as_map() {
        Some(_) => reader
            .fields(node, "'example'", &["file", "capturedAt"])
            .and_then(|fields| reader.optional_text(fields, "file")),
        None => reader.text(node, "'example'"),
    });
    let route = reader.optional_text(fields, "route");
    Some((entry.key.clone(), Block { route, required, forbidden, example }))
}

fn condition(reader: &mut Reader<'_>, node: &Node) -> Option<Condition> {
    let fields = reader.fields(node, "a condition", &["description", "minCount", "selector"])?;
    let description = reader.optional_text(fields, "description");
    let min_count = reader.optional_count(fields, "minCount").unwrap_or(1);
    if min_count == 0 {
        reader.error(Code::BadValue, fields.key_place("minCount"), "'minCount' must be at least 1");
    }
    let selector = match fields.get("selector") {
        Some(selector) => Some(target(reader, selector)?),
        None => None,
    };
    Some(Condition { description, min_count, selector })
}

fn target(reader: &mut Reader<'_>, node: &Node) -> Option<Target> {
    let value = node.to_json();
    match NodeSelector::read(&value) {
        Ok(selector) => {
            let has_token = value.to_string().contains("{{target.appId}}");
            // With the token in it a pattern is none yet.
            let warnings = if has_token { Vec::new() } else { selector.warnings() };
            for warning in warnings {
                reader.warning(
                    Code::BadPattern,
                    node.place_at(&warning.pointer),
                    warning.message,
                    warning.hint,
                );
            }
            Some(Target { value, selector, has_token })
        }
        Err(problems) => {
            for problem in problems {
                let at = node.place_at(&problem.pointer);
                match problem.hint {
                    Some(hint) => reader.error_hint(Code::BadValue, at, problem.message, hint),
                    None => reader.error(Code::BadValue, at, problem.message),
                }
            }
            None
        }
    }
}
