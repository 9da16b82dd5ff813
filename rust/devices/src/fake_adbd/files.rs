//! The files of a phone: in memory, or a folder of this machine.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

const FOLDER: u32 = 0o040_755;
const REGULAR: u32 = 0o100_000;

/// What is known about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// With the bits that say what it is.
    pub mode: u32,
    pub size: u64,
    /// In seconds.
    pub mtime: u32,
}

/// A tree of files, by absolute paths of the phone.
pub trait Files: Send + Sync {
    fn stat(&self, path: &str, follows_links: bool) -> io::Result<Node>;
    fn list(&self, path: &str) -> io::Result<Vec<(String, Node)>>;
    fn read(&self, path: &str) -> io::Result<Box<dyn Read + Send>>;
    /// Makes a file, with the folders around it.
    fn create(&self, path: &str) -> io::Result<Box<dyn Write + Send>>;
    /// Sets what is known about a file that is complete.
    fn finish(&self, path: &str, permissions: u32, mtime: u32) -> io::Result<()>;
    fn remove(&self, path: &str);
}

/// A tree in memory. A clone is the same tree.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Tree>>);

#[derive(Debug, Default)]
struct Tree {
    files: BTreeMap<String, (Node, Arc<Vec<u8>>)>,
    /// How many bytes fit; none is no limit.
    room: Option<usize>,
}

impl Memory {
    /// One that is full after so many bytes.
    pub fn with_room(bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Tree { room: Some(bytes), ..Tree::default() })))
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a file there; the mode has the bits that say what it is.
    pub fn put(&self, path: &str, mode: u32, mtime: u32, content: impl Into<Vec<u8>>) {
        let content = content.into();
        let node = Node { mode, size: content.len() as u64, mtime };
        self.tree().files.insert(path.to_owned(), (node, Arc::new(content)));
    }

    pub fn get(&self, path: &str) -> Option<(Node, Arc<Vec<u8>>)> {
        self.tree().files.get(path).cloned()
    }

    pub fn paths(&self) -> Vec<String> {
        self.tree().files.keys().cloned().collect()
    }
}

impl Tree {
    fn stat(&self, path: &str) -> Option<Node> {
        let path = path.trim_end_matches('/');
        match self.files.get(path) {
            Some((node, _)) => Some(*node),
            None => {
                let inside = format!("{path}/");
                let is_folder = self.files.keys().any(|file| file.starts_with(&inside));
                is_folder.then_some(Node { mode: FOLDER, size: 4096, mtime: 0 })
            }
        }
    }
}

impl Files for Memory {
    fn stat(&self, path: &str, _follows_links: bool) -> io::Result<Node> {
        self.tree().stat(path).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn list(&self, path: &str) -> io::Result<Vec<(String, Node)>> {
        let tree = self.tree();
        let inside = format!("{}/", path.trim_end_matches('/'));
        let names = tree.files.keys().filter_map(|file| file.strip_prefix(&inside)?.split('/').next());
        let mut names: Vec<&str> = names.collect();
        names.dedup();
        let node = |name: &str| Some((name.to_owned(), tree.stat(&format!("{inside}{name}"))?));
        Ok(names.into_iter().filter_map(node).collect())
    }

    fn read(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let (node, content) = self.get(path).ok_or(io::ErrorKind::NotFound)?;
        if node.mode & 0o170_000 != REGULAR {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Box::new(io::Cursor::new(Arc::unwrap_or_clone(content))))
    }

    fn create(&self, path: &str) -> io::Result<Box<dyn Write + Send>> {
        self.put(path, REGULAR, 0, []);
        Ok(Box::new(Growing { memory: self.clone(), path: path.to_owned() }))
    }

    fn finish(&self, path: &str, permissions: u32, mtime: u32) -> io::Result<()> {
        if let Some((node, content)) = self.tree().files.get_mut(path) {
            *node = Node { mode: REGULAR | permissions, size: content.len() as u64, mtime };
        }
        Ok(())
    }

    fn remove(&self, path: &str) {
        self.tree().files.remove(path);
    }
}

/// A file that is being written.
struct Growing {
    memory: Memory,
    path: String,
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut tree = self.memory.tree();
        if let Some(room) = &mut tree.room {
            *room = room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        }
        let (_, content) = tree.files.get_mut(&self.path).ok_or(io::ErrorKind::NotFound)?;
        Arc::make_mut(content).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder of this machine, as the root of the phone.
impl Files for PathBuf {
    fn stat(&self, path: &str, follows_links: bool) -> io::Result<Node> {
        let path = here(self, path);
        let found = if follows_links { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
        Ok(Node { mode: found.mode(), size: found.size(), mtime: u32::try_from(found.mtime()).unwrap_or(0) })
    }

    fn list(&self, path: &str) -> io::Result<Vec<(String, Node)>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(here(self, path))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if let Ok(node) = self.stat(&format!("{path}/{name}"), false) {
                all.push((name, node));
            }
        }
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(all)
    }

    fn read(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let path = here(self, path);
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Box::new(fs::File::open(path)?))
    }

    fn create(&self, path: &str) -> io::Result<Box<dyn Write + Send>> {
        let path = here(self, path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(Box::new(fs::File::create(path)?))
    }

    fn finish(&self, path: &str, permissions: u32, mtime: u32) -> io::Result<()> {
        let path = here(self, path);
        fs::set_permissions(&path, Permissions::from_mode(permissions))?;
        fs::File::open(path)?.set_modified(UNIX_EPOCH + Duration::from_secs(mtime.into()))
    }

    fn remove(&self, path: &str) {
        // It may never have been there.
        let _ = fs::remove_file(here(self, path));
    }
}

fn here(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
