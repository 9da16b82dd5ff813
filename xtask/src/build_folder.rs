//! The build folder that child cargo commands share, in the cache.
//!
//! Cargo tells the crates of two checkouts apart by nothing: with one build folder for both, it takes the files
//! of the one for fresh builds of the other, and tests pass on code that is not there. So a folder belongs to
//! one checkout at a time: it is locked while a task runs, and when it changes hands the crates of the workspace
//! are thrown out of it. The dependencies, which are most of the build, stay.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::android::{PROFILE as ANDROID, TARGETS};
use crate::place::Place;
use crate::process::{Cmd, cargo};

/// At most this many tasks at a time build in one cache.
const FOLDERS: usize = 8;

/// A build folder, held until this is dropped.
#[derive(Debug)]
pub(crate) struct BuildFolder {
    path: PathBuf,
    /// None when the user chose the folder; then it is the user's to share.
    lock: Option<File>,
}

impl BuildFolder {
    /// `CARGO_TARGET_DIR` where it is set, else `target` in the cache, or `target-2` and so on while others build.
    pub(crate) fn take(place: &Place) -> Result<Self, String> {
        if let Some(path) = std::env::var_os("CARGO_TARGET_DIR").filter(|path| !path.is_empty()) {
            let path = std::path::absolute(path).map_err(|error| format!("CARGO_TARGET_DIR: {error}"))?;
            return Ok(Self { path, lock: None });
        }
        let mut free = Vec::new();
        for number in 1..=FOLDERS {
            let name = if number == 1 { "target".to_owned() } else { format!("target-{number}") };
            let path = place.cache.join(name);
            if !path.exists() && !free.is_empty() {
                break;
            }
            let Some(lock) = try_lock(&path)? else { continue };
            if read_owner(&lock)? == place.root.to_string_lossy() {
                return Ok(Self { path, lock: Some(lock) });
            }
            free.push((path, lock));
        }
        if free.is_empty() {
            return Err(format!("all {FOLDERS} build folders in {} are in use", place.cache.display()));
        }
        let (path, lock) = free.swap_remove(0);
        Self { path, lock: Some(lock) }.change_hands(place)
    }

    /// A cargo command that builds here.
    pub(crate) fn cargo(&self, place: &Place) -> Cmd {
        self.set(cargo(place))
    }

    /// Makes a command build here.
    pub(crate) fn set(&self, command: Cmd) -> Cmd {
        command.env("CARGO_TARGET_DIR", &self.path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A program of the workspace, as `cargo build` leaves it.
    pub(crate) fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.path.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn change_hands(self, place: &Place) -> Result<Self, String> {
        for (profile, folder) in [("dev", "debug"), ("release", "release")] {
            if self.path.join(folder).exists() {
                self.cargo(place).args(["clean", "--workspace", "--quiet", "--profile", profile]).run()?;
            }
        }
        for (_, target) in TARGETS {
            if self.path.join(target).join(ANDROID).exists() {
                let clean = ["clean", "--workspace", "--quiet", "--profile", ANDROID, "--target", target];
                self.cargo(place).args(clean).run()?;
            }
        }
        if let Some(lock) = &self.lock {
            write_owner(lock, &place.root.to_string_lossy())?;
        }
        Ok(self)
    }
}

const OWNER: &str = "checkout.lock";

/// The lock file of a folder, locked; none when another task holds it.
fn try_lock(folder: &PathBuf) -> Result<Option<File>, String> {
    let path = folder.join(OWNER);
    let trouble = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(trouble)?;
    let file =
        File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(trouble)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(trouble(error)),
    }
}

fn read_owner(mut file: &File) -> Result<String, String> {
    let mut owner = String::new();
    file.read_to_string(&mut owner).map_err(|error| format!("{OWNER}: {error}"))?;
    Ok(owner.trim_end().to_owned())
}

fn write_owner(mut file: &File, owner: &str) -> Result<(), String> {
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{owner}"))
        .map_err(|error| format!("{OWNER}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_by_one_task_and_remembers_its_checkout() {
        let folder = std::env::temp_dir().join(format!("trailblaze-build-folder-{}", std::process::id()));
        let held = try_lock(&folder).unwrap().expect("nobody else knows this folder");
        write_owner(&held, "one/checkout").unwrap();
        assert!(try_lock(&folder).unwrap().is_none());
        drop(held);
        let again = try_lock(&folder).unwrap().expect("the lock was let go");
        assert_eq!(read_owner(&again).unwrap(), "one/checkout");
        fs::remove_dir_all(folder).unwrap();
    }
}
