//! `class:` tools: a class of the test APK runs on a thread of its own and calls commands back, which are dispatched on
//! the thread of the session, through the same door as every other call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use trailblaze_engine::dispatch::{Context, Execute, Output};
use trailblaze_engine::yaml_tool::{ClassTool, Classes};
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::Via;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::platform::{ClassCode, Platform};

/// What a running class asks for, and where the answer goes.
type Request = (ToolCall, Sender<Result<Output, Failure>>);

/// The tool calls that are under way, by the number that Java passes back.
static RUNNING: LazyLock<Mutex<HashMap<u64, Sender<Request>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(1);

fn running() -> MutexGuard<'static, HashMap<u64, Sender<Request>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one command for the tool call with this number: `{"name": {arguments}}`. The answer is JSON.
pub(crate) fn command(number: u64, call: &str) -> Result<String, Failure> {
    let bad = || {
        Failure::new(FailureKind::InvalidArguments, format!("'{call}' is no call like {{\"tap\": {{…}}}}"))
    };
    let value: Value = serde_json::from_str(call).map_err(|_| bad())?;
    let (name, args) = match value {
        Value::Object(map) if map.len() == 1 => map.into_iter().next().ok_or_else(bad)?,
        _ => return Err(bad()),
    };
    let args = match args {
        Value::Object(args) => args,
        Value::Null => Map::new(),
        _ => return Err(bad()),
    };
    let over = || Failure::new(FailureKind::Exception, "the tool call that these commands belong to is over");
    let (reply, answer) = mpsc::channel();
    let sender = running().get(&number).cloned().ok_or_else(over)?;
    sender.send((ToolCall::new(name, args), reply)).map_err(|_| over())?;
    let output = answer.recv().map_err(|_| over())??;
    Ok(answer_of(output).to_string())
}

/// The value of a query, what else a tool gave back, or what it said.
fn answer_of(output: Output) -> Value {
    match output.structured {
        Some(Value::Object(map)) if map.len() == 1 && map.contains_key("value") => map["value"].clone(),
        Some(structured) => structured,
        None if output.message.is_empty() => Value::Null,
        None => output.message.into(),
    }
}

/// The classes of the APK.
pub struct ApkClasses(pub Arc<dyn Platform>);

impl std::fmt::Debug for ApkClasses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ApkClasses")
    }
}

impl Classes for ApkClasses {
    fn find(&self, class: &str) -> Result<ClassTool, String> {
        let told = |failure: Failure| format!("the class {class} cannot be used: {}", failure.message);
        let code = self.0.class_code(class).map_err(told)?;
        let text = code.describe().map_err(told)?;
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            format!("the class {class} describes itself with something that is no JSON: {error}")
        })?;
        let description = value.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let schema = value.get("inputSchema").or_else(|| value.get("schema")).cloned();
        let schema = schema.unwrap_or_else(|| json!({ "type": "object" }));
        Ok(ClassTool { description, schema, body: Arc::new(Body { code }) })
    }
}

struct Body {
    code: Arc<dyn ClassCode>,
}

impl Execute for Body {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (requests, inbox) = mpsc::channel::<Request>();
        running().insert(number, requests);
        let arguments = Value::Object(args).to_string();
        let result = std::thread::scope(|scope| {
            let code = self.code.clone();
            let work = scope.spawn(move || {
                let result = code.execute(&arguments, number);
                // Nobody is heard any more; that ends the loop below.
                running().remove(&number);
                result
            });
            for (call, reply) in inbox {
                let answer = context.dispatch(&call, Via::Callback, None);
                // A class that gave up does not wait for the answer.
                let _ = reply.send(answer);
            }
            work.join()
                .unwrap_or_else(|_| Err(Failure::new(FailureKind::Exception, "the tool itself failed")))
        });
        let text = result.map_err(|failure| Failure { kind: FailureKind::Exception, ..failure })?;
        output(&text)
    }
}

/// What a class gives back: JSON, or a plain text.
fn output(text: &str) -> Result<Output, Failure> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) if map.get("success") == Some(&Value::Bool(false)) => {
            let error = map.get("error").and_then(Value::as_str).unwrap_or("the tool says that it failed");
            Err(Failure::new(FailureKind::Exception, error))
        }
        Ok(Value::String(message)) => Ok(Output::message(message)),
        Ok(Value::Null) => Ok(Output::default()),
        Ok(value) => Ok(Output { message: value.to_string(), structured: Some(value), ..Output::default() }),
        Err(_) => Ok(Output::message(text)),
    }
}
