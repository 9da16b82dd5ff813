//! Which nodes a selector of a Maestro command means: predicates, relations, the index and the order.

use serde_json::json;
use trailblaze_engine::matching::try_find;
use trailblaze_model::maestro::{self, Kind};
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::Screen;
use trailblaze_model::selector::Selector;

use crate::common::{names, tree, yaml_value};

#[track_caller]
fn selector(text: &str) -> Selector {
    let command = maestro::read_command(&json!({ "tapOn": yaml_value(text) }));
    match command.unwrap_or_else(|problem| panic!("{text}: {problem:?}")).kind {
        Kind::Tap(tap) => tap.target.selector,
        other => panic!("{text}: {other:?}"),
    }
}

fn find(screen: &Screen, text: &str) -> String {
    names(screen, &try_find(screen, &selector(text)).unwrap())
}

#[track_caller]
fn check(lines: &str, text: &str, expected: &str) {
    // The same on a rich tree and on one in the older form.
    for dialect in [Dialect::Native, Dialect::Maestro] {
        assert_eq!(find(&tree(dialect, lines), text), expected, "{text}");
    }
}

/// Each row: a selector, and what it means.
#[track_caller]
fn check_all(lines: &str, rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        check(lines, text, expected);
    }
}

const WORDS: &str = "
_@0,0,100,100
 Save@0,0,10,10 resourceId=com.a:id/save isClickable
 open@0,10,10,20 contentDescription=Menu !isEnabled
 name@0,20,10,30 hintText=Your+name isFocused
 wifi@0,30,10,40 isChecked isSelected
";

#[test]
fn predicates_of_the_element_itself() {
    check_all(
        WORDS,
        &[
            ("SAVE", "Save"),
            ("sav", ""),
            ("{ text: s.ve }", "Save"),
            ("{ text: your name }", "name"),
            ("{ text: menu }", "open"),
            ("{ id: save }", "Save"),
            ("{ id: 'com.a:id/save' }", "Save"),
            ("{ id: sav }", ""),
            ("{ text: open, enabled: false }", "open"),
            ("{ text: open, enabled: true }", ""),
            ("{ text: name, focused: true }", "name"),
            ("{ text: name, focused: false }", ""),
            ("{ text: wifi, checked: true }", "wifi"),
            ("{ text: wifi, checked: false }", ""),
            ("{ text: wifi, selected: true }", "wifi"),
            ("{ text: wifi, selected: false }", ""),
            ("{ text: wifi, checked: true, selected: false }", ""),
        ],
    );
}

const SIZES: &str = "
_@0,0,100,100
 a@0,0,10,20
 b@0,20,12,40
 c@0,40,30,70
";

#[test]
fn width_height_and_how_far_they_may_be_off() {
    check_all(
        SIZES,
        &[
            ("{ width: 10 }", "a"),
            ("{ width: 11 }", ""),
            ("{ width: 11, tolerance: 1 }", "a b"),
            ("{ width: 14, tolerance: 2 }", "b"),
            ("{ width: 14, tolerance: 1 }", ""),
            ("{ height: 20 }", "a b"),
            ("{ height: 19 }", ""),
            ("{ height: 25, tolerance: 5 }", "a b c"),
            ("{ height: 25, tolerance: 4 }", ""),
            ("{ width: 12, height: 20 }", "b"),
            ("{ width: 12, height: 30 }", ""),
            ("{ text: c, width: 30 }", "c"),
            ("{ text: c, width: 31 }", ""),
        ],
    );
}

#[test]
fn traits() {
    let long = "x".repeat(201);
    let lines = format!(
        "_@0,0,90,100\n almost@0,0,100,97\n wide@0,0,100,96\n {}@0,60,50,70\n {long}@0,70,50,80\n _@0,80,40,90 className=Line",
        &long[..200]
    );
    let (short, both) = (&long[..200], format!("almost wide {} {long}", &long[..200]));
    check_all(
        &lines,
        &[
            // Within 3 %: 100/97 is 3.09 % wider, 100/98 would be 2.04 %.
            ("{ traits: square }", ""),
            ("{ traits: text }", &both),
            ("{ traits: long-text }", &long),
            ("{ text: x+, traits: long-text }", &long),
            ("{ text: x+, traits: text }", &format!("{short} {long}")),
            ("{ text: almost, traits: long-text }", ""),
            ("{ text: x+, traits: square }", ""),
        ],
    );
    let squares = "_@0,0,90,100\n even@0,0,50,50\n near@0,50,50,99\n flat@50,0,100,48";
    check_all(
        squares,
        &[
            ("{ traits: square }", "even near"),
            ("{ text: flat, traits: square }", ""),
            ("{ text: even, traits: square text }", "even"),
            ("{ text: even, traits: square long-text }", ""),
        ],
    );
}

const CROSS: &str = "
_@0,0,100,100
 top@40,0,60,20
 left@0,40,20,60
 mid@40,40,60,60
 right@80,40,100,60
 low@40,80,60,100
";

#[test]
fn beside_an_anchor_the_top_left_corners_are_compared() {
    check_all(
        CROSS,
        &[
            ("{ text: low, below: mid }", "low"),
            ("{ text: top, below: mid }", ""),
            ("{ text: right, below: mid }", ""),
            ("{ text: top, above: mid }", "top"),
            ("{ text: low, above: mid }", ""),
            ("{ text: left, above: mid }", ""),
            ("{ text: left, leftOf: mid }", "left"),
            ("{ text: right, leftOf: mid }", ""),
            ("{ text: top, leftOf: mid }", ""),
            ("{ text: right, rightOf: mid }", "right"),
            ("{ text: left, rightOf: mid }", ""),
            ("{ text: low, rightOf: mid }", ""),
            // An element is not beside itself.
            ("{ text: mid, below: mid }", ""),
            ("{ text: mid, rightOf: mid }", ""),
            // All that are written must hold.
            ("{ text: low, below: mid, rightOf: left }", "low"),
            ("{ text: low, below: mid, leftOf: left }", ""),
            ("{ text: low, below: nobody }", ""),
        ],
    );
}

#[test]
fn beside_an_anchor_overlap_and_the_other_axis_do_not_count() {
    // Natively these need the edges, here only the corners.
    check("_@0,0,100,100\n a@0,0,50,50\n b@0,1,50,51", "{ text: b, below: a }", "b");
    check("_@0,0,100,100\n a@10,0,50,50\n b@9,0,50,50", "{ text: b, leftOf: a }", "b");
    check("_@0,0,100,100\n a@0,0,10,10\n b@90,20,100,30", "{ text: b, below: a }", "b");
    // What lies inside of the anchor may be below its top.
    check("_@0,0,100,100\n a@0,0,50,50\n  b@0,5,50,20", "{ text: b, below: a }", "b");
}

#[test]
fn one_of_several_anchors_is_enough() {
    let lines = "_@0,0,100,100\n row@0,50,10,60\n item@0,30,10,40\n row@0,10,10,20";
    check(lines, "{ text: item, below: row }", "item");
    check(lines, "{ text: item, above: row }", "item");
    check(lines, "{ text: item, below: { text: row, index: 0 } }", "item");
    check(lines, "{ text: item, below: { text: row, index: 1 } }", "");
    check(lines, "{ text: item, above: { text: row, below: item } }", "item");
}

#[test]
fn an_anchor_that_cannot_be_seen_is_none() {
    let lines = "_@0,0,100,100\n gone@0,-90,10,-80\n item@0,30,10,40\n hidden@0,10,10,20 !isVisibleToUser";
    check(lines, "{ text: item, below: gone }", "");
    check(lines, "{ text: item, below: hidden }", "");
}

const FORM: &str = "
form@0,0,100,100
 box@0,0,100,50
  row@0,0,100,20
   a@0,0,10,10
   b@10,0,20,10
  c@0,20,10,30
 d@0,60,10,70
 box@0,70,100,90
  a@0,70,10,80
";

#[test]
fn child_of_means_inside_of_the_first_that_fits_and_that_one_itself() {
    check_all(
        FORM,
        &[
            ("{ text: a, childOf: row }", "a"),
            ("{ text: a, childOf: form }", "a a"),
            ("{ text: d, childOf: form }", "d"),
            ("{ text: d, childOf: row }", ""),
            // Itself.
            ("{ text: row, childOf: row }", "row"),
            ("{ text: form, childOf: row }", ""),
            // Only the first box counts; the other one by its index.
            ("{ text: a, childOf: box }", "a"),
            ("{ text: c, childOf: box }", "c"),
            ("{ text: c, childOf: { text: box, index: 1 } }", ""),
            ("{ text: a, childOf: { text: box, index: 1 } }", "a"),
            ("{ text: a, childOf: nobody }", ""),
            // Around that one, too.
            ("{ text: b, childOf: { text: row, childOf: box } }", "b"),
            ("{ text: b, childOf: { text: row, childOf: d } }", ""),
        ],
    );
}

#[test]
fn contains_child_means_directly() {
    check_all(
        FORM,
        &[
            ("{ text: row, containsChild: a }", "row"),
            ("{ text: box, containsChild: a }", "box"),
            ("{ text: form, containsChild: a }", ""),
            ("{ text: form, containsChild: { text: box, containsChild: c } }", "form"),
            ("{ text: form, containsChild: { text: row, containsChild: a } }", ""),
            ("{ text: a, containsChild: a }", ""),
            ("{ text: row, containsChild: nobody }", ""),
            // Nothing said of the element itself: all of them.
            ("{ containsChild: a }", "row box"),
        ],
    );
}

#[test]
fn contains_descendants_means_at_any_depth_and_each_of_them() {
    check_all(
        FORM,
        &[
            ("{ text: form, containsDescendants: [a] }", "form"),
            ("{ text: box, containsDescendants: [a, b] }", "box"),
            ("{ text: box, containsDescendants: [a, d] }", ""),
            ("{ text: row, containsDescendants: [c] }", ""),
            // An element does not contain itself.
            ("{ text: a, containsDescendants: [a] }", ""),
            ("{ containsDescendants: [b, c] }", "form box"),
        ],
    );
}

#[test]
fn the_deepest_that_fits_is_meant() {
    let lines = "_@0,0,100,100\n ok@0,0,50,50 isClickable\n  ok@0,0,20,20\n   _@0,0,10,10\n ok@50,0,100,50";
    // The outer one does not count, although it could be clicked.
    let screen = tree(Dialect::Native, lines);
    let found = try_find(&screen, &selector("ok")).unwrap();
    assert_eq!(found.iter().map(|id| id.index()).collect::<Vec<_>>(), [2, 4]);
    // Other things that are said do not bring it back.
    check(lines, "{ text: ok, containsChild: ok }", "");
    // When the inner one fails them, the outer one is the deepest.
    let lines = "_@0,0,100,100\n ok@0,0,50,50 isChecked\n  ok@0,0,20,20";
    check(lines, "{ text: ok, checked: true, width: 50 }", "ok");
    check(lines, "{ text: ok, checked: false, width: 50 }", "");
}

#[test]
fn the_index_counts_from_the_top_left_or_from_the_end() {
    let lines = "_@0,0,100,100\n c1@0,50,10,60\n b@20,20,30,30 isClickable\n a@0,20,10,30\n d@0,80,10,90";
    let all = "{ text: '[a-d]1?', index: ";
    let rows = [
        ("0", "a"),
        ("1", "b"),
        ("2", "c1"),
        ("3", "d"),
        ("4", ""),
        ("-1", "d"),
        ("-4", "a"),
        ("-5", ""),
        ("1.9", "b"),
    ];
    for (index, expected) in rows {
        check(lines, &format!("{all}{index} }}"), expected);
    }
    // After the relations.
    check(lines, "{ text: '[a-d]1?', below: a, index: 0 }", "c1");
    check(lines, "{ text: '[a-d]1?', below: a, index: -1 }", "d");
    check(lines, "{ text: '[a-d]1?', below: a, index: 2 }", "");
    // Without one: what can be clicked, then as they stand in the tree.
    check(lines, "{ text: '[a-d]1?' }", "b c1 a d");
}
