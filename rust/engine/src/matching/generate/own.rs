//! What a node itself offers to be found by.

use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::screen::{Flag, NodeRef, Prop};
use trailblaze_model::selector::{Field, Predicates};

use super::text;

/// Adds predicates one after the other; without a value there is nothing to add to.
#[derive(Clone)]
struct Own<'a> {
    node: NodeRef<'a>,
    predicates: Predicates,
    /// Counts stay as they are.
    exact: bool,
}

impl<'a> Own<'a> {
    fn of(node: NodeRef<'a>) -> Self {
        Self { node, predicates: Predicates::new(node.screen().dialect()), exact: false }
    }

    fn exact(node: NodeRef<'a>) -> Self {
        Self { exact: true, ..Self::of(node) }
    }

    fn field(mut self, field: Field) -> Option<Self> {
        let value = match field {
            Field::Resolved => self.node.resolved_text(),
            Field::Prop(prop) => self.node.get(prop),
        };
        let value = value.filter(|value| !value.trim().is_empty() && self.predicates.knows(field))?;
        let dialect = self.predicates.dialect;
        let is_name = matches!(field, Field::Prop(Prop::ClassName | Prop::ResourceId));
        let wide = if is_name || self.exact { None } else { text::widened(value) };
        let wide = wide.map(|wide| Pattern::new(&wide, dialect)).filter(|wide| wide.matches(value));
        let pattern = wide.unwrap_or_else(|| {
            let literal = if is_name { text::name(value) } else { text::literal(value) };
            Pattern::new(&literal, dialect)
        });
        self.predicates.texts.push((field, pattern));
        Some(self)
    }

    fn prop(self, prop: Prop) -> Option<Self> {
        self.field(Field::Prop(prop))
    }

    fn class(self) -> Option<Self> {
        self.prop(Prop::ClassName)
    }

    fn flags(mut self, flags: &[Flag]) -> Option<Self> {
        let set = flags.iter().filter(|flag| self.node.has(**flag) && self.predicates.knows_flag(**flag));
        self.predicates.flags = set.map(|flag| (*flag, true)).collect();
        Some(self).filter(|own| !own.predicates.flags.is_empty())
    }

    fn input_type(mut self) -> Option<Self> {
        self.predicates.input_type = Some(self.node.input_type()).filter(|kind| *kind != 0);
        Some(self)
            .filter(|own| own.predicates.input_type.is_some() && own.predicates.dialect == Dialect::Native)
    }

    fn unique_id(mut self) -> Option<Self> {
        let id = self.node.get(Prop::UniqueId).filter(|id| !id.trim().is_empty());
        self.predicates.unique_id = id.map(str::to_owned);
        Some(self)
            .filter(|own| own.predicates.unique_id.is_some() && own.predicates.dialect == Dialect::Native)
    }
}

/// How many rungs the ladder has that need nothing but the node itself.
const RUNGS: usize = 17;

/// In the order of stability; made one after the other, since patterns cost time.
pub(super) fn own_candidates(node: NodeRef<'_>) -> impl Iterator<Item = Predicates> {
    (0..RUNGS).filter_map(move |rung| candidate(node, rung)).map(|own| own.predicates)
}

fn candidate(node: NodeRef<'_>, rung: usize) -> Option<Own<'_>> {
    let own = Own::of(node);
    let is_absent = node.text().is_none();
    let is_blank = node.text().is_none_or(|text| text.trim().is_empty());
    // What was typed is not what a field is.
    let is_identity = !is_blank && !node.has(Flag::Editable);
    let has_digit = |prop| node.get(prop).is_some_and(|text| text.contains(char::is_numeric));
    let kinds = [Flag::Editable, Flag::Checkable, Flag::Heading, Flag::Password, Flag::Scrollable];
    match rung {
        0 => own
            .clone()
            .unique_id()
            .or_else(|| own.clone().prop(Prop::ResourceId))
            .or_else(|| own.prop(Prop::ComposeTestTag)),
        1 if is_absent => own.prop(Prop::ContentDescription),
        2 if is_absent => own.prop(Prop::ContentDescription)?.class(),
        3 if is_blank => own.prop(Prop::HintText),
        4 if is_blank => own.prop(Prop::HintText)?.class(),
        5 if is_identity => own.field(Field::Resolved),
        6 if is_identity => own.field(Field::Resolved)?.class(),
        7 if is_identity => own.prop(Prop::ResourceId)?.field(Field::Resolved),
        8 => own.prop(Prop::LabeledByText),
        9 => own.prop(Prop::LabeledByText)?.class(),
        10 => own.prop(Prop::PaneTitle),
        11 => own.class(),
        12 => own.class()?.flags(&kinds),
        13 => own.class()?.flags(&[Flag::Password]),
        14 => own.class()?.input_type(),
        15 if !has_digit(Prop::StateDescription) => own.prop(Prop::StateDescription)?.class(),
        16 => own.prop(Prop::RoleDescription)?.class(),
        _ => None,
    }
}

/// What is better than an index and worse than all else: a description beside a text, and counts as they are, which
/// change.
pub(super) fn late_candidates(node: NodeRef<'_>) -> impl Iterator<Item = Predicates> {
    let (own, exact) = (Own::of(node), Own::exact(node));
    let candidates = [
        own.prop(Prop::ContentDescription),
        saying(exact.clone()),
        saying(exact.clone()).and_then(Own::class),
        exact.prop(Prop::ContentDescription),
    ];
    candidates.into_iter().flatten().map(|own| own.predicates)
}

/// Text, or description, or hint.
fn saying(own: Own<'_>) -> Option<Own<'_>> {
    let node = own.node;
    let is_blank = node.text().is_none_or(|text| text.trim().is_empty());
    let text = own.clone().field(Field::Resolved).filter(|_| !is_blank && !node.has(Flag::Editable));
    text.or_else(|| own.clone().prop(Prop::ContentDescription)).or_else(|| own.prop(Prop::HintText))
}

/// All that names the node together: what it says, its class and its id.
pub(super) fn own_match(node: NodeRef<'_>) -> Predicates {
    let mut predicates = Predicates::new(node.screen().dialect());
    let parts = [saying(Own::of(node)), Own::of(node).class(), Own::of(node).prop(Prop::ResourceId)];
    for part in parts.into_iter().flatten() {
        predicates.texts.extend(part.predicates.texts);
    }
    predicates
}
