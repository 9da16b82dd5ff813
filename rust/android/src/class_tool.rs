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

/// What a running class asks for as `{"name": {arguments}}`, and where the answer goes, which is JSON.
type Request = (String, Sender<Result<String, Failure>>);

/// The tool calls that are under way, by the number that Java passes back.
static RUNNING: LazyLock<Mutex<HashMap<u64, Sender<Request>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(1);

fn running() -> MutexGuard<'static, HashMap<u64, Sender<Request>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one command for the tool call with this number, for the class that runs.
pub fn command(number: u64, call: &str) -> Result<String, Failure> {
    let over = || Failure::new(FailureKind::Exception, "the tool call that these commands belong to is over");
    let (reply, answer) = mpsc::channel();
    let sender = running().get(&number).cloned().ok_or_else(over)?;
    sender.send((call.to_owned(), reply)).map_err(|_| over())?;
    answer.recv().map_err(|_| over())?
}

/// A call that is under way, until this is dropped.
struct Listed(u64);

impl Drop for Listed {
    fn drop(&mut self) {
        running().remove(&self.0);
    }
}

/// Runs a class; what it asks for meanwhile is answered here, on the thread of the caller.
pub(crate) fn run(
    code: &Arc<dyn ClassCode>,
    arguments: &str,
    mut answer: impl FnMut(&str) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (requests, inbox) = mpsc::channel::<Request>();
    running().insert(number, requests);
    std::thread::scope(|scope| {
        let work = scope.spawn(move || {
            // However it ends: then nobody is heard any more, which ends the loop below.
            let _listed = Listed(number);
            code.execute(arguments, number)
        });
        for (call, reply) in inbox {
            // A class that gave up does not wait for the answer.
            let _ = reply.send(answer(&call));
        }
        work.join().unwrap_or_else(|_| Err(Failure::new(FailureKind::Exception, "the tool itself failed")))
    })
}

/// `{"name": {arguments}}`
fn read_call(text: &str) -> Result<ToolCall, Failure> {
    let bad = || {
        Failure::new(FailureKind::InvalidArguments, format!("'{text}' is no call like {{\"tap\": {{…}}}}"))
    };
    let value: Value = serde_json::from_str(text).map_err(|_| bad())?;
    let (name, args) = match value {
        Value::Object(map) if map.len() == 1 => map.into_iter().next().ok_or_else(bad)?,
        _ => return Err(bad()),
    };
    match args {
        Value::Object(args) => Ok(ToolCall::new(name, args)),
        Value::Null => Ok(ToolCall::new(name, Map::new())),
        _ => Err(bad()),
    }
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

/// The classes of the APK, on one phone or on several that have the same.
pub struct ApkClasses(Vec<Arc<dyn Platform>>);

impl ApkClasses {
    pub fn new(phones: Vec<Arc<dyn Platform>>) -> Self {
        Self(phones)
    }
}

impl std::fmt::Debug for ApkClasses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ApkClasses")
    }
}

impl Classes for ApkClasses {
    fn find(&self, class: &str) -> Result<ClassTool, String> {
        let told = |failure: Failure| format!("the class {class} cannot be used: {}", failure.message);
        let phones = self.0.iter().map(|phone| phone.class_code(class));
        let codes = phones.collect::<Result<Vec<_>, _>>().map_err(told)?;
        let text = codes.first().ok_or("no phone has classes")?.describe().map_err(told)?;
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            format!("the class {class} describes itself with something that is no JSON: {error}")
        })?;
        let description = value.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let schema = value.get("inputSchema").or_else(|| value.get("schema")).cloned();
        let schema = schema.unwrap_or_else(|| json!({ "type": "object" }));
        Ok(ClassTool { description, schema, body: Arc::new(Body { codes }) })
    }
}

/// A class on each phone.
struct Body {
    codes: Vec<Arc<dyn ClassCode>>,
}

impl Execute for Body {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        let device = &context.session.device().info().id;
        let of_device = self.codes.iter().find(|code| code.phone().is_none_or(|phone| phone == device));
        let code = of_device.ok_or_else(|| {
            Failure::new(FailureKind::NotSupported, format!("there are no classes on '{device}'"))
        })?;
        let answer = |call: &str| {
            let call = read_call(call)?;
            Ok(answer_of(context.dispatch(&call, Via::Callback, None)?).to_string())
        };
        let text =
            run(code, &Value::Object(args).to_string(), answer).map_err(|failure| match failure.kind {
                // Not the class, but the way to it.
                FailureKind::Interrupted | FailureKind::Device | FailureKind::Timeout
                    if code.phone().is_some() =>
                {
                    failure
                }
                _ => Failure { kind: FailureKind::Exception, ..failure },
            })?;
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
