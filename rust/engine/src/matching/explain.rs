//! Why a native selector finds nothing: the nodes that come nearest, and what each of them fails.

use trailblaze_model::names;
use trailblaze_model::screen::{Flag, NodeRef, Screen};
use trailblaze_model::selector::{Block, Field, NodeSelector, Predicates, Selector};

use super::native;
use crate::reach::{Reach, called, reach};

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

/// What would be found if one thing were other: something that cannot be seen, or that fails one part of the selector.
pub(super) fn near_miss(screen: &Screen, selector: &Selector) -> Option<String> {
    let everything = vec![true; screen.len()];
    let hidden = super::find_among(screen, selector, &everything).ok()?;
    if let Some(first) = hidden.first() {
        let node = screen.node(*first);
        let state = state(screen, node);
        let why = if state.is_empty() { " (hardly any of it on the screen)".to_owned() } else { state };
        return Some(format!("{} is there, but cannot be seen{why}", called(node)));
    }
    let mut misses = Vec::new();
    for (part, without) in without_one_part(selector) {
        let Some(first) = super::try_find(screen, &without).ok()?.first().copied() else { continue };
        let node = screen.node(first);
        misses.push(format!("{}{} would fit without '{part}'", called(node), state(screen, node)));
    }
    misses.truncate(SHOWN);
    (!misses.is_empty()).then(|| misses.join("; "))
}

/// The selector with one part less, each part in turn, as long as something is left that says what is meant.
fn without_one_part(selector: &Selector) -> Vec<(String, Selector)> {
    let mut found = Vec::new();
    let mut add = |is_set: bool, name: String, change: &dyn Fn(&mut Selector)| {
        let mut without = selector.clone();
        change(&mut without);
        if is_set && (without.text.is_some() || without.id.is_some() || without.description.is_some()) {
            found.push((name, without));
        }
    };
    let flag = |name: &str, value: Option<bool>| format!("{name}: {}", value.unwrap_or_default());
    add(selector.index.is_some(), format!("index: {}", selector.index.unwrap_or(0)), &|s| s.index = None);
    add(selector.enabled.is_some(), flag("enabled", selector.enabled), &|s| s.enabled = None);
    add(selector.selected.is_some(), flag("selected", selector.selected), &|s| s.selected = None);
    add(selector.checked.is_some(), flag("checked", selector.checked), &|s| s.checked = None);
    add(selector.focused.is_some(), flag("focused", selector.focused), &|s| s.focused = None);
    add(selector.width.is_some(), "width".to_owned(), &|s| s.width = None);
    add(selector.height.is_some(), "height".to_owned(), &|s| s.height = None);
    add(!selector.traits.is_empty(), "traits".to_owned(), &|s| s.traits.clear());
    add(selector.below.is_some(), "below".to_owned(), &|s| s.below = None);
    add(selector.above.is_some(), "above".to_owned(), &|s| s.above = None);
    add(selector.left_of.is_some(), "leftOf".to_owned(), &|s| s.left_of = None);
    add(selector.right_of.is_some(), "rightOf".to_owned(), &|s| s.right_of = None);
    add(selector.child_of.is_some(), "childOf".to_owned(), &|s| s.child_of = None);
    add(selector.contains_child.is_some(), "containsChild".to_owned(), &|s| s.contains_child = None);
    let inner = !selector.contains_descendants.is_empty();
    add(inner, "containsDescendants".to_owned(), &|s| s.contains_descendants.clear());
    add(selector.id.is_some(), "id".to_owned(), &|s| s.id = None);
    add(selector.text.is_some(), "text".to_owned(), &|s| s.text = None);
    add(selector.description.is_some(), "description".to_owned(), &|s| s.description = None);
    found
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

/// What keeps a node from being touched.
fn state(screen: &Screen, node: NodeRef<'_>) -> String {
    let mut states = Vec::new();
    match reach(node) {
        Reach::At(_) => {}
        Reach::Covered(by) => states.push(format!("covered by {by}")),
        Reach::OffScreen | Reach::Nowhere => states.push("off-screen".to_owned()),
    }
    if screen.windows().len() > 1 && node.window() + 1 < screen.windows().len() {
        states.push("in a lower window".to_owned());
    }
    if !node.has(Flag::Enabled) {
        states.push("disabled".to_owned());
    }
    if !node.has(Flag::VisibleToUser) {
        states.push("not visible".to_owned());
    }
    if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) }
}
