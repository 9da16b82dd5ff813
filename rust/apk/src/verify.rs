//! Reading a packed APK with nothing taken on trust.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::bytes::put;
use crate::certificate::Certificate;
use crate::dex::Dex;
use crate::error::{Error, Result};
use crate::manifest::{Facts, Manifest};
use crate::sign::{self, Part};
use crate::zip::{Archive, END_OFFSET, Entry};
use crate::{MANIFEST, MAX_DEX, MAX_MANIFEST};

/// A block of signatures that is larger than this is none of ours.
const MAX_BLOCK: u64 = 1 << 20;

/// What a packed APK is.
#[derive(Clone, Debug)]
pub struct Verified {
    pub facts: Facts,
    /// The tests that a farm finds, as `class#method`.
    pub tests: Vec<String>,
    pub entries: Vec<Entry>,
    pub bytes: u64,
    /// The certificate of who signed, as DER.
    pub certificate: Vec<u8>,
}

/// Checks everything: the zip and its alignment, both signatures over all of it, every entry, the dex files and the
/// manifest. A changed byte anywhere is an error.
pub fn verify(path: &Path) -> Result<Verified> {
    let mut archive = Archive::open(File::open(path)?)?;
    let entries_end = archive.check_layout()?;
    let certificate = signatures(path, &archive, entries_end)?;
    let mut tests = Vec::new();
    let mut found = None;
    for entry in archive.entries.clone() {
        if entry.name == MANIFEST {
            found = Some(Manifest::read(&archive.read(&entry, MAX_MANIFEST)?)?.facts()?);
        } else if is_dex(&entry.name) {
            let bytes = archive.read(&entry, MAX_DEX)?;
            let dex = Dex::read(bytes).map_err(|error| error.of(&entry.name))?;
            let before = tests.len();
            for class in &dex.classes {
                let name = class.descriptor.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
                tests.extend(class.tests.iter().map(|test| format!("{name}#{test}")));
            }
            if tests.len() > before {
                dex.check_layout().map_err(|error| error.of(&entry.name))?;
            }
        } else {
            archive.copy(&entry, &mut std::io::sink())?;
        }
    }
    let facts = found.ok_or_else(|| Error::new("there is no manifest"))?;
    let bytes = std::fs::metadata(path)?.len();
    Ok(Verified { facts, tests, entries: archive.entries, bytes, certificate: certificate.der })
}

/// `classes.dex`, `classes2.dex` and so on.
pub(crate) fn is_dex(name: &str) -> bool {
    let number = name.strip_prefix("classes").and_then(|rest| rest.strip_suffix(".dex"));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn signatures(path: &Path, archive: &Archive<File>, entries_end: u64) -> Result<Certificate> {
    let mut file = File::open(path)?;
    let not_signed = || Error::new("the APK is not signed by v2 and v3");
    let mut read = |from: u64, to: u64| -> Result<Vec<u8>> {
        let mut bytes = vec![0; (to - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let from = archive.directory.checked_sub(24).ok_or_else(not_signed)?;
    let last = read(from, archive.directory)?.try_into().map_err(|_| not_signed())?;
    let size = sign::size_before(&last).ok_or_else(not_signed)?;
    if size > MAX_BLOCK || archive.directory.checked_sub(size) != Some(entries_end) {
        return Err(Error::new("there is something between the entries and the signatures"));
    }
    let block = read(entries_end, archive.directory)?;
    let mut end = read(archive.end, path.metadata()?.len())?;
    // What is signed does not know yet that the block comes in between.
    let offset = u32::try_from(entries_end).map_err(|_| not_signed())?;
    put(&mut end, END_OFFSET, offset);
    let parts = [Part::File(0, entries_end), Part::File(archive.directory, archive.end), Part::Bytes(&end)];
    sign::check(&block, &sign::digest(path, &parts)?)
}
