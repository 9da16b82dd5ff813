//! One toolset of a run: its servers, each with a session of its own.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::ThreadId;

use serde_json::Value;
use trailblaze_engine::device::LogLine;
use trailblaze_engine::script::World;
use trailblaze_engine::server::{CONTEXT, Call, Provider, Server};
use trailblaze_mcp::client::{Address, Connection, Program, Served, Shared, Toolset, unguessable};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::workspace::ServerEntry;

use super::noted;
use super::servers::locked;

/// A toolset whose servers stay for the next session on the same thread. Each device has a thread, so each has a server
/// of its own, or a session of its own with one that all share.
pub(super) struct Kept {
    pub(super) entry: ServerEntry,
    pub(super) place: Place,
    shared: Shared,
    /// The tools that take no other arguments than they declare.
    sealed: OnceLock<HashSet<String>>,
    pub(super) running: Mutex<Running>,
    /// What is said in the log of the first session.
    pub(super) notes: Arc<Mutex<Vec<LogLine>>>,
}

#[derive(Default)]
pub(super) struct Running {
    /// Nobody has these yet. The one that listed the tools is the first.
    pub(super) spare: Vec<Arc<Own>>,
    taken: HashMap<ThreadId, Arc<Own>>,
}

pub(super) enum Place {
    Program(Program),
    Address(Address),
    /// A program of ours at an address, and the session that it was started for.
    Served(Arc<Served>, String),
}

pub(super) fn session_name() -> Result<String, Failure> {
    unguessable().map_err(|error| {
        Failure::new(FailureKind::Toolset, format!("no name can be made for a session: {error}"))
    })
}

pub(super) fn in_session(program: &Program, session: &str) -> Program {
    let mut program = program.clone();
    program.env.push(("TRAILBLAZE_SESSION_ID".into(), session.into()));
    program
}

impl Kept {
    pub(super) fn new(entry: &ServerEntry, place: Place, shared: Shared) -> Self {
        Self {
            entry: entry.clone(),
            place,
            shared,
            sealed: OnceLock::new(),
            running: Mutex::default(),
            notes: Arc::default(),
        }
    }

    /// A server with a session of its own, and its tools.
    pub(super) fn begin(&self) -> Result<(Arc<Own>, Vec<Value>), Failure> {
        let begun = self.try_begin();
        begun.map_err(|failure| match &self.place {
            // It may have ended since it was started.
            Place::Served(served, _) => served.explain(failure),
            Place::Program(_) | Place::Address(_) => failure,
        })
    }

    fn try_begin(&self) -> Result<(Arc<Own>, Vec<Value>), Failure> {
        let name = &self.entry.name;
        let shared = self.shared.clone();
        let (toolset, session, served) = match &self.place {
            Place::Program(program) => {
                let session = session_name()?;
                (Toolset::new(name, in_session(program, &session), shared), session, None)
            }
            Place::Address(address) => (Toolset::http(name, address.clone(), shared), session_name()?, None),
            Place::Served(served, session) => {
                let toolset = Toolset::http(name, served.address().clone(), shared);
                (toolset, session.clone(), Some(served.clone()))
            }
        };
        let server = toolset.open()?;
        let tools = server.list()?;
        let is_sealed = |tool: &&Value| tool["inputSchema"]["additionalProperties"] == false;
        let names = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        let sealed = self.sealed.get_or_init(|| tools.iter().filter(is_sealed).filter_map(names).collect());
        let own = Own {
            name: name.clone(),
            server,
            served,
            session,
            sealed: sealed.clone(),
            strict: Mutex::default(),
            notes: self.notes.clone(),
        };
        Ok((Arc::new(own), tools))
    }

    /// How many processes are still to be started for so many devices. Connections are made when they are needed.
    pub(super) fn lacking(&self, devices: usize) -> usize {
        let running = locked(&self.running);
        match self.place {
            Place::Program(_) => devices.saturating_sub(running.spare.len() + running.taken.len()),
            Place::Address(_) | Place::Served(..) => 0,
        }
    }

    /// Starts one that nobody has yet.
    pub(super) fn spare(&self) -> Result<(), Failure> {
        let (server, _) = self.begin()?;
        locked(&self.running).spare.push(server);
        Ok(())
    }

    /// Ends its servers, those that wait and those that are used.
    pub(super) fn close(&self) {
        let Running { spare, taken } = std::mem::take(&mut *locked(&self.running));
        let all: Vec<Arc<Own>> = spare.into_iter().chain(taken.into_values()).collect();
        // One that does not want to end takes its time, and the others with it. They are dropped here: sessions with
        // one that all share are told of their end while it is there.
        let mut last: Vec<LogLine> = std::thread::scope(|scope| {
            let ending: Vec<_> = all
                .into_iter()
                .map(|own| {
                    scope.spawn(move || {
                        own.server.close();
                        own.take_logs()
                    })
                })
                .collect();
            ending.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
        });
        if let Place::Served(served, _) = &self.place {
            served.end();
            last.extend(served.take_logs());
        }
        locked(&self.notes).extend(last);
    }

    /// What nobody has taken yet.
    pub(super) fn take_logs(&self) -> Vec<LogLine> {
        std::mem::take(&mut *locked(&self.notes))
    }
}

impl Provider for Kept {
    fn name(&self) -> &str {
        &self.entry.name
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        let me = std::thread::current().id();
        let mut running = locked(&self.running);
        if let Some(server) = running.taken.get(&me) {
            return Ok(server.clone());
        }
        let server = match running.spare.pop() {
            Some(server) => server,
            None => {
                drop(running);
                let (server, _) = self.begin()?;
                running = locked(&self.running);
                server
            }
        };
        running.taken.insert(me, server.clone());
        Ok(server)
    }
}

/// A server of this run.
pub(super) struct Own {
    name: String,
    server: Connection,
    /// The process that it shares with others.
    served: Option<Arc<Served>>,
    /// What the server knows this session by.
    session: String,
    sealed: HashSet<String>,
    /// Sealed tools that refused the argument that joins those of every call.
    strict: Mutex<HashSet<String>>,
    notes: Arc<Mutex<Vec<LogLine>>>,
}

impl Server for Own {
    fn list(&self) -> Result<Vec<Value>, Failure> {
        self.server.list()
    }

    fn registry(&self) -> Result<Option<Value>, Failure> {
        self.server.registry()
    }

    fn call(&self, mut call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        call.session.clone_from(&self.session);
        noted::call(&self.name, call, world, |call, world| {
            let mut answer = self.call_as_it_likes(call, world)?;
            forget_what_it_cannot_know(&mut answer);
            Ok(answer)
        })
    }

    fn runtime(&self) -> AgentMode {
        self.server.runtime()
    }

    fn take_logs(&self) -> Vec<LogLine> {
        let mut logs = std::mem::take(&mut *locked(&self.notes));
        logs.extend(self.served.iter().flat_map(|served| served.take_logs()));
        logs.extend(self.server.take_logs());
        logs
    }

    /// The client watches its own time, which progress extends.
    fn call_ms(&self) -> u64 {
        u64::MAX
    }
}

impl Own {
    /// With the argument that joins those of every call, unless its tool refuses that.
    fn call_as_it_likes(&self, mut call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        if !self.sealed.contains(&call.tool) {
            return self.send(call, world);
        }
        if !locked(&self.strict).contains(&call.tool) {
            let answer = self.send(call.clone(), world)?;
            if !refuses_context(&answer) {
                return Ok(answer);
            }
            // It says so before it runs the tool: its schema knows no such argument.
            locked(&self.strict).insert(call.tool.clone());
        }
        call.leave_out_context();
        self.send(call, world)
    }

    fn send(&self, call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        let answer = self.server.call(call, world);
        answer.map_err(|failure| match &self.served {
            Some(served) => served.explain(failure),
            None => failure,
        })
    }
}

/// Whether its server is gone, or the run interrupted, is not for a tool to say.
fn forget_what_it_cannot_know(answer: &mut Value) {
    let meta = answer.pointer_mut("/_meta/trailblaze").and_then(Value::as_object_mut);
    let Some(meta) = meta else { return };
    if meta.get("kind").and_then(Value::as_str).is_some_and(|kind| ["Toolset", "Interrupted"].contains(&kind))
    {
        meta.remove("kind");
    }
}

fn refuses_context(answer: &Value) -> bool {
    let names_it = |block: &Value| block["text"].as_str().is_some_and(|text| text.contains(CONTEXT));
    answer["isError"] == true && answer["content"].as_array().into_iter().flatten().any(names_it)
}
