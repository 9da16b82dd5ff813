//! What runs a script: bun, else node with tsx, else QuickJS for what needs nothing of a host.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::lab::{call, lab};
use crate::space::{Ran, Space};

/// Needs a host.
const HOST: &str = r#"import { readFileSync } from "node:fs";
import { trailblaze } from "@trailblaze/scripting";

trailblaze.tool({
  name: "lab_read",
  description: "For a test.",
  meta: { requiresHost: true },
  handler: () => readFileSync("note.txt", "utf8"),
});
"#;

/// Needs packages.
const PACKAGES: &str = r#"import { price } from "shop-prices";
import { trailblaze } from "@trailblaze/scripting";

trailblaze.tool({ name: "lab_price", description: "For a test.", handler: () => price("tea") });
"#;

/// Needs nothing; it is TypeScript where node needs help.
const OWN: &str = r#"import { trailblaze } from "@trailblaze/scripting";

trailblaze.tool({
  name: "lab_own",
  description: "For a test.",
  handler: (_args: unknown, { runtime }) => `${typeof process === "undefined" ? "QuickJS" : "a program"} ${runtime}`,
});
"#;

fn with_script(name: &str, text: &str) -> Space {
    let space = lab(&[&format!("script: ./tools/{name}")]);
    space.write(&format!("tools/{name}"), text);
    space.write("tools/note.txt", "a note");
    space.write("path/.keep", "");
    space
}

/// Runs with nothing on PATH but what is in the folder `path`, and nothing said about runtimes.
fn run(space: &Space, args: &[&str]) -> Ran {
    let mut command = space.command(args);
    command.env_remove("TRAILBLAZE_SCRIPT_RUNTIME").env("PATH", space.path("path"));
    space.ran(command.output().unwrap())
}

fn node() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join("node")).find(|file| file.is_file()).unwrap()
}

fn program(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_bun_and_node_on_path_the_session_does_not_start() {
    let space = with_script("priced.ts", PACKAGES);
    space.trail("one", &["lab_price: {}"]);
    assert_snapshot!(run(&space, &["run"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: No compatible TypeScript runtime found on PATH. Install bun (https://bun.sh) or Node with tsx.
    ");
}

#[test]
fn a_script_with_modules_of_node_does_not_run_where_there_is_no_node() {
    let space = with_script("host.ts", HOST);
    let ran = run(&space, &["tool", "run", "lab_read"]).exits(5);
    assert!(ran.stderr.contains("No compatible TypeScript runtime found on PATH"), "{ran}");
}

#[test]
fn node_without_a_loader_cannot_run_typescript() {
    let space = with_script("priced.ts", PACKAGES);
    symlink(node(), space.path("path/node")).unwrap();
    assert_snapshot!(run(&space, &["tool", "run", "lab_price"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: Node is on PATH, but nothing that makes it run TypeScript
    hint: 'npm install -g tsx', 'npm install tsx' beside the script, or bun (https://bun.sh)
    ");
}

#[test]
fn node_needs_no_loader_for_javascript() {
    let space = with_script("host.mjs", HOST);
    symlink(node(), space.path("path/node")).unwrap();
    assert_eq!(run(&space, &["tool", "run", "lab_read"]).exits(0).stdout, "a note\n");
}

#[test]
fn node_takes_the_loader_beside_the_script() {
    let space = with_script("host.ts", HOST);
    symlink(node(), space.path("path/node")).unwrap();
    let loader = "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n";
    let hooks = "export const load = async (url, context, next) =>
      next(url, url.endsWith('.ts') ? { ...context, format: 'module' } : context);\n";
    space.write("node_modules/tsx/dist/loader.mjs", loader);
    space.write("node_modules/tsx/dist/hooks.mjs", hooks);
    assert_eq!(run(&space, &["tool", "run", "lab_read"]).exits(0).stdout, "a note\n");
}

#[test]
fn bun_comes_before_node() {
    let space = with_script("host.ts", HOST);
    symlink(node(), space.path("path/node")).unwrap();
    // One that only says how it was called.
    program(&space.path("path/bun"), "#!/bin/sh\necho \"bun $1 $2\" >&2\nexit 9\n");
    assert_snapshot!(run(&space, &["tool", "run", "lab_read"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'tools/host.ts' exited with code 9 before it answered 'initialize'
    its last lines on stderr:
      bun run --no-install
    ");
}

#[test]
fn a_script_that_needs_no_host_runs_inside_where_nothing_else_can_run_it() {
    let space = with_script("own.ts", OWN);
    assert_eq!(run(&space, &["tool", "run", "lab_own"]).exits(0).stdout, "QuickJS host\n");
    symlink(node(), space.path("path/node")).unwrap();
    assert_eq!(run(&space, &["tool", "run", "lab_own"]).exits(0).stdout, "QuickJS host\n");
}

#[test]
fn one_source_runs_in_node_and_inside_with_the_same_results() {
    let space = lab(&["script: ./tools/toolset.mjs"]);
    for (tool, args) in [
        ("lab_tierOne", ["--arg", "query=tea"]),
        ("lab_tierTwo", ["--memory", "x=7"]),
        ("lab_forHosts", ["--memory", "x=7"]),
        ("lab_pushed", ["--memory", "x=7"]),
    ] {
        let args = [&["tool", "run", tool, "--json"], args.as_slice()].concat();
        let (inside, outside) = (space.run(&args).exits(0), crate::lab::run(&space, &args).exits(0));
        assert_eq!(inside.stdout, outside.stdout);
    }
    assert_eq!(call(&space, "lab_pushed", &[]), "pushed");
}

#[test]
fn a_runtime_that_was_asked_for_must_be_there() {
    let space = with_script("own.ts", OWN);
    symlink(node(), space.path("path/node")).unwrap();
    let asked = |runtime: &str| {
        let mut command = space.command(&["tool", "run", "lab_own"]);
        command.env("TRAILBLAZE_SCRIPT_RUNTIME", runtime).env("PATH", space.path("path"));
        space.ran(command.output().unwrap())
    };
    assert_snapshot!(asked("bun"), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: No compatible TypeScript runtime found on PATH. Install bun (https://bun.sh) or Node with tsx.
    hint: TRAILBLAZE_SCRIPT_RUNTIME asks for 'bun'; it may be 'bun', 'node' or 'quickjs'
    ");
    let said = asked("deno").exits(5).stderr;
    assert!(said.contains("TRAILBLAZE_SCRIPT_RUNTIME asks for 'deno'"), "{said}");
    let said = asked("node").exits(5).stderr;
    assert!(said.contains("nothing that makes it run TypeScript"), "{said}");
    assert_eq!(asked("quickjs").exits(0).stdout, "QuickJS host\n");
}
