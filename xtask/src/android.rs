//! `cargo xtask android`: builds the library for phones and the test APK, checks them, and holds their sizes against
//! the budget.
//!
//! With an NDK where there is one, else with the stand-in of `android/kit`.

mod apk;
mod library;
mod ndk;
mod size;

use crate::Trouble;
use crate::build_folder::BuildFolder;
use crate::jvm;
use crate::options::Options;
use crate::place::Place;

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
            packed.inspect(|apk| println!("\n{apk}")).map_err(|message| eprintln!("{message}")).is_ok()
        }
        Err(unavailable) => {
            eprintln!("no APK: {}", unavailable.into_message());
            true
        }
    };
    Ok(checked && packed && libraries.iter().all(size::fits))
}

/// Both libraries, built, checked and run, for the test run. The text says how large they are and how they ran.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<Result<String, String>, Unavailable> {
    let ndk = ndk::find(place)?;
    let tested = || {
        let libraries = library::build(place, folder, &ndk)?.ok_or("the library does not build")?;
        if !library::check(place, &ndk, &libraries)? {
            return Err("a library would not load on a phone".to_owned());
        }
        let sizes = size::summary(&libraries);
        let ran = match in_jvm(place, folder, &libraries) {
            Ok(ran) => ran?,
            Err(Unavailable::Missing(reason)) => format!("not run in a JVM: {reason}"),
            Err(Unavailable::Broken(message)) => return Err(message),
        };
        let packed = match pack(place, folder, &ndk, &libraries) {
            Ok(packed) => packed?,
            Err(Unavailable::Missing(reason)) => format!("no APK: {reason}"),
            Err(Unavailable::Broken(message)) => return Err(message),
        };
        let fits = libraries.iter().all(size::fits);
        let told = format!("{sizes}; {packed}; {ran}");
        if fits { Ok(told) } else { Err(format!("too large: {told}")) }
    };
    Ok(tested())
}

/// The test APK, verified. The text says where it is.
fn pack(
    place: &Place,
    folder: &BuildFolder,
    ndk: &ndk::Ndk,
    libraries: &[Library],
) -> Result<Result<String, String>, Unavailable> {
    jvm::find_jdk(place).map_err(Unavailable::Missing)?;
    ndk::set_up(place, "sdk")?;
    let packed = || {
        let apk = apk::build(place, folder, ndk)?.ok_or("the APK could not be packed")?;
        let told = format!("{} ({:.2} MB)", apk.path.display(), apk.bytes as f64 / 1e6);
        if apk::fits(&apk, libraries) { Ok(told) } else { Err(format!("the APK is too large: {told}")) }
    };
    Ok(packed())
}

/// The library for phones with this machine's processor, over the shim of the kit.
fn in_jvm(
    place: &Place,
    folder: &BuildFolder,
    libraries: &[Library],
) -> Result<Result<String, String>, Unavailable> {
    let jdk = jvm::find_jdk(place).map_err(Unavailable::Missing)?;
    let kit = ndk::set_up(place, "sdk")?;
    let of_this_machine = libraries.iter().find(|library| library.abi == std::env::consts::ARCH);
    let Some(library) = of_this_machine else {
        return Err(Unavailable::Missing(format!("no library is for {}", std::env::consts::ARCH)));
    };
    let library = jvm::Library::Android { file: library.path.clone(), kit };
    Ok(jvm::test(place, folder, &jdk, library))
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
