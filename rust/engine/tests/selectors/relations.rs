//! Where a node stands: below, inside, around and beside others. Each row holds in both dialects.

use trailblaze_engine::matching::native;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::selector::NodeSelector;

use crate::common::{check_tree, selector, tree};

const FORM: &str = "
form
 box className=Box
  row className=Row
   a
   b
  c
 d
";

#[test]
fn child_of() {
    check_tree(FORM, "{ on: { textRegex: a }, childOf: { on: { textRegex: row } } }", "a");
    // At any depth, but not the node itself.
    check_tree(FORM, "{ on: { textRegex: a }, childOf: { on: { textRegex: form } } }", "a");
    check_tree(FORM, "{ on: { textRegex: row }, childOf: { on: { textRegex: row } } }", "");
    check_tree(FORM, "{ on: { textRegex: d }, childOf: { on: { textRegex: box } } }", "");
    check_tree(FORM, "{ childOf: { on: { textRegex: nobody } } }", "");
    check_tree(FORM, "{ childOf: { on: { textRegex: box } } }", "row a b c");
}

#[test]
fn child_of_is_a_full_resolution() {
    check_tree(FORM, "{ childOf: { on: { classNameRegex: 'Row|Box' }, index: 1 } }", "a b");
    check_tree(FORM, "{ childOf: { on: { classNameRegex: 'Row|Box' }, index: 2 } }", "");
    check_tree(
        FORM,
        "{ childOf: { on: { classNameRegex: Row }, childOf: { on: { textRegex: box } } } }",
        "a b",
    );
    check_tree(FORM, "{ childOf: { on: { classNameRegex: Row }, childOf: { on: { textRegex: c } } } }", "");
}

#[test]
fn a_node_below_two_nested_parents_counts_once() {
    check_tree(FORM, "{ on: { textRegex: 'a|c' }, childOf: { on: { classNameRegex: 'Row|Box' } } }", "a c");
    check_tree(FORM, "{ on: { textRegex: a }, childOf: {} }", "a");
}

#[test]
fn contains_child() {
    check_tree(FORM, "{ containsChild: { on: { textRegex: a } } }", "row");
    // Only directly.
    check_tree(FORM, "{ on: { textRegex: box }, containsChild: { on: { textRegex: a } } }", "");
    check_tree(FORM, "{ containsChild: { on: { textRegex: form } } }", "");
    check_tree(FORM, "{ containsChild: { containsChild: { on: { textRegex: a } } } }", "box");
}

#[test]
fn contains_descendants() {
    check_tree(FORM, "{ containsDescendants: [{ on: { textRegex: a } }] }", "form box row");
    check_tree(
        FORM,
        "{ containsDescendants: [{ on: { textRegex: a } }, { on: { textRegex: c } }] }",
        "form box",
    );
    check_tree(FORM, "{ containsDescendants: [{ on: { textRegex: a } }, { on: { textRegex: d } }] }", "form");
    check_tree(FORM, "{ containsDescendants: [{ on: { textRegex: a } }, { on: { textRegex: x } }] }", "");
    // A node is not its own descendant.
    check_tree(FORM, "{ on: { textRegex: a }, containsDescendants: [{ on: { textRegex: a } }] }", "");
}

#[test]
fn inside_of_contains_the_index_and_child_of_are_ignored() {
    for ignored in ["index: 9", "index: -1", "childOf: { on: { textRegex: nobody } }"] {
        check_tree(FORM, &format!("{{ containsChild: {{ on: {{ textRegex: a }}, {ignored} }} }}"), "row");
        check_tree(
            FORM,
            &format!("{{ containsDescendants: [{{ on: {{ textRegex: d }}, {ignored} }}] }}"),
            "form",
        );
    }
}

const CROSS: &str = "
screen@0,0,100,100
 top@40,0,60,20
 left@0,40,20,60
 mid@40,40,60,60
  inner@45,45,55,55
 right@80,40,100,60
 low@40,80,60,100
 nowhere
";

#[test]
fn below_above_left_and_right() {
    let beside = |relation: &str| format!("{{ {relation}: {{ on: {{ textRegex: mid }} }} }}");
    check_tree(CROSS, &beside("below"), "low");
    check_tree(CROSS, &beside("above"), "top");
    check_tree(CROSS, &beside("leftOf"), "left");
    check_tree(CROSS, &beside("rightOf"), "right");
    // The edge counts, the other axis does not.
    check_tree(CROSS, "{ below: { on: { textRegex: top } } }", "left mid right inner low");
    check_tree(CROSS, "{ rightOf: { on: { textRegex: left } } }", "top mid right inner low");
    check_tree("a@0,0,10,10\n b@0,10,10,20\n c@0,9,10,20", "{ below: { on: { textRegex: a } } }", "b");
    check_tree("a@0,10,10,20\n b@0,0,10,10\n c@0,0,10,11", "{ above: { on: { textRegex: a } } }", "b");
    check_tree("a@10,0,20,10\n b@0,0,10,10\n c@0,0,11,10", "{ leftOf: { on: { textRegex: a } } }", "b");
    check_tree("a@0,0,10,10\n b@10,0,20,10\n c@9,0,20,10", "{ rightOf: { on: { textRegex: a } } }", "b");
}

#[test]
fn several_relations_must_all_hold() {
    let text = "{ below: { on: { textRegex: top } }, leftOf: { on: { textRegex: right } } }";
    check_tree(CROSS, text, "left mid inner low");
    check_tree(CROSS, "{ below: { on: { textRegex: top } }, above: { on: { textRegex: left } } }", "");
}

#[test]
fn without_an_anchor_or_bounds_nothing_is_beside() {
    check_tree(CROSS, "{ below: { on: { textRegex: nobody } } }", "");
    check_tree(CROSS, "{ below: { on: { textRegex: nowhere } } }", "");
    check_tree(CROSS, "{ on: { textRegex: nowhere }, below: { on: { textRegex: top } } }", "");
}

#[test]
fn the_anchor_is_the_first_match_of_the_whole_tree() {
    check_tree(CROSS, "{ below: { on: { textRegex: 'mid|top' } } }", "left mid right inner low");
    check_tree(CROSS, "{ below: { on: { textRegex: 'mid|top' }, index: 1 } }", "low");
    check_tree(CROSS, "{ below: { on: { textRegex: 'mid|top' }, childOf: { on: { textRegex: mid } } } }", "");
    check_tree(CROSS, "{ above: { on: { textRegex: inner }, childOf: { on: { textRegex: mid } } } }", "top");
}

#[test]
fn inside_of_contains_spatial_parts_count() {
    let inner =
        |anchor: &str| format!("{{ on: {{ textRegex: low }}, below: {{ on: {{ textRegex: {anchor} }} }} }}");
    check_tree(CROSS, &format!("{{ containsChild: {} }}", inner("mid")), "screen");
    check_tree(CROSS, &format!("{{ containsChild: {} }}", inner("low")), "");
    check_tree(CROSS, &format!("{{ containsDescendants: [{}] }}", inner("mid")), "screen");
    check_tree(CROSS, &format!("{{ containsDescendants: [{}] }}", inner("low")), "");
}

#[test]
fn what_nests_deeper_than_ten_fits_nothing() {
    let chain: String = (0..14).map(|level| format!("{}_\n", " ".repeat(level))).collect();
    let screen = tree(Dialect::Native, &chain);
    let nest = |levels: usize, around: fn(Box<NodeSelector>) -> NodeSelector| {
        (0..levels).fold(NodeSelector::default(), |inner, _| around(Box::new(inner)))
    };
    type Form = fn(Box<NodeSelector>) -> NodeSelector;
    let forms: [(&str, Form); 3] = [
        ("childOf", |inner| NodeSelector { child_of: Some(inner), ..NodeSelector::default() }),
        ("containsChild", |inner| NodeSelector { contains_child: Some(inner), ..NodeSelector::default() }),
        ("containsDescendants", |inner| NodeSelector {
            contains_descendants: vec![*inner],
            ..NodeSelector::default()
        }),
    ];
    for (name, form) in forms {
        assert_eq!(native::resolve(&screen, &nest(10, form)).len(), 4, "{name}");
        assert_eq!(native::resolve(&screen, &nest(11, form)).len(), 0, "{name}");
    }
    // A selector that is ignored nests nothing.
    let ignored = NodeSelector { child_of: Some(Box::new(nest(11, forms[0].1))), ..NodeSelector::default() };
    let around = NodeSelector { contains_child: Some(Box::new(ignored)), ..NodeSelector::default() };
    assert_eq!(native::resolve(&screen, &around).len(), 13);
    let deep = NodeSelector { below: Some(Box::new(nest(10, forms[0].1))), ..NodeSelector::default() };
    assert_eq!(native::resolve(&screen, &deep), []);
    assert_eq!(native::resolve(&screen, &selector("index: 0")).len(), 1);
}
