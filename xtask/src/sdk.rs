//! The TypeScript SDK under Node and bun, toolsets that need packages, in QuickJS through the program and as processes,
//! toolsets in Python, and the program's own MCP server driven by clients that others wrote.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use crate::build_folder::BuildFolder;
use crate::passed::Passed;
use crate::place::Place;
use crate::process::{Cmd, Talk};
use crate::{npm, packages, python};

const SDK: &str = "sdks/typescript/scripting";
const SDK_TESTS: &[&str] =
    &["test/host.test.mjs", "test/stdio.test.mjs", "test/official.test.mjs", "test/testing.test.mjs"];
const TOOLSETS: &str = "tests/toolsets";
const TOOLSETS_TESTS: &[&str] =
    &["bundles.test.mjs", "processes.test.mjs", "servers.test.mjs", "types.test.mjs"];
const PYTHON_TESTS: &[&str] = &["python.test.mjs"];
const RPC: &str = "tests/rpc";
const RPC_TESTS: &[&str] =
    &["acme.test.mjs", "curl.test.mjs", "generated.test.mjs", "rust.test.mjs", "typescript.test.mjs"];
const RPC_PYTHON_TESTS: &[&str] = &["grpc.test.mjs", "python.test.mjs"];
const FARM: &str = "tests/farm";
const FARM_TESTS: &[&str] = &["aws.test.mjs"];
const GCLOUD_TESTS: &[&str] = &["gcloud.test.mjs"];
const DEVICE_RUN_TESTS: &[&str] = &["device-run.test.mjs"];
const CLIENTS: &str = "tests/mcp/clients";
const CLIENTS_TESTS: &[&str] = &["clients.test.mjs"];

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
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<Passed, Trouble> {
    let mut lab = Lab::new(place, folder).map_err(Trouble::Missing)?;
    let python = python::install(place);
    lab.python = python.as_ref().ok().cloned();
    let mut docs = folder.cargo(place).env("TRAILBLAZE_SDK_PACKAGES", &lab.packages);
    if let Some(python) = &lab.python {
        docs = docs.env("TRAILBLAZE_PYTHON", python);
    }
    let docs = docs.args(["test", "--workspace", "--test", "docs", "--locked", "--quiet"]);
    let mut results = vec![
        ("the SDK", lab.node_tests(SDK, SDK_TESTS)),
        ("its types", lab.types()),
        ("toolsets", lab.node_tests(TOOLSETS, TOOLSETS_TESTS)),
        ("the pages", passes(docs)),
        ("MCP clients", lab.node_tests(CLIENTS, CLIENTS_TESTS)),
        ("RPC clients", lab.node_tests(RPC, RPC_TESTS)),
    ];
    if lab.python.is_some() {
        results.push(("toolsets in Python", lab.node_tests(TOOLSETS, PYTHON_TESTS)));
        results.push(("RPC clients in Python", lab.node_tests(RPC, RPC_PYTHON_TESTS)));
        results.push(("plans for AWS", lab.node_tests(FARM, FARM_TESTS)));
        if has_gcloud(place) {
            results.push(("plans for gcloud", lab.node_tests(FARM, GCLOUD_TESTS)));
        }
        if knows_device_run(place) {
            results.push(("plans for Device Run", lab.node_tests(FARM, DEVICE_RUN_TESTS)));
        }
    }
    let mut notes = Vec::new();
    let mut failed = Vec::new();
    for (name, result) in results {
        match result {
            Ok(note) if note.is_empty() => {}
            Ok(note) => notes.push(format!("{name}: {note}")),
            Err(message) => failed.push(format!("{name}: {message}")),
        }
    }
    if !failed.is_empty() {
        return Err(Trouble::Failed(failed.join("; ")));
    }
    let mut passed = Passed::all(notes.join("; "));
    if !has_gcloud(place) {
        passed = passed.but("gcloud", "there is no program 'gcloud'");
    } else if !knows_device_run(place) {
        passed = passed.but("Device Run", "this gcloud has no command 'beta device-run'; update it");
    }
    Ok(match python {
        Ok(_) => passed,
        Err(reason) => passed.but("Python", &reason),
    })
}

/// The farms' own program; a machine that has none checks the rest.
fn has_gcloud(place: &Place) -> bool {
    Cmd::new("gcloud", &place.root).arg("--version").works()
}

/// Device Run is newer than many a gcloud, which cannot read its lines.
fn knows_device_run(place: &Place) -> bool {
    let command = ["beta", "device-run", "sessions", "submit", "instrumentation", "--help"];
    Cmd::new("gcloud", &place.root).args(command).works()
}

fn passes(command: Cmd) -> Result<String, String> {
    if command.passes()? { Ok(String::new()) } else { Err("failed".to_owned()) }
}

/// What the tests are run with.
pub(crate) struct Lab<'a> {
    place: &'a Place,
    node: PathBuf,
    npm: PathBuf,
    pub(crate) packages: PathBuf,
    program: PathBuf,
    /// None where a test has no use for it, or the machine cannot have it.
    python: Option<PathBuf>,
}

impl<'a> Lab<'a> {
    /// With what this machine lacks installed; an error says what cannot be.
    pub(crate) fn new(place: &'a Place, folder: &BuildFolder) -> Result<Self, String> {
        let node = find_node(place)?;
        let npm = npm::find(place)?;
        let packages = npm::install(place)?;
        let program = folder.program("debug", "trailblaze");
        Ok(Self { place, node, npm, packages, program, python: None })
    }

    pub(crate) fn node_tests(&self, folder: &str, files: &[&str]) -> Result<String, String> {
        let runtimes = ["bun", "tsx"].map(|name| npm::program(&self.packages, name));
        let runtimes = env::join_paths(runtimes).map_err(|error| error.to_string())?;
        let mut node = Cmd::new(&self.node, &self.place.root.join(folder))
            .env("TRAILBLAZE_PROGRAM", &self.program)
            .env("TRAILBLAZE_NPM", &self.npm)
            .env("TRAILBLAZE_SDK_PACKAGES", &self.packages)
            .env("TRAILBLAZE_SDK_RUNTIMES", runtimes);
        if let Some(python) = &self.python {
            node = node.env("TRAILBLAZE_PYTHON", python);
        }
        let ended = node.args(["--test", "--test-reporter=spec"]).args(files).within(LIMIT, Talk::Shown)?;
        let count = count(&ended.told);
        match (ended.status, count) {
            (None, _) => Err(format!("not over after {} minutes", LIMIT.as_secs() / 60)),
            (_, None) => Err("Node did not say how many tests it ran".to_owned()),
            (Some(status), Some(count)) => judge(status.success(), count),
        }
    }

    fn types(&self) -> Result<String, String> {
        let tsc = Cmd::new(npm::program(&self.packages, "tsc"), &self.place.root.join(SDK));
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
}
