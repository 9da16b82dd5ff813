//! Whether a screen is a waypoint, and why not.

use trailblaze_engine::waypoint::{Look, look};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::place::Source;
use trailblaze_model::waypoint::{self, Waypoint};

use crate::common::tree;

const SCREEN: &str = "
root resourceId=com.mail:id/root
 Inbox resourceId=com.mail:id/title
 row resourceId=com.mail:id/row
 row resourceId=com.mail:id/row
";

#[track_caller]
fn read(text: &str) -> Waypoint {
    let mut problems = Diagnostics::new();
    let read = waypoint::read(&Source::new("a.waypoint.yaml", format!("id: a/b\n{text}")), &mut problems);
    read.unwrap_or_else(|| panic!("{:?}", problems.sorted()))
}

/// `matched`, or the reason why not.
#[track_caller]
fn check_app(text: &str, app_ids: &[&str], expected: &str) {
    let app_ids: Vec<String> = app_ids.iter().map(|id| (*id).to_owned()).collect();
    let screen = tree(Dialect::Native, SCREEN);
    let seen = look(&screen, &read(text), &Classifiers::new(["android", "phone"]), &app_ids);
    let shown = match &seen {
        Look::Skipped { reason } => format!("skipped: {reason}"),
        other => other.reason().unwrap_or_else(|| "matched".to_owned()),
    };
    assert_eq!(shown, expected, "{text}");
    assert_eq!(seen.is_match(), expected == "matched");
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_app(text, &[], expected);
}

fn condition(text: &str) -> String {
    format!("selector: {{ androidAccessibility: {{ textRegex: {text} }} }}")
}

#[test]
fn every_required_condition_must_hold() {
    let required = |a: &str, b: &str| {
        format!(
            "android: {{ required: [{{ {} }}, {{ description: the second, {} }}] }}",
            condition(a),
            condition(b)
        )
    };
    check(&required("Inbox", "row"), "matched");
    check(&required("Inbox", "x"), "missing: the second");
    check(&required("x", "y"), r#"missing: {"androidAccessibility":{"textRegex":"x"}}; the second"#);
}

#[test]
fn so_many_nodes_must_fit() {
    let required = |count: usize| {
        format!("android: {{ required: [{{ description: rows, minCount: {count}, {} }}] }}", condition("row"))
    };
    check(&required(1), "matched");
    check(&required(2), "matched");
    check(&required(3), "missing: rows (2 of 3)");
}

#[test]
fn no_forbidden_condition_may_hold_however_many_it_counts() {
    let forbidden = |text: &str, count: usize| {
        let condition = condition(text);
        format!("android: {{ forbidden: [{{ description: it, minCount: {count}, {condition} }}] }}")
    };
    check(&forbidden("x", 1), "matched");
    check(&forbidden("row", 1), "must not be there: it");
    check(&forbidden("row", 3), "must not be there: it");
    let both = format!(
        "android: {{ required: [{{ {} }}], forbidden: [{{ {} }}] }}",
        condition("x"),
        condition("row")
    );
    check(
        &both,
        r#"missing: {"androidAccessibility":{"textRegex":"x"}} | must not be there: {"androidAccessibility":{"textRegex":"row"}}"#,
    );
}

#[test]
fn without_a_selector_a_required_condition_fails_and_a_forbidden_one_passes() {
    check("android: { required: [{ description: todo }] }", "missing: todo");
    check("android: { required: [{ minCount: 1 }] }", "missing: a condition without a selector");
    check("android: { forbidden: [{ description: todo }] }", "matched");
    // An empty selector fits every node.
    check("android: { required: [{ selector: {} }] }", "matched");
    check("android: { forbidden: [{ description: any, selector: {} }] }", "must not be there: any");
}

#[test]
fn an_empty_block_matches_everything_and_none_nothing() {
    check("android: {}", "matched");
    check("android:", "matched");
    check("description: nothing", "skipped: no classifier block");
    check("ios: {}", "skipped: no classifier block");
    check("tablet: {}\nweb: {}", "skipped: no classifier block");
}

#[test]
fn each_part_comes_from_the_closest_block_that_has_it() {
    let (inbox, row, x) = (condition("Inbox"), condition("row"), condition("x"));
    // Required from android, forbidden from android-phone: nothing is merged.
    let text = format!(
        "android: {{ required: [{{ {inbox} }}], forbidden: [{{ {row} }}] }}\nandroid-phone: {{ forbidden: [{{ {x} }}] }}"
    );
    check(&text, "matched");
    let text =
        format!("android: {{ required: [{{ {inbox} }}] }}\nandroid-phone: {{ required: [{{ {x} }}] }}");
    check(&text, r#"missing: {"androidAccessibility":{"textRegex":"x"}}"#);
    // An empty list is as none.
    let text = format!("android: {{ required: [{{ {x} }}] }}\nandroid-phone: {{ required: [] }}");
    check(&text, r#"missing: {"androidAccessibility":{"textRegex":"x"}}"#);
    check(&format!("phone: {{ required: [{{ {inbox} }}] }}"), "matched");
}

#[test]
fn the_app_is_filled_in() {
    let id = "'{{target.appId}}:id/title'";
    let text = format!(
        "android: {{ required: [{{ description: title, selector: {{ androidAccessibility: {{ resourceIdRegex: {id} }} }} }}] }}"
    );
    check_app(&text, &["com.mail"], "matched");
    check_app(&text, &["comxmail"], "missing: title");
    check_app(&text, &["com.other", "com.mail"], "matched");
    check_app(&text, &["com.other", "com.more"], "missing: title");
    check_app(&text, &[], "skipped: it names {{target.appId}}, and no app id is known");
    let forbidden = text.replace("required", "forbidden");
    check_app(&forbidden, &[], "skipped: it names {{target.appId}}, and no app id is known");
    check_app(&forbidden, &["com.mail"], "must not be there: title");
    let unique = text.replace("resourceIdRegex", "uniqueId");
    check_app(&unique, &["com.mail"], "skipped: it names {{target.appId}}, and no app id is known");
}

#[test]
fn a_pattern_out_of_steps_says_so() {
    let screen = tree(Dialect::Native, &"a".repeat(60));
    let text = r"android: { forbidden: [{ selector: { androidAccessibility: { textRegex: '(?=b?)(a|aa)+\1c' } } }] }";
    let seen = look(&screen, &read(text), &Classifiers::new(["android"]), &[]);
    let reason = r"the pattern '(?=b?)(a|aa)+\1c' needs too many steps".to_owned();
    assert_eq!(seen, Look::Skipped { reason });
}
