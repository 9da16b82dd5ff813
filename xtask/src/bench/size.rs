//! The size of the stripped program, and its history.

use std::fs;
use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::process::Cmd;

use super::figure::{Figure, Unit};

/// One line per record: the version, the commit it was built from, the bytes of the stripped program.
const HISTORY: &str = "xtask/size-history.csv";
const HEAD: &str = "version,commit,bytes\n";

pub(super) fn figure(program: &Path, temp: &Path) -> Figure {
    let mebibytes = stripped_bytes(program, temp).map(|bytes| bytes as f64 / f64::from(1 << 20));
    Figure::shown("program, stripped", Unit::Mebibytes, mebibytes)
}

/// Appends a line to the history, unless the last one says the same.
pub(super) fn record(place: &Place, program: &Path, temp: &Path) -> Result<(), String> {
    let version = said(Cmd::new(program, temp).arg("--version"))?;
    let version = version.split_whitespace().last().unwrap_or("unknown").to_owned();
    let commit = said(Cmd::new("git", &place.root).args(["rev-parse", "--short", "HEAD"]))?;
    let line = format!("{version},{commit},{}\n", stripped_bytes(program, temp)?);
    let path = place.root.join(HISTORY);
    let history = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.to_owned());
    if !history.ends_with(&line) {
        fs::write(&path, history + &line).map_err(|error| format!("{HISTORY}: {error}"))?;
    }
    eprintln!("{HISTORY}: {}", line.trim_end());
    Ok(())
}

fn stripped_bytes(program: &Path, temp: &Path) -> Result<u64, String> {
    let stripped: PathBuf = temp.join("stripped");
    let strip = Cmd::new("strip", temp).arg("-o").arg(&stripped).arg(program).output()?;
    if !strip.status.success() {
        return Err("strip failed".to_owned());
    }
    fs::metadata(&stripped).map(|file| file.len()).map_err(|error| format!("strip: {error}"))
}

fn said(command: Cmd) -> Result<String, String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
