//! A screen as bytes: what a phone sends in one piece. Little-endian, version 1.
//!
//! ```text
//! "TBSC", u16 version, u8 rotation, u8 dialect (0 native, 1 Maestro), i32 width, i32 height, u64 time
//! u32 windows, u32 nodes, u32 rares, u32 strings
//! per window:  u32 root, u32 kind
//! per node:    u32 parent (all ones: none), u32 flags, u16 props, u16 actions, i64 device id,
//!              i32 × 4 bounds (flag bit 31), i32 input type, max text length, drawing order (bit 30),
//!              u32 rare (bit 29), u32 string per prop of the mask, u32 string per action
//! per rare:    u32 parts (1 item, 2 collection, 4 range), i32 × 5, i32 × 3, i32 + f64 × 3
//! per string:  u32 bytes, UTF-8
//! ```
//! Nodes stand in pre-order, window by window.

use std::fmt;

use crate::pattern::Dialect;

use super::build::MAX_TEXT;
use super::{
    Bounds, Collection, CollectionItem, Flags, Limits, NO_TEXT, NodeData, NodeId, Prop, Range, Rare, Screen,
    Window, WindowKind,
};

const MAGIC: &[u8; 4] = b"TBSC";
const VERSION: u16 = 1;
const HAS_BOUNDS: u32 = 1 << 31;
const HAS_NUMBERS: u32 = 1 << 30;
const HAS_RARE: u32 = 1 << 29;
const MARKS: u32 = HAS_BOUNDS | HAS_NUMBERS | HAS_RARE;
const NO_RARE: u32 = u32::MAX;
const DIALECTS: [Dialect; 2] = [Dialect::Native, Dialect::Maestro];

/// Why bytes are no screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadScreen {
    pub offset: usize,
    pub message: &'static str,
}

impl fmt::Display for BadScreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for BadScreen {}

const KINDS: [WindowKind; 5] = [
    WindowKind::Application,
    WindowKind::Keyboard,
    WindowKind::Dialog,
    WindowKind::System,
    WindowKind::Toast,
];

impl Screen {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.nodes.len() * 72 + self.text.len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([self.rotation, u8::from(self.dialect == Dialect::Maestro)]);
        out.extend(self.width.to_le_bytes());
        out.extend(self.height.to_le_bytes());
        out.extend(self.time_ms.to_le_bytes());
        for count in [self.windows.len(), self.nodes.len(), self.rare.len(), self.ends.len()] {
            word(&mut out, count as u32);
        }
        for window in &self.windows {
            let kind = KINDS.iter().position(|kind| *kind == window.kind).unwrap_or(0);
            word(&mut out, window.root.0);
            word(&mut out, kind as u32);
        }
        for node in &self.nodes {
            self.write_node(&mut out, node);
        }
        for rare in &self.rare {
            write_rare(&mut out, rare);
        }
        for index in 0..self.ends.len() as u32 {
            let text = self.string(index);
            word(&mut out, text.len() as u32);
            out.extend(text.as_bytes());
        }
        out
    }

    fn write_node(&self, out: &mut Vec<u8>, node: &NodeData) {
        let numbers = [node.input_type, node.max_text_length, node.drawing_order];
        let mut flags = node.flags.bits();
        flags |= if node.bounds.is_some() { HAS_BOUNDS } else { 0 };
        flags |= if numbers == [0; 3] { 0 } else { HAS_NUMBERS };
        flags |= if node.rare == NO_RARE { 0 } else { HAS_RARE };
        let present = node.props.iter().enumerate().filter(|(_, index)| **index != NO_TEXT);
        let mask = present.clone().fold(0u16, |mask, (prop, _)| mask | 1 << prop);
        let actions = &self.actions[node.actions.0 as usize..node.actions.1 as usize];
        word(out, node.parent);
        word(out, flags);
        out.extend(mask.to_le_bytes());
        out.extend((actions.len() as u16).to_le_bytes());
        out.extend(node.device_id.to_le_bytes());
        if let Some(Bounds { left, top, right, bottom }) = node.bounds {
            [left, top, right, bottom].iter().for_each(|side| out.extend(side.to_le_bytes()));
        }
        if flags & HAS_NUMBERS != 0 {
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        }
        if flags & HAS_RARE != 0 {
            word(out, node.rare);
        }
        present.for_each(|(_, index)| word(out, *index));
        actions.iter().for_each(|index| word(out, *index));
    }

    /// Reads what [`Screen::to_bytes`] or a phone wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadScreen> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(4)? != MAGIC {
            return Err(BadScreen { offset: 0, message: "this is not a screen" });
        }
        if reader.u16()? != VERSION {
            return Err(BadScreen { offset: 4, message: "the screen has another version" });
        }
        let [rotation, dialect] = reader.array()?;
        let dialect =
            *DIALECTS.get(usize::from(dialect)).ok_or_else(|| reader.bad("there is no such dialect"))?;
        if rotation > 3 {
            return Err(reader.bad("there is no such rotation"));
        }
        let (width, height) = (reader.i32()?, reader.i32()?);
        let time_ms = u64::from_le_bytes(reader.array()?);
        let limits = Limits::default();
        let windows = reader.count(8, limits.nodes)?;
        let nodes = reader.count(20, limits.nodes)?;
        let rares = reader.count(4, limits.nodes)?;
        let strings = reader.count(4, usize::MAX)?;
        let mut screen = Self {
            width,
            height,
            time_ms,
            rotation,
            dialect,
            windows: Vec::with_capacity(windows),
            nodes: Vec::with_capacity(nodes),
            actions: Vec::new(),
            rare: Vec::with_capacity(rares),
            ends: Vec::with_capacity(strings),
            text: String::new(),
        };
        for _ in 0..windows {
            let (root, kind) = (reader.u32()?, reader.u32()? as usize);
            let kind = *KINDS.get(kind).ok_or_else(|| reader.bad("there is no such kind of window"))?;
            screen.windows.push(Window { kind, root: NodeId(root) });
        }
        for _ in 0..nodes {
            let node = reader.node(&mut screen.actions, strings as u32, rares as u32)?;
            screen.nodes.push(node);
        }
        for _ in 0..rares {
            screen.rare.push(reader.rare()?);
        }
        reader.strings(strings, &mut screen)?;
        if reader.at != bytes.len() {
            return Err(reader.bad("bytes are left over"));
        }
        screen.close_nodes(limits).map_err(|message| BadScreen { offset: 0, message })?;
        Ok(screen)
    }

    /// Finds the end of every node and refuses what is no tree in pre-order.
    fn close_nodes(&mut self, limits: Limits) -> Result<(), &'static str> {
        let mut open: Vec<u32> = Vec::new();
        let roots: Vec<u32> = self.windows.iter().map(|window| window.root.0).collect();
        let mut roots = roots.into_iter();
        for index in 0..self.nodes.len() as u32 {
            let parent = self.nodes[index as usize].parent;
            if parent == NodeId::NONE {
                self.close(&mut open, None, index);
                if roots.next() != Some(index) {
                    return Err("a root belongs to no window");
                }
            } else {
                self.close(&mut open, Some(parent), index);
                if open.is_empty() {
                    return Err("a node stands outside of its parent");
                }
            }
            open.push(index);
            if open.len() > limits.depth {
                return Err("the screen nests too deeply");
            }
        }
        let end = self.nodes.len() as u32;
        self.close(&mut open, None, end);
        if roots.next().is_some() { Err("a window has no root") } else { Ok(()) }
    }

    /// Ends all open nodes above `parent` at `end`.
    fn close(&mut self, open: &mut Vec<u32>, parent: Option<u32>, end: u32) {
        while let Some(last) = open.last().copied().filter(|last| Some(*last) != parent) {
            self.nodes[last as usize].end = end;
            open.pop();
        }
    }
}

fn word(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_le_bytes());
}

fn write_rare(out: &mut Vec<u8>, rare: &Rare) {
    let parts = u32::from(rare.item.is_some())
        | u32::from(rare.collection.is_some()) << 1
        | u32::from(rare.range.is_some()) << 2;
    word(out, parts);
    if let Some(item) = rare.item {
        let numbers = [item.row, item.row_span, item.column, item.column_span, i32::from(item.is_heading)];
        numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
    }
    if let Some(info) = rare.collection {
        let numbers = [info.rows, info.columns, i32::from(info.is_hierarchical)];
        numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
    }
    if let Some(range) = rare.range {
        out.extend(range.kind.to_le_bytes());
        [range.min, range.max, range.current].iter().for_each(|number| out.extend(number.to_le_bytes()));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bad(&self, message: &'static str) -> BadScreen {
        BadScreen { offset: self.at, message }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], BadScreen> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| self.bad("the screen is cut off"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BadScreen> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u16(&mut self) -> Result<u16, BadScreen> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, BadScreen> {
        self.array().map(u32::from_le_bytes)
    }

    fn i32(&mut self) -> Result<i32, BadScreen> {
        self.array().map(i32::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, BadScreen> {
        self.array().map(f64::from_le_bytes)
    }

    /// A number of things that need so many bytes each, so that a wrong one cannot ask for memory.
    fn count(&mut self, least: usize, most: usize) -> Result<usize, BadScreen> {
        let count = self.u32()? as usize;
        if count > most || count.saturating_mul(least) > self.bytes.len() - self.at {
            return Err(self.bad("the screen says it has more than it has"));
        }
        Ok(count)
    }

    fn index(&mut self, count: u32) -> Result<u32, BadScreen> {
        let index = self.u32()?;
        if index < count { Ok(index) } else { Err(self.bad("an index points behind the end")) }
    }

    fn node(&mut self, actions: &mut Vec<u32>, strings: u32, rares: u32) -> Result<NodeData, BadScreen> {
        let (parent, marked) = (self.u32()?, self.u32()?);
        let (mask, action_count) = (self.u16()?, self.u16()?);
        let device_id = i64::from_le_bytes(self.array()?);
        let bounds = if marked & HAS_BOUNDS != 0 {
            Some(Bounds::new(self.i32()?, self.i32()?, self.i32()?, self.i32()?))
        } else {
            None
        };
        let mut numbers = [0; 3];
        if marked & HAS_NUMBERS != 0 {
            numbers = [self.i32()?, self.i32()?, self.i32()?];
        }
        if marked & !MARKS & !Flags::KNOWN != 0 {
            return Err(self.bad("there is no such flag"));
        }
        let rare = if marked & HAS_RARE != 0 { self.index(rares)? } else { NO_RARE };
        if mask >> Prop::ALL.len() != 0 {
            return Err(self.bad("there is no such property"));
        }
        let mut props = [NO_TEXT; Prop::ALL.len()];
        for (prop, slot) in props.iter_mut().enumerate() {
            if mask & 1 << prop != 0 {
                *slot = self.index(strings)?;
            }
        }
        let first = actions.len() as u32;
        for _ in 0..action_count {
            actions.push(self.index(strings)?);
        }
        let [input_type, max_text_length, drawing_order] = numbers;
        Ok(NodeData {
            parent,
            end: 0,
            props,
            flags: Flags::from_bits(marked & !MARKS),
            bounds,
            device_id,
            input_type,
            max_text_length,
            drawing_order,
            actions: (first, actions.len() as u32),
            rare,
        })
    }

    fn rare(&mut self) -> Result<Rare, BadScreen> {
        let parts = self.u32()?;
        if parts > 7 {
            return Err(self.bad("there is no such part"));
        }
        let mut rare = Rare::default();
        if parts & 1 != 0 {
            rare.item = Some(CollectionItem {
                row: self.i32()?,
                row_span: self.i32()?,
                column: self.i32()?,
                column_span: self.i32()?,
                is_heading: self.i32()? != 0,
            });
        }
        if parts & 2 != 0 {
            rare.collection = Some(Collection {
                rows: self.i32()?,
                columns: self.i32()?,
                is_hierarchical: self.i32()? != 0,
            });
        }
        if parts & 4 != 0 {
            rare.range =
                Some(Range { kind: self.i32()?, min: self.f64()?, max: self.f64()?, current: self.f64()? });
        }
        Ok(rare.finite())
    }

    fn strings(&mut self, count: usize, screen: &mut Screen) -> Result<(), BadScreen> {
        screen.text.reserve((self.bytes.len() - self.at).saturating_sub(4 * count));
        for _ in 0..count {
            let length = self.u32()? as usize;
            if length.saturating_add(screen.text.len()) > MAX_TEXT {
                return Err(self.bad("the texts are too long"));
            }
            let bytes = self.take(length)?;
            let text = std::str::from_utf8(bytes).map_err(|_| self.bad("a text is not UTF-8"))?;
            screen.text.push_str(text);
            screen.ends.push(screen.text.len() as u32);
        }
        Ok(())
    }
}
