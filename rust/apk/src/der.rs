//! As much of DER as certificates and key files need.

use crate::error::{Error, Result};

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTETS: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
pub(crate) const OID: u8 = 0x06;
pub(crate) const UTF8: u8 = 0x0c;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const TIME: u8 = 0x18;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;
/// `[0]`, around something.
pub(crate) const AROUND: u8 = 0xa0;
/// `[0]`, instead of octets.
pub(crate) const INSTEAD: u8 = 0x80;

/// Reads one value after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

/// A value with its tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) tag: u8,
    pub(crate) content: &'a [u8],
    /// With tag and length.
    pub(crate) whole: &'a [u8],
}

fn broken() -> Error {
    Error::new("the DER is broken")
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next tag.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    pub(crate) fn any(&mut self) -> Result<Item<'a>> {
        let (item, rest) = split(self.0).ok_or_else(broken)?;
        self.0 = rest;
        Ok(item)
    }

    /// The content of the next value, which must have a tag.
    pub(crate) fn take(&mut self, tag: u8) -> Result<&'a [u8]> {
        let item = self.any()?;
        if item.tag == tag { Ok(item.content) } else { Err(broken()) }
    }

    /// What is inside of the next value.
    pub(crate) fn enter(&mut self, tag: u8) -> Result<Self> {
        self.take(tag).map(Self)
    }

    /// The next number, which must be a small one.
    pub(crate) fn number(&mut self) -> Result<u32> {
        let bytes = self.take(INTEGER)?;
        if bytes.is_empty() || bytes.len() > 4 || bytes[0] & 0x80 != 0 {
            return Err(broken());
        }
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(broken()) }
    }
}

fn split(bytes: &[u8]) -> Option<(Item<'_>, &[u8])> {
    let (tag, first) = (*bytes.first()?, *bytes.get(1)?);
    let (length, start) = match first {
        ..=0x7f => (usize::from(first), 2),
        0x81..=0x84 => {
            let start = 2 + usize::from(first & 0x7f);
            let length = bytes.get(2..start)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            (length, start)
        }
        _ => return None,
    };
    let end = start.checked_add(length)?;
    let item = Item { tag, content: bytes.get(start..end)?, whole: &bytes[..end] };
    Some((item, &bytes[end..]))
}

/// A value with its tag and length.
pub(crate) fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        length @ ..=0x7f => out.push(length as u8),
        length => {
            let bytes: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
            out.push(0x80 | bytes.len() as u8);
            out.extend(bytes);
        }
    }
    out.extend(content);
    out
}

/// Values one after the other inside of another.
pub(crate) fn around(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    value(tag, &parts.concat())
}
