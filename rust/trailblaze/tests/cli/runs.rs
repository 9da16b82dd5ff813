//! How trails are run: verdicts, retries, order, jobs.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

/// Four trails: two pass, two fail.
fn mixed() -> Space {
    let space = Space::lab();
    space.trail("a", &["tap: { text: Add one }"]);
    space.trail("b", &["assertVisibleWithText: { text: Never }"]);
    space.trail("c", &["assertVisibleWithText: { text: \"Count: 0\" }"]);
    space.trail("d", &["tap: { id: nothing }"]);
    space
}

#[test]
fn the_result_in_json_is_a_contract() {
    let space = mixed();
    space.write("trails/s.trail.yaml", trail_text("skip: { android: not ready }", &[]));
    let ran = space.run(&["run", "--json"]);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 1
    ----- stdout
    {
      "verdict": "failed",
      "trails": [
        {
          "id": "a",
          "file": "trails/a.trail.yaml",
          "device": "sim",
          "verdict": "passed",
          "durationMs": 300
        },
        {
          "id": "b",
          "file": "trails/b.trail.yaml",
          "device": "sim",
          "verdict": "failed",
          "durationMs": 5150,
          "failure": {
            "kind": "AssertionFailed",
            "message": "no element with text 'Never' within 5 s",
            "at": "trails/b.trail.yaml:8:20",
            "hint": "on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'"
          }
        },
        {
          "id": "c",
          "file": "trails/c.trail.yaml",
          "device": "sim",
          "verdict": "passed",
          "durationMs": 150
        },
        {
          "id": "d",
          "file": "trails/d.trail.yaml",
          "device": "sim",
          "verdict": "failed",
          "durationMs": 5150,
          "failure": {
            "kind": "NotFound",
            "message": "no element with id 'nothing' within 5 s",
            "at": "trails/d.trail.yaml:8:20",
            "hint": "on the screen: 'count', 'note', 'field', 'add', 'slow', 'boom', 'spin', 'list'"
          }
        },
        {
          "id": "s",
          "file": "trails/s.trail.yaml",
          "device": "sim",
          "verdict": "skipped",
          "durationMs": 0
        }
      ]
    }
    ----- stderr
    "#);
    for trail in ran.json()["trails"].as_array().unwrap() {
        let keys: Vec<&str> = trail.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys[..5], ["id", "file", "device", "verdict", "durationMs"]);
    }
}

#[test]
fn a_run_names_failed_trails_again_at_the_end() {
    let space = mixed();
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 4 trails on sim (android-ondevice-accessibility)
    ✓ a  300 ms
      ✓ Start
      ✓ Step 1
    ✗ b  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/b.trail.yaml:8:20: no element with text 'Never' within 5 s
          in assertVisibleWithText {"text":"Never"}
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-2-failed: .trailblaze/runs/[run]/b/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b/bundle.zip
    ✓ c  150 ms
      ✓ Start
      ✓ Step 1
    ✗ d  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/d.trail.yaml:8:20: no element with id 'nothing' within 5 s
          in tap {"id":"nothing"}
        hint: on the screen: 'count', 'note', 'field', 'add', 'slow', 'boom', 'spin', 'list'
        step-2-failed: .trailblaze/runs/[run]/d/step-2-failed.png
        bundle: .trailblaze/runs/[run]/d/bundle.zip

    ✗ b  trails/b.trail.yaml:8:20
    ✗ d  trails/d.trail.yaml:8:20
    2 passed, 2 failed in 10.7 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    assert_snapshot!(space.run(&["run", "-q"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ✗ b  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/b.trail.yaml:8:20: no element with text 'Never' within 5 s
          in assertVisibleWithText {"text":"Never"}
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-2-failed: .trailblaze/runs/[run]/b/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b/bundle.zip
    ✗ d  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/d.trail.yaml:8:20: no element with id 'nothing' within 5 s
          in tap {"id":"nothing"}
        hint: on the screen: 'count', 'note', 'field', 'add', 'slow', 'boom', 'spin', 'list'
        step-2-failed: .trailblaze/runs/[run]/d/step-2-failed.png
        bundle: .trailblaze/runs/[run]/d/bundle.zip

    ✗ b  trails/b.trail.yaml:8:20
    ✗ d  trails/d.trail.yaml:8:20
    2 passed, 2 failed in 10.7 s of virtual time
    ----- stderr
    "#);
}

#[test]
fn fail_fast_starts_no_more_trails() {
    let space = mixed();
    let ran = space.run(&["run", "--fail-fast", "--json"]).exits(1);
    assert_eq!(ran.verdicts(), ["a passed", "b failed", "c notRun", "d notRun"]);
    assert_eq!(ran.json()["verdict"], "failed");
    assert_snapshot!(space.run(&["run", "--fail-fast", "-q", "--junit", "junit.xml"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ✗ b  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/b.trail.yaml:8:20: no element with text 'Never' within 5 s
          in assertVisibleWithText {"text":"Never"}
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-2-failed: .trailblaze/runs/[run]/b/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b/bundle.zip

    ✗ b  trails/b.trail.yaml:8:20
    1 passed, 1 failed, 2 not run in 5.4 s of virtual time
    ----- stderr
    "#);
    assert_snapshot!(space.shown("junit.xml"));
}

#[test]
fn a_failed_trail_is_tried_again_as_often_as_asked() {
    let space = mixed();
    let ran = space.run(&[
        "run",
        "--retries",
        "2",
        "--filter",
        "b",
        "--events",
        "events.jsonl",
        "--junit",
        "junit.xml",
    ]);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ b  5.1 s, attempt 1, trying again
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/b.trail.yaml:8:20: no element with text 'Never' within 5 s
          in assertVisibleWithText {"text":"Never"}
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-2-failed: .trailblaze/runs/[run]/b/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b/bundle.zip
    ✗ b  5.1 s, attempt 2, trying again
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/b.trail.yaml:8:20: no element with text 'Never' within 5 s
          in assertVisibleWithText {"text":"Never"}
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-2-failed: .trailblaze/runs/[run]/b-attempt-2/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b-attempt-2/bundle.zip
    ✗ b  5.1 s, attempt 3
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/b.trail.yaml:8:20: no element with text 'Never' within 5 s
          in assertVisibleWithText {"text":"Never"}
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-2-failed: .trailblaze/runs/[run]/b-attempt-3/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b-attempt-3/bundle.zip

    0 passed, 1 failed in 15.4 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    let attempts: Vec<String> = space
        .events("events.jsonl")
        .iter()
        .filter(|event| event["event"] == "trailFinished")
        .map(|event| format!("{} {} {}", event["attempt"], event["verdict"], event["willRetry"]))
        .collect();
    assert_eq!(attempts, [r#"1 "failed" true"#, r#"2 "failed" true"#, r#"3 "failed" false"#]);
    let junit = space.read("junit.xml");
    assert_eq!(junit.matches("<testcase ").count(), 1, "{junit}");
    assert_eq!(junit.matches("<rerunFailure ").count(), 2, "{junit}");
}

#[test]
fn a_trail_that_passes_is_not_tried_again() {
    let space = mixed();
    space.run(&["run", "--retries", "5", "--filter", "a", "--events", "events.jsonl"]).exits(0);
    assert_eq!(space.read("events.jsonl").matches(r#""event":"trailStarted""#).count(), 1);
}

#[test]
fn every_attempt_begins_with_a_fresh_phone() {
    let space = Space::lab();
    space.trail(
        "fresh",
        &[
            "assertVisible: { text: \"Count: 0\" }",
            "tap: { text: Add one }",
            "assertVisible: { text: Never }",
        ],
    );
    let ran = space.run(&["run", "--retries", "1", "--json"]).exits(1);
    assert_eq!(ran.json()["trails"][0]["failure"]["message"], "no element with text 'Never' within 5 s");
}

#[test]
fn several_jobs_give_the_same_verdicts_and_counts() {
    let space = Space::lab();
    for number in 0..12 {
        let mut text = trail_text("", &["tap: { text: Add one }", "assertVisible: { text: \"Count: 1\" }"]);
        if number % 3 == 0 {
            text += "  - step: Think\n";
        }
        space.write(&format!("trails/t{number:02}.trail.yaml"), text);
    }
    let one = space.run(&["run", "--json"]).exits(1);
    let many = space
        .run(&["run", "--json", "--jobs", "4", "--events", "events.jsonl", "--junit", "junit.xml"])
        .exits(1);
    assert_eq!(one.stdout, many.stdout);
    assert_eq!(one.verdicts().iter().filter(|line| line.ends_with("failed")).count(), 4);
    let events = space.events("events.jsonl");
    for id in 0..12 {
        let id = format!("t{id:02}");
        let own: Vec<&str> = events
            .iter()
            .filter(|event| event["trail"] == *id)
            .map(|event| event["event"].as_str().unwrap())
            .collect();
        assert_eq!((own.first(), own.last()), (Some(&"trailStarted"), Some(&"trailFinished")), "{id}");
    }
    assert_eq!(space.read("junit.xml").matches("<testcase ").count(), 12);
}

#[cfg(unix)]
#[test]
fn a_program_that_leaves_another_running_is_not_waited_for() {
    let space = Space::lab();
    space.trail(
        "programs",
        &[
            "runCommand: { command: \"sleep 5 & echo started\" }",
            "exec: { argv: [seq, \"20000\"], outputFilterRegex: ^20000$ }",
        ],
    );
    let started = Instant::now();
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    let events = space.events("events.jsonl");
    let said = |tool: &str| {
        let end = events.iter().find(|event| event["event"] == "toolFinished" && event["tool"] == *tool);
        end.unwrap()["message"].as_str().unwrap().to_owned()
    };
    assert_eq!((said("runCommand"), said("exec")), ("started".to_owned(), "20000".to_owned()));
}

#[test]
fn a_workspace_without_trails_is_an_error() {
    let space = Space::lab();
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trails in .
    hint: trails are files called 'trail.yaml' or '<name>.trail.yaml', in a workspace below 'trails/'
    ");
    std::fs::create_dir(space.path("trails")).unwrap();
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trails in .
    hint: trails are files called 'trail.yaml' or '<name>.trail.yaml', in a workspace below 'trails/'
    ");
}

#[test]
fn ids_must_differ() {
    let space = Space::lab();
    space.write("trails/one.trail.yaml", trail_text("id: same", &[]));
    space.write("trails/two.trail.yaml", trail_text("id: same", &[]));
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/two.trail.yaml:1:15: the id 'same' is also that of trails/one.trail.yaml
    1 | config: { id: same }
      |               ^
    hint: give one of them another 'config.id'

    error: nothing was run because of the error above
    ");
    space.run(&["check"]).exits(3);
    space.run(&["run", "trails/one.trail.yaml"]).exits(0);
}

#[test]
fn targets_are_chosen_by_flag_trail_and_workspace() {
    let space = Space::lab();
    let other = crate::space::APP.replace("'Lab'", "'Other'");
    space.write("other.js", other);
    let target = space.read("trailblaze-config/targets/lab.yaml");
    space.write(
        "trailblaze-config/targets/other.yaml",
        target.replace("id: lab", "id: other").replace("app.js", "other.js"),
    );
    space.trail("lab", &["assertVisible: { text: Lab }"]);
    space.write("trails/other.trail.yaml", trail_text("target: other", &["assertVisible: { text: Other }"]));
    assert_eq!(space.run(&["run", "--json"]).exits(0).verdicts(), ["lab passed", "other passed"]);
    assert_eq!(
        space.run(&["run", "--json", "--target", "other"]).exits(1).verdicts(),
        ["lab failed", "other passed"]
    );
    assert_snapshot!(space.run(&["run", "--target", "ohter"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/lab.trail.yaml:1:1: unknown target 'ohter'
    1 | trailhead:
      | ^
    hint: did you mean 'other'?

    error: trails/other.trail.yaml:1:19: unknown target 'ohter'
    1 | config: { target: other }
      |                   ^
    hint: did you mean 'other'?

    error: nothing was run because of the 2 errors above
    ");
}

#[test]
fn an_app_on_the_command_line_wins() {
    let space = Space::lab();
    space.write("elsewhere/other.js", crate::space::APP.replace("'Lab'", "'Other'"));
    space.trail("title", &["assertVisible: { text: Other }"]);
    space.run(&["run"]).exits(1);
    space.run(&["run", "--app", "elsewhere/other.js"]).exits(0);
    assert_snapshot!(space.run(&["run", "--app", "nowhere.js"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the sim app nowhere.js cannot be read: it does not exist
    ");
}

#[test]
fn a_trail_without_a_workspace_needs_an_app() {
    let space = Space::empty();
    space.write("app.js", crate::space::APP);
    space.write("one.trail.yaml", trail_text("", &[]));
    assert_snapshot!(space.run(&["run", "one.trail.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: one.trail.yaml: the sim has no app to run
    hint: give one with '--app FILE', or 'sim: { app: FILE }' in the target
    ");
    assert_snapshot!(space.run(&["run", "one.trail.yaml", "--app", "app.js"]).to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ one  150 ms
      ✓ Start
      ✓ Nothing

    1 passed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there is no workspace here
    hint: 'trailblaze init' makes one; or give a path to one
    ");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there is no workspace here
    hint: 'trailblaze init' makes one; or give a path to one
    ");
}
