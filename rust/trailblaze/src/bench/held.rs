//! What this process has of the system at a moment, as far as that tells.

use std::fs;

use super::rss_kib;
use super::stage::bug;
use crate::exit_code::Problem;

pub(super) struct Held {
    pub(super) rss_kib: f64,
    pub(super) files: f64,
    pub(super) threads: f64,
    /// That it started and that are not gone.
    pub(super) processes: f64,
}

impl Held {
    pub(super) fn now() -> Result<Self, Problem> {
        let count = |folder: &str| Ok(fs::read_dir(folder).map_err(bug)?.count() as f64);
        let me = std::process::id();
        let children = fs::read_dir("/proc").map_err(bug)?.flatten().filter(|entry| {
            // A process that ends meanwhile is none of ours, or not there any more.
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            parent(&stat) == Some(me)
        });
        Ok(Self {
            rss_kib: rss_kib() as f64,
            files: count("/proc/self/fd")?,
            threads: count("/proc/self/task")?,
            processes: children.count() as f64,
        })
    }
}

/// The parent in `7 (name) S 1 …`; the name may have spaces and brackets.
fn parent(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(1)?.parse().ok()
}
