//! Tools that are defined in YAML: a fixed list of calls, or a body that lives elsewhere.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use trailblaze_model::event::Via;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::tool::{Mode, Parameter, Script, ToolFile};

use crate::dispatch::{Context, Execute, Output};
use crate::registry::{Source, Tool};

/// Where the code of `class:` tools is found.
pub trait Classes: Send + Sync + std::fmt::Debug {
    /// What a class says of itself and what runs it, or why it cannot be used.
    fn find(&self, class: &str) -> Result<ClassTool, String>;
}

/// A class that is a tool.
pub struct ClassTool {
    pub description: String,
    pub schema: Value,
    pub body: Arc<dyn Execute>,
}

impl std::fmt::Debug for ClassTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClassTool({})", self.description)
    }
}

/// What runs `script:` tools.
pub trait Scripts: Send + Sync {
    /// The body of a tool, or why there is none. It may be asked for before anything is run.
    fn body(&self, file: &ToolFile, script: &Script) -> Result<Arc<dyn Execute>, String>;
}

/// Where the bodies are that do not stand in the YAML itself.
#[derive(Clone, Copy, Default)]
pub struct Bodies<'a> {
    pub classes: Option<&'a dyn Classes>,
    pub scripts: Option<&'a dyn Scripts>,
}

impl std::fmt::Debug for Bodies<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bodies")
    }
}

/// The tool of a file.
pub fn tool(file: ToolFile, source: Source, bodies: Bodies<'_>) -> Tool {
    let script = match &file.mode {
        Mode::Script { script, .. } => Some(match bodies.scripts {
            Some(scripts) => scripts.body(&file, script),
            None => Err(format!("'{}' is a script, and nothing here runs scripts", file.id)),
        }),
        _ => None,
    };
    let (description, parameters, body): (String, Vec<Parameter>, Arc<dyn Execute>) = match file.mode {
        Mode::Tools { description, parameters, mut calls } => {
            if source == Source::BuiltIn {
                // Nobody has these files, so a failure in them stands where the tool is called.
                for call in &mut calls {
                    (call.at, call.source) = (None, None);
                }
            }
            (description, parameters.clone(), Arc::new(Calls { parameters, calls }))
        }
        Mode::Class(class) => {
            let found = bodies.classes.map(|classes| classes.find(&class)).unwrap_or_else(|| {
                Err(format!("'{}' is the class {class} in a test APK and runs only on the device", file.id))
            });
            let found = found.unwrap_or_else(|reason| ClassTool {
                description: format!("The class {class} in the test APK"),
                schema: json!({ "type": "object" }),
                body: Arc::new(Elsewhere { reason }),
            });
            return Tool {
                name: file.id,
                description: found.description,
                schema: found.schema,
                flags: file.flags,
                source,
                body: found.body,
            };
        }
        Mode::Script { description, parameters, .. } => {
            let body = script.unwrap_or_else(|| Err(String::new()));
            let body = body.unwrap_or_else(|reason| Arc::new(Elsewhere { reason }));
            let defaults = parameters.clone();
            (description, parameters, Arc::new(WithDefaults { parameters: defaults, body }))
        }
    };
    Tool { name: file.id, description, schema: schema(&parameters), flags: file.flags, source, body }
}

/// The JSON Schema of declared parameters.
pub fn schema(parameters: &[Parameter]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters {
        let mut property = Map::new();
        let kind = parameter.kind.key();
        property.insert("type".into(), if parameter.required { kind.into() } else { json!([kind, "null"]) });
        if let Some(description) = &parameter.description {
            property.insert("description".into(), description.as_str().into());
        }
        if let Some(default) = &parameter.default {
            property.insert("default".into(), default.clone());
        }
        properties.insert(parameter.name.clone(), Value::Object(property));
        if parameter.required {
            required.push(parameter.name.as_str());
        }
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), false.into());
    Value::Object(schema)
}

/// Calls run in order, with the parameters in scope.
struct Calls {
    parameters: Vec<Parameter>,
    calls: Vec<trailblaze_model::call::ToolCall>,
}

/// Parameters that were left out have their default, else null.
fn fill_defaults(parameters: &[Parameter], args: &mut Map<String, Value>) {
    for parameter in parameters {
        let omitted = args.get(&parameter.name).is_none_or(Value::is_null);
        if omitted {
            args.insert(parameter.name.clone(), parameter.default.clone().unwrap_or(Value::Null));
        }
    }
}

impl Execute for Calls {
    fn execute(&self, mut args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        fill_defaults(&self.parameters, &mut args);
        for call in &self.calls {
            context.dispatch(call, Via::Expansion, Some(&args))?;
        }
        Ok(Output::default())
    }
}

/// A script with all its parameters.
struct WithDefaults {
    parameters: Vec<Parameter>,
    body: Arc<dyn Execute>,
}

impl Execute for WithDefaults {
    fn execute(&self, mut args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        fill_defaults(&self.parameters, &mut args);
        self.body.execute(args, context)
    }
}

/// A tool that is known here and runs somewhere else: that shows when it is called.
struct Elsewhere {
    reason: String,
}

impl Execute for Elsewhere {
    fn execute(&self, _args: Map<String, Value>, _context: &Context<'_>) -> Result<Output, Failure> {
        Err(Failure::new(FailureKind::NotSupported, self.reason.clone()))
    }
}
