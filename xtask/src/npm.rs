//! The packages from npm that tests need, installed once, into the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::packages;
use crate::place::Place;
use crate::process::{Cmd, Talk};

/// The packages by name and version; where they come from is set on the machine.
const PACKAGES: &str = "sdks/typescript/packages/package.json";
/// What was installed, beside it.
const STAMP: &str = "installed.json";
/// The programs among the packages.
const PROGRAMS: [&str; 5] = ["tsc", "tsx", "bun", "buf", "esbuild"];
const LIMIT: Duration = Duration::from_secs(15 * 60);

pub(crate) fn find(place: &Place) -> Result<PathBuf, String> {
    packages::provide(place, "npm", "npm")
}

/// The folder with the packages in its `node_modules`, installed now unless they are there.
pub(crate) fn install(place: &Place) -> Result<PathBuf, String> {
    let npm = find(place)?;
    let folder = place.tools().join("sdk");
    let trouble = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let list = place.root.join(PACKAGES);
    let wanted = fs::read_to_string(&list).map_err(|error| trouble(&list, error))?;
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && lacking(&folder).is_none() {
        return Ok(folder);
    }
    eprintln!("the packages of {PACKAGES} are installed into {}, once", folder.display());
    fs::create_dir_all(&folder).map_err(|error| trouble(&folder, error))?;
    fs::write(folder.join("package.json"), &wanted).map_err(|error| trouble(&folder, error))?;
    let install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    let ended = Cmd::new(npm, &folder).args(install).within(LIMIT, Talk::Shown)?;
    if !ended.status.is_some_and(|status| status.success()) {
        return Err(format!("npm cannot install what the tests need: {}", reason(&ended.told)));
    }
    if let Some(name) = lacking(&folder) {
        return Err(format!("npm installed a {name} that does not run here"));
    }
    // Without it they are installed again, no more.
    let _ = fs::write(stamp, wanted);
    Ok(folder)
}

/// One of the programs among the packages.
pub(crate) fn program(packages: &Path, name: &str) -> PathBuf {
    let end = if cfg!(windows) { ".cmd" } else { "" };
    packages.join("node_modules").join(".bin").join(format!("{name}{end}"))
}

/// The first program that is not there, or is of no use on this machine.
fn lacking(folder: &Path) -> Option<&'static str> {
    PROGRAMS.into_iter().find(|name| !Cmd::new(program(folder, name), folder).arg("--version").works())
}

/// The line of npm that says the most.
fn reason(told: &str) -> &str {
    let lines = || told.lines().filter_map(|line| line.strip_prefix("npm error ")).map(str::trim);
    let says = |line: &&str| !line.starts_with("code ") && !line.starts_with("errno ") && !line.is_empty();
    lines().find(says).or_else(|| lines().next()).unwrap_or("it does not say why")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_says_why() {
        let told =
            "npm error code E404\nnpm error 404 Not Found - GET\nnpm error A complete log of this run\n";
        assert_eq!(reason(told), "404 Not Found - GET");
        assert_eq!(reason("npm error code EUSAGE\n"), "code EUSAGE");
        assert_eq!(reason(""), "it does not say why");
    }
}
