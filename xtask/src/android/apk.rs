//! The test APK: the agent's Java, both libraries, and nothing else unless somebody packs a workspace.

use std::fs;
use std::path::PathBuf;

use super::library::Library;
use super::ndk::Ndk;
use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::Cmd;

/// What the APK may weigh beside its libraries.
const BESIDE_BYTES: u64 = 500_000;

/// A packed APK.
pub(super) struct Apk {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// Packs, aligns, signs and verifies the APK; none when that fails.
pub(super) fn build(place: &Place, folder: &BuildFolder, ndk: &Ndk) -> Result<Option<Apk>, String> {
    let path = folder.path().join("trailblaze-agent.apk");
    let script = Cmd::new(place.root.join("android/kit/build-apk.sh"), &place.root);
    let built = ndk
        .set(script)
        .env("ANDROID_KIT", place.cache.join("android"))
        .arg(place.root.join("android/agent"))
        .arg(folder.path().join("jniLibs"))
        .arg(&path)
        .passes()?;
    if !built {
        return Ok(None);
    }
    let bytes = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
    Ok(Some(Apk { path, bytes }))
}

/// Whether it is little more than its libraries.
pub(super) fn fits(apk: &Apk, libraries: &[Library]) -> bool {
    apk.bytes <= libraries.iter().map(|library| library.bytes).sum::<u64>() + BESIDE_BYTES
}
