use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::json;

use super::super::{ENTRIES, Entry};
use super::*;

/// With a path here the file is written there instead of compared.
const WRITE_TO: &str = "TRAILBLAZE_SCHEMAS";

/// What the file has to say about a tool.
pub(in super::super) fn described<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = Value::from(SchemaGenerator::new(settings).into_root_schema_for::<T>());
    let map = schema.as_object_mut().expect("a struct has an object for a schema");
    map.remove("title");
    let description = map.remove("description").expect("a tool has a comment");
    let description = description.as_str().expect("a comment is text").replace('\n', " ");
    map.entry("properties").or_insert_with(|| json!({}));
    map.insert("additionalProperties".into(), false.into());
    json!({ "description": description, "inputSchema": schema })
}

/// A line per tool.
fn wanted() -> String {
    let line = |entry: &Entry| format!("\"{}\": {}", entry.name, (entry.described)());
    let lines: Vec<String> = ENTRIES.into_iter().flatten().map(line).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

#[test]
fn the_schemas_are_those_of_the_structs() {
    match std::env::var_os(WRITE_TO) {
        Some(path) => std::fs::write(path, wanted()).unwrap(),
        None => assert!(wanted() == FILE, "schemas.json is out of date: run 'cargo xtask codegen'"),
    }
}
