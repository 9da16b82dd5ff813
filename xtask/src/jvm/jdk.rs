//! The JDK that everything with Java runs on.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::packages;
use crate::place::Place;
use crate::process::Cmd;

/// The oldest that will do: the tests are written in its language.
const OLDEST: u32 = 17;
/// In this order; which of them there are depends on the age of the machine.
const PACKAGES: [&str; 2] = ["openjdk-17-jdk-headless", "openjdk-21-jdk-headless"];

#[derive(Debug)]
pub(crate) struct Jdk {
    pub(crate) home: PathBuf,
}

impl Jdk {
    pub(crate) fn javac(&self, folder: &Path) -> Cmd {
        self.set(Cmd::new(self.home.join("bin/javac"), folder))
    }

    pub(crate) fn java(&self, folder: &Path) -> Cmd {
        self.set(Cmd::new(self.home.join("bin/java"), folder))
    }

    /// Makes a command use this JDK, whichever others there are.
    pub(crate) fn set(&self, command: Cmd) -> Cmd {
        let rest = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.home.join("bin")).chain(env::split_paths(&rest));
        // Every folder came out of a PATH, so that they fit into one again.
        let path = env::join_paths(folders).unwrap_or_else(|_| OsString::from(&rest));
        command.quiet_env("JAVA_HOME", &self.home).quiet_env("PATH", path)
    }

    /// The folders of `jni.h` and of what it includes.
    pub(super) fn headers(&self) -> Vec<PathBuf> {
        let include = self.home.join("include");
        let entries = fs::read_dir(&include).into_iter().flatten().flatten().map(|entry| entry.path());
        let of_platform: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        std::iter::once(include).chain(of_platform).collect()
    }
}

/// Finds a JDK or installs one; an error is the reason why there is none.
pub(crate) fn find(place: &Place) -> Result<Jdk, String> {
    if let Some(jdk) = installed(place) {
        return Ok(jdk);
    }
    let mut reason = String::new();
    for package in PACKAGES {
        match packages::install(place, package) {
            Ok(()) => {
                return installed(place)
                    .ok_or_else(|| format!("{package} is installed but not the one in use"));
            }
            Err(why) => reason = why,
        }
    }
    Err(format!("no JDK {OLDEST} or later: {reason}"))
}

fn installed(place: &Place) -> Option<Jdk> {
    let named = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/javac"));
    named.into_iter().chain(packages::on_path("javac")).find_map(|javac| {
        let output = Cmd::new(&javac, &place.root).arg("-version").output().ok()?;
        let is_new =
            version(&String::from_utf8_lossy(&output.stdout)).is_some_and(|version| version >= OLDEST);
        // `javac` on the path is a link into the JDK.
        let real = javac.canonicalize().ok().filter(|_| is_new)?;
        Some(Jdk { home: real.parent()?.parent()?.to_owned() })
    })
}

/// `javac 17.0.15` is 17; what is older than 9 says `javac 1.8.0`.
fn version(said: &str) -> Option<u32> {
    let number = said.trim().strip_prefix("javac ")?;
    number.split(['.', '-', '+']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read() {
        assert_eq!(version("javac 17.0.15\n"), Some(17));
        assert_eq!(version("javac 25-ea\n"), Some(25));
        assert_eq!(version("javac 1.8.0_392\n"), Some(1));
        assert_eq!(version(""), None);
    }
}
