//! What benches of tools have in common.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use trailblaze_devices::sim::{SimDevice, SimOptions};
use trailblaze_engine::builtin;
use trailblaze_engine::clock::VirtualClock;
use trailblaze_engine::dispatch::{self, Frame};
use trailblaze_engine::host::{Cancel, NoHost};
use trailblaze_engine::memory::Memory;
use trailblaze_engine::observer::Observers;
use trailblaze_engine::registry::{Registry, Scope};
use trailblaze_engine::script::Module;
use trailblaze_engine::server::{self, Listed, Provider};
use trailblaze_engine::session::{Options, Parts, Session};
use trailblaze_model::call::ToolCall;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::Failure;
use trailblaze_script::QuickJs;

use super::APP;
use crate::exit_code::{Exit, Problem};

pub(super) const DRIVER: Driver = Driver::AndroidOndeviceAccessibility;

const TURNS: usize = 50;
const A_TURN: usize = 100;

pub(super) fn rounded(value: f64) -> Value {
    json!((value * 100.0).round() / 100.0)
}

pub(super) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The medians of works that take turns, so that a busy moment of the machine falls on all of them. A turn is long
/// enough for the threads of the others to fall asleep.
pub(super) fn by_turns<const N: usize>(
    mut works: [&mut dyn FnMut() -> Result<(), Problem>; N],
) -> Result<[f64; N], Problem> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..TURNS {
        for (work, times) in works.iter_mut().zip(&mut times) {
            for _ in 0..A_TURN {
                let started = Instant::now();
                work()?;
                times.push(micros(started.elapsed()));
            }
        }
    }
    Ok(times.map(median))
}

pub(super) fn bug(what: impl std::fmt::Display) -> Problem {
    Problem::new(Exit::Bug, format!("the bench failed: {what}"))
}

pub(super) fn failed(failure: Failure) -> Problem {
    bug(failure.message)
}

/// A folder that is removed at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn below(parent: &Path) -> Result<Self, Problem> {
        let path = parent.join(format!("trailblaze-bench-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(bug)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The built-in tools and those of one toolset.
pub(super) fn registry(provider: Arc<dyn Provider>, listed: &Listed) -> Registry {
    let mut problems = Vec::new();
    let own = server::tools(&provider, listed, None, &mut problems);
    let scope = Scope { driver: DRIVER, agent: AgentMode::Host, target: None, has_servers: true };
    let tools = builtin::tools().into_iter().chain(own);
    Registry::build(&scope, tools, builtin::later(), &builtin::toolsets(), &mut problems)
}

/// Calls a tool as a trail does. The arguments are an object.
pub(super) fn dispatch(session: &Session, tool: &str, args: Value) -> Result<(), Problem> {
    let args = args.as_object().cloned().unwrap_or_default();
    let call = ToolCall::new(tool, args);
    dispatch::dispatch(session, &call, &Frame::top(session)).map(drop).map_err(failed)
}

/// A session on the sim with the tools of one toolset, whose screen does not change.
pub(super) struct Stage(Session);

impl Stage {
    pub(super) fn new(provider: Arc<dyn Provider>, listed: &Listed) -> Result<Self, Problem> {
        let clock = Arc::new(VirtualClock::default());
        let app = Module::new("app.js", APP);
        let device =
            SimDevice::new(SimOptions::new(app, clock.clone(), Arc::new(QuickJs))).map_err(failed)?;
        let stage = Self(Session::new(Parts {
            registry: Arc::new(registry(provider, listed)),
            device: Arc::new(device),
            clock,
            observer: Arc::new(Observers(Vec::new())),
            host: Arc::new(NoHost),
            cancel: Cancel::default(),
            memory: Memory::default(),
            waypoints: Arc::default(),
            args: Map::new(),
            trail: Some("bench".into()),
            options: Options { deadline_ms: Some(u64::MAX), ..Options::default() },
        }));
        stage.dispatch("launchApp", [("appId".to_owned(), "bench".into())].into_iter().collect())?;
        Ok(stage)
    }

    pub(super) fn call(&self, tool: &str) -> Result<(), Problem> {
        self.dispatch(tool, Map::new())
    }

    pub(super) fn dispatch(&self, tool: &str, args: Map<String, Value>) -> Result<(), Problem> {
        dispatch(&self.0, tool, Value::Object(args))
    }
}
