//! Tools of the newer protocol that ask something in their result, and go on when they are called again with the answer.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use trailblaze_mcp::server::answer;
use trailblaze_model::hash::fnv1a;

/// What a client said to earlier questions.
pub(crate) struct Said<'a> {
    pub(crate) answers: &'a BTreeMap<String, Value>,
    pub(crate) state: Option<&'a str>,
    /// The client's capabilities.
    pub(crate) can: &'a Value,
}

/// A form with one field.
fn form(message: &str, field: &str, kind: &str) -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "required": [field] });
    schema["properties"][field] = json!({ "type": kind });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn sample(text: &str, tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": tokens } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// A text that cannot be changed without being noticed; whoever reads this can forge it, which is enough here.
fn signed(state: &str) -> String {
    format!("{state}.{:016x}", fnv1a(&format!("for the suite only|{state}")))
}

fn checked(state: Option<&str>) -> Result<Option<&str>, String> {
    let Some(state) = state else { return Ok(None) };
    let (text, _) = state.rsplit_once('.').unwrap_or((state, ""));
    if signed(text) == state { Ok(Some(text)) } else { Err("the request state was changed".to_owned()) }
}

/// What is asked under which keys, and the state that goes with it.
fn ask(questions: &[(&str, Value)], state: Option<&str>) -> Value {
    let questions: BTreeMap<&str, &Value> = questions.iter().map(|(key, value)| (*key, value)).collect();
    let mut result = json!({ "resultType": "input_required", "inputRequests": questions });
    if let Some(state) = state {
        result["requestState"] = signed(state).into();
    }
    result
}

fn done(text: impl Into<String>) -> Value {
    answer::result(vec![answer::text(text)])
}

/// The result of a tool, or the error of a call that cannot be right; none when it is not one of these.
pub(crate) fn tool(name: &str, said: &Said<'_>) -> Option<Result<Value, String>> {
    let given = |key: &str| said.answers.get(key).filter(|answer| answer.is_object());
    let name_form = || form("What is your name?", "name", "string");
    let confirm = || form("Please confirm", "ok", "boolean");
    let state = match checked(said.state) {
        Ok(state) => state,
        Err(error) => return Some(Err(error)),
    };
    Some(Ok(match name {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            match given("user_name").and_then(|answer| answer["content"]["name"].as_str()) {
                Some(name) => done(format!("Hello, {name}!")),
                None => ask(&[("user_name", name_form())], None),
            }
        }
        "test_input_required_result_sampling" => match given("capital_question") {
            Some(answer) => {
                done(format!("The model says: {}", answer["content"]["text"].as_str().unwrap_or_default()))
            }
            None => ask(&[("capital_question", sample("What is the capital of France?", 100))], None),
        },
        "test_input_required_result_list_roots" => match given("client_roots") {
            Some(answer) => done(format!("The roots: {}", answer["roots"])),
            None => ask(&[("client_roots", roots())], None),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            match (given("confirm"), state) {
                (Some(_), Some("confirming")) => done("state-ok"),
                _ => ask(&[("confirm", confirm())], Some("confirming")),
            }
        }
        "test_input_required_result_multiple_inputs" => {
            let questions = [
                ("user_name", name_form()),
                ("greeting", sample("Generate a greeting", 50)),
                ("client_roots", roots()),
            ];
            match questions.iter().all(|(key, _)| given(key).is_some()) {
                true => done("All is answered"),
                false => ask(&questions, Some("several")),
            }
        }
        "test_input_required_result_multi_round" => match (state, given("step1"), given("step2")) {
            (Some("second"), _, Some(_)) => done("Both are answered"),
            (Some("first"), Some(_), _) | (Some("second"), ..) => ask(
                &[("step2", form("Step 2: What is your favorite color?", "color", "string"))],
                Some("second"),
            ),
            _ => ask(&[("step1", form("Step 1: What is your name?", "name", "string"))], Some("first")),
        },
        "test_input_required_result_capabilities" => {
            let possible = [
                ("elicitation", "user_name", name_form()),
                ("sampling", "greeting", sample("Generate a greeting", 50)),
                ("roots", "client_roots", roots()),
            ];
            let questions: Vec<(&str, Value)> = possible
                .into_iter()
                .filter(|(needs, ..)| said.can.get(needs).is_some())
                .map(|(_, key, question)| (key, question))
                .collect();
            match questions.iter().all(|(key, _)| given(key).is_some()) {
                true => done("All is answered"),
                false => ask(&questions, None),
            }
        }
        _ => return None,
    }))
}

/// The prompt that asks first.
pub(crate) fn prompt(said: &Said<'_>) -> Value {
    match said.answers.get("user_context").and_then(|answer| answer["content"]["context"].as_str()) {
        Some(context) => {
            let message =
                json!({ "role": "user", "content": answer::text(format!("The context is {context}.")) });
            json!({ "messages": [message] })
        }
        None => {
            ask(&[("user_context", form("What context should the prompt use?", "context", "string"))], None)
        }
    }
}
