//! Selectors for a node: from the most stable to the least, each of them finding exactly this node.

mod minimal;
mod own;
mod text;

use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{NodeId, NodeRef, Screen};
use trailblaze_model::selector::{NodeSelector, Predicates};

use self::own::{late_candidates, own_candidates, own_match};
use super::native::resolve;

/// How far up an ancestor is looked for, and how far down a descendant.
const LEVELS_UP: usize = 5;
const LEVELS_DOWN: usize = 3;
/// So many siblings are tried.
const MAX_SIBLINGS: usize = 32;

/// The selectors that find only this node, the best first. There is always at least one.
pub fn selectors(screen: &Screen, id: NodeId) -> Vec<NodeSelector> {
    selectors_on(&[], screen, id)
}

/// As [`selectors`], but only those that find at most one node on every other screen too.
pub fn selectors_on(screens: &[&Screen], screen: &Screen, id: NodeId) -> Vec<NodeSelector> {
    let goal = Goal { screen, others: screens };
    let node = screen.node(id);
    let mut found: Vec<NodeSelector> = Vec::new();
    let mut add = |candidate: NodeSelector| {
        if !found.contains(&candidate) && goal.is_met(&candidate, id) {
            found.push(candidate);
        }
    };
    own_candidates(node).map(NodeSelector::of).for_each(&mut add);
    add_related(&goal, node, &mut add);
    late_candidates(node).map(NodeSelector::of).for_each(&mut add);
    add(by_index(screen, node));
    if let Some(first) = found.first().cloned() {
        let best = minimal::minimal(&goal, id, first);
        found[0] = best.clone();
        let mut is_first = true;
        found.retain(|other| *other != best || std::mem::take(&mut is_first));
    }
    found
}

/// What a selector must do: find one node here, and not several anywhere else.
struct Goal<'a> {
    screen: &'a Screen,
    others: &'a [&'a Screen],
}

impl Goal<'_> {
    fn is_met(&self, selector: &NodeSelector, id: NodeId) -> bool {
        resolve(self.screen, selector) == [id]
            && self.others.iter().all(|other| resolve(other, selector).len() <= 1)
    }

    /// The first of a node's own candidates that finds only it.
    fn find_own(&self, node: NodeRef<'_>) -> Option<NodeSelector> {
        own_candidates(node).map(NodeSelector::of).find(|candidate| self.is_met(candidate, node.id()))
    }
}

fn selector_of(predicates: Predicates) -> NodeSelector {
    if predicates.is_empty() { NodeSelector::default() } else { NodeSelector::of(predicates) }
}

/// What stands around the node and can be found.
fn add_related(goal: &Goal<'_>, node: NodeRef<'_>, add: &mut impl FnMut(NodeSelector)) {
    let own = || selector_of(own_match(node));
    let mut above = std::iter::successors(node.parent(), |above| above.parent()).take(LEVELS_UP);
    if let Some(ancestor) = above.find_map(|ancestor| goal.find_own(ancestor)) {
        add(NodeSelector { child_of: Some(Box::new(ancestor)), ..own() });
    }
    let mut level: Vec<NodeRef<'_>> = node.children().collect();
    for depth in 1..=LEVELS_DOWN {
        if let Some(below) = level.iter().find_map(|below| goal.find_own(*below)) {
            add(match depth {
                1 => NodeSelector { contains_child: Some(Box::new(below)), ..own() },
                _ => NodeSelector { contains_descendants: vec![below], ..own() },
            });
            break;
        }
        level = level.iter().flat_map(|node| node.children()).collect();
    }
    let mut in_grid = own_match(node);
    if let Some(item) = node.rare().item.filter(|_| in_grid.dialect == Dialect::Native) {
        (in_grid.row, in_grid.column) = (Some(item.row), Some(item.column));
        add(NodeSelector::of(in_grid));
    }
    if let Some(beside) = beside_sibling(goal, node) {
        add(beside);
    }
}

/// Where the node stands next to a sibling that can be found.
fn beside_sibling(goal: &Goal<'_>, node: NodeRef<'_>) -> Option<NodeSelector> {
    let bounds = node.bounds()?;
    let siblings = node.parent()?.children().filter(|sibling| sibling.id() != node.id()).take(MAX_SIBLINGS);
    siblings.into_iter().find_map(|sibling| {
        let other = sibling.bounds()?;
        let own = selector_of(own_match(node));
        let beside = |anchor: NodeSelector| {
            let anchor = Some(Box::new(anchor));
            if bounds.top >= other.bottom {
                Some(NodeSelector { below: anchor, ..own })
            } else if bounds.bottom <= other.top {
                Some(NodeSelector { above: anchor, ..own })
            } else if bounds.left >= other.right {
                Some(NodeSelector { right_of: anchor, ..own })
            } else if bounds.right <= other.left {
                Some(NodeSelector { left_of: anchor, ..own })
            } else {
                None
            }
        };
        goal.find_own(sibling).and_then(beside).filter(|candidate| goal.is_met(candidate, node.id()))
    })
}

/// The last resort, which always works.
fn by_index(screen: &Screen, node: NodeRef<'_>) -> NodeSelector {
    let own = selector_of(own_match(node));
    let position = resolve(screen, &own).iter().position(|id| *id == node.id()).unwrap_or(0);
    NodeSelector { index: Some(position as i64), ..own }
}
