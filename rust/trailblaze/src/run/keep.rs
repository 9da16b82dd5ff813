//! What is kept of a run so that it can be replayed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use trailblaze_engine::memory::{Memory, Secret};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::hash::fnv1a;
use trailblaze_model::order;
use trailblaze_model::place::Source;

use super::{Attached, Planned, PlannedWorld, RunOptions};
use crate::archive::Entries;
use crate::load::LoadedTrail;
use crate::session::{Meta, mask, within};
use crate::{bundles, files};

/// So many bytes of a world are kept for the case that the trail fails.
pub(super) const LIMIT: usize = 16 << 20;

/// A run that never had a chance needs no bundle.
pub(super) fn is_worth_a_bundle(failure: &Failure) -> bool {
    !matches!(failure.kind, FailureKind::Interrupted | FailureKind::NeedsModel)
}

/// The folder that paths in a session are relative to.
pub(super) fn base(root: Option<&Path>, trail: &LoadedTrail) -> PathBuf {
    root.or_else(|| trail.path.parent()).map(Path::to_owned).unwrap_or_default()
}

/// The trail and every document that it may need.
pub(super) fn documents(root: Option<&Path>, trail: &LoadedTrail, sources: &[&Source]) -> Entries {
    let base = base(root, trail);
    let mut documents = vec![(within(&base, &trail.path), trail.source.text.as_bytes().to_vec())];
    for source in sources {
        let path = files::normal(&std::path::absolute(source.file.as_ref()).unwrap_or_default());
        documents.push((within(&base, &path), source.text.as_bytes().to_vec()));
    }
    order::sort(&mut documents);
    documents.dedup_by(|a, b| a.0 == b.0);
    documents
}

/// What a script ran as: its bundle, and the map that its stacks need.
pub(super) fn bundle(root: Option<&Path>, script: &str) -> Entries {
    let Some(bundle) = root.and_then(|root| bundles::find(root, script).ok()) else { return Vec::new() };
    let name = format!("{}/{}", bundles::FOLDER, bundles::module_name(script));
    let map = bundle.print_map().map(|map| (format!("{name}.map"), map.into_bytes()));
    [(name, bundle.print().into_bytes())].into_iter().chain(map).collect()
}

/// How the run was told to go; of how it went, only that it passed.
pub(super) fn meta(
    options: &RunOptions,
    root: Option<&Path>,
    planned: &Planned,
    attached: Option<&Arc<dyn Attached>>,
) -> Meta {
    let trail = &planned.trail;
    let base = base(root, trail);
    let shown = files::shown(&base);
    Meta {
        trail: trail.id.to_string(),
        file: within(&base, &trail.path),
        root: if shown.starts_with(['/', '.']) && shown != "." { "workspace".to_owned() } else { shown },
        verdict: "passed".to_owned(),
        failure: None,
        target: options.target.clone(),
        driver: trail.driver,
        on_device: options.agent == AgentMode::OnDevice,
        strict: options.strict,
        trail_timeout_ms: options.trail_timeout_ms,
        memory: options.memory.clone(),
        secrets: options.secrets.iter().map(|(name, secret)| (name.clone(), length(secret))).collect(),
        args: options.args.clone(),
        versions: versions(planned, attached),
    }
}

/// What is known of the versions of everything that the trail ran on.
fn versions(planned: &Planned, attached: Option<&Arc<dyn Attached>>) -> BTreeMap<String, String> {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let mut versions = BTreeMap::from([("system".to_owned(), system)]);
    match (&planned.world, attached) {
        // An app of the sim has no number; whether it is still the same can be seen from this.
        (PlannedWorld::Sim(app), _) => {
            versions.insert("app".to_owned(), format!("{} {:016x}", app.name, fnv1a(&app.source)));
        }
        (_, Some(attached)) => versions.extend(attached.versions(planned.app_id.as_deref())),
        (_, None) => {}
    }
    versions
}

fn length(secret: &Secret) -> usize {
    secret.reveal().chars().count()
}

/// The text without secrets; none when there is none in it.
pub(super) fn masked(options: &RunOptions, memory: &Memory, text: &str) -> Option<String> {
    let mut given: Vec<&Secret> = options.secrets.iter().map(|(_, secret)| secret).collect();
    order::sort_by_key(&mut given, |secret| std::cmp::Reverse(secret.reveal().len()));
    let mut found: Option<String> = None;
    for secret in given.into_iter().filter(|secret| !secret.reveal().is_empty()) {
        let current = found.as_deref().unwrap_or(text);
        if current.contains(secret.reveal()) {
            found = Some(current.replace(secret.reveal(), &mask(length(secret))));
        }
    }
    let rest = memory.redact(found.as_deref().unwrap_or(text));
    rest.or(found)
}

/// The events of one trail, from the file that is being written.
pub(super) fn events_of(path: &Path, trail: &str, device: Option<&str>) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    // Reading a line costs more than looking for what must be in it.
    let mark = Value::from(trail).to_string();
    let is_own = |line: &&str| {
        let event: Value = match line.contains(&mark) {
            true => serde_json::from_str(line).unwrap_or_default(),
            false => return false,
        };
        event["trail"] == trail && device.is_none_or(|device| event["device"] == device)
    };
    let own: Vec<&str> = text.lines().filter(is_own).collect();
    own.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}
