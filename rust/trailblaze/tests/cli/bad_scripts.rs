//! Scripts that cannot be used: every mistake is found before anything runs, with its place.

use insta::assert_snapshot;

use crate::scripts::{lab, lab_tool, tool};
use crate::space::Space;

/// What `check` says of a workspace with this script.
fn check(source: &str) -> String {
    lab(source).run(&["check"]).to_string()
}

#[test]
fn a_syntax_error() {
    let source = "import { trailblaze } from \"@trailblaze/scripting\";\n\ntrailblaze.tool({\n  name: \"lab_one\"\n  description: \"x\",\n});\n";
    assert_snapshot!(check(source), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:5:3: Expected `,` or `}` but found `Identifier`
    5 |   description: "x",
      |   ^
    "#);
    // A run says the same and starts nothing.
    let space = lab(source);
    space.trail("one", &["tap: { text: Add one }"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 3
    ----- stdout
    ----- stderr
    error: tools/lab.ts:5:3: Expected `,` or `}` but found `Identifier`
    5 |   description: "x",
      |   ^

    error: nothing was run because of the error above
    "#);
}

#[test]
fn a_missing_import() {
    let space = lab("import { press } from \"./lib/pres\";\npress();\n");
    space.write("tools/lib/press.ts", "export const press = () => {};\n");
    assert_snapshot!(space.run(&["check"]).to_string(), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:1:23: './lib/pres' is not there: there is no tools/lib/pres.ts or 8 other names of it
    1 | import { press } from "./lib/pres";
      |                       ^
    hint: did you mean './lib/press.ts'?
    "#);
    assert_snapshot!(check("import { tool } from \"@trailblaze/scripting/results\";\ntool();\n"), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:1:22: '@trailblaze/scripting/results' is not there: there is no @trailblaze/scripting/results
    1 | import { tool } from "@trailblaze/scripting/results";
      |                      ^
    hint: did you mean '@trailblaze/scripting/result'?
    "#);
    assert_snapshot!(check("import { trailblase } from \"@trailblaze/scripting\";\ntrailblase.tool();\n"), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:1:10: '@trailblaze/scripting/src/index.js' does not export 'trailblase'
    1 | import { trailblase } from "@trailblaze/scripting";
      |          ^
    hint: did you mean 'trailblaze'?
    "#);
}

#[test]
fn a_module_of_a_host() {
    let space = lab("import \"./lib/files\";\n");
    space.write(
        "tools/lib/files.ts",
        "import { readFileSync } from \"node:fs\";\nexport const read = readFileSync;\n",
    );
    assert_snapshot!(space.run(&["check"]).to_string(), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lib/files.ts:1:30: 'node:fs' exists on a host only (tools/lab.ts -> tools/lib/files.ts -> node:fs)
    1 | import { readFileSync } from "node:fs";
      |                              ^
    hint: do without it, or set requiresHost on every tool of this file: then they run on a host only
    "#);
}

#[test]
fn a_module_of_a_host_may_be_imported_where_all_tools_require_one() {
    let source = |flag: &str| {
        format!(
            "import {{ trailblaze }} from \"@trailblaze/scripting\";\n\
             import {{ readFileSync }} from \"node:fs\";\n\
             trailblaze.tool({{ name: \"lab_read\", description: \"Reads.\", {flag}handler: () => String(readFileSync(\"x\")) }});\n"
        )
    };
    let space = lab(&source("meta: { requiresHost: true }, "));
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 0
    ----- stdout
    2 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
    // It runs in QuickJS all the same, where there are no files.
    assert_snapshot!(space.run(&["tool", "run", "lab_read"]).to_string(), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: 'readFileSync' of 'node:fs' is a part of Node, and this toolset runs inside of Trailblaze
        at handler (tools/lab.ts:3:112)
    ");
    assert_snapshot!(check(&source("")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:2:30: 'node:fs' exists on a host only (tools/lab.ts -> node:fs)
    2 | import { readFileSync } from "node:fs";
      |                              ^
    hint: do without it, or set requiresHost on every tool of this file: then they run on a host only
    "#);
}

#[test]
fn a_flag_of_the_wrong_type() {
    assert_snapshot!(check(&tool("lab_one", "meta: { requiresHost: \"yes\" }, ", "() => {}")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:2:12: 'tools/lab.ts' does not load: TypeError: tool 'lab_one': meta.requiresHost must be true or false, not "yes"
    2 | trailblaze.tool({ name: "lab_one", description: "For a test.", meta: { requiresHost: "yes" }, handler: () => {} });
      |            ^
    "#);
    assert_snapshot!(check(&tool("lab_one", "meta: { requireHost: true }, ", "() => {}")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:2:12: 'tools/lab.ts' does not load: TypeError: meta of tool 'lab_one': unknown key 'requireHost'; known are isForLlm, isRecordable, requiresHost, supportedDrivers, supportedPlatforms, toolset, requiresContext, isDelegating, isVerification, groups
    2 | trailblaze.tool({ name: "lab_one", description: "For a test.", meta: { requireHost: true }, handler: () => {} });
      |            ^
    "#);
    assert_snapshot!(check(&tool("lab_one", "meta: { supportedPlatforms: [\"phone\"] }, ", "() => {}")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: 'tools/lab.ts': the tool 'lab_one': 'trailblaze/supportedPlatforms' must be a list of ANDROID, IOS, WEB and DESKTOP, not ["phone"]
    8 |   - script: ./tools/lab.ts
      |     ^
    "#);
}

#[test]
fn a_definition_that_is_none() {
    assert_snapshot!(check(&tool("lab_one", "input: { type: \"string\" }, ", "() => {}")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:2:12: 'tools/lab.ts' does not load: TypeError: tool 'lab_one': input must describe an object, not 'string'
    2 | trailblaze.tool({ name: "lab_one", description: "For a test.", input: { type: "string" }, handler: () => {} });
      |            ^
    "#);
    assert_snapshot!(check(&tool("lab_one", "", "\"nothing\"")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:2:12: 'tools/lab.ts' does not load: TypeError: tool 'lab_one': handler must be a function, not "nothing"
    2 | trailblaze.tool({ name: "lab_one", description: "For a test.", handler: "nothing" });
      |            ^
    "#);
    assert_snapshot!(check("export const tools = [];\n"), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: nothing in this script listens: it defines no tools and starts no server
    8 |   - script: ./tools/lab.ts
      |     ^
    ");
    assert_snapshot!(check("throw new Error(\"not today\");\n"), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:1:11: 'tools/lab.ts' does not load: not today
    1 | throw new Error("not today");
      |           ^
    "#);
}

#[test]
fn a_script_that_is_not_there() {
    let space = lab("");
    std::fs::remove_file(space.path("tools/lab.ts")).unwrap();
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: './tools/lab.ts' does not exist
    8 |   - script: ./tools/lab.ts
      |     ^
    hint: paths are relative to the workspace, .
    ");
}

#[test]
fn one_name_twice_in_one_script() {
    let one = tool("lab_one", "", "() => {}");
    let again = one.lines().nth(1).unwrap();
    assert_snapshot!(check(&format!("{one}{again}\n")), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:3:12: 'tools/lab.ts' does not load: tool 'lab_one' is defined twice in this program
    3 | trailblaze.tool({ name: "lab_one", description: "For a test.", handler: () => {} });
      |            ^
    "#);
}

#[test]
fn one_name_in_a_script_and_in_yaml() {
    let space = lab_tool("() => {}");
    space.tool("lab_tool", "parameters: []\ntools:\n  - pressBack: {}");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: two tools are called 'lab_tool': trailblaze-config/tools/lab_tool.yaml and the server 'tools/lab.ts'
    8 |   - script: ./tools/lab.ts
      |     ^
    hint: names are unique over all sources; rename one of them
    ");
    assert_snapshot!(check(&tool("tap", "", "() => {}")), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: two tools are called 'tap': built in and the server 'tools/lab.ts'
    8 |   - script: ./tools/lab.ts
      |     ^
    hint: names are unique over all sources; rename one of them
    ");
}

#[test]
fn a_schema_that_is_broken() {
    let input = "input: { type: \"object\", properties: { a: { type: \"strin\" } }, required: \"a\" }, ";
    assert_snapshot!(check(&tool("lab_tool", input, "() => {}")), @"
    exit: 3
    ----- stdout
    2 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: 'tools/lab.ts': the schema of the tool 'lab_tool': 'required' must be a list of texts
    8 |   - script: ./tools/lab.ts
      |     ^

    error: trailblaze-config/targets/lab.yaml:8:5: 'tools/lab.ts': the schema of the tool 'lab_tool': 'type' of 'a' must be one of string, integer, number, boolean, array, object and null, not 'strin'
    8 |   - script: ./tools/lab.ts
      |     ^
    ");
}

#[test]
fn inline_source_that_is_no_javascript() {
    let space = Space::lab();
    space.tool("lab_one", "parameters: []\nscript: |\n  const a = 1\n  return a +");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/lab_one.yaml:6:3: 'lab_one' does not load: SyntaxError: unexpected token in expression: '}'
    6 |   return a +
      |   ^
    ");
    space.tool("lab_one", "parameters: []\nscript: { file: ./one.ts }");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/lab_one.yaml:1:1: './one.ts' does not exist
    1 | id: lab_one
      | ^
    hint: paths are relative to the workspace, .
    ");
    space.write("one.ts", "export const run = () => 1;\n");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/tools/lab_one.yaml:1:1: 'lab_one' does not load: TypeError: its default export must be a function
    1 | id: lab_one
      | ^
    ");
}

#[test]
fn a_bundle_of_a_newer_format() {
    let space = lab_tool("() => \"old\"");
    space.run(&["bundle"]).exits(0);
    let file = &space.files("bundles")[0];
    let text = space.read(file);
    let newer = text.replacen("\"format\":1", "\"format\":2", 1);
    assert_ne!(text, newer);
    space.write(file, newer);
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: bundles/tools-lab-ts-f57f08d3.js:1:1: the bundle was made by a newer Trailblaze (format 2; this version reads 1)
    hint: run `trailblaze bundle` to make it anew
    ");
    space.write(file, "// nothing of ours\n");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: bundles/tools-lab-ts-f57f08d3.js:1:1: this is not a bundle: its first line does not begin with '//! trailblaze-bundle'
    hint: run `trailblaze bundle` to make it anew
    ");
    space.write(file, b"\xff\xfe");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: bundles/tools-lab-ts-f57f08d3.js:1:1: the bundle cannot be read: it is not text in UTF-8
    hint: run `trailblaze bundle` to make it anew
    ");
}

#[test]
fn a_bundle_without_all_of_its_inputs_is_used() {
    let space = lab_tool("() => \"whole\"");
    let source = space.read("tools/lab.ts");
    space.write("tools/lab.ts", format!("import './gone';\n{source}"));
    space.write("tools/gone.ts", "");
    space.run(&["bundle"]).exits(0);
    std::fs::remove_file(space.path("tools/gone.ts")).unwrap();
    assert_eq!(space.run(&["tool", "run", "lab_tool"]).exits(0).stdout, "whole\n");
    std::fs::remove_dir_all(space.path("bundles")).unwrap();
    space.run(&["tool", "run", "lab_tool"]).exits(3);
}

#[test]
fn bytecode_of_a_workspace_is_not_run() {
    let space = lab_tool(&format!("() => \"{}\".length", "x".repeat(100_000)));
    let run = || space.run(&["tool", "run", "lab_tool"]).exits(0).stdout;
    space.run(&["bundle", "--compile"]).exits(0);
    assert_eq!(space.files("bundles").len(), 3);
    assert_eq!(run(), "100000\n");
    // It would not be there if the one in the workspace had been taken.
    let kept = space.files(".trailblaze/caches/trailblaze/compiled");
    assert_eq!(kept.len(), 1);
    let first = std::fs::read(space.path(&kept[0])).unwrap();
    run();
    assert_eq!(space.files(".trailblaze/caches"), kept);
    space.write(&kept[0], "damaged");
    assert_eq!(run(), "100000\n");
    assert_eq!(std::fs::read(space.path(&kept[0])).unwrap(), first);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = space.path(".trailblaze/caches/trailblaze/compiled");
        let mode = || std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o700);
        // Where others can write, nothing is taken and nothing kept.
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
        std::fs::remove_file(space.path(&kept[0])).unwrap();
        run();
        assert!(space.files(".trailblaze/caches").is_empty());
    }
}

#[test]
fn one_script_is_one_server() {
    let space = lab_tool("() => \"one\"");
    space.target("mcp_servers:\n  - script: ./tools/lab.ts\n  - script: tools/../tools/lab.ts\n");
    let said = space.run(&["check"]).exits(3).stderr;
    assert!(said.contains("two servers are called 'tools/lab.ts'"), "{said}");
}

#[test]
fn a_line_of_a_text_does_not_make_a_module() {
    let space = Space::lab();
    let script = "script:\n  source: |\n    return `\n    import of goods\n    export of goods`.length";
    space.tool("lab_goods", &format!("parameters: []\n{script}"));
    space.tool(
        "lab_module",
        "parameters: []\nscript:\n  source: |\n    /* a */ export default () => 'module'",
    );
    assert_eq!(space.run(&["tool", "run", "lab_goods"]).exits(0).stdout, "32\n");
    assert_eq!(space.run(&["tool", "run", "lab_module"]).exits(0).stdout, "module\n");
}

#[test]
fn a_stale_bundle_is_made_anew() {
    let space = lab_tool("() => \"old\"");
    space.run(&["bundle"]).exits(0);
    let run = || space.run(&["tool", "run", "lab_tool"]).exits(0).stdout;
    assert_eq!(run(), "old\n");
    space.write("tools/lab.ts", tool("lab_tool", "", "() => \"new\""));
    assert_eq!(run(), "new\n");
    // And once more, for those that were made on the way.
    space.write("tools/lab.ts", tool("lab_tool", "", "() => \"newer\""));
    assert_eq!(run(), "newer\n");
    // Without its sources, as in an APK, a bundle is used as it is.
    std::fs::remove_file(space.path("tools/lab.ts")).unwrap();
    assert_eq!(run(), "old\n");
}

#[test]
fn a_package_needs_another_bundler() {
    let space = lab("import { z } from \"zod\";\nz.string();\n");
    let ran = space.command(&["check"]).env("PATH", "").output().unwrap();
    assert_snapshot!(space.ran(ran).to_string(), @r#"
    exit: 3
    ----- stdout
    2 files checked: 1 error, 0 warnings
    ----- stderr
    error: tools/lab.ts:1:19: 'zod' is a package, and neither esbuild nor bun is there to bundle it
    1 | import { z } from "zod";
      |                   ^
    hint: npm install --save-dev esbuild
    "#);
}

#[test]
fn the_network_is_for_those_who_were_granted_it() {
    let fetch = |space: &Space| space.run(&["tool", "run", "lab_tool"]).exits(1).to_string();
    let space = lab_tool("async () => (await fetch(\"https://api.example.com/x\")).status");
    assert_snapshot!(fetch(&space), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: fetch failed: this toolset may not use the network: the target grants no 'script_hosts'
    ");
    space.target("mcp_servers:\n  - script: ./tools/lab.ts\nscript_hosts: [\"*.example.org\"]\n");
    assert_snapshot!(fetch(&space), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: fetch failed: this toolset may not talk to 'api.example.com': the target grants only *.example.org
    ");
}
