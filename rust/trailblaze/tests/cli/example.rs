//! The example workspace, as the README runs it.

use insta::assert_snapshot;

use crate::space::Space;

#[test]
fn the_example_passes() {
    let space = Space::empty();
    let out = space.path("out").display().to_string();
    assert_snapshot!(space.run_in_repository(&["run", "examples/first", "--out", &out]).to_string());
    assert_eq!(
        space.files("out"),
        ["out/events.jsonl", "out/hand-over-hand-over/hand-over-form.png", "out/junit.xml", "out/summary.md",]
    );
}

#[test]
fn quiet_says_only_the_verdict() {
    let space = Space::empty();
    let out = space.path("out").display().to_string();
    assert_snapshot!(space.run_in_repository(&["run", "examples/first", "--quiet", "--out", &out]).to_string(), @"
    exit: 0
    ----- stdout

    12 passed in 58.1 s of virtual time
    ----- stderr
    ");
}

#[test]
fn the_failing_trail_shows_what_a_failure_looks_like() {
    let space = Space::empty();
    let out = space.path("out").display().to_string();
    let ran = space.run_in_repository(&["run", "examples/first/trails-broken", "--out", &out]);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ broken/failing  A wrong expectation  7.6 s
      ✓ Start Parcel with a courier signed in  2.0 s
      ✓ Search for a street
      ✓ Its first parcel is found
      ✗ Four parcels go to that street  5.0 s
        error: examples/first/trails-broken/failing.trail.yaml:29:11: no element with text '4 of 24 parcels' within 5 s
          in assertVisibleWithText {"text":"4 of 24 parcels"}
        hint: did you mean '3 of 24 parcels'?
        step-4-failed: [space]/out/broken-failing/step-4-failed.png
        bundle: [space]/out/broken-failing/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 7.6 s of virtual time
    report: [space]/out/summary.md
    ----- stderr
    "#);
    assert_snapshot!(space.shown("out/summary.md"));
    assert_snapshot!(space.shown("out/junit.xml"));
    assert_eq!(std::fs::read(space.path("out/broken-failing/step-4-failed.png")).unwrap()[1..4], *b"PNG");
}

#[test]
fn verbose_shows_calls_and_gestures() {
    let space = Space::empty();
    let out = space.path("out").display().to_string();
    let trail = "examples/first/trails/sign-in/sign-in.trail.yaml";
    assert_snapshot!(space.run_in_repository(&["run", trail, "--verbose", "--out", &out]).to_string());
}

#[test]
fn the_example_is_well_formed() {
    let space = Space::empty();
    assert_snapshot!(space.run_in_repository(&["check", "examples/first"]).to_string(), @"
    exit: 0
    ----- stdout
    20 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
    assert_snapshot!(space.run_in_repository(&["check", "examples/first/trails-broken"]).to_string(), @"
    exit: 0
    ----- stdout
    9 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
}
