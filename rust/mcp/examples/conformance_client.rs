//! The client that `@modelcontextprotocol/conformance` is run against: `conformance_client URL`, with the name of the
//! scenario in the environment. `tests/conformance/README.md` says what each one asks for.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use trailblaze_engine::script::Nowhere;
use trailblaze_engine::server::Server;
use trailblaze_mcp::client::{Address, Connection, Limits, Sending, Shared, Toolset};

/// The suite gives every scenario 25 s.
const LIMITS: Limits = Limits {
    probe_ms: 5_000,
    first_ms: 5_000,
    call_ms: 10_000,
    longest_ms: 10_000,
    close_ms: 1_000,
    term_ms: 1_000,
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let url = std::env::args().next_back().ok_or("usage: conformance_client URL")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_else(|_| "{}".to_owned());
    let context: Value = serde_json::from_str(&context).map_err(|error| error.to_string())?;
    let address = Address::parse(&url)?;
    let toolset = Toolset::http("suite", address, Shared { limits: LIMITS, ..Shared::default() });
    let connection = toolset.open().map_err(|failure| failure.to_string())?;
    let result = play(&connection, &scenario, &context);
    for line in connection.take_logs() {
        eprintln!("{:?}: {}", line.level, line.message);
    }
    result
}

fn play(connection: &Connection, scenario: &str, context: &Value) -> Result<(), String> {
    let tools = connection.list().map_err(|failure| failure.to_string())?;
    connection.registry().map_err(|failure| failure.to_string())?;
    match scenario {
        "json-schema-2020-12-preservation" => {
            let tool = tools.iter().find(|tool| tool["name"] == "json_schema_2020_12_tool");
            let schema = tool.map(|tool| tool["inputSchema"].clone()).unwrap_or_default();
            call(connection, "json_schema_echo", &json!({ "schema": schema }))
        }
        // It offers a tool that it does not have.
        "json-schema-ref-no-deref" => Ok(()),
        "http-custom-headers" => {
            let calls = context["toolCalls"].as_array().map(Vec::as_slice).unwrap_or_default();
            calls.iter().try_for_each(|wanted| {
                call(connection, wanted["name"].as_str().unwrap_or_default(), &wanted["arguments"])
            })
        }
        _ => tools.iter().try_for_each(|tool| {
            call(connection, tool["name"].as_str().unwrap_or_default(), &arguments(&tool["inputSchema"]))
        }),
    }
}

/// Something for every argument that the tool requires.
fn arguments(schema: &Value) -> Value {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let arguments: Map<String, Value> = required
        .iter()
        .filter_map(Value::as_str)
        .map(|name| {
            let value = match schema["properties"][name]["type"].as_str() {
                Some("number" | "integer") => json!(5),
                Some("boolean") => json!(true),
                Some("object") => json!({}),
                Some("array") => json!([]),
                _ => json!("text"),
            };
            (name.to_owned(), value)
        })
        .collect();
    Value::Object(arguments)
}

fn call(connection: &Connection, tool: &str, arguments: &Value) -> Result<(), String> {
    let params = |meta: &str| {
        let name = Value::from(tool);
        let meta = meta.trim_end_matches(',');
        format!(r#"{{"name":{name},"arguments":{arguments},"_meta":{{{meta}}}}}"#)
    };
    let sending = Sending { tool, session: "suite", invocation: tool, params: &params };
    connection.send(&sending, &mut Nowhere).map(|_| ()).map_err(|failure| failure.to_string())
}
