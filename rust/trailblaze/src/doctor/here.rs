//! What a laptop needs: adb, the agent's APK, and places to keep things.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use trailblaze_apk::Template;
use trailblaze_bundle::on_path;
use trailblaze_devices::adb::{self, Limit, Server};
use trailblaze_engine::host::Cancel;

use super::Check;
use crate::apk::template;
use crate::exit_code::Problem;
use crate::laptop::SMALL;
use crate::{VERSION, caches, env_vars, files};

/// How long `adb version` may take.
const ANSWER: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);

pub(super) fn adb_program() -> Check {
    const NAME: &str = "adb";
    let Some(program) = adb::Program::find(|name| std::env::var_os(name)) else {
        let found = "no program 'adb' on PATH, in ANDROID_HOME or where Android Studio puts one";
        let hint =
            "install the package 'adb' or 'android-platform-tools'; it is needed to start adb's server";
        return Check::noted(NAME, found).hint(hint);
    };
    let path = program.path.display();
    match version(&program.path) {
        Some(version) => Check::fine(NAME, format!("{path}, {version}")),
        None => Check::wrong(NAME, format!("{path} does not say its version"))
            .hint(format!("try '{path} version' by hand")),
    }
}

/// `Version 34.0.4-debian`, without the place it was built at. This starts no server.
fn version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("version")
        // It would refuse to say anything where one of them is wrong, which the check of the server says.
        .env_remove(adb::ADB_SERVER_SOCKET)
        .env_remove(adb::ANDROID_ADB_SERVER_ADDRESS)
        .env_remove(adb::ANDROID_ADB_SERVER_PORT)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let until = Instant::now() + ANSWER;
    let is_fine = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
            _ => break false,
        }
    };
    if !is_fine {
        // It may have ended just now.
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    let line = text.lines().find(|line| line.starts_with("Version ")).or_else(|| text.lines().next())?;
    Some(line.trim().to_lowercase())
}

pub(super) fn adb_server(server: Result<&Server, &Problem>, cancel: &Cancel) -> Check {
    const NAME: &str = "adb's server";
    let server = match server {
        Ok(server) => server,
        Err(problem) => return Check::failed(NAME, problem.clone()),
    };
    match server.version(&Limit::within(SMALL, cancel)) {
        Ok(version) => Check::fine(NAME, format!("{}, version {version}", server.address())),
        Err(error) => Check { hint: error.hint, ..Check::wrong(NAME, error.message) },
    }
}

/// It is only needed for phones that do not have the agent yet, and for packing.
pub(super) fn agent_apk(given: Option<&Path>, phone_has_it: bool) -> Check {
    const NAME: &str = "agent's APK";
    let missing = |check: Check| match phone_has_it {
        true => Check { state: super::State::Noted, ..check },
        false => check,
    };
    let path = match template::find(given) {
        Ok(path) => path,
        Err(problem) => {
            let hint = match given {
                Some(_) => format!("'--agent-apk' names the '{}' of the release {VERSION}", template::NAME),
                None => format!(
                    "take '{}' of the release {VERSION} and put it to one of them, or name it with '--agent-apk'",
                    template::NAME
                ),
            };
            return missing(Check::failed(NAME, problem).hint(hint));
        }
    };
    let shown = path.display();
    match Template::open(&path) {
        Ok(template) if template.facts.version_name == VERSION => {
            Check::fine(NAME, format!("{shown}, version {VERSION}"))
        }
        Ok(template) => {
            let found = format!("{shown} is of version {}", template.facts.version_name);
            missing(Check::wrong(NAME, found).hint(format!("take that of the release {VERSION}")))
        }
        Err(error) => {
            missing(Check { hint: error.hint, ..Check::wrong(NAME, format!("{shown}: {}", error.message)) })
        }
    }
}

/// What runs `script:` toolsets.
pub(super) fn scripts() -> Check {
    const NAME: &str = "scripts";
    let asked = env_vars::TRAILBLAZE_SCRIPT_RUNTIME.text();
    let bun = || on_path("bun").map(|bun| format!("bun, {}", bun.display()));
    let node = || {
        let node = on_path("node")?;
        let tsx =
            on_path("tsx").map_or("without tsx on PATH".to_owned(), |tsx| format!("tsx, {}", tsx.display()));
        Some(format!("node, {}; {tsx}", node.display()))
    };
    let inside = || "QuickJS, inside of Trailblaze".to_owned();
    let missing = |name: &str| {
        Check::wrong(NAME, format!("TRAILBLAZE_SCRIPT_RUNTIME asks for '{name}', which is not on PATH"))
            .hint("install it, or unset the variable")
    };
    match asked.as_deref() {
        None => Check::fine(NAME, bun().or_else(node).unwrap_or_else(inside)),
        Some("quickjs") => Check::fine(NAME, inside()),
        Some("bun") => bun().map_or_else(|| missing("bun"), |bun| Check::fine(NAME, bun)),
        Some("node") => node().map_or_else(|| missing("node"), |node| Check::fine(NAME, node)),
        Some(other) => Check::wrong(NAME, format!("TRAILBLAZE_SCRIPT_RUNTIME is '{other}'"))
            .hint("it may be 'bun', 'node' or 'quickjs'"),
    }
}

/// The key that `apk pack` signs with where none is given.
pub(super) fn debug_key() -> Check {
    const NAME: &str = "debug key";
    match crate::apk::debug_key_path() {
        Some(path) if path.is_file() => Check::fine(NAME, path.display().to_string()),
        _ => Check::noted(NAME, "not there yet; the first 'trailblaze apk pack' without '--key' makes it"),
    }
}

pub(super) fn cache() -> Check {
    const NAME: &str = "cache";
    let Some(folder) = caches::folder() else {
        return Check::wrong(NAME, "the user has no folder for caches").hint("set HOME or XDG_CACHE_HOME");
    };
    match try_to_write(&folder) {
        Ok(()) => Check::fine(NAME, folder.display().to_string()),
        Err(error) => {
            let found = format!("{} cannot be written: {}", folder.display(), files::why(&error));
            Check::wrong(NAME, found).hint("set XDG_CACHE_HOME to a folder that can be")
        }
    }
}

/// In the folder itself, or in that which it would be made in.
fn try_to_write(folder: &Path) -> std::io::Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists()).map_or_else(PathBuf::new, Path::to_owned);
    let probe = there.join(format!(".trailblaze-doctor-{}", std::process::id()));
    fs::write(&probe, "")?;
    fs::remove_file(&probe)
}
