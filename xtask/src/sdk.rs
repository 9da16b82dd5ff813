//! The TypeScript SDK under Node and bun, and toolsets that need packages: in QuickJS through the program, and as
//! processes. The packages are installed once, into the cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build_folder::BuildFolder;
use crate::packages;
use crate::place::Place;
use crate::process::{Cmd, Talk};

const SDK: &str = "sdks/typescript/scripting";
const SDK_TESTS: &[&str] =
    &["test/host.test.mjs", "test/stdio.test.mjs", "test/official.test.mjs", "test/testing.test.mjs"];
const TOOLSETS: &str = "tests/toolsets";
const TOOLSETS_TESTS: &[&str] = &["bundles.test.mjs", "processes.test.mjs", "types.test.mjs"];
/// The packages by name and version; where they come from is set on the machine.
const PACKAGES: &str = "sdks/typescript/packages/package.json";
/// What was installed, beside it.
const STAMP: &str = "installed.json";
/// The programs among the packages.
const PROGRAMS: [&str; 4] = ["tsc", "tsx", "bun", "esbuild"];

const OLDEST_NODE: u32 = 20;
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// How the tests ended, other than by passing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// This machine lacks something.
    Missing(String),
    Failed(String),
}

/// Runs everything with the built program.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<String, Trouble> {
    let node = find_node(place).map_err(Trouble::Missing)?;
    let npm = packages::provide(place, "npm", "npm").map_err(Trouble::Missing)?;
    let packages = install(place, &npm).map_err(Trouble::Missing)?;
    let lab = Lab { place, node, packages, program: folder.program("debug", "trailblaze") };
    let mut notes = Vec::new();
    let mut failed = Vec::new();
    let docs = folder.cargo(place).env("TRAILBLAZE_SDK_PACKAGES", &lab.packages);
    let docs = docs.args(["test", "--workspace", "--test", "docs", "--locked", "--quiet"]);
    for (name, result) in [
        ("the SDK", lab.node_tests(SDK, SDK_TESTS)),
        ("its types", lab.types()),
        ("toolsets", lab.node_tests(TOOLSETS, TOOLSETS_TESTS)),
        ("the pages", passes(docs)),
    ] {
        match result {
            Ok(note) if note.is_empty() => {}
            Ok(note) => notes.push(format!("{name}: {note}")),
            Err(message) => failed.push(format!("{name}: {message}")),
        }
    }
    match failed.as_slice() {
        [] => Ok(notes.join("; ")),
        failed => Err(Trouble::Failed(failed.join("; "))),
    }
}

fn passes(command: Cmd) -> Result<String, String> {
    if command.passes()? { Ok(String::new()) } else { Err("failed".to_owned()) }
}

/// What the tests are run with.
struct Lab<'a> {
    place: &'a Place,
    node: PathBuf,
    packages: PathBuf,
    program: PathBuf,
}

impl Lab<'_> {
    fn node_tests(&self, folder: &str, files: &[&str]) -> Result<String, String> {
        let runtimes = ["bun", "tsx"].map(|name| program(&self.packages, name));
        let runtimes = env::join_paths(runtimes).map_err(|error| error.to_string())?;
        let node = Cmd::new(&self.node, &self.place.root.join(folder))
            .env("TRAILBLAZE_PROGRAM", &self.program)
            .env("TRAILBLAZE_SDK_PACKAGES", &self.packages)
            .env("TRAILBLAZE_SDK_RUNTIMES", runtimes)
            .args(["--test", "--test-reporter=spec"]);
        let ended = node.args(files).within(LIMIT, Talk::Shown)?;
        let count = count(&ended.told);
        match (ended.status, count) {
            (None, _) => Err(format!("not over after {} minutes", LIMIT.as_secs() / 60)),
            (_, None) => Err("Node did not say how many tests it ran".to_owned()),
            (Some(status), Some(count)) => judge(status.success(), count),
        }
    }

    fn types(&self) -> Result<String, String> {
        let tsc = Cmd::new(program(&self.packages, "tsc"), &self.place.root.join(SDK));
        passes(tsc.args(["--project", "tsconfig.json"]))
    }
}

/// The figures at the end of a run of Node's tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
    /// Cancelled, skipped or to do.
    not_run: u64,
}

fn count(told: &str) -> Option<Count> {
    let number = |name: &str| -> Option<u64> {
        let lines = told.lines().filter_map(|line| line.trim().strip_prefix("ℹ ")?.strip_prefix(name));
        lines.filter_map(|rest| rest.trim().parse().ok()).next_back()
    };
    let not_run = number("cancelled")? + number("skipped")? + number("todo")?;
    Some(Count { passed: number("pass")?, failed: number("fail")?, not_run })
}

/// Nothing that is left out passes: everything that these tests need is here.
fn judge(ended_well: bool, count: Count) -> Result<String, String> {
    let Count { passed, failed, not_run } = count;
    match (ended_well, passed, failed, not_run) {
        (_, _, 1.., _) => Err(format!("{failed} of {} tests failed", passed + failed + not_run)),
        (_, _, _, 1..) => Err(format!("{not_run} tests were not run")),
        (_, 0, _, _) => Err("no test was run".to_owned()),
        (false, ..) => Err("Node failed".to_owned()),
        (true, ..) => Ok(format!("{passed} tests passed")),
    }
}

fn find_node(place: &Place) -> Result<PathBuf, String> {
    let node = packages::provide(place, "node", "nodejs")?;
    let output = Cmd::new(&node, &place.root).arg("--version").output()?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match major(&said) {
        Some(OLDEST_NODE..) => Ok(node),
        _ => Err(format!("the tests need node {OLDEST_NODE} or newer, and this one says '{said}'")),
    }
}

/// The first number of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// The folder with the packages in its `node_modules`, installed now unless they are there.
fn install(place: &Place, npm: &Path) -> Result<PathBuf, String> {
    let folder = place.tools().join("sdk");
    let trouble = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let list = place.root.join(PACKAGES);
    let wanted = fs::read_to_string(&list).map_err(|error| trouble(&list, error))?;
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && lacking(&folder).is_none() {
        return Ok(folder);
    }
    eprintln!("the packages of {PACKAGES} are installed into {}, once", folder.display());
    fs::create_dir_all(&folder).map_err(|error| trouble(&folder, error))?;
    fs::write(folder.join("package.json"), &wanted).map_err(|error| trouble(&folder, error))?;
    let install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    let ended = Cmd::new(npm, &folder).args(install).within(LIMIT, Talk::Shown)?;
    if !ended.status.is_some_and(|status| status.success()) {
        return Err(format!("npm cannot install what the tests need: {}", npm_reason(&ended.told)));
    }
    if let Some(name) = lacking(&folder) {
        return Err(format!("npm installed a {name} that does not run here"));
    }
    // Without it they are installed again, no more.
    let _ = fs::write(stamp, wanted);
    Ok(folder)
}

/// The first program that is not there, or is of no use on this machine.
fn lacking(folder: &Path) -> Option<&'static str> {
    PROGRAMS.into_iter().find(|name| !Cmd::new(program(folder, name), folder).arg("--version").works())
}

fn program(packages: &Path, name: &str) -> PathBuf {
    let end = if cfg!(windows) { ".cmd" } else { "" };
    packages.join("node_modules").join(".bin").join(format!("{name}{end}"))
}

/// The line of npm that says the most.
fn npm_reason(told: &str) -> &str {
    let lines = || told.lines().filter_map(|line| line.strip_prefix("npm error ")).map(str::trim);
    let says = |line: &&str| !line.starts_with("code ") && !line.starts_with("errno ") && !line.is_empty();
    lines().find(says).or_else(|| lines().next()).unwrap_or("it does not say why")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_node_are_read() {
        let told = "✔ a test (1ms)\nℹ tests 9\nℹ suites 1\nℹ pass 5\nℹ fail 1\nℹ cancelled 1\nℹ skipped 2\nℹ todo 0\n";
        assert_eq!(count(told), Some(Count { passed: 5, failed: 1, not_run: 3 }));
        assert_eq!(count("✔ a test (1ms)\n"), None);
    }

    #[test]
    fn what_was_not_run_has_not_passed() {
        let judge =
            |ended_well, passed, failed, not_run| judge(ended_well, Count { passed, failed, not_run });
        assert_eq!(judge(true, 5, 0, 0).as_deref(), Ok("5 tests passed"));
        assert_eq!(judge(false, 5, 2, 1), Err("2 of 8 tests failed".to_owned()));
        assert_eq!(judge(true, 5, 0, 1), Err("1 tests were not run".to_owned()));
        assert_eq!(judge(true, 0, 0, 0), Err("no test was run".to_owned()));
        assert_eq!(judge(false, 5, 0, 0), Err("Node failed".to_owned()));
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("20"), None);
    }

    #[test]
    fn npm_says_why() {
        let told =
            "npm error code E404\nnpm error 404 Not Found - GET\nnpm error A complete log of this run\n";
        assert_eq!(npm_reason(told), "404 Not Found - GET");
        assert_eq!(npm_reason("npm error code EUSAGE\n"), "code EUSAGE");
        assert_eq!(npm_reason(""), "it does not say why");
    }
}
