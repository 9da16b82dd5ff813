//! Entries that are wrong before anything is started: exit code 3.

use insta::assert_snapshot;

use crate::lab::{lab, lab_with, run};
use crate::space::Ran;

/// What `check` says of an entry. A run says the same.
#[track_caller]
fn said(entry: &str) -> Ran {
    let space = lab(&[entry]);
    space.trail("one", &[]);
    let checked = run(&space, &["check"]);
    let ran = run(&space, &["run"]).exits(3);
    let first = checked.stderr.lines().next().unwrap_or_default();
    assert!(ran.stderr.starts_with(first), "{ran}");
    checked
}

#[test]
fn a_script_that_is_not_there() {
    assert_snapshot!(said("script: ./tools/nowhere.mjs"), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: './tools/nowhere.mjs' does not exist
    8 |   - script: ./tools/nowhere.mjs
      |     ^
    hint: paths are relative to the workspace, .
    ");
}

#[test]
fn a_script_and_a_command() {
    assert_snapshot!(said("{ script: ./tools/toolset.mjs, command: node }"), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: a server has exactly one of 'script', 'command' and 'url'
    8 |   - { script: ./tools/toolset.mjs, command: node }
      |     ^
    hint: 'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'
    ");
}

#[test]
fn a_transport_that_nobody_knows() {
    assert_snapshot!(said("{ name: web, transport: pigeon, url: \"http://127.0.0.1/mcp\" }"), @r#"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:18: unknown transport 'pigeon'
    8 |   - { name: web, transport: pigeon, url: "http://127.0.0.1/mcp" }
      |                  ^
    hint: use 'stdio' or 'http'
    "#);
}

#[test]
fn a_transport_without_a_url() {
    assert_snapshot!(said("{ name: web, transport: http }"), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: a server has exactly one of 'script', 'command' and 'url'
    8 |   - { name: web, transport: http }
      |     ^
    hint: 'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'
    ");
}

#[test]
fn arguments_without_a_command() {
    assert_snapshot!(said("{ script: ./tools/toolset.mjs, args: [--port] }"), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:36: 'args' belongs to 'command'
    8 |   - { script: ./tools/toolset.mjs, args: [--port] }
      |                                    ^
    ");
}

#[test]
fn a_working_directory_that_is_not_there() {
    assert_snapshot!(said("{ name: words, command: node, workingDir: nowhere }"), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: the 'workingDir' of server 'words', 'nowhere', is not a folder
    8 |   - { name: words, command: node, workingDir: nowhere }
      |     ^
    hint: paths are relative to the workspace, .
    ");
}

#[test]
fn urls_that_cannot_be_right() {
    assert_snapshot!(said("{ name: web, transport: http, url: \"ftp://x\" }"), @r#"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:40: the URL of this server does not begin with 'http://' or 'https://'
    8 |   - { name: web, transport: http, url: "ftp://x" }
      |                                        ^
    hint: for example 'url: http://127.0.0.1:8000/mcp'
    "#);
    assert_snapshot!(said("{ name: web, transport: http, url: \"http://me:word@127.0.0.1/mcp\" }"), @r#"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:40: the URL of this server has a user in it, which is not supported
    8 |   - { name: web, transport: http, url: "http://me:****@127.0.0.1/mcp" }
      |                                        ^
    hint: take out what stands before the '@'
    "#);
}

#[test]
fn two_servers_with_one_name() {
    let space = lab(&["{ name: words, command: node }", "{ name: words, command: cat }"]);
    assert_snapshot!(run(&space, &["check"]), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:9:5: two servers are called 'words'
    9 |   - { name: words, command: cat }
      |     ^
    ");
}

#[test]
fn a_tool_with_the_name_of_a_built_in_one() {
    let space = lab_with(r#"{ name: "tap", handler: () => text("no") }"#);
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: two tools are called 'tap': built in and the server 'one'
    hint: names are unique over all sources; rename one of them
    error: the workspace has errors
    hint: see above
    ");
    space.trail("one", &["tap: { text: Add one }"]);
    run(&space, &["run"]).exits(3);
}

#[test]
fn a_tool_that_is_listed_twice() {
    let tool = r#"{ name: "lab_twice", handler: () => text("no") }"#;
    let space = lab_with(&format!("{tool}, {tool}"));
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: 'one': it lists two tools called 'lab_twice'
    hint: rename one of them
    error: the workspace has errors
    hint: see above
    ");
}

#[test]
fn a_flag_of_the_wrong_type() {
    let space = lab_with(
        r#"{ name: "lab_odd", _meta: { "trailblaze/requiresHost": "yes" }, handler: () => text("no") }"#,
    );
    assert_snapshot!(run(&space, &["tools"]), @r#"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: 'one': the tool 'lab_odd': 'trailblaze/requiresHost' must be true or false, not "yes"
    error: the workspace has errors
    hint: see above
    "#);
}
