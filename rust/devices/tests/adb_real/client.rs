//! The real command line of adb with our phone of paper: what it takes for a phone, we may take for one as well.

use std::io::Write;
use std::process::{Output, Stdio};

use trailblaze_devices::adb::Phone;
use trailblaze_devices::fake_adbd::{FakePhone, Memory, Packages, Process};

use crate::lab::{Folder, Lab};
use crate::talk::commands;

struct Ended {
    out: String,
    err: String,
    exit: Option<i32>,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { out: text(output.stdout), err: text(output.stderr), exit: output.status.code() }
    }
}

fn adb(lab: &Lab, phone: &Phone, args: &[&str]) -> Ended {
    lab.adb(phone).args(args).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn the_shell() {
    let (lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    let ended = adb(&lab, &phone, &["shell", "both"]);
    assert_eq!((ended.out.as_str(), ended.err.as_str(), ended.exit), ("out\nmore\n", "err\n", Some(7)));
    let ended = adb(&lab, &phone, &["exec-out", "both"]);
    assert_eq!((ended.out.as_str(), ended.exit), ("out\nerr\nmore\n", Some(0)));
    let mut cat = lab.adb(&phone);
    let mut cat = cat.args(["shell", "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    cat.stdin.take().unwrap().write_all(b"through").unwrap();
    assert_eq!(Ended::from(cat.wait_with_output().unwrap()).out, "through");
}

#[test]
fn files() {
    let files = Memory::default();
    let (lab, _adbd, phone) = Lab::with(FakePhone::new(commands).files(files.clone()));
    let folder = Folder::new("client");
    let content: Vec<u8> = (0..3_000_000u32).map(|index| (index >> 5) as u8).collect();
    let (there, back) = (folder.0.join("there.bin"), folder.0.join("back.bin"));
    std::fs::write(&there, &content).unwrap();
    let ended = adb(&lab, &phone, &["push", there.to_str().unwrap(), "/data/local/tmp/there.bin"]);
    assert_eq!(ended.exit, Some(0), "{}", ended.err);
    assert!(*files.get("/data/local/tmp/there.bin").unwrap().1 == content);
    let ended = adb(&lab, &phone, &["pull", "/data/local/tmp/there.bin", back.to_str().unwrap()]);
    assert_eq!(ended.exit, Some(0), "{}", ended.err);
    assert!(std::fs::read(back).unwrap() == content);
    let ended = adb(&lab, &phone, &["ls", "/data/local/tmp"]);
    assert!(ended.out.trim_end().ends_with(" there.bin"), "{}", ended.out);
    let ended = adb(&lab, &phone, &["pull", "/none"]);
    assert_eq!(ended.exit, Some(1));
}

#[test]
fn apps() {
    let packages = Packages::default();
    packages.next_is("com.example.app");
    let answering = packages.clone();
    let commands =
        move |process: &mut Process| answering.answer(process).unwrap_or_else(|| commands(process));
    let (lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    let folder = Folder::new("client-apk");
    std::fs::write(folder.0.join("app.apk"), b"no real one").unwrap();
    let apk = folder.0.join("app.apk");
    let ended = adb(&lab, &phone, &["install", "-r", apk.to_str().unwrap()]);
    assert!(ended.out.contains("Success"), "{} {}", ended.out, ended.err);
    assert_eq!(packages.bytes_of("com.example.app").unwrap(), b"no real one");
    packages.refuse(Some("INSTALL_FAILED_VERSION_DOWNGRADE"));
    let ended = adb(&lab, &phone, &["install", "-r", apk.to_str().unwrap()]);
    assert!(ended.err.contains("INSTALL_FAILED_VERSION_DOWNGRADE"), "{} {}", ended.out, ended.err);
}

#[test]
fn reverse() {
    let (lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    let ended = adb(&lab, &phone, &["reverse", "tcp:0", "tcp:9"]);
    let port: u16 = ended.out.trim().parse().unwrap();
    let ended = adb(&lab, &phone, &["reverse", "--list"]);
    assert_eq!(ended.out.trim(), format!("(reverse) tcp:{port} tcp:9"));
    assert_eq!(adb(&lab, &phone, &["reverse", "--remove-all"]).exit, Some(0));
    assert_eq!(adb(&lab, &phone, &["reverse", "--list"]).out.trim(), "");
}
