//! The tests, by nextest where it can be had, else by `cargo test`.

use std::fs;
use std::io::IsTerminal;
use std::path::PathBuf;

use crate::place::Place;
use crate::process::{Cmd, cargo};

use super::{Outcome, Run};

/// Raised by hand, so that a new release of nextest never changes what a test run means.
const VERSION: &str = "0.9.151";

pub(super) fn run(run: &Run) -> Outcome {
    match find_or_install(run.place) {
        Ok(nextest) => by_nextest(run, nextest),
        Err(reason) => {
            eprintln!("{reason}; the tests run by 'cargo test' instead");
            by_cargo_test(run, &reason)
        }
    }
}

fn by_nextest(run: &Run, nextest: PathBuf) -> Outcome {
    let mut command = Cmd::new(nextest, &run.place.root).args(["nextest", "run", "--workspace", "--locked"]);
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        command = command.args(["--color", "always"]);
    }
    match run.folder.set(command).passes_and_tells() {
        Ok((passed, told)) => {
            let summary = told.lines().map(str::trim).rfind(|line| line.starts_with("Summary ["));
            ended(passed, summary.map(str::to_owned).ok_or("nextest printed no summary"))
        }
        Err(message) => Outcome::Failed(message),
    }
}

fn by_cargo_test(run: &Run, reason: &str) -> Outcome {
    let command = run.folder.cargo(run.place);
    let command = command.args(["test", "--workspace", "--all-targets", "--locked", "--no-fail-fast"]);
    match command.passes_and_tells() {
        Ok((passed, told)) => {
            let summary = total(&told).map(|total| format!("{total} by cargo test, because {reason}"));
            ended(passed, summary.ok_or("no test was run"))
        }
        Err(message) => Outcome::Failed(message),
    }
}

/// A run that did not say how many tests it ran has not passed, whatever its exit code says.
fn ended(passed: bool, summary: Result<String, &str>) -> Outcome {
    match (passed, summary) {
        (true, Ok(summary)) => Outcome::Passed(summary),
        (false, Ok(summary)) => Outcome::Failed(summary),
        (_, Err(trouble)) => Outcome::Failed(trouble.to_owned()),
    }
}

/// `3 passed, 0 failed, 0 ignored`, over all programs of a `cargo test`.
fn total(told: &str) -> Option<String> {
    let count = |line: &str, what: &str| -> Option<u64> {
        let (before, _) = line.split_once(&format!(" {what};"))?;
        before.rsplit(' ').next()?.parse().ok()
    };
    let results: Vec<&str> = told.lines().filter(|line| line.starts_with("test result: ")).collect();
    let sum = |what: &str| results.iter().filter_map(|line| count(line, what)).sum::<u64>();
    let (passed, failed, ignored) = (sum("passed"), sum("failed"), sum("ignored"));
    (passed + failed > 0).then(|| format!("{passed} passed, {failed} failed, {ignored} ignored"))
}

fn find_or_install(place: &Place) -> Result<PathBuf, String> {
    let cached = place.tool("cargo-nextest");
    if version(place, &cached).is_some_and(|version| version == VERSION) {
        return Ok(cached);
    }
    let on_path = PathBuf::from("cargo-nextest");
    if version(place, &on_path).is_some_and(|version| version.starts_with("0.9.")) {
        return Ok(on_path);
    }
    eprintln!("nextest {VERSION} is built into {}, once", place.tools().display());
    // A build folder of its own, so that an interrupted build goes on where it stopped.
    let build = place.tools().join("build");
    // It only starts the tests: its own speed is not worth the time of an optimised build.
    cargo(place)
        .env("CARGO_TARGET_DIR", &build)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .args(["install", "cargo-nextest", "--locked", "--debug", "--no-default-features"])
        .args(["--version", VERSION, "--force", "--root"])
        .arg(place.tools())
        .run()
        .map_err(|_| format!("nextest {VERSION} could not be installed"))?;
    // Only room on the disk is lost when this fails.
    let _ = fs::remove_dir_all(build);
    Ok(cached)
}

/// The version that a program says it has; none when it cannot be run.
fn version(place: &Place, nextest: &PathBuf) -> Option<String> {
    let output = Cmd::new(nextest, &place.root).args(["nextest", "--version"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_cargo_test_are_added_up() {
        let told = "\
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
";
        assert_eq!(total(told).as_deref(), Some("15 passed, 2 failed, 1 ignored"));
        assert_eq!(total("test result: ok. 0 passed; 0 failed; 0 ignored;"), None);
    }

    #[test]
    fn a_run_without_a_summary_has_failed() {
        assert!(matches!(ended(true, Err("no test was run")), Outcome::Failed(_)));
    }
}
