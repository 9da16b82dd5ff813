//! One file that holds several: a zip without compression, so that the same content gives the same bytes.

use std::collections::BTreeSet;
use std::fmt;

/// The names and contents of an archive.
pub type Entries = Vec<(String, Vec<u8>)>;

/// An archive may not be larger than this.
pub const MAX_SIZE: usize = 256 << 20;
/// The directory has two bytes for their number.
const MAX_ENTRIES: usize = u16::MAX as usize;
const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_LENGTH: usize = 22;

/// Why bytes are no archive of ours, or why entries cannot become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadArchive {
    pub message: String,
    pub hint: Option<&'static str>,
}

impl BadArchive {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }
}

impl fmt::Display for BadArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadArchive {}

/// Packs entries in their order; what could not be unpacked again is refused.
pub fn pack(entries: &Entries) -> Result<Vec<u8>, BadArchive> {
    if entries.len() > MAX_ENTRIES {
        let message = format!("{} files are more than an archive can hold, {MAX_ENTRIES}", entries.len());
        return Err(BadArchive::new(message));
    }
    if let Some((name, _)) = entries.iter().find(|(name, _)| name.len() > usize::from(u16::MAX)) {
        return Err(BadArchive::new(format!("a name of {} bytes is too long for an archive", name.len())));
    }
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in entries {
        if out.len().saturating_add(bytes.len()) > MAX_SIZE {
            return Err(too_large());
        }
        let offset = out.len() as u32;
        let crc = crc32(bytes);
        let mut header = Vec::new();
        // Version 2.0, UTF-8 names, stored, 1980-01-01: nothing that differs from run to run.
        for half in [20u16, 0x0800, 0, 0, 0x0021] {
            header.extend(half.to_le_bytes());
        }
        for word in [crc, bytes.len() as u32, bytes.len() as u32] {
            header.extend(word.to_le_bytes());
        }
        header.extend((name.len() as u16).to_le_bytes());
        header.extend(0u16.to_le_bytes());
        out.extend(LOCAL.to_le_bytes());
        out.extend(&header);
        out.extend(name.as_bytes());
        out.extend(bytes);
        directory.extend(CENTRAL.to_le_bytes());
        directory.extend(20u16.to_le_bytes());
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(END.to_le_bytes());
    out.extend([0; 4]);
    out.extend((entries.len() as u16).to_le_bytes());
    out.extend((entries.len() as u16).to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    if out.len() > MAX_SIZE {
        return Err(too_large());
    }
    Ok(out)
}

fn too_large() -> BadArchive {
    BadArchive::new(format!("the archive is larger than {} MiB", MAX_SIZE >> 20))
}

/// Unpacks files; names that would leave the folder, doubled names and wrong checksums are refused.
pub fn unpack(bytes: &[u8]) -> Result<Entries, BadArchive> {
    let bad = |message: &str| BadArchive::new(message);
    if bytes.len() > MAX_SIZE {
        return Err(too_large());
    }
    let end = bytes
        .windows(4)
        .rposition(|window| window == END.to_le_bytes())
        .filter(|end| end + END_LENGTH <= bytes.len())
        .ok_or_else(|| bad("this is no zip archive, or it is cut off"))?;
    let count = half(bytes, end + 10).ok_or_else(|| bad("the archive is cut off"))? as usize;
    let mut at = word(bytes, end + 16).ok_or_else(|| bad("the archive is cut off"))? as usize;
    let mut entries: Entries = Vec::new();
    let mut names = BTreeSet::new();
    let mut total = 0usize;
    for _ in 0..count {
        let (entry, next) = read_entry(bytes, at)?;
        total = total.saturating_add(entry.1.len());
        if total > MAX_SIZE {
            return Err(bad("the archive holds more than it may"));
        }
        at = next;
        if entry.0.ends_with('/') {
            // A folder, which other programs write down as well.
            continue;
        }
        if !names.insert(entry.0.clone()) {
            return Err(BadArchive::new(format!("'{}' is in the archive twice", entry.0)));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn read_entry(bytes: &[u8], at: usize) -> Result<((String, Vec<u8>), usize), BadArchive> {
    let cut = || BadArchive::new("the archive is cut off");
    if word(bytes, at) != Some(CENTRAL) {
        return Err(BadArchive::new("the directory of the archive is broken"));
    }
    let method = half(bytes, at + 10).ok_or_else(cut)?;
    let crc = word(bytes, at + 16).ok_or_else(cut)?;
    let (packed, size) = (word(bytes, at + 20).ok_or_else(cut)?, word(bytes, at + 24).ok_or_else(cut)?);
    let lengths = [half(bytes, at + 28), half(bytes, at + 30), half(bytes, at + 32)];
    let [Some(name_length), Some(extra), Some(comment)] = lengths else { return Err(cut()) };
    let offset = word(bytes, at + 42).ok_or_else(cut)? as usize;
    let name = bytes.get(at + 46..at + 46 + name_length as usize).ok_or_else(cut)?;
    let name = std::str::from_utf8(name).map_err(|_| BadArchive::new("a name is not UTF-8"))?;
    if !is_safe(name.strip_suffix('/').unwrap_or(name)) {
        return Err(BadArchive::new(format!("'{name}' would leave the folder")));
    }
    if method != 0 || packed != size {
        let message = "bundles are not compressed; this one was repacked";
        let hint = Some("unpack it and give the folder");
        return Err(BadArchive { hint, ..BadArchive::new(message) });
    }
    // What is said of a file twice must be the same, unless the one who packed it did not know it yet.
    let local = bytes.get(offset..offset.saturating_add(30)).ok_or_else(cut)?;
    let told_later = local[6] & 8 != 0;
    let name_again = bytes.get(offset + 30..).and_then(|rest| rest.get(..name_length as usize));
    let is_same = local[4..28] == bytes[at + 6..at + 30] && name_again == Some(name.as_bytes());
    if word(bytes, offset) != Some(LOCAL) || !(is_same || told_later) {
        return Err(BadArchive::new(format!("'{name}' is damaged")));
    }
    let local_name = half(bytes, offset.saturating_add(26)).ok_or_else(cut)? as usize;
    let local_extra = half(bytes, offset.saturating_add(28)).ok_or_else(cut)? as usize;
    let start = offset.saturating_add(30 + local_name + local_extra);
    let content = bytes.get(start..start.saturating_add(size as usize)).ok_or_else(cut)?;
    if crc32(content) != crc {
        return Err(BadArchive::new(format!("'{name}' is damaged")));
    }
    let next = at + 46 + name_length as usize + extra as usize + comment as usize;
    Ok(((name.to_owned(), content.to_vec()), next))
}

/// A name that stays inside of the folder it is unpacked into.
fn is_safe(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['\\', ':', '\0'])
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?).map(|b| u16::from_le_bytes([b[0], b[1]]))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            let mut value = index as u32;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
                bit += 1;
            }
            table[index] = value;
            index += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, byte| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Entries {
        vec![("a.txt".to_owned(), b"hello".to_vec()), ("b/c.bin".to_owned(), vec![0, 1, 2])]
    }

    #[test]
    fn what_is_packed_comes_back() {
        assert_eq!(unpack(&pack(&entries()).unwrap()), Ok(entries()));
        assert_eq!(pack(&entries()), pack(&entries()));
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in ["../x", "/x", "a/../../x", "a\\b", "c:x", ""] {
            let packed = pack(&vec![(name.to_owned(), Vec::new())]).unwrap();
            assert!(unpack(&packed).is_err(), "{name}");
        }
    }

    #[test]
    fn doubled_names_and_compression_are_refused() {
        let twice = pack(&vec![("a".to_owned(), Vec::new()), ("a".to_owned(), Vec::new())]).unwrap();
        assert_eq!(unpack(&twice), Err(BadArchive::new("'a' is in the archive twice")));
        let mut packed = pack(&vec![("a".to_owned(), b"xx".to_vec())]).unwrap();
        let directory = packed.windows(4).position(|window| window == CENTRAL.to_le_bytes()).unwrap();
        packed[directory + 10] = 8;
        let refused = unpack(&packed).unwrap_err();
        assert_eq!(refused.message, "bundles are not compressed; this one was repacked");
        assert_eq!(refused.hint, Some("unpack it and give the folder"));
    }

    #[test]
    fn folders_of_other_programs_are_no_files() {
        let packed = pack(&vec![("b/".to_owned(), Vec::new()), ("b/c".to_owned(), vec![1])]).unwrap();
        assert_eq!(unpack(&packed), Ok(vec![("b/c".to_owned(), vec![1])]));
        for name in ["/", "../", "b//"] {
            let packed = pack(&vec![(name.to_owned(), Vec::new())]).unwrap();
            assert!(unpack(&packed).is_err(), "{name}");
        }
    }

    #[test]
    fn what_could_not_be_unpacked_is_not_packed() {
        let files = |count: usize| (0..count).map(|number| (number.to_string(), Vec::new())).collect();
        let most: Entries = files(65_535);
        assert_eq!(unpack(&pack(&most).unwrap()), Ok(most));
        let refused = pack(&files(65_536)).unwrap_err();
        assert_eq!(refused.message, "65536 files are more than an archive can hold, 65535");
        let large = pack(&vec![("a".to_owned(), vec![0; MAX_SIZE + 1])]);
        assert_eq!(large, Err(BadArchive::new("the archive is larger than 256 MiB")));
    }

    /// Every entry of the directory means the same bytes, which makes a small file large.
    #[test]
    fn a_bomb_is_refused() {
        let mut packed = pack(&vec![("a".to_owned(), vec![0; 1 << 20])]).unwrap();
        let directory = packed.windows(4).position(|window| window == CENTRAL.to_le_bytes()).unwrap();
        let entry = packed[directory..packed.len() - END_LENGTH].to_vec();
        packed.truncate(directory);
        for number in 0..600u16 {
            let mut entry = entry.clone();
            entry.splice(46.., format!("{number:04}").into_bytes());
            entry[28] = 4;
            packed.extend(entry);
        }
        packed.extend(END.to_le_bytes());
        packed.extend([0; 4]);
        packed.extend([600u16.to_le_bytes(), 600u16.to_le_bytes()].concat());
        packed.extend(0u32.to_le_bytes());
        packed.extend((directory as u32).to_le_bytes());
        packed.extend(0u16.to_le_bytes());
        assert_eq!(unpack(&packed), Err(BadArchive::new("'0000' is damaged")));
        // Now the file itself does not say what it is.
        packed[6] |= 8;
        assert_eq!(unpack(&packed), Err(BadArchive::new("the archive holds more than it may")));
    }

    #[test]
    fn damage_is_found() {
        let packed = pack(&entries()).unwrap();
        for length in 0..packed.len() {
            assert!(unpack(&packed[..length]).is_err(), "cut at {length}");
        }
        let mut flipped = packed.clone();
        flipped[36] ^= 1;
        assert_eq!(unpack(&flipped), Err(BadArchive::new("'a.txt' is damaged")));
        // Wherever a bit is flipped, either it is found or it does not matter: the system that packed it, say.
        let not_found = (0..packed.len())
            .filter(|at| {
                let mut flipped = packed.clone();
                flipped[*at] ^= 0x20;
                let unpacked = unpack(&flipped);
                assert!(unpacked.is_err() || unpacked == Ok(entries()), "{at}");
                unpacked.is_ok()
            })
            .count();
        assert!(not_found < packed.len() / 5, "{not_found} of {}", packed.len());
    }
}
