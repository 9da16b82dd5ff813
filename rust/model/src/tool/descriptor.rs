//! The descriptor of a scripted tool, `<tool>.yaml` beside its `.ts` file, as trailmaps have it.

use super::{Mode, Parameter, ParameterType, Script, ToolFile};
use crate::diagnostic::Code;
use crate::flags::ToolFlags;
use crate::toolset;
use crate::yaml::{Entry, Fields, Node, Reader};

const KEYS: &[&str] = &[
    "script",
    "name",
    "description",
    "inputSchema",
    "supportedPlatforms",
    "requiresHost",
    "surfaceToLlm",
    "isRecordable",
    "runtime",
    "_meta",
    "tools",
];

/// Whether a text names a file with a script, and is no script itself.
pub(super) fn names_file(text: &str) -> bool {
    let endings = [".js", ".mjs", ".ts"];
    endings.iter().any(|ending| text.ends_with(ending)) && !text.contains(char::is_whitespace)
}

/// `script:` is the path itself, and the keys of a tool file are missing.
pub(super) fn is_descriptor(node: &Node) -> bool {
    let script = node.get("script").and_then(Node::as_scalar);
    script.is_some_and(|script| names_file(&script.text))
        && (node.get("inputSchema").is_some()
            || (node.get("id").is_none() && node.get("parameters").is_none()))
}

/// The tool has the name of its file unless it says otherwise.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Option<ToolFile> {
    let fields = reader.fields(node, "a scripted tool", KEYS)?;
    let script = reader.required(fields, "script", "a scripted tool")?;
    let id = match fields.has("name") {
        true => reader.required(fields, "name", "a scripted tool"),
        false => Some(stem(&reader.source.file).to_owned()),
    };
    let description = reader.optional_text(fields, "description");
    let description = description.unwrap_or_else(|| format!("Runs {script}."));
    let parameters = parameters(reader, fields);
    let defaults = ToolFlags::default();
    let flags = ToolFlags {
        is_for_llm: reader.optional_bool(fields, "surfaceToLlm").unwrap_or(defaults.is_for_llm),
        is_recordable: reader.optional_bool(fields, "isRecordable").unwrap_or(defaults.is_recordable),
        requires_host: reader.optional_bool(fields, "requiresHost").unwrap_or_default(),
        supported_platforms: toolset::platforms(reader, fields, "supportedPlatforms"),
        ..defaults
    };
    for key in ["runtime", "_meta", "tools"] {
        if fields.has(key) {
            let message = format!("'{key}' of a scripted tool has no effect here");
            reader.warning(Code::UnknownKey, fields.key_place(key), message, None);
        }
    }
    let at = reader.file_place(fields.key_place(if fields.has("name") { "name" } else { "script" }));
    let mode = Mode::Script { description, parameters, script: Script::File(script) };
    Some(ToolFile { id: id?, at, mode, flags })
}

/// The name of a file without its folder and its endings.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let name = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")).unwrap_or(name);
    name.strip_suffix(".tool").unwrap_or(name)
}

/// `inputSchema: {name: {type, description, enum, optional}}`
fn parameters(reader: &mut Reader<'_>, fields: Fields<'_>) -> Vec<Parameter> {
    let Some(node) = fields.get("inputSchema") else { return Vec::new() };
    let Some(schema) = reader.open_fields(node, "'inputSchema'") else { return Vec::new() };
    let entries = schema.node.as_map().unwrap_or_default();
    entries.iter().filter_map(|entry| parameter(reader, entry)).collect()
}

fn parameter(reader: &mut Reader<'_>, entry: &Entry) -> Option<Parameter> {
    let known = ["type", "description", "enum", "optional", "default"];
    let what = format!("the parameter '{}'", entry.key);
    let fields = reader.fields(&entry.value, &what, &known)?;
    let kind = reader.optional_text(fields, "type");
    let kind = kind.map_or(ParameterType::String, |name| {
        ParameterType::ALL.iter().copied().find(|kind| kind.key() == name).unwrap_or_else(|| {
            let known: Vec<&str> = ParameterType::ALL.iter().map(|kind| kind.key()).collect();
            let hint = Some(format!("known types: {}", known.join(", ")));
            let message = format!("the type '{name}' is read as 'string'");
            reader.warning(Code::BadValue, fields.key_place("type"), message, hint);
            ParameterType::String
        })
    });
    let default = reader.default_value(fields, kind.key());
    let optional = reader.optional_bool(fields, "optional").unwrap_or(default.is_some());
    reader.texts(fields, "enum");
    let description = reader.optional_text(fields, "description");
    let default = default.filter(|_| optional);
    Some(Parameter { name: entry.key.clone(), kind, required: !optional, default, description })
}
