//! `--record`: what was invoked, as a trail that replays.

use std::path::Path;

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

fn counter() -> Space {
    let space = Space::lab();
    space.tool("lab_addTwo", "parameters:\n  - { name: what, type: string, required: true }\ntools:\n  - tap: { text: \"{{what}}\" }\n  - tap: { text: \"{{what}}\" }");
    space
}

#[test]
fn a_recording_replays_with_the_same_gestures() {
    let space = counter();
    let calls = [
        "lab_addTwo: { what: Add one }",
        "tap: { id: field }",
        "inputText: { text: \"${who}\" }",
        "tapOnElementWithText: { text: Slow }",
    ];
    space.write("trails/one.trail.yaml", trail_text("id: one, memory: { who: Ada }", &calls));
    space.run(&["run", "--record", "recorded.trail.yaml", "--events", "one.jsonl"]).exits(0);
    assert_snapshot!(space.shown("recorded.trail.yaml"), @"
    config:
      id: one
      memory:
        who: Ada
    trailhead:
      step: Start
      recording:
        android:
          launchApp:
            appId: com.example.lab
        android-phone:
          launchApp:
            appId: com.example.lab
    trail:
      - step: Step 1
        recording:
          android:
            - lab_addTwo:
                what: Add one
          android-phone:
            - lab_addTwo:
                what: Add one
      - step: Step 2
        recording:
          android:
            - tap:
                id: field
          android-phone:
            - tap:
                id: field
      - step: Step 3
        recording:
          android:
            - inputText:
                text: ${who}
          android-phone:
            - inputText:
                text: ${who}
      - step: Step 4
        recording:
          android:
            - tapOnElementWithText:
                text: Slow
          android-phone:
            - tapOnElementWithText:
                text: Slow
    ");
    space.run(&["check", "recorded.trail.yaml"]).exits(0);
    space.run(&["run", "recorded.trail.yaml", "--events", "two.jsonl"]).exits(0);
    let first = space.device_events("one.jsonl");
    assert!(first.len() >= 6, "{first:#?}");
    assert_eq!(first, space.device_events("two.jsonl"));
}

#[test]
fn the_example_replays_from_its_recordings() {
    let space = Space::empty();
    copy_folder(&crate::space::repository().join("examples/first"), &space.path("."));
    for name in
        ["hand-over/hand-over", "parcels/find-a-parcel", "parcels/details", "route/slow-route", "tour"]
    {
        let trail = format!("trails/{name}.trail.yaml");
        space
            .run(&["run", &trail, "--record", "recorded.yaml", "--events", "1.jsonl", "--out", "out"])
            .exits(0);
        std::fs::rename(space.path("recorded.yaml"), space.path(&trail)).unwrap();
        space.run(&["run", &trail, "--events", "2.jsonl", "--out", "out"]).exits(0);
        let first = space.device_events("1.jsonl");
        assert!(!first.is_empty(), "{name}");
        assert_eq!(first, space.device_events("2.jsonl"), "{name}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            // Earlier runs of the example are no part of it.
            if entry.file_name() != ".trailblaze" {
                copy_folder(&path, &target);
            }
        } else {
            std::fs::copy(path, target).unwrap();
        }
    }
}

#[test]
fn a_file_that_is_there_keeps_its_comments() {
    let space = counter();
    space.write("trails/one.trail.yaml", concat!(
        "# The first comment\n",
        "config:\n  id: one # its name\n",
        "trailhead:\n  step: Start\n  recording:\n    android: { launchApp: { appId: com.example.lab } }\n",
        "trail:\n",
        "  # Before the step\n",
        "  - step: Add\n    recording:\n      android: # for all phones\n        - tap: { text: Add one } # once\n",
        "  - verify: It counts\n    recording:\n      android:\n        - assertVisible: { text: \"Count: 1\" }\n",
        "# The end\n",
    ));
    space
        .run(&["run", "trails/one.trail.yaml", "--record", "trails/one.trail.yaml", "--events", "one.jsonl"])
        .exits(0);
    assert_snapshot!(space.shown("trails/one.trail.yaml"), @r#"
    # The first comment
    config:
      id: one # its name
    trailhead:
      step: Start
      recording:
        android: { launchApp: { appId: com.example.lab } }
        android-phone:
          launchApp:
            appId: com.example.lab
    trail:
      # Before the step
      - step: Add
        recording:
          android: # for all phones
            - tap: { text: Add one } # once
          android-phone:
            - tap:
                text: Add one
      - verify: It counts
        recording:
          android:
            - assertVisible: { text: "Count: 1" }
          android-phone:
            - assertVisible:
                text: "Count: 1"
    # The end
    "#);
    space.run(&["run", "trails/one.trail.yaml", "--events", "two.jsonl"]).exits(0);
    assert_eq!(space.device_events("one.jsonl"), space.device_events("two.jsonl"));
}

#[test]
fn a_file_with_something_else_is_left_alone() {
    let space = counter();
    space.trail("one", &["tap: { text: Add one }"]);
    space.write("other.trail.yaml", trail_text("", &[]));
    space.write("notes.md", "# Notes\n");
    let before = (space.read("other.trail.yaml"), space.read("notes.md"));
    assert_snapshot!(space.run(&["run", "-q", "--record", "other.trail.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: other.trail.yaml is there already and has other steps
    hint: choose another file for --record
    ");
    assert_snapshot!(space.run(&["run", "-q", "--record", "notes.md"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: notes.md is there already and is no trail
    hint: choose another file for --record
    ");
    assert_eq!(before, (space.read("other.trail.yaml"), space.read("notes.md")));
    assert!(!space.files("").iter().any(|file| file.ends_with(".tmp")), "{:?}", space.files(""));
}

#[test]
fn yaml_tools_are_recorded_as_called() {
    let space = counter();
    space.trail("one", &["lab_addTwo: { what: Add one }", "pressBack: {}"]);
    space.run(&["run", "--record", "r.trail.yaml", "--events", "e.jsonl"]).exits(0);
    let recorded: Vec<String> = space
        .events("e.jsonl")
        .iter()
        .filter(|event| event["event"] == "recorded")
        .map(|event| format!("{} {}", event["tool"], event["args"]))
        .collect();
    assert_snapshot!(recorded.join("\n"), @r#"
    "launchApp" {"appId":"com.example.lab"}
    "lab_addTwo" {"what":"Add one"}
    "pressBack" {}
    "#);
    let text = space.read("r.trail.yaml");
    assert!(text.contains("lab_addTwo") && !text.contains("tap:"), "{text}");
}

#[test]
fn a_step_with_what_cannot_be_recorded_keeps_its_own_calls() {
    let space = counter();
    space.tool("lab_secretly", "parameters: []\nis_recordable: false\ntools:\n  - tap: { text: Add one }");
    space.trail("one", &["lab_secretly: {}", "tap: { text: Add one }", "runCommand: { command: \"true\" }"]);
    space.run(&["run", "--record", "r.trail.yaml"]).exits(0);
    assert_snapshot!(space.shown("r.trail.yaml"), @r#"
    trailhead:
      step: Start
      recording:
        android:
          launchApp:
            appId: com.example.lab
        android-phone:
          launchApp:
            appId: com.example.lab
    trail:
      - step: Step 1
        recording:
          android:
            - lab_secretly: {}
      - step: Step 2
        recording:
          android:
            - tap:
                text: Add one
          android-phone:
            - tap:
                text: Add one
      - step: Step 3
        recording:
          android:
            - runCommand:
                command: "true"
    "#);
}

#[test]
fn a_step_that_fails_keeps_what_it_had() {
    let space = counter();
    space.trail("one", &["tap: { text: Add one }", "assertVisible: { text: Never }", "tap: { text: Slow }"]);
    space.run(&["run", "--record", "r.trail.yaml"]).exits(1);
    assert_snapshot!(space.shown("r.trail.yaml"), @"
    trailhead:
      step: Start
      recording:
        android:
          launchApp:
            appId: com.example.lab
        android-phone:
          launchApp:
            appId: com.example.lab
    trail:
      - step: Step 1
        recording:
          android:
            - tap:
                text: Add one
          android-phone:
            - tap:
                text: Add one
      - step: Step 2
        recording:
          android:
            - assertVisible:
                text: Never
      - step: Step 3
        recording:
          android:
            - tap:
                text: Slow
    ");
}

#[test]
fn variables_are_recorded_as_written() {
    let space = counter();
    space.trail("one", &["tap: { id: field }", "inputText: { text: \"${pin} {{who}}\" }"]);
    space.run(&["run", "--secret", "pin=4711", "--memory", "who=Ada", "--record", "r.trail.yaml"]).exits(0);
    let text = space.read("r.trail.yaml");
    assert!(text.contains("${pin} {{who}}") && !text.contains("4711") && !text.contains("Ada"), "{text}");
}

#[test]
fn tools_nobody_knows_survive_a_recording() {
    let space = counter();
    let text = "trail:\n  - step: Start\n    recording:\n      android: [ { launchApp: { appId: com.example.lab } } ]\n      ios: [ { ios_unheardOf: { deep: { list: [1, two, null] } } } ]\n";
    space.write("trails/one.trail.yaml", text);
    space.run(&["run", "--record", "r.trail.yaml"]).exits(0);
    assert_snapshot!(space.shown("r.trail.yaml"), @"
    trail:
      - step: Start
        recording:
          android:
            - launchApp:
                appId: com.example.lab
          ios:
            - ios_unheardOf:
                deep:
                  list:
                    - 1
                    - two
                    - null
          android-phone:
            - launchApp:
                appId: com.example.lab
    ");
}

#[test]
fn the_list_form_is_recorded_too() {
    let space = counter();
    space.write("trails/one.trail.yaml", concat!(
        "- config: { id: one, platform: android }\n",
        "- prompts:\n    - step: Start\n      recording:\n        tools:\n          - launchApp: { appId: com.example.lab }\n",
        "- tools:\n    - tap: { text: Add one }\n",
    ));
    space.run(&["run", "--record", "r.trail.yaml", "--events", "one.jsonl"]).exits(0);
    assert_snapshot!(space.shown("r.trail.yaml"), @"
    - config:
        id: one
        platform: android
    - prompts:
        - step: Start
          recording:
            tools:
              - launchApp:
                  appId: com.example.lab
    - tools:
        - tap:
            text: Add one
    ");
    space.run(&["run", "r.trail.yaml", "--events", "two.jsonl"]).exits(0);
    assert_eq!(space.device_events("one.jsonl"), space.device_events("two.jsonl"));
}

#[test]
fn one_trail_is_recorded_at_a_time() {
    let space = counter();
    space.trail("one", &[]);
    space.trail("two", &[]);
    assert_snapshot!(space.run(&["run", "--record", "r.trail.yaml"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: --record writes one trail, and 2 were chosen
    hint: name the trail file, or use --filter
    ");
    space.run(&["run", "--filter", "two", "--record", "r.trail.yaml"]).exits(0);
    assert!(space.path("r.trail.yaml").is_file());
}
