//! A place for what a task throws away.

use std::fs;
use std::path::PathBuf;

/// An empty folder that is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct TempFolder {
    pub(crate) path: PathBuf,
}

impl TempFolder {
    pub(crate) fn new(purpose: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("trailblaze-{purpose}-{}", std::process::id()));
        // Left over from a killed task whose process id came around again.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // It lies in the system's folder for such files: what stays is removed by the system.
        let _ = fs::remove_dir_all(&self.path);
    }
}
