//! How reports reach the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The first error of a report. A run is not stopped by a full disk; it says so at the end.
#[derive(Debug, Default)]
pub(crate) struct FirstError {
    seen: bool,
    error: Option<io::Error>,
}

impl FirstError {
    pub(crate) fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && !self.seen
        {
            self.seen = true;
            self.error = Some(error);
        }
    }

    pub(crate) const fn seen(&self) -> bool {
        self.seen
    }

    /// The error, once.
    pub(crate) fn take(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// A file that is replaced as a whole: whoever reads it sees the old text or the new one.
#[derive(Debug)]
pub(crate) struct WholeFile {
    path: PathBuf,
    beside: PathBuf,
}

impl WholeFile {
    /// Refuses what a rename would destroy, such as `/dev/stdout`.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        // A link stays a link: the file behind it is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.exists() && !path.is_file() {
            return Err(io::Error::other(format!("{}: not a regular file", path.display())));
        }
        let Some(name) = path.file_name() else {
            return Err(io::Error::other(format!("{}: not the name of a file", path.display())));
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".tmp");
        Ok(Self { beside: path.with_file_name(hidden), path })
    }

    pub(crate) fn replace(&self, text: &[u8]) -> io::Result<()> {
        let written = fs::write(&self.beside, text).and_then(|()| fs::rename(&self.beside, &self.path));
        written.map_err(|error| {
            // Nothing half-written stays; if it was never created, there is nothing to remove.
            let _ = fs::remove_file(&self.beside);
            io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn a_file_is_replaced_and_nothing_stays_beside_it() {
        let folder = Folder::new("output");
        let file = WholeFile::new(&folder.path("out.xml")).unwrap();
        file.replace(b"one").unwrap();
        file.replace(b"two").unwrap();
        assert_eq!(folder.read("out.xml"), "two");
        assert_eq!(folder.names(), ["out.xml"]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let folder = Folder::new("output-missing");
        let error = WholeFile::new(&folder.path("no/out.xml")).unwrap().replace(b"").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("no/out.xml"), "{error}");
    }

    #[test]
    fn what_is_not_a_file_is_refused() {
        let folder = Folder::new("output-folder");
        let error = WholeFile::new(&folder.path("")).unwrap_err();
        assert!(error.to_string().ends_with("not a regular file"), "{error}");
        assert!(WholeFile::new(Path::new("/")).is_err());
    }

    #[test]
    fn the_first_error_is_the_one_that_is_told() {
        let mut error = FirstError::default();
        error.note(Ok(()));
        error.note(Err(io::Error::other("first")));
        error.note(Err(io::Error::other("second")));
        assert_eq!(error.take().unwrap_err().to_string(), "first");
        assert!(error.take().is_ok());
    }
}
