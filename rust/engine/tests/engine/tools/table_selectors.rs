//! The tools that take a selector, on the home screen.

use serde_json::{Value, json};
use trailblaze_model::failure::FailureKind::{
    AssertionFailed, InvalidArguments, MissingRequiredArgs, NotFound, Timeout,
};

use super::table::Expect::{Actions, Fails, Says};
use super::table::Row;

fn text(text: &str) -> Value {
    json!({ "androidAccessibility": { "textRegex": text } })
}

fn id(id: &str) -> Value {
    json!({ "androidAccessibility": { "resourceIdRegex": id } })
}

pub(super) fn selecting() -> Vec<Row> {
    [tapping(), visible(), expected_text(), not_visible(), querying()].into_iter().flatten().collect()
}

fn tapping() -> Vec<Row> {
    vec![
        ("tapOnElementBySelector", json!({ "nodeSelector": text("Sign in") }), Actions(&["tap 100 50"])),
        ("tapOnElementBySelector", json!({ "nodeSelector": text("Sign o.*") }), Actions(&["tap 100 150"])),
        (
            "tapOnElementBySelector",
            json!({ "nodeSelector": text("Sign in"), "longPress": true }),
            Actions(&["longPress 100 50 500"]),
        ),
        (
            "tapOnElementBySelector",
            json!({ "nodeSelector": { "androidAccessibility": { "textRegex": "Row" }, "index": 1 } }),
            Actions(&["tap 100 460"]),
        ),
        (
            "tapOnElementBySelector",
            json!({ "nodeSelector": { "androidAccessibility": { "textRegex": "Row" }, "below": id(".*/name") } }),
            Actions(&["tap 100 420"]),
        ),
        (
            "tapOnElementBySelector",
            json!({ "nodeSelector": text("sign in") }),
            Fails(NotFound, r#"no element with {"androidAccessibility":{"textRegex":"sign in"}} within 5 s"#),
        ),
        (
            "tapOnElementBySelector",
            json!({}),
            Fails(MissingRequiredArgs, "'tapOnElementBySelector' needs 'nodeSelector'"),
        ),
        ("tapOn", json!({ "selector": text("Sign in") }), Actions(&["tap 100 50"])),
        (
            "tapOn",
            json!({ "selector": text("Sign in"), "relativePoint": "25%, 90%" }),
            Actions(&["tap 50 90"]),
        ),
        (
            "tapOn",
            json!({ "selector": text("Sign in"), "relativePoint": "0%,0%", "longPress": true }),
            Actions(&["longPress 0 0 500"]),
        ),
        (
            "tapOn",
            json!({ "selector": text("Sign in"), "relativePoint": "25,90" }),
            Fails(InvalidArguments, "'relativePoint': '25,90' is no point like \"50%,20%\""),
        ),
        (
            "tapOn",
            json!({ "selector": text("Sign in"), "relativePoint": "left" }),
            Fails(InvalidArguments, "'relativePoint': 'left' is no point like \"50%,20%\""),
        ),
        (
            "tapOn",
            json!({ "selector": text("None"), "relativePoint": "1%,1%" }),
            Fails(NotFound, r#"no element with {"androidAccessibility":{"textRegex":"None"}} within 5 s"#),
        ),
        ("tapOnAccessibilityNode", json!({ "contentDescriptionRegex": "Open .*" }), Actions(&["tap 250 50"])),
        (
            "tapOnAccessibilityNode",
            json!({ "textRegex": "old text", "resourceIdRegex": "com.a:id/.*", "longPress": true }),
            Actions(&["longPress 100 320 500"]),
        ),
        (
            "tapOnAccessibilityNode",
            json!({ "textRegex": "Sign in", "resourceIdRegex": ".*/name" }),
            Fails(
                NotFound,
                r#"no element with {"androidAccessibility":{"textRegex":"Sign in","resourceIdRegex":".*/name"}} within 5 s"#,
            ),
        ),
        (
            "tapOnAccessibilityNode",
            json!({ "longPress": true }),
            Fails(MissingRequiredArgs, "'tapOnAccessibilityNode' needs at least one of its expressions"),
        ),
    ]
}

fn visible() -> Vec<Row> {
    vec![
        ("assertVisibleBySelector", json!({ "nodeSelector": id("com.a:id/row") }), Actions(&[])),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": id("row"), "timeoutMs": 1500 }),
            Fails(
                AssertionFailed,
                r#"no element with {"androidAccessibility":{"resourceIdRegex":"row"}} within 1500 ms"#,
            ),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": { "androidAccessibility": { "textRegexp": "a" } } }),
            Fails(InvalidArguments, "'androidAccessibility' has no predicate 'textRegexp'"),
        ),
        ("assertVisibleBySelector", json!({ "nodeSelector": {} }), Actions(&[])),
    ]
}

/// What the element says: exactly, its beginning, or as a regular expression; without spaces around it.
fn expected_text() -> Vec<Row> {
    let name = || id("com.a:id/name");
    let inside = || json!({ "containsChild": text("Sign .*") });
    vec![
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": name(), "expectedText": " old text " }),
            Actions(&[]),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": name(), "expectedText": "old" }),
            Fails(
                AssertionFailed,
                r#"{"androidAccessibility":{"resourceIdRegex":"com.a:id/name"}} says 'old text', not 'old'"#,
            ),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": name(), "expectedText": "old", "textMatchMode": "PREFIX" }),
            Actions(&[]),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": name(), "expectedText": "text", "textMatchMode": "prefix" }),
            Fails(
                AssertionFailed,
                r#"{"androidAccessibility":{"resourceIdRegex":"com.a:id/name"}} says 'old text', not 'text'"#,
            ),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": name(), "expectedText": "o.d t[a-f]xt", "textMatchMode": "regex" }),
            Actions(&[]),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": name(), "expectedText": "o.d", "textMatchMode": "REGEX" }),
            Fails(
                AssertionFailed,
                r#"{"androidAccessibility":{"resourceIdRegex":"com.a:id/name"}} says 'old text', not 'o.d'"#,
            ),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": id("none"), "expectedText": "x" }),
            Fails(AssertionFailed, r#"no element with {"androidAccessibility":{"resourceIdRegex":"none"}}"#),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": inside(), "expectedText": "Sign out" }),
            Actions(&[]),
        ),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": inside(), "expectedText": "Row" }),
            Fails(
                AssertionFailed,
                r#"{"containsChild":{"androidAccessibility":{"textRegex":"Sign .*"}}} says 'Sign in', 'Sign out', not 'Row'"#,
            ),
        ),
        (
            "assertVisibleBySelector",
            json!({
                "nodeSelector": { "containsDescendants": [text("old .*"), id("com.a:id/row")] },
                "expectedText": "Row",
            }),
            Actions(&[]),
        ),
    ]
}

fn not_visible() -> Vec<Row> {
    vec![
        ("assertNotVisibleBySelector", json!({ "nodeSelector": text("Sign") }), Actions(&[])),
        (
            "assertNotVisibleBySelector",
            json!({ "nodeSelector": text("Sign in"), "timeoutMs": 2000 }),
            Fails(
                AssertionFailed,
                r#"{"androidAccessibility":{"textRegex":"Sign in"}} is still visible after 2 s"#,
            ),
        ),
        (
            "waitUntilNotVisible",
            json!({ "nodeSelector": text("Sign") }),
            Says("true", json!({ "value": true })),
        ),
        (
            "waitUntilNotVisible",
            json!({ "nodeSelector": text("Sign in"), "timeoutMs": 300 }),
            Says("false", json!({ "value": false })),
        ),
    ]
}

fn querying() -> Vec<Row> {
    vec![
        (
            "findMatches",
            json!({ "selector": text("Row") }),
            Says(
                "2",
                json!({ "matches": [
                    { "text": "Row", "resourceId": "com.a:id/row", "bounds": [0, 400, 200, 440] },
                    { "text": "Row", "resourceId": "com.a:id/row", "bounds": [0, 440, 200, 480] },
                ] }),
            ),
        ),
        (
            "findMatches",
            json!({ "selector": text("None"), "timeoutMs": 1000 }),
            Says("0", json!({ "matches": [] })),
        ),
        ("waitForChange", json!({ "timeoutMs": 1200 }), Fails(Timeout, "nothing changed within 1200 ms")),
        ("waitForChange", json!({ "requireChange": false }), Says("nothing changed within 8 s", Value::Null)),
    ]
}
