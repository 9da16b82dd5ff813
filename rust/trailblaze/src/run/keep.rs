//! What is kept of a run so that it can be replayed.

use std::path::{Path, PathBuf};

use trailblaze_engine::memory::{Memory, Secret};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::Source;

use super::RunOptions;
use crate::archive::Entries;
use crate::files;
use crate::load::LoadedTrail;
use crate::session::{Meta, mask};

/// So many bytes of a world are kept for the case that the trail fails.
pub(super) const LIMIT: usize = 4 << 20;

/// A run that never had a chance needs no bundle.
pub(super) fn is_worth_a_bundle(failure: &Failure) -> bool {
    !matches!(failure.kind, FailureKind::Interrupted | FailureKind::NeedsModel)
}

/// The folder that paths in a session are relative to.
fn base(root: Option<&Path>, trail: &LoadedTrail) -> PathBuf {
    root.or_else(|| trail.path.parent()).map(Path::to_owned).unwrap_or_default()
}

fn within(base: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(base).unwrap_or_else(|_| path.file_name().map_or(path, Path::new));
    inside.to_string_lossy().replace('\\', "/")
}

/// The trail and every document that it may need.
pub(super) fn documents(root: Option<&Path>, trail: &LoadedTrail, sources: &[&Source]) -> Entries {
    let base = base(root, trail);
    let mut documents = vec![(within(&base, &trail.path), trail.source.text.as_bytes().to_vec())];
    for source in sources {
        let path = files::normal(&std::path::absolute(source.file.as_ref()).unwrap_or_default());
        documents.push((within(&base, &path), source.text.as_bytes().to_vec()));
    }
    documents.sort();
    documents.dedup_by(|a, b| a.0 == b.0);
    documents
}

/// How the run was told to go.
pub(super) fn meta(options: &RunOptions, root: Option<&Path>, trail: &LoadedTrail, failed: bool) -> Meta {
    let base = base(root, trail);
    let shown = files::shown(&base);
    Meta {
        trail: trail.id.to_string(),
        file: within(&base, &trail.path),
        root: if shown.starts_with(['/', '.']) && shown != "." { "workspace".to_owned() } else { shown },
        verdict: if failed { "failed" } else { "passed" }.to_owned(),
        target: options.target.clone(),
        driver: trail.driver,
        on_device: options.agent == AgentMode::OnDevice,
        strict: options.strict,
        memory: options.memory.clone(),
        secrets: options.secrets.iter().map(|(name, secret)| (name.clone(), length(secret))).collect(),
        args: options.args.clone(),
    }
}

fn length(secret: &Secret) -> usize {
    secret.reveal().chars().count()
}

/// The text without secrets; none when there is none in it.
pub(super) fn masked(options: &RunOptions, memory: &Memory, text: &str) -> Option<String> {
    let mut given: Vec<&Secret> = options.secrets.iter().map(|(_, secret)| secret).collect();
    given.sort_by_key(|secret| std::cmp::Reverse(secret.reveal().len()));
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
pub(super) fn events_of(path: &Path, trail: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mark = format!("\"trail\":{}", serde_json::Value::from(trail));
    let own: Vec<&str> = text.lines().filter(|line| line.contains(&mark)).collect();
    own.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}
