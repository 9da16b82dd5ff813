//! The recorded screens: the truth table of waypoints, and a selector for every node.

use std::collections::BTreeSet;

use serde_json::Value;
use trailblaze_engine::matching::generate::{selectors, selectors_on};
use trailblaze_engine::matching::native::resolve;
use trailblaze_engine::waypoint::look;
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::place::Source;
use trailblaze_model::screen::Screen;
use trailblaze_model::selector::NodeSelector;
use trailblaze_model::waypoint::{self, Waypoint};

use crate::common::{captures, captures_folder, object};

fn waypoint(file: &str) -> Waypoint {
    let text = std::fs::read_to_string(captures_folder().join(file)).expect("the waypoint is there");
    waypoint::read(&Source::new(file, text), &mut Diagnostics::new()).expect("it is a waypoint")
}

#[test]
fn the_truth_table_holds() {
    let text = std::fs::read_to_string(captures_folder().join("expected.json")).expect("the table is there");
    let expected: Value = serde_json::from_str(&text).expect("it is JSON");
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().expect("a list").iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let device = Classifiers::new(texts(&expected["classifiers"]));
    let (mut cells, mut trues) = (0, 0);
    for (name, capture) in captures() {
        let screen = capture.screen.expect("it has a rich tree");
        let matches = texts(&expected["matches"][&name]);
        for (id, file) in object(&expected["waypoints"]) {
            let waypoint = waypoint(file.as_str().expect("a file"));
            assert_eq!(waypoint.id, *id);
            let seen = look(&screen, &waypoint, &device, &[]);
            assert_eq!(seen.is_match(), matches.contains(id), "{name} and {id}: {seen:?}");
            assert_eq!(seen.reason().is_none(), seen.is_match());
            cells += 1;
            trues += usize::from(seen.is_match());
        }
    }
    assert_eq!((cells, trues), (324, 21));
}

#[track_caller]
fn check_every_node(name: &str, screen: &Screen) {
    for node in screen.nodes() {
        let made = selectors(screen, node.id());
        assert!(!made.is_empty(), "{name}: {node:?}");
        for selector in &made {
            assert_eq!(resolve(screen, selector), [node.id()], "{name}: {node:?} and {selector}");
            let again = NodeSelector::read(&selector.to_value()).unwrap();
            assert_eq!(again, *selector, "{name}: {selector} does not read as it prints");
            assert!(selector.warnings().is_empty(), "{name}: {selector}");
        }
        let distinct: BTreeSet<String> = made.iter().map(ToString::to_string).collect();
        assert_eq!(distinct.len(), made.len(), "{name}: {node:?} has a selector twice");
    }
}

#[test]
fn every_selector_made_for_a_node_finds_it_alone() {
    for (name, capture) in captures() {
        check_every_node(&name, &capture.screen.expect("a rich tree"));
        check_every_node(&name, &capture.legacy.expect("an older tree"));
    }
}

#[test]
fn with_more_screens_no_selector_is_ambiguous_on_any() {
    let captures = captures();
    let screens: Vec<&Screen> = captures.iter().filter_map(|(_, capture)| capture.screen.as_ref()).collect();
    let mut changed = 0;
    for screen in &screens {
        for node in screen.nodes().step_by(5) {
            let made = selectors_on(&screens, screen, node.id());
            assert!(!made.is_empty(), "{node:?}");
            for selector in &made {
                assert_eq!(resolve(screen, selector), [node.id()], "{node:?} and {selector}");
                assert!(screens.iter().all(|other| resolve(other, selector).len() <= 1), "{selector}");
            }
            changed += usize::from(made[0] != selectors(screen, node.id())[0]);
        }
    }
    assert!(changed > 0, "the other screens made no difference");
}
