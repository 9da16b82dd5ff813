//! One outcome per trail and device, out of all runs that had it.

use std::collections::BTreeMap;
use std::sync::Arc;

use trailblaze_model::event::Verdict;
use trailblaze_model::failure::{Failure, FailureKind};

use super::expected::Expected;
use super::found::{Execution, Found};
use super::told::{End, Try};

/// All tries of a trail on a device that are worth telling: those in which the test failed, and then the one that
/// passed.
#[derive(Debug)]
pub(super) struct Merged {
    pub id: Arc<str>,
    pub device: String,
    pub tries: Vec<Try>,
}

impl Merged {
    pub(super) fn last(&self) -> &Try {
        self.tries.last().expect("a trail has one outcome at least")
    }

    pub(super) fn passed(&self) -> bool {
        self.last().verdict.is_some_and(is_pass)
    }

    pub(super) fn is_flaky(&self) -> bool {
        self.passed() && self.tries.len() > 1
    }

    /// Whether it is not known what the trail would say: what ran it failed, or did not come to it.
    pub(super) fn is_infrastructure(&self) -> bool {
        self.is_broken() || self.last().verdict == Some(Verdict::NotRun)
    }

    /// Whether what ran it failed.
    pub(super) fn is_broken(&self) -> bool {
        let last = self.last();
        last.verdict == Some(Verdict::Failed) && last.failure.as_ref().is_some_and(is_trouble)
    }
}

/// A run that something else than a test has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub device: String,
    pub shard: Option<usize>,
    pub why: String,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.shard {
            Some(shard) => write!(f, "{}, shard {shard}: {}", self.device, self.why),
            None => write!(f, "{}: {}", self.device, self.why),
        }
    }
}

const fn is_pass(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Passed | Verdict::Healed)
}

fn is_trouble(failure: &Failure) -> bool {
    failure.kind.is_device_trouble()
}

pub(super) fn merge(found: &Found, expected: &Expected) -> (Vec<Merged>, Vec<Trouble>) {
    let mut tries: BTreeMap<(String, Arc<str>), Vec<Try>> = BTreeMap::new();
    let mut troubles: Vec<Trouble> = Vec::new();
    let mut devices = expected.devices.clone();
    let mut reported: Vec<(String, Option<usize>)> = Vec::new();
    for execution in &found.executions {
        let device = expected.device_of(&execution.device);
        if !devices.contains(&device) {
            devices.push(device.clone());
        }
        let trails = execution.trails();
        let shard = expected.shard_of(trails.keys(), execution.shard);
        let why = ended(execution, trails.is_empty(), expected.minutes);
        if let Some(why) = &why {
            troubles.push(Trouble { device: device.clone(), shard, why: why.clone() });
        }
        reported.push((device.clone(), shard));
        for (id, seen) in trails {
            let ended = seen.into_iter().map(|one| closed(one, why.as_deref()));
            tries.entry((device.clone(), id)).or_default().extend(ended);
        }
    }
    // A report of all shards is asked only where the shards themselves have nothing to say.
    for (name, told) in &found.merged {
        let device = expected.device_of(name);
        if !devices.contains(&device) {
            devices.push(device.clone());
        }
        for (id, seen) in &told.trails {
            let known = tries.entry((device.clone(), id.clone())).or_default();
            if known.is_empty() {
                known.extend(seen.iter().cloned().map(|one| closed(one, None)));
            }
        }
    }
    // Only the farm knows the devices of a pool: then all that reported should have run everything.
    let planned = if expected.devices.is_empty() { &devices } else { &expected.devices };
    for device in planned {
        let is_merged = found.merged.iter().any(|(name, _)| expected.device_of(name) == *device);
        for (number, ids) in expected.shards() {
            let silent = number.is_some() && !is_merged && !reported.contains(&(device.clone(), number));
            if silent {
                let why = "it never reported".to_owned();
                troubles.push(Trouble { device: device.clone(), shard: number, why });
            }
            for id in ids {
                let known = tries.entry((device.clone(), id.clone())).or_default();
                if known.is_empty() {
                    known.push(missing(device, number, &troubles));
                }
            }
        }
    }
    let merged =
        tries.into_iter().map(|((device, id), tries)| Merged { id, device, tries: worth_telling(tries) });
    (merged.collect(), troubles)
}

/// What ended a run that did not end by itself.
fn ended(execution: &Execution, is_empty: bool, minutes: Option<u64>) -> Option<String> {
    match execution.end() {
        End::Finished => None,
        End::Unknown if !is_empty => None,
        End::Unknown => Some("nothing came back that says how it went".to_owned()),
        End::Trouble(why) => Some(why),
        End::Cut(Some(ms)) if minutes.is_some_and(|minutes| ms >= minutes.saturating_sub(1) * 60_000) => {
            Some(format!("the time that the farm gives was over, {} minutes", minutes.unwrap_or(0)))
        }
        End::Cut(Some(ms)) => Some(format!(
            "what came back ends after {} s: the device was lost, or the farm ended the run",
            ms / 1000
        )),
        End::Cut(None) => Some(
            "what came back ends in the middle: the device was lost, or the time of the farm was over"
                .to_owned(),
        ),
    }
}

/// A try that nobody saw the end of failed with the run that it was in.
fn closed(mut one: Try, why: Option<&str>) -> Try {
    if one.verdict.is_none() {
        let why = why.unwrap_or("the run ended before the trail did");
        one.verdict = Some(Verdict::Failed);
        one.failure = Some(Failure::new(FailureKind::Device, format!("it did not end: {why}")));
    }
    one
}

fn missing(device: &str, shard: Option<usize>, troubles: &[Trouble]) -> Try {
    let of_run = troubles.iter().find(|trouble| trouble.device == device && trouble.shard == shard);
    let reason = match (of_run, shard) {
        (Some(trouble), Some(number)) => format!("shard {number}: {}", trouble.why),
        (Some(trouble), None) => trouble.why.clone(),
        (None, _) => "no result of it came back".to_owned(),
    };
    Try { verdict: Some(Verdict::NotRun), reason: Some(reason), ..Try::default() }
}

/// A trail that ran somewhere is not missing. A try that ended in trouble counts for nothing where another one has a
/// verdict: it does not make a trail flaky that passed, nor a failure of the test one of the device.
fn worth_telling(tries: Vec<Try>) -> Vec<Try> {
    let is = |one: &Try, wanted: fn(Verdict) -> bool| one.verdict.is_some_and(wanted);
    let has_failed = |one: &&Try| is(one, |verdict| verdict == Verdict::Failed);
    let (in_trouble, by_test): (Vec<Try>, Vec<Try>) = tries
        .iter()
        .filter(has_failed)
        .cloned()
        .partition(|one| one.failure.as_ref().is_some_and(is_trouble));
    if let Some(passed) = tries.iter().find(|one| is(one, is_pass)) {
        return by_test.into_iter().chain([passed.clone()]).collect();
    }
    let left_out =
        || tries.iter().find(|one| is(one, |verdict| verdict == Verdict::Skipped)).or(tries.first());
    match (by_test.is_empty(), in_trouble.is_empty()) {
        (false, _) => by_test,
        (true, false) => in_trouble,
        (true, true) => left_out().cloned().into_iter().collect(),
    }
}
