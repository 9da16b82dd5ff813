//! One captured accessibility tree: all windows in a flat arena with one string table.
//!
//! Nodes stand in pre-order, so the descendants of a node are the nodes that follow it.

mod binary;
mod build;
mod capture;
mod fingerprint;
mod json;
mod likeness;
mod props;
mod texts;

use crate::pattern::Dialect;

pub use binary::BadScreen;
pub use build::{Limits, NodeSpec, ScreenBuilder, TooLarge};
pub use capture::{BadCapture, Capture};
pub use fingerprint::Fingerprint;
pub use json::{BadNode, spec_from_json};
pub use props::{Flag, Flags, Prop};

/// Pixels; `right` and `bottom` are exclusive for sizes and inclusive for "contains".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Bounds {
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    pub fn width(self) -> i32 {
        self.right.saturating_sub(self.left)
    }

    pub fn height(self) -> i32 {
        self.bottom.saturating_sub(self.top)
    }

    pub fn area(self) -> i64 {
        i64::from(self.width().max(0)) * i64::from(self.height().max(0))
    }

    pub fn is_empty(self) -> bool {
        self.width() <= 0 || self.height() <= 0
    }

    pub fn center(self) -> (i32, i32) {
        let middle = |a: i32, b: i32| ((i64::from(a) + i64::from(b)) / 2) as i32;
        (middle(self.left, self.right), middle(self.top, self.bottom))
    }

    pub fn contains(self, x: i32, y: i32) -> bool {
        self.left <= x && x <= self.right && self.top <= y && y <= self.bottom
    }

    pub fn intersect(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}

/// What a window is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WindowKind {
    #[default]
    Application,
    /// The on-screen keyboard.
    Keyboard,
    Dialog,
    System,
    /// A short message that takes no touches.
    Toast,
}

/// One window: its kind and its root node. Windows stand in z-order, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub kind: WindowKind,
    pub root: NodeId,
}

/// The index of a node in its screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub(crate) const NONE: u32 = u32::MAX;

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

const NO_TEXT: u32 = u32::MAX;

/// Where a node stands in a grid or a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CollectionItem {
    pub row: i32,
    pub row_span: i32,
    pub column: i32,
    pub column_span: i32,
    pub is_heading: bool,
}

/// How large a grid or a list is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Collection {
    pub rows: i32,
    pub columns: i32,
    pub is_hierarchical: bool,
}

/// The value of a slider or a progress bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    pub kind: i32,
    pub min: f64,
    pub max: f64,
    pub current: f64,
}

/// What few nodes have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rare {
    pub item: Option<CollectionItem>,
    pub collection: Option<Collection>,
    pub range: Option<Range>,
}

impl Rare {
    /// A number that is none, or has no end, becomes 0: no file can hold it.
    fn finite(mut self) -> Self {
        if let Some(range) = &mut self.range {
            for number in [&mut range.min, &mut range.max, &mut range.current] {
                *number = if number.is_finite() { *number } else { 0.0 };
            }
        }
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
struct NodeData {
    parent: u32,
    /// One past the last descendant.
    end: u32,
    props: [u32; Prop::ALL.len()],
    flags: Flags,
    bounds: Option<Bounds>,
    /// The number that the device gave the node; only within this screen.
    device_id: i64,
    input_type: i32,
    max_text_length: i32,
    drawing_order: i32,
    /// The node's part of the screen's list of actions.
    actions: (u32, u32),
    /// Index into the rare properties, or none.
    rare: u32,
}

/// One captured screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    pub width: i32,
    pub height: i32,
    /// Milliseconds on the run's clock.
    pub time_ms: u64,
    /// Quarter turns from how the device is held by default, 0 to 3.
    pub rotation: u8,
    dialect: Dialect,
    windows: Vec<Window>,
    nodes: Vec<NodeData>,
    /// Names of actions, as strings of the table, node by node.
    actions: Vec<u32>,
    rare: Vec<Rare>,
    /// Ends of the strings in `text`, so that string `i` is `text[ends[i - 1]..ends[i]]`.
    ends: Vec<u32>,
    text: String,
}

impl Screen {
    pub fn bounds(&self) -> Bounds {
        Bounds::new(0, 0, self.width, self.height)
    }

    /// Which selectors can fit the nodes: those of the other dialect fit none.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Lowest first.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// The keyboard's bounds when one is shown.
    pub fn keyboard(&self) -> Option<Bounds> {
        let window = self.windows.iter().find(|window| window.kind == WindowKind::Keyboard)?;
        self.node(window.root).bounds()
    }

    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { screen: self, id }
    }

    /// All nodes, window by window, in pre-order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeRef<'_>> + ExactSizeIterator {
        (0..self.nodes.len() as u32).map(|index| NodeRef { screen: self, id: NodeId(index) })
    }

    fn string(&self, index: u32) -> &str {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }
}

/// A node together with its screen.
#[derive(Clone, Copy)]
pub struct NodeRef<'a> {
    screen: &'a Screen,
    id: NodeId,
}

impl<'a> NodeRef<'a> {
    pub fn id(self) -> NodeId {
        self.id
    }

    pub fn screen(self) -> &'a Screen {
        self.screen
    }

    fn data(self) -> &'a NodeData {
        &self.screen.nodes[self.id.index()]
    }

    pub fn get(self, prop: Prop) -> Option<&'a str> {
        let index = self.data().props[prop as usize];
        (index != NO_TEXT).then(|| self.screen.string(index))
    }

    pub fn has(self, flag: Flag) -> bool {
        self.data().flags.has(flag)
    }

    pub fn flags(self) -> Flags {
        self.data().flags
    }

    pub fn bounds(self) -> Option<Bounds> {
        self.data().bounds
    }

    pub fn input_type(self) -> i32 {
        self.data().input_type
    }

    pub fn max_text_length(self) -> i32 {
        self.data().max_text_length
    }

    pub fn drawing_order(self) -> i32 {
        self.data().drawing_order
    }

    /// The number that the device gave the node.
    pub fn device_id(self) -> i64 {
        self.data().device_id
    }

    /// What the node can be asked to do: `ACTION_CLICK`, …
    pub fn actions(self) -> impl Iterator<Item = &'a str> {
        let (start, end) = self.data().actions;
        let screen = self.screen;
        screen.actions[start as usize..end as usize].iter().map(move |index| screen.string(*index))
    }

    pub fn rare(self) -> Rare {
        self.screen.rare.get(self.data().rare as usize).copied().unwrap_or_default()
    }

    pub fn text(self) -> Option<&'a str> {
        self.get(Prop::Text)
    }

    pub fn resource_id(self) -> Option<&'a str> {
        self.get(Prop::ResourceId)
    }

    pub fn content_description(self) -> Option<&'a str> {
        self.get(Prop::ContentDescription)
    }

    /// Text, else hint, else content description: the first that is present.
    pub fn resolved_text(self) -> Option<&'a str> {
        self.text().or_else(|| self.get(Prop::HintText)).or_else(|| self.content_description())
    }

    pub fn parent(self) -> Option<NodeRef<'a>> {
        let parent = self.data().parent;
        (parent != NodeId::NONE).then_some(NodeRef { screen: self.screen, id: NodeId(parent) })
    }

    /// Strict descendants in pre-order.
    pub fn descendants(self) -> impl DoubleEndedIterator<Item = NodeRef<'a>> {
        let screen = self.screen;
        (self.id.0 + 1..self.data().end).map(move |index| NodeRef { screen, id: NodeId(index) })
    }

    pub fn children(self) -> impl Iterator<Item = NodeRef<'a>> {
        let (screen, end) = (self.screen, self.data().end);
        let mut next = self.id.0 + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = NodeRef { screen, id: NodeId(next) };
                next = child.data().end;
                child
            })
        })
    }

    /// One past the index of the last descendant.
    pub fn end_index(self) -> usize {
        self.data().end as usize
    }

    /// Whether `other` stands below this node.
    pub fn is_ancestor_of(self, other: NodeRef<'a>) -> bool {
        self.id < other.id && other.id.0 < self.data().end
    }

    /// The window this node belongs to, as an index into [`Screen::windows`].
    pub fn window(self) -> usize {
        self.screen.windows.iter().rposition(|window| window.root <= self.id).unwrap_or(0)
    }
}

impl std::fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "node {}", self.id.0)?;
        for prop in [Prop::ClassName, Prop::ResourceId, Prop::Text, Prop::ContentDescription] {
            if let Some(value) = self.get(prop) {
                write!(f, " {}={value:?}", prop.key())?;
            }
        }
        Ok(())
    }
}
