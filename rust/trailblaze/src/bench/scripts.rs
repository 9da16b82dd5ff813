//! What tools in JavaScript cost: calls, starts and memory, with our own SDK and with the official ones.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use trailblaze_bundle::With;
use trailblaze_engine::script::{Module, ScriptEngine};
use trailblaze_engine::server::{Provider, Scripted, Server};
use trailblaze_script::QuickJs;

use super::rss_kib;
use super::stage::{Folder, Stage, bug, by_turns, failed, median, micros, rounded};
use crate::bundles::{self, make};
use crate::exit_code::Problem;

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
            let stage = stage(&toolset)?;
            let [ping, call] = by_turns([&mut ping_pong(), &mut || stage.call("bench_nothing")])?;
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

    let stage = stage(&toolset)?;
    let [ping, call] = by_turns([&mut ping_pong(), &mut || stage.call("bench_nothing")])?;
    let [ten] = by_turns([&mut || stage.call("bench_tenCommands")])?;
    drop(stage);

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

fn stage(toolset: &Scripted) -> Result<Stage, Problem> {
    Stage::new(Arc::new(toolset.clone()), &toolset.listed().map_err(failed)?)
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
