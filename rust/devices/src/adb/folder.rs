//! Whole folders to the phone and from it.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::error::{Error, ErrorKind};
use super::stat::{FileKind, Stat};
use super::sync::Sync;

/// Deeper than this, a tree has no end.
const DEEPEST: usize = 64;

/// How much was moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub files: usize,
    pub bytes: u64,
}

impl Sync {
    /// Pushes one file, with its permissions and its time.
    pub fn push_file(&mut self, from: &Path, to: &str) -> Result<u64, Error> {
        let read = || {
            let file = File::open(from)?;
            let found = file.metadata()?;
            let mtime = found.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            Ok((file, found.permissions().mode(), u32::try_from(mtime).unwrap_or(u32::MAX)))
        };
        let (mut file, mode, mtime) = read().map_err(|error| local(from, "read", &error))?;
        self.push(&mut file, to, mode & 0o777, mtime)
    }

    /// Pushes the files of a folder that are wanted, by their paths from there. Folders without files, and links to
    /// folders, are left out.
    pub fn push_folder(
        &mut self,
        from: &Path,
        to: &str,
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> Result<Moved, Error> {
        let mut moved = Moved::default();
        self.push_below(from, Path::new(""), to, is_wanted, &mut moved)?;
        Ok(moved)
    }

    fn push_below(
        &mut self,
        root: &Path,
        below: &Path,
        to: &str,
        is_wanted: &dyn Fn(&Path) -> bool,
        moved: &mut Moved,
    ) -> Result<(), Error> {
        let folder = root.join(below);
        let unread = |error: &_| local(&folder, "read", error);
        let entries = fs::read_dir(&folder).map_err(|error| unread(&error))?;
        let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(|error| unread(&error))?;
        // The same folder is pushed in the same order, whatever the disk thinks.
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let below = below.join(entry.file_name());
            if !is_wanted(&below) {
                continue;
            }
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_str().ok_or_else(|| {
                let message = format!("{} has a name that a phone cannot have", path.display());
                Error::new(ErrorKind::Local, message).hint("rename it: its name is no UTF-8")
            })?;
            let to = format!("{to}/{name}");
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.push_below(root, &below, &to, is_wanted, moved)?;
            } else if path.is_file() {
                moved.bytes += self.push_file(&path, &to)?;
                moved.files += 1;
            }
        }
        Ok(())
    }

    /// Pulls one file. One that fails leaves nothing behind.
    pub fn pull_file(&mut self, from: &str, to: &Path) -> Result<u64, Error> {
        let file = File::create(to).map_err(|error| local(to, "written", &error))?;
        let mut file = BufWriter::new(file);
        let pulled = self.pull(from, &mut file).and_then(|bytes| {
            file.flush().map_err(|error| local(to, "written", &error))?;
            Ok(bytes)
        });
        if pulled.is_err() {
            // Half a file must not look like a whole one.
            let _ = fs::remove_file(to);
        }
        pulled
    }

    /// Pulls a folder with all that is in it. Links to folders are left out.
    pub fn pull_folder(&mut self, from: &str, to: &Path) -> Result<Moved, Error> {
        let mut moved = Moved::default();
        match self.stat(from)?.as_ref().map(Stat::kind) {
            Some(FileKind::Folder | FileKind::Link) => self.pull_below(from, to, 0, &mut moved)?,
            found => {
                let why = if found.is_some() { "is no folder" } else { "is not there" };
                return Err(Error::new(ErrorKind::NoFile, format!("'{from}' {why} on the phone")));
            }
        }
        Ok(moved)
    }

    fn pull_below(&mut self, from: &str, to: &Path, depth: usize, moved: &mut Moved) -> Result<(), Error> {
        if depth > DEEPEST {
            let message = format!("'{from}' lies deeper than {DEEPEST} folders");
            return Err(Error::new(ErrorKind::Refused, message));
        }
        fs::create_dir_all(to).map_err(|error| local(to, "made", &error))?;
        for entry in self.list(from)? {
            // A name comes from the phone, and must not lead out of the folder.
            if entry.name.is_empty() || entry.name.contains(['/', '\0']) {
                let message = format!("'{from}' has a file with a name that is none: {:?}", entry.name);
                return Err(Error::new(ErrorKind::Protocol, message));
            }
            let (path, here) = (format!("{from}/{}", entry.name), to.join(&entry.name));
            let kind = match entry.stat.kind() {
                FileKind::Link => {
                    self.stat(&path)?.map(|stat| stat.kind()).filter(|kind| *kind == FileKind::File)
                }
                kind => Some(kind),
            };
            match kind {
                Some(FileKind::Folder) => self.pull_below(&path, &here, depth + 1, moved)?,
                Some(FileKind::File) => {
                    moved.bytes += self.pull_file(&path, &here)?;
                    moved.files += 1;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn local(path: &Path, done: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Local, format!("{} cannot be {done}: {error}", path.display()))
}
