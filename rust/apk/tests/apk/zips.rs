//! Archives: streams, alignment, and what other tools write.

use std::io::{Cursor, Read};

use trailblaze_apk::zip::{Archive, Method, Packing, Writer};

use crate::template;

fn open(bytes: Vec<u8>) -> Result<Archive<Cursor<Vec<u8>>>, String> {
    Archive::open(Cursor::new(bytes)).map_err(|error| error.message)
}

#[test]
fn what_is_small_is_compressed_where_that_helps() {
    let long = "long ".repeat(100);
    let mut archive = open(template::zip(&[("a.txt", long.as_bytes()), ("b.txt", b"short")])).unwrap();
    let methods: Vec<Method> = archive.entries.iter().map(|entry| entry.method).collect();
    assert_eq!(methods, [Method::Deflated, Method::Stored]);
    for (entry, expected) in archive.entries.clone().iter().zip([long.as_str(), "short"]) {
        assert_eq!(archive.read(entry, 1000).unwrap(), expected.as_bytes());
    }
    let entry = archive.entries[0].clone();
    assert_eq!(archive.read(&entry, 10).unwrap_err().message, "'a.txt' has 500 bytes, more than 10");
}

/// Gives bytes and counts how many were held at once at most: the writer must not ask for all of them.
struct Large {
    left: u64,
    most: usize,
}

impl Read for Large {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = out.len().min(self.left as usize);
        self.most = self.most.max(out.len());
        out[..length].fill(b'x');
        self.left -= length as u64;
        Ok(length)
    }
}

#[test]
fn what_is_large_passes_through() {
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    let mut large = Large { left: 40 << 20, most: 0 };
    writer.add("a.txt", Packing::Small, &mut &b"a"[..]).unwrap();
    writer.add("b.mp4", Packing::Small, &mut large).unwrap();
    writer.add("c.so", Packing::Stored, &mut &b"c"[..]).unwrap();
    assert!(large.most <= 8 << 20, "{} bytes were asked for at once", large.most);
    let (out, directory) = writer.finish().unwrap();
    let end = directory.end(directory.at).unwrap();
    let mut archive = open([out.into_inner(), directory.bytes, end.to_vec()].concat()).unwrap();
    for entry in archive.entries.clone() {
        archive.copy(&entry, &mut std::io::sink()).unwrap();
    }
    assert_eq!(archive.entries[1].size, 40 << 20);
}

#[test]
fn broken_archives_are_errors_and_nothing_worse() {
    let good = template::zip(&[("a.txt", "long ".repeat(100).as_bytes()), ("b/c.txt", b"short")]);
    for at in 0..good.len() {
        for flip in [0xff, 0x80, 0x01] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            let Ok(mut archive) = open(bad) else { continue };
            for entry in archive.entries.clone() {
                let _ = archive.read(&entry, 1 << 20);
            }
        }
        assert!(open(good[..at].to_vec()).is_err());
    }
}

#[track_caller]
fn refused(name: &str, expected: &str) {
    assert_eq!(open(template::zip(&[("a", b"a"), (name, b"b")])).unwrap_err(), expected);
}

#[test]
fn names_that_no_archive_should_have() {
    refused("a", "'a' is in the archive twice");
    refused("../b", "'../b' would leave the folder");
    refused("/b", "'/b' would leave the folder");
    refused("b//c", "'b//c' would leave the folder");
}
