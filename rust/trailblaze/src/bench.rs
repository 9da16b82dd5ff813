//! What the engine itself costs: a long trail of taps on an app that does next to nothing.

mod apk;
mod devices;
mod held;
mod rpc;
mod screens;
mod scripts;
mod servers;
mod stage;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::observer::Observer;
use trailblaze_engine::script::{Module, ScriptEngine, ScriptLimits};
use trailblaze_model::event::{Event, EventKind};
use trailblaze_script::QuickJs;

use crate::exit_code::{Exit, Problem};
use crate::run::{self, Listeners, RunOptions};

pub use apk::apk;
pub use devices::devices;
pub use rpc::rpc;
pub use screens::screens;
pub use scripts::scripts;
pub use servers::servers;

const STEPS: usize = 10_000;
const WARM: usize = 1_000;
const APP: &str = include_str!("bench/app.js");

/// Runs the trail as `run` would, all reports included, and takes off what the app's own code needs.
pub fn engine() -> Result<Value, Problem> {
    let folder = std::env::temp_dir().join(format!("trailblaze-bench-{}", std::process::id()));
    let measured = measure(&folder);
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn measure(folder: &Path) -> Result<Value, Problem> {
    let failed =
        |error: std::io::Error| Problem::new(Exit::Bug, format!("the bench could not write: {error}"));
    fs::create_dir_all(folder).map_err(failed)?;
    let app = folder.join("app.js");
    let trail = folder.join("taps.trail.yaml");
    fs::write(&app, APP).map_err(failed)?;
    fs::write(&trail, taps()).map_err(failed)?;
    let options = RunOptions {
        paths: vec![trail],
        app: Some(app),
        out: Some(folder.join("out")),
        jobs: 1,
        ..RunOptions::default()
    };
    let prepared = run::prepare(&options)?;
    let probe = Arc::new(Probe::default());
    let listeners: Listeners = vec![probe.clone()];
    let started = Instant::now();
    let plan = run::plan(&options, &prepared)?;
    let folder = run::folder(&options, &prepared)?;
    let outcome = run::run(&options, &prepared, &plan, &folder, &listeners, &Cancel::default())?;
    let micros = started.elapsed().as_secs_f64() * 1e6;
    if outcome.exit() != Exit::Passed {
        return Err(Problem::new(Exit::Bug, "the trail of the bench failed"));
    }
    let step = micros / STEPS as f64;
    let app = app_micros()?;
    let round = |value: f64| (value * 10.0).round() / 10.0;
    Ok(json!({
        "stepMicros": round(step),
        "appMicros": round(app),
        "overheadMicros": round(step - app),
        "rssAfter1000Kib": probe.warm_kib.load(Ordering::Relaxed),
        "rssEndKib": rss_kib(),
        "steps": STEPS,
    }))
}

fn taps() -> String {
    let head =
        "trailhead:\n  step: Open\n  recording:\n    android: { launchApp: { appId: bench } }\ntrail:\n";
    let step = "  - step: Count\n    recording:\n      android:\n        - tap: { id: plus }\n";
    format!("{head}{}", step.repeat(STEPS))
}

/// What the app's handler and its rendering need for one tap, without anything around them.
fn app_micros() -> Result<f64, Problem> {
    let bug = |what: &str| Problem::new(Exit::Bug, format!("the bench could not measure the app: {what}"));
    let main = "import { app } from 'app.js'
export function work(rounds) {
  let state = app.initialState
  for (let i = 0; i < rounds; i++) {
    state = app.on.tap(state, { id: 'plus' }) ?? state
    app.render(state)
  }
  return state.count
}";
    let module = |name: &str, source: &str| Module::new(name, source);
    let modules = vec![module("app.js", APP), module("main.js", main)];
    let runtime =
        QuickJs.start(modules, ScriptLimits::default()).map_err(|error| bug(&format!("{error:?}")))?;
    let started = Instant::now();
    runtime.call("work", vec![json!(STEPS)]).map_err(|error| bug(&format!("{error:?}")))?;
    Ok(started.elapsed().as_secs_f64() * 1e6 / STEPS as f64)
}

/// Notes the memory once the first steps are done.
#[derive(Debug, Default)]
struct Probe {
    steps: AtomicUsize,
    warm_kib: AtomicU64,
}

impl Observer for Probe {
    fn event(&self, event: &Event) {
        if matches!(event.kind, EventKind::StepFinished { .. })
            && self.steps.fetch_add(1, Ordering::Relaxed) + 1 == WARM
        {
            self.warm_kib.store(rss_kib(), Ordering::Relaxed);
        }
    }
}

/// The memory of this process, where the system tells.
fn rss_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
