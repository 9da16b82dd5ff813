//! How taps, texts and scrolling reach the app, and what a run says about it.

use insta::assert_snapshot;
use serde_json::Value;

use crate::space::{APP, Space};

/// The app with a field that takes texts only in these ways.
fn field_that_takes(ways: &str) -> Space {
    let space = Space::lab();
    let handler = "text: (state, event) => {";
    let picky = format!("{handler}\n      if (!{ways}.includes(event.how)) return");
    space.write("app.js", APP.replace(handler, &picky));
    space.trail(
        "type",
        &[
            "tap: { id: field }",
            "inputText: { text: \"Grüße 🎉\" }",
            "assertVisible: { id: field, expectedText: \"Grüße 🎉\" }",
        ],
    );
    space
}

/// What `--verbose` says about the call, with the gestures that it made.
fn told<'a>(stdout: &'a str, call: &str) -> Vec<&'a str> {
    let mut lines = stdout.lines().skip_while(|line| !line.trim_start().starts_with(call));
    let depth = |line: &str| line.len() - line.trim_start().len();
    let Some(first) = lines.next() else { return Vec::new() };
    let inside = lines.take_while(|line| depth(line) > depth(first) || line.contains("app info"));
    std::iter::once(first).chain(inside).filter(|line| !line.contains("app info")).map(str::trim).collect()
}

#[test]
fn a_field_that_takes_only_keys_gets_keys() {
    let space = field_that_takes("['keys']");
    let ran = space.run(&["run", "--verbose"]).exits(0);
    assert_snapshot!(told(&ran.stdout, "inputText").join("\n"), @r#"
    inputText {"text":"Grüße 🎉"}
    → setText {"node":4,"text":"Grüße 🎉"}
    → inputText {"text":"Grüße 🎉"}
    → setClipboard {"text":"Grüße 🎉"}
    → pasteClipboard
    → setClipboard {"text":""}
    → typeKeys {"text":"Grüße 🎉"}
    → hideKeyboard
    ✓ typed by keys
    "#);
}

#[test]
fn the_first_way_that_works_is_the_last_one_that_is_tried() {
    for (ways, way) in [
        ("['set', 'keys']", "typed by set-text"),
        ("['input', 'keys']", "typed by input connection"),
        ("['paste', 'keys']", "typed by clipboard"),
    ] {
        let space = field_that_takes(ways);
        space.run(&["run", "--events", "events.jsonl"]).exits(0);
        let events = space.events("events.jsonl");
        let typed =
            events.iter().find(|event| event["event"] == "toolFinished" && event["tool"] == "inputText");
        assert_eq!(typed.unwrap()["message"], way);
        assert!(!events.iter().any(|event| event["action"] == "typeKeys"), "{way}");
    }
}

#[test]
fn a_field_that_takes_nothing_fails_the_step() {
    let space = field_that_takes("[]");
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ type  2.9 s
      ✓ Start
      ✓ Step 1
      ✗ Step 2  2.6 s
        error: trails/type.trail.yaml:11:20: the field is empty, not 'Grüße 🎉', after it was typed by set-text, input connection, clipboard and keys
          in inputText {"text":"Grüße 🎉"}
        step-3-failed: .trailblaze/runs/[run]/type/step-3-failed.png
        bundle: .trailblaze/runs/[run]/type/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 2.9 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn a_field_that_shows_a_text_in_its_own_way_has_it() {
    let space = Space::lab();
    space.write(
        "app.js",
        APP.replace(
            "text: state.text + event.text",
            "text: (state.text + event.text).replace(/(....)(?=.)/g, '$1 ')",
        ),
    );
    space.trail("card", &["tap: { id: field }", "inputText: { text: \"41111111\" }"]);
    let ran = space.run(&["run", "--verbose"]).exits(0);
    for line in [
        r#"→ setText {"node":4,"text":"41111111"}"#,
        "warning: the field shows '4111 1111' for '41111111'",
        "✓ typed by set-text; the field shows it as '4111 1111'",
    ] {
        assert!(ran.stdout.contains(line), "{ran}");
    }
}

/// The app with a dialog in front.
fn with_dialog() -> Space {
    let space = Space::lab();
    let dialog = "      ],\n    }, {\n      window: 'dialog', bounds: [40, 1300, 1040, 1700],
      children: [{ text: 'Update now?', bounds: [60, 1340, 1020, 1440] }, button('Later', 'later', 1500)],\n    }],";
    space.write("app.js", APP.replace("      ],\n    }],", dialog));
    space
}

#[test]
fn a_covered_button_names_what_covers_it() {
    let space = with_dialog();
    space.trail("covered", &["tap: { text: Add one }"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ covered  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/covered.trail.yaml:8:20: the element with text 'Add one' is covered by the dialog 'Update now?'
          in tap {"text":"Add one"}
        hint: bring what lies above it out of the way before it is touched
        step-2-failed: .trailblaze/runs/[run]/covered/step-2-failed.png
        bundle: .trailblaze/runs/[run]/covered/bundle.zip

    0 passed, 1 failed in 5.1 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    assert!(
        space
            .device_events(".trailblaze/runs/latest/events.jsonl")
            .iter()
            .all(|event| !event.contains("tap"))
    );
}

#[test]
fn a_button_of_the_dialog_itself_is_tapped() {
    let space = with_dialog();
    space.trail("later", &["tap: { text: Later }"]);
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    assert_eq!(space.device_events("events.jsonl").last().unwrap(), r#"{"action":"tap","x":540,"y":1550}"#);
}

#[test]
fn a_half_covered_button_is_tapped_where_it_is_free() {
    let space = Space::lab();
    let bar = "button('Spin', 'spin', 960),\n { isClickable: true, resourceId: id('bar'), bounds: [60, 600, 800, 700] },";
    space.write("app.js", APP.replace("button('Spin', 'spin', 960),", bar));
    space.trail("half", &["tap: { text: Add one }", "assertVisible: { text: \"Count: 1\" }"]);
    space.run(&["run", "--events", "events.jsonl"]).exits(0);
    assert_eq!(space.device_events("events.jsonl").last().unwrap(), r#"{"action":"tap","x":910,"y":650}"#);
}

#[test]
fn the_keyboard_is_hidden_for_what_lies_under_it() {
    let space = Space::lab();
    space.write("app.js", APP.replace("'add', 600)", "'add', 1800)"));
    space.trail(
        "under",
        &["tap: { id: field }", "tap: { text: Add one }", "assertVisible: { text: \"Count: 1\" }"],
    );
    let ran = space.run(&["run", "--verbose"]).exits(0);
    assert_snapshot!(told(&ran.stdout, r#"tap {"text""#).join("\n"), @r#"
    tap {"text":"Add one"}
    → hideKeyboard
    → tap {"x":540,"y":1850}
    ✓ tapped 540,1850
    "#);
}

#[test]
fn a_button_without_a_place_is_clicked() {
    let space = Space::lab();
    let bare = "{ text: 'Hidden add', resourceId: id('add'), isClickable: true },\n        button('Spin', 'spin', 960),";
    space.write("app.js", APP.replace("button('Spin', 'spin', 960),", bare));
    let selector =
        "tapOnElementBySelector: { nodeSelector: { androidAccessibility: { textRegex: Hidden add } } }";
    space.trail("bare", &[selector, "assertVisible: { text: \"Count: 1\" }"]);
    let ran = space.run(&["run", "--verbose"]).exits(0);
    assert_snapshot!(told(&ran.stdout, "tapOnElementBySelector").join("\n"), @r#"
    tapOnElementBySelector {"nodeSelector":{"androidAccessibility":{"textRegex":"Hidden add"}}}
    → click {"node":8}
    ✓ tapped 'Hidden add' by its click action
    "#);
}

/// The app with rows 0 to 19 in its list, which scrolls as far as they go.
fn with_rows() -> Space {
    let space = Space::lab();
    let app = APP
        .replace("slow: '' },", "slow: '', top: 0 },")
        .replace(
            "resourceId: id('list'), bounds: [0, 1200, 1080, 1600] }",
            "resourceId: id('list'), bounds: [0, 1200, 1080, 1600],
          children: [...Array(20).keys()].map((n) => ({ text: `Row ${n}`, bounds: [0, 1200 + n * 100 - state.top, 1080, 1300 + n * 100 - state.top] })) }",
        )
        .replace(
            "scroll: (state, event) => ({ ...state,",
            "scroll: (state, event) => ({ ...state, top: Math.max(0, Math.min(1600, state.top - event.dy)),",
        );
    space.write("app.js", app);
    space
}

#[test]
fn scrolling_ends_where_the_list_does() {
    let space = with_rows();
    space.trail("missing", &["scrollUntilTextIsVisible: { text: Row 20 }"]);
    assert_snapshot!(space.run(&["run", "--events", "events.jsonl"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ missing  3.2 s
      ✓ Start
      ✗ Step 1  3.1 s
        error: trails/missing.trail.yaml:8:20: no element with text 'Row 20' up to the end of what scrolls
          in scrollUntilTextIsVisible {"text":"Row 20"}
        hint: did you mean 'Row 10' (off-screen)?
        step-2-failed: .trailblaze/runs/[run]/missing/step-2-failed.png
        bundle: .trailblaze/runs/[run]/missing/bundle.zip

    0 passed, 1 failed in 3.2 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    let swipes = space.device_events("events.jsonl").iter().filter(|event| event.contains("swipe")).count();
    assert_eq!(swipes, 4, "two to the end of the list and two that move nothing");
    space.trail("missing", &["maestro: { commands: [ { scrollUntilVisible: { element: Row 20 } } ] }"]);
    let ran = space.run(&["run"]).exits(1);
    assert!(ran.stdout.contains("no element with text 'Row 20' up to the end of what scrolls"), "{ran}");
}

#[test]
fn a_tap_scrolls_to_what_is_out_of_sight() {
    let space = with_rows();
    space.trail(
        "scroll",
        &["tapOnElementBySelector: { nodeSelector: { androidAccessibility: { textRegex: Row 12 } } }"],
    );
    let ran = space.run(&["run", "--verbose"]).exits(0);
    assert_snapshot!(told(&ran.stdout, "tapOnElementBySelector").join("\n"), @r#"
    tapOnElementBySelector {"nodeSelector":{"androidAccessibility":{"textRegex":"Row 12"}}}
    → swipe {"x1":540,"y1":1520,"x2":540,"y2":1280,"durationMs":400}
    → swipe {"x1":540,"y1":1520,"x2":540,"y2":1280,"durationMs":400}
    → swipe {"x1":540,"y1":1520,"x2":540,"y2":1280,"durationMs":400}
    → swipe {"x1":540,"y1":1520,"x2":540,"y2":1280,"durationMs":400}
    → tap {"x":540,"y":1490}
    ✓ tapped 540,1490
    "#);
}

/// The name of the element in the tree that `requestDetailedViewHierarchy` prints.
fn name_of(space: &Space, element: &str) -> String {
    space.trail("look", &["requestDetailedViewHierarchy: {}"]);
    space.run(&["run", "trails/look.trail.yaml", "--events", "look.jsonl"]).exits(0);
    let events = space.events("look.jsonl");
    let tool = "requestDetailedViewHierarchy";
    let looked = events.iter().find(|event| event["event"] == "toolFinished" && event["tool"] == tool);
    let tree = looked.and_then(|event| event["message"].as_str()).unwrap();
    let line = tree.lines().find(|line| line.contains(element)).unwrap_or_else(|| panic!("{tree}"));
    let (_, after) = line.split_once('[').unwrap();
    after.split_once(']').unwrap().0.to_owned()
}

#[test]
fn the_tree_gives_every_element_a_name() {
    let space = Space::lab();
    space.trail("look", &["requestDetailedViewHierarchy: {}"]);
    let ran = space.run(&["run", "--verbose"]).exits(0);
    assert_snapshot!(told(&ran.stdout, "requestDetailedViewHierarchy").join("\n"), @"
    requestDetailedViewHierarchy
    ✓ 1 FrameLayout @0,0,1080,2400
    2 [s319] node 'Lab' @60,100,1020,180
    3 [l417] node 'Count: 0' id=com.example.lab:id/count @60,200,1020,280
    4 [y219] node 'nothing yet' id=com.example.lab:id/note @60,300,1020,380
    5 [k104] EditText hint 'Say something' id=com.example.lab:id/field clickable editable @60,400,1020,500
    6 [s875] Button 'Add one' id=com.example.lab:id/add clickable @60,600,1020,700
    7 [b779] Button 'Slow' id=com.example.lab:id/slow clickable @60,720,1020,820
    8 [w985] Button 'Boom' id=com.example.lab:id/boom clickable @60,840,1020,940
    9 [c383] Button 'Spin' id=com.example.lab:id/spin clickable @60,960,1020,1060
    10 ScrollView id=com.example.lab:id/list scrollable @0,1200,1080,1600
    ");
}

#[test]
fn a_name_from_the_tree_works_and_is_recorded_as_a_selector() {
    let space = Space::lab();
    let add = name_of(&space, "'Add one'");
    let check = format!("assertVisible: {{ ref: {add}, expectedText: Add one }}");
    space.trail(
        "named",
        &[&format!("tap: {{ ref: {add} }}"), &format!("longPress: {{ ref: {add} }}"), &check],
    );
    space.run(&["check", "trails/named.trail.yaml"]).exits(0);
    space
        .run(&["run", "trails/named.trail.yaml", "--record", "recorded.trail.yaml", "--events", "1.jsonl"])
        .exits(0);
    let recorded = space.read("recorded.trail.yaml").replace(&add, "[name]");
    assert_snapshot!(recorded.split_once("\ntrail:\n").unwrap().1, @"
    - step: Step 1
      recording:
        android:
          - tap:
              ref: [name]
        android-phone:
          - tapOnElementBySelector:
              nodeSelector:
                androidAccessibility:
                  resourceIdRegex: com.example.lab:id/add
    - step: Step 2
      recording:
        android:
          - longPress:
              ref: [name]
        android-phone:
          - tapOnElementBySelector:
              nodeSelector:
                androidAccessibility:
                  resourceIdRegex: com.example.lab:id/add
              longPress: true
    - step: Step 3
      recording:
        android:
          - assertVisible:
              ref: [name]
              expectedText: Add one
        android-phone:
          - assertVisibleBySelector:
              nodeSelector:
                androidAccessibility:
                  resourceIdRegex: com.example.lab:id/add
              expectedText: Add one
    ");
    space.run(&["run", "recorded.trail.yaml", "--events", "2.jsonl"]).exits(0);
    assert_eq!(space.device_events("1.jsonl"), space.device_events("2.jsonl"));
}

#[test]
fn a_name_that_is_not_on_the_screen() {
    let space = Space::lab();
    space.trail("named", &["tap: { ref: zz999 }"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ named  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/named.trail.yaml:8:20: nothing on the screen is called 'zz999'
          in tap {"ref":"zz999"}
        hint: such names belong to one screen; look at it again, or use a text or an id
        step-2-failed: .trailblaze/runs/[run]/named/step-2-failed.png
        bundle: .trailblaze/runs/[run]/named/bundle.zip

    0 passed, 1 failed in 5.1 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn reports_say_where_the_time_went() {
    let space = field_that_takes("['paste']");
    space.run(&["run", "--events", "events.jsonl", "--junit", "junit.xml"]).exits(0);
    let events = space.events("events.jsonl");
    let of = |kind: &str| -> Vec<Value> {
        events.iter().filter(|event| event["event"] == kind).map(|event| event["timing"].clone()).collect()
    };
    let steps: Vec<String> = of("stepFinished").iter().map(Value::to_string).collect();
    assert_snapshot!(steps.join("\n"), @r#"
    {"seeMs":0,"matchMs":0,"actMs":0,"settleMs":150,"verifyMs":0}
    {"seeMs":0,"matchMs":0,"actMs":0,"settleMs":150,"verifyMs":0}
    {"seeMs":0,"matchMs":0,"actMs":0,"settleMs":600,"verifyMs":1000}
    {"seeMs":0,"matchMs":0,"actMs":0,"settleMs":0,"verifyMs":0}
    "#);
    assert_snapshot!(of("trailFinished")[0].to_string(), @r#"{"see":{"p50":0,"p95":0},"match":{"p50":0,"p95":0},"act":{"p50":0,"p95":0},"settle":{"p50":150,"p95":600},"verify":{"p50":0,"p95":1000}}"#);
    let junit = space.read("junit.xml");
    let properties: Vec<&str> =
        junit.lines().filter(|line| line.contains("timing.")).map(str::trim).collect();
    assert_snapshot!(properties.join("\n"), @r#"
    <property name="timing.see.p50" value="0"/>
    <property name="timing.see.p95" value="0"/>
    <property name="timing.match.p50" value="0"/>
    <property name="timing.match.p95" value="0"/>
    <property name="timing.act.p50" value="0"/>
    <property name="timing.act.p95" value="0"/>
    <property name="timing.settle.p50" value="150"/>
    <property name="timing.settle.p95" value="600"/>
    <property name="timing.verify.p50" value="0"/>
    <property name="timing.verify.p95" value="1000"/>
    "#);
}
