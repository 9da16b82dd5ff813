//! Reading waypoints.

use trailblaze_model::classifier::Classifiers;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::place::Source;
use trailblaze_model::waypoint::{self, Waypoint};

use crate::common::captures_folder;

#[track_caller]
fn read(text: &str) -> Waypoint {
    let mut problems = Diagnostics::new();
    let waypoint = waypoint::read(&Source::new("a.waypoint.yaml", text), &mut problems);
    waypoint.unwrap_or_else(|| panic!("{:#?}", problems.sorted()))
}

#[track_caller]
fn check_problems(text: &str, expected: &[&str]) {
    let mut problems = Diagnostics::new();
    let waypoint = waypoint::read(&Source::new("a.waypoint.yaml", text), &mut problems);
    assert_eq!(waypoint.is_none(), problems.has_errors());
    let line = |problem: String| problem.lines().next().unwrap_or_default().to_owned();
    let shown: Vec<String> = problems.sorted().iter().map(|problem| line(problem.to_string())).collect();
    assert_eq!(shown, expected);
}

#[test]
fn recorded_waypoints_read_without_problems() {
    let files = std::fs::read_dir(captures_folder()).unwrap().map(|file| file.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.to_string_lossy().ends_with(".waypoint.yaml")).collect();
    assert_eq!(files.len(), 27);
    for path in files {
        check_problems(&std::fs::read_to_string(path).unwrap(), &[]);
    }
}

#[test]
fn each_part_comes_from_the_closest_block_that_has_any() {
    let waypoint = read(
        r"
id: mail/inbox
description: The inbox
route: mail://all
phone:
  forbidden:
    - description: of phone
android:
  route: mail://android
  required:
    - description: of android
  forbidden:
    - description: never
android-phone:
  route: ''
  forbidden: []
  example: { file: a.json, capturedAt: 2026-01-01T00:00:00Z }
",
    );
    let parts = |segments: &[&str]| {
        let block = waypoint.for_device(&Classifiers::new(segments.iter().copied()))?;
        let names =
            |list: &[waypoint::Condition]| list.iter().map(waypoint::Condition::name).collect::<Vec<_>>();
        Some((
            block.route,
            names(&block.required).join(","),
            names(&block.forbidden).join(","),
            block.example,
        ))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        parts(&["android", "phone"]),
        Some((some("mail://android"), "of android".into(), "never".into(), some("a.json")))
    );
    assert_eq!(parts(&["phone"]), Some((some("mail://all"), String::new(), "of phone".into(), None)));
    assert_eq!(parts(&["ios"]), None);
}

#[test]
fn a_block_may_be_empty() {
    let device = Classifiers::new(["android"]);
    for text in ["id: a/b\nandroid: {}\n", "id: a/b\nandroid:\n", "id: a/b\nandroid: { required: }\n"] {
        let block = read(text).for_device(&device).unwrap();
        assert_eq!(block, waypoint::Block::default());
    }
}

#[test]
fn problems_have_places() {
    check_problems("android: {}\n", &["error: a.waypoint.yaml:1:1: a waypoint needs 'id'"]);
    check_problems(
        "id: inbox\nandroid: {}\n",
        &["warning: a.waypoint.yaml:1:1: the id 'inbox' has not the form of one"],
    );
    check_problems(
        "id: a/b\nandroid:\n  required:\n    - minCount: 0\n      selektor: {}\n",
        &[
            "error: a.waypoint.yaml:4:7: 'minCount' must be at least 1",
            "error: a.waypoint.yaml:5:7: a condition has no key 'selektor'",
        ],
    );
    check_problems(
        "id: a/b\nandroid:\n  required:\n    - selector:\n        childOf:\n          androidAccessibility:\n            textRegx: a\n",
        &["error: a.waypoint.yaml:7:23: 'androidAccessibility' has no predicate 'textRegx'"],
    );
    check_problems(
        "id: a/b\nandroid:\n  forbidden:\n    - selector:\n        below: { androidMaestro: { textRegex: 'a(' } }\n",
        &[
            "warning: a.waypoint.yaml:5:47: 'a(' is no regular expression (unclosed group) and is taken literally",
        ],
    );
    check_problems(
        "id: a/b\nandroid:\n  required:\n    - selector: { androidAccessibility: { textRegex: '({{target.appId}}' } }\n",
        &[],
    );
}
