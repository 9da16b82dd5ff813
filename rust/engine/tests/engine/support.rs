//! A world in memory: a phone of paper, a host that only remembers, and a listener.

mod phone;
mod screen;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use trailblaze_engine::clock::VirtualClock;
use trailblaze_engine::dispatch::{Context, Execute, Frame, Output, dispatch};
use trailblaze_engine::host::{Cancel, CommandOutput, Host, HostCommand};
use trailblaze_engine::memory::{Memory, Secret};
use trailblaze_engine::observer::Observer;
use trailblaze_engine::registry::{Registry, Scope, Source as ToolSource, Tool};
use trailblaze_engine::session::{Options, Parts, Session};
use trailblaze_engine::{builtin, yaml_tool};
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::event::{Event, EventKind};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::place::{FilePlace, Source};
use trailblaze_model::tool::{self, ToolFile};
use trailblaze_model::trail::{self, Trail};
use trailblaze_model::waypoint::{self, Waypoint};

pub(crate) use phone::{Phone, short};
pub(crate) use screen::{TURNED, screen};

/// Keeps every event.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<Event>>);

impl Observer for Log {
    fn event(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

/// Trails by their paths, programs by their first word, and what was saved.
#[derive(Default)]
pub(crate) struct PaperHost {
    pub(crate) trails: BTreeMap<String, Arc<Trail>>,
    pub(crate) programs: BTreeMap<String, CommandOutput>,
    pub(crate) started: Mutex<Vec<HostCommand>>,
    pub(crate) saved: Mutex<Vec<String>>,
}

impl Host for PaperHost {
    fn save(&self, name: &str, extension: &str, _bytes: &[u8]) -> Result<String, Failure> {
        let file = format!("{name}.{extension}");
        self.saved.lock().unwrap().push(file.clone());
        Ok(file)
    }

    fn load_trail(&self, path: &str, _named_by: Option<&FilePlace>) -> Result<Arc<Trail>, Failure> {
        let found = self.trails.get(path).cloned();
        found.ok_or_else(|| Failure::new(FailureKind::InvalidArguments, format!("no trail '{path}'")))
    }

    fn run_command(&self, command: &HostCommand) -> Result<CommandOutput, Failure> {
        self.started.lock().unwrap().push(command.clone());
        let done = self.programs.get(&command.argv[0]).cloned();
        done.ok_or_else(|| Failure::new(FailureKind::Exception, "no such program"))
    }
}

/// What a world begins with.
pub(crate) struct Setup {
    pub(crate) tools: Vec<Tool>,
    pub(crate) memory: Memory,
    pub(crate) args: Value,
    pub(crate) options: Options,
    pub(crate) host: PaperHost,
    pub(crate) phone: Phone,
    pub(crate) waypoints: Vec<Waypoint>,
}

impl Setup {
    pub(crate) fn yaml(&mut self, text: &str) {
        let file = tool_file(text);
        let at = file.at.clone();
        self.tools.push(yaml_tool::tool(file, ToolSource::File(at), yaml_tool::Bodies::default()));
    }

    #[track_caller]
    pub(crate) fn waypoint(&mut self, text: &str) {
        let mut problems = Diagnostics::new();
        let found = waypoint::read(&Source::new("waypoints/own.waypoint.yaml", text), &mut problems);
        self.waypoints.push(found.unwrap_or_else(|| panic!("{problems:?}")));
    }

    pub(crate) fn secret(&mut self, name: &str, value: &str) {
        self.memory.set_secret(name, Secret::new(value));
    }
}

/// One session on the phone of paper.
pub(crate) struct World {
    pub(crate) session: Session,
    pub(crate) phone: Arc<Phone>,
    pub(crate) host: Arc<PaperHost>,
    log: Arc<Log>,
}

impl World {
    pub(crate) fn new(shows: &str) -> Self {
        Self::with(shows, |_| {})
    }

    pub(crate) fn with(shows: &str, change: impl FnOnce(&mut Setup)) -> Self {
        let clock = Arc::new(VirtualClock::starting_at(1_000));
        let mut setup = Setup {
            tools: Vec::new(),
            memory: Memory::default(),
            args: json!({}),
            options: Options { app_id: Some("com.example.app".to_owned()), ..Options::default() },
            host: PaperHost::default(),
            phone: Phone::new(clock.clone(), shows),
            waypoints: Vec::new(),
        };
        change(&mut setup);
        let (phone, host, log) = (Arc::new(setup.phone), Arc::new(setup.host), Arc::new(Log::default()));
        let mut problems = Vec::new();
        let tools = builtin::tools().into_iter().chain(setup.tools);
        let registry =
            Registry::build(&scope(), tools, builtin::later(), &builtin::toolsets(), &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        let session = Session::new(Parts {
            waypoints: Arc::new(setup.waypoints),
            registry: Arc::new(registry),
            device: phone.clone(),
            clock,
            observer: log.clone(),
            host: host.clone(),
            cancel: Cancel::default(),
            memory: setup.memory,
            args: map(setup.args),
            trail: Some("paper".into()),
            options: setup.options,
        });
        Self { session, phone, host, log }
    }

    pub(crate) fn call(&self, tool: &str, args: Value) -> Result<Output, Failure> {
        dispatch(&self.session, &ToolCall::new(tool, map(args)), &Frame::top(&self.session))
    }

    /// The message of a call that must fail.
    #[track_caller]
    pub(crate) fn failure(&self, tool: &str, args: Value) -> Failure {
        match self.call(tool, args) {
            Err(failure) => failure,
            Ok(output) => panic!("'{tool}' did not fail: {output:?}"),
        }
    }

    /// What reached the device, in short.
    pub(crate) fn actions(&self) -> Vec<String> {
        self.pick(|kind| match kind {
            EventKind::Device(action) => Some(short(action)),
            _ => None,
        })
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.log.0.lock().unwrap().clone()
    }

    /// Every event as JSON, with its time.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |event: &Event| format!("{} {}", event.t, serde_json::to_string(&event.kind).unwrap());
        self.events().iter().map(line).collect()
    }

    pub(crate) fn pick<T>(&self, pick: impl Fn(&EventKind) -> Option<T>) -> Vec<T> {
        self.events().iter().filter_map(|event| pick(&event.kind)).collect()
    }

    /// What a recorder would write: `tool {args}`, and `!tool` for what cannot be recorded.
    pub(crate) fn recorded(&self) -> Vec<String> {
        self.pick(|kind| match kind {
            EventKind::Recorded { tool, args } => Some(format!("{tool} {}", Value::Object(args.clone()))),
            EventKind::NotRecordable { tool } => Some(format!("!{tool}")),
            _ => None,
        })
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        self.pick(|kind| match kind {
            EventKind::Warning { message, .. } => Some(message.clone()),
            _ => None,
        })
    }

    /// The hints of the warnings.
    pub(crate) fn hints(&self) -> Vec<String> {
        self.pick(|kind| match kind {
            EventKind::Warning { hint, .. } => hint.clone(),
            _ => None,
        })
    }
}

pub(crate) fn scope() -> Scope {
    Scope {
        driver: Driver::AndroidOndeviceAccessibility,
        agent: AgentMode::Host,
        target: None,
        has_servers: false,
    }
}

pub(crate) fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no mapping"),
    }
}

#[track_caller]
pub(crate) fn tool_file(text: &str) -> ToolFile {
    let mut problems = Diagnostics::new();
    let file = tool::read(&Source::new("tools/own.yaml", text), &mut problems);
    file.unwrap_or_else(|| panic!("{problems:?}"))
}

#[track_caller]
pub(crate) fn trail_file(text: &str) -> Arc<Trail> {
    let mut problems = Diagnostics::new();
    let trail = trail::read(&Source::new("trails/own.trail.yaml", text), &mut problems);
    Arc::new(trail.unwrap_or_else(|| panic!("{problems:?}")))
}

/// The body of a tool that is a function.
pub(crate) struct Body<F>(pub(crate) F);

impl<F> Execute for Body<F>
where
    F: Fn(Map<String, Value>, &Context<'_>) -> Result<Output, Failure> + Send + Sync,
{
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        (self.0)(args, context)
    }
}

/// A tool of a server, with any arguments.
pub(crate) fn function<F>(name: &str, flags: ToolFlags, body: F) -> Tool
where
    F: Fn(Map<String, Value>, &Context<'_>) -> Result<Output, Failure> + Send + Sync + 'static,
{
    Tool {
        name: name.to_owned(),
        description: "A tool of a test".to_owned(),
        schema: json!({ "type": "object" }),
        flags,
        source: ToolSource::Server { name: "test".to_owned(), at: None },
        body: Arc::new(Body(body)),
    }
}

pub(crate) fn delegating() -> ToolFlags {
    ToolFlags { is_recordable: false, is_delegating: true, ..ToolFlags::default() }
}

/// A tool that returns these calls.
pub(crate) fn delegates_to(name: &str, flags: ToolFlags, calls: &[(&str, Value)]) -> Tool {
    let delegates: Vec<ToolCall> =
        calls.iter().map(|(name, args)| ToolCall::new(*name, map(args.clone()))).collect();
    function(name, flags, move |_, _| Ok(Output { delegates: delegates.clone(), ..Output::default() }))
}
