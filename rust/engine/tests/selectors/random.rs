//! Random screens: every selector that is made for a node finds it and nothing else.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use trailblaze_engine::matching::generate::selectors;
use trailblaze_engine::matching::native::{resolve, try_resolve_for_tool};
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{Bounds, CollectionItem, Flag, NodeSpec, Prop, Screen, ScreenBuilder};
use trailblaze_model::selector::NodeSelector;

/// Few values, so that nodes are hard to tell apart, and some that are hard to write as a pattern.
fn spec() -> impl Strategy<Value = NodeSpec> {
    let texts = vec![
        "Save",
        "save",
        "",
        " ",
        "a.b",
        "axb",
        "Cart 3",
        "Cart 4",
        "Inbox (12)",
        "x\\E(",
        "\\Qx",
        "$5.00",
        "a\nb 2",
        "\u{a0} 7",
        "K",
        "\u{212a}",
        "(",
        "(?=a)b",
    ];
    let props = prop::collection::vec((0..Prop::ALL.len(), prop::sample::select(texts)), 0..4);
    let flags = prop::collection::vec((0..Flag::ALL.len(), any::<bool>()), 0..3);
    let bounds = prop::option::weighted(0.8, [0..4i32, 0..4, 0..4, 0..4]);
    let cell = prop::option::weighted(0.2, (0..2, 0..2));
    (props, flags, bounds, cell, 0..2).prop_map(|(props, flags, bounds, cell, input_type)| {
        let bounds = bounds.map(|[left, top, right, bottom]| Bounds::new(left, top, right, bottom));
        let mut spec = NodeSpec { bounds, input_type, ..NodeSpec::default() };
        props.into_iter().for_each(|(prop, text)| spec.props[prop] = Some(text.to_owned()));
        flags.into_iter().for_each(|(flag, on)| spec.flags.set(Flag::ALL[flag], on));
        spec.rare.item =
            cell.map(|(row, column)| CollectionItem { row, column, ..CollectionItem::default() });
        spec
    })
}

fn screen() -> impl Strategy<Value = Screen> {
    let dialect = prop::sample::select(vec![Dialect::Native, Dialect::Maestro]);
    (dialect, prop::collection::vec((0..4usize, spec()), 1..14)).prop_map(|(dialect, nodes)| {
        let mut builder = ScreenBuilder::new(100, 100, 0).dialect(dialect);
        for (up, spec) in nodes {
            (0..up).for_each(|_| builder.close());
            builder.open(spec).expect("few nodes");
        }
        builder.finish()
    })
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn every_selector_made_for_a_node_finds_it_alone() {
    let result = runner(200).run(&screen(), |screen| {
        for node in screen.nodes() {
            let made = selectors(&screen, node.id());
            prop_assert!(!made.is_empty(), "{:?}", node);
            for selector in made {
                prop_assert_eq!(resolve(&screen, &selector), [node.id()], "{}", selector);
                prop_assert_eq!(NodeSelector::read(&selector.to_value()).expect("it reads"), selector);
            }
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn the_filtered_tree_finds_nothing_that_the_whole_one_has_not() {
    let result = runner(200).run(&screen(), |screen| {
        let all = NodeSelector::default();
        let (filtered, whole) = (try_resolve_for_tool(&screen, &all).unwrap(), resolve(&screen, &all));
        prop_assert!(filtered.iter().all(|id| whole.contains(id)) && whole.len() == screen.len());
        prop_assert!(screen.windows().iter().all(|window| filtered.contains(&window.root)));
        Ok(())
    });
    result.unwrap();
}
