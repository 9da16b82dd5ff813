//! Every built-in tool at least once: what it does to the device, what it answers, how it fails.

mod table;
mod table_selectors;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use trailblaze_engine::builtin;
use trailblaze_engine::host::CommandOutput;
use trailblaze_model::failure::FailureKind;

use crate::support::{World, trail_file};

use table::Expect::{self, Actions, Fails, Says};
use table::{apps, checking, touching, typing};
use table_selectors::selecting;

const HOME: &str = "
@0,0,400,800
 Sign in @0,0,200,100 id=com.a:id/sign_in isClickable number=7
 Sign out @0,100,200,200 !isEnabled
 @200,0,300,100 desc=Open+menu ref=m1
 old text @0,300,200,340 id=com.a:id/name isFocused isEditable
 Row @0,400,200,440 id=com.a:id/row isSelected
 Row @0,440,200,480 id=com.a:id/row
";

#[track_caller]
fn check(tool: &str, args: Value, expected: &Expect) {
    let world = World::with(HOME, |setup| {
        setup.phone.answers("shell", "done");
        setup.memory.set("total", "42");
    });
    let result = world.call(tool, args);
    match expected {
        Actions(actions) => {
            result.unwrap_or_else(|failure| panic!("{tool}: {failure}"));
            assert_eq!(world.actions(), *actions, "{tool}");
        }
        Says(message, structured) => {
            let output = result.unwrap_or_else(|failure| panic!("{tool}: {failure}"));
            assert_eq!(output.message, *message, "{tool}");
            assert_eq!(output.structured.unwrap_or_default(), *structured, "{tool}");
        }
        Fails(kind, message) => {
            let failure = result.expect_err(tool);
            assert_eq!((failure.kind, failure.message.as_str()), (*kind, *message), "{tool}");
        }
    }
}

#[test]
fn tools_that_touch() {
    touching().into_iter().for_each(|(tool, args, expected)| check(tool, args, &expected));
}

#[test]
fn tools_that_type() {
    typing().into_iter().for_each(|(tool, args, expected)| check(tool, args, &expected));
}

#[test]
fn tools_that_check_and_ask() {
    checking().into_iter().for_each(|(tool, args, expected)| check(tool, args, &expected));
}

#[test]
fn tools_that_take_a_selector() {
    selecting().into_iter().for_each(|(tool, args, expected)| check(tool, args, &expected));
}

#[test]
fn tools_for_apps_and_the_system() {
    apps().into_iter().for_each(|(tool, args, expected)| check(tool, args, &expected));
}

#[test]
fn every_built_in_tool_stands_in_a_table() {
    let own = [
        "inputTextRandom",
        "captureScreen",
        "takeSnapshot",
        "runTrail",
        "reloadTools",
        "exec",
        "runCommand",
        "assertWaypoint",
        "requestDetailedViewHierarchy",
    ];
    let mut tested: BTreeSet<&str> = own.into_iter().collect();
    for table in [touching(), typing(), checking(), selecting(), apps()] {
        tested.extend(table.iter().map(|(tool, _, _)| *tool));
    }
    let known: BTreeSet<String> = builtin::tools().into_iter().map(|tool| tool.name).collect();
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    assert_eq!(tested, known);
}

#[test]
fn random_text_is_typed_remembered_and_the_same_for_the_same_seed() {
    let run = |seed: u64| {
        let world = World::with(HOME, |setup| setup.options.seed = seed);
        world.call("inputTextRandom", json!({ "variable": "who" })).unwrap();
        let who = world.session.memory.get("who").unwrap();
        assert_eq!(world.actions(), [format!("setText 4 old text{who}")]);
        who
    };
    let text = run(7);
    assert!(text.starts_with("TBZ-") && text.len() == 10 && text[4..].chars().all(|c| c.is_ascii_digit()));
    assert_eq!(run(7), text);
    assert_ne!(run(8), text);
    let world = World::new(HOME);
    world.call("inputTextRandom", json!({ "variable": "who", "prefix": "", "digitCount": 3 })).unwrap();
    assert_eq!(world.session.memory.get("who").unwrap().len(), 3);
}

#[test]
fn a_detailed_screen_names_what_can_be_used_and_the_names_are_recorded_as_what_they_mean() {
    let world =
        World::new("@0,0,400,800\n Box @0,0,100,100 id=box ref=b1 isClickable\n Bin @0,700,100,800 ref=b2");
    let outline = world.call("requestDetailedViewHierarchy", json!({})).unwrap().message;
    let lines: Vec<&str> = outline.lines().map(str::trim).collect();
    assert!(lines[1].contains(" [b1] ") && lines[2].contains(" [b2] "), "{outline}");
    assert!(lines[1].contains("'Box'") && lines[1].contains("id=box"), "{outline}");
    world.call("dragTo", json!({ "ref": "b1", "toRef": "b2" })).unwrap();
    world.call("longPress", json!({ "ref": "b1" })).unwrap();
    assert_eq!(world.actions(), ["drag 50 50 50 750 1000", "longPress 50 50 500"]);
    let recorded = world.recorded();
    let expected = [
        "!requestDetailedViewHierarchy",
        r#"dragByPoints {"startX":50,"startY":50,"endX":50,"endY":750,"durationMs":1000}"#,
        r#"tapOnElementBySelector {"nodeSelector":{"androidAccessibility":{"resourceIdRegex":"box"}},"longPress":true}"#,
    ];
    assert_eq!(recorded, expected);
}

#[test]
fn a_captured_screen_has_what_it_says_and_where() {
    let world = World::new("Sign in @0,0,200,100 id=a\n@0,0,400,800\n@0,100,10,110 desc=menu");
    let output = world.call("captureScreen", json!({})).unwrap();
    assert_eq!(output.message, "Sign in\nmenu");
    assert_eq!(
        output.structured,
        Some(json!({
            "width": 400, "height": 800,
            "nodes": [
                { "text": "Sign in", "id": "a", "bounds": [0, 0, 200, 100] },
                { "text": "menu", "id": null, "bounds": [0, 100, 10, 110] },
            ],
        }))
    );
}

#[test]
fn a_snapshot_is_saved_under_its_name() {
    let world = World::new(HOME);
    let output = world.call("takeSnapshot", json!({ "screenName": "home", "description": "d" })).unwrap();
    assert_eq!(output.message, "saved home.png");
    assert_eq!(*world.host.saved.lock().unwrap(), ["home.png"]);
}

#[test]
fn programs_run_on_the_host() {
    let world = World::with(HOME, |setup| {
        let done = |exit_code: i32, output: &str| CommandOutput { exit_code, output: output.to_owned() };
        setup.host.programs.insert("date".to_owned(), done(0, "one\ntwo\nthree"));
        setup.host.programs.insert("sh".to_owned(), done(3, "it broke"));
        setup.options.call_timeout_ms = 30_000;
    });
    let output = world.call("exec", json!({ "argv": ["date", "-u"], "workingDir": "tools" })).unwrap();
    assert_eq!(output.message, "one\ntwo\nthree");
    let filtered = world.call("exec", json!({ "argv": ["date"], "outputFilterRegex": "^t" })).unwrap();
    assert_eq!(filtered.message, "two\nthree");
    let failure = world.failure("runCommand", json!({ "command": "false", "timeoutSeconds": 2 }));
    assert_eq!(failure.kind, FailureKind::Exception);
    assert_eq!(failure.message, "'sh' exited with 3, not 0");
    assert_eq!(failure.stack.as_deref(), Some("it broke"));
    world.call("runCommand", json!({ "command": "false", "expectedExitCode": 3 })).unwrap();
    let failure = world.failure("exec", json!({ "argv": ["date"], "outputFilterRegex": "(" }));
    assert_eq!(failure.kind, FailureKind::InvalidArguments);
    let started = world.host.started.lock().unwrap();
    let commands: Vec<(String, Option<&str>, u64)> = started
        .iter()
        .map(|command| (command.argv.join(" "), command.working_dir.as_deref(), command.timeout_ms))
        .collect();
    assert_eq!(
        commands,
        [
            ("date -u".to_owned(), Some("tools"), 30_000),
            ("date".to_owned(), None, 30_000),
            ("sh -c false".to_owned(), None, 2_000),
            ("sh -c false".to_owned(), None, 30_000),
        ],
        "not longer than what is left of the call, and not at all with a wrong filter"
    );
}

#[test]
fn another_trail_runs_inside_with_its_own_memory() {
    let trail = "
config: { memory: { who: Ada, city: Rome } }
trail:
  - step: Type
    recording: { android: [{ inputText: { text: '${who} in ${city}' } }] }
  - step: Nothing to do
    recording: { android: [] }
";
    let world = World::with(HOME, |setup| {
        setup.memory.set("city", "Oslo");
        setup.host.trails.insert("in.trail.yaml".to_owned(), trail_file(trail));
        let live = "trail:\n  - step: Think\n";
        setup.host.trails.insert("live.trail.yaml".to_owned(), trail_file(live));
        let again = "- tools: [{ runTrail: { path: again.trail.yaml } }]\n";
        setup.host.trails.insert("again.trail.yaml".to_owned(), trail_file(again));
    });
    world.call("runTrail", json!({ "path": "in.trail.yaml" })).unwrap();
    assert_eq!(world.actions(), ["setText 4 old textAda in Oslo"]);
    let failure = world.failure("runTrail", json!({ "path": "live.trail.yaml" }));
    assert_eq!(failure.kind, FailureKind::NeedsModel);
    assert!(failure.message.starts_with("'live.trail.yaml', step 'Think': "), "{failure}");
    let failure = world.failure("runTrail", json!({ "path": "again.trail.yaml" }));
    assert_eq!(failure.kind, FailureKind::TooDeep);
    assert_eq!(failure.message, "tools nest deeper than 16 levels");
}
