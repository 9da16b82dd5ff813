//! The test APK: the agent's Java, both libraries, and nothing else unless somebody packs a workspace.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::library::{self, Library};
use super::ndk::Ndk;
use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::Cmd;

/// What the APK may weigh beside its libraries.
pub(super) const BESIDE_BYTES: u64 = 500_000;
pub(super) const NAME: &str = "trailblaze-agent.apk";
const SCRIPT: &str = "android/kit/build-apk.sh";
/// What somebody packs besides, which has no budget: see the script.
const OWN: [&str; 2] = ["APK_ASSETS", "APK_JAVA"];

/// A packed APK.
pub(super) struct Apk {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// Packs, aligns, signs and verifies the APK; none when that fails.
pub(super) fn build(place: &Place, folder: &BuildFolder, ndk: &Ndk) -> Result<Option<Apk>, String> {
    let path = super::agent(folder);
    let script = Cmd::new(place.root.join(SCRIPT), &place.root);
    let built = ndk
        .set(script)
        .env("ANDROID_KIT", place.cache.join("android"))
        .arg(place.root.join("android/agent"))
        .arg(folder.path().join(library::FOLDER))
        .arg(&path)
        .passes()?;
    if !built {
        return Ok(None);
    }
    let bytes = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
    Ok(Some(Apk { path, bytes }))
}

/// Whether an SDK with all that packing takes is there; without it the kit has to be.
pub(super) fn has_sdk(place: &Place) -> bool {
    Cmd::new(place.root.join(SCRIPT), &place.root).arg("--sdk").works()
}

/// Whether the scripts that pack and check do so, tested with this APK and the tools of the kit.
pub(super) fn test(place: &Place, ndk: &Ndk, kit: &Path, apk: &Path) -> Result<bool, String> {
    let script = Cmd::new("python3", &place.root).arg("android/kit/test-apk.py").arg(apk);
    // Python would leave its own files beside the scripts.
    ndk.set(script).env("ANDROID_KIT", kit).quiet_env("PYTHONDONTWRITEBYTECODE", "1").passes()
}

/// Whether it is little more than its libraries.
pub(super) fn fits(apk: &Apk, libraries: &[Library]) -> bool {
    let packs_own = OWN.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    packs_own || apk.bytes <= libraries.iter().map(|library| library.bytes).sum::<u64>() + BESIDE_BYTES
}
