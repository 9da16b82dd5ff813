//! Steps: what is recorded for this device, and what needs a model.

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

#[test]
fn a_step_without_a_recording_needs_a_model() {
    let space = Space::lab();
    space.write("trails/step.trail.yaml", "trail:\n  - step: Think\n");
    space.write("trails/verify.trail.yaml", "trail:\n  - verify: Is it so\n");
    space.write("trails/live.trail.yaml", "trail:\n  - step: Always think\n    recordable: false\n");
    space.write(
        "trails/other.trail.yaml",
        "trail:\n  - step: Elsewhere\n    recording: { ios: [], android-tablet: [] }\n",
    );
    let ran = space.run(&["run", "--json"]).exits(1);
    for trail in ran.json()["trails"].as_array().unwrap() {
        assert_eq!(trail["failure"]["kind"], "NeedsModel", "{trail}");
    }
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 1
    ----- stdout
    Running 4 trails on sim (android-ondevice-accessibility)
    ✗ live  0 ms
      ✗ Always think
        error: trails/live.trail.yaml:2:5: this step is always solved by a model, and none is set
        hint: remove 'recordable: false' and record it
    ✗ other  0 ms
      ✗ Elsewhere
        error: trails/other.trail.yaml:2:5: this step is recorded for ios and android-tablet but not for 'android-phone'
        hint: write the calls under 'recording: android:'
    ✗ step  0 ms
      ✗ Think
        error: trails/step.trail.yaml:2:5: this step has no recording, and no model is set that could solve it
        hint: write the calls under 'recording: android:'
    ✗ verify  0 ms
      ✗ Is it so
        error: trails/verify.trail.yaml:2:5: this verification has no recording, and no model is set that could solve it
        hint: write the calls under 'recording: android:'

    ✗ live  trails/live.trail.yaml:2:5
    ✗ other  trails/other.trail.yaml:2:5
    ✗ step  trails/step.trail.yaml:2:5
    ✗ verify  trails/verify.trail.yaml:2:5
    0 passed, 4 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    space.run(&["check"]).exits(0);
}

#[test]
fn an_empty_recording_does_nothing_and_passes() {
    let space = Space::lab();
    space.write("trails/empty.trail.yaml", "trail:\n  - step: Nothing\n    recording: { android: [] }\n  - verify: Nothing either\n    recording: { android-phone: [] }\n");
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    assert!(space.device_events("events.jsonl").is_empty());
}

#[test]
fn the_closest_recording_wins() {
    let space = Space::lab();
    space.write("trails/closest.trail.yaml", concat!(
        "trailhead:\n  step: Start\n  recording:\n    android: { runTrail: { path: nowhere } }\n    android-phone: { launchApp: { appId: com.example.lab } }\n",
        "trail:\n",
        "  - step: Closest\n    recording:\n      android: [ { tap: { text: Never } } ]\n      android-phone: [ { tap: { text: Add one } } ]\n      android-tablet: [ { tap: { text: Never } } ]\n",
        "  - step: Segment\n    recording:\n      phone: [ { tap: { text: Add one } } ]\n      ios: [ { tap: { text: Never } } ]\n",
        "  - verify: Both\n    recording:\n      android: [ { assertVisible: { text: \"Count: 2\" } } ]\n",
    ));
    space.run(&["run"]).exits(0);
}

#[test]
fn a_skipped_trail_says_why() {
    let space = Space::lab();
    space.write(
        "trails/skipped.trail.yaml",
        trail_text("skip: { android: waits for the new app }", &["tap: { text: Never }"]),
    );
    space.write("trails/tablet.trail.yaml", trail_text("skip: { android-tablet: no tablet yet }", &[]));
    space.write("trails/blank.trail.yaml", trail_text("skip: { android: \"\" }", &[]));
    space.write(
        "trails/list.trail.yaml",
        "- config: { skip: not now }\n- tools:\n    - tap: { text: Never }\n",
    );
    assert_snapshot!(space.run(&["run", "--junit", "junit.xml"]).to_string(), @"
    exit: 0
    ----- stdout
    Running 4 trails on sim (android-ondevice-accessibility)
    ✓ blank  150 ms
      ✓ Start
      ✓ Nothing
    – list  skipped: not now
    – skipped  skipped: waits for the new app
    ✓ tablet  150 ms
      ✓ Start
      ✓ Nothing

    2 passed, 2 skipped in 300 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert_snapshot!(space.shown("junit.xml"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="4" skipped="2" failures="0" errors="0" time="0.300">
        <testsuite name="trails" tests="4" skipped="2" errors="0" failures="0" time="0.300">
            <testcase name="blank" classname="trails" time="0.150" file="trails/blank.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                    <property name="timing.see.p50" value="0"/>
                    <property name="timing.see.p95" value="0"/>
                    <property name="timing.match.p50" value="0"/>
                    <property name="timing.match.p95" value="0"/>
                    <property name="timing.act.p50" value="0"/>
                    <property name="timing.act.p95" value="0"/>
                    <property name="timing.settle.p50" value="0"/>
                    <property name="timing.settle.p95" value="150"/>
                    <property name="timing.verify.p50" value="0"/>
                    <property name="timing.verify.p95" value="0"/>
                </properties>
            </testcase>
            <testcase name="list" classname="trails" time="0.000" file="trails/list.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <skipped message="not now"/>
            </testcase>
            <testcase name="skipped" classname="trails" time="0.000" file="trails/skipped.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <skipped message="waits for the new app"/>
            </testcase>
            <testcase name="tablet" classname="trails" time="0.150" file="trails/tablet.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                    <property name="timing.see.p50" value="0"/>
                    <property name="timing.see.p95" value="0"/>
                    <property name="timing.match.p50" value="0"/>
                    <property name="timing.match.p95" value="0"/>
                    <property name="timing.act.p50" value="0"/>
                    <property name="timing.act.p95" value="0"/>
                    <property name="timing.settle.p50" value="0"/>
                    <property name="timing.settle.p95" value="150"/>
                    <property name="timing.verify.p50" value="0"/>
                    <property name="timing.verify.p95" value="0"/>
                </properties>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
    let ran = space.run(&["run", "--json"]).exits(0);
    assert_eq!(ran.verdicts(), ["blank passed", "list skipped", "skipped skipped", "tablet passed"]);
}

#[test]
fn a_trail_of_config_only_is_not_run() {
    let space = Space::lab();
    space.write("trails/plan.trail.yaml", "config: { id: plan, title: To be written }\n");
    space.trail("real", &[]);
    assert_eq!(space.run(&["run", "--json"]).exits(0).verdicts(), ["real passed"]);
    space.run(&["check"]).exits(0);
    assert_snapshot!(space.run(&["run", "trails/plan.trail.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there is no trail to run: what was found has a 'config' and no steps
    hint: add steps under 'trail:'
    ");
}

#[test]
fn the_list_form_runs() {
    let space = Space::lab();
    space.write("trails/list.trail.yaml", concat!(
        "- config: { id: list, title: The old form, platform: android, priority: P1 }\n",
        "- trailhead: { step: Launch, tools: [ { launchApp: { appId: com.example.lab } } ] }\n",
        "- prompts:\n",
        "    - step: Add\n      recording:\n        tools:\n          - tapOnElementWithText: { text: Add }\n",
        "    - verify: It counts\n      recording:\n        tools:\n          - assertVisibleWithText: { text: \"Count: 1\" }\n",
        "- tools:\n    - tap: { text: Add one }\n    - pressBack: {}\n",
        "- maestro:\n    - assertVisible: \"Count: 2\"\n",
    ));
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ list  The old form  600 ms
      ✓ Launch
      ✓ Add
      ✓ It counts
      ✓ tap, pressBack
      ✓ maestro

    1 passed in 600 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn trailheads_have_several_forms() {
    let space = Space::lab();
    space.tool("lab_start", "parameters: []\ntools:\n  - launchApp: { appId: com.example.lab }");
    space.write(
        "trails/name.trail.yaml",
        "- trailhead: lab_start\n- tools:\n    - assertVisible: { text: Lab }\n",
    );
    space.write("trails/tools.trail.yaml", "- trailhead: { tools: [ { lab_start: {} }, { tap: { text: Add one } } ] }\n- tools:\n    - assertVisible: { text: \"Count: 1\" }\n");
    space.write("trails/empty.trail.yaml", "trailhead:\n  step: Nothing to do\n  recording: { android: {} }\ntrail:\n  - step: Nothing\n    recording: { android: [] }\n");
    space.write("trails/null.trail.yaml", "trailhead:\n  step: Start\n  recording: { android: { lab_start: } }\ntrail:\n  - step: Nothing\n    recording: { android: [] }\n");
    let ran = space.run(&["run", "--json"]).exits(0);
    assert_eq!(ran.verdicts(), ["empty passed", "name passed", "null passed", "tools passed"]);
    space.write(
        "trails/live.trail.yaml",
        "trailhead:\n  step: Think of a start\ntrail:\n  - step: Nothing\n    recording: { android: [] }\n",
    );
    assert_snapshot!(space.run(&["run", "trails/live.trail.yaml"]).to_string(), @"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ live  0 ms
      ✗ Think of a start
        error: trails/live.trail.yaml:2:3: this step has no recording, and no model is set that could solve it
        hint: write the calls under 'recording: android:'
      – 1 step not run

    0 passed, 1 failed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn a_trail_runs_another_inside() {
    let space = Space::lab();
    space.trail("parts/start", &["tap: { text: Add one }"]);
    space.write("trails/whole.trail.yaml", concat!(
        "trail:\n  - step: Start\n    recording:\n      android: [ { runTrail: { path: parts/start.trail.yaml } } ]\n",
        "  - step: Again\n    recording:\n      android: [ { runTrail: { path: trails/parts/start.trail.yaml } }, { assertVisible: { text: \"Count: 1\" } } ]\n",
    ));
    space.run(&["run"]).exits(0);
    space.run(&["run", "trails/whole.trail.yaml", "--record", "r.trail.yaml"]).exits(0);
    assert!(space.read("r.trail.yaml").contains("runTrail"));
}

#[test]
fn a_trail_inside_that_fails_fails_the_step() {
    let space = Space::lab();
    space.trail("whole", &["runTrail: { path: part.yaml }"]);
    space.write("trails/part.yaml", "trail:\n  - step: Think\n");
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ whole  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/whole.trail.yaml:8:20: 'part.yaml', step 'Think': this step has no recording, and no model is set that could solve it
          in runTrail {"path":"part.yaml"}
        hint: write the calls under 'recording: android:'

    0 passed, 1 failed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    space.write("trails/part.yaml", "trail: nonsense\n");
    assert_snapshot!(space.run(&["run", "-q"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ✗ whole  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/part.yaml:1:8: 'trail' must be a list, not a single value
          in runTrail {"path":"part.yaml"}
        hint: begin each item with '- ', on a line of its own
        step-2-failed: .trailblaze/runs/[run]/whole/step-2-failed.png
        bundle: .trailblaze/runs/[run]/whole/bundle.zip

    0 passed, 1 failed in 150 ms of virtual time
    ----- stderr
    "#);
    space.trail("whole", &["runTrail: { path: missing.yaml }"]);
    assert_snapshot!(space.run(&["run", "-q"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ✗ whole  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/whole.trail.yaml:8:20: the trail 'missing.yaml' does not exist
          in runTrail {"path":"missing.yaml"}
        hint: paths are relative to the trail that names them, or to the workspace
        step-2-failed: .trailblaze/runs/[run]/whole/step-2-failed.png
        bundle: .trailblaze/runs/[run]/whole/bundle.zip

    0 passed, 1 failed in 150 ms of virtual time
    ----- stderr
    "#);
}

#[test]
fn trails_that_run_each_other_end() {
    let space = Space::lab();
    space.trail("one", &["runTrail: { path: two.trail.yaml }"]);
    space.trail("two", &["runTrail: { path: one.trail.yaml }"]);
    assert_snapshot!(space.run(&["run", "-q", "trails/one.trail.yaml"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ✗ one  2.4 s
      ✓ Start
      ✗ Step 1  2.2 s
        error: trails/one.trail.yaml:4:16: tools nest deeper than 16 levels
          in runTrail {"path":"two.trail.yaml"}
             runTrail {"path":"one.trail.yaml"}
               runTrail {"path":"two.trail.yaml"}
                 runTrail {"path":"one.trail.yaml"}
                   runTrail {"path":"two.trail.yaml"}
                     runTrail {"path":"one.trail.yaml"}
                       runTrail {"path":"two.trail.yaml"}
                         runTrail {"path":"one.trail.yaml"}
                           runTrail {"path":"two.trail.yaml"}
                             runTrail {"path":"one.trail.yaml"}
                               runTrail {"path":"two.trail.yaml"}
                                 runTrail {"path":"one.trail.yaml"}
                                   runTrail {"path":"two.trail.yaml"}
                                     runTrail {"path":"one.trail.yaml"}
                                       runTrail {"path":"two.trail.yaml"}
                                         runTrail {"path":"one.trail.yaml"}
                                           launchApp {"appId":"com.example.lab"}
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip

    0 passed, 1 failed in 2.4 s of virtual time
    ----- stderr
    "#);
}

#[test]
fn a_tool_that_nobody_knows_fails_only_when_it_is_reached() {
    let space = Space::lab();
    space.trail("late", &["tap: { text: Add one }", "tapp: { text: Add one }", "tap: { text: Slow }"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ late  300 ms
      ✓ Start
      ✓ Step 1
      ✗ Step 2
        error: trails/late.trail.yaml:11:20: unknown tool 'tapp'
          in tapp {"text":"Add one"}
        hint: did you mean 'tap'?
        step-3-failed: .trailblaze/runs/[run]/late/step-3-failed.png
        bundle: .trailblaze/runs/[run]/late/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 300 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    warning: trails/late.trail.yaml:11:20: unknown tool 'tapp'
    11 |       android: [ { tapp: { text: Add one } } ]
       |                    ^
    hint: did you mean 'tap'?
    "#);
    space.trail("late", &["assertVisible: { text: Never }", "tapp: { text: Add one }"]);
    let ran = space.run(&["run", "--json"]).exits(1);
    assert_eq!(ran.json()["trails"][0]["failure"]["kind"], "AssertionFailed");
    space.run(&["check"]).exits(3);
}

#[test]
fn a_tool_of_a_later_version_is_refused_at_load() {
    let space = Space::lab();
    space.trail("later", &["rememberText: { variable: name, prompt: The name }"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/later.trail.yaml:8:20: the tool 'rememberText' cannot be used: it needs a model, which this version does not have yet
    8 |       android: [ { rememberText: { variable: name, prompt: The name } } ]
      |                    ^

    error: nothing was run because of the error above
    ");
    space.run(&["check"]).exits(3);
}

#[test]
fn yaml_tools_keep_types_splice_text_and_drop_keys() {
    let space = Space::lab();
    space.tool("lab_type", concat!(
        "parameters:\n  - { name: text, type: string, required: true }\n  - { name: count, type: integer, required: false }\n  - { name: keep, type: boolean, default: true }\n",
        "tools:\n  - tap: { id: field }\n  - inputText: { text: \"<{{text}}|{{count}}|{{params.text}}|${who}>\", hideKeyboardAfter: \"{{keep}}\" }\n  - eraseText: { charactersToErase: \"{{?count}}\" }",
    ));
    space.write(
        "trails/typed.trail.yaml",
        trail_text(
            "memory: { text: shadowed, who: Ada }",
            &["lab_type: { text: hi, count: 3, keep: false }", "lab_type: { text: ho }"],
        ),
    );
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    assert_snapshot!(space.device_events("events.jsonl").join("\n"), @r#"
    {"action":"stopApp","appId":"com.example.lab"}
    {"action":"clearAppData","appId":"com.example.lab"}
    {"action":"launchApp","appId":"com.example.lab"}
    {"action":"tap","x":540,"y":450}
    {"action":"setText","node":4,"text":"<hi|3|hi|Ada>"}
    {"action":"eraseText","count":3}
    {"action":"tap","x":540,"y":450}
    {"action":"setText","node":4,"text":"<hi|3|hi|A<ho||ho|Ada>"}
    {"action":"hideKeyboard"}
    {"action":"eraseText","count":22}
    "#);
}

#[test]
fn missing_and_wrong_arguments_of_a_yaml_tool() {
    let space = Space::lab();
    space.tool("lab_type", "parameters:\n  - { name: text, type: string, required: true }\n  - { name: count, type: integer, required: true }\ntools:\n  - inputText: { text: \"{{text}}\" }");
    space.trail("missing", &["lab_type: {}"]);
    space.trail("wrong", &["lab_type: { text: x, count: \"${who}\" }"]);
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    5 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/missing.trail.yaml:8:20: 'lab_type': 'text' is missing
    8 |       android: [ { lab_type: {} } ]
      |                    ^

    error: trails/missing.trail.yaml:8:20: 'lab_type': 'count' is missing
    8 |       android: [ { lab_type: {} } ]
      |                    ^
    ");
    assert_snapshot!(space.run(&["run", "-q", "trails/wrong.trail.yaml", "--memory", "who=Ada"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ✗ wrong  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/wrong.trail.yaml:8:48: 'lab_type': 'count' must be a whole number, not 'Ada'
          in lab_type {"text":"x","count":"Ada"}
        step-2-failed: .trailblaze/runs/[run]/wrong/step-2-failed.png
        bundle: .trailblaze/runs/[run]/wrong/bundle.zip

    0 passed, 1 failed in 150 ms of virtual time
    ----- stderr
    "#);
}
