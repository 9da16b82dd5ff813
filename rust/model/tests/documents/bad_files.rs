//! Files that are no documents at all, and where their problems stand.

use crate::common::check_problems;
use trailblaze_model::diagnostic::{Code, Diagnostics};
use trailblaze_model::place::Source;
use trailblaze_model::{target, tool, toolset, trail, workspace};

#[track_caller]
fn check(text: &str, problems: &str) {
    check_problems(trail::read, text, problems);
}

#[track_caller]
fn check_limit(text: &str, problem: &str) {
    let mut problems = Diagnostics::new();
    assert_eq!(trail::read(&Source::new("a.yaml", text), &mut problems), None);
    let problems = problems.sorted();
    assert_eq!(problems[0].code, Code::Limit);
    assert_eq!(
        format!("{}: {}", problems[0].at.as_ref().expect("it has a place"), problems[0].message),
        problem
    );
}

#[test]
fn limits() {
    let deep = "a.yaml:1:129: the document nests deeper than 128 levels";
    check_limit(&"[".repeat(200), deep);
    check_limit(&"[".repeat(10_000), "a.yaml:1:256: the document nests deeper than 128 levels");
    check_limit(&"- ".repeat(10_000), "a.yaml:1:257: the document nests deeper than 128 levels");
    check_limit(&"{a: ".repeat(10_000), "a.yaml:1:1021: the document nests deeper than 128 levels");
    let lines: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    check_limit(&lines, "a.yaml:129:129: the document nests deeper than 128 levels");
    check_limit(&"a".repeat(20 << 20), "a.yaml:1:1: the file has 20971520 bytes; the limit is 16777216");
}

#[test]
fn aliases_do_not_explode() {
    let mut bomb = "- &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("- &a{level} [{items}]\n"));
    }
    check_limit(&bomb, "a.yaml:5:8: aliases repeat more than 10000 values");
    let long = format!("- &a {}\n{}", "x".repeat(1 << 20), "- *a\n".repeat(1_000));
    check_limit(&long, "a.yaml:2:3: aliases repeat more than 10000 values");
    let items = "x, ".repeat(1_000);
    let many: String = (0..300).map(|level| format!("- &b{level} [{items}]\n")).collect();
    check_limit(&many, "a.yaml:200:3: anchors hold more than 200000 values");
}

#[test]
fn large_documents_take_no_time() {
    let keys: String = (0..50_000).map(|key| format!("k{key}: 1\n")).collect();
    let mut problems = Diagnostics::new();
    assert_eq!(trail::read(&Source::new("a.yaml", keys), &mut problems), None);
    assert_eq!(problems.errors().count(), 101);
    assert_eq!(
        problems.errors().last().unwrap().message,
        "the file has more than 100 errors; the rest is not shown"
    );
}

#[test]
fn every_kind_of_document_says_when_it_is_empty() {
    fn check<T>(read: fn(&Source, &mut Diagnostics) -> Option<T>, hint: &str) {
        let problem = format!("error: a.yaml:1:1: the file is empty\nhint: {hint}");
        for text in ["", "# only a comment\n", "---\n", "\u{feff}"] {
            check_problems(read, text, &problem);
        }
    }
    check(trail::read, "a trail begins with 'trail:' and a list of steps");
    check(tool::read, "a tool begins with 'id:'");
    check(toolset::read, "a toolset begins with 'id:'");
    check(target::read, "a target begins with 'id:'");
    check_problems(workspace::read, "# only a comment\n", "");
}

#[test]
fn no_yaml() {
    check(
        "\u{0}\u{1}\u{2}",
        r"
error: a.yaml:1:1: the file is binary, not text
hint: a zero byte stands in line 1
",
    );
    check(
        "a\nb\u{0}c\n",
        r"
error: a.yaml:1:1: the file is binary, not text
hint: a zero byte stands in line 2
",
    );
    check(
        r"
just a text
",
        r"
error: a.yaml:1:1: a trail is a mapping with 'trail:' or a list of 'config', 'prompts' and 'tools' items
1 | just a text
  | ^
",
    );
    check(
        r#"
trail: "a
"#,
        r#"
error: a.yaml:1:8: not valid YAML: while scanning a quoted scalar, found unexpected end of stream
1 | trail: "a
  |        ^
hint: a quote is not closed
"#,
    );
    check(
        r"
trail: [
",
        r"
error: a.yaml:1:9: not valid YAML: while parsing a node, did not find expected node content
1 | trail: [
  |         ^
hint: a value is missing, or a bracket is not closed
",
    );
    check(
        r"
trail: { a: b
",
        r"
error: a.yaml:1:14: not valid YAML: while parsing a flow mapping, did not find expected ',' or '}'
1 | trail: { a: b
  |              ^
hint: a '{' is not closed, or a ',' is missing
",
    );
    check(
        r"
trail: a: b
",
        r"
error: a.yaml:1:9: not valid YAML: mapping values are not allowed in this context
1 | trail: a: b
  |         ^
hint: put quotes around a text that contains ': '
",
    );
    check(
        r"
trail:
  - a
 b: c
",
        r"
error: a.yaml:3:2: not valid YAML: while parsing a block mapping, did not find expected key
3 |  b: c
  |  ^
hint: check the indentation of this line
",
    );
    check(
        r"
trail: *nothing
",
        r"
error: a.yaml:1:8: not valid YAML: while parsing node, found unknown anchor
1 | trail: *nothing
  |        ^
hint: an alias needs an anchor '&name' above it; put quotes around a text that begins with '*'
",
    );
    check(
        r"
trail: &a [*a]
",
        r"
error: a.yaml:1:12: the alias stands inside of the value that it repeats
1 | trail: &a [*a]
  |            ^
",
    );
    check(
        r"
[a]: b
",
        r"
error: a.yaml:1:1: a key must be a single value
1 | [a]: b
  | ^
hint: put quotes around a key that begins with '[' or '{'
",
    );
    check(
        r"
trail: %
",
        r"
error: a.yaml:1:8: not valid YAML: unexpected character: `%'
1 | trail: %
  |        ^
",
    );
    check(
        r"
a: b
---
c: d
",
        r"
error: a.yaml:2:1: the file holds more than one YAML document
2 | ---
  | ^
hint: put what stands below '---' into a file of its own
",
    );
    check(
        r"
trail: !home
  - step: a
",
        r"
warning: a.yaml:1:8: the tag '!home' has no effect
1 | trail: !home
  |        ^
hint: remove it
",
    );
}

#[test]
fn tabs() {
    check(
        "trail:\n\t- step: a\n",
        r"
error: a.yaml:2:1: a tab stands in the indentation
2 |  - step: a
  | ^
hint: indent with spaces; YAML does not allow tabs
",
    );
    check(
        "trail:\n  - step: a\n\t  verify: b\n",
        r"
error: a.yaml:3:1: a tab stands in the indentation
3 |    verify: b
  | ^
hint: indent with spaces; YAML does not allow tabs
",
    );
    check(
        "trail:\n  - step: a\n    recording:\n\tandroid: []\n",
        r"
error: a.yaml:4:1: a tab stands in the indentation
4 |  android: []
  | ^
hint: indent with spaces; YAML does not allow tabs
",
    );
}

#[test]
fn duplicate_keys() {
    check(
        r"
trail:
  - step: a
    maxRetries: 1
    maxRetries: 2
",
        r"
error: a.yaml:4:5: the key 'maxRetries' stands here a second time
4 |     maxRetries: 2
  |     ^
hint: it is already in line 3; keep one of them
",
    );
    check(
        r"
trail: [{ step: a }]
config: { id: a, id: b }
trail: []
",
        r"
error: a.yaml:2:18: the key 'id' stands here a second time
2 | config: { id: a, id: b }
  |                  ^
hint: it is already in line 2; keep one of them
error: a.yaml:3:1: the key 'trail' stands here a second time
3 | trail: []
  | ^
hint: it is already in line 1; keep one of them
",
    );
}

#[test]
fn columns_count_characters() {
    check(
        r"
äöü: 1
trail: [{ stäp: a }]
",
        r"
error: a.yaml:1:1: a trail has no key 'äöü'
1 | äöü: 1
  | ^
hint: known keys: config, trailhead, trail
error: a.yaml:2:9: a step needs 'step' or 'verify'
2 | trail: [{ stäp: a }]
  |         ^
error: a.yaml:2:11: a step has no key 'stäp'
2 | trail: [{ stäp: a }]
  |           ^
hint: did you mean 'step'?
",
    );
    check(
        r#"
trail: [{ "😀": 1, step: a, ü: 2 }]
"#,
        r#"
error: a.yaml:1:11: a step has no key '😀'
1 | trail: [{ "😀": 1, step: a, ü: 2 }]
  |           ^
hint: known keys: step, verify, recording, recordable, maxRetries
error: a.yaml:1:28: a step has no key 'ü'
1 | trail: [{ "😀": 1, step: a, ü: 2 }]
  |                            ^
hint: known keys: step, verify, recording, recordable, maxRetries
"#,
    );
}

#[test]
fn line_endings() {
    check(
        "trail:\r\n  - step: a\r\n    stop: b\r\n",
        r"
error: a.yaml:3:5: a step has no key 'stop'
3 |     stop: b
  |     ^
hint: did you mean 'step'?
",
    );
    check(
        "trail:\r  - step: a\r    stop: b\r",
        r"
error: a.yaml:3:5: a step has no key 'stop'
3 |     stop: b
  |     ^
hint: did you mean 'step'?
",
    );
    check(
        "\u{feff}trial: 1\ntrail: [{ stop: a }]\n",
        r"
error: a.yaml:1:1: a trail has no key 'trial'
1 | trial: 1
  | ^
hint: did you mean 'trail'?
error: a.yaml:2:9: a step needs 'step' or 'verify'
2 | trail: [{ stop: a }]
  |         ^
error: a.yaml:2:11: a step has no key 'stop'
2 | trail: [{ stop: a }]
  |           ^
hint: did you mean 'step'?
",
    );
    check(
        "\u{feff}trial: 1\r\ntrail: [{ stop: a }]\r\n",
        r"
error: a.yaml:1:1: a trail has no key 'trial'
1 | trial: 1
  | ^
hint: did you mean 'trail'?
error: a.yaml:2:9: a step needs 'step' or 'verify'
2 | trail: [{ stop: a }]
  |         ^
error: a.yaml:2:11: a step has no key 'stop'
2 | trail: [{ stop: a }]
  |           ^
hint: did you mean 'step'?
",
    );
}

#[test]
fn long_lines_are_cut() {
    check(
        r"
trail: [{ step: a, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1, android: [] }]
",
        r"
error: a.yaml:1:20: a step has no key 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
1 | trail: [{ step: a, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  |                    ^
hint: known keys: step, verify, recording, recordable, maxRetries
error: a.yaml:1:325: a step has no key 'android'
1 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1, android: [] }]
  |                                                                                 ^
hint: known keys: step, verify, recording, recordable, maxRetries
",
    );
}
