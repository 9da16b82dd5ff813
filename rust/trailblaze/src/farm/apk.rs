//! The two APKs of a plan: what a farm would refuse is refused here.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use trailblaze_apk::manifest::{Facts, Manifest};
use trailblaze_apk::zip::Archive;
use trailblaze_apk::{ASSETS, MANIFEST, MAX_MANIFEST, RUNNER};

use super::device::Device;
use super::limits::AWS_APP_BYTES;
use super::plan::PlanOptions;
use super::{Farm, MIN_SDK, PACKAGE};
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::LoadedTrail;

/// What an app bundle has and an APK has not.
const BUNDLE: &str = "BundleConfig.pb";
const BUCKET: &str = "gs://";
const APP: &str = "--app is the app under test, and --test what 'trailblaze apk pack' made";

/// What is known of them.
pub(super) struct Checked {
    /// Of the tests.
    pub package: String,
    /// What could not be looked at.
    pub notes: Vec<String>,
}

/// Checks both. What lies in a bucket cannot be looked at.
pub(super) fn check(
    options: &PlanOptions,
    devices: &[Device],
    root: &Path,
    chosen: &[LoadedTrail],
) -> Result<Checked, Problem> {
    let app = open(options, "--app", &options.app)?;
    let mut notes: Vec<String> =
        app.map(|app| check_app(options, devices, app)).transpose()?.flatten().into_iter().collect();
    let Some(test) = open(options, "--test", &options.test)? else {
        check_levels(devices, "the agent", MIN_SDK, options.farm)?;
        notes.push(format!("the test APK cannot be looked at: its package is taken to be {PACKAGE}"));
        return Ok(Checked { package: PACKAGE.to_owned(), notes });
    };
    let facts = check_test(options, test, root, chosen)?;
    check_levels(devices, &options.test, facts.min_sdk, options.farm)?;
    Ok(Checked { package: facts.package, notes })
}

/// The app under test: no tests, and nothing that the farm does not take. Some tools write manifests that only Android
/// reads; then that is told.
fn check_app(
    options: &PlanOptions,
    devices: &[Device],
    mut app: Archive<File>,
) -> Result<Option<String>, Problem> {
    let path = &options.app;
    if app.find(BUNDLE).is_some() {
        let message = format!("--app: {path} is an app bundle, and AWS Device Farm takes APKs only");
        let hint = "'bundletool build-apks --mode=universal' makes an APK of it";
        return if options.farm == Farm::Aws { Err(bad(message).hint(hint)) } else { Ok(None) };
    }
    let entry = app
        .find(MANIFEST)
        .cloned()
        .ok_or_else(|| bad(format!("--app: {path} is no APK: it has no {MANIFEST}")).hint(APP))?;
    let manifest = app.read(&entry, MAX_MANIFEST).and_then(|bytes| Manifest::read(&bytes));
    let manifest = match manifest {
        Ok(manifest) => manifest,
        Err(error) => return Ok(Some(format!("what {path} needs cannot be looked up: {error}"))),
    };
    if let Some(package) = manifest.instruments() {
        let message = format!("--app: {path} is a test APK: it has tests for {package}");
        return Err(bad(message).hint(APP));
    }
    check_levels(devices, path, manifest.min_sdk(), options.farm).map(|()| None)
}

/// No phone installs an APK that is made for newer ones.
fn check_levels(devices: &[Device], apk: &str, needed: u32, farm: Farm) -> Result<(), Problem> {
    let too_old =
        devices.iter().find_map(|device| Some((device, device.level.filter(|level| *level < needed)?)));
    match too_old {
        Some((device, level)) => {
            let message =
                format!("the device '{}' has API level {level}, and {apk} needs {needed}", device.name);
            let hint =
                format!("versions are API levels, Android 14 is 34; '{}' lists them", farm.device_list());
            Err(bad(message).hint(hint))
        }
        None => Ok(()),
    }
}

/// The test APK must be ours, and hold the trails unless they are pushed.
fn check_test(
    options: &PlanOptions,
    mut test: Archive<File>,
    root: &Path,
    chosen: &[LoadedTrail],
) -> Result<Facts, Problem> {
    let path = &options.test;
    let pack = "'trailblaze apk pack' makes it out of the workspace";
    let foreign = |why: String| bad(format!("--test: {path} is no test APK of Trailblaze: {why}")).hint(pack);
    let manifest = test.find(MANIFEST).cloned().ok_or_else(|| foreign(format!("it has no {MANIFEST}")))?;
    let bytes = test.read(&manifest, MAX_MANIFEST).map_err(|error| foreign(error.to_string()))?;
    let facts = Manifest::read(&bytes).and_then(|manifest| manifest.facts());
    let facts = facts.map_err(|error| foreign(error.to_string()))?;
    if facts.runner != RUNNER {
        return Err(foreign(format!("its runner is {}", facts.runner)));
    }
    if options.options.iter().any(|(key, _)| key == "workspace") {
        return Ok(facts);
    }
    let names: HashSet<&str> =
        test.entries.iter().filter_map(|entry| entry.name.strip_prefix(ASSETS)).collect();
    if names.is_empty() {
        return Err(bad(format!("--test: {path} holds no trails")).hint(pack));
    }
    let is_missing = |trail: &&LoadedTrail| {
        let inner = trail.path.strip_prefix(root).map(|inner| inner.to_string_lossy().replace('\\', "/"));
        inner.is_ok_and(|inner| !names.contains(inner.as_str()))
    };
    match chosen.iter().find(is_missing) {
        Some(trail) => {
            let hint = "it was packed from another workspace, or before the trail was there; pack it again";
            Err(bad(format!("--test: {path} does not hold the trail '{}'", trail.id)).hint(hint))
        }
        None => Ok(facts),
    }
}

fn bad(message: String) -> Problem {
    Problem::new(Exit::BadDocument, message)
}

/// Whether it lies at Google, where only the farm reads it.
fn is_in_bucket(path: &str) -> bool {
    path.starts_with(BUCKET)
}

/// Opens a file; none where it lies in a bucket.
fn open(options: &PlanOptions, option: &str, path: &str) -> Result<Option<Archive<File>>, Problem> {
    if is_in_bucket(path) {
        let object = path.trim_start_matches(BUCKET).split_once('/').filter(|(bucket, _)| !bucket.is_empty());
        return match options.farm {
            Farm::Aws => Err(bad(format!("{option}: AWS Device Farm takes a file, not {path}"))
                .hint("fetch it with 'gcloud storage cp'")),
            _ if object.is_none_or(|(_, name)| name.is_empty()) => {
                Err(bad(format!("{option}: {path} names no file")).hint("write gs://BUCKET/FILE"))
            }
            _ => Ok(None),
        };
    }
    let cannot = |why: String| {
        let hint = match options.farm {
            Farm::Aws => "give the file of an APK",
            Farm::Firebase | Farm::DeviceRun => "give the file of an APK, or gs://BUCKET/FILE",
        };
        bad(format!("{option}: {path} cannot be used: {why}")).hint(hint)
    };
    let file = File::open(path).map_err(|error| cannot(files::why(&error)))?;
    let metadata = file.metadata().map_err(|error| cannot(files::why(&error)))?;
    if metadata.is_dir() {
        return Err(cannot("it is a folder".to_owned()));
    }
    if options.farm == Farm::Aws && metadata.len() > AWS_APP_BYTES {
        return Err(cannot(format!(
            "it has {} bytes; AWS Device Farm takes {AWS_APP_BYTES}",
            metadata.len()
        )));
    }
    Archive::open(file).map(Some).map_err(|error| cannot(error.to_string()))
}
