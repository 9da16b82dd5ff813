//! `run --capture`, failure bundles and `replay`.

use std::fs;
use std::process::Output;

use insta::assert_snapshot;
use serde_json::Value;

use crate::space::{Ran, Space, json, trail_text};

/// Runs the command with a folder for temporary files of its own, and sees that nothing stays there.
#[track_caller]
pub(crate) fn clean(space: &Space, args: &[&str]) -> Ran {
    let folder = space.path("tmp");
    fs::create_dir_all(&folder).unwrap();
    let output: Output = space.command(args).env("TMPDIR", &folder).output().unwrap();
    let ran = space.ran(output);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "files were left: {:?}\n{ran}", space.files("tmp"));
    ran
}

/// The lines of one trail.
fn of_trail(events: &str, id: &str) -> Vec<String> {
    let own = |line: &&str| json(line)["trail"] == id;
    events.lines().filter(own).map(str::to_owned).collect()
}

/// Bundles are not made of what is replayed.
fn without_bundle(mut lines: Vec<String>) -> Vec<String> {
    lines.retain(|line| !line.contains(r#""event":"saved""#) || !line.contains(r#""name":"bundle""#));
    lines
}

#[test]
fn every_trail_of_the_example_replays_to_the_same_bytes() {
    let space = Space::empty();
    let shown = |name: &str| space.path(name).display().to_string();
    let (sessions, all, out) = (shown("sessions"), shown("all.jsonl"), shown("out"));
    let args = ["run", "examples/first", "-q", "--capture", &sessions, "--events", &all, "--out", &out];
    space.run_in_repository(&args).exits(0);
    let all = space.read("all.jsonl");
    let mut ids: Vec<String> = all
        .lines()
        .map(json)
        .filter(|event| event["event"] == "trailFinished")
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    assert_eq!(ids.len(), 12);
    for id in &ids {
        let session = format!("sessions/{}", id.replace('/', "-"));
        let ran = clean(&space, &["replay", &session, "--events", "again.jsonl"]).exits(0);
        assert!(ran.stdout.ends_with(&format!("{id}: as recorded (passed)\n")), "{ran}");
        assert_eq!(of_trail(&space.read("again.jsonl"), id), of_trail(&all, id), "{id}");
        assert_eq!(of_trail(&space.read(&format!("{session}/events.jsonl")), id), of_trail(&all, id), "{id}");
    }
    let ran = clean(&space, &["replay", "sessions", "--json", "-q"]).exits(0);
    assert_eq!(ran.json()["sessions"].as_array().unwrap().len(), 12);
}

#[test]
fn the_bundle_of_a_failure_replays_to_the_same_failure_elsewhere() {
    let space = Space::empty();
    let out = space.path("out").display().to_string();
    space.run_in_repository(&["run", "examples/first/trails-broken", "-q", "--out", &out]).exits(1);
    let elsewhere = Space::empty();
    fs::copy(space.path("out/broken-failing/bundle.zip"), elsewhere.path("bundle.zip")).unwrap();
    let ran = clean(&elsewhere, &["replay", "bundle.zip", "--events", "again.jsonl"]).exits(1);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (recorded)
    ✗ broken/failing  A wrong expectation  7.6 s
      ✓ Start Parcel with a courier signed in  2.0 s
      ✓ Search for a street
      ✓ Its first parcel is found
      ✗ Four parcels go to that street  5.0 s
        error: examples/first/trails-broken/failing.trail.yaml:29:11: no element with text '4 of 24 parcels' within 5 s
          in assertVisibleWithText {"text":"4 of 24 parcels"}
        hint: did you mean '3 of 24 parcels'?
      – 1 step not run

    0 passed, 1 failed in 7.6 s of virtual time
    broken/failing: as recorded (failed)
    ----- stderr
    "#);
    let id = "broken/failing";
    let before = without_bundle(of_trail(&space.read("out/events.jsonl"), id));
    assert_eq!(of_trail(&elsewhere.read("again.jsonl"), id), before);
    // Besides what it compiled for itself, it leaves nothing.
    let left = elsewhere.files(".").into_iter().filter(|file| !file.starts_with(".trailblaze/caches/"));
    assert_eq!(left.collect::<Vec<_>>(), ["again.jsonl", "bundle.zip"]);
}

#[test]
fn a_replay_can_keep_its_reports() {
    let space = counted();
    let args = ["replay", "sessions/one", "--out", "kept", "--junit", "j.xml", "--json"];
    let ran = clean(&space, &args).exits(0);
    assert_eq!(ran.verdicts(), ["one passed"]);
    assert_eq!(space.files("kept"), ["kept/events.jsonl", "kept/junit.xml", "kept/summary.md"]);
    assert_eq!(space.read("kept/junit.xml"), space.read("j.xml"));
}

/// A session of one trail that counts to one.
pub(crate) fn counted() -> Space {
    let space = Space::lab();
    space.trail("one", &["tap: { text: Add one }", "assertVisible: { text: 'Count: 1' }"]);
    space.run(&["run", "--capture", "sessions"]).exits(0);
    space
}

#[test]
fn a_session_holds_what_it_takes() {
    let space = counted();
    let files: Vec<String> = space.files("sessions");
    assert_snapshot!(files.join("\n"), @"
    sessions/one/documents/trailblaze-config/targets/lab.yaml
    sessions/one/documents/trailblaze.yaml
    sessions/one/documents/trails/one.trail.yaml
    sessions/one/events.jsonl
    sessions/one/screens/00000.tbsc
    sessions/one/screens/00001.tbsc
    sessions/one/session.json
    sessions/one/world.jsonl
    ");
    let mut meta = space.shown("sessions/one/session.json").replace(env!("CARGO_PKG_VERSION"), "[version]");
    let versions = json(&meta)["versions"].clone();
    for (key, value) in versions.as_object().unwrap() {
        meta = meta.replace(value.as_str().unwrap(), &format!("[{key}]"));
    }
    assert_snapshot!(meta, @r#"
    {
      "format": 1,
      "trailblaze": "[version]",
      "versions": {
        "app": "[app]",
        "system": "[system]"
      },
      "trail": "one",
      "file": "trails/one.trail.yaml",
      "root": ".",
      "verdict": "passed",
      "failure": null,
      "target": null,
      "driver": "android-ondevice-accessibility",
      "onDevice": false,
      "strict": false,
      "trailTimeoutMs": null,
      "memory": {},
      "secrets": {},
      "args": {}
    }
    "#);
    assert_snapshot!(space.shown("sessions/one/world.jsonl"), @r#"
    {"version":1,"device":"sim","driver":"android-ondevice-accessibility","width":1080,"height":2400,"classifiers":["android","phone"],"start":0,"installed":["com.example.lab"],"screens":2,"notes":9}
    {"t":0,"act":{"action":"stopApp","appId":"com.example.lab"}}
    {"t":0,"act":{"action":"clearAppData","appId":"com.example.lab"}}
    {"t":0,"act":{"action":"launchApp","appId":"com.example.lab"}}
    {"t":0,"changed":0}
    {"t":100,"screen":0}
    {"t":150,"front":"com.example.lab"}
    {"t":150,"act":{"action":"tap","x":540,"y":650}}
    {"t":150,"changed":150}
    {"t":250,"screen":1}
    "#);
}

#[test]
fn what_the_app_wrote_and_how_it_broke_comes_again() {
    let space = Space::lab();
    space.trail("log", &["tap: { id: field }", "inputText: { text: hello }", "tap: { text: Slow }"]);
    space.trail("boom", &["tap: { text: Boom }"]);
    space.run(&["run", "--capture", "sessions", "--events", "all.jsonl"]).exits(1);
    assert!(space.read("all.jsonl").contains("typed hello"));
    for (id, code) in [("log", 0), ("boom", 1)] {
        let session = format!("sessions/{id}");
        let ran = clean(&space, &["replay", &session, "--events", "again.jsonl"]).exits(code);
        assert!(ran.stdout.contains(&format!("{id}: as recorded (")), "{ran}");
        let before = without_bundle(of_trail(&space.read("all.jsonl"), id));
        assert_eq!(of_trail(&space.read("again.jsonl"), id), before);
    }
}

#[test]
fn values_and_other_trails_are_part_of_a_session() {
    let space = Space::lab();
    space.write("trails/parts/inner.trail.yaml", trail_text("", &["tap: { text: Add one }"]));
    let calls = [
        "runTrail: { path: parts/inner.trail.yaml }",
        "tap: { id: field }",
        "inputText: { text: \"${who} {{args.count}}\" }",
        "inputTextRandom: { variable: name }",
    ];
    space.write("trails/outer.trail.yaml", trail_text("id: outer, args: { count: integer }", &calls));
    let args = [
        "run",
        "trails/outer.trail.yaml",
        "--memory",
        "who=Ada",
        "--arg",
        "count=3",
        "--capture",
        "sessions",
    ];
    space.run(&[&args[..], &["--events", "all.jsonl"]].concat()).exits(0);
    fs::remove_dir_all(space.path("trails")).unwrap();
    fs::remove_dir_all(space.path("trailblaze-config")).unwrap();
    fs::remove_file(space.path("app.js")).unwrap();
    clean(&space, &["replay", "sessions/outer", "--events", "again.jsonl"]).exits(0);
    assert_eq!(of_trail(&space.read("again.jsonl"), "outer"), of_trail(&space.read("all.jsonl"), "outer"));
}

#[test]
fn a_later_run_takes_the_place_of_an_older_session() {
    let space = counted();
    space.trail("one", &["assertVisible: { text: 'Count: 0' }"]);
    space.run(&["run", "--capture", "sessions"]).exits(0);
    assert_eq!(space.files("sessions/one/screens").len(), 1);
    clean(&space, &["replay", "sessions/one"]).exits(0);
}

#[test]
fn ids_that_give_one_name_have_sessions_of_their_own() {
    let space = Space::lab();
    space.trail("a/b", &["tap: { text: Add one }"]);
    space.trail("a-b", &[]);
    for _ in 0..2 {
        space.run(&["run", "--capture", "sessions", "--jobs", "2"]).exits(0);
        let ran = clean(&space, &["replay", "sessions", "-q"]).exits(0);
        assert!(ran.stdout.contains("a/b: as recorded") && ran.stdout.contains("a-b: as recorded"), "{ran}");
        assert_eq!(fs::read_dir(space.path("sessions")).unwrap().count(), 2);
    }
}

#[test]
fn a_trail_that_changed_says_where_the_recorded_world_has_no_answer() {
    let space = counted();
    let file = "sessions/one/documents/trails/one.trail.yaml";
    space.write(file, space.read(file).replace("tap: { text: Add one }", "tap: { text: Slow }"));
    let ran = clean(&space, &["replay", "sessions/one", "--events", "again.jsonl"]).exits(1);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (recorded)
    ✗ one  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/one.trail.yaml:8:20: the recorded world has no answer to {"action":"tap","x":540,"y":770}; it saw {"action":"tap","x":540,"y":650} here
          in tap {"text":"Slow"}
        hint: the trail changed since; record the session again
      – 1 step not run

    0 passed, 1 failed in 150 ms of virtual time
    one: not as recorded (passed)
    ----- stderr
    "#);
    let finished = of_trail(&space.read("again.jsonl"), "one").pop().unwrap();
    assert_eq!(json(&finished)["failure"]["kind"], "NotRecorded");
    // One gesture more than was recorded.
    let space = counted();
    space.write(
        file,
        space.read(file) + "  - step: More\n    recording: { android: [ { pressBack: {} } ] }\n",
    );
    let ran = clean(&space, &["replay", "sessions/one"]).exits(1);
    assert!(ran.stdout.contains("✗ More"), "{ran}");
    assert!(
        ran.stdout.contains(r#"the recorded world ends here; it has no answer to {"action":"back"}"#),
        "{ran}"
    );
    // What is only looked for is answered as long as the screen was seen.
    let space = counted();
    space.write(file, space.read(file).replace("Count: 1", "Count: 7"));
    let ran = clean(&space, &["replay", "sessions/one"]).exits(1);
    assert!(ran.stdout.contains("hint: did you mean 'Count: 1'?"), "{ran}");
    assert!(ran.stdout.contains("one: not as recorded (passed)"), "{ran}");
}

#[test]
fn the_recorded_driver_runs_trails_on_a_session() {
    let space = counted();
    let ran = space.run(&["run", "--driver", "recorded", "--device", "sessions/one", "--json"]).exits(0);
    assert_eq!(ran.verdicts(), ["one passed"]);
    space.trail("one", &["tap: { text: Slow }"]);
    let ran = space.run(&["run", "--driver", "recorded", "--device", "sessions/one"]).exits(1);
    assert!(ran.stdout.contains("the recorded world has no answer to"), "{ran}");
    assert_snapshot!(space.run(&["run", "--driver", "recorded"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: '--driver recorded' needs the session that it runs on
    hint: name it with '--device DIR'
    ");
    assert_snapshot!(space.run(&["run", "--driver", "recorded", "--device", "none"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: none: it does not exist
    hint: give a session folder or a bundle
    ");
    space.trail("two", &[]);
    space.run(&["run", "trails/two.trail.yaml", "--capture", "sessions"]).exits(0);
    assert_snapshot!(space.run(&["run", "--driver", "recorded", "--device", "sessions"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: 'sessions' holds 2 sessions
    hint: name one of them with --device
    ");
    assert_snapshot!(clean(&space, &["replay", "sessions", "--events", "e.jsonl"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: sessions holds 2 sessions
    hint: replay them one by one to write reports
    ");
}

/// Every file below a folder that has these bytes in it.
fn holding(space: &Space, below: &str, needle: &str) -> Vec<String> {
    let has = |name: &String| {
        let bytes = fs::read(space.path(name)).unwrap();
        bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
    };
    space.files(below).into_iter().filter(has).collect()
}

#[test]
fn a_secret_is_in_no_session_and_no_bundle_and_the_replay_passes() {
    let space = Space::lab();
    let calls = [
        "tap: { id: field }",
        "inputText: { text: \"${pin}\" }",
        "assertVisible: { text: \"${pin}\" }",
        "assertVisibleBySelector: { nodeSelector: { androidAccessibility: { resourceIdRegex: '.*/field' } }, expectedText: \"${pin}\" }",
        "adbShell: { command: \"echo ${pin}\" }",
        "openUrl: { url: \"https://lab.example/${pin}\" }",
        "assertVisible: { text: \"link https://lab.example/${pin}\" }",
        "clearText: {}",
    ];
    space.trail("good", &calls);
    let failing = [&calls[..], &["assertVisible: { text: \"${pin} is not here\" }"]].concat();
    space.trail("bad", &failing);
    // Written down by someone who did not know better.
    space.trail(
        "plain",
        &[
            "tap: { id: field }",
            "inputText: { text: \"my zebra-4711\" }",
            "assertVisible: { text: \"my zebra-4711\" }",
        ],
    );
    let args = ["run", "--secret", "pin=zebra-4711", "--memory", "copy=zebra-4711", "--capture", "sessions"];
    space.run(&[&args[..], &["--out", "out", "--events", "all.jsonl"]].concat()).exits(1);
    assert!(space.path("out/bad/bundle.zip").is_file());
    assert_eq!(holding(&space, "sessions", "zebra-4711"), [""; 0]);
    assert_eq!(holding(&space, "out", "zebra-4711"), [""; 0]);
    assert!(!holding(&space, "sessions/good", "***").is_empty(), "it was there");
    for (path, id, code) in [
        ("sessions/good", "good", 0),
        ("sessions/plain", "plain", 0),
        ("sessions/bad", "bad", 1),
        ("out/bad/bundle.zip", "bad", 1),
    ] {
        let ran = clean(&space, &["replay", path, "--events", "again.jsonl"]).exits(code);
        assert!(ran.stdout.contains(": as recorded ("), "{ran}");
        let before = without_bundle(of_trail(&space.read("all.jsonl"), id));
        assert_eq!(of_trail(&space.read("again.jsonl"), id), before, "{path}");
    }
}

#[test]
fn a_run_that_passes_leaves_no_bundle() {
    let space = Space::lab();
    space.trail("good", &["tap: { text: Add one }"]);
    space.write("trails/live.trail.yaml", "trail:\n  - step: Think\n");
    space.run(&["run", "--out", "out"]);
    let bundles: Vec<String> = space.files("out").into_iter().filter(|name| name.ends_with(".zip")).collect();
    assert_eq!(bundles, [""; 0], "nothing failed that a replay could show");
}

#[test]
fn the_same_run_gives_the_same_bundle() {
    let space = Space::lab();
    space.trail("bad", &["tap: { text: Add one }", "assertVisible: { text: nowhere }"]);
    let bundles = ["a", "b"].map(|out| {
        space.run(&["run", "--out", out]).exits(1);
        fs::read(space.path(out).join("bad/bundle.zip")).unwrap()
    });
    assert!(bundles[0] == bundles[1]);
    let value: Value =
        space.events("a/events.jsonl").into_iter().find(|event| event["name"] == "bundle").unwrap();
    assert_eq!(value["file"], "bad/bundle.zip");
}
