//! The library for phones: built, and checked for what Android's linker would refuse.

use std::fs;
use std::path::PathBuf;

use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::Cmd;

use super::ndk::{Ndk, TARGETS};

/// The profile in `Cargo.toml` that the library is built with.
pub(crate) const PROFILE: &str = "android";
const NAME: &str = "libtrailblaze.so";

/// A library that was built.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) abi: &'static str,
    pub(super) bytes: u64,
    pub(super) path: PathBuf,
}

/// Builds the libraries into `jniLibs` of the build folder, in the layout of an APK; none when they do not compile.
pub(super) fn build(place: &Place, folder: &BuildFolder, ndk: &Ndk) -> Result<Option<Vec<Library>>, String> {
    let out = folder.path().join("jniLibs");
    // Cargo runs no LTO for a crate that is an rlib as well, so that part of it is left out here.
    let built = folder
        .set(ndk.cargo_ndk(place))
        .arg("-o")
        .arg(&out)
        .args(["rustc", "--package", "trailblaze", "--lib", "--crate-type", "cdylib"])
        .args(["--profile", PROFILE, "--locked"])
        .passes()?;
    if !built {
        return Ok(None);
    }
    let library = |abi: &'static str| {
        let path = out.join(abi).join(NAME);
        let bytes = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        Ok(Library { abi, bytes, path })
    };
    TARGETS.into_iter().map(|(abi, _)| library(abi)).collect::<Result<Vec<_>, String>>().map(Some)
}

/// Whether Android's linker would take them, and nothing but JNI names is exported.
pub(super) fn check(place: &Place, ndk: &Ndk, libraries: &[Library]) -> Result<bool, String> {
    let script = Cmd::new("python3", &place.root).arg("android/kit/check-so.py");
    ndk.set(script).args(libraries.iter().map(|library| &library.path)).passes()
}
