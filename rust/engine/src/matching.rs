//! Which nodes of a screen a selector means.

use trailblaze_model::names;
use trailblaze_model::screen::{Bounds, Flag, NodeId, NodeRef, Prop, Screen};
use trailblaze_model::selector::Selector;

/// The nodes that fit, best first: the topmost window, then what can be clicked, then tree order.
/// With an index only that one, counted from the top and the left.
pub fn find(screen: &Screen, selector: &Selector) -> Vec<NodeId> {
    let shown = shown(screen);
    let mut fits = vec![false; screen.len()];
    for node in screen.nodes() {
        fits[node.id().index()] = shown[node.id().index()] && node_fits(node, selector);
    }
    let deepest = |node: &NodeRef<'_>| {
        fits[node.id().index()] && !node.descendants().any(|below| fits[below.id().index()])
    };
    let mut found: Vec<NodeRef<'_>> =
        screen.nodes().filter(deepest).filter(|n| n.bounds().is_some()).collect();
    match selector.index {
        None => found.sort_by_key(|node| (std::cmp::Reverse(node.window()), !node.has(Flag::Clickable))),
        Some(index) => {
            let position = |node: &NodeRef<'_>| node.bounds().map_or((0, 0), |b| (b.top, b.left));
            found.sort_by_key(position);
            let at = if index < 0 { index + found.len() as i64 } else { index };
            let one = usize::try_from(at).ok().and_then(|at| found.get(at).copied());
            found = one.into_iter().collect();
        }
    }
    found.into_iter().map(NodeRef::id).collect()
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

fn node_fits(node: NodeRef<'_>, selector: &Selector) -> bool {
    let flag = |wanted: Option<bool>, flag: Flag| wanted.is_none_or(|wanted| node.has(flag) == wanted);
    flag(selector.enabled, Flag::Enabled)
        && flag(selector.selected, Flag::Selected)
        && flag(selector.checked, Flag::Checked)
        && flag(selector.focused, Flag::Focused)
        && selector.id.as_ref().is_none_or(|id| {
            node.resource_id().is_some_and(|value| {
                let short = value.rsplit('/').next().unwrap_or(value);
                id.matches(value) || id.matches(short)
            })
        })
        && selector
            .description
            .as_ref()
            .is_none_or(|wanted| node.content_description().is_some_and(|value| text_fits(wanted, value)))
        && selector.text.as_ref().is_none_or(|wanted| {
            [Prop::Text, Prop::HintText, Prop::ContentDescription]
                .into_iter()
                .filter_map(|prop| node.get(prop))
                .any(|value| text_fits(wanted, value))
        })
}

/// A text fits as it is, or with its line breaks as spaces.
fn text_fits(pattern: &trailblaze_model::pattern::Pattern, value: &str) -> bool {
    pattern.matches(value) || (value.contains('\n') && pattern.matches(&value.replace('\n', " ")))
}

/// What a person would look at when nothing was found: the nearest name, else what is there.
pub fn suggestion(screen: &Screen, selector: &Selector) -> Option<String> {
    let shown = shown(screen);
    let props: &[Prop] = match (&selector.text, &selector.description, &selector.id) {
        (Some(_), _, _) => &[Prop::Text, Prop::HintText, Prop::ContentDescription],
        (None, Some(_), _) => &[Prop::ContentDescription],
        (None, None, Some(_)) => &[Prop::ResourceId],
        _ => return None,
    };
    let wanted = selector.patterns().next().map(|(_, pattern)| pattern.text())?;
    let mut there: Vec<&str> = Vec::new();
    for node in screen.nodes().filter(|node| shown[node.id().index()]) {
        for value in props.iter().filter_map(|prop| node.get(*prop)) {
            let value =
                if props == [Prop::ResourceId] { value.rsplit('/').next().unwrap_or(value) } else { value };
            if !value.trim().is_empty() && !there.contains(&value) {
                there.push(value);
            }
        }
    }
    if there.is_empty() {
        return Some("the screen shows nothing of the kind".to_owned());
    }
    if let Some(near) = names::nearest(wanted, there.iter().copied()) {
        return Some(format!("did you mean '{near}'?"));
    }
    let more = there.len().saturating_sub(8);
    let listed: Vec<String> = there.iter().take(8).map(|text| format!("'{}'", shorten(text))).collect();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("on the screen: {}{rest}", listed.join(", ")))
}

fn shorten(text: &str) -> String {
    let line = text.replace('\n', " ");
    if line.chars().count() <= 40 { line } else { line.chars().take(39).chain(['…']).collect() }
}

/// The field that text goes into.
pub fn focused_field(screen: &Screen) -> Option<NodeRef<'_>> {
    let mut focused: Vec<NodeRef<'_>> = screen.nodes().filter(|node| node.has(Flag::Focused)).collect();
    focused.sort_by_key(|node| !node.has(Flag::Editable));
    focused.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trailblaze_model::screen::{NodeSpec, ScreenBuilder, WindowKind};

    /// `text@l,t,r,b flags`, indented by depth; `window` starts another one.
    fn screen(lines: &[&str]) -> Screen {
        let mut builder = ScreenBuilder::new(100, 100, 0);
        let mut depth = 0;
        for line in lines {
            if *line == "window" {
                while depth > 0 {
                    builder.close();
                    depth -= 1;
                }
                builder.window(WindowKind::Dialog);
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
        let found: Vec<usize> = find(&screen, &selector).into_iter().map(NodeId::index).collect();
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
