//! Writing an archive as a stream: the same content gives the same bytes.

use std::io::{Read, Seek, SeekFrom, Write};

use crc32fast::Hasher;
use miniz_oxide::deflate::compress_to_vec;

use super::read::Entry;
use super::{ALIGNMENT, CENTRAL, END, END_LENGTH, LOCAL, LOCAL_LENGTH, Method, alignment};
use crate::bytes;
use crate::error::{Error, Result};

/// What is not larger is compressed, where that helps; what is larger passes through as it is.
const HELD: u64 = 4 << 20;
/// What is smaller is not worth the tables that compressing sets up.
const WORTH_TRYING: usize = 64;
const LEVEL: u8 = 6;
/// 1981-01-01 01:01:02, as other tools for APKs write it.
const TIME: u16 = 0x0821;
const DATE: u16 = 0x0221;
/// Version 2.0, as every zip.
const VERSION: u16 = 20;
const FLAG_UTF8: u16 = 0x0800;
const MAX_ENTRIES: usize = u16::MAX as usize;

/// How an entry may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As it is: it is mapped into memory, or it is compressed already.
    Stored,
    /// Smaller, where it is not too large to be held.
    Small,
}

/// An archive that is being written.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    at: u64,
    directory: Vec<u8>,
    count: usize,
}

/// What stands behind the entries.
#[derive(Clone, Debug)]
pub struct Directory {
    /// Where the entries end.
    pub at: u64,
    pub bytes: Vec<u8>,
    count: u16,
}

impl Directory {
    /// The end of an archive whose directory starts at an offset.
    pub fn end(&self, offset: u64) -> Result<[u8; END_LENGTH]> {
        let offset = u32::try_from(offset).map_err(|_| too_large())?;
        let length = u32::try_from(self.bytes.len()).map_err(|_| too_large())?;
        let mut end = [0; END_LENGTH];
        bytes::put(&mut end, 0, END);
        for at in [8, 10] {
            end[at..at + 2].copy_from_slice(&self.count.to_le_bytes());
        }
        bytes::put(&mut end, 12, length);
        bytes::put(&mut end, super::END_OFFSET, offset);
        Ok(end)
    }
}

fn too_large() -> Error {
    Error::new("the APK would be larger than 4 GB").hint("push large media instead of packing them")
}

/// What both headers of an entry say.
struct Header<'a> {
    name: &'a str,
    method: Method,
    crc: u32,
    packed: u32,
    size: u32,
}

impl Header<'_> {
    /// From the version to the length of the name.
    fn common(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(26);
        for half in [VERSION, FLAG_UTF8, self.method as u16, TIME, DATE] {
            bytes.extend(half.to_le_bytes());
        }
        for word in [self.crc, self.packed, self.size] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes
    }

    fn local(&self, at: u64) -> Vec<u8> {
        let extra = match self.method {
            Method::Stored => padding(at + (LOCAL_LENGTH + self.name.len()) as u64, alignment(self.name)),
            Method::Deflated => Vec::new(),
        };
        let mut bytes = LOCAL.to_le_bytes().to_vec();
        bytes.extend(self.common());
        bytes.extend((extra.len() as u16).to_le_bytes());
        bytes.extend(self.name.as_bytes());
        bytes.extend(extra);
        bytes
    }
}

/// The extra field after which the content is aligned.
fn padding(from: u64, multiple: u64) -> Vec<u8> {
    const LENGTH: u64 = 6;
    let pad = ((from + LENGTH).next_multiple_of(multiple) - from - LENGTH) as u16;
    let mut extra = Vec::new();
    for half in [ALIGNMENT, 2 + pad, multiple as u16] {
        extra.extend(half.to_le_bytes());
    }
    extra.resize(extra.len() + usize::from(pad), 0);
    extra
}

impl<W: Write + Seek> Writer<W> {
    pub fn new(out: W) -> Self {
        Self { out, at: 0, directory: Vec::new(), count: 0 }
    }

    /// Adds what is read.
    pub fn add(&mut self, name: &str, packing: Packing, content: &mut dyn Read) -> Result<()> {
        let mut held = Vec::new();
        content.take(HELD + 1).read_to_end(&mut held)?;
        if held.len() as u64 > HELD {
            return self.stream(name, &held, content);
        }
        let crc = crc32fast::hash(&held);
        let size = held.len() as u32;
        let is_tried = packing == Packing::Small && held.len() >= WORTH_TRYING;
        let packed = is_tried.then(|| compress_to_vec(&held, LEVEL));
        let (method, body) = match packed.filter(|packed| packed.len() < held.len()) {
            Some(packed) => (Method::Deflated, packed),
            None => (Method::Stored, held),
        };
        self.begin(&Header { name, method, crc, packed: body.len() as u32, size })?;
        self.put(&body)
    }

    /// Adds an entry of another archive as it lies there; whoever verifies the result sees whether it is whole.
    pub fn add_raw(&mut self, entry: &Entry, raw: &mut dyn Read) -> Result<()> {
        let Entry { name, method, crc, packed, size, .. } = entry;
        self.begin(&Header { name, method: *method, crc: *crc, packed: *packed, size: *size })?;
        let copied = std::io::copy(raw, &mut self.out)?;
        self.at += copied;
        if copied == u64::from(*packed) { Ok(()) } else { Err(Error::new(format!("'{name}' is cut off"))) }
    }

    /// Stores what is too large to be held; its sum is known at the end, and written into the header then.
    fn stream(&mut self, name: &str, first: &[u8], rest: &mut dyn Read) -> Result<()> {
        let header_at = self.at;
        let mut header = Header { name, method: Method::Stored, crc: 0, packed: 0, size: 0 };
        let local = header.local(header_at);
        self.put(&local)?;
        let mut crc = Hasher::new();
        let mut size = 0;
        let mut buffer = vec![0; 256 << 10];
        let mut take = |part: &[u8]| -> Result<()> {
            crc.update(part);
            size += part.len() as u64;
            self.out.write_all(part)?;
            Ok(())
        };
        take(first)?;
        loop {
            match rest.read(&mut buffer)? {
                0 => break,
                length => take(&buffer[..length])?,
            }
        }
        self.at += size;
        header.crc = crc.finalize();
        header.size = u32::try_from(size).map_err(|_| too_large())?;
        header.packed = header.size;
        self.out.seek(SeekFrom::Start(header_at))?;
        self.out.write_all(&header.local(header_at))?;
        self.out.seek(SeekFrom::Start(self.at))?;
        self.list(&header, header_at)
    }

    fn begin(&mut self, header: &Header<'_>) -> Result<()> {
        let at = self.at;
        self.put(&header.local(at))?;
        self.list(header, at)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn list(&mut self, header: &Header<'_>, at: u64) -> Result<()> {
        if header.name.len() > usize::from(u16::MAX) {
            return Err(Error::new(format!("a name of {} bytes is too long", header.name.len())));
        }
        self.count += 1;
        if self.count > MAX_ENTRIES {
            let error = Error::new(format!("there are more than {MAX_ENTRIES} files, which no APK can hold"));
            return Err(error.hint("split the workspace, or push it to the phone instead"));
        }
        let offset = u32::try_from(at).map_err(|_| too_large())?;
        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(header.common());
        // No extra field, no comment, first disk, no attributes.
        self.directory.extend([0; 12]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(header.name.as_bytes());
        Ok(())
    }

    /// Ends the entries.
    pub fn finish(mut self) -> Result<(W, Directory)> {
        self.out.flush()?;
        Ok((self.out, Directory { at: self.at, bytes: self.directory, count: self.count as u16 }))
    }
}
