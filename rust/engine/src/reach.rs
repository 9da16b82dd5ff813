//! Where on the screen a finger can meet an element, and what lies in its way.

use trailblaze_model::order;
use trailblaze_model::screen::{Bounds, Flag, NodeRef, WindowKind};

/// What a finger finds of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The largest part that can be seen and that nothing covers.
    At(Bounds),
    /// Nothing of it is free; says what lies above it.
    Covered(String),
    /// It lies outside of the screen, or outside of what scrolls it.
    OffScreen,
    /// It says of no place where it is.
    Nowhere,
}

/// What covers this much of the screen is no part of a card.
const SCREENFUL: f64 = 0.8;

/// Where an element can be touched.
pub fn reach(node: NodeRef<'_>) -> Reach {
    if usable_bounds(node).is_none() {
        return Reach::Nowhere;
    }
    let Some(seen) = visible_part(node) else { return Reach::OffScreen };
    let mut free = vec![seen];
    for (cover, name) in windows_above(node) {
        free = without(free, cover);
        if free.is_empty() {
            return Reach::Covered(name);
        }
    }
    let best = largest(&free);
    // Inside of the same window a look at the middle is enough: a card may have small buttons of its own.
    let Some(first) = covering(node, best.center()) else { return Reach::At(best) };
    for cover in node.screen().nodes().filter(|other| covers(*other, node)) {
        free = without(free, cover.bounds().unwrap_or(NOTHING));
    }
    if free.is_empty() { Reach::Covered(called(first)) } else { Reach::At(largest(&free)) }
}

/// What lies above an element at a point.
pub fn covered_at(node: NodeRef<'_>, (x, y): (i32, i32)) -> Option<String> {
    let window = windows_above(node).into_iter().find(|(cover, _)| is_inside(*cover, (x, y)));
    window.map(|(_, name)| name).or_else(|| covering(node, (x, y)).map(called))
}

/// The part of an element that the screen and what scrolls it let through.
pub fn visible_part(node: NodeRef<'_>) -> Option<Bounds> {
    let seen = usable_bounds(node)?.intersect(view_of(node));
    (!seen.is_empty()).then_some(seen)
}

/// The part of the screen in which an element can be seen: what scrolls it cuts it off.
pub fn view_of(node: NodeRef<'_>) -> Bounds {
    let above = std::iter::successors(node.parent(), |node| node.parent());
    let scrollers = above.filter(|node| node.has(Flag::Scrollable)).filter_map(NodeRef::bounds);
    scrollers.fold(node.screen().bounds(), Bounds::intersect)
}

fn usable_bounds(node: NodeRef<'_>) -> Option<Bounds> {
    node.bounds().filter(|bounds| !bounds.is_empty())
}

const NOTHING: Bounds = Bounds::new(0, 0, 0, 0);

/// The places that windows above the one of an element take, with their names. A dialog takes all touches.
fn windows_above(node: NodeRef<'_>) -> Vec<(Bounds, String)> {
    let screen = node.screen();
    let above = screen.windows().iter().skip(node.window() + 1);
    above
        .filter(|window| window.kind != WindowKind::Toast)
        .map(|window| {
            let root = screen.node(window.root);
            let everywhere = window.kind == WindowKind::Dialog;
            let bounds = if everywhere { screen.bounds() } else { root.bounds().unwrap_or(NOTHING) };
            let name = match window.kind {
                WindowKind::Keyboard => "the keyboard".to_owned(),
                WindowKind::Dialog => format!("the dialog {}", called(title(root))),
                _ => format!("the window {}", called(title(root))),
            };
            (bounds, name)
        })
        .collect()
}

/// The first thing in a window that says something.
fn title(root: NodeRef<'_>) -> NodeRef<'_> {
    let says = |node: &NodeRef<'_>| node.resolved_text().is_some_and(|text| !text.trim().is_empty());
    std::iter::once(root).chain(root.descendants()).find(says).unwrap_or(root)
}

/// What takes a touch at a point instead of the element, in the same window.
fn covering<'a>(node: NodeRef<'a>, at: (i32, i32)) -> Option<NodeRef<'a>> {
    let hit = |other: &NodeRef<'a>| other.bounds().is_some_and(|bounds| is_inside(bounds, at));
    node.screen().nodes().rev().filter(hit).find(|other| covers(*other, node))
}

/// Whether `other` is drawn above `node` and takes touches.
fn covers<'a>(other: NodeRef<'a>, node: NodeRef<'a>) -> bool {
    let takes = [Flag::Clickable, Flag::LongClickable, Flag::Checkable, Flag::Editable];
    other.window() == node.window()
        && other.has(Flag::VisibleToUser)
        && takes.iter().any(|flag| other.has(*flag))
        && is_drawn_above(other, node)
        && !is_click_layer(other, node)
}

/// Whether two branches of one tree are drawn in this order; a node and what it is in are one branch.
fn is_drawn_above<'a>(upper: NodeRef<'a>, lower: NodeRef<'a>) -> bool {
    let Some((upper, lower)) = branches(upper, lower) else { return false };
    let (a, b) = (upper.drawing_order(), lower.drawing_order());
    if a > 0 && b > 0 && a != b { a > b } else { upper.id() > lower.id() }
}

/// The two children of the nearest node above both in which they stand; none when one is in the other.
fn branches<'a>(one: NodeRef<'a>, other: NodeRef<'a>) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
    let within =
        |outer: NodeRef<'a>, inner: NodeRef<'a>| outer.id() == inner.id() || outer.is_ancestor_of(inner);
    if within(one, other) || within(other, one) {
        return None;
    }
    let top = |mut node: NodeRef<'a>, other: NodeRef<'a>| {
        while let Some(parent) = node.parent().filter(|parent| !parent.is_ancestor_of(other)) {
            node = parent;
        }
        node
    };
    Some((top(one, other), top(other, one)))
}

/// A layer that fills a card and takes its clicks is how the card is clicked.
fn is_click_layer<'a>(layer: NodeRef<'a>, node: NodeRef<'a>) -> bool {
    let screen = layer.screen().bounds();
    layer.parent().is_some_and(|card| {
        let fills = card.bounds().is_some() && card.bounds() == layer.bounds();
        let small = card.bounds().is_some_and(|card| (card.area() as f64) < SCREENFUL * screen.area() as f64);
        fills && small && card.is_ancestor_of(node)
    })
}

fn is_inside(bounds: Bounds, (x, y): (i32, i32)) -> bool {
    bounds.left <= x && x < bounds.right && bounds.top <= y && y < bounds.bottom
}

/// The largest rectangles that are left of others when one is cut out.
fn without(parts: Vec<Bounds>, cut: Bounds) -> Vec<Bounds> {
    let mut left = Vec::new();
    for part in parts {
        if part.intersect(cut).is_empty() {
            left.push(part);
            continue;
        }
        let sides = [
            Bounds { bottom: part.bottom.min(cut.top), ..part },
            Bounds { top: part.top.max(cut.bottom), ..part },
            Bounds { right: part.right.min(cut.left), ..part },
            Bounds { left: part.left.max(cut.right), ..part },
        ];
        left.extend(sides.into_iter().filter(|side| !side.is_empty()));
    }
    // Only the large ones can win; without a bound a screen full of buttons would make very many.
    order::sort_by_key(&mut left, |part| std::cmp::Reverse(part.area()));
    left.truncate(16);
    left
}

/// The first of the largest ones.
fn largest(parts: &[Bounds]) -> Bounds {
    let mut best = NOTHING;
    for part in parts {
        if part.area() > best.area() {
            best = *part;
        }
    }
    best
}

/// What a person calls a node.
pub(crate) fn called(node: NodeRef<'_>) -> String {
    match node.resolved_text().filter(|text| !text.trim().is_empty()).or_else(|| node.resource_id()) {
        Some(text) => format!("'{}'", crate::matching::shorten(text)),
        None => match node.get(trailblaze_model::screen::Prop::ClassName) {
            Some(class) => {
                let short = class.rsplit('.').next().unwrap_or(class);
                let article = if short.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
                format!("{article} {short}")
            }
            None => "something without a name".to_owned(),
        },
    }
}
