//! Where things are: the checkout and the cache.

use std::env;
use std::path::{Path, PathBuf};

/// The folders that tasks work in.
#[derive(Debug)]
pub(crate) struct Place {
    /// The root of the checkout.
    pub(crate) root: PathBuf,
    /// Tools and builds that outlive a checkout.
    pub(crate) cache: PathBuf,
}

impl Place {
    pub(crate) fn find() -> Result<Self, String> {
        Ok(Self { root: root()?, cache: cache()? })
    }

    /// Where the programs that tests need are installed.
    pub(crate) fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }

    /// A program in the cache, whether it is there or not.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        self.tools().join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}

/// Asked at run time: a path that was compiled in would point into another checkout when both share a build folder.
fn root() -> Result<PathBuf, String> {
    let start = match env::var_os("CARGO_MANIFEST_DIR") {
        Some(xtask) => PathBuf::from(xtask),
        None => env::current_dir().map_err(|error| format!("the current folder cannot be read: {error}"))?,
    };
    let is_root = |folder: &&Path| folder.join("xtask").join("Cargo.toml").is_file();
    start
        .ancestors()
        .find(is_root)
        .map(Path::to_path_buf)
        .ok_or_else(|| format!("{} is not inside a checkout of Trailblaze", start.display()))
}

fn cache() -> Result<PathBuf, String> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("TRAILBLAZE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("trailblaze")))
        .or_else(|| env::home_dir().map(|home| home.join(".cache").join("trailblaze")))
        .ok_or("no home folder; set TRAILBLAZE_CACHE to a folder for builds and tools")?;
    std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}
