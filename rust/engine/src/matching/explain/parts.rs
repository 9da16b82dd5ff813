//! The parts of a selector, and the selector without each of them.

use trailblaze_model::selector::{NodeSelector, Selector};

/// One part, in the words of the selector.
pub(super) struct Part<S> {
    pub(super) name: String,
    /// The selector with only this part less.
    pub(super) without: S,
    pub(super) kind: Kind<S>,
}

pub(super) enum Kind<S> {
    /// Something about the element itself.
    Own,
    /// A place beside an anchor.
    Beside(S),
    /// Something around the element or inside of it.
    Around(S),
    Index,
}

impl<S> Part<S> {
    /// What a relation is a relation to.
    pub(super) fn inner(&self) -> Option<&S> {
        match &self.kind {
            Kind::Beside(inner) | Kind::Around(inner) => Some(inner),
            Kind::Own | Kind::Index => None,
        }
    }

    /// Said when nothing on the screen is what the relation is a relation to.
    pub(super) fn is_missing(&self) -> String {
        match &self.kind {
            Kind::Beside(_) => format!("the anchor of '{}' is not on the screen", self.name),
            _ => format!("nothing on the screen fits what '{}' says", self.name),
        }
    }
}

/// Takes one part after the other out of copies of a selector.
struct Parts<'a, S> {
    selector: &'a S,
    found: Vec<Part<S>>,
}

impl<S: Clone + PartialEq> Parts<'_, S> {
    fn add(&mut self, name: impl Into<String>, change: impl FnOnce(&mut S) -> Kind<S>) {
        let mut without = self.selector.clone();
        let kind = change(&mut without);
        if without != *self.selector {
            self.found.push(Part { name: name.into(), without, kind });
        }
    }

    fn own(&mut self, name: impl Into<String>, change: impl FnOnce(&mut S)) {
        self.add(name, |selector| {
            change(selector);
            Kind::Own
        });
    }

    fn beside(&mut self, name: &str, take: impl FnOnce(&mut S) -> Option<Box<S>>) {
        self.add(name, |selector| take(selector).map_or(Kind::Own, |inner| Kind::Beside(*inner)));
    }

    fn around(&mut self, name: &str, take: impl FnOnce(&mut S) -> Option<S>) {
        self.add(name, |selector| take(selector).map_or(Kind::Own, Kind::Around));
    }

    fn index(&mut self, index: Option<i64>, change: impl FnOnce(&mut S)) {
        self.add(format!("index: {}", index.unwrap_or_default()), |selector| {
            change(selector);
            Kind::Index
        });
    }
}

/// The relations of a native selector and its index.
pub(super) fn native_parts(selector: &NodeSelector) -> Vec<Part<NodeSelector>> {
    let mut parts = Parts { selector, found: Vec::new() };
    // Inside of an element `childOf` and the index have no effect.
    let contained = |inner: NodeSelector| NodeSelector { child_of: None, index: None, ..inner };
    parts.index(selector.index, |s| s.index = None);
    parts.beside("below", |s| s.below.take());
    parts.beside("above", |s| s.above.take());
    parts.beside("leftOf", |s| s.left_of.take());
    parts.beside("rightOf", |s| s.right_of.take());
    parts.around("childOf", |s| s.child_of.take().map(|inner| *inner));
    parts.around("containsChild", |s| s.contains_child.take().map(|inner| contained(*inner)));
    for at in 0..selector.contains_descendants.len() {
        parts.around("containsDescendants", |s| Some(contained(s.contains_descendants.remove(at))));
    }
    parts.found
}

/// The parts of a selector of Maestro's, as long as something is left that says what is meant.
pub(super) fn maestro_parts(selector: &Selector) -> Vec<Part<Selector>> {
    let mut parts = Parts { selector, found: Vec::new() };
    let flag = |name: &str, value: Option<bool>| format!("{name}: {}", value.unwrap_or_default());
    parts.index(selector.index, |s| s.index = None);
    parts.own(flag("enabled", selector.enabled), |s| s.enabled = None);
    parts.own(flag("selected", selector.selected), |s| s.selected = None);
    parts.own(flag("checked", selector.checked), |s| s.checked = None);
    parts.own(flag("focused", selector.focused), |s| s.focused = None);
    parts.own("width", |s| s.width = None);
    parts.own("height", |s| s.height = None);
    parts.own("traits", |s| s.traits.clear());
    parts.beside("below", |s| s.below.take());
    parts.beside("above", |s| s.above.take());
    parts.beside("leftOf", |s| s.left_of.take());
    parts.beside("rightOf", |s| s.right_of.take());
    parts.around("childOf", |s| s.child_of.take().map(|inner| *inner));
    parts.around("containsChild", |s| s.contains_child.take().map(|inner| *inner));
    for at in 0..selector.contains_descendants.len() {
        parts.around("containsDescendants", |s| Some(s.contains_descendants.remove(at)));
    }
    parts.own("id", |s| s.id = None);
    parts.own("text", |s| s.text = None);
    parts.own("description", |s| s.description = None);
    let says = |s: &Selector| s.text.is_some() || s.id.is_some() || s.description.is_some();
    parts.found.retain(|part| says(&part.without));
    parts.found
}
