//! Builds a screen node by node, within limits, without recursion.

use std::collections::HashMap;
use std::fmt;

use crate::pattern::Dialect;

use super::{Bounds, Flags, NO_TEXT, NodeData, NodeId, Prop, Rare, Screen, Window, WindowKind};

/// The properties of one node before it stands in a screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeSpec {
    pub props: [Option<String>; Prop::ALL.len()],
    pub flags: Flags,
    pub bounds: Option<Bounds>,
    pub device_id: i64,
    pub input_type: i32,
    pub max_text_length: i32,
    pub drawing_order: i32,
    pub actions: Vec<String>,
    pub rare: Rare,
}

impl NodeSpec {
    pub fn with(mut self, prop: Prop, value: impl Into<String>) -> Self {
        self.props[prop as usize] = Some(value.into());
        self
    }
}

/// Texts of a screen may not be longer than this in all.
pub(super) const MAX_TEXT: usize = 64 << 20;
/// More actions of a node are left out.
const MAX_ACTIONS: usize = u16::MAX as usize;

/// How large a screen may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub nodes: usize,
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 100_000, depth: 512 }
    }
}

/// A tree that does not fit the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    Nodes(usize),
    Depth(usize),
    Text(usize),
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(limit) => write!(f, "the screen has more than {limit} nodes"),
            Self::Depth(limit) => write!(f, "the screen nests deeper than {limit} levels"),
            Self::Text(limit) => write!(f, "the texts of the screen are longer than {limit} bytes"),
        }
    }
}

impl std::error::Error for TooLarge {}

/// Takes nodes in pre-order: `window`, then `open` and `close` in pairs.
#[derive(Debug)]
pub struct ScreenBuilder {
    screen: Screen,
    limits: Limits,
    known: HashMap<String, u32>,
    open: Vec<u32>,
    next_window: Option<WindowKind>,
}

impl ScreenBuilder {
    pub fn new(width: i32, height: i32, time_ms: u64) -> Self {
        Self {
            screen: Screen {
                width,
                height,
                time_ms,
                rotation: 0,
                dialect: Dialect::Native,
                windows: Vec::new(),
                nodes: Vec::new(),
                actions: Vec::new(),
                rare: Vec::new(),
                ends: Vec::new(),
                text: String::new(),
            },
            limits: Limits::default(),
            known: HashMap::new(),
            open: Vec::new(),
            next_window: None,
        }
    }

    pub fn rotation(mut self, quarter_turns: u8) -> Self {
        self.screen.rotation = quarter_turns & 3;
        self
    }

    /// The tree was made by Maestro, or by accessibility as is the default.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.screen.dialect = dialect;
        self
    }

    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The next node that is opened is the root of a new window, above all earlier ones.
    pub fn window(&mut self, kind: WindowKind) {
        self.close_all();
        self.next_window = Some(kind);
    }

    pub fn open(&mut self, spec: NodeSpec) -> Result<NodeId, TooLarge> {
        if self.screen.nodes.len() >= self.limits.nodes {
            return Err(TooLarge::Nodes(self.limits.nodes));
        }
        if self.open.len() >= self.limits.depth {
            return Err(TooLarge::Depth(self.limits.depth));
        }
        let index = self.screen.nodes.len() as u32;
        if self.open.is_empty() {
            let kind = self.next_window.take().unwrap_or_default();
            self.screen.windows.push(Window { kind, root: NodeId(index) });
        }
        let mut props = [NO_TEXT; Prop::ALL.len()];
        for (slot, value) in props.iter_mut().zip(spec.props) {
            if let Some(value) = value {
                *slot = self.intern(value)?;
            }
        }
        let first_action = self.screen.actions.len() as u32;
        for action in spec.actions.into_iter().take(MAX_ACTIONS) {
            let index = self.intern(action)?;
            self.screen.actions.push(index);
        }
        let has_rare = spec.rare != Rare::default();
        let rare = if has_rare { self.screen.rare.len() as u32 } else { u32::MAX };
        self.screen.rare.extend(has_rare.then_some(spec.rare.finite()));
        self.screen.nodes.push(NodeData {
            parent: self.open.last().copied().unwrap_or(NodeId::NONE),
            end: index + 1,
            props,
            flags: spec.flags,
            bounds: spec.bounds,
            device_id: spec.device_id,
            input_type: spec.input_type,
            max_text_length: spec.max_text_length,
            drawing_order: spec.drawing_order,
            actions: (first_action, self.screen.actions.len() as u32),
            rare,
        });
        self.open.push(index);
        Ok(NodeId(index))
    }

    /// Ends the node that was opened last.
    pub fn close(&mut self) {
        let end = self.screen.nodes.len() as u32;
        if let Some(index) = self.open.pop() {
            self.screen.nodes[index as usize].end = end;
        }
    }

    fn close_all(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
    }

    pub fn finish(mut self) -> Screen {
        self.close_all();
        self.screen
    }

    fn intern(&mut self, value: String) -> Result<u32, TooLarge> {
        if let Some(index) = self.known.get(&value) {
            return Ok(*index);
        }
        if self.screen.text.len() + value.len() > MAX_TEXT {
            return Err(TooLarge::Text(MAX_TEXT));
        }
        let index = self.screen.ends.len() as u32;
        self.screen.text.push_str(&value);
        self.screen.ends.push(self.screen.text.len() as u32);
        self.known.insert(value, index);
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> NodeSpec {
        NodeSpec::default().with(Prop::Text, text)
    }

    #[test]
    fn the_tree_is_walked_both_ways() {
        let mut builder = ScreenBuilder::new(100, 200, 0);
        builder.window(WindowKind::Application);
        builder.open(node("root")).unwrap();
        builder.open(node("a")).unwrap();
        builder.open(node("a1")).unwrap();
        builder.close();
        builder.close();
        builder.open(node("b")).unwrap();
        builder.close();
        builder.close();
        builder.window(WindowKind::Keyboard);
        builder.open(node("keys")).unwrap();
        let screen = builder.finish();

        let texts: Vec<_> = screen.nodes().filter_map(|n| n.text()).collect();
        assert_eq!(texts, ["root", "a", "a1", "b", "keys"]);
        let root = screen.node(screen.windows()[0].root);
        let children: Vec<_> = root.children().filter_map(|n| n.text()).collect();
        assert_eq!(children, ["a", "b"]);
        assert_eq!(root.descendants().count(), 3);
        let a1 = screen.nodes().nth(2).unwrap();
        assert_eq!(a1.parent().unwrap().text(), Some("a"));
        assert!(root.is_ancestor_of(a1));
        assert_eq!(a1.window(), 0);
        assert_eq!(screen.nodes().nth(4).unwrap().window(), 1);
    }

    #[test]
    fn a_tree_past_the_limits_is_refused() {
        let mut builder = ScreenBuilder::new(1, 1, 0).limits(Limits { nodes: 10, depth: 3 });
        for _ in 0..3 {
            builder.open(NodeSpec::default()).unwrap();
        }
        assert_eq!(builder.open(NodeSpec::default()), Err(TooLarge::Depth(3)));
        let mut builder = ScreenBuilder::new(1, 1, 0).limits(Limits { nodes: 2, depth: 9 });
        builder.open(NodeSpec::default()).unwrap();
        builder.open(NodeSpec::default()).unwrap();
        assert_eq!(builder.open(NodeSpec::default()), Err(TooLarge::Nodes(2)));
    }
}
