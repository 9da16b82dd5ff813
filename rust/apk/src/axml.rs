//! The binary XML of Android, as far as a manifest needs it: elements and attributes are read, and values of attributes
//! that are there are replaced. Everything else stays byte for byte.

mod pool;

use crate::bytes::{half, index, put, word};
use crate::error::{Error, Result};
use pool::Pool;

const XML: u16 = 0x0003;
const POOL: u16 = 0x0001;
const RESOURCES: u16 = 0x0180;
const START: u16 = 0x0102;
const END: u16 = 0x0103;
/// What comes before the chunks.
const HEADER: usize = 8;
/// From the start of an element's chunk to what it says.
const NODE: usize = 16;
const ATTRIBUTE: usize = 20;
const NONE: u32 = u32::MAX;

const TYPE_STRING: u8 = 0x03;
const TYPE_INT: u8 = 0x10;

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    pool: Pool,
    /// All that follows the strings.
    rest: Vec<u8>,
    pub elements: Vec<Element>,
}

/// An element, in the order of the document.
#[derive(Clone, Debug)]
pub struct Element {
    pub name: String,
    /// How many elements it stands in.
    pub depth: usize,
    pub attributes: Vec<Attribute>,
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: String,
    /// What the platform knows it by; 0 for those that it knows by name.
    pub id: u32,
    pub value: Value,
    place: usize,
}

/// What an attribute says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(u32),
    /// A reference, a colour and so on: the type and the number.
    Other(u8, u32),
}

impl Element {
    /// The attribute with an id of the platform.
    pub fn by_id(&self, id: u32) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.id == id)
    }

    /// An attribute that has a name only.
    pub fn by_name(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.id == 0 && attribute.name == name)
    }
}

impl Attribute {
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<u32> {
        match self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Document {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        read(bytes).ok_or_else(|| Error::new("the binary XML is broken"))
    }

    /// Replaces the value of an attribute.
    pub fn set(&mut self, attribute: &Attribute, value: Value) {
        let (raw, kind, data) = match value {
            Value::Text(text) => {
                let string = self.pool.add(text);
                (string, TYPE_STRING, string)
            }
            Value::Number(number) => (NONE, TYPE_INT, number),
            Value::Other(kind, data) => (NONE, kind, data),
        };
        put(&mut self.rest, attribute.place + 8, raw);
        put(&mut self.rest, attribute.place + 12, 8 | u32::from(kind) << 24);
        put(&mut self.rest, attribute.place + 16, data);
    }

    pub fn print(&self) -> Vec<u8> {
        let pool = self.pool.print();
        let size = HEADER + pool.len() + self.rest.len();
        let mut out = (u32::from(XML) | (HEADER as u32) << 16).to_le_bytes().to_vec();
        out.extend((size as u32).to_le_bytes());
        out.extend(pool);
        out.extend(&self.rest);
        out
    }
}

fn read(bytes: &[u8]) -> Option<Document> {
    if half(bytes, 0)? != XML || index(bytes, 4)? != bytes.len() || half(bytes, HEADER)? != POOL {
        return None;
    }
    let pool_size = index(bytes, HEADER + 4)?;
    let rest = bytes.get(HEADER.checked_add(pool_size)?..)?.to_vec();
    let pool = Pool::read(&bytes[HEADER..HEADER + pool_size])?;
    let mut document = Document { pool, rest, elements: Vec::new() };
    let mut ids: Vec<u32> = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    while at < document.rest.len() {
        let rest = &document.rest;
        let (kind, size) = (half(rest, at)?, index(rest, at + 4)?);
        let chunk = rest.get(at..at.checked_add(size)?).filter(|chunk| chunk.len() >= 8)?;
        match kind {
            RESOURCES => {
                let list = chunk.get(usize::from(half(chunk, 2)?)..)?;
                ids = list.chunks_exact(4).filter_map(|id| word(id, 0)).collect();
            }
            START => {
                let element = element(&document.pool, &ids, chunk, at, depth)?;
                document.elements.push(element);
                depth += 1;
            }
            END => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += size;
    }
    (depth == 0).then_some(document)
}

fn element(pool: &Pool, ids: &[u32], chunk: &[u8], at: usize, depth: usize) -> Option<Element> {
    let name = pool.get(word(chunk, NODE + 4)?)?.to_owned();
    let start = NODE + usize::from(half(chunk, NODE + 8)?);
    let (width, count) = (usize::from(half(chunk, NODE + 10)?), usize::from(half(chunk, NODE + 12)?));
    if width < ATTRIBUTE {
        return None;
    }
    let mut attributes = Vec::with_capacity(count);
    for number in 0..count {
        let place = start + number * width;
        let name = word(chunk, place + 4)?;
        let (kind, data) = (*chunk.get(place + 15)?, word(chunk, place + 16)?);
        let value = match kind {
            TYPE_STRING => Value::Text(pool.get(data)?.to_owned()),
            TYPE_INT => Value::Number(data),
            kind => Value::Other(kind, data),
        };
        let id = ids.get(name as usize).copied().unwrap_or_default();
        let name = pool.get(name)?.to_owned();
        attributes.push(Attribute { name, id, value, place: at + place });
    }
    Some(Element { name, depth, attributes })
}
