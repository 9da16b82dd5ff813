//! What several devices in one run gain: the same trail on eight sims at once, and on one after the other.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use trailblaze_engine::host::Cancel;

use super::stage::{Folder, bug, median, rounded};
use crate::exit_code::{Exit, Problem};
use crate::run::{self, Plan, Prepared, RunOptions};

const DEVICES: usize = 8;
const TURNS: usize = 7;
const STEPS: usize = 40;
/// Its screens are large, and nothing in it waits.
const APP: &str = include_str!("devices/app.js");

/// The figures of several devices in one run.
pub fn devices() -> Result<Value, Problem> {
    let folder = Folder::below(&std::env::temp_dir())?;
    let names: Vec<Arc<str>> = (1..=DEVICES).map(|number| format!("sim-{number}").into()).collect();
    let all = Trails::prepare(&folder.0, &names)?;
    let each: Vec<Trails> =
        names.chunks(1).map(|name| Trails::prepare(&folder.0, name)).collect::<Result<_, _>>()?;
    // The first of a process finds nothing warm.
    all.run()?;
    let (mut one_by_one, mut side_by_side) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        one_by_one.push(Cost::of(|| each.iter().try_for_each(Trails::run))?);
        side_by_side.push(Cost::of(|| all.run())?);
    }
    let by_others = one_by_one.iter().chain(&side_by_side).map(Cost::percent_of_others).collect();
    let (one_by_one, side_by_side) = (Cost::least(&one_by_one)?, Cost::least(&side_by_side)?);
    // More cores than devices help nobody.
    let cores = std::thread::available_parallelism().map_err(bug)?.get().min(DEVICES);
    Ok(json!({
        "cores": cores,
        "timesFaster": rounded(one_by_one.seconds / side_by_side.seconds),
        "timesTheWork": rounded(side_by_side.ticks.own / one_by_one.ticks.own),
        "atOnceMillis": rounded(side_by_side.seconds * 1e3),
        "percentOfOthers": rounded(median(by_others)),
    }))
}

/// What some work took.
struct Cost {
    seconds: f64,
    ticks: Ticks,
}

impl Cost {
    fn of(work: impl FnOnce() -> Result<(), Problem>) -> Result<Self, Problem> {
        let (started, before) = (Instant::now(), Ticks::now()?);
        work()?;
        let (seconds, after) = (started.elapsed().as_secs_f64(), Ticks::now()?);
        let ticks = Ticks {
            own: after.own - before.own,
            busy: after.busy - before.busy,
            all: after.all - before.all,
        };
        Ok(Self { seconds, ticks })
    }

    /// The quickest: whatever else runs on the machine only adds to it.
    fn least(costs: &[Self]) -> Result<&Self, Problem> {
        let least = costs.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        least.ok_or_else(|| bug("nothing was measured"))
    }

    /// How much of the cores other processes had meanwhile.
    fn percent_of_others(&self) -> f64 {
        (self.ticks.busy - self.ticks.own).max(0.0) / self.ticks.all.max(1.0) * 100.0
    }
}

/// The time of all cores until now, in the system's own unit.
struct Ticks {
    /// Of this process.
    own: f64,
    /// Of all processes, and of other machines on the same cores.
    busy: f64,
    all: f64,
}

impl Ticks {
    fn now() -> Result<Self, Problem> {
        // After the name, which may have spaces; the state is no number.
        let own = fs::read_to_string("/proc/self/stat").map_err(bug)?;
        let own = own.rsplit_once(')').map(|(_, after)| numbers(after)).unwrap_or_default();
        // User, nice, system, idle, waiting, two kinds of interrupts, stolen.
        let machine = fs::read_to_string("/proc/stat").map_err(bug)?;
        let machine = machine.lines().next().map(numbers).unwrap_or_default();
        let sum = |numbers: &[f64]| numbers.iter().sum::<f64>();
        // What it took in its own code and in the system's.
        let (own, machine) = (own.get(10..12), machine.get(..8));
        let (Some(own), Some(machine)) = (own, machine) else {
            return Err(bug("the system does not tell what the cores did"));
        };
        Ok(Self { own: sum(own), busy: sum(machine) - sum(&machine[3..5]), all: sum(machine) })
    }
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().filter_map(|field| field.parse().ok()).collect()
}

/// A run that is ready to start.
struct Trails {
    options: RunOptions,
    prepared: Prepared,
    plan: Plan,
}

impl Trails {
    fn prepare(folder: &Path, devices: &[Arc<str>]) -> Result<Self, Problem> {
        let (app, trail) = (folder.join("app.js"), folder.join("count.trail.yaml"));
        fs::write(&app, APP).map_err(bug)?;
        fs::write(&trail, counting()).map_err(bug)?;
        let options = RunOptions {
            paths: vec![trail],
            app: Some(app),
            out: Some(folder.join("out")),
            jobs: 1,
            devices: devices.to_vec(),
            ..RunOptions::default()
        };
        let prepared = run::prepare(&options)?;
        let plan = run::plan(&options, &prepared)?;
        Ok(Self { options, prepared, plan })
    }

    /// All reports included.
    fn run(&self) -> Result<(), Problem> {
        let folder = run::folder(&self.options, &self.prepared)?;
        let outcome = run::run(&self.options, &self.prepared, &self.plan, &folder, &[], &Cancel::default())?;
        let ran = outcome.result.trails.len();
        match outcome.exit() {
            Exit::Passed if ran == self.options.devices.len() => Ok(()),
            Exit::Passed => Err(bug(format!("the trail ran {ran} times"))),
            _ => Err(bug("the trail failed")),
        }
    }
}

fn counting() -> String {
    let head =
        "trailhead:\n  step: Open\n  recording:\n    android: { launchApp: { appId: bench } }\ntrail:\n";
    let step = |count: usize| {
        format!(
            "  - step: Count to {count}\n    recording:\n      android:\n        - tap: {{ id: plus }}\n        \
             - assertVisibleWithText: {{ text: 'Row 39[0-9] of {count}', index: 2 }}\n        \
             - assertVisibleWithText: {{ text: 'Count {count}' }}\n"
        )
    };
    (1..=STEPS).map(step).fold(head.to_owned(), |trail, step| trail + &step)
}
