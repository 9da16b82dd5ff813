//! The native dialect: predicates and relations of a [`NodeSelector`] on a tree.

use trailblaze_model::order;
use trailblaze_model::pattern::{Dialect, OverBudget};
use trailblaze_model::screen::{Bounds, Flag, NodeId, NodeRef, Prop, Screen};
use trailblaze_model::selector::{Block, Field, NodeSelector, Predicates};

/// The nodes that fit on the whole tree: by their top, then their left, then as they stand in the tree. None when a
/// pattern ran out of steps.
pub fn resolve(screen: &Screen, selector: &NodeSelector) -> Vec<NodeId> {
    try_resolve(screen, selector).unwrap_or_default()
}

/// As [`resolve`], but says when a pattern ran out of steps.
pub fn try_resolve(screen: &Screen, selector: &NodeSelector) -> Result<Vec<NodeId>, OverBudget> {
    Tree::whole(screen).resolve(selector, 0)
}

/// As tools resolve: first without nodes that do not matter for accessibility, then on the whole tree.
pub fn try_resolve_for_tool(screen: &Screen, selector: &NodeSelector) -> Result<Vec<NodeId>, OverBudget> {
    let found = Tree::filtered(screen).resolve(selector, 0)?;
    if found.is_empty() { try_resolve(screen, selector) } else { Ok(found) }
}

/// A screen, or what is left of it after filtering.
struct Tree<'a> {
    screen: &'a Screen,
    /// None: every node is there.
    kept: Option<Vec<bool>>,
}

/// An anchor, and how a node and the anchor must stand to each other.
type Side<'s> = (&'s Option<Box<NodeSelector>>, fn(Bounds, Bounds) -> bool);

/// Which nodes fit, by their index.
type Marks = Vec<bool>;

impl<'a> Tree<'a> {
    fn whole(screen: &'a Screen) -> Self {
        Self { screen, kept: None }
    }

    /// Without unimportant nodes, whose children move up. A leaf that says something stays, a web view keeps
    /// all that is in it, and so does every root stay.
    fn filtered(screen: &'a Screen) -> Self {
        let mut kept = vec![true; screen.len()];
        let mut web_until = 0;
        for node in screen.nodes() {
            let index = node.id().index();
            if index < web_until || node.parent().is_none() {
                continue;
            }
            if node.get(Prop::ClassName) == Some("android.webkit.WebView") {
                web_until = node.end_index();
                continue;
            }
            let says = |prop| node.get(prop).is_some_and(|text| !text.trim().is_empty());
            let telling_leaf =
                node.children().next().is_none() && (says(Prop::Text) || says(Prop::ContentDescription));
            kept[index] = node.has(Flag::ImportantForAccessibility) || telling_leaf;
        }
        Self { screen, kept: Some(kept) }
    }

    fn has(&self, node: NodeRef<'_>) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept[node.id().index()])
    }

    /// The nearest node above that is there.
    fn parent(&self, node: NodeRef<'a>) -> Option<NodeRef<'a>> {
        let mut above = node.parent();
        while let Some(node) = above.filter(|node| !self.has(*node)) {
            above = node.parent();
        }
        above
    }

    /// A full resolution: with `childOf`, the order and the index.
    fn resolve(&self, selector: &NodeSelector, depth: usize) -> Result<Vec<NodeId>, OverBudget> {
        let mut fits = self.marks(selector, depth)?;
        if let Some(parents) = &selector.child_of {
            let mut parents: Vec<NodeId> = self.resolve(parents, depth + 1)?;
            order::sort(&mut parents);
            let mut parents = parents.into_iter().peekable();
            // Inside of any parent up to here.
            let mut until = 0;
            for node in self.screen.nodes() {
                fits[node.id().index()] &= node.id().index() < until;
                if parents.next_if_eq(&node.id()).is_some() {
                    until = until.max(node.end_index());
                }
            }
        }
        let mut found: Vec<NodeRef<'_>> =
            self.screen.nodes().filter(|node| fits[node.id().index()]).collect();
        order::sort_by_key(&mut found, |node| {
            node.bounds().map_or((1, 0, 0), |bounds| (0, bounds.top, bounds.left))
        });
        if let Some(index) = selector.index {
            let one = usize::try_from(index).ok().and_then(|index| found.get(index).copied());
            return Ok(one.map(NodeRef::id).into_iter().collect());
        }
        Ok(found.into_iter().map(NodeRef::id).collect())
    }

    /// Which nodes fit as far as they themselves, what is in them and where they are is concerned.
    fn marks(&self, selector: &NodeSelector, depth: usize) -> Result<Marks, OverBudget> {
        if depth > NodeSelector::MAX_NESTING {
            return Ok(vec![false; self.screen.len()]);
        }
        let mut fits: Marks = self
            .screen
            .nodes()
            .map(|node| Ok(self.has(node) && block_fits(node, &selector.block)?))
            .collect::<Result<_, OverBudget>>()?;
        if let Some(inner) = &selector.contains_child {
            let mut has_child = vec![false; fits.len()];
            let inner = self.marks(inner, depth + 1)?;
            for node in self.screen.nodes().filter(|node| inner[node.id().index()]) {
                if let Some(parent) = self.parent(node) {
                    has_child[parent.id().index()] = true;
                }
            }
            fits.iter_mut().zip(has_child).for_each(|(fits, has)| *fits &= has);
        }
        for inner in &selector.contains_descendants {
            let below = self.counts_below(&self.marks(inner, depth + 1)?);
            fits.iter_mut().zip(below).for_each(|(fits, count)| *fits &= count > 0);
        }
        let sides: [Side<'_>; 4] = [
            (&selector.below, |own, anchor| own.top >= anchor.bottom),
            (&selector.above, |own, anchor| own.bottom <= anchor.top),
            (&selector.left_of, |own, anchor| own.right <= anchor.left),
            (&selector.right_of, |own, anchor| own.left >= anchor.right),
        ];
        for (relation, holds) in sides {
            let Some(relation) = relation else { continue };
            let first = self.resolve(relation, depth + 1)?.first().copied();
            let anchor = first.and_then(|id| self.screen.node(id).bounds());
            for node in self.screen.nodes() {
                let fit = anchor.zip(node.bounds()).is_some_and(|(anchor, own)| holds(own, anchor));
                fits[node.id().index()] &= fit;
            }
        }
        Ok(fits)
    }

    /// For every node, how many of its strict descendants are marked.
    fn counts_below(&self, marks: &Marks) -> Vec<usize> {
        // Descendants stand right behind their node, so two running totals give the number between.
        let mut totals = Vec::with_capacity(marks.len() + 1);
        totals.push(0usize);
        for marked in marks {
            totals.push(totals.last().copied().unwrap_or(0) + usize::from(*marked));
        }
        let count = |node: NodeRef<'_>| {
            let first = node.id().index() + 1;
            totals[node.end_index()] - totals[first]
        };
        self.screen.nodes().map(count).collect()
    }
}

fn block_fits(node: NodeRef<'_>, block: &Block) -> Result<bool, OverBudget> {
    match block {
        Block::Any => Ok(true),
        // The rich tree has all that the older one has, so Maestro's predicates run on both.
        Block::Android(predicates)
            if predicates.dialect == Dialect::Native && node.screen().dialect() == Dialect::Maestro =>
        {
            Ok(false)
        }
        Block::Android(predicates) => predicates_fit(node, predicates),
        Block::Foreign { .. } => Ok(false),
    }
}

fn predicates_fit(node: NodeRef<'_>, predicates: &Predicates) -> Result<bool, OverBudget> {
    let item = || node.rare().item;
    let fits = predicates.flags.iter().all(|(flag, on)| node.has(*flag) == *on)
        && predicates.input_type.is_none_or(|kind| node.input_type() == kind)
        && predicates.unique_id.as_deref().is_none_or(|id| node.get(Prop::UniqueId) == Some(id))
        && predicates.row.is_none_or(|row| item().is_some_and(|item| item.row == row))
        && predicates.column.is_none_or(|column| item().is_some_and(|item| item.column == column));
    if !fits {
        return Ok(false);
    }
    for (field, pattern) in &predicates.texts {
        let value = match field {
            Field::Resolved => node.resolved_text(),
            Field::Prop(prop) => node.get(*prop),
        };
        match value {
            Some(value) if pattern.try_matches(value)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
