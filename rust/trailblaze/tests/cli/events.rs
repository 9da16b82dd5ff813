//! `--events`: one line of JSON for everything that happens.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::space::Space;

#[test]
fn the_lines_of_a_small_run() {
    let space = Space::lab();
    space.trail("small", &["tap: { text: Add one }", "assertVisible: { text: Count 1 }"]);
    space.run(&["run", "--events", "events.jsonl", "--out", "out"]).exits(1);
    assert_snapshot!(space.shown("events.jsonl"));
    assert_eq!(space.read("events.jsonl"), space.read("out/events.jsonl"));
}

#[test]
fn every_line_begins_with_event_and_time() {
    let space = Space::empty();
    let events = space.path("events.jsonl").display().to_string();
    let out = space.path("out").display().to_string();
    space.run_in_repository(&["run", "examples/first", "-q", "--events", &events, "--out", &out]).exits(0);
    let mut kinds = std::collections::BTreeSet::new();
    for event in space.events("events.jsonl") {
        let event = event.as_object().unwrap();
        let keys: Vec<&str> = event.keys().map(String::as_str).take(2).collect();
        assert_eq!(keys, ["event", "t"], "{event:?}");
        assert!(event["t"].is_u64(), "{event:?}");
        let kind = event["event"].as_str().unwrap().to_owned();
        let of_run = kind == "runStarted" || kind == "runFinished";
        assert_eq!(event.contains_key("trail"), !of_run, "{event:?}");
        kinds.insert(kind);
    }
    let kinds: Vec<String> = kinds.into_iter().collect();
    assert_snapshot!(kinds.join(" "), @"device log notRecordable recorded runFinished runStarted saved stepFinished stepStarted toolFinished toolStarted trailFinished trailStarted");
}

#[test]
fn what_reaches_the_device_reads_as_documented() {
    let space = Space::lab();
    space.trail(
        "gestures",
        &[
            "tap: { text: Add one }",
            "tap: { x: 540, y: 650 }",
            "tap: { text: Slow, longPress: true }",
            "maestro: { commands: [ { doubleTapOn: Add one }, scroll, { tapOn: { point: \"50%,10%\" } } ] }",
            "swipe: { direction: UP }",
            "dragByPoints: { startX: 100, startY: 1300, endX: 100, endY: 1500, durationMs: 700 }",
            "pinch: { scale: 2 }",
            "tap: { id: field }",
            "inputText: { text: Grüße, hideKeyboardAfter: false }",
            "eraseText: { charactersToErase: 2 }",
            "eraseText: {}",
            "pressKey: { keyCode: ENTER }",
            "hideKeyboard: {}",
            "pressBack: {}",
            "openUrl: { url: \"https://lab.example/p/5\" }",
            "mobile_setClipboard: { text: copied }",
            "tap: { id: field }",
            "mobile_pasteClipboard: {}",
            "networkConnection: { connected: false }",
            "adbShell: { command: echo hello }",
            "grantPermission: { packageId: com.example.lab, permission: android.permission.CAMERA }",
            "pressHome: {}",
            "stopApp: { appId: com.example.lab }",
            "clearAppData: { packageId: com.example.lab }",
            "launchApp: { appId: com.example.lab, launchMode: RESUME }",
            "launchApp: { appId: com.example.lab, launchMode: FORCE_RESTART }",
        ],
    );
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    assert_snapshot!(space.device_events("events.jsonl").join("\n"), @r#"
    {"action":"stopApp","appId":"com.example.lab"}
    {"action":"clearAppData","appId":"com.example.lab"}
    {"action":"launchApp","appId":"com.example.lab"}
    {"action":"tap","x":540,"y":650}
    {"action":"tap","x":540,"y":650}
    {"action":"longPress","x":540,"y":770,"durationMs":500}
    {"action":"doubleTap","x":540,"y":650}
    {"action":"swipe","x1":540,"y1":1200,"x2":540,"y2":240,"durationMs":400}
    {"action":"tap","x":540,"y":240}
    {"action":"swipe","x1":540,"y1":1200,"x2":540,"y2":240,"durationMs":400}
    {"action":"drag","x1":100,"y1":1300,"x2":100,"y2":1500,"durationMs":700}
    {"action":"pinch","scale":2.0}
    {"action":"tap","x":540,"y":450}
    {"action":"setText","node":4,"text":"Grüße"}
    {"action":"eraseText","count":2}
    {"action":"eraseText","count":3}
    {"action":"key","name":"ENTER"}
    {"action":"hideKeyboard"}
    {"action":"back"}
    {"action":"openLink","link":"https://lab.example/p/5"}
    {"action":"setClipboard","text":"copied"}
    {"action":"tap","x":540,"y":450}
    {"action":"pasteClipboard"}
    {"action":"setConnected","connected":false}
    {"action":"shell","command":"echo hello"}
    {"action":"grantPermission","appId":"com.example.lab","permission":"android.permission.CAMERA"}
    {"action":"home"}
    {"action":"stopApp","appId":"com.example.lab"}
    {"action":"clearAppData","appId":"com.example.lab"}
    {"action":"launchApp","appId":"com.example.lab"}
    {"action":"stopApp","appId":"com.example.lab"}
    {"action":"launchApp","appId":"com.example.lab"}
    "#);
}

#[test]
fn the_same_trail_gives_the_same_bytes() {
    let space = Space::lab();
    space.trail(
        "random",
        &[
            "tap: { id: field }",
            "inputTextRandom: { variable: name, prefix: \"Guest \", digitCount: 6 }",
            "tap: { text: Slow }",
            "assertVisible: { text: Here at last }",
        ],
    );
    let files = ["one", "two", "three"].map(|name| {
        let file = format!("{name}.jsonl");
        space.run(&["run", "--events", &file]);
        space.read(&file)
    });
    assert!(files[0].lines().count() > 10);
    assert_eq!(files[0], files[1]);
    assert_eq!(files[0], files[2]);
}

#[test]
fn the_example_gives_the_same_bytes() {
    let space = Space::empty();
    let files = ["one", "two"].map(|name| {
        let (events, out) = (space.path(&format!("{name}.jsonl")), space.path(name));
        let (events, out) = (events.display().to_string(), out.display().to_string());
        space
            .run_in_repository(&["run", "examples/first", "-q", "--events", &events, "--out", &out])
            .exits(0);
        space.read(&format!("{name}.jsonl"))
    });
    assert_eq!(files[0], files[1]);
}

#[test]
fn twenty_seconds_of_waiting_take_milliseconds() {
    let space = Space::lab();
    space.trail(
        "slow",
        &[
            "tap: { text: Slow }",
            "maestro: { commands: [ { extendedWaitUntil: { visible: Here at last, timeout: 30000 } } ] }",
        ],
    );
    let started = Instant::now();
    let ran = space.run(&["run", "--json"]).exits(0);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let took = ran.json()["trails"][0]["durationMs"].as_u64().unwrap();
    assert!((20_000..21_000).contains(&took), "{took}");
}

#[test]
fn calls_of_yaml_tools_stand_below_the_call() {
    let space = Space::lab();
    space
        .tool("lab_addTwo", "parameters: []\ntools:\n  - tap: { text: Add one }\n  - tap: { text: Add one }");
    space.trail("nested", &["lab_addTwo: {}"]);
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    let calls: Vec<String> = space
        .events("events.jsonl")
        .iter()
        .filter(|event| event["event"] == "toolStarted")
        .map(|event| {
            format!("{} {} in {} via {}", event["call"], event["tool"], event["parent"], event["via"])
        })
        .collect();
    assert_snapshot!(calls.join("\n"), @r#"
    1 "launchApp" in null via "trail"
    2 "lab_addTwo" in null via "trail"
    3 "tap" in 2 via "expansion"
    4 "tap" in 2 via "expansion"
    "#);
}

#[test]
fn what_the_app_logs_is_an_event() {
    let space = Space::lab();
    space.trail("log", &["tap: { id: field }", "inputText: { text: hello }"]);
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    let events = space.read("events.jsonl");
    let log = events.lines().find(|line| line.contains(r#""event":"log""#)).unwrap();
    assert_snapshot!(log, @r#"{"event":"log","t":300,"trail":"log","level":"info","source":"app","message":"typed hello"}"#);
}
