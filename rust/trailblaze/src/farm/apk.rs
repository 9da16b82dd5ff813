//! The two APKs of a plan: what a farm would refuse is refused here.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use trailblaze_apk::manifest::Manifest;
use trailblaze_apk::zip::Archive;
use trailblaze_apk::{ASSETS, RUNNER};

use super::limits::AWS_APP_BYTES;
use super::plan::PlanOptions;
use super::{Farm, PACKAGE};
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::LoadedTrail;

const MANIFEST: &str = "AndroidManifest.xml";
/// More than any manifest has.
const MANIFEST_BYTES: u32 = 4 << 20;
/// What an app bundle has and an APK has not.
const BUNDLE: &str = "BundleConfig.pb";

/// Checks both, and gives the package of the tests. What lies in a bucket cannot be looked at.
pub(super) fn check(options: &PlanOptions, root: &Path, chosen: &[LoadedTrail]) -> Result<String, Problem> {
    if let Some(app) = open(options, "--app", &options.app)? {
        let is_bundle = app.find(BUNDLE).is_some();
        if is_bundle && options.farm == Farm::Aws {
            let message =
                format!("--app: {} is an app bundle, and AWS Device Farm takes APKs only", options.app);
            return Err(bad(message));
        }
        if app.find(MANIFEST).is_none() && !is_bundle {
            return Err(bad(format!("--app: {} is no APK: it has no {MANIFEST}", options.app)));
        }
    }
    match open(options, "--test", &options.test)? {
        Some(test) => check_test(options, test, root, chosen),
        None => Ok(PACKAGE.to_owned()),
    }
}

/// The test APK must be ours, and hold the trails unless they are pushed.
fn check_test(
    options: &PlanOptions,
    mut test: Archive<File>,
    root: &Path,
    chosen: &[LoadedTrail],
) -> Result<String, Problem> {
    let path = &options.test;
    let pack = "'trailblaze apk pack' makes it out of the workspace";
    let foreign = |why: String| bad(format!("--test: {path} is no test APK of Trailblaze: {why}")).hint(pack);
    let manifest = test.find(MANIFEST).cloned().ok_or_else(|| foreign(format!("it has no {MANIFEST}")))?;
    let bytes = test.read(&manifest, MANIFEST_BYTES).map_err(|error| foreign(error.to_string()))?;
    let facts = Manifest::read(&bytes).and_then(|manifest| manifest.facts());
    let facts = facts.map_err(|error| foreign(error.to_string()))?;
    if facts.runner != RUNNER {
        return Err(foreign(format!("its runner is {}", facts.runner)));
    }
    if options.options.iter().any(|(key, _)| key == "workspace") {
        return Ok(facts.package);
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
        None => Ok(facts.package),
    }
}

fn bad(message: String) -> Problem {
    Problem::new(Exit::BadDocument, message)
}

/// Whether it lies at Google, where only the farm reads it.
pub(super) fn is_in_bucket(path: &str) -> bool {
    path.starts_with("gs://")
}

/// Opens a file; none where it lies in a bucket.
fn open(options: &PlanOptions, option: &str, path: &str) -> Result<Option<Archive<File>>, Problem> {
    if is_in_bucket(path) {
        return match options.farm {
            Farm::Aws => Err(bad(format!("{option}: AWS Device Farm takes a file, not {path}"))),
            _ => Ok(None),
        };
    }
    let cannot = |why: String| bad(format!("{option}: {path} cannot be used: {why}"));
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
