//! Many calls whose tools call back: what is left behind.

use std::path::Path;
use std::time::Instant;

use trailblaze_engine::host::Cancel;

use super::Figures;
use super::calls::open;
use crate::bench::held::Held;
use crate::bench::stage::micros;
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
