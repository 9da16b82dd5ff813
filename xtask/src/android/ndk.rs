//! What the library is built with: an NDK or its stand-in, cargo-ndk, and Rust's own libraries for the targets.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::process::{Cmd, cargo};

use super::Unavailable;

/// The phones that the library is for: Android's name for them, and Rust's.
pub(crate) const TARGETS: [(&str, &str); 2] =
    [("arm64-v8a", "aarch64-linux-android"), ("x86_64", "x86_64-linux-android")];

/// The oldest Android that the agent runs on; `tidy` compares it with the other places that name it.
const API: &str = "26";
/// Raised by hand, so that a new release never changes what a build means.
const CARGO_NDK: &str = "4.1.2";

/// A place to build with.
#[derive(Debug)]
pub(crate) struct Ndk {
    pub(super) home: PathBuf,
    cargo_ndk: PathBuf,
    /// The folder of libclang, which makes the bindings of QuickJS; none when it is the machine's to find.
    libclang: Option<PathBuf>,
}

impl Ndk {
    /// `cargo ndk` for phones of these kinds, named as Android names them.
    pub(super) fn cargo_ndk(&self, place: &Place, abis: &[&str]) -> Cmd {
        let mut command = self.set(Cmd::new(&self.cargo_ndk, &place.root)).arg("ndk");
        if let Some(libclang) = &self.libclang {
            command = command.quiet_env("LIBCLANG_PATH", libclang);
        }
        command.args(abis.iter().flat_map(|abi| ["-t", abi])).args(["--platform", API])
    }

    /// Tells a command where the NDK is.
    pub(super) fn set(&self, command: Cmd) -> Cmd {
        command.quiet_env("ANDROID_NDK_HOME", &self.home).quiet_env("ANDROID_NDK_ROOT", &self.home)
    }
}

/// Finds the NDK or sets the stand-in up.
pub(super) fn find(place: &Place) -> Result<Ndk, Unavailable> {
    let cargo_ndk = find_cargo_ndk(place).map_err(Unavailable::Missing)?;
    add_targets(place).map_err(Unavailable::Missing)?;
    if let Some(home) = installed(|name| env::var_os(name)) {
        return Ok(Ndk { home, cargo_ndk, libclang: None });
    }
    let home = stand_in(place)?;
    let libclang = env::var_os("LIBCLANG_PATH")
        .is_none()
        .then(|| home.join("toolchains/llvm/prebuilt/linux-x86_64/lib"));
    Ok(Ndk { home, cargo_ndk, libclang })
}

/// An NDK that is there already: the one that is named, else the newest of the SDK.
fn installed(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_dir());
    let named = || ["ANDROID_NDK_HOME", "ANDROID_NDK_ROOT"].into_iter().find_map(folder);
    let of_sdk = || newest(&["ANDROID_HOME", "ANDROID_SDK_ROOT"].into_iter().find_map(folder)?.join("ndk"));
    named().or_else(of_sdk)
}

/// The folder with the highest version for a name.
fn newest(folder: &Path) -> Option<PathBuf> {
    let version = |path: &PathBuf| -> Option<Vec<u32>> {
        path.file_name()?.to_str()?.split('.').map(|part| part.parse().ok()).collect()
    };
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.filter_map(|path| Some((version(&path)?, path))).max().map(|(_, path)| path)
}

fn stand_in(place: &Place) -> Result<PathBuf, Unavailable> {
    match set_up(place, "ndk") {
        Ok(kit) => Ok(kit.join("ndk")),
        Err(Unavailable::Missing(reason)) => {
            Err(Unavailable::Missing(format!("no NDK, and no stand-in: {reason}")))
        }
        Err(broken) => Err(broken),
    }
}

/// Lays a part of the kit out in the cache and says where the kit is.
pub(super) fn set_up(place: &Place, part: &str) -> Result<PathBuf, Unavailable> {
    let setup = Cmd::new(place.root.join("android/kit/setup.sh"), &place.root).arg(part);
    let (done, told) =
        setup.env("TRAILBLAZE_CACHE", &place.cache).passes_and_tells().map_err(Unavailable::Missing)?;
    if done {
        return Ok(place.cache.join("android"));
    }
    match told.lines().find_map(|line| line.strip_prefix("unavailable: ")) {
        Some(reason) => Err(Unavailable::Missing(reason.to_owned())),
        None => Err(Unavailable::Broken(format!("'android/kit/setup.sh {part}' failed"))),
    }
}

fn find_cargo_ndk(place: &Place) -> Result<PathBuf, String> {
    let program = place.tool("cargo-ndk");
    let output = Cmd::new(&program, &place.root).args(["ndk", "--version"]).output();
    if output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim_end().ends_with(CARGO_NDK)) {
        return Ok(program);
    }
    eprintln!("cargo-ndk {CARGO_NDK} is built into {}, once", place.tools().display());
    // It only starts cargo: its own speed is not worth the time of an optimised build.
    cargo(place)
        .args(["install", "cargo-ndk", "--locked", "--debug", "--force", "--version", CARGO_NDK, "--root"])
        .arg(place.tools())
        .run()
        .map_err(|_| format!("cargo-ndk {CARGO_NDK} could not be installed"))?;
    Ok(program)
}

/// Adds Rust's libraries for the targets where they are missing.
fn add_targets(place: &Place) -> Result<(), String> {
    let is_there = |target: &str| {
        let print = ["--target", target, "--print", "target-libdir"];
        let output = Cmd::new("rustc", &place.root).args(print).output();
        output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim_end()).is_dir())
    };
    let missing: Vec<&str> =
        TARGETS.iter().map(|(_, target)| *target).filter(|target| !is_there(target)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let added = Cmd::new("rustup", &place.root).args(["target", "add"]).args(&missing).passes();
    match added {
        Ok(true) => Ok(()),
        _ => Err(format!("'rustup target add {}' failed", missing.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_folder::TempFolder;

    #[test]
    fn the_newest_ndk_of_the_sdk_is_taken_unless_one_is_named() {
        let temp = TempFolder::new("ndk").unwrap();
        for name in ["ndk/9.2.1", "ndk/27.0.12077973", "ndk/backup", "named"] {
            fs::create_dir_all(temp.path.join(name)).unwrap();
        }
        let check = |set: &[(&str, &str)], expected: Option<&str>| {
            let variable = |name: &str| {
                let (_, folder) = set.iter().find(|(known, _)| *known == name)?;
                Some(temp.path.join(folder).into_os_string())
            };
            assert_eq!(installed(variable), expected.map(|folder| temp.path.join(folder)));
        };
        check(&[("ANDROID_HOME", "")], Some("ndk/27.0.12077973"));
        check(&[("ANDROID_HOME", ""), ("ANDROID_NDK_HOME", "named")], Some("named"));
        check(&[("ANDROID_NDK_HOME", "gone")], None);
        check(&[("ANDROID_HOME", "named")], None);
    }
}
