//! One run and several devices.

use insta::assert_snapshot;
use serde_json::Value;

use crate::space::Space;

/// A workspace whose tool `refuse` fails on one device.
fn lab() -> Space {
    let space = Space::lab();
    let script = "if (input.device.id === 'sim-2') throw new Error('not on this one');";
    space.tool("refuse", &format!("parameters: []\nscript: |\n  {script}\n"));
    space
}

/// `id device verdict`, as `run --json` says it.
fn results(result: &Value) -> Vec<String> {
    let text = |trail: &Value, key: &str| trail[key].as_str().unwrap().to_owned();
    let trails = result["trails"].as_array().unwrap().iter();
    trails.map(|trail| ["id", "device", "verdict"].map(|key| text(trail, key)).join(" ")).collect()
}

#[test]
fn every_trail_runs_on_every_device_and_a_failure_is_its_devices_own() {
    let space = lab();
    space.trail("a", &["tap: { text: Add one }", "refuse: {}"]);
    space.trail("b", &["assertVisible: { text: \"Count: 0\" }"]);
    let ran = space.run(&["run", "--device", "sim:3", "--json"]).exits(1);
    assert_eq!(
        results(&ran.json()),
        [
            "a sim-1 passed",
            "a sim-2 failed",
            "a sim-3 passed",
            "b sim-1 passed",
            "b sim-2 passed",
            "b sim-3 passed"
        ]
    );
    let junit = space.read(".trailblaze/runs/latest/junit.xml");
    for device in ["sim-1", "sim-2", "sim-3"] {
        let suite = format!("<testsuite name=\"{device}/trails\" tests=\"2\"");
        assert!(junit.contains(&suite), "{junit}");
    }
    // What a device leaves behind lies in a folder of its own.
    assert!(space.path(".trailblaze/runs/latest/sim-2/a/bundle.zip").is_file());
    assert!(!space.path(".trailblaze/runs/latest/sim-1").exists());
}

#[test]
fn lines_of_a_report_begin_with_their_device() {
    let space = lab();
    space.trail("a", &["refuse: {}"]);
    let ran = space.run(&["run", "--device", "sim-1,sim-2"]).exits(1);
    let lines = ran.stdout.lines().filter(|line| line.contains("sim-") && !line.contains(".png"));
    let mut lines: Vec<&str> = lines.filter(|line| !line.contains("bundle")).collect();
    // The devices run at the same time.
    lines[1..3].sort_unstable();
    assert_snapshot!(lines.join("\n"), @"
    Running 2 trails on sim-1, sim-2 (android-ondevice-accessibility)
    ✓ [sim-1] a  150 ms
    ✗ [sim-2] a  150 ms
    ✗ [sim-2] a  trails/a.trail.yaml:8:20
    ");
}

#[test]
fn events_say_which_device_they_are_of() {
    let space = lab();
    space.trail("a", &["tap: { text: Add one }"]);
    space.run(&["run", "--device", "sim:2", "--events", "events.jsonl"]).exits(0);
    let events = space.events("events.jsonl");
    for device in ["sim-1", "sim-2"] {
        let own = events.iter().filter(|event| event["device"] == device);
        let own: Vec<&str> = own.map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!((own.first(), own.last()), (Some(&"trailStarted"), Some(&"trailFinished")));
        assert!(own.contains(&"stepStarted"));
    }
}

#[test]
fn a_bundle_of_one_of_several_devices_replays() {
    let space = lab();
    space.trail("a", &["refuse: {}"]);
    space.run(&["run", "--device", "sim:2"]).exits(1);
    // As recorded.
    space.run(&["replay", ".trailblaze/runs/latest/sim-2/a/bundle.zip"]).exits(1);
}

#[test]
fn sessions_of_several_devices_are_captured_apart() {
    let space = lab();
    space.trail("a", &["tap: { text: Add one }"]);
    space.run(&["run", "--device", "sim:2", "--capture", "kept"]).exits(0);
    for device in ["sim-1", "sim-2"] {
        space.run(&["replay", &format!("kept/{device}/a")]).exits(0);
    }
}

#[test]
fn every_device_has_a_recording_of_its_own() {
    let space = lab();
    space.trail("a", &["tap: { text: Add one }"]);
    space.run(&["run", "--device", "sim:2", "--record", "recorded.trail.yaml"]).exits(0);
    for device in ["sim-1", "sim-2"] {
        let file = format!("recorded.{device}.trail.yaml");
        assert!(space.read(&file).contains("tap:"), "{file}");
        space.run(&["run", &file]).exits(0);
    }
}

#[test]
fn trails_are_spread_over_the_devices_the_longest_first() {
    let space = lab();
    for (name, taps) in [("brief", 1), ("long", 5), ("middling", 3)] {
        space.trail(name, &vec!["tap: { text: Add one }"; taps]);
    }
    let spread = ["run", "--device", "sim:2", "--shard-across", "--events", "events.jsonl", "--json"];
    let started = || -> Vec<String> {
        assert_eq!(space.run(&spread).exits(0).json()["trails"].as_array().unwrap().len(), 3);
        let events = space.events("events.jsonl");
        let started = events.iter().filter(|event| event["event"] == "trailStarted");
        started.map(|event| event["id"].as_str().unwrap().to_owned()).collect()
    };
    started();
    // Two start at the same time.
    let mut order = started();
    order[..2].sort_unstable();
    assert_eq!(order, ["long", "middling", "brief"]);
}

#[test]
fn devices_that_make_no_sense() {
    let space = lab();
    space.trail("a", &["refuse: {}"]);
    let said = |args: &[&str]| space.run(&[&["run"], args].concat()).to_string();
    assert_snapshot!(said(&["--device", "sim:2", "--jobs", "2"]), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: '--jobs' is for one sim, and other devices are named
    hint: leave it out: every device runs one trail at a time
    ");
    assert_snapshot!(said(&["--device", "sim:2,phone"]), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: 'sim:2' is no phone, and others that are named are
    hint: phones and sims need a run each
    ");
}
