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
use trailblaze_engine::script::World;
use trailblaze_engine::server::{CONTEXT, Call, Listed, Provider, Server};
use trailblaze_mcp::callback;
use trailblaze_mcp::client::calls::Calls;
use trailblaze_mcp::client::{Address, Program, Shared, Toolset, unguessable};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::workspace::{ServerEntry, ServerKind};

use super::runtime::{self, Runtime};
use super::{Opened, Starter};
use crate::bundles;
use crate::exit_code::Problem;
use crate::files;
use crate::loopback::{Loopback, Port};

/// The servers of one run.
pub struct ToolsetServers {
    cancel: Cancel,
    /// Made for the first server that needs it.
    endpoint: OnceLock<Result<Endpoint, Problem>>,
    /// What is open, by the entry that asked for it.
    opened: Mutex<HashMap<String, (Arc<Kept>, Listed)>>,
    kept: Mutex<Vec<Weak<Kept>>>,
}

/// Where tools call back.
#[derive(Debug)]
struct Endpoint {
    calls: Arc<Calls>,
    loopback: Loopback,
}

impl fmt::Debug for ToolsetServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolsetServers")
    }
}

impl ToolsetServers {
    pub fn new(cancel: &Cancel) -> Arc<Self> {
        Arc::new(Self {
            cancel: cancel.clone(),
            endpoint: OnceLock::new(),
            opened: Mutex::default(),
            kept: Mutex::default(),
        })
    }

    fn endpoint(&self) -> Result<&Endpoint, Failure> {
        let endpoint = self.endpoint.get_or_init(|| {
            let calls = Arc::new(Calls::default());
            let loopback = Loopback::start(callback::router(calls.clone()), Port::Any)?;
            Ok(Endpoint { calls, loopback })
        });
        endpoint.as_ref().map_err(|problem| {
            let failure = Failure::new(FailureKind::Toolset, problem.message.clone());
            Failure { hint: problem.hint.clone(), ..failure }
        })
    }

    fn provider(&self, entry: &ServerEntry, root: &Path, driver: Driver) -> Result<Arc<Kept>, Failure> {
        let endpoint = self.endpoint()?;
        let shared = Shared {
            calls: endpoint.calls.clone(),
            base_url: Some(endpoint.loopback.base_url()),
            cancel: self.cancel.clone(),
            ..Shared::default()
        };
        let place = match &entry.kind {
            ServerKind::Http { url } => Place::Address(Address::parse(url).map_err(|why| {
                let message = format!("server '{}' has a bad URL: {why}", entry.name);
                Failure::new(FailureKind::Toolset, message)
            })?),
            ServerKind::Script(script) => {
                let file = files::normal(&root.join(script));
                let mut program = runtime::find().program(&file, root)?;
                program.env.extend(environment(endpoint, driver));
                program.env.push(("TRAILBLAZE_TOOLSET_FILE".into(), file.into()));
                Place::Program(program)
            }
            ServerKind::Command { command, args, working_dir, env } => {
                let own = env.iter().map(|(name, value)| (name.into(), value.into()));
                let is_own = |(name, _): &(OsString, OsString)| env.iter().any(|(own, _)| *name == **own);
                // An entry may know better what goes through a proxy, but not what belongs to the session.
                let ours = environment(endpoint, driver).into_iter();
                let ours = ours
                    .filter(|entry| !is_own(entry) || entry.0.to_string_lossy().starts_with("TRAILBLAZE_"));
                Place::Program(Program {
                    command: runtime::command(command, root),
                    args: args.iter().map(Into::into).collect(),
                    env: own.chain(ours).collect(),
                    dir: Some(files::normal(&root.join(working_dir.as_deref().unwrap_or_default()))),
                })
            }
        };
        let kept = Arc::new(Kept {
            name: entry.name.clone(),
            place,
            shared,
            sealed: OnceLock::new(),
            running: Mutex::default(),
        });
        locked(&self.kept).push(Arc::downgrade(&kept));
        Ok(kept)
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
        locked(&kept.running).insert(None, server);
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
fn environment(endpoint: &Endpoint, driver: Driver) -> Vec<(OsString, OsString)> {
    let mut variables = vec![
        ("TRAILBLAZE_DEVICE_PLATFORM".to_owned(), driver.platform().wire().to_owned()),
        ("TRAILBLAZE_DEVICE_DRIVER".to_owned(), driver.key().to_owned()),
        ("TRAILBLAZE_DEVICE_WIDTH_PX".to_owned(), SimOptions::WIDTH.to_string()),
        ("TRAILBLAZE_DEVICE_HEIGHT_PX".to_owned(), SimOptions::HEIGHT.to_string()),
        ("TRAILBLAZE_CALLBACK_URL".to_owned(), endpoint.loopback.callback_url()),
    ];
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
        let servers: Vec<Arc<dyn Server>> =
            kept.iter().flat_map(|kept| std::mem::take(&mut *locked(&kept.running)).into_values()).collect();
        // One that does not want to end takes its time, and the others with it.
        std::thread::scope(|scope| {
            for server in servers {
                scope.spawn(move || drop(server));
            }
        });
    }
}

/// A toolset whose servers stay for the next session on the same thread. Each device has a thread, so each has a server
/// of its own.
struct Kept {
    name: String,
    place: Place,
    shared: Shared,
    /// The tools that take no other arguments than they declare.
    sealed: OnceLock<HashSet<String>>,
    /// The one that was started to list the tools has no thread yet.
    running: Mutex<HashMap<Option<ThreadId>, Arc<dyn Server>>>,
}

enum Place {
    Program(Program),
    Address(Address),
}

impl Kept {
    /// A server with a session of its own, and its tools.
    fn begin(&self) -> Result<(Arc<dyn Server>, Vec<Value>), Failure> {
        let session = unguessable().map_err(|error| {
            Failure::new(FailureKind::Toolset, format!("no name can be made for a session: {error}"))
        })?;
        let toolset = match &self.place {
            Place::Program(program) => {
                let mut program = program.clone();
                program.env.push(("TRAILBLAZE_SESSION_ID".into(), session.as_str().into()));
                Toolset::new(&self.name, program, self.shared.clone())
            }
            Place::Address(address) => Toolset::http(&self.name, address.clone(), self.shared.clone()),
        };
        let server = toolset.start()?;
        let tools = server.list()?;
        let is_sealed = |tool: &&Value| tool["inputSchema"]["additionalProperties"] == false;
        let names = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        let sealed = self.sealed.get_or_init(|| tools.iter().filter(is_sealed).filter_map(names).collect());
        Ok((Arc::new(Own { server, session, sealed: sealed.clone(), strict: Mutex::default() }), tools))
    }
}

impl Provider for Kept {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        let me = Some(std::thread::current().id());
        let mut running = locked(&self.running);
        if let Some(server) = running.get(&me) {
            return Ok(server.clone());
        }
        // The one that listed the tools is for whoever comes first.
        let server = match running.remove(&None) {
            Some(server) => server,
            None => {
                drop(running);
                let (server, _) = self.begin()?;
                running = locked(&self.running);
                server
            }
        };
        running.insert(me, server.clone());
        Ok(server)
    }
}

/// A server of this run.
struct Own {
    server: Arc<dyn Server>,
    /// What the server knows this session by.
    session: String,
    sealed: HashSet<String>,
    /// Sealed tools that refused the argument that joins those of every call.
    strict: Mutex<HashSet<String>>,
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
        if !self.sealed.contains(&call.tool) {
            return self.server.call(call, world);
        }
        if !locked(&self.strict).contains(&call.tool) {
            let answer = self.server.call(call.clone(), world)?;
            if !refuses_context(&answer) {
                return Ok(answer);
            }
            // It says so before it runs the tool: its schema knows no such argument.
            locked(&self.strict).insert(call.tool.clone());
        }
        call.leave_out_context();
        self.server.call(call, world)
    }

    fn runtime(&self) -> AgentMode {
        self.server.runtime()
    }

    fn take_logs(&self) -> Vec<LogLine> {
        self.server.take_logs()
    }

    /// The client watches its own time, which progress extends.
    fn call_ms(&self) -> u64 {
        u64::MAX
    }
}

fn refuses_context(answer: &Value) -> bool {
    let names_it = |block: &Value| block["text"].as_str().is_some_and(|text| text.contains(CONTEXT));
    answer["isError"] == true && answer["content"].as_array().into_iter().flatten().any(names_it)
}
