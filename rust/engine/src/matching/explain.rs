//! Why a native selector finds nothing: the nodes that come nearest, and what each of them fails.

use trailblaze_model::names;
use trailblaze_model::screen::{Flag, NodeRef, Screen};
use trailblaze_model::selector::{Block, Field, NodeSelector, Predicates};

use super::native;

/// So many nodes are named.
const SHOWN: usize = 3;

/// One line for people; none when the selector says nothing about the node itself.
pub fn explain(screen: &Screen, selector: &NodeSelector) -> Option<String> {
    let Block::Android(predicates) = &selector.block else {
        return match &selector.block {
            Block::Foreign { name, .. } => {
                Some(format!("'{name}' is for another kind of screen; this is an Android one"))
            }
            _ => None,
        };
    };
    let alone = NodeSelector { block: selector.block.clone(), ..NodeSelector::default() };
    let fitting = native::resolve(screen, &alone);
    if let Some(first) = fitting.first() {
        let node = screen.node(*first);
        let many =
            if fitting.len() == 1 { String::new() } else { format!(" and {} more", fitting.len() - 1) };
        let relations = relations_of(selector);
        return Some(format!("{}{many} would fit, but not {relations}", called(node)));
    }
    let mut near: Vec<(usize, NodeRef<'_>, Vec<String>)> = screen
        .nodes()
        .map(|node| {
            let failed = failed(node, predicates);
            (distance(node, predicates, &failed), node, failed)
        })
        .collect();
    near.sort_by_key(|(distance, ..)| *distance);
    let all = predicates.texts.len() + predicates.flags.len() + numbers(predicates);
    let shown: Vec<String> = near
        .into_iter()
        .filter(|(distance, _, failed)| failed.len() < all || *distance < FAR)
        .take(SHOWN)
        .map(|(_, node, failed)| {
            format!("{}{} fails {}", called(node), state(screen, node), failed.join(", "))
        })
        .collect();
    Some(if shown.is_empty() {
        "nothing on the screen comes near".to_owned()
    } else {
        format!("nearest: {}", shown.join("; "))
    })
}

/// A node this far away has nothing in common with what is looked for.
const FAR: usize = 1_000;

/// Nodes that fail fewer predicates are nearer; among equals those whose text is nearly the one meant.
fn distance(node: NodeRef<'_>, predicates: &Predicates, failed: &[String]) -> usize {
    let near_text = predicates.texts.iter().any(|(field, pattern)| {
        value(node, *field).is_some_and(|value| names::nearest(pattern.text(), [value]).is_some())
    });
    let base = failed.len() * 10;
    if near_text { base } else { base + FAR }
}

fn value(node: NodeRef<'_>, field: Field) -> Option<&str> {
    match field {
        Field::Resolved => node.resolved_text(),
        Field::Prop(prop) => node.get(prop),
    }
}

fn numbers(predicates: &Predicates) -> usize {
    let parts = [predicates.input_type, predicates.row, predicates.column];
    parts.iter().flatten().count() + usize::from(predicates.unique_id.is_some())
}

/// The predicates that do not hold, in the words of the selector.
fn failed(node: NodeRef<'_>, predicates: &Predicates) -> Vec<String> {
    let mut found = Vec::new();
    for (field, pattern) in &predicates.texts {
        let value = value(node, *field);
        if !value.is_some_and(|value| pattern.matches(value)) {
            let name = match field {
                Field::Resolved => "text",
                Field::Prop(prop) => prop.key(),
            };
            let is =
                value.map_or_else(|| "nothing".to_owned(), |value| format!("'{}'", super::shorten(value)));
            found.push(format!("{name} (it is {is})"));
        }
    }
    for (flag, on) in &predicates.flags {
        if node.has(*flag) != *on {
            found.push(format!("{}: {on}", flag.key()));
        }
    }
    let item = node.rare().item;
    let checks = [
        (
            "uniqueId",
            predicates.unique_id.is_some()
                && node.get(trailblaze_model::screen::Prop::UniqueId) != predicates.unique_id.as_deref(),
        ),
        ("inputType", predicates.input_type.is_some_and(|kind| kind != node.input_type())),
        ("collectionItemRowIndex", predicates.row.is_some_and(|row| item.is_none_or(|item| item.row != row))),
        (
            "collectionItemColumnIndex",
            predicates.column.is_some_and(|column| item.is_none_or(|item| item.column != column)),
        ),
    ];
    found.extend(checks.iter().filter(|(_, fails)| *fails).map(|(name, _)| (*name).to_owned()));
    found
}

fn relations_of(selector: &NodeSelector) -> String {
    let relations = [
        ("below what 'childOf' means", selector.child_of.is_some()),
        ("with the child that 'containsChild' means", selector.contains_child.is_some()),
        ("with what 'containsDescendants' means", !selector.contains_descendants.is_empty()),
        ("below the anchor", selector.below.is_some()),
        ("above the anchor", selector.above.is_some()),
        ("left of the anchor", selector.left_of.is_some()),
        ("right of the anchor", selector.right_of.is_some()),
        ("at that index", selector.index.is_some()),
    ];
    let set: Vec<&str> = relations.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
    names::list(&set)
}

fn called(node: NodeRef<'_>) -> String {
    match node.resolved_text().filter(|text| !text.trim().is_empty()).or_else(|| node.resource_id()) {
        Some(text) => format!("'{}'", super::shorten(text)),
        None => format!("node {}", node.device_id()),
    }
}

/// What keeps a node from being touched.
fn state(screen: &Screen, node: NodeRef<'_>) -> String {
    let off = node.bounds().is_none_or(|bounds| bounds.intersect(screen.bounds()).is_empty());
    let states = [
        ("off-screen", off),
        ("disabled", !node.has(Flag::Enabled)),
        ("not visible", !node.has(Flag::VisibleToUser)),
    ];
    let set: Vec<&str> = states.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
    if set.is_empty() { String::new() } else { format!(" ({})", set.join(", ")) }
}
