//! What a file that came back says of trails.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_model::event::{EventKind, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::{FilePlace, Place};
use trailblaze_model::test_name::{PACKAGE, TestName};

/// One try of a trail.
#[derive(Clone, Debug, Default)]
pub(super) struct Try {
    /// None: it was started, and nobody saw its end.
    pub verdict: Option<Verdict>,
    /// Why it was skipped or not run.
    pub reason: Option<String>,
    pub failure: Option<Failure>,
    /// None where the file does not say it.
    pub duration_ms: Option<u64>,
    /// Steps, warnings and files, where the file has them.
    pub events: Vec<EventKind>,
    /// How many steps it has.
    pub steps: usize,
    /// The folder that its files are in.
    pub folder: Option<PathBuf>,
}

/// How the run came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    /// The file does not tell.
    #[default]
    Unknown,
    /// The runner was done.
    Finished,
    /// The file ends in the middle, so long after the start in milliseconds, where that is known.
    Cut(Option<u64>),
    /// Something else ended it.
    Trouble(String),
}

/// Everything that one file says.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// The tries of each trail, in their order.
    pub trails: BTreeMap<Arc<str>, Vec<Try>>,
    /// Tests that are no trails of the workspace.
    pub strangers: Vec<String>,
    pub end: End,
}

impl Told {
    pub(super) fn tries(&mut self, id: &Arc<str>) -> &mut Vec<Try> {
        self.trails.entry(id.clone()).or_default()
    }

    /// The try that is under way, or a new one.
    pub(super) fn current(&mut self, id: &Arc<str>) -> &mut Try {
        let tries = self.tries(id);
        if tries.last().is_none_or(|last| last.verdict.is_some()) {
            tries.push(Try::default());
        }
        tries.last_mut().expect("just pushed")
    }
}

/// The trails of the workspace by all their names.
#[derive(Debug)]
pub(super) struct Names {
    ids: HashSet<Arc<str>>,
    tests: HashMap<String, Arc<str>>,
}

impl Names {
    pub(super) fn new(ids: &[Arc<str>]) -> Self {
        let tests = ids.iter().map(|id| (TestName::of(id).to_string(), id.clone())).collect();
        Self { ids: ids.iter().cloned().collect(), tests }
    }

    pub(super) fn by_id(&self, id: &str) -> Option<Arc<str>> {
        self.ids.get(id).cloned()
    }

    pub(super) fn by_test(&self, class: &str, method: &str) -> Option<Arc<str>> {
        self.tests.get(&format!("{class}#{method}")).cloned()
    }

    /// `login/valid` of our own reports, or `dev.trailblaze.trails.Login#valid` of a farm.
    pub(super) fn by_case(&self, class: &str, name: &str) -> Option<Arc<str>> {
        let of_suite =
            || if class == "trails" { self.by_id(name) } else { self.by_id(&format!("{class}/{name}")) };
        self.by_test(class, name).or_else(of_suite)
    }

    /// The longest id that a text begins with, and what follows it.
    pub(super) fn at_start<'t>(&self, text: &'t str) -> Option<(Arc<str>, &'t str)> {
        let ends = text.match_indices(": ").map(|(at, _)| at);
        let found = ends.filter_map(|at| Some((self.by_id(&text[..at])?, &text[at + 2..])));
        found.max_by_key(|(id, _)| id.len())
    }
}

/// Whether a test is one of ours, of whatever workspace.
pub(super) fn is_ours(class: &str) -> bool {
    class.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with('.'))
}

/// The failure that a stack tells of: our own text of a failure, or what a farm wrote.
pub(super) fn failure_of(stack: &str, is_error: bool) -> Failure {
    let stack = stack.trim();
    let (first, rest) = stack.split_once('\n').unwrap_or((stack, ""));
    let (at, rest) = match rest.split_once('\n').unwrap_or((rest, "")) {
        (line, after) if line.starts_with("at ") && place(&line[3..]).is_some() => (place(&line[3..]), after),
        _ => (None, rest),
    };
    let hint = rest.lines().find_map(|line| line.strip_prefix("hint: "));
    let message = if first.is_empty() { "failed, and nobody says why" } else { first.trim() };
    let kind =
        if is_error || is_infrastructure(stack) { FailureKind::Device } else { FailureKind::AssertionFailed };
    let rest: String =
        rest.lines().filter(|line| !line.starts_with("hint: ")).map(|line| format!("{line}\n")).collect();
    Failure {
        at,
        hint: hint.map(str::to_owned),
        stack: Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty()),
        ..Failure::new(kind, message)
    }
}

/// `file:line:column`
pub(super) fn place(text: &str) -> Option<FilePlace> {
    let mut parts = text.trim_end().rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(FilePlace { file: parts.next()?.into(), place: Place { line, column } })
}

/// Texts of the platform, of its tools and of our own runner that say that something else than the test failed.
const INFRASTRUCTURE: [&str; 8] = [
    "Test failed to run to completion",
    "Test run failed to complete",
    "Unable to find instrumentation",
    "Process crashed",
    "INSTALL_FAILED_",
    "is not installed, or cannot be started",
    "device offline",
    "device not found",
];

pub(super) fn is_infrastructure(text: &str) -> bool {
    INFRASTRUCTURE.iter().any(|known| text.contains(known))
}
