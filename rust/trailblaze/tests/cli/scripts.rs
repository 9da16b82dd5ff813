//! Tools that are written in TypeScript: what they can do.

use insta::assert_snapshot;

use crate::space::{Space, json};

const SERVERS: &str = "mcp_servers:\n  - script: ./tools/lab.ts\n";

/// A workspace whose target has one script.
pub(crate) fn lab(source: &str) -> Space {
    let space = Space::lab();
    space.target(SERVERS);
    space.write("tools/lab.ts", source);
    space
}

/// The same with a tool that has this handler and no parameters.
pub(crate) fn lab_tool(handler: &str) -> Space {
    lab(&tool("lab_tool", "", handler))
}

/// A module with one tool.
pub(crate) fn tool(name: &str, more: &str, handler: &str) -> String {
    format!(
        "import {{ trailblaze }} from \"@trailblaze/scripting\";\n\
         trailblaze.tool({{ name: \"{name}\", description: \"For a test.\", {more}handler: {handler} }});\n"
    )
}

const COUNTING: &str = r#"import { trailblaze } from "@trailblaze/scripting";
import { press, type Element } from "./lib/press";

trailblaze.tool({
  name: "lab_addUntil",
  description: "Presses until the counter is there.",
  input: {
    type: "object",
    properties: { count: { type: "integer" } },
    required: ["count"],
    additionalProperties: false,
  },
  handler: async ({ count }, { client, runtime }) => {
    const button: Element = { text: "Add one" };
    let presses = 0;
    while (!(await client.isVisible(`Count: ${count}`))) {
      await press(client, button);
      presses += 1;
    }
    console.log(`pressed ${presses} times on the ${runtime}`);
    return { presses };
  },
});
"#;

const PRESS: &str = r#"import type { TrailblazeClient } from "@trailblaze/scripting";
export type Element = { text: string };
export async function press(client: TrailblazeClient, element: Element): Promise<void> {
  await client.tap(element);
}
"#;

#[test]
fn a_tool_looks_and_decides() {
    let space = lab(COUNTING);
    space.write("tools/lib/press.ts", PRESS);
    space.trail("one", &["lab_addUntil: { count: 3 }", "assertVisibleWithText: { text: \"Count: 3\" }"]);
    assert_snapshot!(space.run(&["run", "--verbose"]).exits(0).to_string(), @r#"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ▸ one
      Start
        launchApp {"appId":"com.example.lab"}
          → stopApp {"appId":"com.example.lab"}
          → clearAppData {"appId":"com.example.lab"}
          → launchApp {"appId":"com.example.lab"}
      ✓ Start
      Step 1
        lab_addUntil {"count":3}
          isVisible {"text":"Count: 3"}
            ✓ false
          tap {"text":"Add one"}
            → tap {"x":540,"y":650}
            ✓ tapped 540,650
          isVisible {"text":"Count: 3"}
            ✓ false
          tap {"text":"Add one"}
            → tap {"x":540,"y":650}
            ✓ tapped 540,650
          isVisible {"text":"Count: 3"}
            ✓ false
          tap {"text":"Add one"}
            → tap {"x":540,"y":650}
            ✓ tapped 540,650
          isVisible {"text":"Count: 3"}
            ✓ true
        tools/lab.ts info: pressed 3 times on the host
          ✓ {"presses":3}
      ✓ Step 1
      Step 2
        assertVisibleWithText {"text":"Count: 3"}
      ✓ Step 2
    ✓ one  600 ms

    1 passed in 600 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    // It is recorded as the call that was made, without what it did itself.
    let trail = "trails/one.trail.yaml";
    space.run(&["run", trail, "--quiet", "--record", "recorded.trail.yaml"]).exits(0);
    assert!(space.read("recorded.trail.yaml").contains("lab_addUntil:\n            count: 3\n"));
    assert_snapshot!(space.run(&["tools", "lab_addUntil"]).exits(0).to_string(), @"
    exit: 0
    ----- stdout
    lab_addUntil
      Presses until the counter is there.
      source: the server 'tools/lab.ts'
      flags: for models, recorded

    arguments:
      count  whole number, required
    ----- stderr
    ");
}

#[test]
fn tools_call_each_other() {
    let source = r#"import { client, trailblaze } from "@trailblaze/scripting";
trailblaze.tool({ name: "lab_one", description: "One.", handler: () => client.tap({ text: "Add one" }) });
trailblaze.tool({
  name: "lab_both",
  description: "Calls one of its own file and one in YAML.",
  handler: async () => {
    await client.callTool("lab_one");
    await client.tools.lab_twice();
    return await client.getElementText("count");
  },
});
"#;
    let space = lab(source);
    space.tool("lab_twice", "parameters: []\ntools:\n  - lab_one: {}\n  - lab_one: {}");
    assert_snapshot!(space.run(&["tool", "run", "lab_both", "--launch", "--verbose"]).to_string(), @r#"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ▸ lab_both
      launchApp, lab_both
        launchApp {"appId":"com.example.lab"}
          → stopApp {"appId":"com.example.lab"}
          → clearAppData {"appId":"com.example.lab"}
          → launchApp {"appId":"com.example.lab"}
        lab_both
          lab_one
            tap {"text":"Add one"}
              → tap {"x":540,"y":650}
              ✓ tapped 540,650
            ✓ {"text":"tapped 540,650"}
          lab_twice
            lab_one
              tap {"text":"Add one"}
                → tap {"x":540,"y":650}
                ✓ tapped 540,650
              ✓ {"text":"tapped 540,650"}
            lab_one
              tap {"text":"Add one"}
                → tap {"x":540,"y":650}
                ✓ tapped 540,650
              ✓ {"text":"tapped 540,650"}
          getElementText {"id":"count"}
            ✓ Count: 3
          ✓ Count: 3
      ✓ launchApp, lab_both
    ✓ lab_both  600 ms

    1 passed in 600 ms of virtual time
    Count: 3
    ----- stderr
    "#);
}

#[test]
fn results_come_in_three_kinds_of_failure() {
    let source = r#"import { trailblaze } from "@trailblaze/scripting";
import { error, fatalError, missingRequiredArgs, success } from "@trailblaze/scripting/result";
const results = {
  text: () => "a text",
  object: () => ({ a: 1 }),
  list: () => [1, 2],
  nothing: () => {},
  success: () => success("done", { b: 2 }),
  error: () => error("it did not work"),
  fatal: () => fatalError("there is no point"),
  missing: () => missingRequiredArgs(["who"]),
};
for (const [name, handler] of Object.entries(results)) {
  trailblaze.tool({ name: `lab_${name}`, description: "Answers.", handler });
}
"#;
    let space = lab(source);
    let mut all = String::new();
    for name in ["text", "object", "list", "nothing", "success", "error", "fatal", "missing"] {
        let ran = space.run(&["tool", "run", &format!("lab_{name}"), "--json"]);
        let value = json(&ran.stdout);
        all += &format!("{name}: {} {} {}\n", ran.code.unwrap_or(-1), value["message"], value["failure"]);
    }
    assert_snapshot!(all, @r#"
    text: 0 "a text" null
    object: 0 "{\"a\":1}" null
    list: 0 "[1,2]" null
    nothing: 0 "" null
    success: 0 "done" null
    error: 1 "" {"kind":"Exception","message":"it did not work"}
    fatal: 1 "" {"kind":"Fatal","message":"there is no point"}
    missing: 1 "" {"kind":"MissingRequiredArgs","message":"missing required arguments: who"}
    "#);
}

#[test]
fn timers_run_on_the_clock_of_the_run() {
    let space = lab_tool(
        "async () => { const from = Date.now(); await new Promise((done) => setTimeout(done, 20_000)); return Date.now() - from >= 0; }",
    );
    space.trail("one", &["lab_tool: {}"]);
    assert_snapshot!(space.run(&["run"]).exits(0).to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ one  20.1 s
      ✓ Start
      ✓ Step 1  20.0 s

    1 passed in 20.1 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn a_tool_that_requires_a_host_is_left_out_on_the_device() {
    let source = r#"import { trailblaze } from "@trailblaze/scripting";
const handler = (_args: object, { runtime }: { runtime?: string }) => `on the ${runtime}`;
trailblaze.tool({ name: "lab_host", description: "Here.", meta: { requiresHost: true }, handler });
trailblaze.tool({ name: "lab_both", description: "Everywhere.", handler });
"#;
    let space = lab(source);
    let run = |name: &str, agent: &str| space.run(&["tool", "run", name, "--agent", agent]).to_string();
    assert_snapshot!(run("lab_host", "host"), @"
    exit: 0
    ----- stdout
    on the host
    ----- stderr
    ");
    assert_snapshot!(run("lab_both", "on-device"), @"
    exit: 0
    ----- stdout
    on the ondevice
    ----- stderr
    ");
    assert_snapshot!(run("lab_host", "on-device"), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the tool 'lab_host' cannot be used here: it needs the agent on the host, and the agent runs on the device
    ");
}

#[test]
fn scripts_inside_of_tool_files() {
    let space = Space::lab();
    space.tool(
        "lab_sync",
        "parameters:\n  - { name: who, type: string, default: you }\nscript: return `hello ${input.params.who}`",
    );
    space.tool(
        "lab_async",
        "parameters: []\nscript:\n  source: |\n    await client.tap({ text: 'Add one' })\n    const { platform } = input.device\n    return `${await client.getElementText('count')} on ${platform}, ${input.memory.shop}`",
    );
    space.tool(
        "lab_file",
        "parameters:\n  - { name: times, type: integer }\nscript: { file: ./tools/more.ts }",
    );
    space.write(
        "tools/more.ts",
        "import { client } from \"@trailblaze/scripting\";\n\
         type Input = { params: { times: number } };\n\
         export default async function ({ params }: Input) {\n  \
           for (let n = 0; n < params.times; n++) await client.tap({ text: \"Add one\" });\n  \
           if (params.times > 2) throw new Error(`${params.times} is too much`);\n  \
           return await client.getElementText(\"count\");\n}\n",
    );
    let run = |args: &[&str]| space.run(&[&["tool", "run", "--launch"], args].concat()).to_string();
    assert_snapshot!(run(&["lab_sync"]), @"
    exit: 0
    ----- stdout
    hello you
    ----- stderr
    ");
    assert_snapshot!(run(&["lab_sync", "--arg", "who=me"]), @"
    exit: 0
    ----- stdout
    hello me
    ----- stderr
    ");
    assert_snapshot!(run(&["lab_async", "--memory", "shop=Tea House"]), @"
    exit: 0
    ----- stdout
    Count: 1 on android, Tea House
    ----- stderr
    ");
    assert_snapshot!(run(&["lab_file", "--arg", "times=2"]), @"
    exit: 0
    ----- stdout
    Count: 2
    ----- stderr
    ");
    assert_snapshot!(run(&["lab_file", "--arg", "times=3"]), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: 3 is too much
        at __mdefault (tools/more.ts:5:44)
    ");
}

#[test]
fn a_secret_is_neither_seen_by_a_script_nor_printed() {
    let source = r#"import { trailblaze } from "@trailblaze/scripting";
trailblaze.tool({
  name: "lab_spy",
  description: "Looks for the secret.",
  handler: async (_args, { client, memory }) => {
    console.log(`memory: ${JSON.stringify(memory)}`);
    // Filled in by the engine, and typed.
    await client.tap({ id: "field" });
    await client.inputText("{{pin}}");
    const typed = await client.getElementText("field");
    console.log(`typed: ${typed}`);
    throw new Error(`${typed} was typed`);
  },
});
"#;
    let space = lab(source);
    space.trail("one", &["lab_spy: {}"]);
    let args = ["run", "--verbose", "--memory", "shop=Tea House", "--secret", "pin=4711-0815"];
    let ran = space.run(&args).exits(1);
    assert_snapshot!(ran.to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ▸ one
      Start
        launchApp {"appId":"com.example.lab"}
          → stopApp {"appId":"com.example.lab"}
          → clearAppData {"appId":"com.example.lab"}
          → launchApp {"appId":"com.example.lab"}
      ✓ Start
      Step 1
        lab_spy
        tools/lab.ts info: memory: {"shop":"Tea House"}
          tap {"id":"field"}
            → tap {"x":540,"y":450}
            ✓ tapped 540,450
          inputText {"text":"***"}
            → setText {"node":4,"text":"***"}
        app info: typed ***
            → hideKeyboard
            ✓ typed by set-text
          getElementText {"id":"field"}
            ✓ ***
        tools/lab.ts info: typed: ***
          ✗ *** was typed
      ✗ Step 1
        error: trails/one.trail.yaml:8:20: *** was typed
          in lab_spy
              at handler (tools/lab.ts:12:24)
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip
    ✗ one  600 ms

    0 passed, 1 failed in 600 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
    for file in space.files(".trailblaze").iter().filter(|file| !file.ends_with(".zip")) {
        let bytes = std::fs::read(space.path(file)).unwrap();
        assert!(!bytes.windows(9).any(|window| window == b"4711-0815"), "{file}");
    }
}
