//! The test suite of the MCP project against both halves of `rust/mcp`. `tests/conformance` judges what it finds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build_folder::BuildFolder;
use crate::json;
use crate::npm;
use crate::place::Place;
use crate::process::{Cmd, Talk};
use crate::sdk::{Lab, Trouble};

const FOLDER: &str = "tests/conformance";
const TESTS: &[&str] = &["judge.test.mjs"];
/// Each half, and the example of `rust/mcp` that plays it.
const HALVES: [(&str, &str); 2] = [("server", "conformance_server"), ("client", "conformance_client")];
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Runs both halves with the built examples.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<String, Trouble> {
    let lab = Lab::new(place, folder).map_err(Trouble::Missing)?;
    let judge = lab.node_tests(FOLDER, TESTS).map(|note| ("the judge", note));
    let mut results = vec![judge.map_err(|message| format!("the judge: {message}"))];
    for (half, example) in HALVES {
        let program = example_path(folder, example);
        let result = run(place, &lab.packages, half, &program);
        results.push(result.map(|note| (half, note)).map_err(|message| format!("{half}: {message}")));
    }
    let (passed, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    if !failed.is_empty() {
        let failed: Vec<String> = failed.into_iter().filter_map(Result::err).collect();
        return Err(Trouble::Failed(failed.join("; ")));
    }
    let notes = passed.into_iter().flatten().map(|(name, note)| format!("{name}: {note}"));
    Ok(notes.collect::<Vec<_>>().join("; "))
}

fn example_path(folder: &BuildFolder, name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folder.path().join("debug").join("examples").join(file)
}

fn run(place: &Place, packages: &Path, half: &str, program: &Path) -> Result<String, String> {
    if !program.is_file() {
        return Err(format!("there is no {}", program.display()));
    }
    let suite = Cmd::new(npm::program(packages, "bun"), &place.root.join(FOLDER))
        .env("TRAILBLAZE_SDK_PACKAGES", packages)
        .args(["run.mjs", half])
        .arg(program);
    let ended = suite.within(LIMIT, Talk::Shown)?;
    match ended.status {
        None => Err(format!("not over after {} minutes", LIMIT.as_secs() / 60)),
        Some(status) => judge(status.success(), &ended.told),
    }
}

/// From the last line: the figures, and whether they are good ones.
fn judge(ended_well: bool, told: &str) -> Result<String, String> {
    let line = told.lines().rev().find_map(|line| line.strip_prefix("judged "));
    let line = line.ok_or("it did not say what it judged")?;
    let number = |key: &str| json::number(line, key).ok_or_else(|| format!("it did not say how many {key}"));
    let (scenarios, checks) = (number("scenarios")?, number("checks")?);
    let (expected, problems) = (number("expected")?, number("problems")?);
    if problems > 0.0 {
        return Err(format!("{problems} problems in {scenarios} scenarios"));
    }
    if scenarios == 0.0 || checks == 0.0 {
        return Err("nothing was checked".to_owned());
    }
    if !ended_well {
        return Err("the run failed".to_owned());
    }
    Ok(format!("{checks} checks passed in {scenarios} scenarios, {expected} failures expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(scenarios: u32, checks: u32, problems: u32) -> String {
        format!(
            "server, 2025-11-25: …\njudged {{\"scenarios\":{scenarios},\"checks\":{checks},\"expected\":4,\"problems\":{problems}}}\n"
        )
    }

    #[test]
    fn figures_are_judged() {
        let good = "90 checks passed in 33 scenarios, 4 failures expected";
        assert_eq!(judge(true, &told(33, 90, 0)).as_deref(), Ok(good));
        assert_eq!(judge(false, &told(33, 90, 2)), Err("2 problems in 33 scenarios".to_owned()));
        assert_eq!(judge(false, &told(33, 90, 0)), Err("the run failed".to_owned()));
    }

    #[test]
    fn nothing_is_not_a_success() {
        assert_eq!(judge(true, &told(0, 0, 0)), Err("nothing was checked".to_owned()));
        assert_eq!(judge(true, &told(3, 0, 0)), Err("nothing was checked".to_owned()));
        assert_eq!(judge(true, ""), Err("it did not say what it judged".to_owned()));
        assert_eq!(judge(true, "judged {}"), Err("it did not say how many scenarios".to_owned()));
    }
}
