//! One row for each predicate of either dialect: a node, the predicate, a value that fits, one that does not.

use trailblaze_engine::matching::native;

use crate::common::{node, selector};

#[track_caller]
fn check(block: &str, properties: &str, predicate: &str, fitting: &str, other: &str) {
    let screen = node(block, properties);
    for (value, fits) in [(fitting, true), (other, false)] {
        let text = format!("{{ {block}: {{ {predicate}: {value} }} }}");
        let found = native::resolve(&screen, &selector(&text));
        assert_eq!(!found.is_empty(), fits, "{{ {properties} }} and {text}");
    }
}

type Row = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const NATIVE: &[Row] = &[
    // node                                  predicate                     fits           does not
    ("text: Save",                           "textRegex",                  "Save",        "Sav"),
    ("hintText: Name",                       "textRegex",                  "Name",        "Hint"),
    ("contentDescription: Menu",             "textRegex",                  "M.*",         "m.*"),
    ("text: a, hintText: b",                 "textRegex",                  "a",           "b"),
    ("hintText: b, contentDescription: c",   "textRegex",                  "b",           "c"),
    ("text: '', contentDescription: c",      "textRegex",                  "''",          "c"),
    ("contentDescription: Menu",             "contentDescriptionRegex",    "Menu",        "menu"),
    ("text: a, contentDescription: b",       "contentDescriptionRegex",    "b",           "a"),
    ("hintText: Name, text: x",              "hintTextRegex",              "Na.e",        "x"),
    ("labeledByText: Name",                  "labeledByTextRegex",         "Name",        "Label"),
    ("stateDescription: 'On'",               "stateDescriptionRegex",      "'On|Off'",    "'Off'"),
    ("paneTitle: Settings",                  "paneTitleRegex",             "S.+",         "Setting"),
    ("roleDescription: Tab",                 "roleDescriptionRegex",       "Tab",         "Table"),
    ("className: android.widget.Button",     "classNameRegex",             ".*Button",    "Button"),
    ("resourceId: 'a.b:id/ok'",              "resourceIdRegex",            "a.b:id/ok",   "ok"),
    ("composeTestTag: row-1",                "composeTestTagRegex",        "row-\\d",     "row"),
    ("uniqueId: a.b",                        "uniqueId",                   "a.b",         "a.*"),
    ("",                                     "isEnabled",                  "true",        "false"),
    ("isEnabled: false",                     "isEnabled",                  "false",       "true"),
    ("isClickable: true",                    "isClickable",                "true",        "false"),
    ("",                                     "isClickable",                "false",       "true"),
    ("isCheckable: true",                    "isCheckable",                "true",        "false"),
    ("isChecked: true",                      "isChecked",                  "true",        "false"),
    ("isSelected: true",                     "isSelected",                 "true",        "false"),
    ("isFocused: true",                      "isFocused",                  "true",        "false"),
    ("isEditable: true",                     "isEditable",                 "true",        "false"),
    ("isScrollable: true",                   "isScrollable",               "true",        "false"),
    ("isPassword: true",                     "isPassword",                 "true",        "false"),
    ("isHeading: true",                      "isHeading",                  "true",        "false"),
    ("isMultiLine: true",                    "isMultiLine",                "true",        "false"),
    ("inputType: 129",                       "inputType",                  "129",         "1"),
    ("",                                     "inputType",                  "0",           "1"),
    ("collectionItemInfo: {rowIndex: 2}",    "collectionItemRowIndex",     "2",           "0"),
    ("collectionItemInfo: {rowIndex: 2}",    "collectionItemColumnIndex",  "0",           "2"),
];

#[rustfmt::skip]
const MAESTRO: &[Row] = &[
    ("text: Save",                           "textRegex",                  "save",        "Sav"),
    ("hintText: Name",                       "textRegex",                  "NAME",        "Hint"),
    ("accessibilityText: Menu",              "textRegex",                  "m.*",         "x.*"),
    ("text: a, accessibilityText: b",        "textRegex",                  "a",           "b"),
    ("resourceId: 'a:id/ok'",                "resourceIdRegex",            "A:ID/OK",     "ok"),
    ("accessibilityText: Menu, text: x",     "accessibilityTextRegex",     "menu",        "x"),
    ("className: Button",                    "classNameRegex",             "button",      "Butto"),
    ("hintText: Name, text: x",              "hintTextRegex",              "name",        "x"),
    ("clickable: true",                      "clickable",                  "true",        "false"),
    ("",                                     "enabled",                    "true",        "false"),
    ("enabled: false",                       "enabled",                    "false",       "true"),
    ("focused: true",                        "focused",                    "true",        "false"),
    ("checked: true",                        "checked",                    "true",        "false"),
    ("selected: true",                       "selected",                   "true",        "false"),
];

#[test]
fn every_predicate_fits_and_does_not() {
    for (properties, predicate, fitting, other) in NATIVE {
        check("androidAccessibility", properties, predicate, fitting, other);
    }
    for (properties, predicate, fitting, other) in MAESTRO {
        check("androidMaestro", properties, predicate, fitting, other);
    }
}

#[test]
fn a_node_without_the_field_never_fits() {
    let texts = [
        "textRegex",
        "contentDescriptionRegex",
        "hintTextRegex",
        "labeledByTextRegex",
        "stateDescriptionRegex",
    ];
    let more = [
        "paneTitleRegex",
        "roleDescriptionRegex",
        "classNameRegex",
        "resourceIdRegex",
        "composeTestTagRegex",
    ];
    let numbers = ["collectionItemRowIndex: 0", "collectionItemColumnIndex: 0", "uniqueId: ''"];
    let texts = texts.into_iter().chain(more).map(|key| format!("{key}: '.*'"));
    for predicate in texts.chain(numbers.map(str::to_owned)) {
        let screen = node("androidAccessibility", "");
        let found =
            native::resolve(&screen, &selector(&format!("{{ androidAccessibility: {{ {predicate} }} }}")));
        assert_eq!(found, [], "{predicate}");
    }
    for key in ["textRegex", "resourceIdRegex", "accessibilityTextRegex", "classNameRegex", "hintTextRegex"] {
        let screen = node("androidMaestro", "");
        let found = native::resolve(&screen, &selector(&format!("{{ androidMaestro: {{ {key}: '.*' }} }}")));
        assert_eq!(found, [], "{key}");
    }
}

#[track_caller]
fn check_count(class: &str, properties: &str, text: &str, expected: usize) {
    assert_eq!(native::resolve(&node(class, properties), &selector(text)).len(), expected, "{text}");
}

#[test]
fn all_predicates_must_hold() {
    let node = "text: Save, isClickable: true";
    check_count(
        "androidAccessibility",
        node,
        "androidAccessibility: { textRegex: Save, isClickable: true }",
        1,
    );
    check_count(
        "androidAccessibility",
        node,
        "androidAccessibility: { textRegex: Save, isClickable: false }",
        0,
    );
    check_count(
        "androidAccessibility",
        node,
        "androidAccessibility: { textRegex: Load, isClickable: true }",
        0,
    );
}

#[test]
fn a_node_of_another_dialect_never_fits() {
    check_count("androidMaestro", "text: a", "androidAccessibility: { textRegex: a }", 0);
    check_count("androidAccessibility", "text: a", "iosMaestro: { textRegex: a }", 0);
    check_count("androidAccessibility", "text: a", "compose: { textRegex: a }", 0);
    check_count("androidAccessibility", "text: a", "web: { ariaRole: a }", 0);
    check_count("androidAccessibility", "text: a", "iosAxe: { uniqueId: a }", 0);
}

#[test]
fn maestro_predicates_run_on_the_rich_tree_too() {
    check_count("androidAccessibility", "text: a", "androidMaestro: { textRegex: A }", 1);
    check_count(
        "androidAccessibility",
        "contentDescription: a",
        "androidMaestro: { accessibilityTextRegex: a }",
        1,
    );
    check_count("androidAccessibility", "text: a", "androidMaestro: { clickable: true }", 0);
}

#[test]
fn without_predicates_every_node_fits() {
    for text in ["{}", "androidAccessibility: {}", "androidMaestro: {}", "web: {}", "compose:", "index: 0"] {
        check_count("androidAccessibility", "", text, 1);
        check_count("androidMaestro", "", text, 1);
    }
}
