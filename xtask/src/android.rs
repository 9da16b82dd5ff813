//! `cargo xtask android`: builds the library for phones and the test APK, checks them, and holds their sizes against
//! the budget.
//!
//! With an NDK and the SDK's tools where they are, else with the stand-in of `android/kit`.

mod apk;
mod library;
mod ndk;
mod packed;
mod size;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Trouble;
use crate::build_folder::BuildFolder;
use crate::jvm;
use crate::options::Options;
use crate::passed::Passed;
use crate::place::Place;

use apk::Apk;
use library::Library;

pub(crate) use library::PROFILE;
pub(crate) use ndk::TARGETS;

pub(crate) fn run(place: &Place, args: &[String]) -> Result<bool, Trouble> {
    let mut options = Options::new(args);
    let setup_only = options.flag("--setup-only");
    let record = options.flag("--record");
    options.end()?;
    let ndk = ndk::find(place).map_err(Unavailable::into_message)?;
    if setup_only {
        eprintln!("ready: {}", ndk.home.display());
        return Ok(true);
    }
    let folder = BuildFolder::take(place)?;
    let Some(libraries) = library::build(place, &folder, &ndk)? else { return Ok(false) };
    let checked = library::check(place, &ndk, &libraries)?;
    print!("\n{}", size::table(&libraries));
    if record {
        size::record(place, &libraries)?;
    }
    let packed = match pack(place, &folder, &ndk, &libraries) {
        Ok(packed) => {
            let told = packed.map(|apk| println!("\n{}", shown(&apk)));
            told.map_err(|message| eprintln!("{message}")).is_ok()
        }
        Err(unavailable) => {
            eprintln!("no APK: {}", unavailable.into_message());
            true
        }
    };
    Ok(checked && packed && libraries.iter().all(size::fits))
}

/// Both libraries, built, checked and run, for the test run. The note says how large they are and how they ran.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<Result<Passed, String>, Unavailable> {
    let ndk = ndk::find(place)?;
    let tested = || {
        let libraries = library::build(place, folder, &ndk)?.ok_or("the library does not build")?;
        if !library::check(place, &ndk, &libraries)? {
            return Err("a library would not load on a phone".to_owned());
        }
        let mut passed = Passed::all(size::summary(&libraries));
        match pack(place, folder, &ndk, &libraries) {
            Ok(apk) => {
                let apk = apk?;
                passed.note = format!("{}; {}", passed.note, shown(&apk));
                match ndk::set_up(place, "sdk") {
                    Ok(kit) if apk::test(place, &ndk, &kit, &apk.path)? => {
                        let packed = packed::test(place, folder, &ndk, &kit, &apk.path)?;
                        passed.note = format!("{}; {}", passed.note, packed.note);
                        passed.skipped.extend(packed.skipped);
                    }
                    Ok(_) => {
                        return Err("the scripts that pack and check the APK fail their tests".to_owned());
                    }
                    Err(Unavailable::Missing(reason)) => {
                        passed = passed.but("tests of the APK's scripts, packed APKs", &reason)
                    }
                    Err(Unavailable::Broken(message)) => return Err(message),
                }
            }
            Err(Unavailable::Missing(reason)) => passed = passed.but("the APK", &reason),
            Err(Unavailable::Broken(message)) => return Err(message),
        }
        match in_jvm(place, folder, &ndk, &libraries) {
            Ok(ran) => passed.note = format!("{}; {}", passed.note, ran?),
            Err(Unavailable::Missing(reason)) => passed = passed.but("the library in a JVM", &reason),
            Err(Unavailable::Broken(message)) => return Err(message),
        }
        let fits = libraries.iter().all(size::fits);
        if fits { Ok(passed) } else { Err(format!("too large: {}", passed.note)) }
    };
    Ok(tested())
}

/// A size that has a budget.
#[derive(Debug)]
pub(crate) struct Weight {
    pub(crate) name: String,
    pub(crate) bytes: Result<u64, String>,
    pub(crate) budget: Result<u64, String>,
}

/// Where a build leaves the agent's APK.
pub(crate) fn agent(folder: &BuildFolder) -> PathBuf {
    folder.path().join(apk::NAME)
}

/// Why there is nothing to measure.
pub(crate) const NOT_BUILT: &str = "'cargo xtask android' has not run here";

/// The sizes of what the last build left.
pub(crate) fn weights(folder: &BuildFolder) -> Vec<Weight> {
    let bytes = |path: &Path| fs::metadata(path).map(|file| file.len()).map_err(|_| NOT_BUILT.to_owned());
    let mut weights: Vec<Weight> = TARGETS
        .into_iter()
        .map(|(abi, _)| Weight {
            name: format!("library for {abi}, stripped"),
            bytes: bytes(&library::path(folder, abi)),
            budget: Ok(size::BUDGET),
        })
        .collect();
    let libraries: Result<u64, String> = weights.iter().map(|weight| weight.bytes.clone()).sum();
    weights.push(Weight {
        name: "test APK, at most both libraries and 0.5 MB".to_owned(),
        bytes: bytes(&agent(folder)),
        budget: libraries.map(|libraries| libraries + apk::BESIDE_BYTES),
    });
    weights
}

/// Where an APK is and what it weighs.
fn shown(apk: &Apk) -> String {
    format!("{} ({:.2} MB)", apk.path.display(), apk.bytes as f64 / 1e6)
}

/// The test APK, verified.
fn pack(
    place: &Place,
    folder: &BuildFolder,
    ndk: &ndk::Ndk,
    libraries: &[Library],
) -> Result<Result<Apk, String>, Unavailable> {
    jvm::find_jdk(place).map_err(Unavailable::Missing)?;
    if !apk::has_sdk(place) {
        ndk::set_up(place, "sdk")?;
    }
    let packed = || {
        let apk = apk::build(place, folder, ndk)?.ok_or("the APK could not be packed")?;
        if apk::fits(&apk, libraries) {
            Ok(apk)
        } else {
            Err(format!("the APK is too large: {}", shown(&apk)))
        }
    };
    Ok(packed())
}

/// The library for phones with this machine's processor, over the shim of the kit.
fn in_jvm(
    place: &Place,
    folder: &BuildFolder,
    ndk: &ndk::Ndk,
    libraries: &[Library],
) -> Result<Result<String, String>, Unavailable> {
    let jdk = jvm::find_jdk(place).map_err(Unavailable::Missing)?;
    let kit = ndk::set_up(place, "sdk")?;
    let of_this_machine = libraries.iter().find(|library| library.abi == std::env::consts::ARCH);
    let Some(library) = of_this_machine else {
        return Err(Unavailable::Missing(format!("no library is for {}", std::env::consts::ARCH)));
    };
    let tested = || {
        let file = library::unpacked(place, folder, library)?;
        library::panics_beside(&file, place, folder, ndk, library.abi)?;
        jvm::test(place, folder, &jdk, jvm::Library::Android { file, kit })
    };
    Ok(tested())
}

/// Why there is nothing to build with.
#[derive(Debug)]
pub(crate) enum Unavailable {
    /// This machine lacks something that nobody can install from here.
    Missing(String),
    /// Setting up failed in a way that it must not.
    Broken(String),
}

impl Unavailable {
    fn into_message(self) -> String {
        match self {
            Self::Missing(message) | Self::Broken(message) => message,
        }
    }
}
