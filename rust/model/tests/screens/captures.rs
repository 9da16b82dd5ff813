//! Capture files: what is read, what is printed, which defaults hold.

use serde_json::Value;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{Bounds, Capture, CollectionItem, Flag, Flags, Prop};

use crate::common::{captures, chain, maestro_node, read_node};

#[test]
fn recorded_screens_read_print_and_read_as_the_same() {
    for (name, text) in captures() {
        let capture = Capture::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = capture.print();
        assert_eq!(Capture::read(&printed).as_ref(), Ok(&capture), "{name}");
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert!(value(&text) == value(&printed), "{name}: something was lost or added");
        let (rich, legacy) = (capture.screen.unwrap(), capture.legacy.unwrap());
        assert_eq!(rich.len(), legacy.len(), "{name}");
        assert_eq!((rich.dialect(), legacy.dialect()), (Dialect::Native, Dialect::Maestro));
    }
}

#[test]
fn what_is_left_out_has_its_default() {
    let screen = read_node(r#"{"driverDetail": {"class": "androidAccessibility"}}"#);
    let node = screen.nodes().next().unwrap();
    assert_eq!(node.flags(), Flags::default());
    for flag in Flag::ALL {
        let on = [Flag::Enabled, Flag::VisibleToUser, Flag::ImportantForAccessibility].contains(&flag);
        assert_eq!(node.has(flag), on, "{}", flag.key());
    }
    assert!(Prop::ALL.into_iter().all(|prop| node.get(prop).is_none()));
    assert_eq!((node.device_id(), node.bounds(), node.actions().count()), (0, None, 0));
    assert_eq!((node.input_type(), node.max_text_length(), node.drawing_order()), (0, 0, 0));
    assert_eq!((screen.dialect(), screen.windows().len()), (Dialect::Native, 1));
}

#[test]
fn unknown_keys_and_those_of_the_other_dialect_are_ignored() {
    let native = read_node(
        r#"{"driverDetail": {"clickable": true, "accessibilityText": "x", "new": [{"deep": 1}], "text": "a"}, "z": 1}"#,
    );
    let node = native.nodes().next().unwrap();
    assert!(!node.has(Flag::Clickable) && node.content_description().is_none());
    assert_eq!(node.text(), Some("a"));
    let maestro = maestro_node(
        r#"{"driverDetail": {"clickable": true, "enabled": false, "isSelected": true, "accessibilityText": "x",
            "contentDescription": "y", "class": "androidMaestro"}}"#,
    );
    let node = maestro.nodes().next().unwrap();
    assert!(node.has(Flag::Clickable) && !node.has(Flag::Enabled) && !node.has(Flag::Selected));
    assert_eq!(node.content_description(), Some("x"));
    let capture = Capture { screen: Some(maestro), ..Capture::default() };
    assert_eq!(Capture::read(&capture.print()).unwrap(), capture);
}

#[test]
fn bounds_may_be_negative_and_turned_round() {
    let sides = r#"{"left": -20, "top": -2147483648, "right": -40, "bottom": 2147483647}"#;
    let screen = read_node(&format!(r#"{{"bounds": {sides}, "driverDetail": {{}}}}"#));
    let bounds = screen.nodes().next().unwrap().bounds().unwrap();
    assert_eq!(bounds, Bounds::new(-20, i32::MIN, -40, i32::MAX));
    assert_eq!((bounds.center(), bounds.height(), bounds.area()), ((-30, 0), i32::MAX, 0));
}

#[test]
fn rare_properties_are_read() {
    let screen = read_node(
        r#"{"driverDetail": {"collectionItemInfo": {"rowIndex": 2, "columnIndex": 3, "isHeading": true},
            "rangeInfo": {"type": 1, "max": 0.1}, "collectionInfo": null}}"#,
    );
    let rare = screen.nodes().next().unwrap().rare();
    assert_eq!(
        rare.item,
        Some(CollectionItem { row: 2, column: 3, is_heading: true, ..CollectionItem::default() })
    );
    assert_eq!(rare.range.map(|range| (range.kind, range.max)), Some((1, 0.1)));
    assert_eq!(rare.collection, None);
}

#[track_caller]
fn check_legacy(node: &str, bounds: Option<Bounds>) {
    let capture = Capture::read(&format!(r#"{{"viewHierarchy": {node}}}"#)).unwrap();
    let screen = capture.legacy.clone().unwrap();
    assert_eq!(screen.nodes().next().unwrap().bounds(), bounds);
    assert_eq!(Capture::read(&capture.print()).unwrap(), capture);
}

#[test]
fn the_older_tree_has_corners_or_a_centre_and_a_size() {
    check_legacy(
        r#"{"x1": 1, "y2": 4, "centerPoint": "9,9", "dimensions": "2x2"}"#,
        Some(Bounds::new(1, 0, 0, 4)),
    );
    check_legacy(r#"{"centerPoint": "100,50", "dimensions": "20x10"}"#, Some(Bounds::new(90, 45, 110, 55)));
    check_legacy(r#"{"centerPoint": "0,0", "dimensions": "0x0"}"#, Some(Bounds::new(0, 0, 0, 0)));
    check_legacy(r#"{"centerPoint": "1,2"}"#, None);
    check_legacy(r#"{"centerPoint": "a,b", "dimensions": "1x1"}"#, None);
    let far = Bounds::new(i32::MAX - 1_073_741_823, 0, i32::MAX, 0);
    check_legacy(r#"{"centerPoint": "2147483647,0", "dimensions": "2147483647x0"}"#, Some(far));
    check_legacy("{}", None);
}

#[test]
fn the_older_tree_has_its_own_defaults() {
    let text = r#"{"viewHierarchy": {"accessibilityText": "x", "hintText": "y", "children": [{"nodeId": 7, "enabled": false}]}}"#;
    let capture = Capture::read(text).unwrap();
    let screen = capture.best().unwrap();
    let [root, child] = screen.nodes().collect::<Vec<_>>()[..] else { panic!("two nodes") };
    assert_eq!((root.device_id(), child.device_id()), (1, 7));
    assert!(root.has(Flag::Enabled) && !child.has(Flag::Enabled));
    assert_eq!(root.resolved_text(), Some("y"));
    assert_eq!((screen.dialect(), capture.screen.is_none()), (Dialect::Maestro, true));
}

#[test]
fn the_deepest_tree_reads_and_prints() {
    let capture = Capture::read(&chain(512)).unwrap();
    assert_eq!(capture.screen.as_ref().map(|screen| screen.len()), Some(512));
    assert_eq!(Capture::read(&capture.print()).unwrap(), capture);
}
