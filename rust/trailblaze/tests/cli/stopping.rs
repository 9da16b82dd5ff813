//! Runs that are interrupted or killed, and commands that go on until they are.
#![cfg(unix)]

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::reports::well_formed;
use crate::scripts::{lab_tool, tool};
use crate::space::{APP, Space, json};

/// Trails whose taps take real time, so that a run can be caught in the middle: 40 seconds if nobody stops it.
fn long() -> Space {
    let space = Space::lab();
    let app = APP.replace("case 'add': return", "case 'add': burn(); return");
    let burn =
        "const burn = () => { let x = 0; for (let i = 0; i < 600000; i++) x = (x * 31 + i) % 1000003 }";
    space.write("app.js", format!("{app}\n{burn}\n"));
    space.trail("a/quick", &[]);
    space.trail("b/long", &vec!["tap: { text: Add one }"; 2000]);
    space.trail("c/never", &[]);
    space
}

const REPORTS: &[&str] = &["run", "--events", "events.jsonl", "--junit", "junit.xml", "--out", "out"];

/// Waits until the third tap has reached the device.
fn wait_for_taps(space: &Space, child: &mut Child) {
    let start = Instant::now();
    loop {
        let events = std::fs::read_to_string(space.path("events.jsonl")).unwrap_or_default();
        if events.matches(r#""action":"tap""#).count() >= 3 {
            return;
        }
        assert!(child.try_wait().unwrap().is_none(), "the run ended too early");
        assert!(start.elapsed() < Duration::from_secs(30), "the run does not get going");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_interrupted_run_writes_its_reports() {
    for name in ["INT", "TERM"] {
        let space = long();
        let mut child = space.start(REPORTS);
        wait_for_taps(&space, &mut child);
        signal(&child, name);
        let stopped = Instant::now();
        let ran = space.ran(child.wait_with_output().unwrap()).exits(130);
        assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());
        assert!(ran.stdout.contains("interrupted"), "{ran}");

        let events = space.events("events.jsonl");
        let last = events.last().unwrap();
        assert_eq!((&last["event"], &last["interrupted"]), (&"runFinished".into(), &true.into()));
        assert_eq!(last["notRun"], 1, "{last}");
        let junit = space.read("junit.xml");
        well_formed(&junit);
        for case in ["quick", "long", "never"] {
            assert!(junit.contains(&format!("<testcase name=\"{case}\"")), "{junit}");
        }
        assert!(junit.contains("not run: the run was interrupted"), "{junit}");
        assert!(space.read("out/summary.md").contains("interrupted"));
        assert_eq!(space.read("out/events.jsonl"), space.read("events.jsonl"));
    }
}

#[test]
fn an_interrupted_run_in_json_is_one_object() {
    let space = long();
    let mut child = space.start(&[REPORTS, &["--json"]].concat());
    wait_for_taps(&space, &mut child);
    signal(&child, "INT");
    let ran = space.ran(child.wait_with_output().unwrap()).exits(130);
    assert_eq!(ran.verdicts(), ["a/quick passed", "b/long failed", "c/never notRun"]);
    assert_eq!(ran.json()["trails"][1]["failure"]["kind"], "Interrupted");
}

#[test]
fn an_interrupted_run_is_not_tried_again() {
    let space = long();
    let mut child = space.start(&[REPORTS, &["--retries", "3", "--jobs", "2"]].concat());
    wait_for_taps(&space, &mut child);
    signal(&child, "INT");
    space.ran(child.wait_with_output().unwrap()).exits(130);
    let events = space.read("events.jsonl");
    assert!(!events.contains(r#""attempt":2"#), "{events}");
}

#[test]
fn a_killed_run_leaves_whole_lines_and_names_what_was_running() {
    let space = long();
    let mut child = space.start(REPORTS);
    wait_for_taps(&space, &mut child);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));

    let text = space.read("events.jsonl");
    assert!(text.ends_with("}\n"), "the last line is whole");
    for line in text.lines() {
        assert!(json(line)["event"].is_string());
    }
    let junit = space.read("junit.xml");
    well_formed(&junit);
    let case = junit.split("<testcase ").find(|case| case.starts_with("name=\"long\"")).unwrap();
    assert!(case.contains("was running when the report was written"), "{junit}");
    assert!(junit.contains("<testcase name=\"quick\""), "{junit}");
}

/// A command that watches, and what it wrote until now.
struct Watching {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Watching {
    fn start(space: &Space, args: &[&str]) -> Self {
        let mut child = space.start(args);
        let said = Arc::new(Mutex::new(String::new()));
        let (mut stderr, all) = (child.stderr.take().unwrap(), said.clone());
        std::thread::spawn(move || {
            let mut part = [0; 1024];
            while let Ok(length @ 1..) = stderr.read(&mut part) {
                all.lock().unwrap().push_str(&String::from_utf8_lossy(&part[..length]));
            }
        });
        Self { child, said }
    }

    fn rounds(&self) -> usize {
        self.said.lock().unwrap().matches("waiting for changes").count()
    }

    fn wait_for_round(&mut self, round: usize) {
        let start = Instant::now();
        while self.rounds() < round {
            assert!(self.child.try_wait().unwrap().is_none(), "it ended: {}", self.said.lock().unwrap());
            assert!(start.elapsed() < Duration::from_secs(30), "{}", self.said.lock().unwrap());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// It does nothing again by itself, and an interrupt ends it at once.
    fn ends(mut self, round: usize) {
        std::thread::sleep(Duration::from_millis(700));
        assert_eq!(self.rounds(), round, "{}", self.said.lock().unwrap());
        signal(&self.child, "INT");
        let stopped = Instant::now();
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        assert!(stopped.elapsed() < Duration::from_secs(2), "{:?}", stopped.elapsed());
    }
}

#[test]
fn watched_bundles_are_made_again_until_an_interrupt() {
    let space = lab_tool("() => \"one\"");
    let mut watching = Watching::start(&space, &["bundle", "--watch"]);
    watching.wait_for_round(1);
    space.write("tools/lab.ts", tool("lab_tool", "", "() => \"two\""));
    watching.wait_for_round(2);
    let bundles = space.files("bundles");
    assert!(bundles.iter().any(|file| space.read(file).contains("two")), "{bundles:?}");
    watching.ends(2);
    let ran = space.run(&["bundle", "--watch", "--out", "."]).exits(2);
    assert!(ran.stderr.contains("cannot go into the very folder that is watched"), "{ran}");
}

#[test]
fn watched_tests_see_what_changes_while_they_run() {
    let space = lab_tool("() => 1");
    let test = |body: &str| {
        format!(
            "import {{ test }} from \"@trailblaze/scripting/test\";\ntest(\"works\", async () => {{ {body} }});\n"
        )
    };
    // It takes real time, so that the change comes while it runs.
    space
        .write("tools/lab.test.ts", test("for (let x = 0, i = 0; i < 2e7; i++) x = (x * 31 + i) % 1000003;"));
    let mut watching = Watching::start(&space, &["tool", "test", "--watch", "--junit", "junit.xml"]);
    let start = Instant::now();
    while space.files(".trailblaze/runs").is_empty() {
        assert!(start.elapsed() < Duration::from_secs(30), "the run does not get going");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(watching.rounds(), 0, "the run was over too soon");
    space.write("tools/lab.test.ts", test(""));
    watching.wait_for_round(2);
    watching.ends(2);
}
