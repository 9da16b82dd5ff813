//! Leaves out of a selector what is not needed to find the node.

use trailblaze_model::order;
use trailblaze_model::pattern::Pattern;
use trailblaze_model::screen::{NodeId, Prop};
use trailblaze_model::selector::{Block, Field, NodeSelector, Predicates};

use super::{Goal, text};

/// Drops parts as long as the node is still found, the least stable ones first, and then quotes.
pub(super) fn minimal(goal: &Goal<'_>, id: NodeId, selector: NodeSelector) -> NodeSelector {
    let selector = reduce(goal, id, selector, smaller);
    reduce(goal, id, selector, plainer)
}

fn reduce(
    goal: &Goal<'_>,
    id: NodeId,
    mut selector: NodeSelector,
    variants: fn(&NodeSelector) -> Vec<NodeSelector>,
) -> NodeSelector {
    while let Some(better) = variants(&selector).into_iter().find(|candidate| goal.is_met(candidate, id)) {
        selector = better;
    }
    selector
}

/// The selector with one part less, in every way that leaves something to go by.
fn smaller(selector: &NodeSelector) -> Vec<NodeSelector> {
    let drops: [fn(&mut NodeSelector); 8] = [
        |s| s.index = None,
        |s| s.above = None,
        |s| s.below = None,
        |s| s.left_of = None,
        |s| s.right_of = None,
        |s| s.contains_child = None,
        |s| s.contains_descendants.clear(),
        |s| s.child_of = None,
    ];
    let mut found = Vec::new();
    for drop in drops {
        let mut candidate = selector.clone();
        drop(&mut candidate);
        if candidate != *selector && candidate != NodeSelector::default() {
            found.push(candidate);
        }
    }
    if let Block::Android(predicates) = &selector.block {
        let fewer = fewer(predicates).into_iter().filter(|fewer| !fewer.is_empty());
        found.extend(fewer.map(|fewer| NodeSelector { block: Block::Android(fewer), ..selector.clone() }));
    }
    found.extend(inside(selector, smaller));
    found
}

/// The predicates with one of them less, the least stable one first.
fn fewer(predicates: &Predicates) -> Vec<Predicates> {
    let mut found = Vec::new();
    for index in 0..predicates.flags.len() {
        let mut fewer = predicates.clone();
        fewer.flags.remove(index);
        found.push(fewer);
    }
    let numbers: [fn(&mut Predicates) -> &mut Option<i32>; 3] =
        [|p| &mut p.input_type, |p| &mut p.row, |p| &mut p.column];
    for number in numbers {
        let mut fewer = predicates.clone();
        if number(&mut fewer).take().is_some() {
            found.push(fewer);
        }
    }
    let mut order: Vec<usize> = (0..predicates.texts.len()).collect();
    order::sort_by_key(&mut order, |index| stability(predicates.texts[*index].0));
    for index in order {
        let mut fewer = predicates.clone();
        fewer.texts.remove(index);
        found.push(fewer);
    }
    if predicates.unique_id.is_some() {
        found.push(Predicates { unique_id: None, ..predicates.clone() });
    }
    found
}

fn stability(field: Field) -> u8 {
    match field {
        Field::Prop(Prop::PaneTitle | Prop::RoleDescription | Prop::StateDescription) => 0,
        Field::Prop(Prop::ClassName) => 1,
        Field::Prop(Prop::LabeledByText | Prop::HintText | Prop::ContentDescription) => 2,
        Field::Resolved => 3,
        Field::Prop(_) => 4,
    }
}

/// The selector with one text without its quotes, where that is a pattern too.
fn plainer(selector: &NodeSelector) -> Vec<NodeSelector> {
    let mut found = Vec::new();
    if let Block::Android(predicates) = &selector.block {
        for (index, (_, pattern)) in predicates.texts.iter().enumerate() {
            let plain = text::unquoted(pattern.text()).map(|plain| Pattern::new(plain, predicates.dialect));
            if let Some(plain) = plain.filter(|plain| plain.error().is_none()) {
                let mut plainer = predicates.clone();
                plainer.texts[index].1 = plain;
                found.push(NodeSelector { block: Block::Android(plainer), ..selector.clone() });
            }
        }
    }
    found.extend(inside(selector, plainer));
    found
}

/// The place of one selector in another.
type Relation = fn(&mut NodeSelector) -> &mut Option<Box<NodeSelector>>;

/// The selector with one of the selectors in it changed.
fn inside(selector: &NodeSelector, variants: fn(&NodeSelector) -> Vec<NodeSelector>) -> Vec<NodeSelector> {
    let relations: [Relation; 6] = [
        |s| &mut s.above,
        |s| &mut s.below,
        |s| &mut s.left_of,
        |s| &mut s.right_of,
        |s| &mut s.contains_child,
        |s| &mut s.child_of,
    ];
    let mut found = Vec::new();
    for relation in relations {
        let mut changed = selector.clone();
        let Some(inner) = relation(&mut changed).take() else { continue };
        for variant in variants(&inner) {
            let mut candidate = selector.clone();
            *relation(&mut candidate) = Some(Box::new(variant));
            found.push(candidate);
        }
    }
    for (index, inner) in selector.contains_descendants.iter().enumerate() {
        for variant in variants(inner) {
            let mut candidate = selector.clone();
            candidate.contains_descendants[index] = variant;
            found.push(candidate);
        }
    }
    found
}
