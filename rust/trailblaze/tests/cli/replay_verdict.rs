//! Whether a replay went as the run did that was recorded: programs, failures, and whose session it is.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::space::{Space, json};

/// The line that says how a replay compares.
#[track_caller]
fn last_line(space: &Space, path: &str, code: i32) -> String {
    let ran = space.run(&["replay", path]).exits(code);
    ran.stdout.lines().last().unwrap_or_default().to_owned()
}

/// The events of the trail without the line about its bundle.
fn events(space: &Space, file: &str) -> Vec<String> {
    let about_trail = |line: &&str| json(line)["trail"].is_string() && !line.contains("\"name\":\"bundle\"");
    space.read(file).lines().filter(about_trail).map(str::to_owned).collect()
}

#[test]
fn a_replay_starts_no_programs_and_knows_what_they_did() {
    let space = Space::lab();
    let calls = [
        "runCommand: { command: \"touch made && echo done\" }",
        "exec: { argv: [sh, -c, \"echo one; exit 3\"], expectedExitCode: 3 }",
        "exec: { argv: [no-such-program] }",
    ];
    space.trail("programs", &calls);
    space.trail("good", &calls[..2]);
    space.run(&["run", "-q", "--capture", "sessions", "--events", "all.jsonl", "--out", "out"]).exits(1);
    fs::remove_file(space.path("made")).unwrap();
    assert_snapshot!(space.read("sessions/programs/programs.jsonl"), @r#"
    {"argv":["sh","-c","touch made && echo done"],"exitCode":0,"output":"done"}
    {"argv":["sh","-c","echo one; exit 3"],"exitCode":3,"output":"one"}
    {"argv":["no-such-program"],"failed":{"kind":"Exception","message":"'no-such-program' could not be started: it does not exist"}}
    "#);
    assert_eq!(last_line(&space, "sessions/good", 0), "good: as recorded (passed)");
    for path in ["sessions/programs", "out/programs/bundle.zip"] {
        let ran = space.run(&["replay", path, "--events", "again.jsonl"]).exits(1);
        assert!(ran.stdout.ends_with("programs: as recorded (failed)\n"), "{ran}");
        let own = |lines: Vec<String>| -> Vec<String> {
            lines.into_iter().filter(|line| json(line)["trail"] == "programs").collect()
        };
        assert_eq!(own(events(&space, "again.jsonl")), own(events(&space, "all.jsonl")));
    }
    assert!(!space.path("made").exists());
    // On a recorded world neither.
    let args = ["run", "trails/good.trail.yaml", "--driver", "recorded", "--device", "sessions/good", "-q"];
    space.run(&args).exits(0);
    assert!(!space.path("made").exists());
}

#[test]
fn a_secret_in_a_program_is_masked_and_replays() {
    let space = Space::lab();
    space.trail("good", &["runCommand: { command: \"echo key ${pin}\" }"]);
    space.run(&["run", "-q", "--secret", "pin=zebra-4711", "--capture", "sessions"]).exits(0);
    assert_snapshot!(space.read("sessions/good/programs.jsonl"), @r#"{"argv":["sh","-c","echo key ••••••••••"],"exitCode":0,"output":"key ••••••••••"}"#);
    assert_eq!(last_line(&space, "sessions/good", 0), "good: as recorded (passed)");
}

#[test]
fn another_program_than_was_recorded_is_never_as_recorded() {
    let space = Space::lab();
    space.trail("bad", &["runCommand: { command: echo a }", "assertVisible: { text: nowhere }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(1);
    assert_eq!(last_line(&space, "sessions/bad", 1), "bad: as recorded (failed)");
    let file = "sessions/bad/documents/trails/bad.trail.yaml";
    space.write(file, space.read(file).replace("echo a", "touch made"));
    let ran = space.run(&["replay", "sessions/bad"]).exits(1);
    assert_snapshot!(ran.stdout, @r#"
    Running 1 trail on sim (recorded)
    ✗ bad  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/bad.trail.yaml:8:20: the recorded world has no answer to the program ["sh","-c","touch made"]; it ran ["sh","-c","echo a"] here
          in runCommand {"command":"touch made"}
        hint: a replay starts no programs on this machine; record the session again
      – 1 step not run

    0 passed, 1 failed in 150 ms of virtual time
    bad: failed, but otherwise: recorded 'no element with text 'nowhere' within 5 s' (AssertionFailed, step 3, trails/bad.trail.yaml:11:20), now 'the recorded world has no answer to the program ["sh","-c","touch made"]; it ran ["sh","-c","echo a"] here' (NotRecorded, step 2, trails/bad.trail.yaml:8:20)
    "#);
    assert!(!space.path("made").exists());
    // A session of a version that kept neither the failure nor the programs.
    let meta = json(&space.read("sessions/bad/session.json"));
    let mut older = meta.clone();
    older
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !["failure", "versions", "trailTimeoutMs"].contains(&key.as_str()));
    space.write("sessions/bad/session.json", older.to_string());
    fs::remove_file(space.path("sessions/bad/programs.jsonl")).unwrap();
    let line = last_line(&space, "sessions/bad", 1);
    assert!(line.starts_with("bad: failed, but otherwise: now 'the recorded world has no answer"), "{line}");
    assert_eq!(space.run(&["replay", "sessions/bad", "--json"]).json()["asRecorded"], false);
}

#[test]
fn another_failure_is_not_as_recorded() {
    let space = Space::lab();
    space.trail("bad", &["tap: { text: Add one }", "assertVisible: { text: 'Count: 9' }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(1);
    assert_eq!(space.run(&["replay", "sessions/bad", "--json"]).exits(1).json()["asRecorded"], true);
    let file = "sessions/bad/documents/trails/bad.trail.yaml";
    let (text, meta) = (space.read(file), space.read("sessions/bad/session.json"));
    let start = "bad: failed, but otherwise: recorded 'no element with text 'Count: 9' within 5 s' (AssertionFailed, step 3, trails/bad.trail.yaml:11:20), now ";
    // Another message.
    space.write(file, text.replace("Count: 9", "Count: 8"));
    let line = last_line(&space, "sessions/bad", 1);
    assert!(line.starts_with(start) && line.contains("now 'no element with text 'Count: 8'"), "{line}");
    // Another place.
    space.write(file, format!("# more\n{text}"));
    let line = last_line(&space, "sessions/bad", 1);
    assert!(line.starts_with(start) && line.ends_with("trails/bad.trail.yaml:12:20)"), "{line}");
    space.write(file, &text);
    // Another step, another kind.
    for (from, to, shown) in [
        ("\"step\": 2", "\"step\": 1", "(AssertionFailed, step 2, "),
        ("\"kind\": \"AssertionFailed\"", "\"kind\": \"App\"", "(App, step 3, "),
    ] {
        assert!(meta.contains(from), "{meta}");
        space.write("sessions/bad/session.json", meta.replace(from, to));
        let line = last_line(&space, "sessions/bad", 1);
        assert!(line.starts_with("bad: failed, but otherwise: recorded ") && line.contains(shown), "{line}");
    }
    // Without the failure only the verdict can be compared.
    let mut older = json(&meta);
    older.as_object_mut().unwrap().remove("failure");
    space.write("sessions/bad/session.json", older.to_string());
    assert_eq!(last_line(&space, "sessions/bad", 1), "bad: as recorded (failed)");
}

/// Places are compared from the workspace, wherever the run and the replay were started.
#[test]
fn a_failure_is_the_same_from_another_folder() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    let elsewhere = Space::empty();
    let (trail, out) = (space.path("trails/bad.trail.yaml"), elsewhere.path("out"));
    elsewhere.run(&["run", &trail.display().to_string(), "--out", &out.display().to_string(), "-q"]).exits(1);
    assert_eq!(last_line(&elsewhere, "out/bad/bundle.zip", 1), "bad: as recorded (failed)");
}

#[test]
fn a_recorded_run_says_whose_session_it_is() {
    let space = Space::lab();
    space.trail("one", &["tap: { text: Add one }"]);
    space.trail("two", &["assertVisible: { text: 'Count: 0' }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(0);
    let run = |trail: &str| {
        let file = format!("trails/{trail}.trail.yaml");
        space.run(&["run", &file, "--driver", "recorded", "--device", "sessions/one"]).exits(0)
    };
    assert_snapshot!(run("two").stdout, @"
    Running 1 trail on sim (recorded)
    ✓ two  150 ms
      warning: the session was recorded with the trail 'one', not with 'two'
      ✓ Start
      ✓ Step 1

    1 passed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ");
    let ran = run("one");
    assert!(!ran.stdout.contains("was recorded with"), "{ran}");
}

#[test]
fn a_bundle_has_the_last_event_and_versions() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    space.run(&["run", "-q", "--retries", "1", "--capture", "sessions", "--events", "all.jsonl"]).exits(1);
    let (kept, all) = (events(&space, "sessions/bad/events.jsonl"), events(&space, "all.jsonl"));
    assert_eq!(kept, all);
    let last = json(kept.last().unwrap());
    assert_eq!(
        (&last["event"], &last["attempt"], &last["willRetry"]),
        (&"trailFinished".into(), &2.into(), &false.into())
    );
    let meta = json(&space.read("sessions/bad/session.json"));
    assert_eq!(meta["failure"]["step"], 1);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    assert_eq!(meta["versions"]["system"], system);
    let app = |meta: &serde_json::Value| meta["versions"]["app"].as_str().unwrap().to_owned();
    assert!(app(&meta).starts_with("app.js "), "{meta}");
    space.write("app.js", space.read("app.js") + "\n// changed\n");
    space.run(&["run", "-q", "--capture", "sessions"]).exits(1);
    assert_ne!(app(&json(&space.read("sessions/bad/session.json"))), app(&meta));
}

#[test]
fn a_trail_has_as_long_as_it_had() {
    let space = Space::lab();
    space.trail("one", &["tap: { text: Add one }", "assertVisible: { text: 'Count: 1' }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(0);
    let meta = space.read("sessions/one/session.json");
    assert!(meta.contains("\"trailTimeoutMs\": null"), "{meta}");
    space.write(
        "sessions/one/session.json",
        meta.replace("\"trailTimeoutMs\": null", "\"trailTimeoutMs\": 120"),
    );
    let ran = space.run(&["replay", "sessions/one", "--json"]).exits(1);
    assert_eq!(ran.json()["trails"][0]["failure"]["kind"], "Timeout");
}

/// What the device had said about a failure comes again, too.
#[test]
fn a_crash_that_explained_a_failure_explains_it_again() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(1);
    let mut meta = json(&space.read("sessions/bad/session.json"));
    let failure = meta["failure"].as_object_mut().unwrap();
    let met = failure.insert("message".to_owned(), "the app crashed".into()).unwrap();
    failure.insert("met".to_owned(), met);
    failure.insert("kind".to_owned(), "App".into());
    failure.insert("stack".to_owned(), "at Main.java:7".into());
    space.write("sessions/bad/session.json", meta.to_string());
    let ran = space.run(&["replay", "sessions/bad", "--json"]).exits(1).json();
    assert_eq!(ran["asRecorded"], true);
    let failure = &ran["trails"][0]["failure"];
    assert_eq!((&failure["kind"], &failure["message"]), (&"App".into(), &"the app crashed".into()));
    assert_eq!(failure["at"], "trails/bad.trail.yaml:8:20");
}

/// The trail itself had noticed nothing.
#[test]
fn a_crash_that_no_step_met_comes_again() {
    let space = Space::lab();
    space.trail("good", &["tap: { text: Add one }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(0);
    let mut meta = json(&space.read("sessions/good/session.json"));
    meta["verdict"] = "failed".into();
    meta["failure"] = serde_json::json!({ "kind": "App", "message": "the app crashed", "met": "" });
    space.write("sessions/good/session.json", meta.to_string());
    let ran = space.run(&["replay", "sessions/good", "--json"]).exits(1).json();
    assert_eq!(ran["asRecorded"], true);
    assert_eq!(ran["trails"][0]["failure"]["message"], "the app crashed");
}

#[test]
fn a_short_secret_changes_no_path() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    let ran = space.run(&["run", "--secret", "pin=p", "--out", "reports"]).exits(1);
    let events = space.events("reports/events.jsonl");
    let files: Vec<&str> = events
        .iter()
        .filter(|event| event["event"] == "saved")
        .map(|event| event["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["bad/step-2-failed.png", "bad/bundle.zip"]);
    assert!(ran.stdout.contains(": reports/bad/bundle.zip\n"), "{ran}");
    assert!(files.iter().all(|file| Path::new(&space.path("reports").join(file)).is_file()));
    // What names a file is masked before there is one.
    space.trail("good", &["takeSnapshot: { screenName: \"at ${pin} now\" }"]);
    space.run(&["run", "trails/good.trail.yaml", "--secret", "pin=zebra", "--out", "more"]).exits(0);
    assert!(space.path("more/good/at-----now.png").is_file(), "{:?}", space.files("more"));
    assert!(!space.read("more/events.jsonl").contains("zebra"));
}
