//! What is said about an element that is not found, that is one of several, or that is of no use.

use serde_json::{Value, json};
use trailblaze_engine::matching::{explain, suggestion};
use trailblaze_model::failure::FailureKind;
use trailblaze_model::maestro::{self, Kind};
use trailblaze_model::selector::{NodeSelector, Selector};

use crate::support::{World, screen};

fn page(lines: &str) -> String {
    format!("@0,0,400,800\n{lines}")
}

fn maestro_selector(value: &Value) -> Selector {
    match maestro::read_command(&json!({ "tapOn": value })).unwrap().kind {
        Kind::Tap(tap) => tap.target.selector,
        other => panic!("{other:?}"),
    }
}

/// In the Maestro dialect.
#[track_caller]
fn check(lines: &str, selector: Value, expected: &str) {
    let screen = screen(&page(lines), 0);
    let said = suggestion(&screen, &maestro_selector(&selector)).unwrap();
    assert_eq!(said, expected, "{selector}");
}

/// In the native dialect.
#[track_caller]
fn check_native(lines: &str, selector: Value, expected: &str) {
    let screen = screen(&page(lines), 0);
    let selector = NodeSelector::read(&selector).unwrap();
    assert_eq!(explain(&screen, &selector).unwrap(), expected, "{selector}");
}

fn text(text: &str) -> Value {
    json!({ "androidAccessibility": { "textRegex": text } })
}

/// The native selector for a text with another part.
fn with(wanted: &str, key: &str, part: Value) -> Value {
    let mut selector = text(wanted);
    selector[key] = part;
    selector
}

const FORM: &str = " Save @0,0,100,100 id=com.a:id/save\n Send @0,100,100,200\n Cancel @200,100,300,200";

#[test]
fn the_one_part_that_does_not_hold_is_named() {
    check(FORM, json!({ "text": "Save", "enabled": false }), "'Save' would fit without 'enabled: false'");
    check(FORM, json!({ "text": "Save", "checked": true }), "'Save' would fit without 'checked: true'");
    check(FORM, json!({ "text": "Save", "width": 50 }), "'Save' would fit without 'width'");
    check(FORM, json!({ "text": "Save", "traits": "long-text" }), "'Save' would fit without 'traits'");
    check(FORM, json!({ "text": "Save", "below": "Send" }), "'Save' would fit without 'below'");
    check(
        FORM,
        json!({ "text": "Send", "id": "save" }),
        "'Send' would fit without 'id'; 'Save' would fit without 'text'",
    );
    let two = json!({ "text": "Cancel", "rightOf": "Send", "above": "Save", "below": "Save" });
    check(FORM, two, "'Cancel' would fit without 'above'");
}

#[test]
fn only_the_relation_that_does_not_hold_is_blamed() {
    check_native(FORM, with("Save", "below", text("Send")), "'Save' would fit without 'below'");
    let mut two = with("Cancel", "rightOf", text("Send"));
    two["above"] = text("Save");
    check_native(FORM, two.clone(), "'Cancel' would fit without 'above'");
    two["below"] = text("Cancel");
    check_native(FORM, two, "'Cancel' would fit without 'below', 'above' and 'rightOf'");
    check_native(FORM, with("Save", "childOf", text("Send")), "'Save' would fit without 'childOf'");
    check_native(
        FORM,
        with("Save", "containsChild", text("Send")),
        "'Save' would fit without 'containsChild'",
    );
    check_native(
        FORM,
        with("Save", "containsDescendants", json!([text("Send")])),
        "'Save' would fit without 'containsDescendants'",
    );
}

#[test]
fn an_anchor_that_is_not_there_is_said_to_be_missing() {
    let missing = "'Save' would fit, but the anchor of 'below' is not on the screen";
    check_native(FORM, with("Save", "below", text("Nobody")), missing);
    check(FORM, json!({ "text": "Save", "below": "Nobody" }), missing);
    let missing = "'Save' would fit, but nothing on the screen fits what 'childOf' says";
    check_native(FORM, with("Save", "childOf", text("Nobody")), missing);
    check(FORM, json!({ "text": "Save", "childOf": "Nobody" }), missing);
    let missing = "'Save' would fit, but nothing on the screen fits what 'containsDescendants' says";
    check_native(FORM, with("Save", "containsDescendants", json!([text("Nobody")])), missing);
    let both = "the anchor of 'below' is not on the screen; the anchor of 'leftOf' is not on the screen";
    let mut two = with("Save", "below", text("Nobody"));
    two["leftOf"] = text("No one");
    check_native(FORM, two, both);
    check(FORM, json!({ "text": "Save", "below": "Nobody", "leftOf": "No one" }), both);
    // Without a word about the element itself, too.
    check_native(
        FORM,
        json!({ "below": text("Nobody") }),
        "something without a name would fit, but the anchor of 'below' is not on the screen",
    );
}

#[test]
fn an_index_that_is_too_large_says_how_many_there_are() {
    check_native(FORM, with("Save", "index", json!(1)), "only 1 fits: 'Save'");
    check_native(FORM, with("S.*", "index", json!(2)), "only 2 fit, the first of them 'Save'");
    check(FORM, json!({ "text": "Save", "index": 1 }), "only 1 fits: 'Save'");
    check(FORM, json!({ "text": "S.*", "index": 2 }), "only 2 fit, the first of them 'Save'");
}

#[test]
fn what_is_there_but_out_of_sight_is_said_to_be() {
    let list = " List @0,100,400,700 isScrollable\n  Save @0,900,100,1000";
    check(list, json!("Save"), "'Save' is there, but cannot be seen (off-screen)");
    check(
        " Save @0,795,100,895",
        json!("Save"),
        "'Save' is there, but cannot be seen (hardly any of it on the screen)",
    );
    check(
        " Save @0,0,100,100 !isVisibleToUser",
        json!("Save"),
        "'Save' is there, but cannot be seen (not visible)",
    );
    // And fails something else besides.
    check(
        list,
        json!({ "text": "Save", "checked": true }),
        "out of sight: 'Save' (off-screen) would fit without 'checked: true'",
    );
    // What is in sight comes first.
    check(
        &format!("{list}\n Save @0,0,100,50"),
        json!({ "text": "Save", "checked": true }),
        "'Save' would fit without 'checked: true'",
    );
}

#[test]
fn what_keeps_a_near_one_from_being_touched_is_said() {
    let focused = || json!({ "androidAccessibility": { "textRegex": "Save", "isFocused": true } });
    let native = |lines: &str, state: &str| {
        check_native(lines, focused(), &format!("nearest: 'Save'{state} fails isFocused: true"));
    };
    native(" Save @0,0,100,100", "");
    native(" Save @0,900,100,1000", " (off-screen)");
    native(" Save @0,0,100,100 !isEnabled", " (disabled)");
    native(" Save @0,0,100,100 !isVisibleToUser", " (not visible)");
    native(" Save @0,0,100,100\n Over @0,0,100,100 isClickable", " (covered by 'Over')");
    native(" Save @0,0,100,100\nPanel @0,400,400,800", " (in a lower window)");
    native(
        " Save @0,0,100,100\n== dialog\nSure? @100,300,300,500",
        " (covered by the dialog 'Sure?', in a lower window)",
    );
    // Bars and keys are above everything.
    native(" Save @0,0,100,100\n== system\nClock @0,700,400,800\n== keyboard\n@0,500,400,800", "");
    check(" Under @0,0,100,100 !isEnabled", json!("Undr"), "did you mean 'Under' (disabled)?");
    check(
        " Under @0,0,100,100\n Over @0,0,100,100 isClickable",
        json!("Undr"),
        "did you mean 'Under' (covered by 'Over')?",
    );
    check(
        " Under @0,0,100,100\nPanel @0,400,400,800",
        json!({ "text": "Under", "checked": true }),
        "'Under' (in a lower window) would fit without 'checked: true'",
    );
}

#[test]
fn the_nearest_text_comes_first() {
    let lines = " Discard this event? @0,0,400,100\n Discord @0,100,400,200\n Discard @0,200,400,300";
    let fails = |text: &str| format!("'{text}' fails text (it is '{text}')");
    let near = [fails("Discard"), fails("Discord"), fails("Discard this event?")];
    check_native(lines, text("Discar"), &format!("nearest: {}", near.join("; ")));
    check(lines, json!("Discar"), "did you mean 'Discard'?");
}

#[test]
fn without_anything_near_it_is_said_what_is_there() {
    check_native(FORM, text("Wolpertinger"), "on the screen: 'Save', 'Send', 'Cancel'");
    let id = json!({ "androidAccessibility": { "resourceIdRegex": "wolpertinger" } });
    check_native(FORM, id, "on the screen: 'com.a:id/save'");
    check(FORM, json!("Wolpertinger"), "on the screen: 'Save', 'Send', 'Cancel'");
    let rows: String = (0..11).map(|row| format!(" Row {row} @0,{row}0,100,{}0\n", row + 1)).collect();
    let listed =
        "on the screen: 'Row 0', 'Row 1', 'Row 2', 'Row 3', 'Row 4', 'Row 5', 'Row 6', 'Row 7' and 3 more";
    check_native(&rows, text("Wolpertinger"), listed);
    check_native("", text("Save"), "nothing on the screen comes near");
    check("", json!("Save"), "the screen shows nothing of the kind");
}

fn native_tap(world: &World, selector: Value) {
    world.call("tapOnElementBySelector", json!({ "nodeSelector": selector })).unwrap();
}

const TWO: &str = " Dup @0,300,200,400 id=com.a:id/dup\n Dup @200,300,400,400 id=com.a:id/dup2";

#[test]
fn of_several_it_is_said_which_was_taken_why_and_how_to_mean_it() {
    let world = World::new(&page(TWO));
    native_tap(&world, text("Dup"));
    world.call("tap", json!({ "text": "Dup" })).unwrap();
    let both = |reason: &str| {
        format!("fits 2 elements; took 'Dup' (dup) at 100,350, {reason}; also 'Dup' (dup2) at 300,350")
    };
    let native = format!(r#"{} {}"#, text("Dup"), both("the first from the top left"));
    let maestro = format!("text 'Dup' {}", both("the first in the tree"));
    assert_eq!(world.warnings(), [native, maestro]);
    assert_eq!(
        world.hints(),
        [
            r#"say more about it, e.g. {"androidAccessibility":{"resourceIdRegex":"com.a:id/dup"}}"#,
            "say more about it, e.g. id: dup",
        ]
    );
}

#[test]
fn why_one_of_several_is_taken_depends_on_what_they_are() {
    let reason = |lines: &str, native: bool| {
        let world = World::new(&page(lines));
        if native {
            native_tap(&world, text("Go"));
        } else {
            world.call("tap", json!({ "text": "Go" })).unwrap();
        }
        let warning = world.warnings().remove(0);
        warning.split_once("; took ").unwrap().1.to_owned()
    };
    assert_eq!(
        reason(" Go @0,0,100,100 !isVisibleToUser\n Go @0,100,100,200", true),
        "'Go' at 50,150, the only one that can be seen; also 'Go' at 50,50"
    );
    assert_eq!(
        reason(" Go @0,0,100,100\n Go @0,100,100,200 isClickable", false),
        "'Go' at 50,150, the only one that can be clicked; also 'Go' at 50,50"
    );
    assert_eq!(
        reason(" Go @0,0,100,100\nGo @0,100,100,200", false),
        "'Go' at 50,150, the only one in the topmost window; also 'Go' at 50,50"
    );
    assert_eq!(
        reason(" Go @0,0,100,100\n== toast\nGo @0,100,100,200", false),
        "'Go' at 50,50, before toasts and keys; also 'Go' at 50,150"
    );
    assert_eq!(
        reason(&" Go @0,0,100,100\n".repeat(6), true),
        "'Go' at 50,50, the first from the top left; also 'Go' at 50,50, 'Go' at 50,50, 'Go' at 50,50 and 2 more"
    );
}

#[test]
fn without_anything_else_an_index_means_one_of_several() {
    let world = World::new(&page(" Go @0,100,100,200 isClickable\n Go @0,0,100,100"));
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 150"]);
    assert_eq!(world.hints(), ["say more about it, e.g. index: 1"]);
    world.call("tap", json!({ "text": "Go", "index": 1 })).unwrap();
    assert_eq!(world.actions(), ["tap 50 150"; 2]);
}

#[test]
fn a_strict_session_names_all_that_fit() {
    let world = World::with(&page(TWO), |setup| setup.options.strict = true);
    let failure = world.failure("tap", json!({ "text": "Dup" }));
    assert_eq!(failure.kind, FailureKind::Ambiguous);
    let message = "text 'Dup' fits 2 elements: 'Dup' (dup) at 100,350, 'Dup' (dup2) at 300,350";
    assert_eq!(failure.message, message);
    assert_eq!(failure.hint.as_deref(), Some("say more about it, e.g. id: dup"));
    assert_eq!(world.actions(), [""; 0]);
}

#[test]
fn a_disabled_element_is_touched_with_a_warning() {
    let world = World::new(&page(" Save @0,0,100,100 !isEnabled\n Send @0,100,100,200"));
    world.call("tap", json!({ "text": "Save" })).unwrap();
    native_tap(&world, text("Save"));
    world.call("tap", json!({ "text": "Send" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 50", "tap 50 50", "tap 50 150"]);
    assert_eq!(world.warnings(), ["'Save' is disabled; a tap may do nothing"; 2]);
}
