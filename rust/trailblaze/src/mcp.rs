//! Trailblaze for models that other programs run: a small list of tools that never changes, and resources.
//!
//! Tools that look at the device or act on it run in a session that stays open, on its own thread; trails run on
//! devices of their own, as `trailblaze run` runs them.

mod desk;
mod device;
mod notes;
mod offer;
mod resources;
mod trails;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::registry::Registry;
use trailblaze_engine::schema::{self, Tokens};
use trailblaze_mcp::server::{About, Caller, Service, answer};
use trailblaze_model::diagnostic::Severity;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::target::TargetFile;

use crate::VERSION;
use crate::authoring::Bench;
use crate::exit_code::{Exit, Problem};
use crate::toolsets::ToolsetServers;
use desk::Desk;

/// What the server is about.
#[derive(Clone, Debug)]
pub struct McpOptions {
    /// The workspace; the current folder's unless given.
    pub workspace: Option<PathBuf>,
    /// The target that is meant when none is named.
    pub target: Option<String>,
    /// The driver that sims stand in for.
    pub driver: Driver,
}

/// The server's own state: what was read of the workspace, and the devices that are open.
pub struct McpServer(Arc<Shared>);

struct Shared {
    options: McpOptions,
    /// The workspace as its own target sees it, for questions that need no tools.
    base: Mutex<Option<Arc<Bench>>>,
    /// By the id of the target; empty for a workspace without one.
    opened: Mutex<BTreeMap<String, Arc<Opened>>>,
    /// By the id of the device.
    desks: Mutex<BTreeMap<String, Desk>>,
}

/// A workspace as one target sees it.
#[derive(Debug)]
struct Opened {
    bench: Bench,
    registry: Arc<Registry>,
    #[expect(dead_code, reason = "the servers of the toolsets end when it is dropped")]
    servers: Arc<ToolsetServers>,
}

/// Why a call could not give what it was asked for.
#[derive(Debug)]
enum Trouble {
    Problem(Problem),
    Failure(Failure),
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The result of a call.
type Said = Result<Value, Trouble>;

impl Trouble {
    fn answer(&self) -> Value {
        match self {
            Self::Problem(problem) => answer::error(&problem.to_string()),
            Self::Failure(failure) => answer::failure(failure),
        }
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "McpServer({:?})", self.0.options)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl McpServer {
    /// Nothing is read before the first call.
    pub fn new(options: McpOptions) -> Self {
        let (base, opened, desks) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { options, base, opened, desks }))
    }
}

impl Service for McpServer {
    fn about(&self) -> About {
        About {
            name: "trailblaze".to_owned(),
            title: "Trailblaze".to_owned(),
            version: VERSION.to_owned(),
            instructions: offer::INSTRUCTIONS.to_owned(),
        }
    }

    fn tools(&self) -> Vec<Value> {
        offer::tools()
    }

    fn call(&self, name: &str, args: Map<String, Value>, caller: &Caller) -> Option<Value> {
        let offered = offer::tools().into_iter().find(|tool| tool["name"] == name)?;
        let said = checked(name, &offered["inputSchema"], args).and_then(|args| match name {
            "devices" => device::devices(&self.0),
            "screen" => device::screen(&self.0, &args, caller),
            "tools" => device::tools(&self.0, &args),
            "tool" => device::tool(&self.0, args, caller),
            "step" => device::step(&self.0, &args, caller),
            "trail_run" => trails::run(&self.0, &args, caller),
            "trail_check" => trails::check(&self.0, &args),
            "trail_record" => trails::record(&self.0, &args, caller),
            "reload" => device::reload(&self.0, &args, caller),
            _ => Err(Failure::new(FailureKind::UnknownTool, format!("unknown tool '{name}'")).into()),
        });
        Some(said.unwrap_or_else(|trouble| trouble.answer()))
    }

    fn resources(&self) -> Vec<Value> {
        resources::list(&self.0)
    }

    fn templates(&self) -> Vec<Value> {
        resources::templates()
    }

    fn read(&self, uri: &str, caller: &Caller) -> Option<Value> {
        resources::read(&self.0, uri, caller)
    }
}

/// Arguments of the types that the tool declares.
fn checked(name: &str, schema: &Value, mut args: Map<String, Value>) -> Result<Map<String, Value>, Trouble> {
    let problems = schema::validate(schema, &mut args, Tokens::None);
    let Some(first) = problems.first() else { return Ok(args) };
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let message = format!("'{name}': {}", messages.join("; "));
    let mut failure = Failure::new(FailureKind::InvalidArguments, message);
    failure.hint.clone_from(&first.hint);
    Err(failure.into())
}

impl Shared {
    /// Reads the workspace for a target, once.
    fn opened(&self, target: Option<&str>) -> Result<Arc<Opened>, Problem> {
        let mut opened = locked(&self.opened);
        let key = target.unwrap_or_default();
        if let Some(known) = opened.get(key) {
            return Ok(known.clone());
        }
        let fresh = Arc::new(self.read(target)?);
        opened.insert(key.to_owned(), fresh.clone());
        Ok(fresh)
    }

    /// Reads the workspace for a target, whatever is known already.
    fn read(&self, target: Option<&str>) -> Result<Opened, Problem> {
        let mut bench = self.bench(target)?;
        let servers = ToolsetServers::new(&Cancel::default());
        let registry = bench.registry(Some(servers.as_ref()))?;
        if bench.has_errors() {
            let errors = bench.problems.iter().filter(|problem| problem.severity == Severity::Error);
            let errors: Vec<String> = errors.map(ToString::to_string).collect();
            let message = format!("the workspace has errors\n{}", errors.join("\n"));
            return Err(Problem::new(Exit::BadDocument, message).hint("'reload' reads it again"));
        }
        Ok(Opened { bench, registry, servers })
    }

    fn bench(&self, target: Option<&str>) -> Result<Bench, Problem> {
        let folder = self.options.workspace.clone();
        let target = target.or(self.options.target.as_deref());
        let shown = folder.clone();
        let bench = Bench::open(folder, target, Some(self.options.driver), AgentMode::Host)?;
        match shown {
            Some(folder) if bench.workspace.root.is_none() => {
                let message = format!("{} is no workspace", folder.display());
                Err(Problem::new(Exit::BadDocument, message).hint("'trailblaze init' makes one"))
            }
            _ => Ok(bench),
        }
    }

    /// The workspace, read once.
    fn base(&self) -> Result<Arc<Bench>, Problem> {
        let mut base = locked(&self.base);
        if let Some(known) = &*base {
            return Ok(known.clone());
        }
        let fresh = Arc::new(self.bench(None)?);
        *base = Some(fresh.clone());
        Ok(fresh)
    }

    /// The targets that a sim can play.
    fn playable(&self) -> Result<Vec<Arc<TargetFile>>, Problem> {
        let bench = self.base()?;
        Ok(bench.workspace.targets.iter().filter(|target| target.sim_app.is_some()).cloned().collect())
    }

    /// A path that a model wrote: of the workspace where there is such a file, else as it stands.
    fn path(&self, bench: &Bench, path: &str) -> PathBuf {
        let own = bench.workspace.root.as_ref().map(|root| root.join(path));
        own.filter(|own| own.exists() || path.contains('*')).unwrap_or_else(|| Path::new(path).to_owned())
    }
}

fn text<'a>(args: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    args.get(key).and_then(Value::as_str)
}

fn flag(args: &Map<String, Value>, key: &str) -> bool {
    args.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// `1 trail`, `2 trails`
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
