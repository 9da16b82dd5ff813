//! Trailblaze for models that other programs run: a small list of tools that never changes, and resources.
//!
//! Tools that look at the device or act on it run in a session that stays open, on its own thread; trails run on
//! devices of their own, as `trailblaze run` runs them. Of a phone there is one, so they take turns.

mod desk;
mod device;
mod notes;
mod offer;
mod open;
mod phone;
mod pictures;
mod resources;
mod trails;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use serde_json::{Map, Value};
use trailblaze_engine::schema::{self, Tokens};
use trailblaze_mcp::server::{About, Caller, Service, answer};
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::VERSION;
use crate::authoring::Bench;
use crate::endpoint::Endpoint;
use crate::exit_code::{Exit, Problem};
use crate::load::DEFAULT_DRIVER;
use desk::Desk;
use open::Slot;
pub use phone::McpPhone;
use phone::OnCable;

/// What the server is about.
#[derive(Clone, Debug)]
pub struct McpOptions {
    /// The workspace; the current folder's unless given.
    pub workspace: Option<PathBuf>,
    /// The target that is meant when none is named.
    pub target: Option<String>,
    /// The driver that sims stand in for; none = the pins of trails, else the default.
    pub driver: Option<Driver>,
    /// The phone that is driven; none = sims.
    pub phone: Option<McpPhone>,
}

/// What is served, until it is closed.
pub struct McpServer {
    shared: Shared,
    /// Held by every call that is under way.
    is_open: RwLock<bool>,
}

/// What was read of the workspace, and the devices that are open.
struct Shared {
    options: McpOptions,
    /// Where the tools of all toolset servers call back.
    endpoint: Arc<Endpoint>,
    /// The workspace as its own target sees it, for questions that need no tools.
    base: Mutex<Option<Arc<Bench>>>,
    /// By the id of the target; empty for a workspace without one.
    opened: Mutex<BTreeMap<String, Slot>>,
    /// By the id of the device.
    desks: Mutex<BTreeMap<String, Desk>>,
    /// What there is instead of sims.
    phone: Option<Arc<OnCable>>,
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

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Problem(problem) => write!(f, "{problem}"),
            Self::Failure(failure) => write!(f, "{}: {failure}", failure.kind),
        }
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "McpServer({:?})", self.shared.options)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl McpServer {
    /// Nothing is read before the first call.
    pub fn new(options: McpOptions, endpoint: Arc<Endpoint>) -> Self {
        let (base, opened, desks) = (Mutex::default(), Mutex::default(), Mutex::default());
        let phone = options.phone.clone().map(|phone| Arc::new(OnCable::new(phone)));
        let shared = Shared { options, endpoint, base, opened, desks, phone };
        Self { shared, is_open: RwLock::new(true) }
    }

    /// Waits for the calls that are under way, which should have been called off, and ends the devices and all toolset
    /// servers. From now on every call fails. What could not be put back on a phone, for people.
    pub fn close(&self) -> Vec<String> {
        // What a phone does just now is not waited for.
        self.shared.options.phone.iter().for_each(|phone| phone.cancel.cancel());
        *self.is_open.write().unwrap_or_else(PoisonError::into_inner) = false;
        let desks = std::mem::take(&mut *locked(&self.shared.desks));
        let opened = std::mem::take(&mut *locked(&self.shared.opened));
        // One whose server does not want to end takes its time, and the others with it.
        std::thread::scope(|scope| {
            for slot in opened.into_values() {
                scope.spawn(move || drop(slot));
            }
            for desk in desks.into_values() {
                scope.spawn(move || desk.close());
            }
        });
        self.shared.phone.iter().flat_map(|phone| phone.let_go()).collect()
    }

    /// Does something unless the server was closed, which waits for it.
    fn while_open<T>(&self, work: impl FnOnce(&Shared) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let is_open = self.is_open.read().unwrap_or_else(PoisonError::into_inner);
        if !*is_open {
            return Err(Problem::new(Exit::Interrupted, "the server is about to end").into());
        }
        work(&self.shared)
    }
}

impl Service for McpServer {
    fn about(&self) -> About {
        About {
            name: "trailblaze".to_owned(),
            title: "Trailblaze".to_owned(),
            version: VERSION.to_owned(),
            instructions: offer::instructions(self.shared.phone.is_some()),
        }
    }

    fn tools(&self) -> Vec<Value> {
        offer::tools()
    }

    fn call(&self, name: &str, args: Map<String, Value>, caller: &Caller) -> Option<Value> {
        let offered = offer::tools().into_iter().find(|tool| tool["name"] == name)?;
        let said = self.while_open(|shared| {
            let args = checked(name, &offered["inputSchema"], args)?;
            match name {
                "devices" => device::devices(shared),
                "screen" => device::screen(shared, &args, caller),
                "tools" => device::tools(shared, &args, caller),
                "tool" => device::tool(shared, args, caller),
                "step" => device::step(shared, &args, caller),
                "trail_run" => trails::run(shared, &args, caller),
                "trail_check" => trails::check(shared, &args),
                "trail_record" => trails::record(shared, &args, caller),
                "reload" => device::reload(shared, &args, caller),
                _ => Err(Failure::new(FailureKind::UnknownTool, format!("unknown tool '{name}'")).into()),
            }
        });
        Some(said.unwrap_or_else(|trouble| trouble.answer()))
    }

    fn resources(&self) -> Vec<Value> {
        resources::list(&self.shared)
    }

    fn templates(&self) -> Vec<Value> {
        resources::templates()
    }

    fn read(&self, uri: &str, caller: &Caller) -> Result<Option<Value>, String> {
        let read = self.while_open(|shared| resources::read(shared, uri, caller));
        read.map_err(|trouble| trouble.to_string())
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
    /// The driver of the devices, or the one that they stand in for.
    fn driver(&self) -> Driver {
        self.named_driver().unwrap_or(DEFAULT_DRIVER)
    }

    /// The same where it beats what trails are pinned to.
    fn named_driver(&self) -> Option<Driver> {
        self.options.phone.as_ref().map(|phone| phone.driver).or(self.options.driver)
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
