//! The start of a session with eight servers, by turns with eight bare processes and their handshakes.

use std::path::Path;
use std::time::Instant;

use trailblaze_engine::host::Cancel;
use trailblaze_model::workspace::ServerEntry;

use super::helper::Helper;
use super::{Figures, entry};
use crate::bench::stage::{DRIVER, bug, failed, median, micros};
use crate::exit_code::Problem;
use crate::toolsets::{Starter, ToolsetServers};

const SERVERS: usize = 8;
const TURNS: usize = 11;

pub(super) fn figures(folder: &Path) -> Result<Figures, Problem> {
    let mut bare = Helper::start(folder, "spawn.ts")?;
    let [mut ours, mut theirs] = [const { Vec::new() }; 2];
    for turn in 0..=TURNS {
        let took = (start(folder, turn)?, bare.turn(SERVERS)?);
        // The first is for the caches of the system.
        if turn > 0 {
            ours.push(took.0);
            theirs.push(took.1);
        }
    }
    Ok(vec![("startMillis", median(ours)), ("bareStartMillis", median(theirs))])
}

/// From nothing to the tools of all of them, in milliseconds.
fn start(folder: &Path, turn: usize) -> Result<f64, Problem> {
    // Which generation a server speaks is remembered by its path, and a run begins without that.
    let scripts: Vec<String> = (0..SERVERS).map(|number| format!("server-{turn}-{number}.ts")).collect();
    for script in &scripts {
        std::fs::copy(folder.join("server.ts"), folder.join(script)).map_err(bug)?;
    }
    let entries: Vec<ServerEntry> = scripts.iter().map(|script| entry(script, script)).collect();
    let entries: Vec<&ServerEntry> = entries.iter().collect();
    let started = Instant::now();
    let servers = ToolsetServers::new(&Cancel::default(), Default::default());
    let opened = servers.open(&entries, folder, DRIVER);
    let took = micros(started.elapsed()) / 1e3;
    for opened in opened {
        match opened.map_err(failed)? {
            Some((_, listed)) if !listed.tools.is_empty() => {}
            _ => return Err(bug("a server without tools")),
        }
    }
    Ok(took)
}
