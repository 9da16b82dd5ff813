//! The strings of a document. New ones are put behind those that are there, so that no index changes.

use crate::bytes::{align, index, word};

const HEADER: usize = 28;
const UTF8: u32 = 0x100;
const SORTED: u32 = 1;

#[derive(Clone, Debug)]
pub(super) struct Pool {
    strings: Vec<String>,
    is_utf8: bool,
    flags: u32,
}

impl Pool {
    pub(super) fn read(chunk: &[u8]) -> Option<Self> {
        let (count, styles, flags) = (index(chunk, 8)?, index(chunk, 12)?, word(chunk, 16)?);
        let start = index(chunk, 20)?;
        // A manifest has no styled text.
        if styles != 0 || count > chunk.len() {
            return None;
        }
        let is_utf8 = flags & UTF8 != 0;
        let string = |number: usize| {
            let bytes = chunk.get(start.checked_add(index(chunk, HEADER + 4 * number)?)?..)?;
            if is_utf8 { utf8(bytes) } else { utf16(bytes) }
        };
        let strings = (0..count).map(string).collect::<Option<_>>()?;
        Some(Self { strings, is_utf8, flags: flags & !SORTED })
    }

    pub(super) fn get(&self, string: u32) -> Option<&str> {
        self.strings.get(string as usize).map(String::as_str)
    }

    pub(super) fn add(&mut self, text: String) -> u32 {
        let known = self.strings.iter().position(|known| *known == text);
        known.unwrap_or_else(|| {
            self.strings.push(text);
            self.strings.len() - 1
        }) as u32
    }

    pub(super) fn print(&self) -> Vec<u8> {
        let mut offsets = Vec::new();
        let mut data = Vec::new();
        for text in &self.strings {
            offsets.extend((data.len() as u32).to_le_bytes());
            let units = text.encode_utf16().count();
            if self.is_utf8 {
                [units, text.len()].into_iter().for_each(|length| put_byte_length(&mut data, length));
                data.extend(text.as_bytes());
                data.push(0);
            } else {
                put_unit_length(&mut data, units);
                text.encode_utf16().chain([0]).for_each(|unit| data.extend(unit.to_le_bytes()));
            }
        }
        align(&mut data, 4);
        let start = HEADER + offsets.len();
        let mut out = Vec::new();
        let kind = u32::from(super::POOL) | (HEADER as u32) << 16;
        let (size, count) = ((start + data.len()) as u32, self.strings.len() as u32);
        for word in [kind, size, count, 0, self.flags, start as u32, 0] {
            out.extend(word.to_le_bytes());
        }
        out.extend(offsets);
        out.extend(data);
        out
    }
}

/// The length in characters, the length in bytes, the bytes.
fn utf8(bytes: &[u8]) -> Option<String> {
    let (_, rest) = byte_length(bytes)?;
    let (length, rest) = byte_length(rest)?;
    std::str::from_utf8(rest.get(..length)?).ok().map(str::to_owned)
}

fn utf16(bytes: &[u8]) -> Option<String> {
    let mut units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let first = units.next()?;
    let length = if first & 0x8000 == 0 {
        usize::from(first)
    } else {
        usize::from(first & 0x7fff) << 16 | usize::from(units.next()?)
    };
    let text: Vec<u16> = units.take(length).collect();
    (text.len() == length).then(|| String::from_utf16(&text).ok())?
}

fn byte_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [first, rest @ ..] if first & 0x80 == 0 => Some((usize::from(*first), rest)),
        [first, second, rest @ ..] => Some((usize::from(first & 0x7f) << 8 | usize::from(*second), rest)),
        _ => None,
    }
}

fn put_byte_length(out: &mut Vec<u8>, length: usize) {
    if length >= 0x80 {
        out.push((length >> 8) as u8 | 0x80);
    }
    out.push(length as u8);
}

fn put_unit_length(out: &mut Vec<u8>, length: usize) {
    if length >= 0x8000 {
        out.extend(((length >> 16) as u16 | 0x8000).to_le_bytes());
    }
    out.extend((length as u16).to_le_bytes());
}
