//! Trails, step by step.

use serde_json::json;
use trailblaze_engine::runner::{run_trail, step_text};
use trailblaze_model::event::{EventKind, Verdict};
use trailblaze_model::failure::{Failure, FailureKind};

use crate::support::{World, trail_file};

const GO: &str = "Go @0,0,100,100";

fn run(world: &World, text: &str) -> Result<(), Failure> {
    run_trail(&world.session, &trail_file(text), &"trails/own.trail.yaml".into())
}

fn verdicts(world: &World) -> Vec<(usize, Verdict)> {
    world.pick(|kind| match kind {
        EventKind::StepFinished { index, verdict, .. } => Some((*index, *verdict)),
        _ => None,
    })
}

#[test]
fn recorded_steps_run_in_order_until_the_first_failure() {
    let world = World::new(GO);
    let failure = run(
        &world,
        "
trailhead: { step: Start, recording: { android: { launchApp: { appId: a, launchMode: RESUME } } } }
trail:
  - step: Tap it
    recording: { android: [{ tap: { text: Go } }, { pressHome: {} }] }
  - verify: It says so
    recording: { android: [{ assertVisible: { text: Gone } }] }
  - step: Never
    recording: { android: [{ pressHome: {} }] }
",
    )
    .unwrap_err();
    assert_eq!(failure.kind, FailureKind::AssertionFailed);
    assert_eq!(failure.at.unwrap().to_string(), "trails/own.trail.yaml:7:30");
    assert_eq!(world.actions(), ["launchApp a", "tap 50 50", "home"]);
    assert_eq!(verdicts(&world), [(0, Verdict::Passed), (1, Verdict::Passed), (2, Verdict::Failed)]);
    assert_eq!(*world.host.saved.lock().unwrap(), ["step-3-failed.png"]);
}

#[test]
fn the_closest_recording_wins() {
    let world = World::new(GO);
    run(
        &world,
        "
trail:
  - step: Go
    recording:
      android: [{ pressHome: {} }]
      android-phone: [{ pressBack: {} }]
      android-tablet: [{ tap: { text: Go } }]
",
    )
    .unwrap();
    assert_eq!(world.actions(), ["back"]);
}

#[test]
fn an_empty_recording_passes_without_doing_anything() {
    let world = World::new(GO);
    run(&world, "trail:\n  - step: Nothing\n    recording: { android: [] }\n").unwrap();
    assert_eq!(world.actions(), [""; 0]);
    assert_eq!(verdicts(&world), [(0, Verdict::Passed)]);
}

#[test]
fn a_step_without_a_recording_for_the_device_needs_a_model() {
    #[track_caller]
    fn check(step: &str, message: &str, hint: &str) {
        let world = World::new(GO);
        let failure = run(&world, &format!("trail:\n  - {step}\n")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NeedsModel);
        assert_eq!((failure.message.as_str(), failure.hint.as_deref()), (message, Some(hint)));
        assert_eq!(failure.at.unwrap().to_string(), "trails/own.trail.yaml:2:5");
        assert_eq!(*world.host.saved.lock().unwrap(), [""; 0], "there is nothing to see");
    }
    let write = "write the calls under 'recording: android:'";
    check("step: Think", "this step has no recording, and no model is set that could solve it", write);
    check(
        "verify: True",
        "this verification has no recording, and no model is set that could solve it",
        write,
    );
    check(
        "{ step: Think, recording: { ios: [], web: [] } }",
        "this step is recorded for ios and web but not for 'android-phone'",
        write,
    );
    check(
        "{ step: Think, recordable: false }",
        "this step is always solved by a model, and none is set",
        "remove 'recordable: false' and record it",
    );
}

#[test]
fn a_list_of_tools_is_a_step_named_after_them() {
    let names = |tools: &str| step_text(&trail_file(&format!("- tools: [{tools}]\n")).steps[0]);
    assert_eq!(names("{ tap: {} }"), "tap");
    assert_eq!(names("{ tap: {} }, { wait: {} }"), "tap, wait");
    assert_eq!(
        names("{ tap: {} }, { wait: {} }, { tap: {} }, { wait: {} }, { tap: {} }, { tap: {} }"),
        "tap, wait, tap and 3 more"
    );
}

#[test]
fn an_interrupted_run_ends_after_the_gesture_and_takes_no_picture() {
    let world = World::new(GO);
    world.session.cancel.cancel();
    let failure = run(&world, "- tools: [{ pressHome: {} }]\n").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Interrupted);
    assert_eq!(world.actions(), [""; 0]);
    assert_eq!(*world.host.saved.lock().unwrap(), [""; 0]);
    assert_eq!(world.failure("pressHome", json!({})).kind.variant(), "FatalError");
}

#[test]
fn the_same_trail_gives_the_same_events() {
    let lines = || {
        let world = World::new("old @0,0,100,100 isFocused isEditable");
        world.phone.after("setText", 300, GO);
        run(&world, "- tools: [{ inputTextRandom: { variable: v } }, { tap: { text: Go } }]\n").unwrap();
        world.lines()
    };
    assert_eq!(lines(), lines());
}
