//! What a phone knows about a file.

/// A file, a folder or something else on the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// With the bits that say what it is.
    pub mode: u32,
    /// Before Android 8 only its lower 32 bits are known.
    pub size: u64,
    /// In seconds since 1970.
    pub mtime: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device
    Other,
}

/// One line of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// Links are not followed.
    pub stat: Stat,
}

impl Stat {
    pub fn kind(&self) -> FileKind {
        match self.mode & 0o170_000 {
            0o100_000 => FileKind::File,
            0o040_000 => FileKind::Folder,
            0o120_000 => FileKind::Link,
            _ => FileKind::Other,
        }
    }

    pub fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// Mode, size and time; all of them 0 where there is no file.
    pub(super) fn of_old(bytes: &[u8; 12]) -> Option<Self> {
        let (words, _) = bytes.as_chunks::<4>();
        let [mode, size, mtime] = std::array::from_fn(|index| u32::from_le_bytes(words[index]));
        let stat = Self { mode, size: size.into(), mtime: mtime.into() };
        (mode != 0).then_some(stat)
    }

    /// Or the number of what went wrong.
    pub(super) fn of_new(bytes: &[u8; NEW]) -> Result<Self, u32> {
        let word = |at: usize| std::array::from_fn(|index| bytes[at + index]);
        let long = |at: usize| std::array::from_fn(|index| bytes[at + index]);
        match u32::from_le_bytes(word(0)) {
            0 => Ok(Self {
                mode: u32::from_le_bytes(word(20)),
                size: u64::from_le_bytes(long(36)),
                mtime: i64::from_le_bytes(long(52)),
            }),
            error => Err(error),
        }
    }
}

/// Error, device, inode, mode, links, owner, group, size and three times.
pub(super) const NEW: usize = 4 + 8 + 8 + 4 * 4 + 8 + 3 * 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_more_than_four_gigabytes() {
        let mut bytes = [0; NEW];
        bytes[20..24].copy_from_slice(&0o100_644u32.to_le_bytes());
        bytes[36..44].copy_from_slice(&0x1_2345_6789u64.to_le_bytes());
        bytes[52..60].copy_from_slice(&1_700_000_000i64.to_le_bytes());
        let stat = Stat { mode: 0o100_644, size: 0x1_2345_6789, mtime: 1_700_000_000 };
        assert_eq!(Stat::of_new(&bytes), Ok(stat));
        bytes[0] = 13;
        assert_eq!(Stat::of_new(&bytes), Err(13));
    }

    #[test]
    fn what_it_is() {
        for (mode, kind) in [
            (0o100_644, FileKind::File),
            (0o040_755, FileKind::Folder),
            (0o120_777, FileKind::Link),
            (0o140_600, FileKind::Other),
        ] {
            assert_eq!(Stat { mode, size: 0, mtime: 0 }.kind(), kind);
        }
    }
}
