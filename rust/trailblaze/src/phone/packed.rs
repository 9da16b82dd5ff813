//! The workspace in the assets of the APK.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_android::platform::Platform;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::order;
use trailblaze_model::place::Source;
use trailblaze_model::test_name::TestName;
use trailblaze_model::trail;

use super::arguments::Arguments;
use super::told;
use crate::load::device_classifiers;
use crate::{discover, files};

/// The folder of the APK's assets that holds the workspace.
const ASSETS: &str = "trailblaze";

pub(super) struct Packed<'a> {
    platform: &'a dyn Platform,
    /// The paths of all files in the workspace.
    files: Vec<String>,
}

impl<'a> Packed<'a> {
    pub(super) fn list(platform: &'a dyn Platform) -> Result<Self, String> {
        let mut files = Vec::new();
        let mut open = vec![String::new()];
        while let Some(inner) = open.pop() {
            let names = platform.assets(&asset(&inner)).map_err(told)?;
            if names.is_empty() && !inner.is_empty() {
                files.push(inner.clone());
            }
            let below =
                |name: &String| if inner.is_empty() { name.clone() } else { format!("{inner}/{name}") };
            open.extend(names.iter().map(below));
        }
        // Some platforms list what is below a folder with it.
        order::sort(&mut files);
        files.dedup();
        if files.is_empty() {
            let hint = "pack them as assets under 'trailblaze/', or push a folder and name it with '-e workspace DIR'";
            return Err(format!("the APK holds no trails\nhint: {hint}"));
        }
        Ok(Self { platform, files })
    }

    /// Writes everything to a folder of its own.
    pub(super) fn unpack(&self, folder: &Path) -> Result<PathBuf, String> {
        let cannot = |path: &Path, error: io::Error| {
            format!("{} cannot be written: {}", path.display(), files::why(&error))
        };
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| cannot(folder, error))?;
        }
        for file in &self.files {
            let target = folder.join(file);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
            }
            let bytes = self.platform.asset(&asset(file)).map_err(told)?;
            fs::write(&target, bytes).map_err(|error| cannot(&target, error))?;
        }
        Ok(folder.to_owned())
    }

    /// The ids of the trails that are asked for, where the workspace cannot be unpacked: a host is told of every test
    /// also then. What cannot be read goes by its name.
    pub(super) fn trails(&self, arguments: &Arguments) -> Vec<Arc<str>> {
        let below = self.files.iter().filter(|file| file.starts_with("trails/"));
        let below: Vec<PathBuf> = below.map(|file| Path::new("/").join(file)).collect();
        let found = discover::among(&below, &device_classifiers());
        let ids = found.iter().filter_map(|file| self.id(file, &arguments.tags));
        ids.filter(|id| arguments.filter.has(&TestName::of(id))).collect()
    }

    fn id(&self, file: &Path, tags: &[String]) -> Option<Arc<str>> {
        let name = discover::display_name(file, None);
        let inner = file.to_string_lossy();
        let bytes = self.platform.asset(&asset(inner.trim_start_matches('/'))).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let trail = text.and_then(|text| {
            trail::read(&Source::new(name.as_str(), text.as_str()), &mut Diagnostics::new())
        });
        let Some(trail) = trail else { return Some(name.into()) };
        let is_tagged = tags.is_empty() || tags.iter().any(|tag| trail.config.tags.contains(tag));
        let is_run = is_tagged && !trail.is_config_only();
        is_run.then(|| trail.config.id.unwrap_or(name).into())
    }
}

fn asset(inner: &str) -> String {
    if inner.is_empty() { ASSETS.to_owned() } else { format!("{ASSETS}/{inner}") }
}
