//! A folder of its own for each test, and the command run in it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// The app that most tests use.
pub(crate) const APP: &str = include_str!("app.js");

/// The folder of the repository, for the example workspace.
pub(crate) fn repository() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("the crate lies two folders deep").to_owned()
}

/// A folder that is removed at the end of the test.
#[derive(Debug)]
pub(crate) struct Space {
    root: PathBuf,
}

impl Drop for Space {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning.
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl Space {
    pub(crate) fn empty() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("trailblaze-cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        Self { root: root.canonicalize().unwrap() }
    }

    /// A workspace with the app and one target, and no trails.
    pub(crate) fn lab() -> Self {
        let space = Self::empty();
        space.write("app.js", APP);
        space.write("trailblaze.yaml", "target: lab\n");
        space.target("");
        space
    }

    /// Writes the target, with more lines for its Android block.
    pub(crate) fn target(&self, more: &str) {
        let text = "id: lab\ndisplay_name: Lab\nsim: { app: ./app.js }\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n";
        self.write("trailblaze-config/targets/lab.yaml", format!("{text}{more}"));
    }

    /// A tool file with its rest: description, parameters and so on.
    pub(crate) fn tool(&self, id: &str, rest: &str) {
        let text = format!("id: {id}\ndescription: For a test.\n{rest}\n");
        self.write(&format!("trailblaze-config/tools/{id}.yaml"), &text);
    }

    pub(crate) fn toolset(&self, id: &str, rest: &str) {
        self.write(&format!("trailblaze-config/toolsets/{id}.yaml"), format!("id: {id}\n{rest}\n"));
    }

    /// A trail with one step per line; a line is a call in flow style. It begins by starting the app.
    pub(crate) fn trail(&self, name: &str, calls: &[&str]) {
        let file = format!("trails/{name}.trail.yaml");
        self.write(&file, trail_text("", calls));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A file as it is compared: without what differs from run to run or from version to version.
    pub(crate) fn shown(&self, name: &str) -> String {
        self.filter(&self.read(name))
    }

    /// Every file below the folder, sorted.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path(below)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    found.push(entry.path().strip_prefix(&self.root).unwrap().to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// The events of a file as values.
    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        self.read(name).lines().map(json).collect()
    }

    /// What reached the device, a line of JSON each, without the time and the trail.
    pub(crate) fn device_events(&self, name: &str) -> Vec<String> {
        let mut events = self.events(name);
        events.retain(|event| event["event"] == "device");
        events
            .iter_mut()
            .map(|event| {
                let event = event.as_object_mut().unwrap();
                event.retain(|key, _| key != "t" && key != "trail" && key != "event");
                Value::Object(event.clone()).to_string()
            })
            .collect()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trailblaze"));
        command.args(args).current_dir(&self.root).stdin(Stdio::null());
        command
            .env_remove("COLUMNS")
            .env_remove("NO_COLOR")
            .env("XDG_CACHE_HOME", self.path(".trailblaze/caches"));
        // What else there is to run scripts with differs from machine to machine.
        command.env("TRAILBLAZE_SCRIPT_RUNTIME", "quickjs");
        command
    }

    /// Runs the command in the folder.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.ran(self.command(args).output().unwrap())
    }

    /// Runs the command in the folder of the repository.
    pub(crate) fn run_in_repository(&self, args: &[&str]) -> Ran {
        self.ran(self.command(args).current_dir(repository()).output().unwrap())
    }

    /// Starts the command and goes on.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn ran(&self, output: Output) -> Ran {
        let filter = |bytes: &[u8]| self.filter(std::str::from_utf8(bytes).expect("output is UTF-8"));
        Ran { code: output.status.code(), stdout: filter(&output.stdout), stderr: filter(&output.stderr) }
    }

    /// The folder may be shown whole, or from a repository that lies beside it.
    fn without_root(&self, text: &str) -> String {
        let name = self.root.file_name().unwrap().to_string_lossy();
        let mut parts = text.split(&*name);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let path = out.rfind([' ', '\n', '"', '\'', '(']).map_or(0, |at| at + 1);
            out.truncate(path);
            out.push_str("[space]");
            out.push_str(part);
        }
        out
    }

    /// Takes out what differs from run to run, the folder and the name of the run, and the version.
    fn filter(&self, text: &str) -> String {
        let mut rest = self.without_root(text);
        for key in ["\"version\":\"", "\"version\": \""] {
            rest = rest.replace(&format!("{key}{}", env!("CARGO_PKG_VERSION")), &format!("{key}[version]"));
        }
        let mut out = String::new();
        const RUNS: &str = ".trailblaze/runs/";
        while let Some(at) = rest.find(RUNS).map(|at| at + RUNS.len()) {
            let after = &rest[at..];
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(after.len());
            out += &rest[..at];
            // A run is called after its time; other names stay.
            out += if after.starts_with('2') { "[run]" } else { &after[..end] };
            rest = after[end..].to_owned();
        }
        out + &rest
    }
}

/// A trail with one step per call.
pub(crate) fn trail_text(config: &str, calls: &[&str]) -> String {
    let mut text = String::new();
    if !config.is_empty() {
        text += &format!("config: {{ {config} }}\n");
    }
    text += "trailhead:\n  step: Start\n  recording:\n    android: { launchApp: { appId: com.example.lab } }\ntrail:\n";
    for (index, call) in calls.iter().enumerate() {
        text += &format!("  - step: Step {}\n    recording:\n      android: [ {{ {call} }} ]\n", index + 1);
    }
    if calls.is_empty() {
        text += "  - step: Nothing\n    recording: { android: [] }\n";
    }
    text
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("no JSON: {error}: {text}"))
}

/// What the command did. Prints as one text: the exit code, stdout, stderr.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        assert!(!self.stderr.contains("panicked at"), "{self}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        json(&self.stdout)
    }

    /// Ids and verdicts of `run --json`.
    #[track_caller]
    pub(crate) fn verdicts(&self) -> Vec<String> {
        let result = self.json();
        let trails = result["trails"].as_array().expect("a list of trails");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        trails.iter().map(|trail| format!("{} {}", text(&trail["id"]), text(&trail["verdict"]))).collect()
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit: {code}")?,
            None => writeln!(f, "exit: by a signal")?,
        }
        write!(f, "----- stdout\n{}----- stderr\n{}", self.stdout, self.stderr)
    }
}
