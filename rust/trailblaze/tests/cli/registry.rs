//! Which tools there are: filters, toolsets, collisions and names.

use insta::assert_snapshot;

use crate::space::Space;

const BODY: &str = "parameters: []\ntools:\n  - tap: { text: Add one }";

#[track_caller]
fn tool(space: &Space, name: &str, args: &[&str]) -> serde_json::Value {
    space.run(&[&["tools", name, "--json"], args].concat()).exits(0).json()
}

#[test]
fn a_tool_is_offered_when_the_target_pulls_its_toolset() {
    let space = Space::lab();
    space.tool("lab_pulled", BODY);
    space.toolset("lab_set", "description: For tests\ntools: [lab_pulled]");
    assert_eq!(tool(&space, "lab_pulled", &[])["offered"], false);
    space.target("    tool_sets: [lab_set]\n");
    let pulled = tool(&space, "lab_pulled", &[]);
    assert_eq!((&pulled["offered"], &pulled["toolsets"][0]), (&true.into(), &"lab_set".into()));
    let registry = space.run(&["registry"]).exits(0).json();
    assert_eq!(
        registry["groups"]["lab_set"],
        serde_json::json!({"description": "For tests", "defaultEnabled": true})
    );
    assert_eq!(registry["tools"]["lab_pulled"]["groups"], serde_json::json!(["lab_set"]));
}

#[test]
fn a_tool_pushes_itself_into_a_toolset() {
    let space = Space::lab();
    space.tool("lab_pushed", &format!("toolset: lab_set\n{BODY}"));
    let pushed = tool(&space, "lab_pushed", &[]);
    assert_eq!((&pushed["offered"], &pushed["toolsets"][0]), (&false.into(), &"lab_set".into()));
    space.target("    tool_sets: [lab_set]\n");
    assert_eq!(tool(&space, "lab_pushed", &[])["offered"], true);
}

#[test]
fn a_toolset_that_is_always_on_needs_no_pull() {
    let space = Space::lab();
    space.tool("lab_always", BODY);
    space.toolset("lab_set", "always_enabled: true\ntools: [lab_always]");
    assert_eq!(tool(&space, "lab_always", &[])["offered"], true);
    assert_eq!(tool(&space, "tap", &[])["offered"], true);
    assert_eq!(tool(&space, "assertEquals", &[])["offered"], false);
}

#[test]
fn toolsets_have_platforms_and_drivers_of_their_own() {
    let space = Space::lab();
    space.tool("lab_one", BODY);
    space.tool("lab_two", BODY);
    space.toolset("lab_ios", "platforms: [ios]\nalways_enabled: true\ntools: [lab_one]");
    space.toolset(
        "lab_driver",
        "drivers: [android-ondevice-instrumentation]\nalways_enabled: true\ntools: [lab_two]",
    );
    assert_eq!(tool(&space, "lab_one", &[])["offered"], false);
    assert_eq!(tool(&space, "lab_one", &["--as", "ios-host"])["offered"], true);
    assert_eq!(tool(&space, "lab_two", &[])["offered"], false);
    assert_eq!(tool(&space, "lab_two", &["--as", "android-ondevice-instrumentation"])["offered"], true);
}

#[test]
fn single_tools_are_added_and_excluded() {
    let space = Space::lab();
    space.tool("lab_single", BODY);
    space.target("    tools: [lab_single, assertEquals]\n    excluded_tools: [tapOnPoint]\n");
    assert_eq!(tool(&space, "lab_single", &[])["offered"], true);
    assert_eq!(tool(&space, "assertEquals", &[])["offered"], true);
    assert_eq!(tool(&space, "tapOnPoint", &[])["offered"], false);
    space.target("    tools: [lab_sinle]\n    excluded_tools: [nothingLikeIt]\n    tool_sets: [memry]\n");
    space.trail("one", &[]);
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 3 errors, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:7:13: unknown tool 'lab_sinle'
    7 |     tools: [lab_sinle]
      |             ^
    hint: did you mean 'lab_single'?

    error: trailblaze-config/targets/lab.yaml:8:22: unknown tool 'nothingLikeIt'
    8 |     excluded_tools: [nothingLikeIt]
      |                      ^

    error: trailblaze-config/targets/lab.yaml:9:17: unknown toolset 'memry'
    9 |     tool_sets: [memry]
      |                 ^
    hint: did you mean 'memory'?
    ");
}

#[test]
fn an_excluded_tool_is_only_hidden_from_models() {
    let space = Space::lab();
    space.target("    excluded_tools: [tapOnPoint]\n");
    space.trail("one", &["tapOnPoint: { x: 540, y: 650 }", "assertVisible: { text: \"Count: 1\" }"]);
    space.run(&["run"]).exits(0);
}

#[test]
fn tools_for_other_platforms_and_drivers_are_left_out_with_the_reason() {
    let space = Space::lab();
    space.tool("lab_forIos", &format!("supported_platforms: [ios]\n{BODY}"));
    space.tool("lab_forDriver", &format!("supported_drivers: [android-ondevice-instrumentation]\n{BODY}"));
    space.tool("lab_forHost", &format!("requires_host: true\n{BODY}"));
    assert_snapshot!(space.run(&["tools", "lab_forIos"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the tool 'lab_forIos' cannot be used here: it does not support the platform 'android'
    ");
    assert_snapshot!(space.run(&["tools", "lab_forDriver"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the tool 'lab_forDriver' cannot be used here: it does not support the driver 'android-ondevice-accessibility'
    ");
    assert_snapshot!(space.run(&["tools", "lab_forHost", "--agent", "on-device"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the tool 'lab_forHost' cannot be used here: it needs the agent on the host, and the agent runs on the device
    ");
    space.run(&["tools", "lab_forHost"]).exits(0);
    space.trail("one", &["lab_forIos: {}"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/one.trail.yaml:8:20: the tool 'lab_forIos' cannot be used: it does not support the platform 'android'
    8 |       android: [ { lab_forIos: {} } ]
      |                    ^

    error: nothing was run because of the error above
    ");
}

#[test]
fn flags_have_the_documented_defaults() {
    let space = Space::lab();
    space.tool("lab_plain", BODY);
    assert_snapshot!(format!("{:#}", tool(&space, "lab_plain", &[])), @r#"
    {
      "name": "lab_plain",
      "description": "For a test.",
      "inputSchema": {
        "type": "object",
        "properties": {},
        "additionalProperties": false
      },
      "source": "trailblaze-config/tools/lab_plain.yaml",
      "toolsets": [],
      "offered": false,
      "flags": {
        "isForLlm": true,
        "isRecordable": true,
        "isDelegating": false,
        "isVerification": false,
        "requiresHost": false,
        "supportedDrivers": [],
        "supportedPlatforms": [],
        "requiresContext": false,
        "groups": []
      }
    }
    "#);
    space.tool("lab_flags", &format!("surface_to_llm: false\nis_recordable: false\nrequires_host: true\nis_verification: true\nsupported_platforms: [android]\nsupported_drivers: [android]\ntoolset: lab_set\ngroups: [one, two]\n{BODY}"));
    assert_snapshot!(format!("{:#}", tool(&space, "lab_flags", &[])["flags"]), @r#"
    {
      "isForLlm": false,
      "isRecordable": false,
      "isDelegating": false,
      "isVerification": true,
      "requiresHost": true,
      "supportedDrivers": [
        "android-ondevice-accessibility",
        "android-ondevice-instrumentation"
      ],
      "supportedPlatforms": [
        "android"
      ],
      "toolset": "lab_set",
      "requiresContext": false,
      "groups": [
        "one",
        "two"
      ]
    }
    "#);
}

#[test]
fn two_tools_with_one_name_name_both_files() {
    let space = Space::lab();
    space.trail("one", &[]);
    space.tool("lab_twice", BODY);
    space.write("trailblaze-config/tools/copy.yaml", format!("id: lab_twice\ndescription: Again.\n{BODY}\n"));
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    5 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/lab_twice.yaml:1:1: two tools are called 'lab_twice': trailblaze-config/tools/copy.yaml and trailblaze-config/tools/lab_twice.yaml
    1 | id: lab_twice
      | ^
    hint: names are unique over all sources; rename one of them
    ");
    space.run(&["run"]).exits(3);
    space.run(&["tools"]).exits(3);
}

#[test]
fn built_in_names_are_taken() {
    let space = Space::lab();
    space.trail("one", &[]);
    space.tool("tap", BODY);
    space.toolset("memory", "tools: [tap]");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    5 files checked: 3 errors, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/tap.yaml:1:1: two tools are called 'tap': built in and trailblaze-config/tools/tap.yaml
    1 | id: tap
      | ^
    hint: names are unique over all sources; rename one of them

    error: trailblaze-config/tools/tap.yaml:5:5: tools call each other in a circle: tap → tap
    5 |   - tap: { text: Add one }
      |     ^
    hint: a tool cannot end by calling itself

    error: trailblaze-config/toolsets/memory.yaml:1:1: two toolsets are called 'memory': built in and trailblaze-config/toolsets/memory.yaml
    1 | id: memory
      | ^
    hint: rename one of them
    ");
}

#[test]
fn names_that_break_the_rules_are_warnings() {
    let space = Space::lab();
    space.trail("one", &["android_doIt: {}", "\"Bad-Name\": {}", "lab.dotted: {}"]);
    for id in ["android_doIt", "Bad-Name", "lab.dotted", "trailblaze_mine"] {
        space.tool(id, BODY);
    }
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 0
    ----- stdout
    7 files checked: 0 errors, 4 warnings
    ----- stderr
    warning: trailblaze-config/tools/Bad-Name.yaml:1:1: the tool name 'Bad-Name': 'Bad-Name' is not of the form verbNoun or app_verbNoun
    1 | id: Bad-Name
      | ^
    hint: use verbNoun, app_verbNoun or app_platform_verbNoun

    warning: trailblaze-config/tools/android_doIt.yaml:1:1: the tool name 'android_doIt': the prefix 'android_' is reserved
    1 | id: android_doIt
      | ^
    hint: use verbNoun, app_verbNoun or app_platform_verbNoun

    warning: trailblaze-config/tools/lab.dotted.yaml:1:1: the tool name 'lab.dotted': 'lab.dotted' is not of the form verbNoun or app_verbNoun
    1 | id: lab.dotted
      | ^
    hint: use verbNoun, app_verbNoun or app_platform_verbNoun

    warning: trailblaze-config/tools/trailblaze_mine.yaml:1:1: the tool name 'trailblaze_mine': the prefix 'trailblaze_' is reserved
    1 | id: trailblaze_mine
      | ^
    hint: use verbNoun, app_verbNoun or app_platform_verbNoun
    ");
    space.run(&["run"]).exits(0);
}

#[test]
fn a_toolset_with_a_tool_nobody_has() {
    let space = Space::lab();
    space.trail("one", &[]);
    space.toolset("lab_set", "tools:\n  - tap\n  - tapp\n  - waitForChange");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/toolsets/lab_set.yaml:4:5: the toolset 'lab_set' names the unknown tool 'tapp'
    4 |   - tapp
      |     ^
    hint: did you mean 'tap'?
    ");
}

#[test]
fn two_targets_with_one_id() {
    let space = Space::lab();
    space.trail("one", &[]);
    space.write("trailblaze-config/targets/other.yaml", space.read("trailblaze-config/targets/lab.yaml"));
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/other.yaml:1:1: two targets are called 'lab': trailblaze-config/targets/lab.yaml and trailblaze-config/targets/other.yaml
    1 | id: lab
      | ^
    hint: rename one of them
    ");
}

/// It is listed and checked like any other, and only whoever calls it hears of it.
#[test]
fn a_class_of_an_apk_runs_only_on_the_device() {
    let space = Space::lab();
    space.write("trailblaze-config/tools/count.yaml", "id: lab_count\nclass: com.example.Count\n");
    space.trail("one", &["lab_count: { any: thing }"]);
    space.trail("two", &["tap: { text: Add one }"]);
    space.run(&["check"]).exits(0);
    assert_eq!(tool(&space, "lab_count", &[])["description"], "The class com.example.Count in the test APK");
    let ran = space.run(&["run", "--json"]).exits(1).json();
    let (called, other) = (&ran["trails"][0], &ran["trails"][1]);
    let told = "'lab_count' is the class com.example.Count in a test APK and runs only on the device";
    assert_eq!(called["failure"]["message"], told);
    assert_eq!(called["failure"]["at"], "trails/one.trail.yaml:8:20");
    assert_eq!(other["verdict"], "passed");
}
