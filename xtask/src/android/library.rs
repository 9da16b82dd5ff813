//! The library for phones: built, and checked for what Android's linker would refuse.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::Cmd;

use super::ndk::{Ndk, TARGETS};

/// The profile in `Cargo.toml` that the library is built with.
pub(crate) const PROFILE: &str = "android";
const NAME: &str = "libtrailblaze.so";
/// In the build folder, laid out as in an APK.
pub(super) const FOLDER: &str = "jniLibs";

/// A library that was built.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) abi: &'static str,
    pub(super) bytes: u64,
    pub(super) path: PathBuf,
}

/// Where a build leaves the library.
pub(super) fn path(folder: &BuildFolder, abi: &str) -> PathBuf {
    folder.path().join(FOLDER).join(abi).join(NAME)
}

/// Builds the libraries into `jniLibs` of the build folder, in the layout of an APK; none when they do not compile.
pub(super) fn build(place: &Place, folder: &BuildFolder, ndk: &Ndk) -> Result<Option<Vec<Library>>, String> {
    let out = folder.path().join(FOLDER);
    // Cargo runs no LTO for a crate that is an rlib as well, so that part of it is left out here.
    let built = folder
        .set(ndk.cargo_ndk(place, &TARGETS.map(|(abi, _)| abi)))
        .arg("-o")
        .arg(&out)
        .args(["rustc", "--package", "trailblaze", "--lib", "--crate-type", "cdylib"])
        .args(["--profile", PROFILE, "--locked"])
        .passes()?;
    if !built {
        return Ok(None);
    }
    let library = |abi: &'static str| {
        let path = path(folder, abi);
        let bytes = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        Ok(Library { abi, bytes, path })
    };
    TARGETS.into_iter().map(|(abi, _)| library(abi)).collect::<Result<Vec<_>, String>>().map(Some)
}

/// A copy of a library for glibc, which cannot read packed relocations. Nothing else about it differs.
pub(super) fn unpacked(place: &Place, folder: &BuildFolder, library: &Library) -> Result<PathBuf, String> {
    let copy = folder.path().join("unpacked").join(library.abi).join(NAME);
    unpack(place, &library.path, &copy)?;
    Ok(copy)
}

/// The example of `rust/android` that always panics, built as the library is, beside an unpacked library: there the
/// tests in a JVM look for it.
pub(super) fn panics_beside(
    unpacked: &Path,
    place: &Place,
    folder: &BuildFolder,
    ndk: &Ndk,
    abi: &str,
) -> Result<(), String> {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == abi).ok_or("an unknown ABI")?;
    // The library is named as well, so that both take the same features of what they are made of, built once.
    let build =
        ["build", "--package", "trailblaze", "--package", "trailblaze-android", "--example", "panics"];
    folder.set(ndk.cargo_ndk(place, &[abi])).args(build).args(["--profile", PROFILE, "--locked"]).run()?;
    let examples = Path::new("examples").join("libpanics.so");
    let built = folder.path().join(target).join(PROFILE).join(&examples);
    unpack(place, &built, &unpacked.with_file_name(examples))
}

fn unpack(place: &Place, library: &Path, copy: &Path) -> Result<(), String> {
    let script = Cmd::new("python3", &place.root).arg("android/kit/unpack-relocs.py");
    script.arg(library).arg(copy).run()
}

/// Whether Android's linker would take them, and nothing but JNI names is exported.
pub(super) fn check(place: &Place, ndk: &Ndk, libraries: &[Library]) -> Result<bool, String> {
    let script = Cmd::new("python3", &place.root).arg("android/kit/check-so.py");
    ndk.set(script).args(libraries.iter().map(|library| &library.path)).passes()
}
