//! Toolset servers that are programs or addresses: started for a run, used by all its sessions, ended with it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use trailblaze_devices::sim::SimOptions;
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::server::{Listed, Server};
use trailblaze_mcp::client::{Address, Limits, Program, Served, Shared, Unserved};
use trailblaze_model::driver::Driver;
use trailblaze_model::event::LogLevel;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::workspace::{ServerEntry, ServerKind, ServerLimits, Transport};

use super::kept::{Kept, Place, in_session, session_name};
use super::runtime::{self, Runtime};
use super::{Opened, Starter, not_started};
use crate::bundles;
use crate::endpoint::Endpoint;
use crate::env_vars;
use crate::exit_code::Problem;
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
            limits: limits(&entry.limits),
            cancel: self.cancel.clone(),
            ..Shared::default()
        };
        let (program, transport) = match &entry.kind {
            ServerKind::Http { url } => {
                let address = Address::parse(url).map_err(|why| {
                    let message = format!("server '{}' has a bad URL: {why}", entry.name);
                    Failure::new(FailureKind::Toolset, message)
                })?;
                return Ok(self.keep(Kept::new(entry, Place::Address(address), shared)));
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
        let kept = Kept::new(entry, place, shared);
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
        if matches!(&entry.kind, ServerKind::Command { working_dir: Some(dir), .. } if !root.join(dir).is_dir())
        {
            // The workspace has said so.
            return Ok(None);
        }
        // Targets share the servers of their workspace.
        let key = format!("{driver} {:?} {:?} {:?}", entry.name, entry.kind, entry.limits);
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

/// The usual ones, where an entry says nothing else.
fn limits(own: &ServerLimits) -> Limits {
    let usual = Limits::default();
    let call_ms = own.call_ms.unwrap_or(usual.call_ms);
    Limits {
        first_ms: own.first_answer_ms.unwrap_or(usual.first_ms),
        call_ms,
        // Who gives one call more time means that it may take it.
        longest_ms: own.longest_call_ms.unwrap_or(usual.longest_ms.max(call_ms)),
        close_ms: own.close_ms.unwrap_or(usual.close_ms),
        term_ms: own.term_ms.unwrap_or(usual.term_ms),
        ..usual
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
        opened.values().map(|(kept, listed)| (kept.entry.name.clone(), listed.clone())).collect()
    }

    fn ready(&self, devices: usize) -> Result<(), Problem> {
        let opened: Vec<Arc<Kept>> = locked(&self.opened).values().map(|(kept, _)| kept.clone()).collect();
        std::thread::scope(|scope| {
            let starting: Vec<_> = opened
                .iter()
                .flat_map(|kept| {
                    (0..kept.lacking(devices)).map(move |_| (kept, scope.spawn(|| kept.spare())))
                })
                .collect();
            starting.into_iter().try_for_each(|(kept, thread)| {
                let started = thread.join().unwrap_or_else(|_| Err(bug()));
                started.map_err(|failure| not_started(&kept.entry, &failure))
            })
        })
    }

    fn close(&self) -> Vec<(String, LogLine)> {
        let kept: Vec<Arc<Kept>> = locked(&self.kept).iter().filter_map(Weak::upgrade).collect();
        std::thread::scope(|scope| {
            for kept in &kept {
                scope.spawn(|| kept.close());
            }
        });
        let of_one = |kept: &Arc<Kept>| {
            let name = kept.entry.name.clone();
            kept.take_logs().into_iter().map(move |line| (name.clone(), line))
        };
        kept.iter().flat_map(of_one).collect()
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

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ToolsetServers {
    fn drop(&mut self) {
        self.close();
    }
}
