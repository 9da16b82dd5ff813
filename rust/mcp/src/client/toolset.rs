//! A program or a URL as a provider of tools, and the server that it becomes.

use std::io;
use std::sync::Arc;

use serde_json::{Value, json};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::World;
use trailblaze_engine::server::{Call, Provider, Server};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::{Failure, FailureKind};

use super::calls::Calls;
use super::http::{Address, Http, Mirrors};
use super::invocation;
use super::limits::Limits;
use super::listing;
use super::logs::Logs;
use super::message::{METHOD_NOT_FOUND, Params};
use super::noise::Noises;
use super::output::Schemas;
use super::peer::{Caller, Patience, Peer};
use super::process::Program;
use super::protocol::{Agreed, Opener, Unopened};
use super::question::Reply;
use super::stdio::Stdio;
use super::transport::Transport;
use super::trouble::{self, Trouble};

const REGISTRY: &str = "trailblaze://registry";

/// What all servers of a program share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Where the calls are known that tools may call back for.
    pub calls: Arc<Calls>,
    /// Where they do that; without one they are not told that they could.
    pub base_url: Option<String>,
    pub limits: Limits,
    /// Ends the wait for a server that starts.
    pub cancel: Cancel,
    /// What was heard of servers that is no message.
    pub noises: Arc<Noises>,
}

/// A toolset that is a program, or a server that is there already. Every start of a program is a process of its own, and
/// every start with a server a session of its own.
#[derive(Debug)]
pub struct Toolset {
    name: String,
    place: Place,
    shared: Shared,
    /// Of all its starts: one may list, and another be called.
    schemas: Arc<Schemas>,
    mirrors: Arc<Mirrors>,
}

#[derive(Debug)]
enum Place {
    Program(Program),
    Address(Address),
}

impl Toolset {
    /// The name stands in messages.
    pub fn new(name: impl Into<String>, program: Program, shared: Shared) -> Self {
        Self::at(name.into(), Place::Program(program), shared)
    }

    /// A server that somebody else started, by its URL.
    pub fn http(name: impl Into<String>, address: Address, shared: Shared) -> Self {
        Self::at(name.into(), Place::Address(address), shared)
    }

    fn at(name: String, place: Place, shared: Shared) -> Self {
        Self { name, place, shared, schemas: Arc::default(), mirrors: Arc::default() }
    }

    pub fn open(&self) -> Result<Connection, Failure> {
        self.try_open().map_err(|unopened| unopened.failure(&self.name))
    }

    pub(super) fn try_open(&self) -> Result<Connection, Unopened> {
        let Self { name, place, shared, schemas, mirrors } = self;
        // One for all starts: what a process said that was started in vain is of interest, too.
        let logs = Arc::new(Logs::default());
        let start = || -> Result<Peer, Failure> {
            let transport: Box<dyn Transport> = match place {
                Place::Program(program) => Box::new(
                    Stdio::start(program, shared.limits, logs.clone())
                        .map_err(|error| not_started(name, program, &error))?,
                ),
                Place::Address(address) => {
                    Box::new(Http::new(address.clone(), mirrors.clone(), logs.clone()))
                }
            };
            Ok(Peer::new(name, transport, logs.clone(), shared.noises.of(name)))
        };
        // Another server may be at the same URL tomorrow, and asking it costs one answer.
        let key = match place {
            Place::Program(Program { command, args, dir, .. }) => {
                Some(format!("{command:?} {args:?} {dir:?}"))
            }
            Place::Address(_) => None,
        };
        Connection::open(name, key, shared, schemas, &start)
    }
}

impl Provider for Toolset {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        Ok(Arc::new(self.open()?))
    }
}

pub(super) fn not_started(name: &str, program: &Program, error: &io::Error) -> Failure {
    let command = program.command.to_string_lossy();
    if let Some(dir) = program.dir.as_ref().filter(|dir| !dir.is_dir()) {
        let message = format!("server '{name}' cannot be started: '{}' is not a folder", dir.display());
        return trouble::not_started(message).hint("it is the working directory of the server");
    }
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such program".to_owned(),
        io::ErrorKind::PermissionDenied => "it must not be executed".to_owned(),
        _ => error.to_string(),
    };
    let failure = trouble::not_started(format!("server '{name}' cannot be started with '{command}': {why}"));
    match error.kind() {
        io::ErrorKind::NotFound if command.contains('/') => failure.hint("correct the path of the command"),
        io::ErrorKind::NotFound => {
            failure.hint(format!("install '{command}', or put the folder that it is in on PATH"))
        }
        io::ErrorKind::PermissionDenied => {
            failure.hint("make it executable, or name the program that runs it, with the file in 'args'")
        }
        _ => failure,
    }
}

/// One `tools/call`.
pub struct Sending<'a> {
    pub tool: &'a str,
    pub session: &'a str,
    pub invocation: &'a str,
    /// Makes the parameters from more entries of `_meta`, each with a comma behind it.
    pub params: &'a dyn Fn(&str) -> String,
}

impl std::fmt::Debug for Sending<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "call of '{}'", self.tool)
    }
}

/// A server that was started, and with which a version was agreed.
pub struct Connection {
    name: String,
    peer: Peer,
    agreed: Agreed,
    shared: Shared,
    schemas: Arc<Schemas>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Connection to '{}'", self.name)
    }
}

impl Connection {
    /// Speaks with a server over any way for messages. `start` may be called twice: a server that is confused by
    /// the question which generation it is gets a new beginning. `key` is what its generation is remembered by.
    fn open(
        name: &str,
        key: Option<String>,
        shared: &Shared,
        schemas: &Arc<Schemas>,
        start: &dyn Fn() -> Result<Peer, Failure>,
    ) -> Result<Self, Unopened> {
        let Shared { limits, cancel, .. } = shared;
        let (peer, agreed) = Opener { key, limits: *limits, cancel, start }.open()?;
        Ok(Self { name: name.to_owned(), peer, agreed, shared: shared.clone(), schemas: schemas.clone() })
    }

    /// Ends it in peace, whoever still holds this. What it said last is among its logs then.
    pub fn close(&self) {
        self.peer.close();
    }

    /// The version of MCP that both speak.
    pub fn version(&self) -> &str {
        &self.agreed.version
    }

    fn ask(&self, method: &str, params: &Value) -> Result<Value, Trouble> {
        let patience = Patience::first(self.shared.limits.first_ms);
        let params = params.to_string();
        self.peer.request(method, Params::Object(&params), patience, Caller::Start(&self.shared.cancel))
    }
}

impl Server for Connection {
    fn list(&self) -> Result<Vec<Value>, Failure> {
        let page = |cursor: Option<&Value>| {
            let params = cursor.map_or(json!({}), |cursor| json!({ "cursor": cursor }));
            match self.ask("tools/list", &params) {
                // It offers other things than tools.
                Err(Trouble::Refused(error)) if error.code == METHOD_NOT_FOUND => Ok(json!({ "tools": [] })),
                other => other,
            }
        };
        let mut tools = listing::all(page).map_err(|trouble| trouble.of_start(&self.name, "tools/list"))?;
        self.peer.admit(&mut tools);
        self.schemas.learn(&tools);
        Ok(tools)
    }

    fn registry(&self) -> Result<Option<Value>, Failure> {
        if !self.agreed.capabilities["resources"].is_object() {
            return Ok(None);
        }
        let result = match self.ask("resources/read", &json!({ "uri": REGISTRY })) {
            Ok(result) => result,
            // It has other resources.
            Err(Trouble::Refused(_)) => return Ok(None),
            Err(trouble) => return Err(trouble.of_start(&self.name, "resources/read")),
        };
        let Some(text) = result["contents"][0]["text"].as_str() else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|error| {
            let message = format!("'{REGISTRY}' of server '{}' is not JSON: {error}", self.name);
            trouble::not_started(message)
        })
    }

    fn call(&self, mut call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        call.invocation = invocation::unguessable()
            .map_err(|error| Trouble::Here(error.to_string()).of_call(&self.name))?;
        call.base_url = self.shared.base_url.clone();
        let Call { tool, session, invocation, .. } = &call;
        let sending = Sending { tool, session, invocation, params: &|meta| call.params(meta) };
        self.send(&sending, world)
    }

    fn runtime(&self) -> AgentMode {
        AgentMode::Host
    }

    fn take_logs(&self) -> Vec<LogLine> {
        self.peer.take_logs()
    }
}

impl Connection {
    /// Sends `tools/call` and waits for the result. While it is under way, its tool may call back by its invocation.
    pub fn send(&self, sending: &Sending<'_>, world: &mut dyn World) -> Result<Value, Failure> {
        let Sending { tool, session, invocation, params } = sending;
        let Shared { calls, limits, .. } = &self.shared;
        let of_call = |trouble: Trouble| trouble.of_call(&self.name);
        let device = world.session().map(|session| session.device().info().id.clone()).unwrap_or_default();
        let live = calls
            .begin(session, &device, invocation)
            .map_err(|error| of_call(Trouble::Here(error.to_string())))?;
        let patience = Patience::call(limits);
        let mut reply = Reply::default();
        let result = loop {
            let caller = Caller::Session { world, live: &live };
            let made = |meta: &str| reply.added_to(params(meta));
            let result =
                self.peer.request("tools/call", Params::Made(&made), patience, caller).map_err(of_call)?;
            match self.complete(&result)? {
                Answer::Complete => break result,
                Answer::Question => reply = reply.next(&result).ok_or_else(|| self.asks_a_person())?,
            }
        };
        self.schemas.check(tool, &result)?;
        Ok(result)
    }

    /// A result may also be a question, since 2026-07-28.
    fn complete(&self, result: &Value) -> Result<Answer, Failure> {
        let failure = |message| Err(Failure::new(FailureKind::Exception, message));
        match result["resultType"].as_str() {
            _ if !result.is_object() => failure(format!(
                "server '{}' answered 'tools/call' with something else than a result",
                self.name
            )),
            None | Some("complete") => Ok(Answer::Complete),
            Some("input_required") => Ok(Answer::Question),
            Some(other) => {
                let other = super::logs::cut(other, 40);
                failure(format!("server '{}' answered with a '{other}', which is not known here", self.name))
            }
        }
    }

    fn asks_a_person(&self) -> Failure {
        let message = format!(
            "the tool of server '{}' asks for input of a person, which a test does not have",
            self.name
        );
        Failure::new(FailureKind::Exception, message).hint("take what it asks for as an argument of the tool")
    }
}

enum Answer {
    Complete,
    Question,
}
