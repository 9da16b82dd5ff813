//! Toolset servers that are programs or addresses: started for a run, used by all its sessions, ended with it.

use std::collections::HashMap;
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
use trailblaze_mcp::client::{Address, Program, Shared, Toolset};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::workspace::{ServerEntry, ServerKind};

use super::runtime::{self, Runtime};
use super::{Opened, Starter};
use crate::exit_code::Problem;
use crate::files;
use crate::loopback::{Loopback, Port};

/// The servers of one run.
pub struct ToolsetServers {
    cancel: Cancel,
    /// Made for the first server that needs it.
    endpoint: OnceLock<Result<Endpoint, Problem>>,
    kept: Mutex<Vec<Weak<Kept>>>,
}

/// Where tools call back.
#[derive(Debug)]
struct Endpoint {
    calls: Arc<Calls>,
    loopback: Loopback,
    /// What the servers know the run by.
    session: String,
}

impl fmt::Debug for ToolsetServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolsetServers")
    }
}

impl ToolsetServers {
    pub fn new(cancel: &Cancel) -> Arc<Self> {
        Arc::new(Self { cancel: cancel.clone(), endpoint: OnceLock::new(), kept: Mutex::default() })
    }

    fn endpoint(&self) -> Result<&Endpoint, Failure> {
        let endpoint = self.endpoint.get_or_init(|| {
            let calls = Arc::new(Calls::default());
            let loopback = Loopback::start(callback::router(calls.clone()), Port::Any)?;
            Ok(Endpoint { calls, loopback, session: runtime::token() })
        });
        endpoint.as_ref().map_err(|problem| {
            let failure = Failure::new(FailureKind::Toolset, problem.message.clone());
            Failure { hint: problem.hint.clone(), ..failure }
        })
    }

    /// A provider whose processes end with this run.
    fn keep(&self, toolset: Toolset, endpoint: &Endpoint) -> Arc<Kept> {
        let kept = Arc::new(Kept {
            toolset,
            session: endpoint.session.clone(),
            running: Mutex::default(),
            sealed: Arc::default(),
        });
        locked(&self.kept).push(Arc::downgrade(&kept));
        kept
    }

    fn provider(&self, entry: &ServerEntry, root: &Path, driver: Driver) -> Result<Arc<Kept>, Failure> {
        let endpoint = self.endpoint()?;
        let shared = Shared {
            calls: endpoint.calls.clone(),
            base_url: Some(endpoint.loopback.base_url()),
            cancel: self.cancel.clone(),
            ..Shared::default()
        };
        let toolset = match &entry.kind {
            ServerKind::Http { url } => {
                let address = Address::parse(url).map_err(|why| {
                    let message = format!("server '{}' cannot be reached at '{url}': {why}", entry.name);
                    Failure::new(FailureKind::Toolset, message)
                })?;
                Toolset::http(&entry.name, address, shared)
            }
            ServerKind::Script(script) => {
                let file = files::normal(&root.join(script));
                let mut program = runtime::find().program(&file, root)?;
                program.env.extend(self.environment(endpoint, driver));
                program.env.push(("TRAILBLAZE_TOOLSET_FILE".into(), file.into()));
                Toolset::new(&entry.name, program, shared)
            }
            ServerKind::Command { command, args, working_dir, env } => {
                let dir = files::normal(&root.join(working_dir.as_deref().unwrap_or_default()));
                let mut program = Program {
                    command: runtime::command(command, root),
                    args: args.iter().map(Into::into).collect(),
                    env: self.environment(endpoint, driver),
                    dir: Some(dir),
                };
                program.env.extend(env.iter().map(|(name, value)| (name.into(), value.into())));
                Toolset::new(&entry.name, program, shared)
            }
        };
        Ok(self.keep(toolset, endpoint))
    }

    /// What every server finds in its environment.
    fn environment(&self, endpoint: &Endpoint, driver: Driver) -> Vec<(OsString, OsString)> {
        let variables = [
            ("TRAILBLAZE_DEVICE_PLATFORM", driver.platform().wire().to_owned()),
            ("TRAILBLAZE_DEVICE_DRIVER", driver.key().to_owned()),
            ("TRAILBLAZE_DEVICE_WIDTH_PX", SimOptions::WIDTH.to_string()),
            ("TRAILBLAZE_DEVICE_HEIGHT_PX", SimOptions::HEIGHT.to_string()),
            ("TRAILBLAZE_SESSION_ID", endpoint.session.clone()),
            ("TRAILBLAZE_CALLBACK_URL", endpoint.loopback.callback_url()),
        ];
        variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn open_one(&self, entry: &ServerEntry, root: &Path, driver: Driver) -> Result<Opened, Failure> {
        if matches!(&entry.kind, ServerKind::Script(script) if runs_inside(root, script)) {
            return Ok(Opened::Inside);
        }
        let kept = self.provider(entry, root, driver)?;
        let server = kept.begin()?;
        let listed = Listed { tools: server.list()?, registry: server.registry()? };
        locked(&kept.running).insert(None, server);
        Ok(Opened::Server(kept, listed))
    }
}

/// Whether a script runs in QuickJS here, too: because somebody asked for it, or because that is all there is for a script
/// that needs nothing of a host.
fn runs_inside(root: &Path, script: &str) -> bool {
    let runtime = runtime::find();
    *runtime == Runtime::Inside
        || (!runtime.runs(&root.join(script)) && super::imports_only_ours(root, script))
}

impl Starter for ToolsetServers {
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
    toolset: Toolset,
    /// What its servers know the run by.
    session: String,
    /// The one that was started to list its tools has no thread yet.
    running: Mutex<HashMap<Option<ThreadId>, Arc<dyn Server>>>,
    sealed: Arc<OnceLock<()>>,
}

impl Kept {
    fn begin(&self) -> Result<Arc<dyn Server>, Failure> {
        let (session, sealed) = (self.session.clone(), self.sealed.clone());
        Ok(Arc::new(Own { server: self.toolset.start()?, session, sealed }))
    }
}

impl Provider for Kept {
    fn name(&self) -> &str {
        self.toolset.name()
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
                let server = self.begin()?;
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
    session: String,
    /// Set once it refused the argument that joins those of every call.
    sealed: Arc<OnceLock<()>>,
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
        if self.sealed.get().is_some() {
            call.leave_out_context();
            return self.server.call(call, world);
        }
        let answer = self.server.call(call.clone(), world)?;
        if !refuses_context(&answer) {
            return Ok(answer);
        }
        // A server that takes no other arguments than it declared says so before it runs the tool.
        self.sealed.get_or_init(|| ());
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
    answer["isError"] == true
        && answer["content"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|block| block["text"].as_str().is_some_and(|text| text.contains(CONTEXT)))
}
