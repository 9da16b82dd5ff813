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
    root.map(|root| read(&runs(root).join("latest"))).unwrap_or_default()
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
        // Some farms do not say how long a test took.
        let found = read_of(run, is_phone).into_iter();
        for (id, ms) in found.filter(|(id, ms)| *ms > 0 && ids.contains(id.as_str())) {
            times.entry(id).or_insert(ms);
        }
        seen.extend(read_of(run, |device| !is_phone(device)).into_keys());
    }
    let only_on_sim = seen.iter().filter(|id| ids.contains(id.as_str()) && !times.contains_key(*id)).count();
    Known { times, only_on_sim }
}

/// Whether the name of a device is none of ours that stand in for a phone.
fn is_phone(device: &str) -> bool {
    let is_numbered = device.strip_prefix("sim-").is_some_and(|rest| rest.parse::<u32>().is_ok());
    !is_numbered && device != "sim" && device != RECORDED
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

fn read(run: &Path) -> Times {
    read_of(run, |_| true)
}

/// Without events nothing is known, and any order is as good as another.
fn read_of(run: &Path, is_wanted: impl Fn(&str) -> bool) -> Times {
    let mut times = Times::new();
    let Ok(events) = File::open(run.join("events.jsonl")) else { return times };
    let is_told = |line: &String| {
        ["runStarted", "trailFinished"].iter().any(|kind| line.starts_with(&format!(r#"{{"event":"{kind}""#)))
    };
    let mut is_replay = false;
    for line in BufReader::new(events).lines().map_while(Result::ok).filter(is_told) {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        // A replay has the name of the device that it replays.
        is_replay |= event["driver"] == RECORDED;
        let device = if is_replay { RECORDED } else { event["device"].as_str().unwrap_or_default() };
        let ran = !matches!(event["verdict"].as_str(), Some("skipped" | "notRun")) && is_wanted(device);
        if let (Some(id), Some(ms), true) = (event["id"].as_str(), event["durationMs"].as_u64(), ran) {
            let longest = times.entry(id.to_owned()).or_default();
            *longest = ms.max(*longest);
        }
    }
    times
}
