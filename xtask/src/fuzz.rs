//! `cargo xtask fuzz`: runs the targets of `fuzz/`, which is a workspace of its own because it needs a nightly toolchain.
//!
//! The same inputs run as bounded random tests on stable with every `cargo xtask test`.

use std::env;
use std::fs;

use crate::Trouble;
use crate::options::{Options, Usage};
use crate::place::Place;
use crate::process::Cmd;

pub(crate) fn run(place: &Place, args: &[String]) -> Result<bool, Trouble> {
    let mut options = Options::new(args);
    let seconds = match options.values("--seconds")?.pop() {
        None => 60,
        Some(text) => parse_seconds(&text)?,
    };
    let wanted = options.word();
    options.end()?;
    let known = targets(place)?;
    let chosen = match &wanted {
        None => known,
        Some(target) if known.contains(target) => vec![target.clone()],
        Some(target) => {
            return Err(Trouble::Usage(format!("unknown target '{target}'; there are {}", known.join(", "))));
        }
    };
    let missing = missing(place);
    if !missing.is_empty() {
        for (what, hint) in missing {
            eprintln!("error: {what}\nhint: {hint}");
        }
        return Ok(false);
    }
    let mut crashed = Vec::new();
    for target in chosen {
        let limit = format!("-max_total_time={seconds}");
        let fuzz = nightly_cargo(place).env("CARGO_TARGET_DIR", place.cache.join("target-fuzz"));
        if !fuzz.args(["fuzz", "run", "--fuzz-dir", ".", &target, "--", &limit]).passes()? {
            crashed.push(target);
        }
    }
    if !crashed.is_empty() {
        eprintln!("error: failed: {}\nhint: inputs that crashed are in fuzz/artifacts", crashed.join(", "));
    }
    Ok(crashed.is_empty())
}

fn parse_seconds(text: &str) -> Result<u32, Usage> {
    // libFuzzer takes 0 for no limit.
    match text.parse() {
        Ok(seconds @ 1..) => Ok(seconds),
        _ => Err(Usage(format!("--seconds needs a whole number above 0, not '{text}'"))),
    }
}

fn targets(place: &Place) -> Result<Vec<String>, String> {
    let folder = place.root.join("fuzz").join("targets");
    let trouble = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(trouble)? {
        let path = entry.map_err(trouble)?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// What has to be installed first, with how to do it.
fn missing(place: &Place) -> Vec<(&'static str, String)> {
    let mut missing = Vec::new();
    if !nightly_cargo(place).arg("--version").works() {
        missing.push(("there is no nightly toolchain", "rustup toolchain install nightly".to_owned()));
    } else if !nightly_cargo(place).args(["fuzz", "--version"]).works() {
        let root = place.tools();
        let hint = format!("cargo install cargo-fuzz --locked --root {}", root.display());
        missing.push(("cargo-fuzz is not installed", hint));
    }
    missing
}

/// Through rustup, because the cargo that started this task belongs to another toolchain, and inside `fuzz/`, where
/// cargo-fuzz finds a package.
fn nightly_cargo(place: &Place) -> Cmd {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([place.tools().join("bin")]);
    let command = Cmd::new("rustup", &place.root.join("fuzz")).args(["run", "nightly", "cargo"]);
    match env::join_paths(folders) {
        Ok(path) => command.quiet_env("PATH", path),
        Err(_) => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_an_end_is_refused() {
        assert_eq!(parse_seconds("5"), Ok(5));
        assert!(parse_seconds("0").is_err());
        assert!(parse_seconds("soon").is_err());
    }
}
