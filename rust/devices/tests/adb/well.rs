//! A server and a phone that behave.

use std::io::Cursor;

use trailblaze_devices::adb::{ErrorKind, FileKind, Forward, InstallOptions, Output, Part, State};

use crate::phones::{Paper, paper};
use crate::server::{SERIAL, limit, with, within};

#[test]
fn the_list_and_its_changes() {
    let phone = with(paper().phone);
    let server = phone.server();
    assert_eq!(server.version(&limit()).unwrap(), 41);
    assert_eq!(server.ensure_running(&limit()).unwrap(), 41);
    let devices = server.devices(&limit()).unwrap();
    assert_eq!(devices[0].name(), format!("Paper ({SERIAL})"));
    let mut watch = server.watch(&limit()).unwrap();
    assert_eq!(watch.next(&limit()).unwrap(), []);
    assert_eq!(watch.next(&limit()).unwrap(), devices);
    assert_eq!(watch.next(&within(60)).unwrap_err().kind, ErrorKind::TimedOut);
    assert_eq!(server.wait_until_ready(SERIAL, &limit()).unwrap().state, State::Device);
    let error = server.wait_until_ready("other", &within(60)).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::NoDevice, "'other' was not connected in time")
    );
}

#[test]
fn commands() {
    let phone = with(paper().phone);
    let output = phone.shell("both", &limit()).unwrap();
    let expected = Output { out: b"out\n".repeat(3), err: b"err\n".repeat(3), exit: Some(7) };
    assert_eq!(output, expected);
    let mut shell = phone.start_shell("both", &limit()).unwrap();
    assert_eq!(shell.next_part().unwrap(), Part::Out(b"out\n".to_vec()));
    assert_eq!(shell.next_part().unwrap(), Part::Err(b"err\n".to_vec()));
    let mut shell = phone.start_shell("cat", &limit()).unwrap();
    shell.write(b"hello").unwrap();
    shell.close_input().unwrap();
    assert_eq!(shell.output().unwrap().text(), "hello");
    assert_eq!(shell.next_part().unwrap(), Part::Exit(Some(0)), "as often as it is asked");
}

#[test]
fn a_phone_of_old() {
    let phone = with(paper().phone.without(&["shell_v2", "stat_v2", "ls_v2"]));
    let output = phone.shell("both", &limit()).unwrap();
    assert_eq!(output, Output { out: b"out\nerr\n".repeat(3), err: Vec::new(), exit: None });
    let mut sync = phone.sync(&limit()).unwrap();
    assert_eq!(sync.push(&mut Cursor::new(b"1"), "/a/b", 0o640, 9).unwrap(), 1);
    assert_eq!(sync.stat("/a/b").unwrap().unwrap().mode, 0o100_640);
    assert_eq!(sync.stat("/a/c").unwrap(), None);
    assert_eq!(sync.list("/a").unwrap()[0].name, "b");
    let phone = with(paper().phone.without(&["cmd", "abb_exec"]));
    assert_eq!(phone.uninstall("a", &limit()).unwrap_err().kind, ErrorKind::NotSupported);
}

#[test]
fn files() {
    let Paper { files, phone, .. } = paper();
    let phone = with(phone);
    let mut sync = phone.sync(&limit()).unwrap();
    let content: Vec<u8> = (0..200_000u32).map(|index| (index >> 3) as u8).collect();
    assert_eq!(sync.push(&mut content.as_slice(), "/a/b", 0o751, 5).unwrap(), 200_000);
    assert!(*files.get("/a/b").unwrap().1 == content);
    let mut back = Vec::new();
    assert_eq!(sync.pull("/a/b", &mut back).unwrap(), 200_000);
    assert!(back == content);
    let stat = sync.stat("/a/b").unwrap().unwrap();
    assert_eq!((stat.kind(), stat.permissions(), stat.size, stat.mtime), (FileKind::File, 0o751, 200_000, 5));
    assert_eq!(sync.list("/a").unwrap().len(), 1);
}

#[test]
fn apps() {
    let Paper { packages, phone, .. } = paper();
    let phone = with(phone);
    let options = InstallOptions { allow_downgrade: true, ..InstallOptions::default() };
    phone.install_from(&mut b"apk".as_slice(), 3, "a.apk", &options, &limit()).unwrap();
    assert_eq!(packages.asked(), ["-r -t -d -S 3"]);
    assert_eq!(packages.bytes_of("com.example.app").unwrap(), b"apk");
    assert!(phone.uninstall("com.example.app", &limit()).unwrap());
    assert!(!phone.uninstall("com.example.app", &limit()).unwrap());
}

#[test]
fn forwards_are_those_of_this_phone() {
    let phone = with(paper().phone);
    assert_eq!(phone.forward("tcp:8080", "localabstract:a", &limit()).unwrap(), None);
    let forward = Forward { from: "tcp:8080".to_owned(), to: "localabstract:a".to_owned() };
    assert_eq!(phone.forwards(&limit()).unwrap(), [forward]);
    assert!(phone.remove_forward("tcp:8080", &limit()).unwrap());
    assert!(!phone.remove_forward("tcp:8080", &limit()).unwrap());
}
