//! What tools in JavaScript cost: calls, starts and memory, with our own SDK and with the official ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use trailblaze_bundle::With;
use trailblaze_devices::sim::{SimDevice, SimOptions};
use trailblaze_engine::builtin;
use trailblaze_engine::clock::VirtualClock;
use trailblaze_engine::dispatch::{Frame, dispatch};
use trailblaze_engine::host::{Cancel, NoHost};
use trailblaze_engine::memory::Memory;
use trailblaze_engine::observer::Observers;
use trailblaze_engine::registry::{Registry, Scope};
use trailblaze_engine::script::{Module, ScriptEngine};
use trailblaze_engine::server::{self, Provider, Scripted, Server};
use trailblaze_engine::session::{Options, Parts, Session};
use trailblaze_model::call::ToolCall;
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::Failure;
use trailblaze_script::QuickJs;

use super::{APP, rss_kib};
use crate::bundles::{self, make};
use crate::exit_code::{Exit, Problem};

const CALLS: usize = 5_000;
const A_TURN: usize = 100;
const STARTS: usize = 51;
const RUNTIMES: usize = 100;

const LIGHT: &str = include_str!("scripts/light.ts");
const OFFICIAL: [(&str, &str); 2] =
    [("v1", include_str!("scripts/official_v1.ts")), ("v2", include_str!("scripts/official_v2.ts"))];

/// The figures of scripts. `packages` is a folder with the official SDKs and esbuild in its `node_modules`.
pub fn scripts(packages: Option<&Path>) -> Result<Value, Problem> {
    let temp = Folder::below(&std::env::temp_dir())?;
    let mut figures = light(&temp.0)?;
    if let Some(packages) = packages {
        // Packages are looked for in the folders above a script, up to the workspace.
        let temp = Folder::below(packages)?;
        for (generation, source) in OFFICIAL {
            let toolset = toolset(packages, &temp.0, generation, source, With::Esbuild)?;
            let bench = Bench::new(&toolset)?;
            let [ping, call] = by_turns([&mut ping_pong(), &mut || bench.call("bench_nothing")])?;
            figures.insert(format!("{generation}CallMicros"), rounded(call - ping));
            figures.insert(format!("{generation}StartMillis"), rounded(start(&toolset)? / 1e3));
        }
    }
    Ok(Value::Object(figures))
}

fn light(folder: &Path) -> Result<Map<String, Value>, Problem> {
    let toolset = toolset(folder, folder, "light", LIGHT, With::Own)?;
    let started = Instant::now();
    listed(&toolset)?;
    let first = micros(started.elapsed());
    let start = start(&toolset)?;

    let bench = Bench::new(&toolset)?;
    let [ping, call] = by_turns([&mut ping_pong(), &mut || bench.call("bench_nothing")])?;
    let [ten] = by_turns([&mut || bench.call("bench_tenCommands")])?;
    drop(bench);

    let before = rss_kib();
    let running: Result<Vec<_>, Problem> = (0..RUNTIMES).map(|_| listed(&toolset)).collect();
    let running = running?;
    let each = rss_kib().saturating_sub(before) as f64 / running.len() as f64;
    let figures = [
        ("pingPongMicros", ping),
        ("callMicros", call),
        ("callBeyondPingPongMicros", call - ping),
        ("tenCommandsMicros", ten),
        ("firstStartMillis", first / 1e3),
        ("startMillis", start / 1e3),
        ("runtimeKib", each),
    ];
    Ok(figures.into_iter().map(|(key, value)| (key.to_owned(), rounded(value))).collect())
}

fn rounded(value: f64) -> Value {
    json!((value * 100.0).round() / 100.0)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn bug(what: impl std::fmt::Display) -> Problem {
    Problem::new(Exit::Bug, format!("the bench of scripts failed: {what}"))
}

fn failed(failure: Failure) -> Problem {
    bug(failure.message)
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn below(parent: &Path) -> Result<Self, Problem> {
        let path = parent.join(format!("trailblaze-bench-scripts-{}", std::process::id()));
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

/// Writes a script into a folder below `root`, where packages are looked for, bundles and compiles it.
fn toolset(root: &Path, folder: &Path, name: &str, source: &str, with: With) -> Result<Scripted, Problem> {
    let path = folder.join(format!("{name}.ts"));
    fs::write(&path, source).map_err(bug)?;
    let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
    let bundle = make::make(root, &file, with).map_err(|problems| {
        let said: Vec<String> = problems.iter().map(|problem| problem.message.clone()).collect();
        bug(said.join(", "))
    })?;
    let mut module = Module::new(bundles::module_name(&file), bundle.code);
    // As they are kept after their first run.
    module.compiled = Some(QuickJs.compile(&module).map_err(|error| bug(format!("{error:?}")))?);
    Ok(Scripted::new(&file, Arc::new(QuickJs), vec![module]))
}

/// A running server that has said which tools it has.
fn listed(toolset: &Scripted) -> Result<Arc<dyn Server>, Problem> {
    let server = toolset.start().map_err(failed)?;
    match server.list().map_err(failed)?.len() {
        0 => Err(bug("no tools are listed")),
        _ => Ok(server),
    }
}

/// From nothing to the list of tools, in microseconds.
fn start(toolset: &Scripted) -> Result<f64, Problem> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let started = Instant::now();
        let server = listed(toolset)?;
        times.push(micros(started.elapsed()));
        drop(server);
    }
    Ok(median(times))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The medians of works that take turns, so that a busy moment of the machine falls on all of them. A turn is long
/// enough for the threads of the others to fall asleep.
fn by_turns<const N: usize>(
    mut works: [&mut dyn FnMut() -> Result<(), Problem>; N],
) -> Result<[f64; N], Problem> {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..CALLS / A_TURN {
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

/// A word to another thread and back, waited for as scripts and their callers wait for each other: awake at first.
fn ping_pong() -> impl FnMut() -> Result<(), Problem> {
    fn hear(inbox: &Receiver<()>) -> Result<(), TryRecvError> {
        let until = Instant::now() + Duration::from_micros(100);
        loop {
            match inbox.try_recv() {
                Err(TryRecvError::Empty) if Instant::now() < until => std::thread::yield_now(),
                Err(TryRecvError::Empty) => return inbox.recv().map_err(|_| TryRecvError::Disconnected),
                other => return other,
            }
        }
    }
    let (ping, pinged) = channel();
    let (pong, ponged) = channel();
    std::thread::spawn(move || while hear(&pinged).is_ok() && pong.send(()).is_ok() {});
    move || {
        ping.send(()).map_err(bug)?;
        hear(&ponged).map_err(bug)
    }
}

/// A session on the sim, whose screen does not change.
struct Bench(Session);

impl Bench {
    fn new(toolset: &Scripted) -> Result<Self, Problem> {
        let provider: Arc<dyn Provider> = Arc::new(toolset.clone());
        let mut problems = Vec::new();
        let own = server::tools(&provider, &toolset.listed().map_err(failed)?, None, &mut problems);
        let driver = Driver::AndroidOndeviceAccessibility;
        let scope = Scope { driver, agent: AgentMode::Host, target: None, has_servers: true };
        let tools = builtin::tools().into_iter().chain(own);
        let registry = Registry::build(&scope, tools, builtin::later(), &builtin::toolsets(), &mut problems);
        let clock = Arc::new(VirtualClock::default());
        let app = Module::new("app.js", APP);
        let device =
            SimDevice::new(SimOptions::new(app, clock.clone(), Arc::new(QuickJs))).map_err(failed)?;
        let bench = Self(Session::new(Parts {
            registry: Arc::new(registry),
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
        bench.dispatch("launchApp", [("appId".to_owned(), "bench".into())].into_iter().collect())?;
        Ok(bench)
    }

    fn call(&self, tool: &str) -> Result<(), Problem> {
        self.dispatch(tool, Map::new())
    }

    fn dispatch(&self, tool: &str, args: Map<String, Value>) -> Result<(), Problem> {
        let call = ToolCall::new(tool, args);
        dispatch(&self.0, &call, &Frame::top(&self.0)).map(drop).map_err(failed)
    }
}
