//! The size of the libraries, its budget and its history.

use std::fs;

use crate::place::Place;
use crate::process::Cmd;
use crate::table;

use super::library::Library;

/// For one library, stripped. A test APK carries both, and every run on a farm uploads it.
pub(super) const BUDGET: u64 = 4_500_000;

/// One line per record: the version, the commit it was built from, the bytes of each library.
const HISTORY: &str = "xtask/android-size-history.csv";
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn fits(library: &Library) -> bool {
    library.bytes <= BUDGET
}

pub(super) fn table(libraries: &[Library]) -> String {
    let row = |library: &Library| {
        let ok = if fits(library) { "yes" } else { "NO" };
        vec![library.abi.to_owned(), megabytes(library.bytes), megabytes(BUDGET), ok.to_owned()]
    };
    table::render(&["library", "stripped", "budget", "ok"], &libraries.iter().map(row).collect::<Vec<_>>())
}

/// `arm64-v8a 0.37 MB, x86_64 0.42 MB`
pub(super) fn summary(libraries: &[Library]) -> String {
    let one = |library: &Library| format!("{} {}", library.abi, megabytes(library.bytes));
    libraries.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Appends a line to the history, unless the last one says the same.
pub(super) fn record(place: &Place, libraries: &[Library]) -> Result<(), String> {
    let output = Cmd::new("git", &place.root).args(["rev-parse", "--short", "HEAD"]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let commit = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let bytes: Vec<String> = libraries.iter().map(|library| library.bytes.to_string()).collect();
    let line = format!("{VERSION},{commit},{}\n", bytes.join(","));
    let path = place.root.join(HISTORY);
    let history = fs::read_to_string(&path).unwrap_or_else(|_| head(libraries));
    if !history.ends_with(&line) {
        fs::write(&path, history + &line).map_err(|error| format!("{HISTORY}: {error}"))?;
    }
    eprintln!("{HISTORY}: {}", line.trim_end());
    Ok(())
}

fn head(libraries: &[Library]) -> String {
    let abis: Vec<&str> = libraries.iter().map(|library| library.abi).collect();
    format!("version,commit,{}\n", abis.join(","))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}
