//! When a selector fits several elements: which they are, why the first is taken, and what would mean only that one.

use trailblaze_model::order;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::screen::{Flag, NodeId, NodeRef, Screen};
use trailblaze_model::selector::{NodeSelector, Selector};

use super::{generate, is_aside, position, try_find};
use crate::reach::called;

/// So many of the others are named.
const SHOWN: usize = 3;

/// `'Dup' (dup) at 280,390`
pub fn described(node: NodeRef<'_>) -> String {
    let mut text = called(node);
    let id = node.resource_id().filter(|_| node.resolved_text().is_some_and(|text| !text.trim().is_empty()));
    if let Some(id) = id {
        text += &format!(" ({})", last_part(id));
    }
    if let Some(bounds) = node.bounds() {
        let seen = bounds.intersect(node.screen().bounds());
        let (x, y) = if seen.is_empty() { bounds.center() } else { seen.center() };
        text += &format!(" at {x},{y}");
    }
    text
}

/// Several of them in one line.
pub fn list(screen: &Screen, ids: &[NodeId]) -> String {
    let named: Vec<String> = ids.iter().take(SHOWN).map(|id| described(screen.node(*id))).collect();
    let more = ids.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", named.join(", "))
}

/// Why the first comes before the next one, in Maestro's order.
pub(super) fn maestro_reason(first: NodeRef<'_>, next: NodeRef<'_>) -> &'static str {
    if is_aside(first) != is_aside(next) {
        "before toasts and keys"
    } else if first.window() != next.window() {
        "the only one in the topmost window"
    } else if first.has(Flag::Clickable) != next.has(Flag::Clickable) {
        "the only one that can be clicked"
    } else {
        "the first in the tree"
    }
}

/// Why the first comes before the next one, in the native order.
pub(super) fn native_reason(first: NodeRef<'_>, next: NodeRef<'_>) -> &'static str {
    if first.has(Flag::VisibleToUser) != next.has(Flag::VisibleToUser) {
        "the only one that can be seen"
    } else {
        "the first from the top left"
    }
}

/// What to add to a selector of Maestro's so that it means only this one.
pub(super) fn maestro_way(screen: &Screen, selector: &Selector, id: NodeId) -> Option<String> {
    let node = screen.node(id);
    let means_it = |selector: &Selector| try_find(screen, selector).is_ok_and(|found| found == [id]);
    if let (None, Some(own)) = (&selector.id, node.resource_id().map(last_part)) {
        let with = Selector { id: Some(Pattern::new(own, Dialect::Maestro)), ..selector.clone() };
        if means_it(&with) {
            return Some(format!("id: {own}"));
        }
    }
    if let (None, Some(own)) = (&selector.text, node.resolved_text().filter(|text| !text.contains('\n'))) {
        let with = Selector { text: Some(Pattern::new(own, Dialect::Maestro)), ..selector.clone() };
        if means_it(&with) {
            return Some(format!("text: {own}"));
        }
    }
    let mut found = try_find(screen, selector).ok()?;
    order::sort(&mut found);
    order::sort_by_key(&mut found, |id| position(screen.node(*id)));
    let index = found.iter().position(|other| *other == id)?;
    Some(format!("index: {index}"))
}

/// A selector that means only this one.
pub(super) fn native_way(screen: &Screen, id: NodeId) -> Option<String> {
    generate::selectors(screen, id).first().map(NodeSelector::to_string)
}

fn last_part(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}
