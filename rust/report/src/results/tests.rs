use insta::assert_snapshot;

use super::*;
use crate::testing::{Script, every_ending, hostile, killed};

fn result(script: &Script) -> RunResult {
    let results = Results::new();
    script.play(&results);
    results.result()
}

fn json(script: &Script) -> String {
    serde_json::to_string_pretty(&result(script).to_json()).unwrap()
}

#[test]
fn every_way_to_end() {
    assert_snapshot!(json(&every_ending()), @r#"
    {
      "verdict": "failed",
      "trails": [
        {
          "id": "form/date",
          "file": "trails/form/date.trail.yaml",
          "device": "sim",
          "verdict": "skipped",
          "durationMs": 1234
        },
        {
          "id": "list",
          "file": "trails/list.trail.yaml",
          "device": "sim",
          "verdict": "failed",
          "durationMs": 1234,
          "failure": {
            "kind": "Device",
            "message": "the device is gone",
            "hint": "start it and run again"
          }
        },
        {
          "id": "login/invalid",
          "file": "trails/login/invalid.trail.yaml",
          "device": "sim",
          "verdict": "failed",
          "durationMs": 1234,
          "failure": {
            "kind": "NotFound",
            "message": "no element with text 'Sign in'",
            "at": "trails/login/invalid.trail.yaml:14:9",
            "hint": "the screen has 'Sign on'; is that what is meant?"
          }
        },
        {
          "id": "login/valid",
          "file": "trails/login/valid.trail.yaml",
          "device": "sim",
          "verdict": "passed",
          "durationMs": 1234
        },
        {
          "id": "slow/late",
          "file": "trails/slow/late.trail.yaml",
          "device": "sim",
          "verdict": "passed",
          "durationMs": 1234
        },
        {
          "id": "zoo",
          "file": "trails/zoo.trail.yaml",
          "device": "sim",
          "verdict": "notRun",
          "durationMs": 1234
        }
      ]
    }
    "#);
}

#[test]
fn retries_and_reasons_are_known() {
    let result = result(&every_ending());
    let told = result.trails.iter().map(|trail| (&*trail.id, trail.attempts, trail.reason.as_deref()));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("form/date", 0, Some("no date picker on this device")),
            ("list", 1, None),
            ("login/invalid", 1, None),
            ("login/valid", 1, None),
            ("slow/late", 2, None),
            ("zoo", 0, Some("the run was ended by --fail-fast")),
        ]
    );
    assert!(!result.interrupted);
}

#[test]
fn a_run_that_did_not_finish_has_failed() {
    assert_snapshot!(json(&killed()), @r#"
    {
      "verdict": "failed",
      "trails": [
        {
          "id": "a/first",
          "file": "trails/a/first.trail.yaml",
          "device": "sim",
          "verdict": "passed",
          "durationMs": 1234
        },
        {
          "id": "a/second",
          "file": "trails/a/second.trail.yaml",
          "device": "sim",
          "verdict": "notRun",
          "durationMs": 0
        }
      ]
    }
    "#);
}

#[test]
fn an_interrupted_run_is_known() {
    assert!(result(Script::new(1).finish_run(true)).interrupted);
}

#[test]
fn texts_are_kept_as_they_are() {
    let result = result(&hostile());
    assert!(result.trails[0].title.starts_with("\u{1b}[31mrot"));
    let value = result.to_json();
    assert_eq!(serde_json::from_str::<Value>(&value.to_string()).unwrap(), value);
}
