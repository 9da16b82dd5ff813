//! The program `adb`, which is needed for one thing only: to start adb's server.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::address::Address;
use super::error::{Error, ErrorKind};
use super::limit::Limit;

/// The variables that name the folder of the SDK.
pub const ANDROID_HOME: &str = "ANDROID_HOME";
pub const ANDROID_SDK_ROOT: &str = "ANDROID_SDK_ROOT";

const INSTALL: &str = "install 'adb' by your package manager (the package 'adb', or 'android-platform-tools'), or set ANDROID_HOME to an SDK that has it";
/// How often to look whether the program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Where `adb` is, and what it is to find in its environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    /// Joins what this program has in its own environment.
    pub env: Vec<(OsString, OsString)>,
}

impl Program {
    /// Looks on the `PATH`, then in the SDK, then where Android Studio puts one.
    pub fn find(var: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let set = |name| var(name).filter(|value| !value.is_empty());
        let path = set("PATH").unwrap_or_default();
        let sdks = [ANDROID_HOME, ANDROID_SDK_ROOT].into_iter().filter_map(set).map(PathBuf::from);
        let usual = set("HOME")
            .map(PathBuf::from)
            .into_iter()
            .flat_map(|home| [home.join("Android/Sdk"), home.join("Library/Android/sdk")]);
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let folders = folders.chain(sdks.chain(usual).map(|sdk| sdk.join("platform-tools")));
        let found = folders.map(|folder| folder.join("adb")).find(|file| is_program(file));
        found.map(|path| Self { path, env: Vec::new() })
    }

    pub(super) fn missing(address: &Address) -> Error {
        let message =
            format!("adb's server is not running at {address}, and there is no program 'adb' to start it");
        Error::new(ErrorKind::NoAdb, message).hint(INSTALL)
    }

    /// Starts the server and waits until it listens.
    pub(super) fn start_server(&self, address: &Address, limit: &Limit) -> Result<(), Error> {
        let trouble = |why: &str| {
            let path = self.path.display();
            Error::new(ErrorKind::NoServer, format!("'{path} start-server' failed: {why}"))
                .hint(format!("run it by hand to see more; the server is to listen at {address}"))
        };
        let mut command = Command::new(&self.path);
        command
            .args(["-P", &address.port.to_string(), "start-server"])
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            // Ctrl-C on the laptop must not end a server that others use.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Self::missing(address),
            _ => trouble(&error.to_string()),
        })?;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(trouble(&error.to_string())),
            }
            if let Err(over) = limit.slice() {
                end(&mut child);
                return Err(Error::over("the start of adb's server", over, limit));
            }
            thread::sleep(LOOK);
        };
        if status.success() { Ok(()) } else { Err(trouble(&said(&mut child))) }
    }
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn end(child: &mut Child) {
    // It may have ended just now.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

/// The last line of what it wrote. The server may hold the other end of the pipe, so there is no waiting for its end.
fn said(child: &mut Child) -> String {
    let mut text = vec![0; 64 << 10];
    let count = child.stderr.as_mut().and_then(|stderr| {
        rustix::io::ioctl_fionbio(&*stderr, true).ok()?;
        stderr.read(&mut text).ok()
    });
    text.truncate(count.unwrap_or_default());
    let text = String::from_utf8_lossy(&text).into_owned();
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.unwrap_or("it said nothing").to_owned()
}

impl<S: AsRef<OsStr>> From<S> for Program {
    fn from(path: S) -> Self {
        Self { path: PathBuf::from(path.as_ref()), env: Vec::new() }
    }
}
