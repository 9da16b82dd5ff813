//! Servers that cannot be started: exit code 5, with what to do about it.

use insta::assert_snapshot;

use crate::lab::{lab, node, run};
use crate::space::{Ran, Space};

/// What a run says of an entry.
fn said(entry: &str) -> Ran {
    ran(&lab(&[entry]))
}

fn ran(space: &Space) -> Ran {
    space.trail("one", &[]);
    run(space, &["run"])
}

#[test]
fn a_command_that_is_not_there() {
    assert_snapshot!(said("{ name: words, command: no-such-program }"), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'words' cannot be started with 'no-such-program': there is no such program
    hint: install 'no-such-program', or put the folder that it is in on PATH
    ");
}

#[test]
fn a_path_that_is_not_there() {
    assert_snapshot!(said("{ name: words, command: ./tools/nowhere }"), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'words' cannot be started with '[space]/tools/nowhere': there is no such program
    hint: correct the path of the command
    ");
}

#[test]
fn a_file_that_is_no_program() {
    assert_snapshot!(said("{ name: words, command: ./tools/server.mjs }"), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'words' cannot be started with '[space]/tools/server.mjs': it must not be executed
    hint: make it executable, or name the program that runs it, with the file in 'args'
    ");
}

#[test]
fn packages_that_were_never_installed() {
    let space = lab(&["script: ./words/deep/tools.mjs"]);
    space.write("words/package.json", r#"{ "dependencies": { "left-pad": "^1.0.0" } }"#);
    space.write("words/deep/tools.mjs", "import \"left-pad\";\n");
    assert_snapshot!(ran(&space), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: the packages of words/package.json are not installed, and 'words/deep/tools.mjs' needs them
    hint: run 'npm install' in words
    ");
}

#[test]
fn a_server_that_exits_at_its_start() {
    let space = lab(&[&node("one")]);
    space.write("tools/one.mjs", "console.error(\"TEA_TOKEN is not set\");\nprocess.exit(2);\n");
    assert_snapshot!(ran(&space), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'one' exited with code 2 before it answered 'initialize'
    its last lines on stderr:
      TEA_TOKEN is not set
    ");
}

#[test]
fn a_program_that_is_no_server() {
    assert_snapshot!(said("{ name: words, command: echo, args: [hello] }"), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'words' exited with code 0 before it answered 'initialize'
    hint: it wrote nothing to stderr
    ");
}

#[test]
fn one_server_that_does_not_start_keeps_no_other_running() {
    let space = lab(&[&node("one"), "{ name: two, command: no-such-program }"]);
    let one = "import { writeFileSync } from \"node:fs\";\nimport { serve } from \"./mcp.mjs\";\n\
               serve([], () => writeFileSync(\"ended.txt\", \"in peace\"));\n";
    space.write("tools/one.mjs", one);
    ran(&space).exits(5);
    assert_eq!(space.read("ended.txt"), "in peace");
}
