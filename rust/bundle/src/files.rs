//! Where sources are read from, and the names they have.
//!
//! A source is known by its path from the workspace's folder, with `/`: `tools/login.ts`, or `../shared/a.ts`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Reads the files of a workspace by their names.
pub trait Files {
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// The names of the files in a folder, without the folder; for hints.
    fn list(&self, folder: &str) -> Vec<String>;

    fn exists(&self, name: &str) -> bool;
}

/// Files under a folder.
#[derive(Clone, Debug)]
pub struct Disk {
    pub root: PathBuf,
}

impl Disk {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl Files for Disk {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.root.join(name))
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return Vec::new() };
        let files = entries.flatten().filter(|entry| entry.path().is_file());
        let mut names: Vec<String> =
            files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn exists(&self, name: &str) -> bool {
        self.root.join(name).is_file()
    }
}

/// Files that are given as texts.
impl Files for BTreeMap<String, String> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.get(name).map(|text| text.clone().into_bytes()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let inside = self.keys().filter(|name| crate::files::folder(name) == folder);
        inside.map(|name| file_name(name).to_owned()).collect()
    }

    fn exists(&self, name: &str) -> bool {
        self.contains_key(name)
    }
}

/// `tools` for `tools/login.ts`; empty for a file in the root.
pub(crate) fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn file_name(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, file)| file)
}

/// A relative path seen from a folder, without `.` and, where that is possible, without `..`.
pub(crate) fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The name of a file on disk as it is seen from the workspace.
pub(crate) fn name_of(root: &Path, path: &Path) -> String {
    let part =
        |path: &Path| path.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    let (root, path): (Vec<String>, Vec<String>) = (part(root), part(path));
    let common = root.iter().zip(&path).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), root.len() - common);
    up.chain(path[common..].iter().cloned()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_detours() {
        assert_eq!(join("tools/a", "./b.ts"), "tools/a/b.ts");
        assert_eq!(join("tools/a", "../b.ts"), "tools/b.ts");
        assert_eq!(join("tools", "../../b.ts"), "../b.ts");
        assert_eq!(join("../x", "../b.ts"), "../b.ts");
        assert_eq!(join("", "a//./b.ts"), "a/b.ts");
    }

    #[test]
    fn a_name_is_seen_from_the_workspace() {
        assert_eq!(name_of(Path::new("/w"), Path::new("/w/tools/a.ts")), "tools/a.ts");
        assert_eq!(name_of(Path::new("/w/x"), Path::new("/w/node_modules/a.js")), "../node_modules/a.js");
    }
}
