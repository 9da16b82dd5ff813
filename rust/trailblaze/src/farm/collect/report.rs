//! The report of a collection: the events of a run on several devices, read by the readers of every run.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path};
use std::sync::Arc;

use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, Verdict};

use super::merge::Merged;
use super::told::Try;
use super::{CollectOptions, Collected, Outcome};
use crate::VERSION;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::{DEFAULT_DRIVER, LoadedTrail};
use crate::run::{Listeners, Reports, RunFolder, RunOptions};

pub(super) fn write(
    options: &CollectOptions,
    collected: &Collected,
    folder: &RunFolder,
    listeners: &Listeners,
) -> Result<Outcome, Problem> {
    let run = RunOptions { junit: options.junit.clone(), ..RunOptions::default() };
    let reports = Reports::open(&run, folder, listeners)?;
    let observers = reports.observers();
    let devices: BTreeSet<&str> = collected.merged.iter().map(|merged| merged.device.as_str()).collect();
    observers.event(&Event::of_run(
        0,
        EventKind::RunStarted {
            version: VERSION.to_owned(),
            trails: collected.merged.len(),
            driver: DEFAULT_DRIVER.key().to_owned(),
            device: devices.iter().copied().collect::<Vec<_>>().join(", "),
        },
    ));
    let trails: HashMap<&str, &LoadedTrail> =
        collected.trails.iter().map(|trail| (&*trail.id, trail)).collect();
    for merged in &collected.merged {
        tell(merged, trails[&*merged.id], devices.len() > 1, folder.path(), &observers);
    }
    observers.event(&Event::of_run(0, finished(collected, &devices)));
    let problems = reports.finish();
    folder.point_latest();
    let all = || collected.merged.iter();
    let name = |merged: &Merged| match devices.len() {
        1 => merged.id.to_string(),
        _ => format!("[{}] {}", merged.device, merged.id),
    };
    let exit = if all()
        .any(|merged| merged.last().verdict == Some(Verdict::Failed) && !merged.is_infrastructure())
    {
        Exit::TrailFailed
    } else if all().any(Merged::is_infrastructure) {
        Exit::Device
    } else {
        Exit::Passed
    };
    Ok(Outcome {
        result: reports.results.result(),
        folder: folder.path().to_owned(),
        problems,
        flaky: all().filter(|merged| merged.is_flaky()).map(name).collect(),
        infrastructure: all().filter(|merged| merged.is_broken()).map(name).collect(),
        exit,
    })
}

/// The events of one trail on one device.
fn tell(merged: &Merged, trail: &LoadedTrail, several: bool, report: &Path, observers: &dyn Observer) {
    let file: Arc<str> = files::shown(&trail.path).into();
    let device = several.then(|| Arc::from(merged.device.as_str()));
    let emit = |kind: EventKind| {
        observers.event(&Event { device: device.clone(), ..Event::of_trail(0, merged.id.clone(), kind) });
    };
    for (one, attempt) in merged.tries.iter().zip(1..) {
        let Try { verdict, reason, failure, duration_ms, events, steps, folder } = one.clone();
        let verdict = verdict.expect("tries that nobody saw the end of were closed");
        if !matches!(verdict, Verdict::Skipped | Verdict::NotRun) {
            emit(EventKind::TrailStarted {
                id: merged.id.clone(),
                file: file.clone(),
                title: trail.title(),
                device: merged.device.clone(),
                steps,
                attempt,
            });
        }
        let own = format!("{}/{attempt}", merged.device.replace(['/', ':'], "-"));
        for kind in events {
            match kind {
                EventKind::Saved { name, file } => {
                    let copied = folder.as_deref().and_then(|folder| copy(folder, &file, report, &own));
                    copied.into_iter().for_each(|file| emit(EventKind::Saved { name: name.clone(), file }));
                }
                kind => emit(kind),
            }
        }
        emit(EventKind::TrailFinished {
            id: merged.id.clone(),
            file: file.clone(),
            title: trail.title(),
            device: merged.device.clone(),
            verdict,
            reason,
            failure,
            attempt,
            will_retry: (attempt as usize) < merged.tries.len(),
            duration_ms: duration_ms.unwrap_or(0),
            timing: None,
        });
    }
}

/// Copies a file of a run into the report, and gives its place there; what did not come back is in no report.
fn copy(folder: &Path, file: &str, report: &Path, own: &str) -> Option<String> {
    let is_inside = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
    let place = format!("{own}/{file}");
    let to = report.join(&place);
    (is_inside && folder.join(file).is_file()).then_some(())?;
    fs::create_dir_all(to.parent()?).ok()?;
    fs::copy(folder.join(file), &to).ok()?;
    Some(place)
}

/// Trails of which nothing came back make the run one that did not come to its end.
fn finished(collected: &Collected, devices: &BTreeSet<&str>) -> EventKind {
    let count = |verdict: Verdict| {
        collected.merged.iter().filter(|merged| merged.last().verdict == Some(verdict)).count()
    };
    let (failed, not_run) = (count(Verdict::Failed), count(Verdict::NotRun));
    let time = |device: &&str| -> u64 {
        let here = collected.merged.iter().filter(|merged| merged.device == *device);
        here.flat_map(|merged| &merged.tries).filter_map(|one| one.duration_ms).sum()
    };
    EventKind::RunFinished {
        verdict: if failed + not_run > 0 { Verdict::Failed } else { Verdict::Passed },
        passed: count(Verdict::Passed),
        failed,
        skipped: count(Verdict::Skipped),
        not_run,
        healed: count(Verdict::Healed),
        interrupted: not_run > 0,
        duration_ms: devices.iter().map(time).max().unwrap_or(0),
    }
}
