//! A folder that is gone when it is dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug)]
pub(super) struct TempFolder {
    path: PathBuf,
}

impl TempFolder {
    pub(super) fn new() -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let base = fs::canonicalize(std::env::temp_dir())?;
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("trailblaze-bundle-{}-{number}", process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // What is left over lies where systems clean up by themselves.
        let _ = fs::remove_dir_all(&self.path);
    }
}
