//! `POST /scripting/callback`: what a tool that runs in a process of its own calls while it runs.
//!
//! The wire is version 1 and locked: `arguments_json` is a text of JSON, the discriminator is `type`, and an answer
//! writes both spellings of its keys. Whatever is wrong with a request is said in a result, not by a status.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Map, Value, json};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::server::answer::on_the_wire;

use crate::client::calls::Calls;

/// Where it answers.
pub const PATH: &str = "/scripting/callback";
/// The version of the wire that is spoken here.
pub const VERSION: u64 = 1;
/// The longest request, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The endpoint, for the server of this machine.
pub fn router(calls: Arc<Calls>) -> Router {
    Router::new().route(PATH, post(answer)).layer(DefaultBodyLimit::max(MAX_BYTES)).with_state(calls)
}

/// A request that can be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub session_id: String,
    pub invocation_id: String,
    pub tool_name: String,
    pub arguments: Map<String, Value>,
}

impl Request {
    /// Reads a request; the error is for the author of the tool.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let request: Value = serde_json::from_slice(bytes)
            .map_err(|error| format!("the request is no valid JSON: {error}"))?;
        if !request.is_object() {
            return Err("the request must be a JSON object".to_owned());
        }
        match &request["version"] {
            Value::Null => {}
            version if version.as_u64() == Some(VERSION) => {}
            version => {
                return Err(format!(
                    "version {version} of the callback is not known here, only {VERSION}; upgrade @trailblaze/scripting"
                ));
            }
        }
        let action = &request["action"];
        match action["type"].as_str() {
            Some("call_tool") => {}
            Some(other) => return Err(format!("unknown action '{other}'; this version knows 'call_tool'")),
            None => return Err("'action.type' is missing".to_owned()),
        }
        Ok(Self {
            session_id: text(&request, "session_id", "session_id")?,
            invocation_id: text(&request, "invocation_id", "invocation_id")?,
            tool_name: text(action, "tool_name", "action.tool_name")?,
            arguments: arguments(&text(action, "arguments_json", "action.arguments_json")?)?,
        })
    }
}

fn text(object: &Value, key: &str, name: &str) -> Result<String, String> {
    match &object[key] {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Err(format!("'{name}' is missing")),
        _ => Err(format!("'{name}' must be a text")),
    }
}

/// A call without arguments may leave them empty.
fn arguments(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err("'action.arguments_json' must be the text of a JSON object".to_owned()),
        Err(error) => Err(format!("'action.arguments_json' is no valid JSON: {error}")),
    }
}

/// The body of an answer.
pub fn response(result: Result<Value, String>) -> Value {
    let result = result.unwrap_or_else(|message| json!({ "type": "error", "message": message }));
    json!({ "result": result })
}

async fn answer(State(calls): State<Arc<Calls>>, body: Result<Bytes, BytesRejection>) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => {
            let message = format!("the request cannot be read: {}", rejection.body_text());
            return send(rejection.status(), response(Err(message)));
        }
    };
    let result = match Request::read(&body) {
        Ok(request) => ask(calls, request).await,
        Err(message) => Err(message),
    };
    send(StatusCode::OK, response(result))
}

/// Whoever answers does so on the session's own thread; this one waits for it.
async fn ask(calls: Arc<Calls>, request: Request) -> Result<Value, String> {
    let Request { session_id, invocation_id, tool_name, arguments } = request;
    let cancel = Cancel::default();
    // Whoever breaks off lets this be dropped.
    let mut guard = CancelOnDrop(Some(cancel.clone()));
    let work = move || calls.ask_for(&cancel, &session_id, &invocation_id, &tool_name, arguments);
    let done = tokio::task::spawn_blocking(work).await;
    guard.0 = None;
    match done {
        Ok(answer) => answer.map(on_the_wire).map_err(|refusal| refusal.to_string()),
        Err(_) => Err("Trailblaze itself failed; this is a bug".to_owned()),
    }
}

struct CancelOnDrop(Option<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.iter().for_each(Cancel::cancel);
    }
}

fn send(status: StatusCode, body: Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use trailblaze_engine::dispatch::Output;
    use trailblaze_engine::server::answer::of_call;
    use trailblaze_model::failure::{Failure, FailureKind};

    use super::*;

    fn read(request: &str) -> String {
        match Request::read(request.as_bytes()) {
            Ok(request) => format!("{request:?}"),
            Err(message) => response(Err(message)).to_string(),
        }
    }

    /// The bytes that the SDK of the first version sends; they must be read for ever.
    #[test]
    fn a_request_of_version_1_is_read() {
        let first = r#"{"version":1,"session_id":"s","invocation_id":"i","action":{"type":"call_tool","tool_name":"tap","arguments_json":"{\"text\":\"Login\"}"}}"#;
        insta::assert_snapshot!(read(first), @r#"Request { session_id: "s", invocation_id: "i", tool_name: "tap", arguments: {"text": String("Login")} }"#);
        let least = r#"{"session_id":"s","invocation_id":"","action":{"type":"call_tool","tool_name":"tap","arguments_json":""}}"#;
        insta::assert_snapshot!(read(least), @r#"Request { session_id: "s", invocation_id: "", tool_name: "tap", arguments: {} }"#);
    }

    #[test]
    fn what_is_wrong_is_said_in_the_result() {
        let call = r#""session_id":"s","invocation_id":"i","action":{"type":"call_tool","tool_name":"tap","arguments_json":"{}"}"#;
        insta::assert_snapshot!(read(&format!(r#"{{"version":2,{call}}}"#)), @r#"{"result":{"type":"error","message":"version 2 of the callback is not known here, only 1; upgrade @trailblaze/scripting"}}"#);
        insta::assert_snapshot!(read(&format!(r#"{{"version":"1",{call}}}"#)), @r#"{"result":{"type":"error","message":"version \"1\" of the callback is not known here, only 1; upgrade @trailblaze/scripting"}}"#);
        insta::assert_snapshot!(read(r#"{"version":1,"session_id":"s","invocation_id":"i","action":{"type":"take_picture"}}"#), @r#"{"result":{"type":"error","message":"unknown action 'take_picture'; this version knows 'call_tool'"}}"#);
        insta::assert_snapshot!(read(r#"{"version":1,"session_id":"s","invocation_id":"i"}"#), @r#"{"result":{"type":"error","message":"'action.type' is missing"}}"#);
        insta::assert_snapshot!(read(r#"{"version":1,"action":{"type":"call_tool","tool_name":"tap","arguments_json":"{}"}}"#), @r#"{"result":{"type":"error","message":"'session_id' is missing"}}"#);
        insta::assert_snapshot!(read(r#"{"session_id":"s","invocation_id":"i","action":{"type":"call_tool","tool_name":7,"arguments_json":"{}"}}"#), @r#"{"result":{"type":"error","message":"'action.tool_name' must be a text"}}"#);
        insta::assert_snapshot!(read(r#"{"session_id":"s","invocation_id":"i","action":{"type":"call_tool","tool_name":"tap","arguments_json":"[1]"}}"#), @r#"{"result":{"type":"error","message":"'action.arguments_json' must be the text of a JSON object"}}"#);
        insta::assert_snapshot!(read(r#"{"session_id":"s","invocation_id":"i","action":{"type":"call_tool","tool_name":"tap","arguments_json":"{"}}"#), @r#"{"result":{"type":"error","message":"'action.arguments_json' is no valid JSON: EOF while parsing an object at line 1 column 1"}}"#);
        insta::assert_snapshot!(read("[]"), @r#"{"result":{"type":"error","message":"the request must be a JSON object"}}"#);
        insta::assert_snapshot!(read("{"), @r#"{"result":{"type":"error","message":"the request is no valid JSON: EOF while parsing an object at line 1 column 1"}}"#);
    }

    /// Both spellings, because both are read somewhere.
    #[test]
    fn an_answer_writes_both_spellings() {
        let output =
            Output { message: "tapped".into(), structured: Some(json!({ "x": 1 })), ..Output::default() };
        insta::assert_snapshot!(response(Ok(on_the_wire(of_call(&Ok(output))))), @r#"{"result":{"type":"call_tool_result","success":true,"textContent":"tapped","errorMessage":"","structuredContent":{"x":1},"text_content":"tapped","error_message":"","structured_content":{"x":1}}}"#);
        let failure = Failure::new(FailureKind::NotFound, "no element fits").hint("look at the screen");
        insta::assert_snapshot!(response(Ok(on_the_wire(of_call(&Err(failure))))), @r#"{"result":{"type":"call_tool_result","success":false,"textContent":"","errorMessage":"no element fits","kind":"NotFound","hint":"look at the screen","text_content":"","error_message":"no element fits"}}"#);
    }
}
