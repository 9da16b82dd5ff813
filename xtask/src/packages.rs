//! Programs that the machine's own package manager can bring.

use std::env;
use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::process::Cmd;

/// A program that can be run by its name.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Finds a program or installs the package that has it.
pub(crate) fn provide(place: &Place, program: &str, package: &str) -> Result<PathBuf, String> {
    if let Some(path) = on_path(program) {
        return Ok(path);
    }
    install(place, package)?;
    on_path(program).ok_or_else(|| format!("the package {package} brought no {program}"))
}

/// Installs a package by its name where this may be done, else says what to do.
pub(crate) fn install(place: &Place, package: &str) -> Result<(), String> {
    if on_path("apt-get").is_none() {
        return Err(format!("{package} is missing, and there is no apt-get to install it"));
    }
    if !is_root(&place.root) {
        return Err(format!("'apt-get install {package}' needs root; run it by hand"));
    }
    let apt = || Cmd::new("apt-get", &place.root).quiet_env("DEBIAN_FRONTEND", "noninteractive");
    let install = || apt().args(["install", "-y", "-qq", "--no-install-recommends", package]).passes();
    // The lists of a fresh machine are empty.
    match install() {
        Ok(true) => Ok(()),
        _ if matches!(apt().args(["update", "-qq"]).passes(), Ok(true)) && install() == Ok(true) => Ok(()),
        _ => Err(format!("'apt-get install {package}' failed")),
    }
}

fn is_root(folder: &Path) -> bool {
    Cmd::new("id", folder).arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
