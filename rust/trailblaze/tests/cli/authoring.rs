//! What authors of tools type: `tool run`, `tool test`, `bundle`, `typegen`.

use insta::assert_snapshot;

use crate::scripts::{lab, lab_tool, tool};
use crate::space::Space;

const ECHO: &str = "input: { type: \"object\", properties: { n: { type: \"integer\" }, all: { type: \"array\" } }, required: [\"n\"], additionalProperties: false }, ";

#[test]
fn a_tool_is_run_with_its_arguments() {
    let space = lab(&tool("lab_echo", ECHO, "(args) => args"));
    let run = |args: &[&str]| space.run(&[&["tool", "run"], args].concat()).to_string();
    assert_snapshot!(run(&["lab_echo", "--arg", "n=2", "--arg", "all=[1, \"two\"]"]), @r#"
    exit: 0
    ----- stdout
    {"n":2,"all":[1,"two"]}
    ----- stderr
    "#);
    assert_snapshot!(run(&["lab_echo", "--arg", "n=2", "--json"]), @r#"
    exit: 0
    ----- stdout
    {
      "result": "Success",
      "message": "{\"n\":2}",
      "failure": null
    }
    ----- stderr
    "#);
    assert_snapshot!(run(&["lab_echo"]), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: 'lab_echo' needs 'n'
    ");
    assert_snapshot!(run(&["lab_echo", "--arg", "n=two"]), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: 'lab_echo': 'n' must be a whole number, not 'two'
    ");
    assert_snapshot!(run(&["lab_echo", "--arg", "m=2", "--arg", "n=1"]), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: 'lab_echo': there is no argument 'm'
    hint: known arguments: n, all
    ");
    assert_snapshot!(run(&["lab_echo", "--arg", "n"]), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value 'n' for '--arg <NAME=VALUE>': write NAME=VALUE

    For more information, try '--help'.
    ");
    assert_snapshot!(run(&["lab_echo", "--arg", "all=[1"]), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: the argument 'all' is no valid JSON: EOF while parsing a list at line 1 column 2
    ");
    assert_snapshot!(run(&["lab_eco"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: unknown tool 'lab_eco'
    hint: did you mean 'lab_echo'?
    ");
    assert_snapshot!(run(&["lab_echo", "--arg", "n=two", "--json"]), @r#"
    exit: 1
    ----- stdout
    {
      "result": "ExceptionThrown",
      "message": "",
      "failure": {
        "kind": "InvalidArguments",
        "message": "'lab_echo': 'n' must be a whole number, not 'two'"
      }
    }
    ----- stderr
    "#);
    assert_snapshot!(run(&["lab_echo", "--target", "lap"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: unknown target 'lap'
    hint: did you mean 'lab'?
    ");
}

const TESTS: &str = r#"import { assert, test } from "@trailblaze/scripting/test";
test("adds", async ({ client }) => {
  await client.launchApp("com.example.lab");
  await client.callTool("lab_add", { times: 2 });
  assert.equal(await client.getElementText("count"), "Count: 2");
});
test("adds nothing", async ({ client }) => {
  await client.launchApp("com.example.lab");
  await client.callTool("lab_add", { times: 0 });
  assert.equal(await client.getElementText("count"), "Count: 1");
});
test("is refused", async ({ client }) => {
  await assert.rejects(client.callTool("lab_add", { times: "many" }), /whole number/);
});
"#;

fn tested() -> Space {
    let input =
        "input: { type: \"object\", properties: { times: { type: \"integer\" } }, required: [\"times\"] }, ";
    let handler =
        "async ({ times }, { client }) => { for (let n = 0; n < times; n++) await client.tap(\"Add one\"); }";
    let space = lab(&tool("lab_add", input, handler));
    space.write("tools/lab.test.ts", TESTS);
    space
}

#[test]
fn tests_run_on_a_fresh_device_each() {
    let space = tested();
    assert_snapshot!(space.run(&["tool", "test"]).exits(1).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 3 trails on sim (android-ondevice-accessibility)
    ✓ tools/lab.test.ts › adds  450 ms
      ✓ adds
    ✗ tools/lab.test.ts › adds nothing  150 ms
      ✗ adds nothing
        error: "Count: 0" is not "Count: 1"
          in adds nothing
              at <anonymous> (tools/lab.test.ts:10:29)
        step-1-failed: .trailblaze/runs/[run]/tools-lab.test.ts---adds-nothing/step-1-failed.png
        bundle: .trailblaze/runs/[run]/tools-lab.test.ts---adds-nothing/bundle.zip
    ✓ tools/lab.test.ts › is refused  0 ms
      ✓ is refused

    ✗ tools/lab.test.ts › adds nothing  tools/lab.test.ts › adds nothing
    2 passed, 1 failed in 600 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    let filtered = space.run(&["tool", "test", "--filter", "refused", "--junit", "junit.xml"]).exits(0);
    assert_snapshot!(filtered.to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ tools/lab.test.ts › is refused  0 ms
      ✓ is refused

    1 passed in 0 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert!(space.read("junit.xml").contains("is refused"));
    assert_snapshot!(space.run(&["tool", "test", "--filter", "subtracts"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no test fits
    hint: a test is made with 'test(name, …)'
    ");
    assert_snapshot!(space.run(&["tool", "test", "tools/more.test.ts"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: tools/more.test.ts does not exist
    ");
}

#[test]
fn tests_that_are_not_there_or_do_not_load() {
    let space = lab_tool("() => {}");
    assert_snapshot!(space.run(&["tool", "test"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there are no tests beside the scripts of this workspace
    hint: they are files like 'login.test.ts'; see docs/tools-typescript.md
    ");
    space.write(
        "tools/lab.test.ts",
        "import { test } from \"@trailblaze/scripting/test\";\ntest(\"x\", () => ;\n",
    );
    assert_snapshot!(space.run(&["tool", "test"]).to_string(), @r#"
    exit: 3
    ----- stdout
    ----- stderr
    error: tools/lab.test.ts:2:17: Unexpected token
    2 | test("x", () => ;
      |                 ^

    error: nothing was run because of the error above
    "#);
}

#[test]
fn bundles_are_written() {
    let space = tested();
    let ran = space.run(&["bundle"]).exits(0).to_string();
    let size =
        ran.split(['(', ' ']).find(|word| word.parse::<u32>().is_ok_and(|kib| kib > 0)).unwrap().to_owned();
    assert_snapshot!(ran.replace(&format!("({size} KiB"), "([size] KiB"), @"
    exit: 0
    ----- stdout
    tools/lab.ts → bundles/tools-lab-ts-f57f08d3.js ([size] KiB, own)
    ----- stderr
    ");
    let ran = space.run(&["bundle", "--compile", "--out", "made", "--json"]).exits(0);
    let bytes = ran.json()[0]["bytes"].to_string();
    assert_snapshot!(ran.stdout.replace(&bytes, "[bytes]"), @r#"
    [
      {
        "script": "tools/lab.ts",
        "bundle": "made/tools-lab-ts-f57f08d3.js",
        "bytes": [bytes],
        "bundler": "own"
      }
    ]
    "#);
    assert_snapshot!(space.files("made").join("\n"), @"
    made/tools-lab-ts-f57f08d3.js
    made/tools-lab-ts-f57f08d3.js.map
    made/tools-lab-ts-f57f08d3.qjs
    ");
    let header = space.read(&space.files("bundles")[0]).lines().next().unwrap_or_default().to_owned();
    let hash = header.split("\"source_hash\":\"").nth(1).and_then(|rest| rest.get(..16)).unwrap().to_owned();
    let input =
        header.split("\"input_hashes\":[\"").nth(1).and_then(|rest| rest.get(..16)).unwrap().to_owned();
    let header = header.replace(&hash, "[hash]").replace(&input, "[hash]");
    let header = header.replace(env!("CARGO_PKG_VERSION"), "[version]");
    assert_snapshot!(header, @r#"//! trailblaze-bundle {"format":1,"engine":"[version]","source_hash":"[hash]","name":"tools/lab.ts","bundler":"own","requires_host":false,"inputs":["tools/lab.ts"],"input_hashes":["[hash]"]}"#);
}

#[test]
fn bundles_that_cannot_be_made() {
    assert_snapshot!(Space::lab().run(&["bundle"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: this workspace has no scripts to bundle
    hint: a target names them under 'mcp_servers', as '- script: ./tools.ts'
    ");
    let space = lab("const a: = 1;\n");
    assert_snapshot!(space.run(&["bundle"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: tools/lab.ts:1:10: Unexpected token
    1 | const a: = 1;
      |          ^

    error: nothing was written because of the errors above
    ");
    assert!(space.files("bundles").is_empty());
    let ran = lab_tool("() => {}").command(&["bundle", "--with", "bun"]).env("PATH", "").output().unwrap();
    assert_snapshot!(space.ran(ran).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: bun is not there
    hint: npm install --save-dev bun, or put it into the PATH

    error: nothing was written because of the errors above
    ");
}

#[test]
fn types_for_editors() {
    let space = lab(&tool("lab_echo", ECHO, "(args) => args"));
    space.tool(
        "lab_greet",
        "parameters:\n  - { name: who, type: string, description: \"Whom\" }\n  - { name: loud, type: boolean, default: false }\ntools:\n  - pressBack: {}",
    );
    let ran = space.run(&["typegen"]).exits(0);
    assert_snapshot!(ran.stdout.replace(char::is_numeric, ""), @"wrote trailblaze-tools.d.ts ( tools)");
    let text = space.read("trailblaze-tools.d.ts");
    let ours = text.find("    /** For a test. */").unwrap();
    let end = text.find("    /** Start an app").unwrap();
    assert_snapshot!(text[..text.find("    /**").unwrap()], @r#"
    // Written by 'trailblaze typegen'; changes are lost when it runs again.
    import "@trailblaze/scripting";

    declare module "@trailblaze/scripting" {
      interface TrailblazeTools {
    "#);
    assert_snapshot!(text[ours..end].trim_end(), @"
    /** For a test. */
    lab_echo: {
      n: number;
      all?: unknown[];
    };
    /** For a test. */
    lab_greet: {
      /** Whom */
      who: string;
      loud?: boolean | null;
    };
    ");
    assert_eq!(space.run(&["typegen", "--out", "-"]).exits(0).stdout, text);
    assert_snapshot!(space.run(&["typegen", "--out", "no/such/folder.d.ts"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no/such/folder.d.ts cannot be written: it does not exist
    ");
}
