//! Reading an archive, one entry at a time.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom, Write};

use crc32fast::Hasher;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use super::{
    CENTRAL, CENTRAL_LENGTH, END, END_LENGTH, LOCAL, LOCAL_LENGTH, Method, alignment, must_be_stored,
};
use crate::bytes::{half, word};
use crate::error::{Error, Result};

const BUFFER: usize = 64 << 10;
/// A directory of 65,535 long names; more than that is no directory.
const MAX_DIRECTORY: u64 = 64 << 20;
const FLAG_ENCRYPTED: u16 = 1;
const FLAG_TOLD_LATER: u16 = 8;

/// One file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub method: Method,
    pub crc: u32,
    /// How many bytes it takes in the archive.
    pub packed: u32,
    pub size: u32,
    /// Where its header is.
    pub(crate) offset: u32,
    flags: u16,
}

/// An archive that is read from something with a position.
#[derive(Debug)]
pub struct Archive<R> {
    file: R,
    pub entries: Vec<Entry>,
    /// Where the directory starts.
    pub(crate) directory: u64,
    /// Where the end of the directory starts.
    pub(crate) end: u64,
}

impl<R: Read + Seek> Archive<R> {
    pub fn open(mut file: R) -> Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let from = length.saturating_sub((END_LENGTH + usize::from(u16::MAX)) as u64);
        file.seek(SeekFrom::Start(from))?;
        let mut tail = Vec::new();
        file.by_ref().take(length - from).read_to_end(&mut tail)?;
        let is_end = |at: &usize| {
            word(&tail, *at) == Some(END)
                && half(&tail, at + 20).is_some_and(|note| at + END_LENGTH + usize::from(note) == tail.len())
        };
        let last = tail.len().checked_sub(END_LENGTH);
        let at = last.and_then(|last| (0..=last).rev().find(is_end));
        let at = at.ok_or_else(|| Error::new("this is no zip archive, or it is cut off"))?;
        let end = from + at as u64;
        let number = |offset| half(&tail, at + offset).unwrap_or_default();
        let size = u64::from(word(&tail, at + 12).unwrap_or_default());
        let directory = u64::from(word(&tail, at + super::END_OFFSET).unwrap_or_default());
        let count = number(10);
        if number(4) != 0 || number(6) != 0 || number(8) != count || directory + size != end {
            return Err(Error::new("the end of the zip archive is broken"));
        }
        if size > MAX_DIRECTORY {
            return Err(Error::new("the directory of the zip archive is too large"));
        }
        file.seek(SeekFrom::Start(directory))?;
        let mut bytes = vec![0; size as usize];
        file.read_exact(&mut bytes)?;
        let entries = entries(&bytes, usize::from(count))?;
        Ok(Self { file, entries, directory, end })
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Where the content of an entry starts; what its own header says must be what the directory says.
    pub(crate) fn start(&mut self, entry: &Entry) -> Result<u64> {
        let damaged = || Error::new(format!("'{}' has a broken header", entry.name));
        self.file.seek(SeekFrom::Start(entry.offset.into()))?;
        let mut header = [0; LOCAL_LENGTH];
        self.file.read_exact(&mut header).map_err(|_| damaged())?;
        let number = |at| word(&header, at).unwrap_or_default();
        let short = |at| half(&header, at).unwrap_or_default();
        let sizes = [number(14), number(18), number(22)];
        let is_later = entry.flags & FLAG_TOLD_LATER != 0 && sizes == [0; 3];
        if number(0) != LOCAL
            || short(6) != entry.flags
            || short(8) != entry.method as u16
            || !(is_later || sizes == [entry.crc, entry.packed, entry.size])
            || usize::from(short(26)) != entry.name.len()
        {
            return Err(damaged());
        }
        let mut name = vec![0; entry.name.len()];
        self.file.read_exact(&mut name).map_err(|_| damaged())?;
        if name != entry.name.as_bytes() {
            return Err(damaged());
        }
        Ok(u64::from(entry.offset) + (LOCAL_LENGTH + name.len()) as u64 + u64::from(short(28)))
    }

    /// The bytes of an entry as they lie in the archive.
    pub fn raw(&mut self, entry: &Entry) -> Result<impl Read> {
        let start = self.start(entry)?;
        self.file.seek(SeekFrom::Start(start))?;
        Ok(self.file.by_ref().take(entry.packed.into()))
    }

    /// Writes the content of an entry, checked against its size and sum.
    pub fn copy(&mut self, entry: &Entry, out: &mut dyn Write) -> Result<()> {
        let damaged = || Error::new(format!("'{}' is damaged", entry.name));
        let mut sum = Sum { out, crc: Hasher::new(), size: 0, most: entry.size.into() };
        let mut raw = self.raw(entry)?;
        match entry.method {
            Method::Stored => std::io::copy(&mut raw, &mut sum).map(drop).map_err(|_| damaged())?,
            Method::Deflated => inflated(&mut raw, &mut sum)?.then_some(()).ok_or_else(damaged)?,
        }
        if sum.size != u64::from(entry.size) || sum.crc.finalize() != entry.crc {
            return Err(damaged());
        }
        Ok(())
    }

    /// The content of an entry that is small enough to be held.
    pub fn read(&mut self, entry: &Entry, most: u32) -> Result<Vec<u8>> {
        if entry.size > most {
            return Err(Error::new(format!("'{}' has {} bytes, more than {most}", entry.name, entry.size)));
        }
        let mut bytes = Vec::with_capacity(entry.size as usize);
        self.copy(entry, &mut bytes)?;
        Ok(bytes)
    }

    /// Whether the entries lie one after the other from the first byte on, with nothing between them, the stored ones
    /// aligned. Gives where the last one ends.
    pub(crate) fn check_layout(&mut self) -> Result<u64> {
        let mut at = 0;
        for entry in self.entries.clone() {
            let start = self.start(&entry)?;
            if u64::from(entry.offset) != at {
                return Err(Error::new(format!(
                    "there is something before '{}' that is no entry",
                    entry.name
                )));
            }
            let multiple = alignment(&entry.name);
            if entry.method == Method::Stored && !start.is_multiple_of(multiple) {
                return Err(Error::new(format!("'{}' is not aligned to {multiple} bytes", entry.name)));
            }
            if entry.method == Method::Deflated && must_be_stored(&entry.name) {
                return Err(Error::new(format!("'{}' is compressed", entry.name)));
            }
            at = start + u64::from(entry.packed);
        }
        Ok(at)
    }
}

/// Counts what passes, and adds it up.
struct Sum<'a> {
    out: &'a mut dyn Write,
    crc: Hasher,
    size: u64,
    most: u64,
}

impl Write for Sum<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.size += bytes.len() as u64;
        if self.size > self.most {
            return Err(std::io::Error::other("there is more than was said"));
        }
        self.crc.update(bytes);
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Whether all of it was one deflated stream.
fn inflated(packed: &mut dyn Read, out: &mut dyn Write) -> Result<bool> {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let (mut input, mut output) = (vec![0; BUFFER], vec![0; BUFFER]);
    let (mut from, mut to) = (0, 0);
    loop {
        if from == to {
            (from, to) = (0, packed.read(&mut input)?);
        }
        let step = inflate(&mut state, &input[from..to], &mut output, MZFlush::None);
        from += step.bytes_consumed;
        if out.write_all(&output[..step.bytes_written]).is_err() {
            return Ok(false);
        }
        match step.status {
            Ok(MZStatus::StreamEnd) => return Ok(from == to && packed.read(&mut input)? == 0),
            Ok(_) if step.bytes_consumed > 0 || step.bytes_written > 0 => {}
            _ => return Ok(false),
        }
    }
}

fn entries(bytes: &[u8], count: usize) -> Result<Vec<Entry>> {
    let broken = || Error::new("the directory of the zip archive is broken");
    let mut entries: Vec<Entry> = Vec::with_capacity(count);
    let mut at = 0;
    for _ in 0..count {
        let (entry, next) = entry(bytes, at).ok_or_else(broken)?;
        let name = entry.name.as_str();
        if entry.flags & FLAG_ENCRYPTED != 0 {
            return Err(Error::new(format!("'{name}' is encrypted")));
        }
        if !is_safe(name.strip_suffix('/').unwrap_or(name)) {
            return Err(Error::new(format!("'{name}' would leave the folder")));
        }
        entries.push(entry);
        at = next;
    }
    if at != bytes.len() {
        return Err(broken());
    }
    let mut names = BTreeSet::new();
    match entries.iter().find(|entry| !names.insert(&entry.name)) {
        Some(twice) => Err(Error::new(format!("'{}' is in the archive twice", twice.name))),
        None => Ok(entries),
    }
}

/// One entry of the directory, and where the next one is.
fn entry(bytes: &[u8], at: usize) -> Option<(Entry, usize)> {
    let short = |offset: usize| half(bytes, at + offset);
    let number = |offset: usize| word(bytes, at + offset);
    let method = match short(10)? {
        0 => Method::Stored,
        8 => Method::Deflated,
        _ => return None,
    };
    let lengths = [short(28)?, short(30)?, short(32)?].map(usize::from);
    let from = at + CENTRAL_LENGTH;
    let name = std::str::from_utf8(bytes.get(from..from + lengths[0])?).ok()?.to_owned();
    let entry = Entry {
        name,
        method,
        crc: number(16)?,
        packed: number(20)?,
        size: number(24)?,
        offset: number(42)?,
        flags: short(8)?,
    };
    let is_plain = number(0)? == CENTRAL && (method == Method::Deflated || entry.packed == entry.size);
    is_plain.then_some((entry, from + lengths.iter().sum::<usize>()))
}

fn is_safe(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['\\', '\0'])
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}
