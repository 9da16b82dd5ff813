//! When a server starts, how it ends, and what happens when it ends too early.

use insta::assert_snapshot;

use crate::lab::{lab, lab_with, node, run};
use crate::space::Space;

/// Says in files that it started and how it ended.
const POLITE: &str = r#"import { writeFileSync } from "node:fs";
import { serve, text } from "./mcp.mjs";

writeFileSync("started.txt", "");
process.on("SIGTERM", () => writeFileSync("ended.txt", "by a signal"));
serve([{ name: "lab_greet", handler: () => text("hello") }], () => writeFileSync("ended.txt", "in peace"));
"#;

fn polite() -> Space {
    let space = lab(&[&node("polite")]);
    space.write("tools/polite.mjs", POLITE);
    space.trail("one", &["lab_greet: {}"]);
    space
}

#[test]
fn a_server_ends_gracefully_with_its_session() {
    let space = polite();
    run(&space, &["run"]).exits(0);
    assert_eq!(space.read("ended.txt"), "in peace");
}

#[test]
fn a_server_that_is_only_asked_for_its_tools_ends_afterwards() {
    let space = polite();
    run(&space, &["tools", "lab_greet"]).exits(0);
    assert_eq!(space.read("ended.txt"), "in peace");
}

#[test]
fn a_server_ends_gracefully_after_a_trail_that_failed() {
    let space = polite();
    space.trail("two", &["assertVisible: { text: nowhere }"]);
    run(&space, &["run"]).exits(1);
    assert_eq!(space.read("ended.txt"), "in peace");
}

#[test]
fn nothing_is_started_without_a_session() {
    let space = polite();
    run(&space, &["check"]).exits(0);
    assert!(!space.path("started.txt").exists());
}

/// Crashes when it is called.
const CRASH: &str = r#"
  { name: "lab_greet", handler: () => text("hello") },
  { name: "lab_crash", handler: () => {
    console.error("the disk is full");
    console.error("giving up");
    process.exit(3);
  } },
"#;

#[test]
fn a_crash_in_the_middle_of_a_session_aborts_with_what_the_server_said_last() {
    let space = lab_with(CRASH);
    space.trail("a", &["lab_greet: {}", "lab_crash: {}", "lab_greet: {}"]);
    space.trail("b", &["lab_greet: {}"]);
    assert_snapshot!(run(&space, &["run"]), @"
    exit: 5
    ----- stdout
    Running 2 trails on sim (android-ondevice-accessibility)
    ✗ a  150 ms
      ✓ Start
      ✓ Step 1
      ✗ Step 2
        error: trails/a.trail.yaml:11:20: server 'one' exited with code 3 before it answered 'tools/call'
          in lab_crash
          its last lines on stderr:
            the disk is full
            giving up
        step-3-failed: .trailblaze/runs/[run]/a/step-3-failed.png
        bundle: .trailblaze/runs/[run]/a/bundle.zip
      – 1 step not run
    – b  not run: a toolset server is gone

    ✗ a  trails/a.trail.yaml:11:20
    0 passed, 1 failed, 1 not run in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn a_trail_whose_server_crashed_is_not_tried_again() {
    let space = lab_with(CRASH);
    space.trail("a", &["lab_crash: {}"]);
    run(&space, &["run", "--retries", "3", "--events", "events.jsonl"]).exits(5);
    assert!(!space.read("events.jsonl").contains(r#""attempt":2"#));
}

#[test]
fn the_last_64_lines_stand_in_the_error_and_all_of_them_in_the_log() {
    let space = lab_with(
        r#"{ name: "lab_crash", handler: () => {
    for (let n = 1; n <= 100; n++) console.error(`line ${n}`);
    process.exitCode = 3;
    process.stdin.destroy();
    return new Promise(() => {});
  } }"#,
    );
    space.trail("a", &["lab_crash: {}"]);
    let ran = run(&space, &["run", "--events", "events.jsonl"]).exits(5);
    let shown: Vec<&str> =
        ran.stdout.lines().map(str::trim).filter(|line| line.starts_with("line ")).collect();
    assert_eq!(
        (shown.len(), shown.first(), shown.last()),
        (64, Some(&"line 37"), Some(&"line 100")),
        "{ran}"
    );
    let events = space.events("events.jsonl");
    let logged = events.iter().filter(|event| event["event"] == "log" && event["source"] == "one");
    assert_eq!(logged.count(), 100);
}

#[test]
fn what_a_server_writes_to_stdout_by_mistake_is_reported_and_not_fatal() {
    let space = lab_with(
        r#"{ name: "lab_noisy", handler: () => {
    console.log("a line for people");
    return text("done");
  } }"#,
    );
    space.trail("a", &["lab_noisy: {}"]);
    run(&space, &["run", "--events", "events.jsonl"]).exits(0);
    let events = space.events("events.jsonl");
    let said = events.iter().find(|event| event["event"] == "warning").unwrap();
    assert!(said["message"].as_str().unwrap().contains("a line for people"), "{said}");
}

#[test]
fn only_the_servers_of_targets_that_are_run_are_started() {
    let space = lab(&["command: no-such-program"]);
    space.write(
        "trailblaze-config/targets/other.yaml",
        "id: other\ndisplay_name: Other\nsim: { app: ./app.js }\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n",
    );
    space.trail("plain", &["tap: { text: Add one }"]);
    run(&space, &["run", "--target", "other"]).exits(0);
    run(&space, &["run"]).exits(5);
}

/// Says goodbye when its input ends, or when it is told to go.
const TALKATIVE: &str = r#"import { serve, serveAsTold, text } from "./mcp.mjs";

const tools = [{ name: "lab_greet", handler: () => text("hello") }];
const end = () => { console.error("goodbye, 4711"); process.exit(0); };
if (process.argv.includes("--port")) {
  process.stdin.on("end", end);
  serveAsTold(tools);
} else {
  serve(tools, end);
}
"#;

#[test]
fn what_a_server_says_at_its_end_stands_in_the_log_of_the_run() {
    for transport in ["stdio", "http"] {
        let entry = format!("{{ name: one, command: node, args: [tools/one.mjs], transport: {transport} }}");
        let space = lab(&[&entry]);
        space.write("tools/one.mjs", TALKATIVE);
        for step in ["lab_greet: {}", "tap: { text: Add one }"] {
            space.trail("one", &[step]);
            run(&space, &["run", "--secret", "pin=4711", "--events", "events.jsonl"]).exits(0);
            let events = space.events("events.jsonl");
            let [.., said, last] = events.as_slice() else { panic!("{events:?}") };
            assert_eq!(last["event"], "runFinished");
            let said = said.as_object().unwrap();
            assert!(!said.contains_key("trail"), "{said:?}");
            let found = ["event", "source", "message"].map(|key| said[key].as_str().unwrap());
            assert_eq!(found, ["log", "one", "goodbye, ***"], "{transport} {step}");
        }
    }
}

#[test]
fn the_limits_of_a_server_may_be_set() {
    let hangs = r#"{ name: "lab_hang", handler: () => new Promise(() => {}) }"#;
    let space = lab(&["{ name: one, command: node, args: [tools/one.mjs], limits: { call: 0.3 } }"]);
    crate::lab::serve(&space, "one", hangs);
    assert_snapshot!(run(&space, &["tool", "run", "lab_hang"]), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: server 'one' did not answer 'tools/call' within 0.3 s
    hint: a tool that takes long gets more time by sending progress notifications; 'limits: { call: SECONDS }' in its entry gives it more time
    ");
    let space = lab(&["{ name: one, command: sleep, args: ['60'], limits: { firstAnswer: 0.3 } }"]);
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'one' did not answer 'initialize' within 0.3 s
    hint: is it an MCP server on stdin and stdout? 'limits: { firstAnswer: SECONDS }' in its entry gives it more time
    ");
}
