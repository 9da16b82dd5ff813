//! The tree as tools see it: without what does not matter for accessibility.

use trailblaze_engine::matching::native;
use trailblaze_model::pattern::Dialect;

use crate::common::{names, selector, tree};

#[track_caller]
fn check(lines: &str, text: &str, expected: &str) {
    let screen = tree(Dialect::Native, &lines.replace(" off", " !isImportantForAccessibility"));
    let found = native::try_resolve_for_tool(&screen, &selector(text)).unwrap();
    assert_eq!(names(&screen, &found), expected, "{text}");
}

#[test]
fn unimportant_nodes_go_and_their_children_move_up() {
    let lines = "
root
 _ className=Wrap off
  _ className=Inner off
   a
   _ className=Leaf off
  b
";
    check(lines, "{}", "root a b");
    check(lines, "{ containsChild: {} }", "root");
    // Direct children after filtering.
    check(lines, "{ containsChild: { androidAccessibility: { textRegex: a } } }", "root");
    check(lines, "{ childOf: { androidAccessibility: { textRegex: root } } }", "a b");
    check(lines, "{ containsDescendants: [{ androidAccessibility: { textRegex: b } }] }", "root");
    check(lines, "{ index: 1 }", "a");
}

#[test]
fn only_when_nothing_matches_the_whole_tree_is_looked_at() {
    let lines = "
root
 _ className=Wrap off
  a
";
    check(lines, "{ androidAccessibility: { classNameRegex: Wrap } }", "Wrap");
    check(lines, "{ containsChild: { androidAccessibility: { textRegex: a } } }", "root");
    let both = "
root
 _ className=Wrap off
  a className=Wrap
";
    check(both, "{ androidAccessibility: { classNameRegex: Wrap } }", "a");
    check(both, "{ androidAccessibility: { classNameRegex: Wrap }, index: 1 }", "a");
    check(both, "{ androidAccessibility: { classNameRegex: Wrap }, index: 2 }", "");
}

#[test]
fn a_leaf_that_says_something_stays() {
    let lines = "
root
 text off
 _ className=Described contentDescription=x off
 _ className=Hinted hintText=x off
 ++ className=Blank off
 parent off
  child
";
    check(lines, "{}", "root text Described child");
}

#[test]
fn a_web_view_keeps_all_that_is_in_it() {
    let lines = "
root
 _ className=android.webkit.WebView off
  _ className=Html off
   _ className=Body off
    link
 _ className=my.android.webkit.WebView off
  _ className=Other off
 _ className=After off
";
    check(lines, "{}", "root android.webkit.WebView Html Body link");
}

#[test]
fn the_root_stays() {
    check("_ className=Root off\n a", "{}", "Root a");
}

#[test]
fn waypoints_see_the_whole_tree() {
    let screen = tree(Dialect::Native, "root\n _ className=Wrap !isImportantForAccessibility\n  a");
    assert_eq!(native::resolve(&screen, &selector("{}")).len(), 3);
}
