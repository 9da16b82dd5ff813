//! A phone with trails in its APK, and a run on it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use trailblaze::phone;
use trailblaze_engine::host::Cancel;

use crate::paper::{Block, PaperPhone, State};

const TARGET: &str = "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n";

pub(crate) const LAUNCH: &str = "launchApp: { appId: com.example.lab }";
pub(crate) const ADD: &str = "tap: { text: Add one }";
pub(crate) const ONE: &str = "assertVisibleWithText: { text: 'Count: 1' }";
/// Holds never.
pub(crate) const NINE: &str = "assertVisibleWithText: { text: 'Count: 9' }";

/// A phone, and a folder on it that is removed at the end of the test.
pub(crate) struct Lab {
    pub root: PathBuf,
    pub phone: Arc<PaperPhone>,
    pub cancel: Cancel,
}

impl Drop for Lab {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A trail with one step per call.
pub(crate) fn trail(config: &str, calls: &[&str]) -> String {
    let mut text = format!("config: {{ {config} }}\ntrail:\n");
    for (index, call) in calls.iter().enumerate() {
        text += &format!("  - step: Step {}\n    recording:\n      android: [ {{ {call} }} ]\n", index + 1);
    }
    text
}

impl Lab {
    /// An APK without anything.
    pub(crate) fn bare() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("trailblaze-phone-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        let root = root.canonicalize().unwrap();
        let phone = Arc::new(PaperPhone::new(root.join("files")));
        Self { root, phone, cancel: Cancel::default() }
    }

    /// An APK with a workspace, and no trails.
    pub(crate) fn new() -> Self {
        Self::bare()
            .asset("trailblaze.yaml", "target: lab\n")
            .asset("trailblaze-config/targets/lab.yaml", TARGET)
    }

    /// With trails that begin by starting the app.
    pub(crate) fn with(trails: &[(&str, &[&str])]) -> Self {
        trails.iter().fold(Self::new(), |lab, (id, calls)| {
            lab.asset(&format!("trails/{id}.trail.yaml"), &trail("", &[&[LAUNCH], *calls].concat()))
        })
    }

    pub(crate) fn asset(self, path: &str, text: &str) -> Self {
        self.set(|state| state.assets.insert(format!("trailblaze/{path}"), text.as_bytes().to_vec()))
    }

    pub(crate) fn set<T>(self, change: impl FnOnce(&mut State) -> T) -> Self {
        change(&mut self.phone.state());
        self
    }

    pub(crate) fn broken(self, method: &'static str) -> Self {
        self.set(|state| state.broken.insert(method))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    pub(crate) fn run(&self, arguments: &[(&str, &str)]) -> Ran<'_> {
        let pairs = arguments.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        phone::run_by(self.phone.clock.clone(), self.phone.clone(), pairs, &self.cancel);
        let state = &mut *self.phone.state();
        let mut finished = std::mem::take(&mut state.finished);
        assert_eq!(finished.len(), 1, "a run is finished once: {finished:?}");
        let (statuses, done) = (std::mem::take(&mut state.statuses), std::mem::take(&mut state.done));
        Ran { lab: self, statuses, finish: finished.remove(0), done }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Every file below a folder, sorted.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.join(below)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    let inner = entry.path().strip_prefix(self.root.join(below)).unwrap().to_owned();
                    found.push(inner.to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }
}

/// What a host and a person see of a run.
pub(crate) struct Ran<'a> {
    pub lab: &'a Lab,
    pub statuses: Vec<Block>,
    pub finish: Block,
    pub done: Vec<String>,
}

impl Ran<'_> {
    /// `code Class#method current/numtests`, without the package.
    pub(crate) fn told(&self) -> Vec<String> {
        let line = |block: &Block| {
            let class = block.get("class").trim_start_matches("dev.trailblaze.trails.");
            let (test, current, all) = (block.get("test"), block.get("current"), block.get("numtests"));
            format!("{} {class}#{test} {current}/{all}", block.code)
        };
        self.statuses.iter().map(line).collect()
    }

    /// The tests that were run or listed, in order.
    pub(crate) fn tests(&self) -> Vec<String> {
        let ends = self.statuses.iter().filter(|block| block.code != 1);
        ends.map(|block| block.get("trail").to_owned()).collect()
    }

    /// How each test ended: `code trail`.
    pub(crate) fn ends(&self) -> Vec<String> {
        let ends = self.statuses.iter().filter(|block| block.code != 1);
        ends.map(|block| format!("{} {}", block.code, block.get("trail"))).collect()
    }

    /// What is said about the end of a test.
    #[track_caller]
    pub(crate) fn stack(&self, trail: &str) -> &str {
        let end = self.statuses.iter().find(|block| block.code != 1 && block.get("trail") == trail);
        end.unwrap_or_else(|| panic!("no end of {trail}: {:?}", self.told())).get("stack")
    }

    /// The run came to its end, every test that was started has one, and the phone is as it was.
    #[track_caller]
    pub(crate) fn finishes(self) -> Self {
        assert_eq!(self.finish.code, -1, "{:?}", self.finish);
        self.is_paired();
        self
    }

    #[track_caller]
    fn is_paired(&self) {
        let mut open: Option<(String, String)> = None;
        for block in &self.statuses {
            let name = (block.get("class").to_owned(), block.get("test").to_owned());
            assert!(!name.0.is_empty() && !name.1.is_empty(), "{block:?}");
            match open.take() {
                None => {
                    assert_eq!(block.code, 1, "an end without a start: {block:?}");
                    open = Some(name);
                }
                Some(started) => {
                    assert!(block.code != 1, "two starts: {block:?}");
                    assert_eq!(started, name);
                }
            }
        }
        assert_eq!(open, None, "a start without an end");
    }

    /// Nothing could be run, and which tests there are is not known; returns what the host is told.
    #[track_caller]
    pub(crate) fn gives_up(&self) -> String {
        self.refuses(&[])
    }

    /// Nothing could be run: each of these trails is an error with the reason, which is returned.
    #[track_caller]
    pub(crate) fn refuses(&self, trails: &[&str]) -> String {
        assert_eq!(self.finish.code, 0, "{:?}", self.finish);
        let (short, long) = (self.finish.get("shortMsg"), self.finish.get("longMsg"));
        assert_eq!(long.lines().next(), Some(short));
        self.is_paired();
        let expected: Vec<String> = trails.iter().map(|trail| format!("-1 {trail}")).collect();
        assert_eq!(self.ends(), expected, "{long}");
        trails.iter().for_each(|trail| assert_eq!(self.stack(trail), long));
        let count = trails.len().to_string();
        assert!(self.statuses.iter().all(|block| block.get("numtests") == count), "{:?}", self.told());
        assert!(self.lab.phone.state().logged.iter().any(|line| line == long));
        long.replace(&*self.lab.root.to_string_lossy(), "[root]")
    }

    pub(crate) fn report(&self, name: &str) -> String {
        self.lab.read(&format!("files/reports/{name}"))
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        self.report("events.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
