use serde_json::json;

use super::*;
use crate::testing::{Script, object, timeout};

fn recorded(tool: &str, args: Value) -> EventKind {
    EventKind::Recorded { tool: tool.into(), args: object(args) }
}

fn trails(script: &Script) -> Vec<RecordedTrail> {
    let recording = Recording::new();
    script.play(&recording);
    recording.trails()
}

/// `+` passed, `-` did not; `!` cannot be recorded.
fn told(trail: &RecordedTrail) -> Vec<String> {
    let step = |step: &RecordedStep| {
        let mark = if step.passed { "+" } else { "-" };
        let bang = if step.recordable { "" } else { "!" };
        let calls = step.calls.iter().map(|(tool, args)| format!(" {tool} {}", json!(args)));
        format!("{mark}{bang} {} {}:{}", step.index, step.text, calls.collect::<String>())
    };
    trail.steps.iter().map(step).collect()
}

#[test]
fn calls_belong_to_their_step() {
    let mut script = Script::new(1);
    script.start("a/b", "Title", 3).step("Open").event(recorded("launchApp", json!({ "appId": "x" })));
    script.event(recorded("tap", json!({ "text": "{{name}}" }))).end_step(Verdict::Passed, None, 1);
    script.passed_step("Nothing to do").step("Ask").event(EventKind::NotRecordable { tool: "ask".into() });
    script.end_step(Verdict::Passed, None, 1).passes().finish();

    let trails = trails(&script);
    assert_eq!(trails.len(), 1);
    assert_eq!((&*trails[0].id, &*trails[0].file), ("a/b", "trails/a/b.trail.yaml"));
    assert_eq!((trails[0].title.as_str(), trails[0].verdict), ("Title", Some(Verdict::Passed)));
    assert_eq!(
        told(&trails[0]),
        [r#"+ 0 Open: launchApp {"appId":"x"} tap {"text":"{{name}}"}"#, "+ 1 Nothing to do:", "+! 2 Ask:"]
    );
}

#[test]
fn a_retry_replaces_what_was_recorded_before() {
    let mut script = Script::new(1);
    script.start("a", "a", 1).step("Open").event(recorded("first", json!({})));
    script.end_step(Verdict::Failed, Some(timeout()), 1).fails_and_will_be_retried(timeout());
    script.start_attempt("a", "a", 1, 2).step("Open").event(recorded("second", json!({})));
    script.end_step(Verdict::Passed, None, 1).passes().finish();
    assert_eq!(told(&trails(&script)[0]), ["+ 0 Open: second {}"]);
}

#[test]
fn trails_that_run_at_once_are_kept_apart() {
    let mut script = Script::new(2);
    script.start("b", "b", 1).step("B").start("a", "a", 1).step("A");
    script.switch("b").event(recorded("of_b", json!({})));
    script.switch("a").event(recorded("of_a", json!({})));
    let trails = trails(&script);
    assert_eq!(told(&trails[0]), ["- 0 A: of_a {}"]);
    assert_eq!(told(&trails[1]), ["- 0 B: of_b {}"]);
    assert_eq!(trails[0].verdict, None);
}

#[test]
fn trails_that_were_left_out_are_not_recorded() {
    let mut script = Script::new(1);
    script.left_out("a", Verdict::Skipped, "why").finish();
    assert!(trails(&script).is_empty());
}
