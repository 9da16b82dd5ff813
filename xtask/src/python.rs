//! A Python of its own with the packages that tests need, made once, in the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::packages;
use crate::place::Place;
use crate::process::{Cmd, Talk};

/// The packages by name and version; where they come from is set on the machine.
const PACKAGES: &str = "tests/toolsets/requirements.txt";
/// What was installed, inside.
const STAMP: &str = "installed.txt";
const WORKS: &str = "import botocore, fastmcp, flit_core, grpc, mcp, protobuf";
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// The Python with the packages, made now unless it is there.
pub(crate) fn install(place: &Place) -> Result<PathBuf, String> {
    let system = packages::provide(place, "python3", "python3")?;
    let folder = place.tools().join("python");
    let list = place.root.join(PACKAGES);
    let wanted = fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let python = program(&folder);
    let works = || Cmd::new(&python, &place.root).args(["-c", WORKS]).works();
    let stamp = folder.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && works() {
        return Ok(python);
    }
    eprintln!("the packages of {PACKAGES} are installed into {}, once", folder.display());
    make(place, &system, &folder)?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    let pip = Cmd::new(&python, &place.root).args(install).arg(&list).within(LIMIT, Talk::Shown)?;
    if !pip.status.is_some_and(|status| status.success()) {
        return Err(format!("pip cannot install what the tests need: {}", reason(&pip.told)));
    }
    if !works() {
        return Err("pip installed packages that do not work here".to_owned());
    }
    // Without it they are installed again, no more.
    let _ = fs::write(stamp, wanted);
    Ok(python)
}

/// An empty environment. Some systems have what makes it in a package of its own.
fn make(place: &Place, system: &Path, folder: &Path) -> Result<(), String> {
    let venv = || Cmd::new(system, &place.root).args(["-m", "venv", "--clear"]).arg(folder).passes();
    if venv()? {
        return Ok(());
    }
    packages::install(place, "python3-venv")?;
    if venv()? { Ok(()) } else { Err("'python3 -m venv' does not work here".to_owned()) }
}

fn program(folder: &Path) -> PathBuf {
    if cfg!(windows) { folder.join("Scripts").join("python.exe") } else { folder.join("bin").join("python") }
}

/// The last thing that pip complains about is what it gave up on.
fn reason(told: &str) -> &str {
    let complaints = told.lines().filter_map(|line| line.strip_prefix("ERROR: "));
    complaints.map(str::trim).next_back().unwrap_or("it does not say why")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pip_says_why() {
        let told =
            "ERROR: Could not find a version\nERROR: No matching distribution found for x==9\n\n[notice]\n";
        assert_eq!(reason(told), "No matching distribution found for x==9");
        assert_eq!(reason("killed"), "it does not say why");
    }
}
