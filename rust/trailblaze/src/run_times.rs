//! How long trails took in earlier runs: what is spread over devices is spread by it.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::files;

/// Times in milliseconds, by the ids of trails.
pub type Times = HashMap<String, u64>;

/// Older runs say little about the trails of today.
const RUNS: usize = 20;

/// The driver of a replay.
const RECORDED: &str = "recorded";

/// The times of the last run, the longest where a trail ran several times.
pub fn last(root: Option<&Path>) -> Times {
    let mut times = Times::new();
    for ran in root.map(|root| read(&runs(root).join("latest"))).unwrap_or_default() {
        longest(&mut times, ran.id, ran.ms);
    }
    times
}

/// Times of phones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub times: Times,
    /// How many trails ran, but on no phone.
    pub only_on_sim: usize,
}

/// The times of trails in the last run on a phone that had them. Those of the sim say nothing here: its clock only
/// moves when somebody waits.
pub fn known(root: Option<&Path>, ids: &HashSet<&str>) -> Known {
    let Some(root) = root else { return Known::default() };
    let mut times = Times::new();
    let mut seen: HashSet<String> = HashSet::new();
    for run in newest_first(&runs(root)).iter().take(RUNS) {
        if times.len() == ids.len() {
            break;
        }
        let mut of_run = Times::new();
        for Ran { id, ms, on_phone } in read(run).into_iter().filter(|ran| ids.contains(ran.id.as_str())) {
            match on_phone {
                false => drop(seen.insert(id)),
                // Some farms do not say how long a test took.
                true if ms > 0 => longest(&mut of_run, id, ms),
                true => {}
            }
        }
        for (id, ms) in of_run {
            times.entry(id).or_insert(ms);
        }
    }
    let only_on_sim = seen.iter().filter(|id| !times.contains_key(*id)).count();
    Known { times, only_on_sim }
}

/// Whether the name of a device is none of ours that stand in for a phone.
fn is_phone(device: &str) -> bool {
    let is_numbered = device.strip_prefix("sim-").is_some_and(|rest| rest.parse::<u32>().is_ok());
    !is_numbered && device != "sim"
}

fn runs(root: &Path) -> PathBuf {
    root.join(".trailblaze").join("runs")
}

/// Runs are called after their times; `latest` is one of them.
fn newest_first(runs: &Path) -> Vec<PathBuf> {
    let mut folders = files::list(runs).unwrap_or_default();
    folders.retain(|run| run.is_dir() && !run.ends_with("latest"));
    folders.reverse();
    folders
}

/// One trail that ran.
struct Ran {
    id: String,
    ms: u64,
    on_phone: bool,
}

fn longest(times: &mut Times, id: String, ms: u64) {
    let longest = times.entry(id).or_default();
    *longest = ms.max(*longest);
}

/// Without events nothing is known, and any order is as good as another.
fn read(run: &Path) -> Vec<Ran> {
    let mut all = Vec::new();
    let Ok(events) = File::open(run.join("events.jsonl")) else { return all };
    let told = [r#"{"event":"runStarted""#, r#"{"event":"trailFinished""#];
    let is_told = |line: &String| told.iter().any(|start| line.starts_with(start));
    let mut is_replay = false;
    for line in BufReader::new(events).lines().map_while(Result::ok).filter(is_told) {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        // A replay has the name of the device that it replays.
        is_replay |= event["driver"] == RECORDED;
        let on_phone = !is_replay && is_phone(event["device"].as_str().unwrap_or_default());
        let ran = !matches!(event["verdict"].as_str(), Some("skipped" | "notRun"));
        if let (Some(id), Some(ms), true) = (event["id"].as_str(), event["durationMs"].as_u64(), ran) {
            all.push(Ran { id: id.to_owned(), ms, on_phone });
        }
    }
    all
}
