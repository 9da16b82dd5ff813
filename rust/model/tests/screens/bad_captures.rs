//! Captures that are cut off, of the wrong kind, or made to hurt.

use trailblaze_model::screen::Capture;

use crate::common::{captures, chain};

#[track_caller]
fn check(text: &str, expected: &str) {
    match Capture::read(text) {
        Ok(_) => panic!("this reads: {text}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

fn node(node: &str) -> String {
    format!(r#"{{"trailblazeNodeTree": {node}}}"#)
}

#[test]
fn a_file_that_is_cut_off_is_an_error_with_a_place() {
    check("", "1:0: EOF while parsing a value");
    check(&node(r#"{"driverDetail": {"text": "a"#), "1:52: EOF while parsing a string");
    let (_, text) = captures().into_iter().min_by_key(|(_, text)| text.len()).unwrap();
    let end = text.trim_end().len();
    for length in (0..end).step_by(7).chain([end - 1]) {
        let Some(cut) = text.get(..length) else { continue };
        let error = Capture::read(cut).expect_err("it is cut off");
        assert!(error.message.starts_with("EOF") || error.message.contains("expected"), "{length}: {error}");
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_named() {
    check("[]", "1:1: a capture must be an object");
    check(&node("5"), "1:24: invalid type: integer `5`, expected a node of the tree");
    check(&node("{}"), "1:25: a node has no 'driverDetail'");
    check(
        &node(r#"{"driverDetail": 5}"#),
        "1:41: invalid type: integer `5`, expected the properties of a node",
    );
    check(&node(r#"{"children": {}}"#), "1:36: invalid type: map, expected a list of nodes");
    check(
        &node(r#"{"driverDetail": {"isClickable": "yes"}}"#),
        "1:61: invalid type: string \"yes\", expected a boolean",
    );
    check(&node(r#"{"driverDetail": {"text": 5}}"#), "1:50: invalid type: integer `5`, expected a string");
    check(&node(r#"{"nodeId": 1.5}"#), "1:37: invalid type: floating point `1.5`, expected i64");
    check(
        &node(r#"{"bounds": {"left": 99999999999}}"#),
        "1:54: invalid value: integer `99999999999`, expected i32",
    );
    check(r#"{"viewHierarchy": {"x1": "1"}}"#, "1:28: invalid type: string \"1\", expected i32");
    check(r#"{"deviceWidth": 1} x"#, "1:20: trailing characters");
}

#[test]
fn a_tree_of_another_system_is_refused() {
    check(&node(r#"{"driverDetail": {"class": "web"}}"#), "1:56: 'web' is no tree of an Android screen");
    let mixed = r#"{"driverDetail": {"class": "androidMaestro"}, "children": [{"driverDetail": {}}]}"#;
    check(&node(mixed), "1:102: a tree has nodes of one 'class' only");
}

#[test]
fn half_of_a_character_is_refused() {
    check(&node(r#"{"driverDetail": {"text": "\ud800"}}"#), "1:57: unexpected end of hex escape");
}

#[test]
fn a_tree_that_nests_too_deeply_is_refused() {
    let columns = [513, 514, 100_000].map(|levels| Capture::read(&chain(levels)).unwrap_err());
    for error in columns {
        assert_eq!(error.message, "the screen nests deeper than 512 levels");
    }
    // Brackets of no tree, and brackets in a text.
    check(&"[".repeat(100_000), "1:1028: the screen nests deeper than 512 levels");
    let text = format!(r#"{{"driverDetail": {{"text": "{}\""}}}}"#, "[".repeat(10_000));
    assert!(Capture::read(&node(&text)).is_ok());
    let ignored = format!(r#"{{"new": {}{}, "driverDetail": {{}}}}"#, "[".repeat(900), "]".repeat(900));
    assert!(Capture::read(&node(&ignored)).is_ok());
}

#[test]
fn a_tree_with_too_many_nodes_is_refused_before_it_is_kept() {
    let many = |count: usize| {
        let children = vec![r#"{"driverDetail":{}}"#; count - 1].join(",\n");
        node(&format!(r#"{{"driverDetail": {{}}, "children": [{children}]}}"#))
    };
    assert_eq!(Capture::read(&many(100_000)).unwrap().screen.map(|screen| screen.len()), Some(100_000));
    for count in [100_001, 1_000_000] {
        let error = Capture::read(&many(count)).unwrap_err();
        assert_eq!(error.message, "the screen has more than 100000 nodes");
    }
    let legacy = format!(r#"{{"viewHierarchy": {{"children": [{}{{}}]}}}}"#, "{},".repeat(200_000));
    check(&legacy, "1:300034: the screen has more than 100000 nodes");
}

#[test]
fn more_actions_than_a_node_can_have_are_left_out() {
    let actions = vec![r#""A""#; 70_000].join(",");
    let capture =
        Capture::read(&node(&format!(r#"{{"driverDetail": {{"actions": [{actions}]}}}}"#))).unwrap();
    let screen = capture.screen.unwrap();
    assert_eq!(screen.nodes().next().unwrap().actions().count(), 65_535);
    assert_eq!(trailblaze_model::screen::Screen::from_bytes(&screen.to_bytes()).unwrap(), screen);
}
