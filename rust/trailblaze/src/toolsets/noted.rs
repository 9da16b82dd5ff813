//! What a server does for a call, noted while it does it, and done again without the server.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::{Cancel, ServerCall, ServerWish};
use trailblaze_engine::script::World;
use trailblaze_engine::server::{Call, Listed, Provider, Server};
use trailblaze_engine::session::Session;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::Progress;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::workspace::ServerEntry;

use super::{Opened, Starter};
use crate::session::SavedServers;

/// Sends a call to a server, and lets the session keep what came of it.
pub(super) fn call(
    name: &str,
    call: Call,
    world: &mut dyn World,
    send: impl FnOnce(Call, &mut dyn World) -> Result<Value, Failure>,
) -> Result<Value, Failure> {
    let (tool, args) = (call.tool.clone(), arguments(&call));
    let mut noting = Noting { world, wishes: Vec::new() };
    let answer = send(call, &mut noting);
    let Noting { world, wishes } = noting;
    if let Some(session) = world.session() {
        let (server, answer) = (name.to_owned(), answer.clone());
        session.host.note_server_call(ServerCall { server, tool, args, wishes, answer });
    }
    answer
}

/// The arguments as the tool's schema knows them.
fn arguments(call: &Call) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_default()
}

/// A world that notes what is asked of it.
struct Noting<'a> {
    world: &'a mut dyn World,
    wishes: Vec<ServerWish>,
}

impl Noting<'_> {
    fn note(&mut self, tool: &str, args: &Map<String, Value>) {
        self.wishes.push(ServerWish::Call { tool: tool.to_owned(), args: args.clone() });
    }
}

impl World for Noting<'_> {
    fn call(&mut self, name: &str, args: Map<String, Value>) -> Value {
        self.note(name, &args);
        self.world.call(name, args)
    }

    fn call_for(&mut self, wanted_by: &Cancel, name: &str, args: Map<String, Value>) -> Value {
        self.note(name, &args);
        self.world.call_for(wanted_by, name, args)
    }

    fn remember(&mut self, name: &str, text: &str) {
        self.wishes.push(ServerWish::Remember { name: name.to_owned(), text: text.to_owned() });
        self.world.remember(name, text);
    }

    fn now_ms(&self) -> u64 {
        self.world.now_ms()
    }

    fn began_ms(&self) -> u64 {
        self.world.began_ms()
    }

    fn sleep_until(&mut self, at_ms: u64) -> Result<(), String> {
        self.world.sleep_until(at_ms)
    }

    fn fetch(&mut self, request: &Value) -> Result<Value, String> {
        self.world.fetch(request)
    }

    fn progress(&mut self, progress: Progress) {
        self.world.progress(progress);
    }

    fn warn(&mut self, message: String, hint: &str) {
        self.world.warn(message, hint);
    }

    fn left_ms(&self) -> u64 {
        self.world.left_ms()
    }

    fn session(&self) -> Option<&Session> {
        self.world.session()
    }

    fn cancel(&self) -> Cancel {
        self.world.cancel()
    }
}

/// The servers of a session that was recorded: none is started, each answers as it did.
#[derive(Debug)]
pub struct RecordedServers {
    listed: Vec<(String, Listed)>,
    coming: Arc<Coming>,
}

/// The calls that are still to come.
type Coming = Mutex<VecDeque<ServerCall>>;

impl RecordedServers {
    pub fn new(saved: &SavedServers) -> Arc<Self> {
        let coming = Mutex::new(saved.calls.iter().cloned().collect());
        Arc::new(Self { listed: saved.listed.clone(), coming: Arc::new(coming) })
    }
}

impl Starter for RecordedServers {
    fn open(&self, entries: &[&ServerEntry], _root: &Path, _driver: Driver) -> Vec<Result<Opened, Failure>> {
        let open = |entry: &&ServerEntry| {
            let (name, listed) = self.listed.iter().find(|(name, _)| *name == entry.name)?;
            let server = Recorded { name: name.clone(), listed: listed.clone(), coming: self.coming.clone() };
            Some((Arc::new(server) as Arc<dyn Provider>, listed.clone()))
        };
        // A script that ran in this process runs there again.
        entries.iter().map(|entry| Ok(open(entry))).collect()
    }
}

#[derive(Clone)]
struct Recorded {
    name: String,
    listed: Listed,
    coming: Arc<Coming>,
}

impl Provider for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        Ok(Arc::new(self.clone()))
    }
}

impl Recorded {
    /// The call as it was made, if it comes next.
    fn next(&self, call: &Call) -> Result<ServerCall, Failure> {
        let mut coming = self.coming.lock().unwrap_or_else(PoisonError::into_inner);
        let args = arguments(call);
        // Calls inside of another end first, and were noted first.
        let fits =
            |next: &ServerCall| next.server == self.name && next.tool == call.tool && next.args == args;
        if let Some(next) = coming.iter().position(fits).and_then(|at| coming.remove(at)) {
            return Ok(next);
        }
        let message =
            format!("the recorded session has no answer of server '{}' to '{}'", self.name, call.tool);
        let hint = "a replay starts no servers on this machine; record the session again";
        Err(Failure::new(FailureKind::NotRecorded, message).hint(hint))
    }
}

impl Server for Recorded {
    fn list(&self) -> Result<Vec<Value>, Failure> {
        Ok(self.listed.tools.clone())
    }

    fn registry(&self) -> Result<Option<Value>, Failure> {
        Ok(self.listed.registry.clone())
    }

    fn call(&self, call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        let ServerCall { wishes, answer, .. } = self.next(&call)?;
        for wish in wishes {
            match wish {
                // What it came to changes nothing: the tool did what it did.
                ServerWish::Call { tool, args } => drop(world.call(&tool, args)),
                ServerWish::Remember { name, text } => world.remember(&name, &text),
            }
        }
        answer
    }

    fn runtime(&self) -> AgentMode {
        AgentMode::Host
    }

    fn take_logs(&self) -> Vec<LogLine> {
        Vec::new()
    }

    fn call_ms(&self) -> u64 {
        u64::MAX
    }
}
