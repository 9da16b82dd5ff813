//! Sessions and bundles that are cut, changed or no sessions at all.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::replay::{clean, counted};
use crate::space::Space;

#[test]
fn a_damaged_session_folder_is_an_error() {
    let replay = |change: &dyn Fn(&Space)| {
        let space = counted();
        change(&space);
        let ran = clean(&space, &["replay", "sessions/one"]).exits(3);
        assert_eq!(ran.stdout, "");
        ran.stderr
    };
    let edit = |space: &Space, name: &str, from: &str, to: &str| {
        let name = format!("sessions/one/{name}");
        let text = space.read(&name);
        assert!(text.contains(from), "{text}");
        space.write(&name, text.replacen(from, to, 1));
    };
    let remove = |space: &Space, name: &str| fs::remove_file(space.path("sessions/one").join(name)).unwrap();
    assert_snapshot!(replay(&|space| remove(space, "screens/00001.tbsc")), @"error: sessions/one: 'screens/00001.tbsc' is missing");
    assert_snapshot!(replay(&|space| {
        let path = space.path("sessions/one/screens/00001.tbsc");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }), @"error: sessions/one: 'screens/00001.tbsc': byte 460: the screen is cut off");
    assert_snapshot!(replay(&|space| remove(space, "world.jsonl")), @"error: sessions/one: 'world.jsonl' is missing");
    assert_snapshot!(replay(&|space| remove(space, "documents/trails/one.trail.yaml")), @"error: sessions/one: 'documents/trails/one.trail.yaml' is missing");
    assert_snapshot!(replay(&|space| edit(space, "session.json", "\"format\": 1", "\"format\": 2")), @"error: sessions/one: 'session.json' has another format than 1");
    assert_snapshot!(replay(&|space| edit(space, "session.json", "\"verdict\"", "\"vedict\"")), @"error: sessions/one: 'session.json' does not describe a session");
    assert_snapshot!(replay(&|space| edit(space, "session.json", "\"root\": \".\"", "\"root\": \"../..\"")), @"error: sessions/one: 'session.json' names a folder outside of the session");
    assert_snapshot!(replay(&|space| edit(space, "session.json", "\"root\": \".\"", "\"root\": \"/etc\"")), @"error: sessions/one: 'session.json' names a folder outside of the session");
    assert_snapshot!(replay(&|space| edit(space, "session.json", "trails/one.trail.yaml", "../../../../etc/passwd")), @"error: sessions/one: 'documents/../../../../etc/passwd' is missing");
    assert_snapshot!(replay(&|space| edit(space, "world.jsonl", "\"version\":1", "\"version\":2")), @"error: sessions/one: 'world.jsonl': line 1: the session has another version than 1");
    assert_snapshot!(replay(&|space| edit(space, "world.jsonl", "{\"t\":", "{\"x\":")), @"error: sessions/one: 'world.jsonl': line 2: this is no note of a session");
    assert_snapshot!(replay(&|space| edit(space, "documents/trails/one.trail.yaml", "trail:", "trial:")), @"error: sessions/one: the documents of the session have errors: a trail needs 'trail:' with a list of steps");
    assert_snapshot!(replay(&|space| space.write("sessions/one/session.json", "{")), @"error: sessions/one: 'session.json': EOF while parsing an object at line 1 column 1");
}

#[test]
fn what_is_no_session_is_an_error() {
    let space = Space::empty();
    space.write("empty/readme.md", "nothing");
    space.write("text.zip", "this is no zip at all");
    space.write("none.zip", "");
    let run = |path: &str| {
        let ran = clean(&space, &["replay", path]).exits(3);
        assert_eq!(ran.stdout, "");
        ran.stderr
    };
    assert_snapshot!(run("empty"), @"
    error: empty: there is no session in it
    hint: 'run --capture DIR' makes one
    ");
    assert_snapshot!(run("missing"), @"
    error: missing: it does not exist
    hint: give a session folder or a bundle
    ");
    assert_snapshot!(run("text.zip"), @"error: text.zip: this is no zip archive, or it is cut off");
    assert_snapshot!(run("none.zip"), @"error: none.zip: this is no zip archive, or it is cut off");
    // The shortest zip: nothing in it.
    space.write("hollow.zip", [&b"PK\x05\x06"[..], &[0; 18]].concat());
    assert_snapshot!(run("hollow.zip"), @"error: hollow.zip: 'session.json' is missing");
}

/// A zip of empty files, written by hand.
fn zip_of(names: &[&str]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for name in names {
        let offset = out.len() as u32;
        let length = (name.len() as u16).to_le_bytes();
        out.extend(b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0");
        out.extend([length[0], length[1], 0, 0]);
        out.extend(name.as_bytes());
        directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0");
        directory.extend([length[0], length[1], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([(names.len() as u16).to_le_bytes(), (names.len() as u16).to_le_bytes()].concat());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

#[test]
fn a_bundle_that_would_write_elsewhere_is_refused() {
    let space = Space::empty();
    for name in
        ["../evil.txt", "documents/../../evil.txt", "/tmp/evil.txt", "a\\..\\evil.txt", "c:/evil.txt", "a//b"]
    {
        space.write("in/bundle.zip", zip_of(&["session.json", name]));
        let ran = clean(&space, &["replay", "in/bundle.zip"]).exits(3);
        assert_eq!(ran.stderr, format!("error: in/bundle.zip: '{name}' would leave the folder\n"));
    }
    space.write("in/bundle.zip", zip_of(&["session.json", "session.json"]));
    assert_snapshot!(clean(&space, &["replay", "in/bundle.zip"]).exits(3).stderr, @"error: in/bundle.zip: 'session.json' is in the archive twice");
    space.write("in/bundle.zip", zip_of(&["readme.md"]));
    assert_snapshot!(clean(&space, &["replay", "in/bundle.zip"]).exits(3).stderr, @"error: in/bundle.zip: 'session.json' is missing");
    assert_eq!(space.files("."), [space.files("in").concat()]);
    assert!(!Path::new("/tmp/evil.txt").exists());
}

#[test]
fn a_damaged_bundle_is_an_error() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    space.run(&["run", "--out", "out"]).exits(1);
    let whole = fs::read(space.path("out/bad/bundle.zip")).unwrap();
    for part in 0..8 {
        space.write("cut.zip", &whole[..whole.len() * part / 8]);
        let ran = clean(&space, &["replay", "cut.zip"]).exits(3);
        assert!(ran.stderr.starts_with("error: cut.zip: "), "{ran}");
    }
    for part in 1..8 {
        let mut bytes = whole.clone();
        bytes[whole.len() * part / 8] ^= 0x20;
        space.write("flipped.zip", bytes);
        let ran = clean(&space, &["replay", "flipped.zip"]).exits(3);
        assert!(ran.stderr.starts_with("error: flipped.zip: "), "{ran}");
    }
    // The whole one is none.
    space.write("whole.zip", whole);
    clean(&space, &["replay", "whole.zip"]).exits(1);
}

#[test]
fn a_world_that_was_cut_at_the_end_of_a_line_is_an_error() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    space.run(&["run", "-q", "--capture", "sessions"]).exits(1);
    let world = space.read("sessions/bad/world.jsonl");
    space.write("sessions/bad/world.jsonl", world.split_inclusive('\n').take(5).collect::<String>());
    assert_snapshot!(space.run(&["replay", "sessions/bad"]).exits(3).stderr, @"error: sessions/bad: 'world.jsonl': line 5: the session is cut off after 4 of 6 notes");
    space.write("sessions/bad/world.jsonl", &world);
    space.write("sessions/bad/programs.jsonl", "{\"argv\":1}\n");
    assert_snapshot!(space.run(&["replay", "sessions/bad"]).exits(3).stderr, @"error: sessions/bad: 'programs.jsonl': line 1: this is no program of a session");
}

/// Sets the method of the first entry to the one that programs use for compression.
#[test]
fn a_bundle_that_was_repacked_says_so() {
    let space = Space::lab();
    space.trail("bad", &["assertVisible: { text: nowhere }"]);
    space.run(&["run", "-q", "--out", "out"]).exits(1);
    let mut bytes = fs::read(space.path("out/bad/bundle.zip")).unwrap();
    let directory = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[directory + 10] = 8;
    space.write("packed.zip", bytes);
    assert_snapshot!(space.run(&["replay", "packed.zip"]).exits(3).stderr, @"
    error: packed.zip: bundles are not compressed; this one was repacked
    hint: unpack it and give the folder
    ");
}
