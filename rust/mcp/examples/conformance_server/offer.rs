//! What the fixture lists.

use serde_json::{Value, json};

/// The tools without arguments, by what they are there for.
const WITHOUT_ARGUMENTS: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with text"),
    ("test_image_content", "Answers with a picture"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with a resource"),
    ("test_multiple_content_types", "Answers with several things"),
    ("test_error_handling", "Fails"),
    ("test_tool_with_progress", "Says how far it is"),
    ("test_tool_with_logging", "Writes log lines"),
    ("test_logging_tool", "Writes log lines to who wants them"),
    ("test_reconnection", "Takes a moment"),
    ("test_elicitation_sep1034_defaults", "Asks a person, with defaults"),
    ("test_elicitation_sep1330_enums", "Asks a person to choose"),
    ("test_missing_capability", "Needs a client that samples"),
    ("test_streaming_elicitation", "Needs a client that asks a person"),
    ("test_trigger_tool_change", "Tells that tools changed"),
    ("test_trigger_prompt_change", "Tells that prompts changed"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_sampling", "Asks a model"),
    ("test_input_required_result_list_roots", "Asks for roots"),
    ("test_input_required_result_request_state", "Asks, and checks its state"),
    ("test_input_required_result_multiple_inputs", "Asks several things"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_tampered_state", "Asks, and signs its state"),
    ("test_input_required_result_capabilities", "Asks only what can be answered"),
];

pub(crate) fn tools() -> Vec<Value> {
    let text = |key: &str| {
        let mut schema = json!({ "type": "object", "properties": {}, "required": [key] });
        schema["properties"][key] = json!({ "type": "string" });
        schema
    };
    let tool = |name: &str, description: &str, schema: Value| json!({ "name": name, "description": description, "inputSchema": schema });
    let mut tools: Vec<Value> = WITHOUT_ARGUMENTS
        .iter()
        .map(|(name, description)| tool(name, description, json!({ "type": "object", "properties": {} })))
        .collect();
    let in_header = json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    });
    tools.push(tool("test_sampling", "Asks a model", text("prompt")));
    tools.push(tool("test_elicitation", "Asks a person", text("message")));
    tools.push(tool("test_header", "Has an argument that is also a header", in_header));
    tools.push(tool("json_schema_2020_12_tool", "Has a schema with everything", schema()));
    tools
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub(crate) fn prompts() -> Value {
    let argument =
        |name: &str| json!({ "name": name, "description": format!("The {name}"), "required": true });
    json!([
        { "name": "test_simple_prompt", "description": "Says one thing" },
        {
            "name": "test_prompt_with_arguments",
            "description": "Says what it was given",
            "arguments": [argument("arg1"), argument("arg2")],
        },
        {
            "name": "test_prompt_with_embedded_resource",
            "description": "Shows a resource",
            "arguments": [argument("resourceUri")],
        },
        { "name": "test_prompt_with_image", "description": "Shows a picture" },
        { "name": "test_input_required_result_prompt", "description": "Asks before it says something" },
    ])
}

/// The forms that people are asked to fill in, by the tool that asks.
pub(crate) fn form(tool: &str) -> Value {
    let titled = |title: &str| -> Vec<Value> {
        let numbers = ["First", "Second", "Third"].iter().enumerate();
        let option = |(index, number)| json!({ "const": format!("value{}", index + 1), "title": format!("{number} {title}") });
        numbers.map(option).collect()
    };
    let options = json!(["option1", "option2", "option3"]);
    match tool {
        "test_elicitation" => json!({
            "type": "object",
            "properties": {
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            },
            "required": ["username", "email"],
        }),
        "test_elicitation_sep1034_defaults" => json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
                "verified": { "type": "boolean", "default": true },
            },
        }),
        _ => json!({
            "type": "object",
            "properties": {
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled("Option") },
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
            },
        }),
    }
}
