//! Types for editors: the arguments of every tool of a registry, for `client.tools` and `client.callTool`.

use std::fmt::Write;

use serde_json::Value;
use trailblaze_engine::registry::{Registry, Tool};

/// The text of a `.d.ts` file.
pub fn declarations(registry: &Registry) -> String {
    let mut text = String::from(
        "// Written by 'trailblaze typegen'; changes are lost when it runs again.\n\
         import \"@trailblaze/scripting\";\n\n\
         declare module \"@trailblaze/scripting\" {\n  interface TrailblazeTools {\n",
    );
    for tool in registry.tools() {
        arguments(&mut text, tool);
    }
    text += "  }\n}\n";
    text
}

fn arguments(text: &mut String, tool: &Tool) {
    comment(text, "    ", &tool.description);
    let name = if is_name(&tool.name) { tool.name.clone() } else { format!("{:?}", tool.name) };
    let _ = writeln!(text, "    {name}: {};", object(&tool.schema, "    "));
}

fn comment(text: &mut String, indent: &str, description: &str) {
    let safe = description.replace("*/", "*\\/");
    let lines: Vec<&str> = safe.lines().map(str::trim_end).collect();
    match lines.as_slice() {
        [] => {}
        [line] => drop(writeln!(text, "{indent}/** {line} */")),
        lines => {
            let _ = writeln!(text, "{indent}/**");
            for line in lines {
                let _ = writeln!(text, "{}", format!("{indent} * {line}").trim_end());
            }
            let _ = writeln!(text, "{indent} */");
        }
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The type of a schema's values.
fn kind(schema: &Value, indent: &str) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return union(values.iter().map(Value::to_string).collect());
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            return union(choices.iter().map(|choice| kind(choice, indent)).collect());
        }
    }
    match &schema["type"] {
        Value::String(name) => named(name, schema, indent),
        Value::Array(names) => {
            union(names.iter().filter_map(Value::as_str).map(|name| named(name, schema, indent)).collect())
        }
        _ if schema["properties"].is_object() => object(schema, indent),
        _ => "unknown".to_owned(),
    }
}

fn union(mut kinds: Vec<String>) -> String {
    kinds.dedup();
    if kinds.is_empty() { "unknown".to_owned() } else { kinds.join(" | ") }
}

fn named(name: &str, schema: &Value, indent: &str) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => name.to_owned(),
        "array" => match &schema["items"] {
            items @ Value::Object(_) => format!("Array<{}>", kind(items, indent)),
            _ => "unknown[]".to_owned(),
        },
        "object" => object(schema, indent),
        _ => "unknown".to_owned(),
    }
}

fn object(schema: &Value, indent: &str) -> String {
    let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty());
    let closed = schema["additionalProperties"] == Value::Bool(false);
    let Some(properties) = properties else {
        return if closed { "Record<string, never>" } else { "Record<string, unknown>" }.to_owned();
    };
    let inner = format!("{indent}  ");
    let mut text = String::from("{\n");
    for (name, property) in properties {
        comment(&mut text, &inner, property["description"].as_str().unwrap_or_default());
        let mark = if required(schema).any(|required| required == name) { "" } else { "?" };
        let shown = if is_name(name) { name.clone() } else { format!("{name:?}") };
        let _ = writeln!(text, "{inner}{shown}{mark}: {};", kind(property, &inner));
    }
    text + indent + "}"
}
