//! Sim apps that are broken: the step fails with the stack, nothing else does.

use insta::assert_snapshot;

use crate::space::{APP, Ran, Space};

#[track_caller]
fn with_app(app: &str, calls: &[&str]) -> Ran {
    let space = Space::lab();
    space.write("app.js", app);
    space.trail("one", calls);
    space.run(&["run"])
}

#[test]
fn a_handler_that_throws() {
    assert_snapshot!(with_app(APP, &["tap: { text: Boom }"]).exits(1).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/one.trail.yaml:8:20: the app 'com.example.lab' failed in on.tap: boom in the handler
          in tap {"text":"Boom"}
              at tap (app.js:47:32)
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip

    0 passed, 1 failed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn a_handler_that_never_ends() {
    let space = Space::lab();
    space.trail("a", &["tap: { text: Spin }"]);
    space.trail("b", &["tap: { text: Add one }"]);
    assert_snapshot!(space.run(&["run"]).exits(1).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 2 trails on sim (android-ondevice-accessibility)
    ✗ a  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/a.trail.yaml:8:20: the app in app.js did not come back within 2000 ms and was ended
          in tap {"text":"Spin"}
              at spin (app.js:9:1)
              at tap (app.js:48:29)
        step-2-failed: .trailblaze/runs/[run]/a/step-2-failed.png
        bundle: .trailblaze/runs/[run]/a/bundle.zip
    ✓ b  300 ms
      ✓ Start
      ✓ Step 1

    ✗ a  trails/a.trail.yaml:8:20
    1 passed, 1 failed in 450 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn render_that_throws() {
    let app = "export const app = { id: 'com.example.lab', initialState: {}, render: () => { throw new TypeError('no screen today') } }\n";
    assert_snapshot!(with_app(app, &[]).exits(1).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      ✗ Start
        error: trails/one.trail.yaml:4:16: the app 'com.example.lab' failed in render: TypeError: no screen today
          in launchApp {"appId":"com.example.lab"}
              at render (app.js:1:89)
        step-1-failed: .trailblaze/runs/[run]/one/step-1-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn render_that_returns_nonsense() {
    let app = "export const app = { id: 'com.example.lab', initialState: {}, render: () => ({ children: [ { text: 5, bounds: 'wide' } ] }) }\n";
    assert_snapshot!(with_app(app, &[]).exits(1).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      ✗ Start
        error: trails/one.trail.yaml:4:16: the app 'com.example.lab' failed in render: TypeError: 'bounds' of a node must be [left, top, right, bottom], not wide
          in launchApp {"appId":"com.example.lab"}
        step-1-failed: .trailblaze/runs/[run]/one/step-1-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn a_file_that_is_no_javascript() {
    assert_snapshot!(with_app("export const app = {\n  id: 'x'\n  render\n", &[]).to_string(), @"
    exit: 4
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      – 2 steps not run
      error: the app in app.js cannot be loaded: SyntaxError: Unexpected identifier 'render'
            at app.js:3:3

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn a_file_without_an_app() {
    assert_snapshot!(with_app("export const ap = 1\n", &[]).to_string(), @"
    exit: 4
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      – 2 steps not run
      error: the app in app.js cannot be loaded: TypeError: the app's file exports no 'app': it must say `export const app = { id, initialState, render(state), on }`

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert_snapshot!(with_app("", &[]).to_string(), @"
    exit: 4
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      – 2 steps not run
      error: the app in app.js cannot be loaded: TypeError: the app's file exports no 'app': it must say `export const app = { id, initialState, render(state), on }`

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert_snapshot!(with_app("import fs from 'fs'\nexport const app = {}\n", &[]).to_string(), @"
    exit: 4
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      – 2 steps not run
      error: the app in app.js cannot be loaded: ReferenceError: Error resolving module 'fs' from 'app.js': scripts can import only what was loaded with them

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert_snapshot!(with_app("while (true);\n", &[]).to_string(), @"
    exit: 4
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      – 2 steps not run
      error: the app in app.js did not come back within 2000 ms and was ended
            at <anonymous> (app.js:1:1)

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn an_app_that_is_not_there() {
    let space = Space::lab();
    space.trail("one", &[]);
    std::fs::remove_file(space.path("app.js")).unwrap();
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:3:13: './app.js' does not exist
    3 | sim: { app: ./app.js }
      |             ^
    hint: paths are relative to the workspace, .

    error: nothing was run because of the error above
    ");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:3:13: './app.js' does not exist
    3 | sim: { app: ./app.js }
      |             ^
    hint: paths are relative to the workspace, .
    ");
}

#[test]
fn an_app_with_another_id() {
    let app = APP.replace("id: 'com.example.lab'", "id: 'com.example.other'");
    assert_snapshot!(with_app(&app, &[]).exits(1).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  0 ms
      ✗ Start
        error: trails/one.trail.yaml:4:16: the app 'com.example.lab' is not installed
          in launchApp {"appId":"com.example.lab"}
        hint: this sim has 'com.example.other'
        step-1-failed: .trailblaze/runs/[run]/one/step-1-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn an_app_that_is_binary() {
    let space = Space::lab();
    space.trail("one", &[]);
    space.write("app.js", [0xff, 0xfe, 0, 1]);
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the sim app app.js cannot be read: it is not text in UTF-8
    ");
}

#[test]
fn an_app_that_eats_all_memory() {
    let app = APP.replace("case 'add':", "case 'add': { const all = []; while (true) all.push('x'.repeat(1 << 24) + all.length) }\n case 'other':");
    let ran = with_app(&app, &["tap: { text: Add one }"]).exits(1);
    assert!(ran.stdout.contains("64 MiB") || ran.stdout.contains("memory"), "{ran}");
}

/// How long a trail of two actions takes when the app does this 60 times a second.
#[track_caller]
fn moving(frame: &str) -> u64 {
    let launch = format!(
        "on: {{\n    launch: (state, event, api) => {{ const tick = (s) => {{ api.after(16, tick); return {frame} }}; api.after(16, tick) }},"
    );
    let space = Space::lab();
    space.write(
        "app.js",
        APP.replace("on: {", &launch).replace("{ text: 'Lab'", "{ text: state.title ?? 'Lab'").replace(
            "className: 'android.widget.FrameLayout',",
            "className: 'android.widget.FrameLayout', text: state.frame,",
        ),
    );
    space.trail("one", &["tap: { text: Add one }", "assertVisible: { text: \"Count: 1\" }"]);
    let ran = space.run(&["run", "--json"]).exits(0);
    ran.json()["trails"][0]["durationMs"].as_u64().unwrap()
}

#[test]
fn a_corner_that_never_stops_moving_does_not_hold_up_the_rest() {
    let took = moving("{ ...s, note: `frame ${api.now()}` }");
    assert!((1_800..2_800).contains(&took), "{took}");
    let took = moving("{ ...s, note: `frame ${api.now()}`, title: `Lab ${api.now() % 7}` }");
    assert!((1_800..2_800).contains(&took), "{took}");
}

#[test]
fn a_screen_that_never_stops_moving_is_waited_for_no_longer_than_the_cap() {
    let took = moving("{ ...s, frame: `frame ${api.now()}` }");
    assert!((10_000..10_500).contains(&took), "{took}");
}
