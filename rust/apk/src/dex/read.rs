//! Reading what a dex file defines.

use std::collections::BTreeSet;

use sha1::{Digest, Sha1};

use super::write::TEST;
use super::{ENDIAN, HEADER, NO_INDEX, adler32, at};
use crate::bytes::{half, index, word};
use crate::error::{Error, Result};

/// A dex file whose sums are right.
#[derive(Clone, Debug)]
pub struct Dex {
    bytes: Vec<u8>,
    pub classes: Vec<Class>,
}

/// A class that a dex file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// `Lcom/example/Tool;`
    pub descriptor: String,
    /// The methods that JUnit takes for tests.
    pub tests: BTreeSet<String>,
}

impl Dex {
    pub fn read(bytes: Vec<u8>) -> Result<Self> {
        let error = |message: &str| Error::new(message);
        let is_dex = bytes.len() >= HEADER && bytes.starts_with(b"dex\n0") && bytes[7] == 0;
        if !is_dex {
            return Err(error("this is no dex file").hint("'d8' of the Android SDK makes one of class files"));
        }
        if index(&bytes, at::FILE_SIZE) != Some(bytes.len()) || word(&bytes, at::ENDIAN) != Some(ENDIAN) {
            return Err(error("the dex file is cut off"));
        }
        if word(&bytes, at::CHECKSUM) != Some(adler32(&bytes[at::SIGNATURE..])) {
            return Err(error("the checksum of the dex file is wrong"));
        }
        if Sha1::digest(&bytes[at::FILE_SIZE..])[..] != bytes[at::SIGNATURE..at::FILE_SIZE] {
            return Err(error("the signature of the dex file is wrong"));
        }
        let mut dex = Self { bytes, classes: Vec::new() };
        dex.classes = dex.all_classes().ok_or_else(|| error("a class of the dex file is broken"))?;
        Ok(dex)
    }

    pub fn defines(&self, descriptor: &str) -> bool {
        self.classes.iter().any(|class| class.descriptor == descriptor)
    }

    /// Whether everything lies in the order and at the places that ART asks for.
    pub fn check_layout(&self) -> Result<()> {
        super::layout::check(self)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many items a table has, and where they are.
    pub(super) fn table(&self, place: usize) -> Option<(usize, usize)> {
        Some((index(&self.bytes, place)?, index(&self.bytes, place + 4)?))
    }

    /// The bytes of a string.
    pub(super) fn string(&self, string: usize) -> Option<&[u8]> {
        let (count, start) = self.table(at::STRINGS)?;
        let mut place = (string < count).then(|| index(&self.bytes, start + 4 * string))??;
        uleb(&self.bytes, &mut place)?;
        let rest = self.bytes.get(place..)?;
        rest.split(|byte| *byte == 0).next()
    }

    fn type_(&self, type_: usize) -> Option<String> {
        let (count, start) = self.table(at::TYPES)?;
        let string = (type_ < count).then(|| index(&self.bytes, start + 4 * type_))??;
        Some(String::from_utf8_lossy(self.string(string)?).into_owned())
    }

    fn all_classes(&self) -> Option<Vec<Class>> {
        let (count, start) = self.table(at::CLASSES)?;
        (0..count).map(|class| self.class(start + 32 * class)).collect()
    }

    fn class(&self, definition: usize) -> Option<Class> {
        let descriptor = self.type_(index(&self.bytes, definition)?)?;
        let notes = index(&self.bytes, definition + 20)?;
        let tests = if notes == 0 { BTreeSet::new() } else { self.tests(notes)? };
        Some(Class { descriptor, tests })
    }

    fn tests(&self, notes: usize) -> Option<BTreeSet<String>> {
        let number = |place: usize| index(&self.bytes, place);
        let (fields, methods) = (number(notes + 4)?, number(notes + 8)?);
        let start = notes.checked_add(16)?.checked_add(fields.checked_mul(8)?)?;
        let mut tests = BTreeSet::new();
        for method in 0..methods {
            let entry = start.checked_add(8 * method)?;
            if self.is_test(number(entry + 4)?)? {
                let (count, table) = self.table(at::METHODS)?;
                let method = number(entry)?;
                let name = (method < count).then(|| number(table + 8 * method + 4))??;
                tests.insert(String::from_utf8_lossy(self.string(name)?).into_owned());
            }
        }
        Some(tests)
    }

    fn is_test(&self, set: usize) -> Option<bool> {
        for annotation in 0..index(&self.bytes, set)? {
            let mut place = index(&self.bytes, set.checked_add(4 + 4 * annotation)?)?.checked_add(1)?;
            if self.type_(uleb(&self.bytes, &mut place)? as usize)? == TEST {
                return Some(true);
            }
        }
        Some(false)
    }
}

pub(super) fn uleb(bytes: &[u8], place: &mut usize) -> Option<u32> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(*place)?;
        *place += 1;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

pub(super) fn short(bytes: &[u8], place: usize) -> Option<usize> {
    half(bytes, place).map(usize::from)
}

pub(super) fn is_none(index: usize) -> bool {
    index == NO_INDEX as usize
}
