//! The `config` of a trail, in both forms.

use serde_json::{Map, Value};

use crate::classifier::Classifiers;
use crate::diagnostic::Code;
use crate::driver::Driver;
use crate::names;
use crate::yaml::{self, Fields, Node, Reader};

/// Everything a trail says about itself. Every key is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    pub id: Option<String>,
    pub target: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub priority: Option<String>,
    pub context: Option<String>,
    pub tags: Vec<String>,
    /// The devices that the trail is meant for, when no driver is named (list form).
    pub platform: Option<String>,
    /// The driver that a device must be driven by.
    pub devices: PerDevice<Driver>,
    /// Why the trail is not run.
    pub skip: PerDevice<String>,
    pub memory: Vec<(String, String)>,
    pub args: Vec<ArgDeclaration>,
    pub metadata: Vec<(String, String)>,
    /// Keys that nobody knows, kept as they are.
    pub extra: Map<String, Value>,
}

/// A value per classifier, or one for every device (list form).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PerDevice<T> {
    #[default]
    None,
    Always(T),
    PerClassifier(Vec<(String, T)>),
}

impl<T> PerDevice<T> {
    pub fn for_device(&self, device: &Classifiers) -> Option<&T> {
        match self {
            Self::None => None,
            Self::Always(value) => Some(value),
            Self::PerClassifier(per) => {
                device.closest(|key| per.iter().find(|(name, _)| name == key).map(|(_, value)| value))
            }
        }
    }
}

/// One declared argument of a trail.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgDeclaration {
    pub name: String,
    pub kind: ArgType,
    pub description: Option<String>,
    /// None: the argument must be given.
    pub default: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgType {
    String,
    Integer,
    Boolean,
    Array,
    Object,
}

impl ArgType {
    const ALL: &[Self] = &[Self::String, Self::Integer, Self::Boolean, Self::Array, Self::Object];

    pub const fn key(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.key() == name)
    }
}

const SHARED: &[&str] = &[
    "id",
    "target",
    "title",
    "description",
    "priority",
    "context",
    "tags",
    "skip",
    "memory",
    "args",
    "metadata",
];

/// Reads the `config` of the unified form.
pub(super) fn read_unified(reader: &mut Reader<'_>, node: &Node) -> Config {
    read(reader, node, &["devices"])
}

/// Reads the `config` of the list form, with its own keys translated.
pub(super) fn read_list(reader: &mut Reader<'_>, node: &Node) -> Config {
    read(reader, node, &["platform", "driver", "source", "electron"])
}

fn read(reader: &mut Reader<'_>, node: &Node, own: &[&str]) -> Config {
    let Some(fields) = reader.open_fields(node, "'config'") else { return Config::default() };
    let known: Vec<&str> = SHARED.iter().chain(own).copied().collect();
    let mut config = Config::default();
    for entry in node.as_map().unwrap_or_default() {
        if !known.contains(&entry.key.as_str()) {
            let hint = yaml::unknown_key_hint(&entry.key, &known);
            let message = format!("'config' has no key '{}'; it has no effect", entry.key);
            reader.warning(Code::UnknownKey, entry.key_place, message, Some(hint));
            config.extra.insert(entry.key.clone(), entry.value.to_json());
        }
    }
    config.id = reader.optional_text(fields, "id");
    if config.id.as_deref().is_some_and(|id| id.trim().is_empty()) {
        let hint = "leave it out: the trail is then called as its file is";
        reader.error_hint(Code::BadValue, fields.key_place("id"), "'id' is empty", hint);
    }
    config.target = reader.optional_text(fields, "target");
    config.title = reader.optional_text(fields, "title");
    config.description = reader.optional_text(fields, "description");
    config.priority = reader.optional_text(fields, "priority");
    config.context = reader.optional_text(fields, "context");
    config.tags = reader.texts(fields, "tags").into_iter().map(|(tag, _)| tag).collect();
    config.memory = reader.text_map(fields, "memory");
    config.metadata = reader.text_map(fields, "metadata");
    config.args = args(reader, fields);
    if own.contains(&"devices") {
        config.devices = devices(reader, fields);
        config.skip = skip_per_classifier(reader, fields);
    } else {
        let reason = reader.optional_text(fields, "skip").filter(|reason| !reason.trim().is_empty());
        config.skip = reason.map_or(PerDevice::None, PerDevice::Always);
        translate_list_keys(reader, fields, &mut config);
    }
    config
}

fn skip_per_classifier(reader: &mut Reader<'_>, fields: Fields<'_>) -> PerDevice<String> {
    if let Some(node) = fields.get("skip")
        && let Some(scalar) = node.as_scalar()
    {
        let message = "'skip' must be a mapping from device classifiers to reasons, not a single value";
        let hint = format!("write 'skip: {{ android: {} }}'", scalar.text);
        reader.error_hint(Code::WrongType, node.place, message, hint);
        return PerDevice::None;
    }
    let pairs = reader.text_map(fields, "skip");
    if pairs.is_empty() { PerDevice::None } else { PerDevice::PerClassifier(pairs) }
}

fn devices(reader: &mut Reader<'_>, fields: Fields<'_>) -> PerDevice<Driver> {
    let Some(node) = fields.get("devices") else { return PerDevice::None };
    let Some(map) = reader.open_fields(node, "'devices'") else { return PerDevice::None };
    let mut pins = Vec::new();
    for entry in map.node.as_map().unwrap_or_default() {
        if let Some(driver) = read_driver(reader, &entry.value) {
            pins.push((entry.key.clone(), driver));
        }
    }
    if pins.is_empty() { PerDevice::None } else { PerDevice::PerClassifier(pins) }
}

pub(crate) fn read_driver(reader: &mut Reader<'_>, node: &Node) -> Option<Driver> {
    let name = reader.text(node, "a driver")?;
    let driver = Driver::parse(&name);
    if driver.is_none() {
        let known = Driver::ALL.iter().map(|driver| driver.key());
        let hint = names::nearest_hint(&name.to_lowercase().replace('_', "-"), known.clone())
            .unwrap_or_else(|| format!("known drivers: {}", known.collect::<Vec<_>>().join(", ")));
        reader.error_hint(Code::UnknownName, node.place, format!("unknown driver '{name}'"), hint);
    }
    driver
}

fn translate_list_keys(reader: &mut Reader<'_>, fields: Fields<'_>, config: &mut Config) {
    let platform = reader.optional_text(fields, "platform");
    let pinned = fields.get("driver").and_then(|node| read_driver(reader, node));
    match pinned {
        // The driver wins over a platform that is not its own.
        Some(driver) => {
            let own = driver.platform().key();
            let fits = |platform: &String| platform.split('-').next().is_some_and(|first| first == own);
            let classifier = platform.filter(fits).unwrap_or_else(|| own.to_owned());
            config.devices = PerDevice::PerClassifier(vec![(classifier, driver)]);
        }
        None => config.platform = platform,
    }
    if let Some(source) = fields.get("source")
        && let Some(source) = reader.fields(source, "'source'", &["type", "reason"])
    {
        let kind = reader.optional_text(source, "type");
        let reason = reader.optional_text(source, "reason");
        for (key, value) in [("source", kind), ("sourceReason", reason)] {
            if let Some(value) = value {
                config.metadata.retain(|(known, _)| known != key);
                config.metadata.push((key.to_owned(), value));
            }
        }
    }
    if let Some(electron) = fields.get("electron") {
        config.extra.insert("electron".to_owned(), electron.to_json());
        let hint = Some("Trailblaze drives Android".to_owned());
        reader.warning(Code::UnknownKey, fields.key_place("electron"), "'electron' has no effect", hint);
    }
}

fn args(reader: &mut Reader<'_>, fields: Fields<'_>) -> Vec<ArgDeclaration> {
    let Some(node) = fields.get("args") else { return Vec::new() };
    let Some(map) = reader.open_fields(node, "'args'") else { return Vec::new() };
    let entries = map.node.as_map().unwrap_or_default();
    entries.iter().filter_map(|entry| arg(reader, &entry.key, entry.key_place, &entry.value)).collect()
}

fn arg(reader: &mut Reader<'_>, name: &str, at: crate::place::Place, node: &Node) -> Option<ArgDeclaration> {
    let well_formed = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !well_formed {
        let message = format!("'{name}' cannot name an argument");
        reader.error_hint(
            Code::BadValue,
            at,
            message,
            "use letters, digits and '_', and begin with no digit",
        );
        return None;
    }
    if node.as_scalar().is_some() {
        let kind = arg_type(reader, node)?;
        return Some(ArgDeclaration { name: name.to_owned(), kind, description: None, default: None });
    }
    let fields = reader.fields(node, "an argument", &["type", "description", "default", "required"])?;
    let Some(kind) = fields.get("type") else {
        let message = format!("the argument '{name}' needs 'type'");
        reader.error_hint(Code::MissingKey, node.place, message, "add 'type: …'");
        return None;
    };
    let kind = arg_type(reader, kind)?;
    let default = reader.default_value(fields, kind.key());
    let required = reader.optional_bool(fields, "required");
    if required == Some(fields.has("default")) {
        let message = "'required' contradicts 'default'";
        let hint = "an argument is required exactly when it has no default; leave 'required' out";
        reader.error_hint(Code::Conflict, fields.key_place("required"), message, hint);
    }
    let description = reader.optional_text(fields, "description");
    Some(ArgDeclaration { name: name.to_owned(), kind, description, default })
}

fn arg_type(reader: &mut Reader<'_>, node: &Node) -> Option<ArgType> {
    let name = reader.text(node, "'type'")?;
    let kind = ArgType::parse(&name);
    if kind.is_none() {
        let known: Vec<&str> = ArgType::ALL.iter().map(|kind| kind.key()).collect();
        let hint = names::nearest_hint(&name, known.iter().copied())
            .unwrap_or_else(|| format!("known types: {}", known.join(", ")));
        reader.error_hint(Code::BadValue, node.place, format!("unknown type '{name}'"), hint);
    }
    kind
}
