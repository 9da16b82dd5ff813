//! Memory, secrets and arguments.

use insta::assert_snapshot;

use crate::space::{Ran, Space, trail_text};

#[test]
fn memory_comes_from_the_trail_then_the_command_line() {
    let space = Space::lab();
    let calls =
        ["assertEquals: { actual: \"${who}/{{memory.number}}/{{flag}}\", expected: \"${expected}\" }"];
    space
        .write("trails/memory.trail.yaml", trail_text("memory: { who: Ada, number: 1, flag: true }", &calls));
    space.run(&["run", "--memory", "expected=Ada/1/true"]).exits(0);
    space.run(&["run", "--memory", "who=Grace", "--memory", "expected=Grace/1/true"]).exits(0);
    space.run(&["run", "--memory", "who=a=b", "--memory", "expected=a=b/1/true"]).exits(0);
    space
        .run(&["run", "--memory", "who=Grace", "--secret", "who=Eve", "--memory", "expected=Eve/1/true"])
        .exits(0);
}

#[test]
fn values_are_not_scanned_again() {
    let space = Space::lab();
    space.trail("once", &["tap: { id: field }", "inputText: { text: \"${a}\" }"]);
    space.run(&["run", "--memory", "a=${b}", "--memory", "b=deep", "--events", "events.jsonl"]).exits(0);
    assert!(
        space
            .device_events("events.jsonl")
            .contains(&r#"{"action":"setText","node":4,"text":"${b}"}"#.to_owned())
    );
}

#[test]
fn an_unknown_name_stays_with_a_warning_and_is_an_error_when_strict() {
    let space = Space::lab();
    space.trail("unknown", &["tap: { id: field }", "inputText: { text: \"${nobody} {{knows}}\" }"]);
    assert_snapshot!(space.run(&["run", "--events", "events.jsonl"]).to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ unknown  600 ms
      ✓ Start
      ✓ Step 1
      ✓ Step 2
        warning: 'inputText': nothing is called ${nobody}; it stays as it is
        hint: set it with --memory, under 'config.memory' or by an earlier step
        warning: 'inputText': nothing is called {{knows}}; it stays as it is
        hint: set it with --memory, under 'config.memory' or by an earlier step

    1 passed in 600 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert!(
        space.read("events.jsonl").contains(r#""action":"setText","node":4,"text":"${nobody} {{knows}}""#)
    );
    assert_snapshot!(space.run(&["run", "--strict"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ unknown  300 ms
      ✓ Start
      ✓ Step 1
      ✗ Step 2
        error: trails/unknown.trail.yaml:11:20: 'inputText': nothing is called ${nobody}
          in inputText {"text":"${nobody} {{knows}}"}
        hint: set it with --memory, under 'config.memory' or by an earlier step
        step-3-failed: .trailblaze/runs/[run]/unknown/step-3-failed.png
        bundle: .trailblaze/runs/[run]/unknown/bundle.zip

    0 passed, 1 failed in 300 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn declared_arguments_have_types_and_defaults() {
    let space = Space::lab();
    let config = "args: { text: string, count: { type: integer, default: 2 }, again: { type: string, default: \"{{args.text}}!\" } }";
    let calls = [
        "tap: { id: field }",
        "inputText: { text: \"{{args.text}} {{args.again}} {{args.count}}\" }",
        "eraseText: { charactersToErase: \"{{args.count}}\" }",
    ];
    space.write("trails/args.trail.yaml", trail_text(config, &calls));
    space.run(&["run", "--arg", "text=hi", "--events", "events.jsonl"]).exits(0);
    let events = space.device_events("events.jsonl");
    assert!(events.contains(&r#"{"action":"setText","node":4,"text":"hi hi! 2"}"#.to_owned()), "{events:#?}");
    assert!(events.contains(&r#"{"action":"eraseText","count":2}"#.to_owned()), "{events:#?}");
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/args.trail.yaml: the trail needs the argument 'text'
    hint: give it with '--arg NAME=VALUE'
    ");
    assert_snapshot!(space.run(&["run", "--arg", "text=x", "--arg", "count=many"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/args.trail.yaml: the argument 'count' must be a whole number, not 'many'
    hint: give it with '--arg NAME=VALUE'
    ");
}

/// A secret in every place that a trail can put it.
fn secretive() -> Space {
    let space = Space::lab();
    space.tool("lab_sayIt", "parameters:\n  - { name: what, type: string, required: true }\ntools:\n  - inputText: { text: \"<{{what}}>\" }");
    let calls = [
        "tap: { id: field }",
        "inputText: { text: \"${pin}\" }",
        "lab_sayIt: { what: \"{{args.code}}\" }",
        "mobile_setClipboard: { text: \"{{pin}}\" }",
        "openUrl: { url: \"https://lab.example/?pin=${pin}\" }",
        "takeSnapshot: { screenName: \"pin ${pin}\" }",
        "adbShell: { command: \"echo ${pin}\" }",
        "runCommand: { command: \"echo '${pin}'\" }",
        "dumpMemory: {}",
        "exec: { argv: [sh, -c, \"echo '${pin}'; exit 3\"] }",
    ];
    let config = "memory: { copy: plain }, args: { code: { type: string, default: \"{{memory.pin}}\" } }";
    space.write("trails/secret.trail.yaml", trail_text(config, &calls));
    space
}

#[track_caller]
fn nothing_leaks(space: &Space, ran: &Ran, secret: &str) {
    assert!(!ran.to_string().contains(secret), "{ran}");
    for file in space.files("") {
        assert!(!file.contains(secret), "{file}");
        let bytes = std::fs::read(space.path(&file)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(secret), "{file} has the secret:\n{text}");
    }
}

#[test]
fn a_secret_is_nowhere_to_be_found() {
    let cases = [
        ("--quiet", "s3cr3t-Pa55"),
        ("--verbose", "a.b+c*(d)"),
        ("--json", "quote\"back\\slash"),
        ("--fail-fast", "4711471147"),
    ];
    for (flag, secret) in cases {
        let space = secretive();
        let pair = format!("pin={secret}");
        let reports = ["--events", "e.jsonl", "--junit", "j.xml", "--out", "out", "--record", "r.trail.yaml"];
        let ran = space.run(&[&["run", flag, "--secret", &pair], &reports[..]].concat()).exits(1);
        nothing_leaks(&space, &ran, secret);
        let events = space.read("e.jsonl");
        assert!(
            events.contains(r#""tool":"exec","result":"ExceptionThrown""#),
            "the last call is reached: {events}"
        );
        assert!(space.files("out").contains(&"out/secret/pin.png".to_owned()), "{:?}", space.files("out"));
    }
}

#[test]
fn a_secret_still_works() {
    let space = Space::lab();
    space.trail(
        "works",
        &[
            "tap: { id: field }",
            "inputText: { text: \"${pin}\" }",
            "assertVisible: { id: field, expectedText: \"4711\" }",
        ],
    );
    space.run(&["run", "--secret", "pin=4711"]).exits(0);
}

#[test]
fn a_secret_in_a_failure_is_removed_too() {
    let space = Space::lab();
    space.trail(
        "fails",
        &[
            "tap: { id: field }",
            "inputText: { text: \"${pin}\" }",
            "assertVisibleWithText: { text: \"${pin}x\" }",
        ],
    );
    space.trail("text", &["tapOnElementWithText: { text: \"${pin}\" }"]);
    space.trail("equal", &["assertEquals: { actual: \"${pin}\", expected: other }"]);
    space.trail("scroll", &["scrollUntilTextIsVisible: { text: \"${pin}\" }"]);
    space.trail("wrong-type", &["wait: { timeToWaitInSeconds: \"${pin}\" }"]);
    space.trail("enum", &["swipe: { direction: \"${pin}\" }"]);
    space.trail("maestro", &["maestro: { commands: [ { tapOn: \"${pin}\" } ] }"]);
    space.trail("math", &["assertMath: { expression: \"${pin}\", expected: \"1\" }"]);
    space.trail("trail", &["runTrail: { path: \"${pin}\" }"]);
    let ran = space.run(&["run", "--secret", "pin=x.y+z[0]", "--out", "out"]).exits(1);
    nothing_leaks(&space, &ran, "x.y+z[0]");
    // A pattern has the secret in another spelling.
    nothing_leaks(&space, &ran, "x\\.y");
}
