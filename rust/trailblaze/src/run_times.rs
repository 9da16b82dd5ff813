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

/// The times of the last run, the longest where a trail ran several times.
pub fn last(root: Option<&Path>) -> Times {
    root.map(|root| read(&runs(root).join("latest"))).unwrap_or_default()
}

/// The times of trails in the last run that had them.
pub fn known(root: Option<&Path>, ids: &HashSet<&str>) -> Times {
    let Some(root) = root else { return Times::new() };
    let mut known = Times::new();
    for run in newest_first(&runs(root)).iter().take(RUNS) {
        if known.len() == ids.len() {
            break;
        }
        // Some farms do not say how long a test took.
        let found = read(run).into_iter().filter(|(id, ms)| *ms > 0 && ids.contains(id.as_str()));
        for (id, ms) in found {
            known.entry(id).or_insert(ms);
        }
    }
    known
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

/// Without events nothing is known, and any order is as good as another.
fn read(run: &Path) -> Times {
    let mut times = Times::new();
    let Ok(events) = File::open(run.join("events.jsonl")) else { return times };
    let lines = BufReader::new(events).lines().map_while(Result::ok);
    for line in lines.filter(|line| line.starts_with(r#"{"event":"trailFinished""#)) {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        let ran = !matches!(event["verdict"].as_str(), Some("skipped" | "notRun"));
        if let (Some(id), Some(ms), true) = (event["id"].as_str(), event["durationMs"].as_u64(), ran) {
            let longest = times.entry(id.to_owned()).or_default();
            *longest = ms.max(*longest);
        }
    }
    times
}
