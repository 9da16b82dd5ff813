//! Reports on disk.

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

fn nasty() -> Space {
    let space = Space::lab();
    space.write("trails/suite/good.trail.yaml", trail_text("title: \"<Good> & \\\"quoted\\\"\"", &[]));
    space.write(
        "trails/suite/bad.trail.yaml",
        trail_text("title: \"a]]>b\"", &["assertEquals: { actual: \"<]]>&\\u0001\", expected: \"'\\\"\" }"]),
    );
    space.trail("top", &[]);
    space
}

#[test]
fn junit_names_suites_cases_and_what_failed() {
    let space = nasty();
    space.run(&["run", "--junit", "junit.xml", "--out", "out"]).exits(1);
    assert_snapshot!(space.shown("junit.xml"));
    assert_eq!(space.read("junit.xml"), space.read("out/junit.xml"));
    well_formed(&space.read("junit.xml"));
}

/// Tags are balanced, and text has no bare `<` or `&` and no control characters.
#[track_caller]
pub(crate) fn well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml.trim_start_matches("\u{feff}");
    assert!(rest.starts_with("<?xml "), "{xml}");
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start], xml);
        let tag = &rest[start..];
        let (skip, end) = if let Some(data) = tag.strip_prefix("<![CDATA[") {
            (9 + data.find("]]>").expect("the data ends"), "]]>")
        } else {
            (tag.find('>').expect("the tag ends"), ">")
        };
        let inside = &tag[1..skip];
        if end == ">" && !inside.starts_with(['?', '!']) {
            let name = inside.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
            match (inside.starts_with('/'), inside.ends_with('/')) {
                (true, _) => assert_eq!(open.pop(), Some(name), "{xml}"),
                (_, true) => {}
                _ => open.push(name),
            }
        }
        rest = &tag[skip + end.len()..];
    }
    assert!(open.is_empty(), "{open:?}\n{xml}");
    assert!(!xml.contains(|c: char| c.is_control() && !"\n\r\t".contains(c)), "{xml:?}");
}

#[track_caller]
fn check_text(text: &str, xml: &str) {
    for part in text.split('&').skip(1) {
        let name = part.split(';').next().unwrap_or_default();
        assert!(
            ["lt", "gt", "amp", "quot", "apos"].contains(&name) || name.starts_with('#'),
            "&{name} in {xml}"
        );
    }
}

#[test]
fn the_summary_is_a_page() {
    let space = nasty();
    space.run(&["run", "--out", "out", "--retries", "1"]).exits(1);
    assert_snapshot!(space.shown("out/summary.md"));
}

#[test]
fn reports_of_nothing_are_there_too() {
    let space = Space::lab();
    space.trail("one", &[]);
    let run = |shard: &str| {
        space.run(&[
            "run",
            "--json",
            "--shard",
            shard,
            "--out",
            "out",
            "--junit",
            "junit.xml",
            "--events",
            "events.jsonl",
        ])
    };
    let empty = ["1/2", "2/2"].into_iter().find(|shard| run(shard).verdicts().is_empty());
    run(empty.expect("one trail leaves one of two shards empty")).exits(0);
    well_formed(&space.read("junit.xml"));
    assert_snapshot!(space.shown("events.jsonl"), @r#"
    {"event":"runStarted","t":0,"version":"[version]","trails":0,"driver":"android-ondevice-accessibility","device":"sim"}
    {"event":"runFinished","t":0,"verdict":"passed","passed":0,"failed":0,"skipped":0,"notRun":0,"healed":0,"interrupted":false,"durationMs":0}
    "#);
    assert_snapshot!(space.shown("out/summary.md"), @"
    # – No trail was run

    0 passed on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    ");
}

#[test]
fn out_may_be_there_already() {
    let space = Space::lab();
    space.trail("one", &["takeSnapshot: { screenName: home }"]);
    space.write("out/mine.txt", "mine");
    for _ in 0..2 {
        space.run(&["run", "--out", "out"]).exits(0);
    }
    assert_eq!(space.read("out/mine.txt"), "mine");
    assert!(space.files("out").contains(&"out/one/home.png".to_owned()), "{:?}", space.files("out"));
    assert!(!space.path(".trailblaze").exists());
}

#[test]
fn no_colours_when_nobody_looks() {
    let space = nasty();
    let ran = space.run(&["run"]).exits(1);
    assert!(!ran.to_string().contains('\u{1b}'), "{ran}");
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_run() {
    let space = nasty();
    let mut child = space.start(&["run", "--verbose", "--out", "out"]);
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(space.read("out/events.jsonl").ends_with("}\n"));
    assert!(space.read("out/events.jsonl").contains("runFinished"));
}
