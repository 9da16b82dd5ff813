//! The program `adb`: where it is found, and how it fails to start a server.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use trailblaze_devices::adb::{ANDROID_HOME, Address, Error, ErrorKind, Program, Server};

use crate::server::{limit, within};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trailblaze-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Puts a script there that can be run.
    fn script(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn adb_is_found() {
    let folder = Folder::new("find");
    let on_path = folder.script("bin/adb", "");
    let in_sdk = folder.script("sdk/platform-tools/adb", "");
    let in_home = folder.script("home/Android/Sdk/platform-tools/adb", "");
    fs::create_dir_all(folder.0.join("none")).unwrap();
    fs::write(folder.0.join("none/adb"), "not a program").unwrap();
    let check = |vars: &[(&str, &str)], expected: Option<&PathBuf>| {
        let var = |name: &str| -> Option<OsString> {
            let (_, value) = vars.iter().find(|(key, _)| *key == name)?;
            Some(folder.0.join(value).into())
        };
        assert_eq!(Program::find(var).map(|program| program.path).as_ref(), expected, "{vars:?}");
    };
    check(&[("PATH", "bin"), (ANDROID_HOME, "sdk")], Some(&on_path));
    check(&[("PATH", "none"), (ANDROID_HOME, "sdk"), ("HOME", "home")], Some(&in_sdk));
    check(&[("PATH", "none"), ("HOME", "home")], Some(&in_home));
    check(&[("PATH", "none")], None);
    check(&[], None);
}

#[track_caller]
fn start(script: &str, millis: u64) -> Error {
    let folder = Folder::new("start");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let program = Program::from(folder.script("adb", script));
    let server = Server::new(Address { port, ..Address::default() }, Some(program));
    let error = server.ensure_running(&within(millis)).unwrap_err();
    let place = folder.0.display().to_string();
    let message = error.message.replace(&place, "DIR").replace(&port.to_string(), "PORT");
    Error { message, ..error }
}

#[test]
fn a_start_that_fails() {
    let error = start("echo one >&2\necho cannot bind $1 $3 >&2\nexit 1", 20_000);
    assert_eq!(error.message, "'DIR/adb start-server' failed: cannot bind -P start-server");
    assert_eq!(error.kind, ErrorKind::NoServer);
    let error = start("exit 0", 20_000);
    assert_eq!(error.message, "adb's server cannot be reached at 127.0.0.1:PORT: nothing listens there");
}

#[test]
fn an_adb_that_is_not_there() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Server::new(Address { port, ..Address::default() }, Some(Program::from("/no/such/adb")));
    assert_eq!(server.ensure_running(&limit()).unwrap_err().kind, ErrorKind::NoAdb);
}

#[test]
fn a_start_that_never_ends() {
    let began = Instant::now();
    let error = start("sleep 60", 100);
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::TimedOut, "the start of adb's server did not end within 100 ms")
    );
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_server_elsewhere_is_not_started_here() {
    let folder = Folder::new("elsewhere");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = Address { host: "127.0.0.2".to_owned(), port };
    let server = Server::new(address, Some(Program::from(folder.script("adb", "exit 0"))));
    assert_eq!(server.ensure_running(&limit()).unwrap_err().kind, ErrorKind::NoServer);
}
