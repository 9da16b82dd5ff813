//! Toolset servers that are programs or addresses: started for a run, used by all its sessions, ended with it.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::ThreadId;

use serde_json::Value;
use trailblaze_devices::sim::SimOptions;
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::script::World;
use trailblaze_engine::server::{CONTEXT, Call, Listed, Provider, Server};
use trailblaze_mcp::client::{Address, Program, Served, Shared, Toolset, Unserved, unguessable};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::LogLevel;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::workspace::{ServerEntry, ServerKind, Transport};

use super::runtime::{self, Runtime};
use super::{Opened, Starter, noted};
use crate::bundles;
use crate::endpoint::Endpoint;
use crate::env_vars;
use crate::files;
use crate::loopback::Loopback;

/// The servers of one run.
pub struct ToolsetServers {
    cancel: Cancel,
    endpoint: Arc<Endpoint>,
    /// How many devices there are at most.
    devices: usize,
    /// What is open, by the entry that asked for it.
    opened: Mutex<HashMap<String, (Arc<Kept>, Listed)>>,
    kept: Mutex<Vec<Weak<Kept>>>,
}

impl fmt::Debug for ToolsetServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolsetServers")
    }
}

impl ToolsetServers {
    /// For one device. Their tools call back at the endpoint.
    pub fn new(cancel: &Cancel, endpoint: Arc<Endpoint>) -> Arc<Self> {
        Self::for_devices(1, cancel, endpoint)
    }

    /// For so many devices, which may be used at the same time.
    pub fn for_devices(devices: usize, cancel: &Cancel, endpoint: Arc<Endpoint>) -> Arc<Self> {
        let (cancel, opened, kept) = (cancel.clone(), Mutex::default(), Mutex::default());
        Arc::new(Self { cancel, endpoint, devices, opened, kept })
    }

    fn provider(&self, entry: &ServerEntry, root: &Path, driver: Driver) -> Result<Arc<Kept>, Failure> {
        let loopback = self.endpoint.loopback().map_err(|problem| {
            let failure = Failure::new(FailureKind::Toolset, problem.message);
            Failure { hint: problem.hint, ..failure }
        })?;
        let ours = || environment(loopback, driver, self.endpoint.token());
        let shared = Shared {
            calls: self.endpoint.calls().clone(),
            base_url: Some(loopback.base_url()),
            cancel: self.cancel.clone(),
            ..Shared::default()
        };
        let (program, transport) = match &entry.kind {
            ServerKind::Http { url } => {
                let address = Address::parse(url).map_err(|why| {
                    let message = format!("server '{}' has a bad URL: {why}", entry.name);
                    Failure::new(FailureKind::Toolset, message)
                })?;
                return Ok(self.keep(Kept::new(&entry.name, Place::Address(address), shared)));
            }
            ServerKind::Script(script) => {
                let file = files::normal(&root.join(script));
                let mut program = runtime::find().program(&file, root)?;
                program.env.extend(ours());
                program.env.push(("TRAILBLAZE_TOOLSET_FILE".into(), file.into()));
                // A script speaks over its standard streams, whatever it is told.
                (program, Transport::Stdio)
            }
            ServerKind::Command { command, args, working_dir, env, transport } => {
                let own = env.iter().map(|(name, value)| (name.into(), value.into()));
                let is_own = |(name, _): &(OsString, OsString)| env.iter().any(|(own, _)| *name == **own);
                // An entry may know better what goes through a proxy, but not what belongs to the session.
                let ours = ours().into_iter();
                let ours = ours
                    .filter(|entry| !is_own(entry) || entry.0.to_string_lossy().starts_with("TRAILBLAZE_"));
                let program = Program {
                    command: runtime::command(command, root),
                    args: args.iter().map(Into::into).collect(),
                    env: own.chain(ours).collect(),
                    dir: Some(files::normal(&root.join(working_dir.as_deref().unwrap_or_default()))),
                };
                (program, *transport)
            }
        };
        let (place, choice) = self.choose(&entry.name, program, transport, &shared)?;
        let kept = Kept::new(&entry.name, place, shared);
        locked(&kept.notes).extend(choice.map(|message| LogLine { level: LogLevel::Info, message }));
        Ok(self.keep(kept))
    }

    fn keep(&self, kept: Kept) -> Arc<Kept> {
        let kept = Arc::new(kept);
        locked(&self.kept).push(Arc::downgrade(&kept));
        kept
    }

    /// Several devices share one process where it can be reached over HTTP. What was chosen is said.
    fn choose(
        &self,
        name: &str,
        program: Program,
        transport: Transport,
        shared: &Shared,
    ) -> Result<(Place, Option<String>), Failure> {
        let devices = self.devices;
        let is_tried = match transport {
            Transport::Any => devices > 1,
            Transport::Stdio => false,
            Transport::Http => true,
        };
        if !is_tried {
            let choice = format!("one process on stdin and stdout for each of {devices} devices");
            return Ok((Place::Program(program), (devices > 1).then_some(choice)));
        }
        let session = session_name()?;
        match Served::start(name, &in_session(&program, &session), shared) {
            Ok(served) => {
                let of_all = if devices > 1 { format!(" for all {devices} devices") } else { String::new() };
                let choice = format!("one process over HTTP{of_all}, at {}", served.address());
                Ok((Place::Served(Arc::new(served), session), Some(choice)))
            }
            Err(Unserved::Declined { why, .. }) if transport == Transport::Any => {
                let choice = format!(
                    "one process on stdin and stdout for each of {devices} devices: told '{}', it {why}",
                    Unserved::ARGUMENTS
                );
                Ok((Place::Program(program), Some(choice)))
            }
            Err(unserved) => Err(unserved.failure(name)),
        }
    }

    fn open_one(&self, entry: &ServerEntry, root: &Path, driver: Driver) -> Result<Opened, Failure> {
        if matches!(&entry.kind, ServerKind::Script(script) if runs_inside(root, script)) {
            return Ok(None);
        }
        // Targets share the servers of their workspace.
        let key = format!("{driver} {:?} {:?}", entry.name, entry.kind);
        if let Some((kept, listed)) = locked(&self.opened).get(&key) {
            return Ok(Some((kept.clone(), listed.clone())));
        }
        let kept = self.provider(entry, root, driver)?;
        let (server, tools) = kept.begin()?;
        let listed = Listed { tools, registry: server.registry()? };
        locked(&kept.running).spare.push(server);
        locked(&self.opened).insert(key, (kept.clone(), listed.clone()));
        Ok(Some((kept, listed)))
    }
}

/// Whether a script runs in QuickJS here, too: because somebody asked for it, or because that is all there is for a script
/// that needs nothing of a host.
fn runs_inside(root: &Path, script: &str) -> bool {
    let runtime = runtime::find();
    let is_stranded = || !runtime.runs(&root.join(script)) && bundles::make::needs_no_host(root, script);
    *runtime == Runtime::Inside || (runtime::asked().is_none() && is_stranded())
}

/// What every server finds in its environment besides the name of its session.
fn environment(loopback: &Loopback, driver: Driver, token: Option<&Secret>) -> Vec<(OsString, OsString)> {
    let mut variables = vec![
        ("TRAILBLAZE_DEVICE_PLATFORM".to_owned(), driver.platform().wire().to_owned()),
        ("TRAILBLAZE_DEVICE_DRIVER".to_owned(), driver.key().to_owned()),
        ("TRAILBLAZE_DEVICE_WIDTH_PX".to_owned(), SimOptions::WIDTH.to_string()),
        ("TRAILBLAZE_DEVICE_HEIGHT_PX".to_owned(), SimOptions::HEIGHT.to_string()),
        ("TRAILBLAZE_CALLBACK_URL".to_owned(), loopback.callback_url()),
    ];
    variables.extend(
        token.map(|token| (env_vars::TRAILBLAZE_RPC_TOKEN.name.to_owned(), token.reveal().to_owned())),
    );
    // Some runtimes would ask a proxy for what is on this machine.
    for name in ["NO_PROXY", "no_proxy"] {
        let others = std::env::var(name).ok().filter(|others| !others.is_empty());
        let own = "127.0.0.1,localhost".to_owned();
        variables.push((name.to_owned(), others.map_or(own.clone(), |others| format!("{others},{own}"))));
    }
    variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

impl Starter for ToolsetServers {
    fn renew(&self) {
        locked(&self.opened).clear();
    }

    fn listed(&self) -> Vec<(String, Listed)> {
        let opened = locked(&self.opened);
        opened.values().map(|(kept, listed)| (kept.name.clone(), listed.clone())).collect()
    }

    fn ready(&self, devices: usize) -> Result<(), Failure> {
        let opened: Vec<Arc<Kept>> = locked(&self.opened).values().map(|(kept, _)| kept.clone()).collect();
        std::thread::scope(|scope| {
            let starting: Vec<_> = opened
                .iter()
                .flat_map(|kept| (0..kept.lacking(devices)).map(|_| scope.spawn(|| kept.spare())))
                .collect();
            starting.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(bug())))
        })
    }

    fn open(&self, entries: &[&ServerEntry], root: &Path, driver: Driver) -> Vec<Result<Opened, Failure>> {
        // Most of the time a server needs to start is its own.
        std::thread::scope(|scope| {
            let starting: Vec<_> =
                entries.iter().map(|entry| scope.spawn(|| self.open_one(entry, root, driver))).collect();
            starting.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(bug()))).collect()
        })
    }
}

fn bug() -> Failure {
    Failure::new(FailureKind::Exception, "Trailblaze itself failed to start a server; this is a bug")
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ToolsetServers {
    fn drop(&mut self) {
        let kept: Vec<Arc<Kept>> = locked(&self.kept).iter().filter_map(Weak::upgrade).collect();
        let all = kept.iter().flat_map(|kept| {
            let Running { spare, taken } = std::mem::take(&mut *locked(&kept.running));
            spare.into_iter().chain(taken.into_values())
        });
        let servers: Vec<Arc<dyn Server>> = all.collect();
        // One that does not want to end takes its time, and the others with it.
        std::thread::scope(|scope| {
            for server in servers {
                scope.spawn(move || drop(server));
            }
        });
        std::thread::scope(|scope| {
            for kept in &kept {
                if let Place::Served(served, _) = &kept.place {
                    scope.spawn(|| served.end());
                }
            }
        });
    }
}

/// A toolset whose servers stay for the next session on the same thread. Each device has a thread, so each has a server
/// of its own, or a session of its own with one that all share.
struct Kept {
    name: String,
    place: Place,
    shared: Shared,
    /// The tools that take no other arguments than they declare.
    sealed: OnceLock<HashSet<String>>,
    running: Mutex<Running>,
    /// What is said in the log of the first session.
    notes: Arc<Mutex<Vec<LogLine>>>,
}

#[derive(Default)]
struct Running {
    /// Nobody has these yet. The one that listed the tools is the first.
    spare: Vec<Arc<dyn Server>>,
    taken: HashMap<ThreadId, Arc<dyn Server>>,
}

enum Place {
    Program(Program),
    Address(Address),
    /// A program of ours at an address, and the session that it was started for.
    Served(Arc<Served>, String),
}

fn session_name() -> Result<String, Failure> {
    unguessable().map_err(|error| {
        Failure::new(FailureKind::Toolset, format!("no name can be made for a session: {error}"))
    })
}

fn in_session(program: &Program, session: &str) -> Program {
    let mut program = program.clone();
    program.env.push(("TRAILBLAZE_SESSION_ID".into(), session.into()));
    program
}

impl Kept {
    fn new(name: &str, place: Place, shared: Shared) -> Self {
        Self {
            name: name.to_owned(),
            place,
            shared,
            sealed: OnceLock::new(),
            running: Mutex::default(),
            notes: Arc::default(),
        }
    }

    /// A server with a session of its own, and its tools.
    fn begin(&self) -> Result<(Arc<dyn Server>, Vec<Value>), Failure> {
        let shared = self.shared.clone();
        let (toolset, session, served) = match &self.place {
            Place::Program(program) => {
                let session = session_name()?;
                (Toolset::new(&self.name, in_session(program, &session), shared), session, None)
            }
            Place::Address(address) => {
                (Toolset::http(&self.name, address.clone(), shared), session_name()?, None)
            }
            Place::Served(served, session) => {
                let toolset = Toolset::http(&self.name, served.address().clone(), shared);
                (toolset, session.clone(), Some(served.clone()))
            }
        };
        let server = toolset.start()?;
        let tools = server.list()?;
        let is_sealed = |tool: &&Value| tool["inputSchema"]["additionalProperties"] == false;
        let names = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        let sealed = self.sealed.get_or_init(|| tools.iter().filter(is_sealed).filter_map(names).collect());
        let own = Own {
            name: self.name.clone(),
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
    fn lacking(&self, devices: usize) -> usize {
        let running = locked(&self.running);
        match self.place {
            Place::Program(_) => devices.saturating_sub(running.spare.len() + running.taken.len()),
            Place::Address(_) | Place::Served(..) => 0,
        }
    }

    /// Starts one that nobody has yet.
    fn spare(&self) -> Result<(), Failure> {
        let (server, _) = self.begin()?;
        locked(&self.running).spare.push(server);
        Ok(())
    }
}

impl Provider for Kept {
    fn name(&self) -> &str {
        &self.name
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
struct Own {
    name: String,
    server: Arc<dyn Server>,
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
        noted::call(&self.name, call, world, |call, world| self.call_as_it_likes(call, world))
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

fn refuses_context(answer: &Value) -> bool {
    let names_it = |block: &Value| block["text"].as_str().is_some_and(|text| text.contains(CONTEXT));
    answer["isError"] == true && answer["content"].as_array().into_iter().flatten().any(names_it)
}
