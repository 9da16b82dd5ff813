//! Many calls whose tools call back: what is left behind.

use std::fs;
use std::path::Path;
use std::time::Instant;

use trailblaze_engine::host::Cancel;

use super::Figures;
use super::calls::open;
use crate::bench::rss_kib;
use crate::bench::stage::{bug, micros};
use crate::exit_code::Problem;
use crate::toolsets::ToolsetServers;

const CALLS: usize = 10_000;
const WARM: usize = 1_000;

pub(super) fn figures(folder: &Path) -> Result<Figures, Problem> {
    let servers = ToolsetServers::new(&Cancel::default(), Default::default());
    let stage = open(&servers, folder, "light.ts")?;
    let call = |times: usize| (0..times).try_for_each(|_| stage.call("bench_look"));
    call(WARM)?;
    let before = Held::now()?;
    let started = Instant::now();
    call(CALLS - WARM)?;
    let each = micros(started.elapsed()) / (CALLS - WARM) as f64;
    let after = Held::now()?;
    Ok(vec![
        ("callbackMicros", each),
        ("rssAfter1000Kib", before.rss_kib),
        ("rssEndKib", after.rss_kib),
        ("filesAfter1000", before.files),
        ("filesEnd", after.files),
        ("threadsAfter1000", before.threads),
        ("threadsEnd", after.threads),
        ("processesAfter1000", before.processes),
        ("processesEnd", after.processes),
    ])
}

/// What this process has of the system at a moment, as far as that tells.
struct Held {
    rss_kib: f64,
    files: f64,
    threads: f64,
    /// That it started and that are not gone.
    processes: f64,
}

impl Held {
    fn now() -> Result<Self, Problem> {
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
