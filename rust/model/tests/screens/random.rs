//! Random screens, random changes of good files, and random selectors.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use trailblaze_model::fuzzing;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::screen::{Capture, Screen};

use crate::common::{build, captures, made_nodes};

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn a_screen_reads_back_from_its_bytes() {
    let result = runner(300).run(&made_nodes(), |nodes| {
        let screen = build(&nodes, false);
        assert_eq!(Screen::from_bytes(&screen.to_bytes()).as_ref(), Ok(&screen));
        fuzzing::screen(&screen.to_bytes());
        Ok(())
    });
    result.unwrap();
}

#[test]
fn a_screen_of_one_window_reads_back_from_its_capture() {
    let result = runner(300).run(&made_nodes(), |nodes| {
        let mut screen = build(&nodes, true);
        screen.time_ms = 0;
        let (width, height) = (screen.width, screen.height);
        let screen = Some(screen).filter(|screen| !screen.is_empty());
        let capture = Capture { screen, width, height, ..Capture::default() };
        assert_eq!(Capture::read(&capture.print()).as_ref(), Ok(&capture));
        Ok(())
    });
    result.unwrap();
}

/// A good file, cut and changed at a few places.
fn mutated(good: Vec<u8>, pieces: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), 0..6usize, prop::sample::select(pieces), any::<u8>());
    prop::collection::vec(change, 1..5).prop_map(move |changes| {
        let mut bytes = good.clone();
        for (at, kind, piece, byte) in changes {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + usize::from(byte) % 9).min(bytes.len());
            match kind {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 => drop(bytes.splice(at..at, piece.iter().copied())),
                3 => drop(bytes.splice(at..end, piece.iter().copied())),
                _ if at < bytes.len() => bytes[at] = byte,
                _ => bytes.push(byte),
            }
        }
        bytes
    })
}

fn smallest() -> (String, Capture) {
    let (_, text) = captures().into_iter().min_by_key(|(_, text)| text.len()).unwrap();
    let capture = Capture::read(&text).unwrap();
    let mut small = capture.clone();
    small.legacy = None;
    (small.print(), capture)
}

#[test]
fn no_file_hurts_the_reader_of_captures() {
    const PIECES: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b",",
        b":",
        b"null",
        b"-1",
        b"1e400",
        b"99999999999",
        b"\\u0000",
        b"\\ud800",
        b"{\"driverDetail\":{}}",
        b"\"class\":\"androidMaestro\"",
        b"\"children\":[",
        b"\xff",
        b"true",
    ];
    let (text, _) = smallest();
    let result = runner(3_000).run(&mutated(text.into_bytes(), PIECES), |bytes| {
        fuzzing::capture(&bytes);
        Ok(())
    });
    result.unwrap();
}

#[test]
fn no_bytes_hurt_the_reader_of_screens() {
    const PIECES: &[&[u8]] =
        &[&[0; 4], &[255; 4], &[1, 0, 0, 0], &[0, 0, 0, 128], &[255], &[0, 0, 0, 224], &[16, 39, 0, 0]];
    let (_, capture) = smallest();
    let bytes = capture.screen.unwrap().to_bytes();
    let result = runner(3_000).run(&mutated(bytes, PIECES), |bytes| {
        fuzzing::screen(&bytes);
        Ok(())
    });
    result.unwrap();
    let result = runner(3_000).run(&prop::collection::vec(any::<u8>(), 0..200), |tail| {
        fuzzing::screen(&tail);
        fuzzing::screen(&[b"TBSC\x01\0\0\0".as_slice(), &tail].concat());
        Ok(())
    });
    result.unwrap();
}

#[test]
fn no_pattern_hurts() {
    let pieces = vec![
        "a",
        "b",
        ".",
        "*",
        "+",
        "?",
        "++",
        "{2}",
        "{100}",
        "{,9}",
        "(",
        ")",
        "(?:",
        "(?=",
        "(?!",
        "(?<=",
        "(?<!",
        "(?>",
        "(?<n>",
        r"\k<n>",
        r"\1",
        "|",
        "[",
        "]",
        "[^",
        "&&",
        "-",
        "~~",
        r"\d",
        r"\W",
        r"\h",
        r"\R",
        r"\p{Alpha}",
        r"\P{L}",
        r"\0101",
        r"\0",
        r"\x{41}",
        r"\u00e9",
        r"\Q",
        r"\E",
        r"\\",
        r"\",
        "#",
        " ",
        "(?x)",
        "(?i)",
        "(?-i:",
        "^",
        "$",
        r"\b",
        r"\z",
        r"\G",
        r"\K",
        "é",
        "😀",
        "\n",
        "(?U)",
        "(?-u)",
        "(?R)",
        r"\b{start}",
        r"\X",
        r"\c@",
    ];
    let patterns =
        prop::collection::vec(prop::sample::select(pieces), 0..9).prop_map(|pieces| pieces.concat());
    let result = runner(3_000).run(&patterns, |pattern| {
        fuzzing::pattern(pattern.as_bytes());
        for dialect in [Dialect::Native, Dialect::Maestro] {
            let compiled = Pattern::new(&pattern, dialect);
            assert_eq!(compiled, Pattern::new(&pattern, dialect));
            for text in ["", "ab", "a\nb", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "é😀"] {
                let _ = compiled.try_matches(text);
            }
        }
        Ok(())
    });
    result.unwrap();
}
