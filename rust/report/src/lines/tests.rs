use insta::assert_snapshot;
use serde_json::Value;

use super::*;
use crate::testing::{FullDisk, Paper, Script, endless, every_ending, hostile, killed};

fn written(script: &Script) -> Paper {
    let paper = Paper::default();
    let lines = JsonLines::new(paper.boxed());
    script.play(&lines);
    lines.finish().unwrap();
    paper
}

#[test]
fn every_event_is_one_line() {
    assert_snapshot!(written(&killed()).text(), @r#"
    {"event":"runStarted","t":0,"version":"0.1.0","trails":2,"driver":"android-ondevice-accessibility","device":"sim"}
    {"event":"trailStarted","t":100,"trail":"a/first","id":"a/first","file":"trails/a/first.trail.yaml","title":"a/first","device":"sim","steps":1,"attempt":1}
    {"event":"stepStarted","t":200,"trail":"a/first","index":0,"kind":"step","text":"Look","at":"trails/a/first.trail.yaml:4:3"}
    {"event":"stepFinished","t":300,"trail":"a/first","index":0,"verdict":"passed","durationMs":120,"timing":{"seeMs":0,"matchMs":0,"actMs":0,"settleMs":0,"verifyMs":0}}
    {"event":"trailFinished","t":400,"trail":"a/first","id":"a/first","file":"trails/a/first.trail.yaml","title":"a/first","device":"sim","verdict":"passed","attempt":1,"willRetry":false,"durationMs":1234}
    {"event":"trailStarted","t":500,"trail":"a/second","id":"a/second","file":"trails/a/second.trail.yaml","title":"a/second","device":"sim","steps":2,"attempt":1}
    {"event":"stepStarted","t":600,"trail":"a/second","index":0,"kind":"step","text":"Look","at":"trails/a/second.trail.yaml:4:3"}
    {"event":"stepFinished","t":700,"trail":"a/second","index":0,"verdict":"passed","durationMs":120,"timing":{"seeMs":0,"matchMs":0,"actMs":0,"settleMs":0,"verifyMs":0}}
    {"event":"stepStarted","t":800,"trail":"a/second","index":1,"kind":"step","text":"Tap","at":"trails/a/second.trail.yaml:6:3"}
    "#);
}

/// A process can be killed between two writes, so each write has to be a whole line.
#[test]
fn every_write_is_one_valid_line() {
    for script in [every_ending(), hostile(), endless(), killed()] {
        for line in written(&script).writes() {
            assert_eq!(line.matches('\n').count(), 1, "{line:?}");
            let value: Value = serde_json::from_str(line.strip_suffix('\n').unwrap()).unwrap();
            assert!(value["event"].is_string() && value["t"].is_u64(), "{line}");
        }
    }
}

#[test]
fn the_first_error_is_told_and_nothing_is_written_after_it() {
    let paper = Paper::default();
    let lines = JsonLines::new(Box::new(FullDisk(2, paper.clone())));
    every_ending().play(&lines);
    assert_eq!(lines.finish().unwrap_err().to_string(), "no space left");
    assert_eq!(paper.writes().len(), 2);
    assert!(lines.finish().is_ok());
}
