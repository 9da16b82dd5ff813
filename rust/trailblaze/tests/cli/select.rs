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
    hint: 'Discard' would fit, but not right of the anchor
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
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy'
    ");
    assert_snapshot!(run("other.json"), @"error: other.json: there is no tree in it");
    assert_snapshot!(run("empty.json"), @"
    error: empty.json: 1:0: EOF while parsing a value
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy'
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
