//! The Maestro dialect: the deepest nodes that fit, then what stands around and in them.

use trailblaze_model::pattern::{OverBudget, Pattern};
use trailblaze_model::screen::{Bounds, Flag, NodeRef, Prop, Screen};
use trailblaze_model::selector::{Selector, Trait};

/// Whether an element stands where it should, seen from another.
type Holds = fn(Bounds, Bounds) -> bool;

/// Which nodes are meant, before their order and the index count.
pub(super) fn marks(screen: &Screen, shown: &[bool], selector: &Selector) -> Result<Vec<bool>, OverBudget> {
    let mut fits = own_marks(screen, shown, selector)?;
    if let Some(parent) = &selector.child_of {
        let scope = super::try_find(screen, parent)?.first().map(|id| screen.node(*id));
        for node in screen.nodes() {
            let inside = scope.is_some_and(|scope| scope.id() == node.id() || scope.is_ancestor_of(node));
            fits[node.id().index()] &= inside;
        }
    }
    if let Some(inner) = &selector.contains_child {
        let inner = marks(screen, shown, inner)?;
        keep(&mut fits, screen, |node| node.children().any(|child| inner[child.id().index()]));
    }
    for inner in &selector.contains_descendants {
        let inner = marks(screen, shown, inner)?;
        keep(&mut fits, screen, |node| node.descendants().any(|below| inner[below.id().index()]));
    }
    let sides: [(_, Holds); 4] = [
        (&selector.below, |own, other| own.top > other.top),
        (&selector.above, |own, other| own.top < other.top),
        (&selector.left_of, |own, other| own.left < other.left),
        (&selector.right_of, |own, other| own.left > other.left),
    ];
    for (relation, holds) in sides {
        let Some(relation) = relation else { continue };
        let anchors: Vec<Bounds> = super::try_find(screen, relation)?
            .into_iter()
            .filter_map(|id| screen.node(id).bounds())
            .collect();
        keep(&mut fits, screen, |node| {
            node.bounds().is_some_and(|own| anchors.iter().any(|anchor| holds(own, *anchor)))
        });
    }
    Ok(fits)
}

fn keep(fits: &mut [bool], screen: &Screen, holds: impl Fn(NodeRef<'_>) -> bool) {
    for node in screen.nodes() {
        let index = node.id().index();
        fits[index] = fits[index] && holds(node);
    }
}

/// What says something of itself fits at its deepest; what says nothing fits everywhere.
fn own_marks(screen: &Screen, shown: &[bool], selector: &Selector) -> Result<Vec<bool>, OverBudget> {
    let visible = |node: NodeRef<'_>| shown[node.id().index()];
    let fits: Vec<bool> = screen
        .nodes()
        .map(|node| Ok(visible(node) && node_fits(node, selector)?))
        .collect::<Result<_, OverBudget>>()?;
    if !selector.has_own_predicates() {
        return Ok(fits);
    }
    let deepest = |node: NodeRef<'_>| {
        fits[node.id().index()] && !node.descendants().any(|below| fits[below.id().index()])
    };
    Ok(screen.nodes().map(deepest).collect())
}

fn node_fits(node: NodeRef<'_>, selector: &Selector) -> Result<bool, OverBudget> {
    let flag = |wanted: Option<bool>, flag: Flag| wanted.is_none_or(|wanted| node.has(flag) == wanted);
    let fits = flag(selector.enabled, Flag::Enabled)
        && flag(selector.selected, Flag::Selected)
        && flag(selector.checked, Flag::Checked)
        && flag(selector.focused, Flag::Focused)
        && size_fits(node, selector)
        && selector.traits.iter().all(|each| has_trait(node, *each));
    if !fits {
        return Ok(false);
    }
    if let Some(id) = &selector.id {
        let Some(value) = node.resource_id() else { return Ok(false) };
        let short = value.rsplit('/').next().unwrap_or(value);
        if !(id.try_matches(value)? || id.try_matches(short)?) {
            return Ok(false);
        }
    }
    Ok(one_fits(node, selector.description.as_ref(), &[Prop::ContentDescription])?
        && one_fits(node, selector.text.as_ref(), &[Prop::Text, Prop::HintText, Prop::ContentDescription])?)
}

/// Whether one of the texts of a node fits.
fn one_fits(node: NodeRef<'_>, wanted: Option<&Pattern>, props: &[Prop]) -> Result<bool, OverBudget> {
    let Some(wanted) = wanted else { return Ok(true) };
    for value in props.iter().filter_map(|prop| node.get(*prop)) {
        if text_fits(wanted, value)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A text fits as it is, or with its line breaks as spaces.
fn text_fits(pattern: &Pattern, value: &str) -> Result<bool, OverBudget> {
    Ok(pattern.try_matches(value)?
        || (value.contains('\n') && pattern.try_matches(&value.replace('\n', " "))?))
}

fn size_fits(node: NodeRef<'_>, selector: &Selector) -> bool {
    let near = |wanted: Option<i32>, size: i32| {
        wanted.is_none_or(|wanted| wanted.abs_diff(size) <= selector.tolerance.unsigned_abs())
    };
    node.bounds()
        .is_none_or(|bounds| near(selector.width, bounds.width()) && near(selector.height, bounds.height()))
}

fn has_trait(node: NodeRef<'_>, each: Trait) -> bool {
    let length = node.text().map_or(0, |text| text.chars().count());
    match each {
        Trait::Text => length > 0,
        Trait::LongText => length > 200,
        Trait::Square => node.bounds().is_some_and(|bounds| {
            let (width, height) = (f64::from(bounds.width()), f64::from(bounds.height()));
            height > 0.0 && (width / height - 1.0).abs() <= 0.03
        }),
    }
}
