//! The ladder of selectors for a node: each screen leaves one rung that is the first to find it.

use trailblaze_engine::matching::generate::{selectors, selectors_on};
use trailblaze_engine::matching::native::resolve;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{NodeId, NodeRef, Screen};

use crate::common::{selector, tree};

/// The node that is marked with `ref=me`.
fn me(screen: &Screen) -> NodeId {
    let me = |node: &NodeRef<'_>| node.get(trailblaze_model::screen::Prop::Ref) == Some("me");
    screen.nodes().find(me).expect("one node is marked").id()
}

fn shown(text: &str) -> String {
    text.replace("androidAccessibility", "on")
        .replace(['"', '{', '}'], " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The first selector for the marked node, in short; and each of them finds it alone.
#[track_caller]
fn check(lines: &str, expected: &str) {
    let screen = tree(Dialect::Native, lines);
    let id = me(&screen);
    let made = selectors(&screen, id);
    for each in &made {
        assert_eq!(resolve(&screen, each), [id], "{each}");
    }
    let expected = selector(&expected.replace("on:", "androidAccessibility:"));
    assert_eq!(shown(&made[0].to_string()), shown(&expected.to_string()), "of {}", made.len());
}

#[test]
fn ids_come_first() {
    check("_ \n a ref=me uniqueId=u resourceId=r composeTestTag=t", "on: { uniqueId: u }");
    check("_ \n a ref=me resourceId=a.b:id/c composeTestTag=t", "on: { resourceIdRegex: 'a.b:id/c' }");
    check("_ \n a ref=me composeTestTag=t", "on: { composeTestTagRegex: t }");
    // A blank id is none.
    check("_ \n a ref=me resourceId=+", "on: { textRegex: a }");
}

#[test]
fn descriptions_and_hints_stand_for_a_missing_text() {
    check("_ \n _ ref=me contentDescription=d hintText=h", "on: { contentDescriptionRegex: d }");
    check(
        "_ \n _ ref=me contentDescription=d className=A\n _ contentDescription=d className=B\n _ className=A",
        "on: { contentDescriptionRegex: d, classNameRegex: A }",
    );
    check("_ \n _ ref=me hintText=h className=A", "on: { hintTextRegex: h }");
    check(
        "_ \n _ ref=me hintText=h className=A\n _ hintText=h className=B\n _ className=A",
        "on: { hintTextRegex: h, classNameRegex: A }",
    );
    // A text that is blank is there, so a description does not stand for it, but a hint does.
    check("_ \n + ref=me contentDescription=d hintText=h", "on: { hintTextRegex: h }");
}

#[test]
fn then_texts() {
    check("_ \n Save ref=me className=A contentDescription=d", "on: { textRegex: Save }");
    check(
        "_ \n Save ref=me className=A\n Save className=B\n Load className=A",
        "on: { textRegex: Save, classNameRegex: A }",
    );
    check(
        "_ \n Save ref=me className=A resourceId=r\n Save className=A\n Load className=A resourceId=r",
        "on: { resourceIdRegex: r, textRegex: Save }",
    );
}

#[test]
fn what_was_typed_is_not_what_a_field_is() {
    check(
        "_ \n typed ref=me className=Edit isEditable hintText=Name\n x className=Edit\n other className=Box",
        "on: { isEditable: true }",
    );
    check(
        "_ \n typed ref=me className=Edit isEditable\n other className=Box",
        "on: { classNameRegex: Edit }",
    );
    let screen = tree(
        Dialect::Native,
        "_ \n typed ref=me className=Edit isEditable hintText=h\n typed className=Edit isEditable",
    );
    for made in selectors(&screen, me(&screen)) {
        assert!(!made.to_string().contains("typed"), "{made}");
    }
}

#[test]
fn then_labels_panes_and_classes() {
    let others = "\n _ className=A\n _ className=B";
    check(&format!("_ \n _ ref=me className=A labeledByText=l{others}"), "on: { labeledByTextRegex: l }");
    check(
        "_ \n _ ref=me className=A labeledByText=l\n _ className=B labeledByText=l\n _ className=A",
        "on: { labeledByTextRegex: l, classNameRegex: A }",
    );
    check(&format!("_ \n _ ref=me className=A paneTitle=p{others}"), "on: { paneTitleRegex: p }");
    check("_ \n _ ref=me className=A\n _ className=B", "on: { classNameRegex: A }");
}

#[test]
fn then_flags_numbers_states_and_roles() {
    let others = "\n _ className=A\n _ className=B isPassword inputType=5 stateDescription=On roleDescription=Tab isHeading";
    let with = |what: &str| format!("_ \n _ ref=me className=A {what}{others}");
    check(&with("isHeading"), "on: { classNameRegex: A, isHeading: true }");
    check(&with("isPassword"), "on: { classNameRegex: A, isPassword: true }");
    check(&with("inputType=5"), "on: { classNameRegex: A, inputType: 5 }");
    check(&with("stateDescription=On"), "on: { stateDescriptionRegex: 'On', classNameRegex: A }");
    check(&with("roleDescription=Tab"), "on: { roleDescriptionRegex: Tab, classNameRegex: A }");
    // A selection changes, and so does a state with a number in it.
    check(&with("isSelected"), "{ on: { classNameRegex: A }, index: 0 }");
    check(&with("stateDescription=5+percent"), "{ on: { classNameRegex: A }, index: 0 }");
}

#[test]
fn then_what_stands_around() {
    check(
        "_ \n _ resourceId=box\n  _ className=W\n   x ref=me className=A\n _ className=W\n  x className=A",
        "{ on: { textRegex: x }, childOf: { on: { resourceIdRegex: box } } }",
    );
    check(
        "_ className=Root\n _ ref=me className=A\n  x\n _ className=A\n  y",
        "{ on: { classNameRegex: A }, containsChild: { on: { textRegex: x } } }",
    );
    check(
        "_ className=Root\n _ ref=me className=A\n  _ className=W\n   x\n _ className=A\n  _ className=W\n   y",
        "{ on: { classNameRegex: A }, containsDescendants: [{ on: { textRegex: x } }] }",
    );
    check(
        "_ className=A\n _ ref=me className=A cell=1,2\n _ className=A cell=1,3",
        "on: { collectionItemColumnIndex: 2 }",
    );
}

#[test]
fn then_what_stands_beside() {
    let beside = |bounds: &str, other: &str| {
        format!(
            "_@0,0,100,100 className=A\n x@40,40,60,60\n _@{bounds} ref=me className=A\n _@{other} className=A"
        )
    };
    let anchor = "{ on: { textRegex: x } }";
    check(
        &beside("40,60,60,80", "40,0,60,40"),
        &format!("{{ on: {{ classNameRegex: A }}, below: {anchor} }}"),
    );
    check(
        &beside("40,20,60,40", "40,60,60,80"),
        &format!("{{ on: {{ classNameRegex: A }}, above: {anchor} }}"),
    );
    check(
        &beside("60,40,80,60", "20,40,40,60"),
        &format!("{{ on: {{ classNameRegex: A }}, rightOf: {anchor} }}"),
    );
    check(
        &beside("20,40,40,60", "60,40,80,60"),
        &format!("{{ on: {{ classNameRegex: A }}, leftOf: {anchor} }}"),
    );
}

#[test]
fn an_index_is_last() {
    check(
        "_ className=R\n a className=A\n a ref=me className=A\n a className=A",
        "{ on: { textRegex: a }, index: 1 }",
    );
    check("_ \n _\n _ ref=me\n _", "{ index: 2 }");
    // A description beside a text is better.
    check(
        "_ className=R\n 5 className=A\n 5 ref=me className=A contentDescription=5+May",
        "on: { contentDescriptionRegex: 5 May }",
    );
}

#[test]
fn counts_are_widened_while_that_finds_the_node() {
    check("_ \n Inbox+(12) ref=me", r"on: { textRegex: '\QInbox\E\s*\(\d[\d.,]*\)' }");
    check("_ \n Cart+3 ref=me", r"on: { textRegex: '\QCart\E\s+\d[\d.,]*' }");
    check(
        "_ \n _ ref=me contentDescription=Cart+3",
        r"on: { contentDescriptionRegex: '\QCart\E\s+\d[\d.,]*' }",
    );
    check("_ \n 12 ref=me", "on: { textRegex: '12' }");
    check("_ className=R\n Page+1 className=A\n Page+2 ref=me className=A", "on: { textRegex: Page 2 }");
}

#[test]
fn quotes_go_where_the_text_alone_is_enough() {
    check("_ \n $5.00 ref=me", "on: { textRegex: $5.00 }");
    check("_ \n a.b ref=me", "on: { textRegex: a.b }");
    check("_ \n a.b ref=me\n axb", r"on: { textRegex: '\Qa.b\E' }");
    // What is no pattern stays quoted, since it would be warned about.
    check("_ \n a( ref=me", r"on: { textRegex: '\Qa(\E' }");
    check(r"_ \n a\Eb ref=me".replace(r"\n", "\n").as_str(), r"on: { textRegex: '\Qa\E\\E\Qb\E' }");
    check("_ \n _ ref=me className=a.B$C\n _ className=a.B", "on: { classNameRegex: a.B$C }");
}

#[test]
fn nothing_is_kept_that_is_not_needed() {
    // The box is found by its class alone, so its text can go; the node by its text.
    check(
        "_ className=R\n Box className=B resourceId=r\n  x ref=me className=A resourceId=i\n x className=A resourceId=i",
        "{ on: { resourceIdRegex: i }, childOf: { on: { resourceIdRegex: r } } }",
    );
    let screen = tree(Dialect::Native, "_ ref=me className=A");
    assert_eq!(
        selectors(&screen, me(&screen))[0].to_string(),
        r#"{"androidAccessibility":{"classNameRegex":"A"}}"#
    );
}

#[test]
fn older_trees_get_selectors_of_their_dialect() {
    let screen =
        tree(Dialect::Maestro, "_ \n Save ref=me className=A isPassword\n save className=B\n _ className=A");
    let made = selectors(&screen, me(&screen));
    let expected = r#"{"androidMaestro":{"textRegex":"Save","classNameRegex":"A"}}"#;
    assert_eq!(made[0].to_string(), expected);
    assert!(made.iter().all(|each| resolve(&screen, each) == [me(&screen)]));
}

#[test]
fn more_screens_rule_selectors_out() {
    let screen = tree(Dialect::Native, "_ \n Save ref=me className=A\n _ className=B");
    let other =
        tree(Dialect::Native, "_ \n Save className=B\n Save className=B\n _ className=A\n _ className=A");
    let alone = selectors(&screen, me(&screen));
    assert_eq!(alone[0].to_string(), r#"{"androidAccessibility":{"textRegex":"Save"}}"#);
    let with_other = selectors_on(&[&screen, &other], &screen, me(&screen));
    let expected = r#"{"androidAccessibility":{"textRegex":"Save","classNameRegex":"A"}}"#;
    assert_eq!(with_other[0].to_string(), expected);
    assert!(with_other.iter().all(|each| resolve(&other, each).len() <= 1 && alone.contains(each)));
    let crowded = tree(Dialect::Native, "_ \n Save className=A\n Save className=A\n _ className=A");
    let last = selectors_on(&[&crowded], &screen, me(&screen));
    assert_eq!(last[0].to_string(), r#"{"androidAccessibility":{"textRegex":"Save"},"index":0}"#);
}
