//! What should have come back: the trails of the plan, or else of the workspace.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::super::{Farm, PLAN};
use super::found;
use crate::exit_code::{Exit, Problem};
use crate::files;

/// What a device is called that no folder names.
pub(super) const UNNAMED: &str = "device";

#[derive(Debug, Default)]
pub(super) struct Expected {
    /// Empty where only the farm knows them.
    pub devices: Vec<String>,
    /// The minutes that a shard had.
    pub minutes: Option<u64>,
    /// Without a plan one part without a number.
    parts: Vec<Vec<Arc<str>>>,
    is_planned: bool,
    /// Whether folders are called after the places of devices in the plan.
    has_jobs: bool,
}

impl Expected {
    pub(super) fn of_workspace(ids: Vec<Arc<str>>) -> Self {
        Self { parts: vec![ids], ..Self::default() }
    }

    /// Reads a plan; `path` is its file or its folder.
    pub(super) fn of_plan(path: &Path) -> Result<Self, Problem> {
        let path = if path.is_dir() { path.join(PLAN) } else { path.to_owned() };
        let bad = |why: &str| {
            let message = format!("the plan {} cannot be used: {why}", files::shown(&path));
            Problem::new(Exit::BadDocument, message).hint("'trailblaze farm plan' writes it")
        };
        let text = std::fs::read_to_string(&path).map_err(|error| bad(&files::why(&error)))?;
        let plan: Value =
            serde_json::from_str(&text).map_err(|error| bad(&format!("it is not JSON: {error}")))?;
        let list = |value: &Value| value.as_array().cloned();
        let id = |trail: &Value| trail["id"].as_str().map(Arc::from);
        let part = |shard: &Value| list(&shard["trails"])?.iter().map(id).collect::<Option<Vec<Arc<str>>>>();
        let parts =
            list(&plan["shards"]).and_then(|shards| shards.iter().map(part).collect::<Option<Vec<_>>>());
        let parts = parts.filter(|parts| !parts.is_empty()).ok_or_else(|| bad("it has no shards"))?;
        let devices = list(&plan["devices"]).unwrap_or_default();
        Ok(Self {
            devices: devices.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            minutes: plan["minutes"].as_u64(),
            parts,
            is_planned: true,
            has_jobs: plan["farm"] == Farm::DeviceRun.key(),
        })
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &Arc<str>> {
        self.parts.iter().flatten()
    }

    /// The parts with their numbers, counted from 1.
    pub(super) fn shards(&self) -> impl Iterator<Item = (Option<usize>, &Vec<Arc<str>>)> {
        let number = |index: usize| self.is_planned.then_some(index + 1);
        self.parts.iter().enumerate().map(move |(index, part)| (number(index), part))
    }

    /// The shard that most of these trails are in; a name says less, because farms count in their own ways.
    pub(super) fn shard_of<'a>(
        &self,
        seen: impl Iterator<Item = &'a Arc<str>>,
        named: Option<usize>,
    ) -> Option<usize> {
        if !self.is_planned {
            return None;
        }
        let seen: Vec<&Arc<str>> = seen.collect();
        let count = |part: &Vec<Arc<str>>| part.iter().filter(|id| seen.contains(id)).count();
        let best = (0..self.parts.len()).max_by_key(|index| (count(&self.parts[*index]), usize::MAX - index));
        let only = (self.parts.len() == 1).then_some(1);
        best.filter(|index| count(&self.parts[*index]) > 0).map(|index| index + 1).or(only).or(named)
    }

    /// The name of a folder, where the plan has devices and none of them is meant.
    pub(super) fn stranger<'n>(&self, name: &'n str) -> Option<&'n str> {
        let is_known = self.devices.is_empty() || self.devices.contains(&self.device_of(name));
        (!is_known).then_some(name)
    }

    /// The device of the plan that a folder is called after: `shiba-34` for `shiba-34-en-portrait`.
    pub(super) fn device_of(&self, name: &str) -> String {
        if let Some(device) = found::job(name).filter(|_| self.has_jobs).and_then(|at| self.devices.get(at)) {
            return device.clone();
        }
        let plain = |text: &str| text.to_lowercase().replace([' ', '_', '.'], "-");
        let folder = plain(name);
        let fits = |device: &&String| {
            let device = plain(device);
            folder == device || folder.strip_prefix(&device).is_some_and(|rest| rest.starts_with('-'))
        };
        let found = self.devices.iter().filter(fits).max_by_key(|device| device.len());
        match (found, self.devices.as_slice()) {
            (Some(device), _) => device.clone(),
            // Whoever names no device means the only one.
            (None, [only]) if !names_a_device(name) => only.clone(),
            (None, _) if name.is_empty() => UNNAMED.to_owned(),
            (None, _) => name.to_owned(),
        }
    }
}

/// Whether a folder is called as Firebase Test Lab does it: `shiba-34-en-portrait`, with more behind it for a shard.
fn names_a_device(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    parts.windows(4).any(|four| is_number(four[1]) && ["portrait", "landscape"].contains(&four[3]))
}
