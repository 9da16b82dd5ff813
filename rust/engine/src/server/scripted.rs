//! A toolset that is one module in a script engine: a server without a process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::source_map::SourceMap;

use crate::device::LogLine;
use crate::script::{
    Message, Module, Nowhere, ScriptEngine, ScriptError, ScriptLimits, ScriptRuntime, World,
};
use crate::server::{Call, Listed, Provider, Server, failure};

/// The protocol that the handshake asks for; both generations of servers still answer it.
const PROTOCOL: &str = "2025-06-18";

/// What the files of our own SDK, and what we put around scripts, are called in stacks.
const OURS: &[&str] = &["@trailblaze/scripting/", "trailblaze:"];

/// A list that never ends is no list.
const MOST_TOOLS: usize = 10_000;

/// A toolset bundle and what runs it.
#[derive(Clone)]
pub struct Scripted {
    pub name: String,
    pub engine: Arc<dyn ScriptEngine>,
    /// The last one is the main one.
    pub modules: Vec<Module>,
    /// The module that was made of other sources, and where they are in it.
    pub map: Option<(String, Arc<SourceMap>)>,
    pub limits: ScriptLimits,
    pub agent: AgentMode,
    /// Hosts that it may talk to.
    pub granted: Vec<String>,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scripted({})", self.name)
    }
}

impl Scripted {
    /// A toolset on a laptop with the limits that all have, without a map and without a network.
    pub fn new(name: &str, engine: Arc<dyn ScriptEngine>, modules: Vec<Module>) -> Self {
        Self {
            name: name.to_owned(),
            engine,
            modules,
            map: None,
            limits: ScriptLimits::default(),
            agent: AgentMode::Host,
            granted: Vec::new(),
        }
    }

    /// A new runtime that has shaken hands.
    fn begin(&self) -> Result<Running, Trouble> {
        let runtime = self.engine.start(self.modules.clone(), self.limits).map_err(Trouble::Script)?;
        let running = Running { runtime, last: AtomicU64::new(0) };
        let params = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": "trailblaze", "version": env!("CARGO_PKG_VERSION") },
        });
        running.ask("initialize", &params)?;
        let greeting = Message::Notification { method: "notifications/initialized" };
        running.runtime.exchange(greeting, &mut Nowhere).map_err(Trouble::Script)?;
        Ok(running)
    }

    fn told(&self, asked: &str, trouble: Trouble) -> Failure {
        match trouble {
            Trouble::Script(error) => script_failure(&self.name, error, &|stack| self.mapped(stack)),
            Trouble::Refused(error) => {
                let message = error["message"].as_str().unwrap_or("it gave no reason");
                failure(format!("'{}' refused {asked}: {message}", self.name))
            }
        }
    }

    /// A stack that points into the source that people wrote, without our own lines; it may have no others.
    fn mapped(&self, stack: &str) -> String {
        let (mapped, module) = match &self.map {
            Some((module, map)) => (map.map_stack(module, stack), module.as_str()),
            None => (stack.to_owned(), "trailblaze:"),
        };
        // What a bundle has besides its sources runs them by a generator.
        let ours = |line: &str| {
            OURS.iter().any(|name| line.contains(name))
                || line.contains(module)
                || line.ends_with("at next (native)")
        };
        let theirs: Vec<&str> = mapped.lines().filter(|line| !ours(line)).collect();
        theirs.join("\n")
    }

    /// Starts it, asks for its tools and stops it.
    pub fn listed(&self) -> Result<Listed, Failure> {
        let server = self.start()?;
        Ok(Listed { tools: server.list()?, registry: server.registry()? })
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        let running = self.begin().map_err(|trouble| self.told("initialize", trouble))?;
        let running = Some(Arc::new(running));
        Ok(Arc::new(ScriptServer {
            scripted: self.clone(),
            running: Mutex::new(running),
            given_up: AtomicU64::new(0),
            logs: Mutex::default(),
        }))
    }
}

struct Running {
    runtime: Box<dyn ScriptRuntime>,
    /// The id of the last request.
    last: AtomicU64,
}

/// A part of an answer, which may be anything.
fn taken(answer: &mut Value, key: &str) -> Option<Value> {
    answer.get_mut(key).map(Value::take)
}

enum Trouble {
    Script(ScriptError),
    /// The server answered with an error.
    Refused(Value),
}

impl Running {
    fn next_id(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn ask(&self, method: &str, params: &Value) -> Result<Value, Trouble> {
        self.send(Message::Request { id: self.next_id(), method, params }, &mut Nowhere)
    }

    fn send(&self, message: Message<'_>, world: &mut dyn World) -> Result<Value, Trouble> {
        let answer = self.runtime.exchange(message, world).map_err(Trouble::Script)?;
        let mut answer = answer.unwrap_or_default();
        match taken(&mut answer, "result") {
            Some(result) => Ok(result),
            None => Err(Trouble::Refused(taken(&mut answer, "error").unwrap_or_default())),
        }
    }
}

/// A runtime that was stopped is thrown away; the next call makes a new one.
struct ScriptServer {
    scripted: Scripted,
    running: Mutex<Option<Arc<Running>>>,
    given_up: AtomicU64,
    /// What runtimes wrote that are gone.
    logs: Mutex<Vec<LogLine>>,
}

impl ScriptServer {
    fn slot(&self) -> MutexGuard<'_, Option<Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn logs(&self) -> MutexGuard<'_, Vec<LogLine>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> Result<Arc<Running>, Failure> {
        let mut slot = self.slot();
        if let Some(running) = slot.as_ref() {
            return Ok(running.clone());
        }
        let fresh = self.scripted.begin().map_err(|trouble| {
            self.count(&trouble);
            self.scripted.told("initialize", trouble)
        })?;
        Ok(slot.insert(Arc::new(fresh)).clone())
    }

    /// A thread that did not stop is left behind.
    fn count(&self, trouble: &Trouble) {
        let stuck = matches!(trouble, Trouble::Script(ScriptError::Stuck { .. }));
        self.given_up.fetch_add(u64::from(stuck), Ordering::Relaxed);
    }

    /// Lets go of a runtime, but not of what it had to say.
    fn throw_away(&self, running: &Arc<Running>) {
        let mut slot = self.slot();
        if slot.as_ref().is_some_and(|current| Arc::ptr_eq(current, running)) {
            self.logs().extend(running.runtime.take_logs());
            *slot = None;
        }
    }

    fn refused(&self, method: &str, error: Value) -> Failure {
        self.scripted.told(method, Trouble::Refused(error))
    }

    /// The result, or the error that the server answered.
    fn try_ask(
        &self,
        method: &str,
        ask: impl FnOnce(&Running) -> Result<Value, Trouble>,
    ) -> Result<Result<Value, Value>, Failure> {
        let running = self.running()?;
        match ask(&running) {
            Ok(result) => Ok(Ok(result)),
            Err(Trouble::Refused(error)) => Ok(Err(error)),
            Err(trouble) => {
                self.count(&trouble);
                if matches!(&trouble, Trouble::Script(error) if error.is_final()) {
                    self.throw_away(&running);
                }
                Err(self.scripted.told(method, trouble))
            }
        }
    }
}

impl Server for ScriptServer {
    fn list(&self) -> Result<Vec<Value>, Failure> {
        let mut tools = Vec::new();
        let mut params = json!({});
        loop {
            let asked = self.try_ask("tools/list", |running| running.ask("tools/list", &params))?;
            let mut answer = asked.map_err(|error| self.refused("tools/list", error))?;
            let Some(Value::Array(mut page)) = taken(&mut answer, "tools") else {
                return Err(failure(format!("'{}' answered tools/list without tools", self.scripted.name)));
            };
            tools.append(&mut page);
            match taken(&mut answer, "nextCursor") {
                Some(Value::String(cursor)) if tools.len() < MOST_TOOLS => {
                    params = json!({ "cursor": cursor })
                }
                _ => return Ok(tools),
            }
        }
    }

    fn registry(&self) -> Result<Option<Value>, Failure> {
        // A server without resources refuses; then there is nothing to read.
        let params = json!({ "uri": "trailblaze://registry" });
        let asked = self.try_ask("resources/read", |running| running.ask("resources/read", &params))?;
        let Ok(answer) = asked else { return Ok(None) };
        let text = answer["contents"][0]["text"].as_str();
        Ok(text.and_then(|text| serde_json::from_str(text).ok()))
    }

    fn call(&self, call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        let call = Arc::new(call);
        let asked = self.try_ask("tools/call", |running| {
            running.send(Message::Call { id: running.next_id(), call: &call }, world)
        })?;
        let mut result = asked.map_err(|error| self.refused("tools/call", error))?;
        if matches!(result["isError"], Value::Null | Value::Bool(false)) {
            return Ok(result);
        }
        let stack = result["_meta"]["trailblaze"]["stack"].as_str();
        let stack = stack.map(|text| self.scripted.mapped(text)).filter(|stack| !stack.is_empty());
        if ran_out_of_memory(&result) {
            // Servers turn whatever a handler throws into an answer, also what only a new runtime can mend.
            let running = self.slot().clone();
            running.iter().for_each(|running| self.throw_away(running));
            let error = ScriptError::OutOfMemory { limit_bytes: self.scripted.limits.heap_bytes };
            return Err(Failure { stack, ..self.scripted.told("tools/call", Trouble::Script(error)) });
        }
        if let Some(place) = result.pointer_mut("/_meta/trailblaze/stack") {
            *place = stack.into();
        }
        Ok(result)
    }

    fn granted(&self) -> &[String] {
        &self.scripted.granted
    }

    fn runtime(&self) -> AgentMode {
        self.scripted.agent
    }

    fn take_logs(&self) -> Vec<LogLine> {
        let mut lines = std::mem::take(&mut *self.logs());
        let running = self.slot().clone();
        lines.extend(running.into_iter().flat_map(|running| running.runtime.take_logs()));
        lines
    }

    fn given_up(&self) -> u64 {
        self.given_up.load(Ordering::Relaxed)
    }
}

/// Whether an answer is the engine's own error of an allocation that failed. With no memory left for an error object it
/// throws null.
fn ran_out_of_memory(result: &Value) -> bool {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    result["isError"] == true
        && ["out of memory", "InternalError: out of memory", "null was thrown"].contains(&text)
}

/// What a script's failure means for a step. `mapped` makes a stack point into the source that people wrote.
fn script_failure(name: &str, error: ScriptError, mapped: &dyn Fn(&str) -> String) -> Failure {
    let seconds = |ms: u64| ms as f64 / 1000.0;
    let (message, stack, hint) = match error {
        ScriptError::Threw { message, stack } => (message, stack, None),
        ScriptError::Load { message, stack } => (format!("'{name}' does not load: {message}"), stack, None),
        ScriptError::Timeout { limit_ms, stack } => {
            let message = format!("'{name}' was stopped after {} s of its own time", seconds(limit_ms));
            (message, stack, Some("look for a loop that does not end"))
        }
        ScriptError::Stuck { limit_ms } => {
            let message = format!(
                "'{name}' did not stop after {} s of its own time; its thread was given up",
                seconds(limit_ms)
            );
            (message, None, Some("a single built-in call took too long; give it less to do"))
        }
        ScriptError::OutOfMemory { limit_bytes } => {
            let message = format!("'{name}' needs more than its {} MiB of memory", limit_bytes >> 20);
            (message, None, None)
        }
        ScriptError::Stopped { message } => {
            return Failure::new(FailureKind::Timeout, format!("'{name}': {message}"));
        }
        ScriptError::Cancelled => {
            return Failure::new(FailureKind::Interrupted, "the run was interrupted");
        }
        ScriptError::Gone => {
            let message = format!("'{name}' was stopped, because another of its calls was");
            (message, None, None)
        }
    };
    let stack = stack.map(|stack| mapped(stack.trim_end())).filter(|stack| !stack.is_empty());
    Failure { stack, hint: hint.map(str::to_owned), ..failure(message) }
}
