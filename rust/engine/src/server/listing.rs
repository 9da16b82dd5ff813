//! From what a server lists to tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::driver::{Driver, Platform};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::names;
use trailblaze_model::order;
use trailblaze_model::place::FilePlace;

use crate::registry::{Source, Tool};
use crate::schema;
use crate::server::{self, Provider, envelope};

/// What a server says of its tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// The entries of `tools/list`.
    pub tools: Vec<Value>,
    /// The content of `trailblaze://registry`.
    pub registry: Option<Value>,
}

const PREFIX: &str = "trailblaze/";

const KEYS: &[&str] = &[
    "isForLlm",
    "isRecordable",
    "isDelegating",
    "isVerification",
    "requiresHost",
    "supportedDrivers",
    "supportedPlatforms",
    "toolset",
    "requiresContext",
    "groups",
];

/// The tools of a server. What is wrong with one is said with its name, at the place that declares the server.
pub fn tools(
    provider: &Arc<dyn Provider>,
    listed: &Listed,
    at: Option<&FilePlace>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Tool> {
    let mut reader = Reader { server: provider.name(), at, problems };
    let mut seen = BTreeSet::new();
    let mut tools = Vec::new();
    for entry in &listed.tools {
        let Some(name) = entry["name"].as_str().filter(|name| !name.is_empty()) else {
            reader.error("it lists a tool without a name".to_owned(), None);
            continue;
        };
        if !seen.insert(name.to_owned()) {
            reader.error(format!("it lists two tools called '{name}'"), Some("rename one of them"));
            continue;
        }
        let registry = listed.registry.as_ref().map(|registry| &registry["tools"][name]);
        let schema = reader.schema(name, entry);
        let flags = reader.flags(name, entry, registry);
        let (Some(schema), Some(flags)) = (schema, flags) else { continue };
        tools.push(Tool {
            name: name.to_owned(),
            description: entry["description"].as_str().unwrap_or_default().trim().to_owned(),
            schema,
            flags,
            source: Source::Server { name: provider.name().to_owned(), at: at.cloned() },
            body: server::body(provider.clone()),
        });
    }
    tools
}

struct Reader<'a> {
    server: &'a str,
    at: Option<&'a FilePlace>,
    problems: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, message: String, hint: Option<&str>) {
        let mut problem = Diagnostic::error(Code::BadToolset, format!("'{}': {message}", self.server))
            .hint_opt(hint.map(str::to_owned));
        problem.at = self.at.cloned();
        self.problems.push(problem);
    }

    fn warn(&mut self, message: String, hint: Option<String>) {
        let mut problem =
            Diagnostic::warning(Code::BadToolset, format!("'{}': {message}", self.server)).hint_opt(hint);
        problem.at = self.at.cloned();
        self.problems.push(problem);
    }

    fn schema(&mut self, tool: &str, entry: &Value) -> Option<Value> {
        match entry.get("inputSchema") {
            None | Some(Value::Null) => Some(json!({ "type": "object" })),
            Some(schema) if schema["type"] == "object" => {
                let mut wrong = schema::broken(schema);
                if schema["properties"].get(envelope::CONTEXT).is_some() {
                    wrong.push(format!("the parameter '{}' is reserved", envelope::CONTEXT));
                }
                for wrong in &wrong {
                    self.error(format!("the schema of the tool '{tool}': {wrong}"), None);
                }
                wrong.is_empty().then(|| schema.clone())
            }
            Some(_) => {
                let hint = "arguments have names, so it begins with \"type\": \"object\"";
                self.error(format!("the tool '{tool}' has a schema that is no object"), Some(hint));
                None
            }
        }
    }

    /// What stands at the tool wins over what the server's registry says, which wins over the defaults.
    fn flags(&mut self, tool: &str, entry: &Value, registry: Option<&Value>) -> Option<ToolFlags> {
        let mut keys = Map::new();
        for (key, value) in registry.and_then(Value::as_object).into_iter().flatten() {
            let key = match key.as_str() {
                "exposedToLlm" => "isForLlm",
                "platforms" => "supportedPlatforms",
                "drivers" => "supportedDrivers",
                key => key,
            };
            if KEYS.contains(&key) {
                keys.insert(key.to_owned(), value.clone());
            }
        }
        for (key, value) in entry["_meta"].as_object().into_iter().flatten() {
            let Some(key) = key.strip_prefix(PREFIX) else { continue };
            if KEYS.contains(&key) {
                keys.insert(key.to_owned(), value.clone());
            } else {
                let near = names::nearest_hint(key, KEYS.iter().copied());
                self.warn(format!("the tool '{tool}' has the unknown flag '{PREFIX}{key}'"), near);
            }
        }
        let mut flags = ToolFlags::default();
        let mut good = true;
        for (key, value) in &keys {
            if let Err(wanted) = set(&mut flags, key, value) {
                self.error(format!("the tool '{tool}': '{PREFIX}{key}' must be {wanted}, not {value}"), None);
                good = false;
            }
        }
        good.then_some(flags)
    }
}

/// Sets one flag, or says what the value must be.
fn set(flags: &mut ToolFlags, key: &str, value: &Value) -> Result<(), String> {
    let boolean = || value.as_bool().ok_or_else(|| "true or false".to_owned());
    let texts = || -> Result<Vec<&str>, String> {
        let items = value.as_array().ok_or_else(|| "a list of texts".to_owned())?;
        items.iter().map(|item| item.as_str().ok_or_else(|| "a list of texts".to_owned())).collect()
    };
    match key {
        "isForLlm" => flags.is_for_llm = boolean()?,
        "isRecordable" => flags.is_recordable = boolean()?,
        "isDelegating" => flags.is_delegating = boolean()?,
        "isVerification" => flags.is_verification = boolean()?,
        "requiresHost" => flags.requires_host = boolean()?,
        "requiresContext" => flags.requires_context = boolean()?,
        "toolset" => flags.toolset = Some(value.as_str().ok_or("the id of a toolset")?.to_owned()),
        "groups" => flags.groups = order::set(texts()?.into_iter().map(str::to_owned)),
        "supportedPlatforms" => {
            let known = || names::list(&Platform::ALL.iter().map(|one| one.wire()).collect::<Vec<_>>());
            let read = |name: &str| Platform::parse(name).ok_or_else(|| format!("a list of {}", known()));
            flags.supported_platforms = texts()?.into_iter().map(read).collect::<Result<_, _>>()?;
        }
        "supportedDrivers" => {
            let known = || names::list(&Driver::ALL.iter().map(|one| one.key()).collect::<Vec<_>>());
            let read = |name: &str| Driver::parse(name).ok_or_else(|| format!("a list of {}", known()));
            flags.supported_drivers = texts()?.into_iter().map(read).collect::<Result<_, _>>()?;
        }
        _ => {}
    }
    Ok(())
}
