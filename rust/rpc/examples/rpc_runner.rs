//! Runs the commands of a list with the client for Rust, in binary or JSON: `rpc_runner LIST ADDRESS binary|json`. See
//! `tests/rpc`.

#![expect(clippy::unwrap_used, reason = "a runner of tests that cannot go on has failed")]

use serde_json::{Value, json};
use trailblaze_engine::memory::Secret;
use trailblaze_model::base64;
use trailblaze_rpc::Routing;
use trailblaze_rpc::client::{CallError, Client};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, list, address, format] = args.as_slice() else { panic!("rpc_runner LIST ADDRESS binary|json") };
    let list: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(list).unwrap()).unwrap();
    for entry in &list {
        println!("{}", outcome(&client(address, format, &entry["routing"]), entry));
    }
}

fn client(address: &str, format: &str, routing: &Value) -> Client {
    let text = |key: &str| routing[key].as_str().unwrap_or_default().to_owned();
    let (device_id, session_id, invocation_id) = (text("deviceId"), text("sessionId"), text("invocationId"));
    let client = Client::new(address).routing(Routing { device_id, session_id, invocation_id });
    let client = if format == "json" { client.json() } else { client };
    match std::env::var("TRAILBLAZE_RPC_TOKEN") {
        Ok(token) => client.token(Secret::new(token)),
        Err(_) => client,
    }
}

fn outcome(client: &Client, entry: &Value) -> Value {
    let command = entry["command"].as_str().unwrap();
    let arguments = entry.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let answer = match command {
        "takeScreenshot" => client.stream(&method(command), arguments).map(|pieces| {
            let data = |piece: &Value| base64::decode(piece["data"].as_str()?);
            let png: Vec<Vec<u8>> = pieces.iter().filter_map(data).collect();
            json!({ "base64": base64::encode(&png.concat()) })
        }),
        _ => client.call(&method(command), arguments).map(|answer| value(command, answer)),
    };
    match answer {
        Ok(value) if value["success"] == false => failed(&value["failure"], Value::Null),
        Ok(value) => json!({ "value": value }),
        Err(CallError { code, message, failure }) => {
            failed(&failure.unwrap_or_else(|| json!({ "kind": code, "message": message })), code.into())
        }
    }
}

/// `MaestroCommands/Swipe` for `maestro.swipe`.
fn method(command: &str) -> String {
    let (group, name) = command.split_once('.').unwrap_or(("trailblaze", command));
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    match group {
        "registry" => format!("TrailblazeRegistry/{}", capital(name)),
        group => format!("{}Commands/{}", capital(group), capital(name)),
    }
}

/// A message with one field is that field.
fn value(command: &str, mut answer: Value) -> Value {
    let key = match command {
        "listDevices" => "devices",
        "listMemory" => "entries",
        "getRegistry" => "registry",
        _ => "value",
    };
    if let Some(structured) = answer.get_mut("structuredContent").map(Value::take) {
        answer["structured"] = structured;
    }
    let is_empty = answer == json!({});
    match answer.get_mut(key) {
        Some(value) => value.take(),
        None if is_empty => Value::Null,
        None => answer,
    }
}

fn failed(failure: &Value, status: Value) -> Value {
    let mut failure = failure.clone();
    failure["status"] = status;
    failure["isAssertion"] = (failure["kind"] == "AssertionFailed").into();
    json!({ "failure": failure })
}
