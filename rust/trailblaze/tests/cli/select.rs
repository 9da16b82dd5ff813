//! `select`: what a selector means on a captured screen.

use insta::assert_snapshot;
use serde_json::json;

use crate::space::{Ran, Space, repository};

fn capture(name: &str) -> String {
    format!("tests/captures/calendar_android_{name}.example.json")
}

fn select(more: &[&str]) -> Ran {
    let screen = capture("discard_dialog");
    Space::empty().run_in_repository(&[&["select", "--screen", &screen], more].concat())
}

#[test]
fn matches_with_their_tap_points_and_selectors() {
    let ran = select(&["--selector", "{ androidAccessibility: { textRegex: 'Discard.*' } }"]);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 0
    ----- stdout
    node 2 at 540,1146: Discard this event?
      {"androidAccessibility":{"resourceIdRegex":"android:id/message"}}
      {"androidAccessibility":{"textRegex":"\\QDiscard this event?\\E"}}
      {"androidAccessibility":{"textRegex":"\\QDiscard this event?\\E","classNameRegex":"android.widget.TextView"}}
    node 6 at 524,1295: Discard
      {"androidAccessibility":{"resourceIdRegex":"android:id/button2"}}
      {"androidAccessibility":{"textRegex":"Discard"}}
      {"androidAccessibility":{"textRegex":"Discard","classNameRegex":"android.widget.Button"}}
    ----- stderr
    "#);
}

#[test]
fn the_same_as_json() {
    let selector = r#"{"androidAccessibility": {"textRegex": "Discard"}}"#;
    let result = select(&["--selector", selector, "--json"]).exits(0).json();
    let matches = result["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 1);
    assert_eq!((&matches[0]["nodeId"], &matches[0]["tap"]), (&json!(6), &json!([524, 1295])));
    let best = &matches[0]["selectors"][0];
    assert_eq!(*best, json!({ "androidAccessibility": { "resourceIdRegex": "android:id/button2" } }));
    // Every selector means this node and no other.
    for selector in matches[0]["selectors"].as_array().unwrap() {
        let again = select(&["--selector", &selector.to_string(), "--json"]).exits(0).json();
        let ids: Vec<&serde_json::Value> =
            again["matches"].as_array().unwrap().iter().map(|found| &found["nodeId"]).collect();
        assert_eq!(ids, [&json!(6)], "{selector}");
    }
}

#[test]
fn a_selector_may_come_with_its_key_or_from_a_file_of_maestro() {
    let native = r#"nodeSelector: { androidAccessibility: { textRegex: Discard } }"#;
    let all = [
        select(&["--selector", native, "--json"]),
        select(&["--selector", "discard", "--dialect", "maestro", "--json"]),
        select(&["--selector", "{ text: dis.ard }", "--dialect", "maestro", "--json"]),
        select(&["--selector", "{ id: button2 }", "--dialect", "maestro", "--json"]),
    ];
    for ran in all {
        assert_eq!(ran.exits(0).json()["matches"][0]["nodeId"], 6);
    }
    let ran = select(&["--selector", "{ text: discard }", "--dialect", "maestro"]);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 0
    ----- stdout
    node 6 at 524,1295: Discard
      {"androidAccessibility":{"resourceIdRegex":"android:id/button2"}}
      {"androidAccessibility":{"textRegex":"Discard"}}
      {"androidAccessibility":{"textRegex":"Discard","classNameRegex":"android.widget.Button"}}
    ----- stderr
    "#);
}

#[test]
fn no_match_explains_itself() {
    let native = "{ androidAccessibility: { textRegex: Discart } }";
    assert_snapshot!(select(&["--selector", native]).to_string(), @"
    exit: 1
    ----- stdout
    ----- stderr
    no element fits
    hint: nearest: 'Discard' fails text (it is 'Discard')
    ");
    assert_snapshot!(select(&["--selector", native, "--json"]).to_string(), @r#"
    exit: 1
    ----- stdout
    {
      "matches": [],
      "explanation": "nearest: 'Discard' fails text (it is 'Discard')"
    }
    ----- stderr
    "#);
    assert_snapshot!(select(&["--selector", "Discart", "--dialect", "maestro"]).to_string(), @"
    exit: 1
    ----- stdout
    ----- stderr
    no element fits
    hint: did you mean 'Discard'?
    ");
    let related = "{ androidAccessibility: { textRegex: Discard }, rightOf: { androidAccessibility: { textRegex: Keep editing } } }";
    assert_snapshot!(select(&["--selector", related]).to_string(), @"
    exit: 1
    ----- stdout
    ----- stderr
    no element fits
    hint: 'Discard' would fit without 'rightOf'
    ");
    let foreign = "{ web: { cssSelector: a } }";
    assert_snapshot!(select(&["--selector", foreign]).to_string(), @"
    exit: 1
    ----- stdout
    ----- stderr
    no element fits
    hint: 'web' is for another kind of screen; this is an Android one
    ");
}

#[test]
fn a_bad_selector_is_an_error_with_its_place() {
    let nested = "{ childOf: { androidAccessibility: { textRegexp: x } } }";
    assert_snapshot!(select(&["--selector", nested]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the selector/childOf/androidAccessibility/textRegexp: 'androidAccessibility' has no predicate 'textRegexp'
    hint: did you mean 'textRegex'?
    ");
    let wrong_type = "{ androidAccessibility: { isClickable: maybe } }";
    assert_snapshot!(select(&["--selector", wrong_type]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the selector/androidAccessibility/isClickable: 'isClickable' must be true or false
    ");
    assert_snapshot!(select(&["--selector", "{ a: "]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the selector: not valid YAML: while parsing a node, did not find expected node content
    ");
    assert_snapshot!(select(&["--selector", ""]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the selector: a selector must be a mapping
    ");
    assert_snapshot!(select(&["--selector", "{ txt: a }", "--dialect", "maestro"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the selector: the selector has no option 'txt'
    hint: did you mean 'text'?
    ");
    assert_snapshot!(select(&["--selector", "{}", "--dialect", "klingon"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value 'klingon' for '--dialect <DIALECT>'
      [possible values: native, maestro]

    For more information, try '--help'.
    ");
}

#[test]
fn a_capture_that_is_none_is_an_error() {
    let space = Space::empty();
    let whole = std::fs::read(repository().join(capture("discard_dialog"))).unwrap();
    space.write("cut.json", &whole[..3000]);
    space.write("other.json", "{\"a\": 1}");
    space.write("empty.json", "");
    space.write("bytes.json", [0xff, 0xfe, 0x00]);
    let run = |screen: &str| space.run(&["select", "--screen", screen, "--selector", "{}"]).exits(3).stderr;
    assert_snapshot!(run("cut.json"), @"
    error: cut.json: 66:5: EOF while parsing a value
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy', or a screen of a saved run
    ");
    assert_snapshot!(run("other.json"), @"error: other.json: there is no tree in it");
    assert_snapshot!(run("empty.json"), @"
    error: empty.json: 1:0: EOF while parsing a value
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy', or a screen of a saved run
    ");
    assert_snapshot!(run("bytes.json"), @"error: bytes.json: it is not text in UTF-8");
    assert_snapshot!(run("none.json"), @"error: none.json: it does not exist");
    assert_snapshot!(run("."), @"error: .: it is a folder");
}

#[test]
fn a_capture_cut_off_anywhere_is_an_error() {
    let space = Space::empty();
    let whole = std::fs::read(repository().join(capture("settings_overflow_menu"))).unwrap();
    for part in 1..10 {
        space.write("cut.json", &whole[..whole.len() * part / 10]);
        let ran = space.run(&["select", "--screen", "cut.json", "--selector", "{}"]).exits(3);
        assert!(ran.stderr.starts_with("error: cut.json: "), "{ran}");
    }
}

/// Writes a capture with these nodes: what each says, its left, top, right and bottom, its other properties.
fn screen(space: &Space, name: &str, nodes: &[(&str, [i32; 4], &str)]) {
    let node = |(text, [left, top, right, bottom], more): &(&str, [i32; 4], &str)| {
        let mut detail = json!({ "class": "androidAccessibility", "text": text });
        for word in more.split_whitespace() {
            match word.split_once('=') {
                Some((key, value)) => detail[key] = value.into(),
                None => detail[word] = true.into(),
            }
        }
        json!({
            "bounds": { "left": left, "top": top, "right": right, "bottom": bottom },
            "driverDetail": detail,
        })
    };
    let mut tree = node(&("", [0, 0, 400, 800], ""));
    tree["children"] = nodes.iter().map(node).collect();
    let capture = json!({ "deviceWidth": 400, "deviceHeight": 800, "trailblazeNodeTree": tree });
    space.write(name, capture.to_string());
}

#[test]
fn an_element_that_no_finger_reaches_is_said_to_be_out_of_reach() {
    let space = Space::empty();
    let nodes = [
        ("Under", [0, 0, 100, 100], ""),
        ("Over", [0, 0, 100, 100], "isClickable"),
        ("Far", [0, 900, 100, 1000], ""),
    ];
    screen(&space, "one.json", &nodes);
    let select = |text: &str, more: &[&str]| {
        let selector = json!({ "androidAccessibility": { "textRegex": text } }).to_string();
        let args = ["select", "--screen", "one.json", "--selector", &selector];
        space.run(&[&args[..], more].concat()).exits(0)
    };
    let first = |text: &str| select(text, &[]).stdout.lines().next().unwrap_or_default().to_owned();
    assert_snapshot!(first("Under"), @"node 0 at 50,50 (covered by 'Over'): Under");
    assert_snapshot!(first("Far"), @"node 0 at 50,950 (off-screen): Far");
    assert_snapshot!(first("Over"), @"node 0 at 50,50: Over");
    let reach = |text: &str| {
        let found = select(text, &["--json"]).json()["matches"][0].clone();
        (found["tap"].clone(), found["reach"].clone())
    };
    assert_eq!(reach("Under"), (json!([50, 50]), json!("covered by 'Over'")));
    assert_eq!(reach("Far"), (json!([50, 950]), json!("off-screen")));
    assert_eq!(reach("Over"), (json!([50, 50]), json!(null)));
}

#[test]
fn a_pattern_that_is_none_is_a_warning() {
    let native = "{ childOf: { androidAccessibility: { textRegex: 'a(' } } }";
    assert_snapshot!(select(&["--selector", native]).to_string(), @r#"
    exit: 1
    ----- stdout
    ----- stderr
    warning: the selector/childOf/androidAccessibility/textRegex: 'a(' is no regular expression (unclosed group) and is taken literally
    hint: put '\Q' before a text that is meant literally
    no element fits
    hint: a FrameLayout would fit, but nothing on the screen fits what 'childOf' says
    "#);
    let maestro = r"{ text: 'a\1', below: { containsDescendants: [{ id: '[' }] } }";
    assert_snapshot!(select(&["--selector", maestro, "--dialect", "maestro"]).to_string(), @r#"
    exit: 1
    ----- stdout
    ----- stderr
    warning: the selector/text: 'a\1' is no regular expression (there is no group 1 to refer back to) and is taken literally
    hint: put '\Q' before a text that is meant literally
    warning: the selector/below/containsDescendants/0/id: '[' is no regular expression (unclosed character class) and is taken literally
    hint: put '\Q' before a text that is meant literally
    no element fits
    hint: the anchor of 'below' is not on the screen
    "#);
}

#[test]
fn a_pattern_that_takes_too_long_is_named() {
    let space = Space::empty();
    screen(&space, "one.json", &[(&"a".repeat(60), [0, 0, 100, 100], "")]);
    let slow = r"(?=b?)(a|aa)+\1c";
    let selectors = [
        ("native", json!({ "androidAccessibility": { "textRegex": slow } })),
        ("maestro", json!({ "text": slow })),
    ];
    for (dialect, selector) in selectors {
        let selector = selector.to_string();
        let args = ["select", "--screen", "one.json", "--dialect", dialect, "--selector", &selector];
        let message = format!("error: the pattern '{slow}' takes too long on this screen\n");
        let ran = space.run(&args).exits(3);
        assert!(ran.stderr.starts_with(&message), "{ran}");
    }
}

#[test]
fn screens_of_a_saved_run_are_screens() {
    let space = Space::lab();
    space.trail("there", &["tap: { text: Add one }"]);
    space.run(&["run", "--capture", "sessions"]).exits(0);
    let selector = "{ androidAccessibility: { textRegex: 'Count: 0' } }";
    let screen = "sessions/there/screens/00000.tbsc";
    let args = ["select", "--screen", screen, "--selector", selector, "--json"];
    let matches = space.run(&args).exits(0).json()["matches"].clone();
    assert_eq!(matches.as_array().unwrap().len(), 1);
    let whole = std::fs::read(space.path(screen)).unwrap();
    for cut in [0, 3, 5, whole.len() / 2, whole.len() - 1] {
        space.write("cut.tbsc", &whole[..cut]);
        let ran = space.run(&["select", "--screen", "cut.tbsc", "--selector", "{}"]).exits(3);
        assert!(ran.stderr.starts_with("error: cut.tbsc: byte "), "{ran}");
    }
}

#[test]
fn selectors_must_mean_one_element_on_other_screens_too() {
    let space = Space::empty();
    screen(&space, "one.json", &[("Save", [0, 0, 100, 100], "resourceId=save")]);
    let two = [("Save", [0, 0, 100, 100], "resourceId=a"), ("Save", [0, 100, 100, 200], "resourceId=b")];
    screen(&space, "more/two.json", &two);
    let select = |more: &[&str]| {
        let selector = "{ androidAccessibility: { textRegex: Save } }";
        let args = ["select", "--screen", "one.json", "--selector", selector];
        space.run(&[&args[..], more].concat()).exits(0).stdout
    };
    assert!(select(&[]).contains(r#"{"androidAccessibility":{"textRegex":"Save"}}"#));
    assert_snapshot!(select(&["--also", "more"]), @r#"
    node 0 at 50,50: Save
      {"androidAccessibility":{"resourceIdRegex":"save"}}
      {"androidAccessibility":{"resourceIdRegex":"save","textRegex":"Save"}}
      {"androidAccessibility":{"textRegex":"Save","resourceIdRegex":"save"},"index":0}
    "#);
    assert_eq!(select(&["--also", "more/two.json", "--also", "one.json"]), select(&["--also", "more"]));
    let ran = space.run(&["select", "--screen", "one.json", "--selector", "{}", "--also", "none"]);
    assert_snapshot!(ran.exits(3).stderr, @"error: none: it does not exist");
    // The index always works.
    screen(&space, "bare.json", &[("Save", [0, 0, 100, 100], "")]);
    let twice = [("Save", [0, 0, 100, 100], ""), ("Save", [0, 0, 100, 100], "")];
    screen(&space, "twice.json", &twice);
    let selector = "{ androidAccessibility: { textRegex: Save }, index: 0 }";
    let args = ["select", "--screen", "bare.json", "--also", "twice.json", "--selector", selector];
    assert_snapshot!(space.run(&args).exits(0).stdout, @r#"
    node 0 at 50,50: Save
      {"androidAccessibility":{"textRegex":"Save"},"index":0}
    "#);
}
