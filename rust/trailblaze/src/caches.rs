//! The folder of the user in which things are kept that cost time to make.

use std::path::PathBuf;

use crate::env_vars;

/// A folder of our own among the user's caches, whether it is there or not; none when the user has no such place.
pub fn folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let caches = env_vars::XDG_CACHE_HOME.path().and_then(absolute).or_else(|| {
        let home = env_vars::HOME.path().and_then(absolute)?;
        Some(if cfg!(target_os = "macos") {
            home.join("Library").join("Caches")
        } else {
            home.join(".cache")
        })
    })?;
    Some(caches.join("trailblaze"))
}

/// A folder in there that nobody else can write into, made when it is not there; none when that cannot be had.
pub fn private(name: &str) -> Option<PathBuf> {
    let folder = folder()?.join(name);
    only_ours::create(&folder).ok()?;
    Some(folder)
}

#[cfg(unix)]
mod only_ours {
    use std::fs::{self, DirBuilder};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    use std::path::Path;

    /// It is an error when it is there and others can write into it.
    pub(super) fn create(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        match fs::metadata(folder)?.mode() & 0o022 {
            0 => Ok(()),
            _ => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

#[cfg(not(unix))]
mod only_ours {
    use std::io;
    use std::path::Path;

    /// What lies in a user's folder is the user's already.
    pub(super) fn create(folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)
    }
}
