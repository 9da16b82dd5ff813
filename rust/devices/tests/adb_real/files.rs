//! Files to the phone and back.

use std::io::Read;
use std::path::{Path, PathBuf};

use trailblaze_devices::adb::{ErrorKind, FileKind, Moved};
use trailblaze_devices::fake_adbd::{FakePhone, Memory, Node};

use crate::lab::{Folder, Lab, limit};
use crate::talk::commands;

const FILE: u32 = 0o100_644;

fn paper(files: &Memory) -> FakePhone {
    FakePhone::new(commands).files(files.clone())
}

/// Bytes that are not the same everywhere.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|index| (index.wrapping_mul(31) >> 3) as u8).collect()
}

#[test]
fn a_file_comes_back_as_it_was() {
    let files = Memory::default();
    let (_lab, _adbd, phone) = Lab::with(paper(&files));
    let mut sync = phone.sync(&limit()).unwrap();
    for count in [0, 1, 64 << 10, (64 << 10) + 1, 20 << 20] {
        let content = bytes(count);
        let path = format!("/data/local/tmp/deep/{count}, with spaces & ümlauts");
        assert_eq!(sync.push(&mut content.as_slice(), &path, 0o751, 1_700_000_000).unwrap(), count as u64);
        let (node, found) = files.get(&path).unwrap();
        assert_eq!(node, Node { mode: 0o100_751, size: count as u64, mtime: 1_700_000_000 });
        assert!(*found == content, "{count} bytes arrived");
        let stat = sync.stat(&path).unwrap().unwrap();
        assert_eq!((stat.mode, stat.size, stat.mtime), (0o100_751, count as u64, 1_700_000_000));
        let mut back = Vec::new();
        assert_eq!(sync.pull(&path, &mut back).unwrap(), count as u64);
        assert!(back == content, "{count} bytes came back");
    }
}

#[track_caller]
fn check_looks(without: &[&str]) {
    let files = Memory::default();
    files.put("/a/one", FILE, 5, "1");
    files.put("/a/b/two", FILE, 6, "22");
    files.put("/a/link", 0o120_777, 7, "/a/one");
    let (_lab, _adbd, phone) = Lab::with(paper(&files).without(without));
    let mut sync = phone.sync(&limit()).unwrap();
    let list = sync.list("/a").unwrap();
    let list: Vec<_> = list.iter().map(|entry| (entry.name.as_str(), entry.stat.kind())).collect();
    assert_eq!(list, [("b", FileKind::Folder), ("link", FileKind::Link), ("one", FileKind::File)]);
    assert_eq!(sync.list("/none").unwrap(), []);
    assert_eq!(sync.stat("/none").unwrap(), None);
    let one = sync.lstat("/a/one").unwrap().unwrap();
    assert_eq!((one.permissions(), one.size, one.mtime), (0o644, 1, 5));
    let error = sync.pull("/none", &mut Vec::new()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoFile);
    // After a file that is not there, the session goes on.
    assert_eq!(sync.pull("/a/b/two", &mut Vec::new()).unwrap(), 2);
}

#[test]
fn looks_at_files() {
    check_looks(&[]);
}

#[test]
fn looks_at_files_of_a_phone_of_old() {
    check_looks(&["stat_v2", "ls_v2"]);
}

#[test]
fn a_full_phone_says_so_at_once() {
    let files = Memory::with_room(1 << 20);
    let (_lab, _adbd, phone) = Lab::with(paper(&files));
    let mut sync = phone.sync(&limit()).unwrap();
    // An endless file: it must not be sent to its end.
    let mut endless = std::io::repeat(7).take(u64::MAX);
    let error = sync.push(&mut endless, "/data/local/tmp/x", 0o644, 0).unwrap_err();
    let serial = phone.serial();
    assert_eq!(
        error.to_string(),
        format!(
            "'/data/local/tmp/x' cannot be pushed on {serial}: write failed: No space left on device\nhint: make room on the phone"
        )
    );
    assert_eq!(files.paths(), <[String; 0]>::default());
}

#[test]
fn folders_go_there_and_come_back() {
    let files = Memory::default();
    let (_lab, _adbd, phone) = Lab::with(paper(&files));
    let (from, to) = (Folder::new("from"), Folder::new("to"));
    for (path, text) in
        [("a.yaml", "1"), ("sub/b.yaml", "22"), ("node_modules/c.js", "no"), ("sub/deep/d", "")]
    {
        from.write(path, text);
    }
    let mut sync = phone.sync(&limit()).unwrap();
    let is_wanted = |path: &Path| path != Path::new("node_modules");
    let moved = sync.push_folder(&from.0, "/data/local/tmp/w", &is_wanted).unwrap();
    assert_eq!(moved, Moved { files: 3, bytes: 3 });
    let names = ["a.yaml", "sub/b.yaml", "sub/deep/d"];
    assert_eq!(files.paths(), names.map(|name| format!("/data/local/tmp/w/{name}")));
    let back: PathBuf = to.0.join("reports");
    assert_eq!(sync.pull_folder("/data/local/tmp/w", &back).unwrap(), moved);
    assert_eq!(std::fs::read_to_string(back.join("sub/b.yaml")).unwrap(), "22");
    assert_eq!(sync.pull_folder("/none", &back).unwrap_err().kind, ErrorKind::NoFile);
}

#[test]
fn a_folder_of_this_machine_is_a_phone_as_well() {
    let root = Folder::new("root");
    let (_lab, _adbd, phone) = Lab::with(FakePhone::new(commands).files(root.0.clone()));
    let mut sync = phone.sync(&limit()).unwrap();
    sync.push(&mut "hello".as_bytes(), "/sdcard/x/hello.txt", 0o600, 1_700_000_000).unwrap();
    assert_eq!(std::fs::read_to_string(root.0.join("sdcard/x/hello.txt")).unwrap(), "hello");
    let stat = sync.stat("/sdcard/x/hello.txt").unwrap().unwrap();
    assert_eq!((stat.mode, stat.size, stat.mtime), (0o100_600, 5, 1_700_000_000));
    assert_eq!(sync.list("/sdcard").unwrap()[0].name, "x");
}
