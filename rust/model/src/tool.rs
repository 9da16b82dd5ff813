//! Tool YAML: a tool defined in a file, in one of three modes.

mod descriptor;

use serde_json::{Map, Value, json};

use crate::call::ToolCall;
use crate::diagnostic::{Code, Diagnostics};
use crate::flags::ToolFlags;
use crate::names;
use crate::place::{FilePlace, Place, Source};
use crate::yaml::{self, Fields, Node, Reader};

/// One file of `trailblaze-config/tools/`. Equality ignores where it was written.
#[derive(Clone, Debug)]
pub struct ToolFile {
    pub id: String,
    pub at: FilePlace,
    pub mode: Mode,
    pub flags: ToolFlags,
}

impl PartialEq for ToolFile {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.mode == other.mode && self.flags == other.flags
    }
}

/// How a tool is written. Exactly one of the three.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// A class in the test APK; it describes itself.
    Class(String),
    /// A fixed list of tool calls.
    Tools { description: String, parameters: Vec<Parameter>, calls: Vec<ToolCall> },
    /// JavaScript.
    Script { description: String, parameters: Vec<Parameter>, script: Script },
}

/// Where the JavaScript of a `script:` tool stands. Equality ignores where it was written.
#[derive(Clone, Debug)]
pub enum Script {
    /// The text, and where it begins.
    Inline(String, Place),
    File(String),
}

impl PartialEq for Script {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Inline(one, _), Self::Inline(other, _)) | (Self::File(one), Self::File(other)) => {
                one == other
            }
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: ParameterType,
    pub required: bool,
    pub default: Option<Value>,
    pub description: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    String,
    Integer,
    Boolean,
    Number,
}

impl ParameterType {
    pub const ALL: &[Self] = &[Self::String, Self::Integer, Self::Boolean, Self::Number];

    pub const fn key(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Number => "number",
        }
    }
}

const KEYS: &[&str] = &[
    "id",
    "description",
    "parameters",
    "class",
    "tools",
    "script",
    "surface_to_llm",
    "is_recordable",
    "requires_host",
    "is_verification",
    "supported_platforms",
    "supported_drivers",
    "toolset",
    "groups",
    "shortcut",
    "trailhead",
];

/// What else may be said of a tool, for a model that plans with it: nothing here depends on it.
const METADATA: &[&str] = &["shortcut", "trailhead"];

/// Reads a tool file, or the descriptor of a scripted tool. None means that it has errors, which were
/// reported, or that it only has metadata of a tool that is defined elsewhere.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<ToolFile> {
    let errors = problems.errors().count();
    let node = yaml::read(source, problems)?;
    let mut reader = Reader::new(source, problems);
    if reader.is_empty_document(&node, "a tool begins with 'id:'") {
        return None;
    }
    let tool = match descriptor::is_descriptor(&node) {
        true => descriptor::read(&mut reader, &node),
        false => read_tool(&mut reader, &node),
    };
    if problems.errors().count() > errors { None } else { tool }
}

fn read_tool(reader: &mut Reader<'_>, node: &Node) -> Option<ToolFile> {
    let fields = reader.fields(node, "a tool", KEYS)?;
    let id = reader.required(fields, "id", "a tool");
    let flags = flags(reader, fields);
    let mode = mode(reader, fields)?;
    let at = reader.file_place(fields.key_place("id"));
    Some(ToolFile { id: id?, at, mode, flags })
}

fn mode(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<Mode> {
    let present: Vec<&str> = ["class", "tools", "script"].into_iter().filter(|key| fields.has(key)).collect();
    match present.as_slice() {
        ["class"] => class(reader, fields),
        ["tools"] => {
            let (description, parameters) = described(reader, fields, "tools");
            let list = fields.node.get("tools")?;
            let calls = reader.tool_calls(list, "'tools'");
            if list.as_list().is_some_and(<[_]>::is_empty) {
                reader.error(Code::Structure, fields.key_place("tools"), "'tools' needs at least one call");
            }
            Some(Mode::Tools { description: description?, parameters, calls })
        }
        [_script] => {
            let (description, parameters) = described(reader, fields, "script");
            let script = script(reader, fields);
            Some(Mode::Script { description: description?, parameters, script: script? })
        }
        [] if let Some(key) = METADATA.iter().find(|key| fields.has(key)) => {
            let message = format!("a file with only '{key}' has no effect here: it defines no tool");
            reader.warning(Code::UnknownKey, fields.key_place(key), message, None);
            None
        }
        [] => {
            let hint = "'tools' for a fixed list of calls, 'script' for logic, 'class' for code in the APK";
            let message = "a tool needs one of 'class', 'tools' and 'script'";
            reader.error_hint(Code::MissingKey, fields.node.place, message, hint);
            None
        }
        [first, second, ..] => {
            let message =
                format!("a tool has one of 'class', 'tools' and 'script'; '{first}' is there already");
            reader.error(Code::Conflict, fields.key_place(second), message);
            None
        }
    }
}

fn class(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<Mode> {
    for key in ["description", "parameters"] {
        if fields.has(key) {
            let message = format!("'{key}' cannot stand beside 'class'");
            let hint = "a class describes itself";
            reader.error_hint(Code::Conflict, fields.key_place(key), message, hint);
        }
    }
    reader.required(fields, "class", "a tool").map(Mode::Class)
}

fn described(reader: &mut Reader<'_>, fields: Fields<'_>, mode: &str) -> (Option<String>, Vec<Parameter>) {
    let description = reader.required(fields, "description", &format!("a tool with '{mode}'"));
    let has_metadata = METADATA.iter().any(|key| fields.has(key));
    if !fields.has("parameters") && !has_metadata {
        let hint = "write 'parameters: []' for a tool without any";
        let message = format!("a tool with '{mode}' needs 'parameters'");
        reader.error_hint(Code::MissingKey, fields.node.place, message, hint);
    }
    let items =
        fields.get("parameters").and_then(|node| reader.list(node, "'parameters'")).unwrap_or_default();
    let mut parameters: Vec<Parameter> = Vec::new();
    for item in items {
        let Some(parameter) = parameter(reader, item) else { continue };
        if parameters.iter().any(|known| known.name == parameter.name) {
            let message = format!("the parameter '{}' is declared twice", parameter.name);
            reader.error(Code::DuplicateKey, name_place(item), message);
        }
        parameters.push(parameter);
    }
    (description, parameters)
}

fn parameter(reader: &mut Reader<'_>, node: &Node) -> Option<Parameter> {
    let known = ["name", "type", "required", "default", "description"];
    let fields = reader.fields(node, "a parameter", &known)?;
    let name = reader.required(fields, "name", "a parameter")?;
    if name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let message = format!("'{name}' cannot name a parameter");
        reader.error_hint(Code::BadValue, name_place(node), message, "use letters, digits and '_'");
    }
    let kind_name = reader.required(fields, "type", "a parameter")?;
    let Some(kind) = ParameterType::ALL.iter().copied().find(|kind| kind.key() == kind_name) else {
        let known: Vec<&str> = ParameterType::ALL.iter().map(|kind| kind.key()).collect();
        let hint = names::nearest_hint(&kind_name, known.iter().copied())
            .unwrap_or_else(|| format!("known types: {}", known.join(", ")));
        let at = fields.get("type").map_or(node.place, |node| node.place);
        reader.error_hint(Code::BadValue, at, format!("unknown type '{kind_name}'"), hint);
        return None;
    };
    let default = reader.default_value(fields, kind.key());
    let required = reader.optional_bool(fields, "required").unwrap_or(!fields.has("default"));
    if required && fields.has("default") {
        let message = format!("the parameter '{name}' is required, so its default is never used");
        reader.error(Code::Conflict, fields.key_place("default"), message);
    }
    let description = reader.optional_text(fields, "description");
    Some(Parameter { name, kind, required, default, description })
}

/// Where a parameter's name stands.
fn name_place(node: &Node) -> Place {
    node.get("name").map_or(node.place, |name| name.place)
}

fn script(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<Script> {
    let Some(node) = fields.get("script").filter(|node| node.as_scalar().is_none()) else {
        let source = reader.required(fields, "script", "a tool")?;
        if descriptor::names_file(&source) {
            let message = "'script' is JavaScript, not the name of a file";
            let hint = format!("write 'script: {{ file: {source} }}'");
            reader.error_hint(Code::BadValue, fields.key_place("script"), message, hint);
            return None;
        }
        return Some(Script::Inline(source, beginning(reader.source, fields, "script")));
    };
    let script = reader.fields(node, "'script'", &["source", "file"])?;
    match (script.has("source"), script.has("file")) {
        (true, false) => {
            let at = beginning(reader.source, script, "source");
            reader.required(script, "source", "'script'").map(|source| Script::Inline(source, at))
        }
        (false, true) => reader.required(script, "file", "'script'").map(Script::File),
        _ => {
            reader.error(Code::Conflict, node.place, "'script' needs either 'source' or 'file'");
            None
        }
    }
}

/// Where the first character of a text stands; that of a block stands below its mark.
fn beginning(source: &Source, fields: Fields<'_>, key: &str) -> Place {
    let at = fields.get(key).map_or(Place::START, |node| node.place);
    let first = |place: Place| source.text[source.offset(place)..].chars().next();
    if !matches!(first(at), Some('|' | '>')) {
        return at;
    }
    let below = source.line(at.line + 1).unwrap_or_default();
    let indent = below.len() - below.trim_start().len();
    Place { line: at.line + 1, column: indent as u32 + 1 }
}

fn flags(reader: &mut Reader<'_>, fields: Fields<'_>) -> ToolFlags {
    let defaults = ToolFlags::default();
    ToolFlags {
        is_for_llm: reader.optional_bool(fields, "surface_to_llm").unwrap_or(defaults.is_for_llm),
        is_recordable: reader.optional_bool(fields, "is_recordable").unwrap_or(defaults.is_recordable),
        requires_host: reader.optional_bool(fields, "requires_host").unwrap_or_default(),
        is_verification: reader.optional_bool(fields, "is_verification").unwrap_or_default(),
        supported_platforms: crate::toolset::platforms(reader, fields, "supported_platforms"),
        supported_drivers: crate::toolset::drivers(reader, fields, "supported_drivers"),
        toolset: reader.optional_text(fields, "toolset"),
        groups: crate::order::set(reader.texts(fields, "groups").into_iter().map(|(group, _)| group)),
        ..defaults
    }
}

impl ToolFile {
    /// Prints the file; reading it gives this tool back.
    pub fn print(&self) -> String {
        let mut map = Map::from_iter([("id".to_owned(), Value::from(self.id.as_str()))]);
        let mut described = |description: &str, parameters: &[Parameter]| {
            map.insert("description".into(), description.into());
            map.insert("parameters".into(), parameters.iter().map(Parameter::to_value).collect());
        };
        let (key, body) = match &self.mode {
            Mode::Class(name) => ("class", Value::from(name.as_str())),
            Mode::Tools { description, parameters, calls } => {
                described(description, parameters);
                ("tools", calls.iter().map(ToolCall::to_value).collect())
            }
            Mode::Script { description, parameters, script } => {
                described(description, parameters);
                ("script", script.to_value())
            }
        };
        self.print_flags(&mut map);
        map.insert(key.into(), body);
        yaml::print(&Value::Object(map))
    }

    fn print_flags(&self, map: &mut Map<String, Value>) {
        let (flags, defaults) = (&self.flags, ToolFlags::default());
        let mut flag = |key: &str, value: bool, default: bool| {
            if value != default {
                map.insert(key.to_owned(), value.into());
            }
        };
        flag("surface_to_llm", flags.is_for_llm, defaults.is_for_llm);
        flag("is_recordable", flags.is_recordable, defaults.is_recordable);
        flag("requires_host", flags.requires_host, defaults.requires_host);
        flag("is_verification", flags.is_verification, defaults.is_verification);
        if !flags.supported_platforms.is_empty() {
            map.insert("supported_platforms".into(), json!(flags.supported_platforms));
        }
        if !flags.supported_drivers.is_empty() {
            map.insert("supported_drivers".into(), json!(flags.supported_drivers));
        }
        if let Some(toolset) = &flags.toolset {
            map.insert("toolset".into(), toolset.as_str().into());
        }
        if !flags.groups.is_empty() {
            map.insert("groups".into(), json!(flags.groups));
        }
    }
}

impl Script {
    fn to_value(&self) -> Value {
        match self {
            Self::Inline(source, _) => json!({ "source": source }),
            Self::File(file) => json!({ "file": file }),
        }
    }
}

impl Parameter {
    fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("name".into(), self.name.as_str().into());
        map.insert("type".into(), self.kind.key().into());
        map.insert("required".into(), self.required.into());
        if let Some(default) = &self.default {
            map.insert("default".into(), default.clone());
        }
        if let Some(description) = &self.description {
            map.insert("description".into(), description.as_str().into());
        }
        Value::Object(map)
    }
}
