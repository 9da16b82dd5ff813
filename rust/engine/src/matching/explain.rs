//! Why a selector finds nothing: what comes nearest, what each of them fails, and what is there instead.

mod parts;

use trailblaze_model::names;
use trailblaze_model::order;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{Flag, NodeId, NodeRef, Prop, Screen, WindowKind};
use trailblaze_model::selector::{Block, Field, NodeSelector, Predicates, Selector};

use self::parts::{Kind, Part, maestro_parts, native_parts};
use super::native;
use crate::reach::{Reach, called, reach};

/// So many nodes are named.
const SHOWN: usize = 3;
/// So much of what is on the screen is listed.
const LISTED: usize = 8;

/// One line for people; none when the selector says nothing about a node.
pub fn explain(screen: &Screen, selector: &NodeSelector) -> Option<String> {
    if let Block::Foreign { name, .. } = &selector.block {
        return Some(format!("'{name}' is for another kind of screen; this is an Android one"));
    }
    let alone = NodeSelector { block: selector.block.clone(), ..NodeSelector::default() };
    let fitting = native::resolve(screen, &alone);
    let Some(first) = fitting.first().map(|id| screen.node(*id)) else {
        return match &selector.block {
            Block::Android(predicates) => Some(nearest(screen, predicates)),
            _ => None,
        };
    };
    let parts = native_parts(selector);
    let find = |selector: &NodeSelector| native::resolve(screen, selector);
    Some(would_fit(screen, &parts, find, find).unwrap_or_else(|| {
        let many = fitting.len() - 1;
        let many = if many == 0 { String::new() } else { format!(" and {many} more") };
        let names: Vec<String> = parts.iter().map(|part| format!("'{}'", part.name)).collect();
        format!("{}{}{many} would fit without {}", called(first), state(first), names::list(&names))
    }))
}

/// What fits a selector that lacks one of its parts, or which part nothing on the screen can fit.
fn would_fit<S>(
    screen: &Screen,
    parts: &[Part<S>],
    find: impl Fn(&S) -> Vec<NodeId>,
    find_inner: impl Fn(&S) -> Vec<NodeId>,
) -> Option<String> {
    let missing = |part: &&Part<S>| part.inner().is_some_and(|inner| find_inner(inner).is_empty());
    let mut misses = Vec::new();
    for part in parts {
        let found = find(&part.without);
        let Some(first) = found.first().map(|id| screen.node(*id)) else { continue };
        let name = format!("{}{}", called(first), state(first));
        misses.push(match (&part.kind, found.len()) {
            (Kind::Index, 1) => format!("only 1 fits: {name}"),
            (Kind::Index, many) => format!("only {many} fit, the first of them {name}"),
            _ if missing(&part) => format!("{name} would fit, but {}", part.is_missing()),
            _ => format!("{name} would fit without '{}'", part.name),
        });
    }
    if misses.is_empty() {
        misses = parts.iter().filter(missing).map(Part::is_missing).collect();
    }
    misses.truncate(SHOWN);
    (!misses.is_empty()).then(|| misses.join("; "))
}

/// What a person would look at when a selector of Maestro's finds nothing: what nearly fits, else what is there.
pub fn suggestion(screen: &Screen, selector: &Selector) -> Option<String> {
    near_miss(screen, selector).or_else(|| {
        let (pattern, there) = of_the_kind(screen, selector)?;
        if there.is_empty() {
            return Some("the screen shows nothing of the kind".to_owned());
        }
        if let Some(near) = names::nearest(pattern, there.iter().map(|(value, _)| *value)) {
            let node = there.iter().find(|(value, _)| *value == near).map(|(_, node)| *node);
            return Some(format!("did you mean '{near}'{}?", node.map(state).unwrap_or_default()));
        }
        Some(listed(&there))
    })
}

/// The texts or ids on the screen that come nearest to the one that a selector looks for, best first.
pub(super) fn candidates(screen: &Screen, selector: &Selector) -> Box<[String]> {
    let Some((pattern, there)) = of_the_kind(screen, selector) else { return Box::default() };
    let mut texts: Vec<&str> = there.iter().map(|(text, _)| *text).collect();
    // Those that are not near at all stay in the order of the screen.
    order::sort_by_key(&mut texts, |text| names::nearness(pattern, text).unwrap_or(usize::MAX));
    texts.into_iter().take(LISTED).map(super::shorten).collect()
}

/// What a selector looks for, and what on the screen is of the same kind.
fn of_the_kind<'a>(
    screen: &'a Screen,
    selector: &'a Selector,
) -> Option<(&'a str, Vec<(&'a str, NodeRef<'a>)>)> {
    let (pattern, props): (_, &[Prop]) = match (&selector.text, &selector.description, &selector.id) {
        (Some(text), _, _) => (text, &[Prop::Text, Prop::HintText, Prop::ContentDescription]),
        (None, Some(description), _) => (description, &[Prop::ContentDescription]),
        (None, None, Some(id)) => (id, &[Prop::ResourceId]),
        _ => return None,
    };
    let shown = super::shown(screen);
    let there = said(screen.nodes().filter(|node| shown[node.id().index()]), |node, add| {
        for value in props.iter().filter_map(|prop| node.get(*prop)) {
            add(if props == [Prop::ResourceId] { last_part(value) } else { value });
        }
    });
    Some((pattern.text(), there))
}

/// What would be found if one thing were other: something that cannot be seen, or that fails one part of the selector.
fn near_miss(screen: &Screen, selector: &Selector) -> Option<String> {
    let everything = vec![true; screen.len()];
    let anywhere = |selector: &Selector| super::find_among(screen, selector, &everything).unwrap_or_default();
    if let Some(first) = anywhere(selector).first() {
        let node = screen.node(*first);
        let state = state(node);
        let why = if state.is_empty() { " (hardly any of it on the screen)".to_owned() } else { state };
        return Some(format!("{} is there, but cannot be seen{why}", called(node)));
    }
    let seen = |selector: &Selector| super::try_find(screen, selector).unwrap_or_default();
    let parts = maestro_parts(selector);
    // What is out of sight is of use only when nothing in sight is.
    let visible = parts.iter().any(|part| !seen(&part.without).is_empty());
    if visible || parts.iter().all(|part| anywhere(&part.without).is_empty()) {
        return would_fit(screen, &parts, seen, seen);
    }
    would_fit(screen, &parts, anywhere, seen).map(|miss| format!("out of sight: {miss}"))
}

/// The nodes that fail the least; what is there when none comes near.
fn nearest(screen: &Screen, predicates: &Predicates) -> String {
    if predicates.dialect == Dialect::Native && screen.dialect() == Dialect::Maestro {
        return "the screen was saved in the older form; only 'androidMaestro' fits its elements".to_owned();
    }
    let all = predicates.texts.len() + predicates.flags.len() + numbers(predicates);
    // What says nothing at all is no candidate for something that is looked for by its text.
    let says = |node| {
        let mut texts = predicates.texts.iter();
        predicates.texts.is_empty() || texts.any(|(field, _)| value(node, *field).is_some())
    };
    let mut near: Vec<(Option<usize>, NodeRef<'_>, Vec<String>)> = screen
        .nodes()
        .map(|node| (distance(node, predicates), node, failed(node, predicates)))
        .filter(|(distance, node, failed)| distance.is_some() || (failed.len() < all && says(*node)))
        .collect();
    if near.iter().any(|(distance, ..)| distance.is_some()) {
        near.retain(|(distance, ..)| distance.is_some());
    }
    order::sort_by_key(&mut near, |(distance, _, failed)| (failed.len(), *distance));
    let shown: Vec<String> = near
        .into_iter()
        .take(SHOWN)
        .map(|(_, node, failed)| format!("{}{} fails {}", called(node), state(node), failed.join(", ")))
        .collect();
    if !shown.is_empty() {
        return format!("nearest: {}", shown.join("; "));
    }
    let visible = screen.nodes().filter(|node| node.has(Flag::VisibleToUser));
    let there = said(visible, |node, add| {
        predicates.texts.iter().filter_map(|(field, _)| value(node, *field)).for_each(add);
    });
    if there.is_empty() { "nothing on the screen comes near".to_owned() } else { listed(&there) }
}

/// What nodes say, each text once, with the first node that says it.
fn said<'a>(
    nodes: impl Iterator<Item = NodeRef<'a>>,
    texts: impl Fn(NodeRef<'a>, &mut dyn FnMut(&'a str)),
) -> Vec<(&'a str, NodeRef<'a>)> {
    let mut there: Vec<(&str, NodeRef<'_>)> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for node in nodes {
        texts(node, &mut |value| {
            if !value.trim().is_empty() && known.insert(value) {
                there.push((value, node));
            }
        });
    }
    there
}

/// `on the screen: 'a', 'b' and 3 more`
fn listed(there: &[(&str, NodeRef<'_>)]) -> String {
    let more = there.len().saturating_sub(LISTED);
    let listed: Vec<String> =
        there.iter().take(LISTED).map(|(text, _)| format!("'{}'", super::shorten(text))).collect();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("on the screen: {}{rest}", listed.join(", "))
}

fn last_part(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// How far what a node says is from what is meant; none when it says nothing like it.
fn distance(node: NodeRef<'_>, predicates: &Predicates) -> Option<usize> {
    let apart = predicates.texts.iter().filter_map(|(field, pattern)| {
        let value = value(node, *field)?;
        if pattern.matches(value) { Some(0) } else { names::nearness(pattern.text(), value) }
    });
    apart.min()
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
            predicates.unique_id.is_some() && node.get(Prop::UniqueId) != predicates.unique_id.as_deref(),
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

/// What keeps a node from being touched.
fn state(node: NodeRef<'_>) -> String {
    let mut states = Vec::new();
    match reach(node) {
        Reach::At(_) => {}
        Reach::Covered(by) => states.push(format!("covered by {by}")),
        Reach::OffScreen | Reach::Nowhere => states.push("off-screen".to_owned()),
    }
    // The bars of the system and the keyboard are windows above everything.
    let of_apps = [WindowKind::Application, WindowKind::Dialog];
    let mut above = node.screen().windows().iter().skip(node.window() + 1);
    if above.any(|window| of_apps.contains(&window.kind)) {
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
