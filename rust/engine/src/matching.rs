//! Which nodes of a screen a selector means.

mod explain;
pub mod generate;
mod maestro;
pub mod native;
pub mod refs;
pub mod which;

pub use explain::{explain, suggestion};

use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::order;
use trailblaze_model::pattern::OverBudget;
use trailblaze_model::screen::{Bounds, Flag, NodeId, NodeRef, Screen, WindowKind};
use trailblaze_model::selector::{NodeSelector, Selector};

/// Something that means elements of a screen, in one of the dialects.
pub trait Means: std::fmt::Display {
    /// The nodes that are meant, the best first. A pattern that takes too long is a failure: nobody knows then
    /// whether something is there.
    fn find(&self, screen: &Screen) -> Result<Vec<NodeId>, Failure>;

    /// The nodes that are meant and that can be scrolled to or clicked all the same, when none can be seen.
    fn find_anywhere(&self, screen: &Screen) -> Result<Vec<NodeId>, Failure>;

    /// What a person would look at when nothing was found.
    fn suggestion(&self, screen: &Screen) -> Option<String>;

    /// What comes nearest, best first.
    fn candidates(&self, _screen: &Screen) -> Box<[String]> {
        Box::default()
    }

    /// Says itself which one of several it means.
    fn has_index(&self) -> bool;

    /// Why of two that are meant this one comes before that one.
    fn reason(&self, first: NodeRef<'_>, next: NodeRef<'_>) -> &'static str;

    /// What would mean only this one of several.
    fn precise(&self, screen: &Screen, id: NodeId) -> Option<String>;
}

impl Means for Selector {
    fn find(&self, screen: &Screen) -> Result<Vec<NodeId>, Failure> {
        try_find(screen, self).map_err(too_slow)
    }

    fn find_anywhere(&self, screen: &Screen) -> Result<Vec<NodeId>, Failure> {
        let everything = vec![true; screen.len()];
        let found = find_among(screen, self, &everything).map_err(too_slow)?;
        let usable =
            |id: &NodeId| can_be_scrolled_to(screen.node(*id)) || can_only_be_clicked(screen.node(*id));
        Ok(found.into_iter().filter(usable).collect())
    }

    fn suggestion(&self, screen: &Screen) -> Option<String> {
        suggestion(screen, self)
    }

    fn candidates(&self, screen: &Screen) -> Box<[String]> {
        explain::candidates(screen, self)
    }

    fn has_index(&self) -> bool {
        self.index.is_some()
    }

    fn reason(&self, first: NodeRef<'_>, next: NodeRef<'_>) -> &'static str {
        which::maestro_reason(first, next)
    }

    fn precise(&self, screen: &Screen, id: NodeId) -> Option<String> {
        which::maestro_way(screen, self, id)
    }
}

impl Means for NodeSelector {
    /// What the user can see comes first.
    fn find(&self, screen: &Screen) -> Result<Vec<NodeId>, Failure> {
        let mut found = native::try_resolve_for_tool(screen, self).map_err(too_slow)?;
        order::sort_by_key(&mut found, |id| !screen.node(*id).has(Flag::VisibleToUser));
        Ok(found)
    }

    /// The native dialect means what is in the tree, seen or not.
    fn find_anywhere(&self, _screen: &Screen) -> Result<Vec<NodeId>, Failure> {
        Ok(Vec::new())
    }

    fn suggestion(&self, screen: &Screen) -> Option<String> {
        explain(screen, self)
    }

    fn has_index(&self) -> bool {
        self.index.is_some()
    }

    fn reason(&self, first: NodeRef<'_>, next: NodeRef<'_>) -> &'static str {
        which::native_reason(first, next)
    }

    fn precise(&self, screen: &Screen, id: NodeId) -> Option<String> {
        which::native_way(screen, id)
    }
}

/// What a command fails with when a pattern ran out of steps.
pub fn too_slow(error: OverBudget) -> Failure {
    let message = format!("the pattern '{}' takes too long on this screen", error.pattern);
    let hint = "make it simpler: without look-around, back-references or repetitions inside of repetitions";
    Failure::new(FailureKind::InvalidArguments, message).hint(hint)
}

/// The nodes that fit, best first: the topmost window that an app made, then what can be clicked, then
/// tree order. With an index only that one, counted from the top and the left.
pub fn try_find(screen: &Screen, selector: &Selector) -> Result<Vec<NodeId>, OverBudget> {
    find_among(screen, selector, &shown(screen))
}

/// Whether something around a node can bring it to where it is seen.
fn can_be_scrolled_to(node: NodeRef<'_>) -> bool {
    std::iter::successors(node.parent(), |node| node.parent()).any(|node| node.has(Flag::Scrollable))
}

/// Whether a node has no place, but it or something around it takes a click.
fn can_only_be_clicked(node: NodeRef<'_>) -> bool {
    let mut around = std::iter::successors(Some(node), |node| node.parent());
    node.bounds().is_none_or(Bounds::is_empty) && around.any(|node| node.has(Flag::Clickable))
}

fn find_among(screen: &Screen, selector: &Selector, among: &[bool]) -> Result<Vec<NodeId>, OverBudget> {
    let fits = maestro::marks(screen, among, selector)?;
    let mut found: Vec<NodeRef<'_>> = screen.nodes().filter(|node| fits[node.id().index()]).collect();
    match selector.index {
        None => order::sort_by_key(&mut found, |node| {
            (is_aside(*node), std::cmp::Reverse(node.window()), !node.has(Flag::Clickable))
        }),
        Some(index) => {
            order::sort_by_key(&mut found, |node| position(*node));
            let at = if index < 0 { index + found.len() as i64 } else { index };
            let one = usize::try_from(at).ok().and_then(|at| found.get(at).copied());
            found = one.into_iter().collect();
        }
    }
    Ok(found.into_iter().map(NodeRef::id).collect())
}

/// From the top and the left.
fn position(node: NodeRef<'_>) -> (i32, i32) {
    node.bounds().map_or((0, 0), |bounds| (bounds.top, bounds.left))
}

/// A toast takes no touches, and a key of the keyboard is rarely what is meant.
fn is_aside(node: NodeRef<'_>) -> bool {
    let kind = node.screen().windows().get(node.window()).map(|window| window.kind);
    matches!(kind, Some(WindowKind::Toast | WindowKind::Keyboard))
}

/// A node counts as shown when a tenth of it is on the screen, or something in it is.
fn shown(screen: &Screen) -> Vec<bool> {
    let mut shown = vec![false; screen.len()];
    for node in screen.nodes().rev() {
        let own =
            node.has(Flag::VisibleToUser) && node.bounds().is_some_and(|b| share(b, screen.bounds()) >= 0.1);
        let index = node.id().index();
        shown[index] = shown[index] || own;
        if shown[index]
            && let Some(parent) = node.parent()
        {
            shown[parent.id().index()] = true;
        }
    }
    // What has no place cannot be seen itself, whatever is in it.
    for node in screen.nodes().filter(|node| node.bounds().is_none()) {
        shown[node.id().index()] = false;
    }
    shown
}

/// How much of a rectangle lies inside another, from 0 to 1. A line counts as whole when it touches.
pub fn share(bounds: Bounds, within: Bounds) -> f64 {
    let inside = bounds.intersect(within);
    if bounds.is_empty() {
        let touches = inside.width() >= 0 && inside.height() >= 0;
        return f64::from(u8::from(touches && (bounds.width() > 0 || bounds.height() > 0)));
    }
    inside.area() as f64 / bounds.area() as f64
}

/// How much of an element can be seen; all of it when it covers the screen.
pub fn visible_share(bounds: Bounds, screen: Bounds) -> f64 {
    if bounds.intersect(screen) == screen { 1.0 } else { share(bounds, screen) }
}

pub(crate) fn shorten(text: &str) -> String {
    let line = text.replace('\n', " ");
    if line.chars().count() <= 40 { line } else { line.chars().take(39).chain(['…']).collect() }
}

/// The field that text goes into.
pub fn focused_field(screen: &Screen) -> Option<NodeRef<'_>> {
    let mut focused: Vec<NodeRef<'_>> = screen.nodes().filter(|node| node.has(Flag::Focused)).collect();
    order::sort_by_key(&mut focused, |node| !node.has(Flag::Editable));
    focused.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trailblaze_model::screen::{NodeSpec, Prop, ScreenBuilder};

    /// `text@l,t,r,b flags`, indented by depth; `window` starts another one.
    fn screen(lines: &[&str]) -> Screen {
        let mut builder = ScreenBuilder::new(100, 100, 0);
        let mut depth = 0;
        for line in lines {
            let window = match *line {
                "window" => Some(WindowKind::Dialog),
                "toast" => Some(WindowKind::Toast),
                "keyboard" => Some(WindowKind::Keyboard),
                _ => None,
            };
            if let Some(kind) = window {
                while depth > 0 {
                    builder.close();
                    depth -= 1;
                }
                builder.window(kind);
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            while depth > indent {
                builder.close();
                depth -= 1;
            }
            let mut words = line.trim().split(' ');
            let (text, bounds) = words.next().unwrap().split_once('@').unwrap();
            let b: Vec<i32> = bounds.split(',').map(|n| n.parse().unwrap()).collect();
            let mut spec =
                NodeSpec { bounds: Some(Bounds::new(b[0], b[1], b[2], b[3])), ..NodeSpec::default() };
            for word in words {
                match word.split_once('=') {
                    Some(("id", id)) => spec = spec.with(Prop::ResourceId, id),
                    Some(("desc", desc)) => spec = spec.with(Prop::ContentDescription, desc),
                    _ => spec.flags.set(Flag::ALL.into_iter().find(|f| f.key() == word).unwrap(), true),
                }
            }
            if !text.is_empty() {
                spec = spec.with(Prop::Text, text);
            }
            builder.open(spec).unwrap();
            depth += 1;
        }
        builder.finish()
    }

    #[track_caller]
    fn check(lines: &[&str], selector: Selector, expected: &[usize]) {
        let screen = screen(lines);
        let found: Vec<usize> =
            try_find(&screen, &selector).unwrap().into_iter().map(NodeId::index).collect();
        assert_eq!(found, expected, "{selector}");
    }

    #[test]
    fn the_deepest_match_wins_and_what_can_be_clicked_comes_first() {
        let tree = ["Save@0,0,100,100", " Save@0,0,10,10", " Save@0,20,10,30 isClickable"];
        check(&tree, Selector::text("save"), &[2, 1]);
        check(&tree, Selector { index: Some(0), ..Selector::text("save") }, &[1]);
        check(&tree, Selector { index: Some(-1), ..Selector::text("save") }, &[2]);
        check(&tree, Selector { index: Some(2), ..Selector::text("save") }, &[]);
    }

    #[test]
    fn ids_match_whole_or_by_their_last_part() {
        let tree = ["@0,0,10,10 id=com.a:id/ok", "@0,0,10,10 id=ok"];
        check(&tree[..1], Selector::id("ok"), &[0]);
        check(&tree[..1], Selector::id("com.a:id/ok"), &[0]);
        check(&tree[..1], Selector::id("o"), &[]);
    }

    #[test]
    fn a_description_counts_as_text_but_not_the_other_way_round() {
        let tree = ["x@0,0,10,10 desc=menu"];
        check(&tree, Selector::text("menu"), &[0]);
        check(&tree, Selector::description("menu"), &[0]);
        check(&tree, Selector::description("x"), &[]);
    }

    #[test]
    fn what_is_off_the_screen_is_not_found() {
        check(&["gone@0,200,10,300"], Selector::text("gone"), &[]);
        check(&["edge@0,91,10,191"], Selector::text("edge"), &[]);
        check(&["edge@0,90,10,190"], Selector::text("edge"), &[0]);
        check(&["box@0,200,10,300", " in@0,0,10,10"], Selector::text("box"), &[0]);
    }

    #[test]
    fn the_topmost_window_comes_first() {
        let tree = ["OK@0,0,10,10 isClickable", "window", "OK@20,20,30,30"];
        check(&tree, Selector::text("ok"), &[1, 0]);
    }

    #[test]
    fn toasts_and_keys_come_after_what_an_app_shows() {
        let tree = ["Search@0,0,10,10", "keyboard", "Search@0,80,10,90", "toast", "Search@0,50,10,60"];
        check(&tree, Selector::text("search"), &[0, 2, 1]);
    }

    #[test]
    fn an_element_larger_than_the_screen_is_wholly_visible() {
        let screen = Bounds::new(0, 0, 100, 100);
        assert_eq!(visible_share(Bounds::new(-50, -50, 150, 150), screen), 1.0);
        assert_eq!(visible_share(Bounds::new(0, 50, 100, 150), screen), 0.5);
        assert_eq!(visible_share(Bounds::new(0, 200, 100, 300), screen), 0.0);
    }

    #[test]
    fn a_near_text_is_suggested() {
        let screen = screen(&["Sign_in@0,0,10,10"]);
        assert_eq!(
            suggestion(&screen, &Selector::text("Sign_im")).as_deref(),
            Some("did you mean 'Sign_in'?")
        );
        assert_eq!(
            suggestion(&screen, &Selector::text("Basket")).as_deref(),
            Some("on the screen: 'Sign_in'")
        );
    }
}
