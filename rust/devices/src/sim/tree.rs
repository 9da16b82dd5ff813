//! The tree as `sim/js/tree.js` sends it: only the nodes that changed. None means that the two sides do not fit
//! together.

use serde_json::{Map, Value};
use trailblaze_model::screen::{Bounds, Flag, NodeSpec, Prop, Screen, ScreenBuilder, WindowKind};

/// What is other than last time.
#[derive(Debug)]
pub(super) struct Patch {
    count: usize,
    nodes: Vec<(usize, Node)>,
}

#[derive(Debug)]
struct Node {
    depth: usize,
    /// For roots.
    window: Option<WindowKind>,
    spec: NodeSpec,
}

/// All nodes in pre-order.
#[derive(Debug, Default)]
pub(super) struct Tree(Vec<Node>);

impl Patch {
    pub(super) fn read(mut fields: Map<String, Value>) -> Option<Self> {
        let count = usize::try_from(fields.get("count")?.as_u64()?).ok()?;
        let Some(Value::Array(changes)) = fields.remove("changes") else { return None };
        let mut nodes = Vec::with_capacity(changes.len() / 2);
        let mut changes = changes.into_iter();
        while let (Some(index), Some(node)) = (changes.next(), changes.next()) {
            let Value::Array(node) = node else { return None };
            nodes.push((usize::try_from(index.as_u64()?).ok()?, Node::read(node)?));
        }
        Some(Self { count, nodes })
    }
}

impl Node {
    /// In the order of `record` in `tree.js`.
    fn read(values: Vec<Value>) -> Option<Self> {
        let mut values = values.into_iter();
        let mut int = || values.next()?.as_i64().and_then(|value| i32::try_from(value).ok());
        let place = int()?;
        let (on, off) = (int()?, int()?);
        let mut spec = NodeSpec { input_type: int()?, max_text_length: int()?, ..NodeSpec::default() };
        let has_bounds = int()? == 1;
        let bounds = Bounds::new(int()?, int()?, int()?, int()?);
        spec.bounds = has_bounds.then_some(bounds);
        for (index, flag) in Flag::ALL.into_iter().enumerate() {
            if (on | off) & (1 << index) != 0 {
                spec.flags.set(flag, on & (1 << index) != 0);
            }
        }
        while let Some(prop) = values.next() {
            let prop = Prop::ALL.get(usize::try_from(prop.as_u64()?).ok()?).copied()?;
            let Value::String(text) = values.next()? else { return None };
            spec.props[prop as usize] = Some(text);
        }
        // `placeOf` in `tree.js`.
        let (depth, kind) = (usize::try_from(place / 8).ok()?, place % 8);
        let window = if depth == 0 { Some(window_kind(kind - 1)?) } else { None };
        Some(Self { depth, window, spec })
    }
}

impl Tree {
    pub(super) fn apply(&mut self, patch: Patch) -> Option<()> {
        self.0.truncate(patch.count);
        for (index, node) in patch.nodes {
            if index == self.0.len() {
                self.0.push(node);
            } else {
                *self.0.get_mut(index)? = node;
            }
        }
        (self.0.len() == patch.count).then_some(())
    }

    /// On a phone of this size that was turned so often.
    pub(super) fn screen(&self, size: (i32, i32), rotation: u8, time_ms: u64) -> Option<Screen> {
        let (width, height) = if rotation.is_multiple_of(2) { size } else { (size.1, size.0) };
        let mut builder = ScreenBuilder::new(width, height, time_ms).rotation(rotation);
        let mut open = 0;
        for (index, node) in self.0.iter().enumerate() {
            while open > node.depth {
                builder.close();
                open -= 1;
            }
            if let Some(kind) = node.window {
                builder.window(kind);
            }
            builder.open(NodeSpec { device_id: index as i64 + 1, ..node.spec.clone() }).ok()?;
            open = node.depth + 1;
        }
        Some(builder.finish())
    }
}

/// By the order of `KINDS` in `tree.js`.
fn window_kind(index: i32) -> Option<WindowKind> {
    Some(match index {
        0 => WindowKind::Application,
        1 => WindowKind::Keyboard,
        2 => WindowKind::Dialog,
        3 => WindowKind::System,
        4 => WindowKind::Toast,
        _ => return None,
    })
}
