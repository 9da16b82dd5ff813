//! JSON text to trees, in one pass over the text.

mod detail;
mod legacy;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use self::detail::Detail;
use self::legacy::Legacy;
use super::{BadCapture, Capture};
use crate::pattern::Dialect;
use crate::screen::{Bounds, Limits, NodeSpec, Prop, Screen, ScreenBuilder, TooLarge};

pub(super) use self::legacy::FLAGS as LEGACY_FLAGS;

/// A level of the tree is an object and a list; around it stands the file, and in it a detail.
fn max_nesting() -> usize {
    2 * Limits::default().depth + 3
}

pub(super) fn read(text: &str) -> Result<Capture, BadCapture> {
    check_nesting(text)?;
    let start = text.trim_start();
    if start.starts_with('[') {
        // A list would be taken for the fields in their order.
        let (line, column) = place(text, text.len() - start.len());
        return Err(BadCapture { line, column, message: "a capture must be an object".to_owned() });
    }
    let mut json = serde_json::Deserializer::from_str(text);
    // Nesting was checked, so the reader needs no limit of its own.
    json.disable_recursion_limit();
    let raw =
        RawCapture::deserialize(&mut json).and_then(|raw| json.end().map(|()| raw)).map_err(|error| {
            let text = error.to_string();
            let message = text.split(" at line ").next().unwrap_or(&text);
            BadCapture { line: error.line(), column: error.column(), message: message.to_owned() }
        })?;
    let (width, height) = (raw.device_width, raw.device_height);
    let too_large = |error: TooLarge| BadCapture { line: 0, column: 0, message: error.to_string() };
    Ok(Capture {
        screen: raw.tree.map(|tree| tree.0.build(width, height)).transpose().map_err(too_large)?,
        legacy: raw.view_hierarchy.map(|tree| tree.0.build(width, height)).transpose().map_err(too_large)?,
        waypoint_id: raw.waypoint_id,
        captured_at: raw.captured_at,
        captured_from: raw.captured_from,
        screenshot_file: raw.screenshot_file,
        width,
        height,
    })
}

/// Line and column, from 1.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    (before.matches('\n').count() + 1, offset - before.rfind('\n').map_or(0, |end| end + 1) + 1)
}

/// Refuses what nests too deeply before anything recurses into it.
fn check_nesting(text: &str) -> Result<(), BadCapture> {
    let most = max_nesting();
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > most {
                    let (line, column) = place(text, offset);
                    let message = TooLarge::Depth(Limits::default().depth).to_string();
                    return Err(BadCapture { line, column, message });
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a capture")]
struct RawCapture {
    waypoint_id: Option<String>,
    captured_at: Option<String>,
    captured_from: Option<String>,
    screenshot_file: Option<String>,
    device_width: i32,
    device_height: i32,
    view_hierarchy: Option<OneTree<Legacy>>,
    #[serde(rename = "trailblazeNodeTree")]
    tree: Option<OneTree<Rich>>,
}

/// The nodes of one tree. A node stands behind everything below it, since files have the children first.
struct Tree {
    nodes: Vec<RawNode>,
    /// What the nodes say they are.
    dialect: Option<Dialect>,
}

struct RawNode {
    spec: NodeSpec,
    /// Where the first node below it stands; its own place when there is none.
    first: usize,
}

impl Tree {
    /// Turns the order round: a node before what is below it.
    fn build(mut self, width: i32, height: i32) -> Result<Screen, TooLarge> {
        let dialect = self.dialect.unwrap_or(Dialect::Native);
        let mut builder = ScreenBuilder::new(width, height, 0).dialect(dialect);
        let mut todo = Vec::from_iter(self.nodes.len().checked_sub(1).map(Some));
        while let Some(next) = todo.pop() {
            let Some(index) = next else {
                builder.close();
                continue;
            };
            builder.open(std::mem::take(&mut self.nodes[index].spec))?;
            todo.push(None);
            let (first, mut end) = (self.nodes[index].first, index);
            while end > first {
                todo.push(Some(end - 1));
                end = self.nodes[end - 1].first;
            }
        }
        Ok(builder.finish())
    }
}

/// How the properties of a node are named.
trait Form: Default {
    const WHAT: &'static str;
    /// None: the nodes say it themselves.
    const DIALECT: Option<Dialect>;

    /// Reads the value of one key; false when nobody knows it.
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        spec: &mut NodeSpec,
        tree: &mut Tree,
        map: &mut A,
    ) -> Result<bool, A::Error>;

    /// After the last key; an error says what is wrong with the node.
    fn finish(self, spec: &mut NodeSpec) -> Result<(), &'static str>;
}

/// A tree from its root on.
struct OneTree<F>(Tree, PhantomData<F>);

impl<'de, F: Form> Deserialize<'de> for OneTree<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut tree = Tree { nodes: Vec::new(), dialect: F::DIALECT };
        NodeSeed::<F>(&mut tree, PhantomData).deserialize(deserializer)?;
        Ok(Self(tree, PhantomData))
    }
}

/// A key; almost all can be taken from the text as they stand.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct NodeSeed<'a, F>(&'a mut Tree, PhantomData<F>);

impl<'de, F: Form> DeserializeSeed<'de> for NodeSeed<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: Form> Visitor<'de> for NodeSeed<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(F::WHAT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let tree = self.0;
        let limit = Limits::default().nodes;
        if tree.nodes.len() >= limit {
            return Err(A::Error::custom(TooLarge::Nodes(limit)));
        }
        let first = tree.nodes.len();
        // On the heap, since as many of them as the tree has levels wait for their children.
        let mut own = Box::new((NodeSpec::default(), F::default()));
        let (spec, form) = &mut *own;
        while let Some(Key(key)) = map.next_key()? {
            if key == "children" {
                map.next_value_seed(ChildrenSeed::<F>(tree, PhantomData))?;
            } else if !form.read(&key, spec, tree, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let (mut spec, form) = *own;
        form.finish(&mut spec).map_err(A::Error::custom)?;
        tree.nodes.push(RawNode { spec, first });
        Ok(())
    }
}

struct ChildrenSeed<'a, F>(&'a mut Tree, PhantomData<F>);

impl<'de, F: Form> DeserializeSeed<'de> for ChildrenSeed<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: Form> Visitor<'de> for ChildrenSeed<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(NodeSeed::<F>(&mut *self.0, PhantomData))?.is_some() {}
        Ok(())
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawBounds {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

/// A node of `trailblazeNodeTree`.
#[derive(Default)]
struct Rich {
    has_detail: bool,
}

impl Form for Rich {
    const WHAT: &'static str = "a node of the tree";
    const DIALECT: Option<Dialect> = None;

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        spec: &mut NodeSpec,
        tree: &mut Tree,
        map: &mut A,
    ) -> Result<bool, A::Error> {
        match key {
            "nodeId" => spec.device_id = map.next_value()?,
            "ref" => spec.props[Prop::Ref as usize] = map.next_value()?,
            "bounds" => {
                let bounds: Option<RawBounds> = map.next_value()?;
                spec.bounds = bounds.map(|b| Bounds::new(b.left, b.top, b.right, b.bottom));
            }
            "driverDetail" => {
                let dialect = map.next_value_seed(Detail::new(spec))?;
                if *tree.dialect.get_or_insert(dialect) != dialect {
                    return Err(A::Error::custom("a tree has nodes of one 'class' only"));
                }
                self.has_detail = true;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self, _spec: &mut NodeSpec) -> Result<(), &'static str> {
        if self.has_detail { Ok(()) } else { Err("a node has no 'driverDetail'") }
    }
}
