//! What toolset servers in bun cost, beside what the official client and bare processes need for the same.
//!
//! Bun is looked for on PATH, and the official SDK in the folder of packages.

mod callbacks;
mod calls;
mod flight;
mod helper;
mod starts;

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use trailblaze_model::place::{FilePlace, Place};
use trailblaze_model::workspace::{ServerEntry, ServerKind};

use super::stage::{Folder, bug, rounded};
use crate::exit_code::Problem;

/// Each by its name in the output.
type Figures = Vec<(&'static str, f64)>;

/// The figures of servers. `packages` has the official SDK in its `node_modules`, `scripts` are those of `tests/mcp/bench`.
pub fn servers(packages: &Path, scripts: &Path) -> Result<Value, Problem> {
    // Packages are looked for in the folders above a script.
    let packages = packages.canonicalize().map_err(bug)?;
    let folder = Folder::below(&packages)?;
    for entry in fs::read_dir(scripts).map_err(|error| bug(format!("{}: {error}", scripts.display())))? {
        let entry = entry.map_err(bug)?;
        fs::copy(entry.path(), folder.0.join(entry.file_name())).map_err(bug)?;
    }
    // What is measured first finds memory that nothing else has stretched.
    let mut figures = callbacks::figures(&folder.0)?;
    figures.extend(calls::figures(&folder.0)?);
    figures.extend(starts::figures(&folder.0)?);
    figures.extend(flight::figures(&folder.0)?);
    let figures: Map<String, Value> =
        figures.into_iter().map(|(key, value)| (key.to_owned(), rounded(value))).collect();
    Ok(Value::Object(figures))
}

/// An entry of a workspace for one of the scripts.
fn entry(name: impl Into<String>, script: &str) -> ServerEntry {
    let at = FilePlace { file: "bench".into(), place: Place { line: 1, column: 1 } };
    ServerEntry {
        name: name.into(),
        at,
        kind: ServerKind::Script(script.to_owned()),
        limits: Default::default(),
    }
}
