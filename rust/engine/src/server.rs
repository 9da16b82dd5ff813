//! Toolset servers: whatever provides tools by `tools/list` and runs them by `tools/call`.
//!
//! A bundle in a script engine, a program and an address all come down to a [`Server`]. What they list becomes tools
//! in [`listing`], what they are sent is made in [`envelope`], and what they answer is read in [`answer`], each in one
//! place for all of them.

pub mod answer;
mod envelope;
mod listing;
mod scripted;
mod web;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use trailblaze_model::base64;
use trailblaze_model::call::ToolCall;
use trailblaze_model::driver::AgentMode;
use trailblaze_model::event::{EventKind, Progress, Via};
use trailblaze_model::failure::{Failure, FailureKind};

use crate::device::LogLine;
use crate::dispatch::{Context, Execute, Output};
use crate::host::Cancel;
use crate::script::World;
use crate::session::Session;

pub use envelope::{CONTEXT, Call};
pub use listing::{Listed, tools};
pub use scripted::Scripted;

/// How long one call of a server may take that does not say itself how long.
const CALL_MS: u64 = 120_000;
/// How long a call may take that a server makes itself.
const CALLBACK_MS: u64 = 60_000;
/// How long a wait may be deaf to an interrupt.
const SLICE_MS: u64 = 50;

/// Something that can be started and is a server then.
pub trait Provider: Send + Sync {
    /// The name in messages; others may have the same.
    fn name(&self) -> &str;

    fn start(&self) -> Result<Arc<dyn Server>, Failure>;
}

/// A toolset server that runs.
pub trait Server: Send + Sync {
    /// The tools as `tools/list` gives them.
    fn list(&self) -> Result<Vec<Value>, Failure>;

    /// What `trailblaze://registry` says, where it is served.
    fn registry(&self) -> Result<Option<Value>, Failure>;

    /// Sends `tools/call` and waits for the result. What the tool itself calls meanwhile is answered by `world`.
    fn call(&self, call: Call, world: &mut dyn World) -> Result<Value, Failure>;

    /// How long one call may take, on the run's clock.
    fn call_ms(&self) -> u64 {
        CALL_MS
    }

    /// Hosts that its tools may talk to.
    fn granted(&self) -> &[String] {
        &[]
    }

    /// Where its tools run.
    fn runtime(&self) -> AgentMode;

    /// Lines that it wrote since the last time.
    fn take_logs(&self) -> Vec<LogLine>;

    /// How many threads it left behind because they did not stop.
    fn given_up(&self) -> u64 {
        0
    }
}

/// The servers of one session; each starts with the first call to one of its tools.
#[derive(Default)]
pub struct Servers(Mutex<Vec<Running>>);

/// A provider, and what it started.
struct Running {
    provider: Arc<dyn Provider>,
    server: Arc<dyn Server>,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Servers")
    }
}

impl Servers {
    fn get(&self, provider: &Arc<dyn Provider>) -> Result<Arc<dyn Server>, Failure> {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = servers.iter().find(|running| Arc::ptr_eq(&running.provider, provider)) {
            return Ok(running.server.clone());
        }
        let server = provider.start()?;
        servers.push(Running { provider: provider.clone(), server: server.clone() });
        Ok(server)
    }

    /// Lets go of all; whoever is called in next starts.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Passes on what they wrote that no call did.
    pub(crate) fn pass_on_logs(&self, session: &Session) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for Running { provider, server } in running.iter() {
            for LogLine { level, message } in server.take_logs() {
                session.emit(EventKind::Log { level, source: provider.name().to_owned(), message });
            }
        }
    }

    /// How many threads of scripts were given up until now.
    pub fn given_up(&self) -> u64 {
        let servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        servers.iter().map(|running| running.server.given_up()).sum()
    }
}

/// A tool of a server.
struct ServerTool {
    provider: Arc<dyn Provider>,
}

impl Execute for ServerTool {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        let session = context.session;
        let server = session.servers.get(&self.provider)?;
        let call = Call::new(&args, context, server.runtime());
        let until_ms = session.now_ms().saturating_add(server.call_ms()).min(context.deadline_ms());
        let name = self.provider.name();
        let given_up = server.given_up();
        let mut caller = Caller { context, server: server.as_ref(), name, until_ms };
        let result = server.call(call, &mut caller);
        caller.pass_on_logs();
        if server.given_up() > given_up {
            let count = session.servers.given_up();
            let message =
                format!("a thread of '{name}' did not stop and was left behind, {count} in this session");
            session.warn(message, Some("it takes a core until the program ends".to_owned()));
        }
        if result.is_err() {
            // Whatever it says of its end, this is why.
            session.check_cancelled()?;
        }
        let result = result?;
        keep_images(session, &context.call.name, &result);
        answer::output(&result)
    }
}

/// Pictures that a tool gives are files of the run.
fn keep_images(session: &Session, tool: &str, result: &Value) {
    for image in result["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "image") {
        let kind = image["mimeType"].as_str().and_then(|kind| kind.strip_prefix("image/")).unwrap_or("png");
        let extension: String = kind.chars().take_while(char::is_ascii_alphanumeric).collect();
        let Some(bytes) = image["data"].as_str().and_then(base64::decode) else {
            session.warn(format!("'{tool}' gave a picture that is no base64"), None);
            continue;
        };
        match session.host.save(tool, &extension, &bytes) {
            Ok(file) => session.emit(EventKind::Saved { name: tool.to_owned(), file }),
            Err(failure) => session.warn(failure.message, failure.hint),
        }
    }
}

/// The body of a tool that a server runs.
pub fn body(provider: Arc<dyn Provider>) -> Arc<dyn Execute> {
    Arc::new(ServerTool { provider })
}

/// The session as a running tool of a server sees it.
struct Caller<'a> {
    context: &'a Context<'a>,
    server: &'a dyn Server,
    name: &'a str,
    until_ms: u64,
}

impl Caller<'_> {
    fn pass_on_logs(&self) {
        for LogLine { level, message } in self.server.take_logs() {
            self.context.session.emit(EventKind::Log { level, source: self.name.to_owned(), message });
        }
    }
}

impl World for Caller<'_> {
    fn call(&mut self, name: &str, args: Map<String, Value>) -> Value {
        self.pass_on_logs();
        let until_ms = self.context.session.now_ms().saturating_add(CALLBACK_MS).min(self.until_ms);
        let call = ToolCall::new(name, args);
        answer::of_call(&self.context.dispatch_until(&call, Via::Callback, None, until_ms))
    }

    fn call_for(&mut self, wanted_by: &Cancel, name: &str, args: Map<String, Value>) -> Value {
        let session = self.context.session;
        session.wanted_by(wanted_by, || self.call(name, args))
    }

    fn remember(&mut self, name: &str, text: &str) {
        self.context.session.memory.set(name, text);
    }

    fn now_ms(&self) -> u64 {
        self.context.session.now_ms()
    }

    fn began_ms(&self) -> u64 {
        self.context.session.clock.began_ms()
    }

    fn sleep_until(&mut self, at_ms: u64) -> Result<(), String> {
        let session = self.context.session;
        let end = at_ms.min(self.until_ms);
        while session.now_ms() < end {
            session.check_cancelled().map_err(|failure| failure.message)?;
            session.clock.sleep_until(session.now_ms().saturating_add(SLICE_MS).min(end));
        }
        if at_ms > self.until_ms {
            return Err("the time of the call was over before it was done".to_owned());
        }
        Ok(())
    }

    fn fetch(&mut self, request: &Value) -> Result<Value, String> {
        web::fetch(self.context.session.host.as_ref(), self.server.granted(), request, self.left_ms())
    }

    fn progress(&mut self, progress: Progress) {
        let (call, tool) = (self.context.number(), self.context.call.name.clone());
        self.context.session.emit(EventKind::Progress { call, tool, progress });
    }

    fn warn(&mut self, message: String, hint: &str) {
        self.context.session.warn(message, Some(hint.to_owned()));
    }

    fn left_ms(&self) -> u64 {
        self.until_ms.saturating_sub(self.context.session.now_ms())
    }

    fn session(&self) -> Option<&Session> {
        Some(self.context.session)
    }

    fn cancel(&self) -> Cancel {
        self.context.session.cancel_now()
    }
}

/// A failure of the kind that scripts and servers have.
fn failure(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Script, message)
}
