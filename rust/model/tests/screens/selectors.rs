//! Reading and printing selectors.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use trailblaze_model::fuzzing;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::selector::{Block, NodeSelector, Problem};

#[track_caller]
fn check(selector: Value, expected: &[&str]) {
    let problems = NodeSelector::read(&selector).expect_err("it has problems");
    let shown = |problem: &Problem| {
        let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!(" | {hint}"));
        format!("{}: {}{hint}", problem.pointer, problem.message)
    };
    assert_eq!(problems.iter().map(shown).collect::<Vec<_>>(), expected);
    assert!(problems.iter().all(|problem| selector.pointer(&problem.pointer).is_some()));
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_one() {
    check(json!({"childof": {}}), &["/childof: a selector has no key 'childof' | did you mean 'childOf'?"]);
    check(
        json!({"below": {"androidAccessibility": {"textregex": "a"}}}),
        &["/below/androidAccessibility/textregex: 'androidAccessibility' has no predicate 'textregex' \
           | did you mean 'textRegex'?"],
    );
    check(
        json!({"containsDescendants": [{}, {"androidMaestro": {"isClickable": true}}]}),
        &[
            "/containsDescendants/1/androidMaestro/isClickable: 'androidMaestro' has no predicate 'isClickable' \
           | did you mean 'clickable'?",
        ],
    );
    check(
        json!({"androidAccessibility": {"uniqueid": "a", "zzzzzzzz": 1}}),
        &[
            "/androidAccessibility/uniqueid: 'androidAccessibility' has no predicate 'uniqueid' \
             | did you mean 'uniqueId'?",
            "/androidAccessibility/zzzzzzzz: 'androidAccessibility' has no predicate 'zzzzzzzz' \
             | known predicates: textRegex, contentDescriptionRegex, hintTextRegex, labeledByTextRegex, \
             stateDescriptionRegex, paneTitleRegex, roleDescriptionRegex, classNameRegex, resourceIdRegex, \
             composeTestTagRegex, isEnabled, isClickable, isCheckable, isChecked, isSelected, isFocused, \
             isEditable, isScrollable, isPassword, isHeading, isMultiLine, uniqueId, inputType, \
             collectionItemRowIndex, collectionItemColumnIndex",
        ],
    );
    check(
        json!({"web": {"ariaRoll": "button"}}),
        &["/web/ariaRoll: 'web' has no predicate 'ariaRoll' | did you mean 'ariaRole'?"],
    );
    check(
        json!({"a/b~c": 1}),
        &["/a~1b~0c: a selector has no key 'a/b~c' | known keys: androidAccessibility, androidMaestro, \
           containsDescendants, index, web, compose, iosMaestro, iosAxe, childOf, containsChild, below, above, \
           leftOf, rightOf"],
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_named() {
    check(json!("Save"), &[": a selector must be a mapping"]);
    check(json!({"childOf": []}), &["/childOf: a selector must be a mapping"]);
    check(json!({"index": 1.5}), &["/index: 'index' must be a whole number"]);
    check(
        json!({"containsDescendants": {}}),
        &["/containsDescendants: 'containsDescendants' must be a list of selectors"],
    );
    check(
        json!({"androidMaestro": "a"}),
        &["/androidMaestro: the predicates of a selector must be a mapping"],
    );
    check(
        json!({"androidAccessibility": {"textRegex": ["a"], "isClickable": "yes", "inputType": "x", "uniqueId": {},
            "collectionItemRowIndex": 4_294_967_296i64}}),
        &[
            "/androidAccessibility/textRegex: 'textRegex' must be a text",
            "/androidAccessibility/isClickable: 'isClickable' must be true or false",
            "/androidAccessibility/inputType: 'inputType' must be a whole number",
            "/androidAccessibility/uniqueId: 'uniqueId' must be a text",
            "/androidAccessibility/collectionItemRowIndex: 'collectionItemRowIndex' must be a whole number",
        ],
    );
    check(json!({"iosAxe": {"enabled": []}}), &["/iosAxe/enabled: 'enabled' must be a single value"]);
    check(
        json!({"androidAccessibility": {"textRegex": "a"}, "web": {"ariaRole": "b"}}),
        &["/web: a selector has predicates for one kind of tree, not for two"],
    );
}

#[track_caller]
fn check_prints(selector: Value, expected: Value) -> NodeSelector {
    let read = NodeSelector::read(&selector).unwrap();
    assert_eq!(read.to_value(), expected);
    assert_eq!(NodeSelector::read(&expected).unwrap(), read);
    read
}

#[test]
fn what_says_nothing_is_left_out() {
    for name in ["androidAccessibility", "androidMaestro", "web", "compose", "iosMaestro", "iosAxe"] {
        for empty in [json!({}), Value::Null] {
            let selector = check_prints(json!({name: empty}), json!({}));
            assert_eq!(selector, NodeSelector::default());
        }
    }
    check_prints(
        json!({"childOf": null, "index": null, "androidAccessibility": {"textRegex": null}, "web": {}}),
        json!({}),
    );
    check_prints(json!({"containsDescendants": []}), json!({}));
}

#[test]
fn values_are_read_leniently_and_printed_as_they_mean() {
    check_prints(
        json!({"androidAccessibility": {"textRegex": 5, "inputType": "1"}, "index": "2"}),
        json!({"androidAccessibility": {"textRegex": "5", "inputType": 1}, "index": 2}),
    );
    let foreign = check_prints(
        json!({"web": {"ariaRole": "button", "nthIndex": 2}}),
        json!({"web": {"ariaRole": "button", "nthIndex": 2}}),
    );
    assert!(matches!(foreign.block, Block::Foreign { name: "web", .. }));
}

#[test]
fn the_dialect_is_that_of_the_predicates() {
    let dialect = |value: Value| NodeSelector::read(&value).unwrap().dialect();
    assert_eq!(dialect(json!({"androidMaestro": {"enabled": true}})), Some(Dialect::Maestro));
    assert_eq!(
        dialect(json!({"below": {"androidAccessibility": {"textRegex": "a"}}})),
        Some(Dialect::Native)
    );
    assert_eq!(dialect(json!({"index": 1})), None);
}

#[test]
fn what_can_be_meant_otherwise_is_a_warning_with_a_place() {
    let warnings = |value: Value| {
        let warnings = NodeSelector::read(&value).unwrap().warnings();
        warnings
            .into_iter()
            .map(|warning| format!("{}: {}", warning.pointer, warning.message))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        warnings(json!({"containsDescendants": [{"above": {"androidMaestro": {"hintTextRegex": "a("}}}]})),
        ["/containsDescendants/0/above/androidMaestro/hintTextRegex: 'a(' is no regular expression \
          (unclosed group) and is taken literally"]
    );
    let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"childOf": inner}));
    assert_eq!(warnings(nested(10)), [""; 0]);
    assert_eq!(
        warnings(nested(12)),
        [format!("{}: selectors that nest deeper than 10 levels fit nothing", "/childOf".repeat(11))]
    );
    let problems = NodeSelector::read(&nested(100)).unwrap_err();
    assert_eq!(problems[0].message, "selectors nest deeper than 64 levels");
}

/// A selector as a file may have it.
fn selector() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z(\\\\QE.*]{0,6}", Just("(?=a)b".to_owned())];
    let predicate = prop_oneof![
        (prop::sample::select(vec!["textRegex", "hintTextRegex", "resourceIdRegex", "classNameRegex"]), text)
            .prop_map(|(key, text)| (key, json!(text))),
        (prop::sample::select(vec!["isEnabled", "enabled", "clickable"]), any::<bool>())
            .prop_map(|(key, on)| (key, json!(on))),
        (prop::sample::select(vec!["inputType", "collectionItemRowIndex", "uniqueId"]), -3..3)
            .prop_map(|(key, number)| (key, json!(number))),
    ];
    let names = vec!["androidAccessibility", "androidMaestro", "web", "compose", "iosAxe"];
    let block =
        (prop::sample::select(names), prop::collection::vec(predicate, 0..3)).prop_map(|(name, list)| {
            let map: Map<String, Value> =
                list.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            json!({name: map})
        });
    block.prop_recursive(4, 12, 3, |inner| {
        let keys =
            vec!["childOf", "containsChild", "below", "above", "leftOf", "rightOf", "containsDescendants"];
        let relation = (prop::sample::select(keys), prop::collection::vec(inner.clone(), 1..3));
        (inner, prop::collection::vec(relation, 0..3), prop::option::of(-2..5)).prop_map(
            |(mut selector, relations, index)| {
                for (key, mut list) in relations {
                    let value = if key == "containsDescendants" { json!(list) } else { list.remove(0) };
                    selector[key] = value;
                }
                if let Some(index) = index {
                    selector["index"] = json!(index);
                }
                selector
            },
        )
    })
}

#[test]
fn a_selector_reads_as_what_it_prints() {
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    let read = std::cell::Cell::new(0);
    let result = TestRunner::new(config).run(&selector(), |value| {
        fuzzing::selector(value.to_string().as_bytes());
        read.set(read.get() + usize::from(NodeSelector::read(&value).is_ok()));
        Ok(())
    });
    result.unwrap();
    assert!(read.get() > 50, "only {} were selectors", read.get());
}
