//! Files that are no documents at all, or no YAML: a clear error, the right exit code, nothing half-written.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::bad_documents::{bad_tool, bad_trail};
use crate::space::{Space, trail_text};

#[test]
fn an_empty_file() {
    assert_snapshot!(bad_trail("").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: the file is empty
    hint: a trail begins with 'trail:' and a list of steps
    ");
    assert_snapshot!(bad_trail("# only a comment\n\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: the file is empty
    hint: a trail begins with 'trail:' and a list of steps
    ");
    assert_snapshot!(bad_tool("").to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/bad.yaml:1:1: the file is empty
    hint: a tool begins with 'id:'
    ");
}

#[test]
fn a_binary_file() {
    assert_snapshot!(bad_trail([0x7f, b'E', b'L', b'F', 0, 1, 0xff, 0xfe]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: the file is not text in UTF-8; line 1 has other bytes
    ");
    assert_snapshot!(bad_trail(b"trail:\n  - step: \0\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: the file is binary, not text
    hint: a zero byte stands in line 2
    ");
}

#[test]
fn a_file_of_20_mib() {
    let mut text = trail_text("", &[]).into_bytes();
    text.resize(20 << 20, b'#');
    assert_snapshot!(bad_trail(text).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:1: the file has 20971520 bytes; the limit is 16777216
    ");
}

#[test]
fn a_bomb_of_aliases() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(", "));
    }
    let started = Instant::now();
    assert_snapshot!(bad_trail(text).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:4:45: aliases repeat more than 10000 values
    4 | a3: &a3 [*a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2]
      |                                             ^
    hint: write the values out or repeat fewer of them
    ");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn ten_thousand_levels() {
    let flow = format!("trail: {}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_snapshot!(bad_trail(flow).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:263: the document nests deeper than 128 levels
    1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      |                                                                                 ^
    ");
    let block = format!("trail:\n{}x\n", "- ".repeat(10_000));
    assert_snapshot!(bad_trail(block).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:2:255: the document nests deeper than 128 levels
    2 | - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
      |                                                                                 ^
    ");
    let tool = format!("id: x\ndescription: d\nparameters: []\ntools:\n{}x\n", "- ".repeat(10_000));
    let ran = bad_tool(&tool);
    assert!(ran.stderr.contains("nests deeper than 128 levels"), "{ran}");
}

#[test]
fn tabs_for_indentation() {
    assert_snapshot!(bad_trail("trail:\n\t- step: x\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:2:1: a tab stands in the indentation
    2 |  - step: x
      | ^
    hint: indent with spaces; YAML does not allow tabs
    ");
}

#[test]
fn broken_yaml() {
    assert_snapshot!(bad_trail("trail: [\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:1:9: not valid YAML: while parsing a node, did not find expected node content
    1 | trail: [
      |         ^
    hint: a value is missing, or a bracket is not closed
    ");
    assert_snapshot!(bad_trail("trail:\n  - step: \"never closed\n").to_string(), @r#"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:2:11: not valid YAML: while scanning a quoted scalar, found unexpected end of stream
    2 |   - step: "never closed
      |           ^
    hint: a quote is not closed
    "#);
    assert_snapshot!(bad_trail("trail:\n - step: *nobody\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:2:10: not valid YAML: while parsing node, found unknown anchor
    2 |  - step: *nobody
      |          ^
    hint: an alias needs an anchor '&name' above it; put quotes around a text that begins with '*'
    ");
    assert_snapshot!(bad_trail("trail: [ {step: a} ]\n---\ntrail: [ {step: b} ]\n").to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/bad.trail.yaml:2:1: the file holds more than one YAML document
    2 | ---
      | ^
    hint: put what stands below '---' into a file of its own
    ");
}

#[test]
fn line_endings_of_windows_and_a_byte_order_mark_are_fine() {
    let space = Space::lab();
    let text = trail_text("", &["tap: { text: Add one }", "assertVisible: { text: \"Count: 1\" }"]);
    space.write("trails/crlf.trail.yaml", text.replace('\n', "\r\n"));
    space.write("trails/bom.trail.yaml", format!("\u{feff}{text}"));
    space.write("trails/both.trail.yaml", format!("\u{feff}{}", text.replace('\n', "\r\n")));
    space.write("trailblaze.yaml", "\u{feff}target: lab\r\n");
    assert_eq!(
        space.run(&["run", "--json"]).exits(0).verdicts(),
        ["bom passed", "both passed", "crlf passed"]
    );
}

#[test]
fn a_folder_in_place_of_a_file() {
    let space = Space::lab();
    std::fs::create_dir_all(space.path("trails/one.trail.yaml")).unwrap();
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trails in .
    hint: trails are files called 'trail.yaml' or '<name>.trail.yaml', in a workspace below 'trails/'
    ");
    assert_snapshot!(space.run(&["check", "trails/one.trail.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trails in trails/one.trail.yaml
    hint: trails are files called 'trail.yaml' or '<name>.trail.yaml', in a workspace below 'trails/'
    ");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let space = Space::lab();
    space.trail("one", &[]);
    symlink("nowhere", space.path("trails/dangling.trail.yaml")).unwrap();
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/dangling.trail.yaml:1:1: it does not exist
    ");
    std::fs::remove_file(space.path("trails/dangling.trail.yaml")).unwrap();
    let path = space.path("trails/one.trail.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything.
    if std::fs::read(&path).is_err() {
        let ran = space.run(&["check"]).exits(3);
        assert!(ran.stderr.contains("trails/one.trail.yaml:1:1: permission denied"), "{ran}");
    }
}
