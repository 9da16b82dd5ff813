//! A flipped byte anywhere is seen.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

use trailblaze_apk::verify;

use crate::keys;
use crate::packing::Lab;

/// Of the zeros that align a library so many are flipped, and of all else every byte.
const OF_PADDING: usize = 13;

fn every_flip_is_seen(key: &str) {
    let mut lab = Lab::new();
    lab.key = keys::read(key).unwrap();
    lab.pack().unwrap();
    let good = fs::read(lab.out()).unwrap();
    let is_padding =
        |at: usize| good[at.saturating_sub(8)..(at + 9).min(good.len())].iter().all(|byte| *byte == 0);
    let places: Vec<usize> =
        (0..good.len()).filter(|at| !is_padding(*at) || at.is_multiple_of(OF_PADDING)).collect();
    assert!(places.len() > 3_000, "{}", places.len());
    let mut file = OpenOptions::new().write(true).open(lab.out()).unwrap();
    let mut put = |at: usize, byte: u8| {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    for at in places {
        put(at, good[at] ^ (1 << (at % 8)));
        assert!(verify(&lab.out()).is_err(), "{key}: byte {at} of {}", good.len());
        put(at, good[at]);
    }
    verify(&lab.out()).unwrap();
}

#[test]
fn in_an_apk_that_is_signed_with_ecdsa() {
    every_flip_is_seen("ec.pem");
}

#[test]
fn in_an_apk_that_is_signed_with_rsa() {
    every_flip_is_seen("rsa.pem");
}

#[test]
fn a_cut_or_longer_file_is_seen() {
    let lab = Lab::new();
    lab.pack().unwrap();
    let good = fs::read(lab.out()).unwrap();
    for length in (0..good.len()).step_by(101).chain([good.len() - 1]) {
        fs::write(lab.out(), &good[..length]).unwrap();
        assert!(verify(&lab.out()).is_err(), "{length} bytes");
    }
    fs::write(lab.out(), [&good[..], b"x"].concat()).unwrap();
    assert!(verify(&lab.out()).is_err());
}
