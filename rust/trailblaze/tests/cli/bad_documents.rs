//! Documents with a wrong content: a clear error, the right exit code, nothing half-written.

use insta::assert_snapshot;

use crate::space::{Ran, Space, trail_text};

/// Checks and runs a trail file with this text; both say the same, and nothing is written.
#[track_caller]
pub(crate) fn bad_trail(text: impl AsRef<[u8]>) -> Ran {
    let space = Space::lab();
    space.write("trails/bad.trail.yaml", text);
    let before = space.files("");
    let check = space.run(&["check"]).exits(3);
    let run = space.run(&["run", "--junit", "j.xml", "--events", "e.jsonl"]).exits(3);
    assert_eq!(space.files(""), before, "something was written");
    for problem in check.stderr.split("\n\n").filter(|text| text.starts_with("error")) {
        assert!(run.stderr.contains(problem), "{run}\n{problem}");
    }
    check
}

#[track_caller]
pub(crate) fn bad_tool(text: &str) -> Ran {
    let space = Space::lab();
    space.trail("one", &[]);
    space.write("trailblaze-config/tools/bad.yaml", text);
    space.run(&["run"]).exits(3);
    space.run(&["check"]).exits(3)
}

#[test]
fn duplicate_keys() {
    assert_snapshot!(bad_trail("config:\n  id: one\n  id: two\ntrail:\n  - step: x\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:3:3: the key 'id' stands here a second time
    3 |   id: two
      |   ^
    hint: it is already in line 2; keep one of them
    ");
}

#[test]
fn wrong_types() {
    assert_snapshot!(bad_trail("just text\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: a trail is a mapping with 'trail:' or a list of 'config', 'prompts' and 'tools' items
    1 | just text
      | ^
    ");
    assert_snapshot!(bad_trail("config: 7\ntrail: { step: x }\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:9: 'config' must be a mapping, not a single value
    1 | config: 7
      |         ^
    hint: write 'key: value', each on a line of its own

    error: trails/bad.trail.yaml:2:8: 'trail' must be a list, not a mapping
    2 | trail: { step: x }
      |        ^
    hint: begin each item with '- ', on a line of its own
    ");
    assert_snapshot!(bad_trail("trail:\n  - step: [a]\n  - 5\n  - step: x\n    recording: []\n  - step: y\n    recording: { android: { tap: {} } }\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 4 errors, 1 warning
    ----- stderr
    error: trails/bad.trail.yaml:2:11: 'step' must be a text, not a list
    2 |   - step: [a]
      |           ^
    hint: put quotes around a text that begins with '[' or '- '

    error: trails/bad.trail.yaml:3:5: a step must be a mapping, not a single value
    3 |   - 5
      |     ^
    hint: write 'key: value', each on a line of its own

    warning: trails/bad.trail.yaml:4:5: this step has no recording for android, other steps have
    4 |   - step: x
      |     ^
    hint: record it, or write 'android: []' if there is nothing to do

    error: trails/bad.trail.yaml:5:16: 'recording' must be a mapping from device classifiers to calls, not a list
    5 |     recording: []
      |                ^
    hint: write 'recording:', below it 'android:', and below that the list of calls

    error: trails/bad.trail.yaml:7:27: a recording must be a list, not a mapping
    7 |     recording: { android: { tap: {} } }
      |                           ^
    hint: begin each item with '- ', on a line of its own
    ");
}

#[test]
fn shapes_that_are_not_allowed() {
    assert_snapshot!(bad_trail("trail: []\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:8: 'trail' is empty
    1 | trail: []
      |        ^
    hint: add at least one step
    ");
    assert_snapshot!(bad_trail("trail:\n  - step: a\n    verify: b\n  - recording: {}\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:3:5: a step has either 'step' or 'verify', not both
    3 |     verify: b
      |     ^

    error: trails/bad.trail.yaml:4:5: a step needs 'step' or 'verify'
    4 |   - recording: {}
      |     ^
    hint: write what to do behind 'step:', or what must hold behind 'verify:'
    ");
    assert_snapshot!(bad_trail("trail:\n  - step: a\n    recordable: false\n    recording: { android: [ { tap: { text: x } } ] }\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:3:5: a step that is not recordable cannot have a recording
    3 |     recordable: false
      |     ^
    hint: remove the recording, or 'recordable: false'
    ");
    assert_snapshot!(bad_trail("trailhead:\n  step: a\n  recording: { android: [ { tap: {} } ] }\ntrail:\n  - step: b\n    recording: { android: [ { tap: { text: x }, wait: {} } ] }\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:3:25: a trailhead is one tool call, written as a mapping, not a list
    3 |   recording: { android: [ { tap: {} } ] }
      |                         ^
    hint: write 'android: { launchApp: { appId: … } }' without a dash

    error: trails/bad.trail.yaml:6:49: a tool call has one key, the tool's name; 'wait' is a second one
    6 |     recording: { android: [ { tap: { text: x }, wait: {} } ] }
      |                                                 ^
    hint: start each call with its own '-', and indent arguments below the name
    ");
    assert_snapshot!(bad_trail("- tools: []\n- config: { id: late }\n- steps: []\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:2:3: 'config' must be the first item
    2 | - config: { id: late }
      |   ^

    error: trails/bad.trail.yaml:3:3: unknown item 'steps'
    3 | - steps: []
      |   ^
    hint: to call a tool, put it into an item 'tools'
    ");
}

#[test]
fn an_unknown_key() {
    assert_snapshot!(bad_trail("trial:\n  - step: x\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: a trail has no key 'trial'
    1 | trial:
      | ^
    hint: did you mean 'trail'?

    error: trails/bad.trail.yaml:1:1: a trail needs 'trail:' with a list of steps
    1 | trial:
      | ^
    hint: write 'trail:' and below it '- step: …'
    ");
    let space = Space::lab();
    space.trail("one", &[]);
    space.write("trailblaze.yaml", "target: lab\ntrailDir: ./trails\n");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze.yaml:2:1: 'trailblaze.yaml' has no key 'trailDir'
    2 | trailDir: ./trails
      | ^
    hint: did you mean 'trailsDir'?
    ");
}

#[test]
fn two_modes_in_one_tool() {
    let described = "id: lab_bad\ndescription: Bad.\nparameters: []\n";
    assert_snapshot!(bad_tool(&format!("{described}tools:\n  - wait: {{ timeToWaitInSeconds: 1 }}\nscript: {{ source: x }}\n")).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/bad.yaml:6:1: a tool has one of 'class', 'tools' and 'script'; 'tools' is there already
    6 | script: { source: x }
      | ^
    ");
    assert_snapshot!(bad_tool("id: lab_bad\nclass: com.example.Tool\ndescription: No.\n").to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/bad.yaml:3:1: 'description' cannot stand beside 'class'
    3 | description: No.
      | ^
    hint: a class describes itself
    ");
    assert_snapshot!(bad_tool(described).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/bad.yaml:1:1: a tool needs one of 'class', 'tools' and 'script'
    1 | id: lab_bad
      | ^
    hint: 'tools' for a fixed list of calls, 'script' for logic, 'class' for code in the APK
    ");
    assert_snapshot!(bad_tool("id: lab_bad\ntools: []\n").to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 3 errors, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/bad.yaml:1:1: a tool with 'tools' needs 'description'
    1 | id: lab_bad
      | ^
    hint: add 'description: …'

    error: trailblaze-config/tools/bad.yaml:1:1: a tool with 'tools' needs 'parameters'
    1 | id: lab_bad
      | ^
    hint: write 'parameters: []' for a tool without any

    error: trailblaze-config/tools/bad.yaml:2:1: 'tools' needs at least one call
    2 | tools: []
      | ^
    ");
}

#[test]
fn tools_in_a_circle() {
    let space = Space::lab();
    space.trail("one", &["lab_one: {}"]);
    space.tool("lab_one", "parameters: []\ntools:\n  - tap: { text: Add one }\n  - lab_two: {}");
    space.tool("lab_two", "parameters: []\ntools:\n  - lab_one: {}");
    space.tool("lab_self", "parameters: []\ntools:\n  - lab_self: {}");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    6 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/lab_self.yaml:5:5: tools call each other in a circle: lab_self → lab_self
    5 |   - lab_self: {}
      |     ^
    hint: a tool cannot end by calling itself

    error: trailblaze-config/tools/lab_two.yaml:5:5: tools call each other in a circle: lab_one → lab_two → lab_one
    5 |   - lab_one: {}
      |     ^
    hint: a tool cannot end by calling itself
    ");
    space.run(&["run"]).exits(3);
}

#[test]
fn targets_toolsets_and_workspaces_that_are_broken() {
    let space = Space::lab();
    space.trail("one", &[]);
    space.write("trailblaze.yaml", "target: lap\nmcpServers: { }\nplatform: androyd\n");
    space.write("trailblaze-config/toolsets/bad.yaml", "description: no id\ndrivers: [ios-hots]\n");
    space.write(
        "trailblaze-config/targets/other.yaml",
        "id: other\nsim: { app: ./missing.js }\ndisplay_name: Other\nplatforms: { androd: {} }\n",
    );
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    5 files checked: 4 errors, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/other.yaml:4:14: unknown platform 'androd'
    4 | platforms: { androd: {} }
      |              ^
    hint: did you mean 'android'?

    error: trailblaze-config/toolsets/bad.yaml:1:1: a toolset needs 'id'
    1 | description: no id
      | ^
    hint: add 'id: …'

    error: trailblaze-config/toolsets/bad.yaml:2:11: unknown driver 'ios-hots'
    2 | drivers: [ios-hots]
      |           ^
    hint: did you mean 'ios-host'?

    error: trailblaze.yaml:3:11: unknown platform 'androyd'
    3 | platform: androyd
      |           ^
    hint: did you mean 'android'?
    ");
    space.run(&["run"]).exits(3);
}

#[test]
fn an_unknown_target() {
    let space = Space::lab();
    space.write("trails/one.trail.yaml", trail_text("target: lib", &[]));
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/one.trail.yaml:1:19: unknown target 'lib'
    1 | config: { target: lib }
      |                   ^
    hint: did you mean 'lab'?

    error: nothing was run because of the error above
    ");
}
