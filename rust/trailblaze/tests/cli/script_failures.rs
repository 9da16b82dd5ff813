//! Tools in TypeScript that fail: their step fails with a place in their source, and nothing else does.

use insta::assert_snapshot;

use crate::scripts::{lab, lab_tool};

#[test]
fn a_tool_that_throws_fails_its_step_with_a_place_in_its_source() {
    let space = lab(r#"import { trailblaze } from "@trailblaze/scripting";

interface Parcel { code: string; weight?: number }

function weigh(parcel: Parcel): number {
  if (parcel.weight === undefined) {
    throw new RangeError(`nobody weighed ${parcel.code}`);
  }
  return parcel.weight;
}

trailblaze.tool({
  name: "lab_weigh",
  description: "Weighs.",
  handler: async () => {
    const parcel: Parcel = { code: "P-1" };
    return weigh(parcel);
  },
});
"#);
    space.trail("one", &["lab_weigh: {}", "tap: { text: Add one }"]);
    assert_snapshot!(space.run(&["run"]).exits(1).to_string(), @"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/one.trail.yaml:8:20: nobody weighed P-1
          in lab_weigh
              at weigh (tools/lab.ts:7:44)
              at handler (tools/lab.ts:17:18)
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip
      – 1 step not run

    0 passed, 1 failed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn a_call_that_fails_can_be_caught_or_fails_the_tool() {
    let source = r#"import { ToolError, trailblaze } from "@trailblaze/scripting";
trailblaze.tool({
  name: "lab_careful",
  description: "Catches.",
  handler: async (_args, { client }) => {
    try {
      await client.tap("Subtract one");
    } catch (error) {
      if (error instanceof ToolError) return `${error.tool} ${error.kind}: ${error.message}`;
    }
  },
});
trailblaze.tool({
  name: "lab_careless",
  description: "Does not even wait.",
  handler: (_args, { client }) => {
    void client.tap("Subtract one");
  },
});
"#;
    let space = lab(source);
    space.trail("one", &["lab_careful: {}", "lab_careless: {}"]);
    assert_snapshot!(space.run(&["run", "--verbose"]).exits(1).to_string(), @r#"
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
        lab_careful
          tap {"text":"Subtract one"}
            ✗ no element with text 'Subtract one' within 5 s
          ✓ tap NotFound: no element with text 'Subtract one' within 5 s
      ✓ Step 1  5.0 s
      Step 2
        lab_careless
          tap {"text":"Subtract one"}
            ✗ no element with text 'Subtract one' within 5 s
      ✗ Step 2  5.0 s
        error: trails/one.trail.yaml:11:20: no element with text 'Subtract one' within 5 s
          in lab_careless
             tap {"text":"Subtract one"}
              at handler (tools/lab.ts:17:17)
        hint: on the screen: 'Lab', 'Count: 0', 'nothing yet', 'Say something', 'Add one', 'Slow', 'Boom', 'Spin'
        step-3-failed: .trailblaze/runs/[run]/one/step-3-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip
    ✗ one  10.1 s

    0 passed, 1 failed in 10.1 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}

#[test]
fn recursion_ends_at_the_sixteenth_level() {
    let space = lab(r#"import { trailblaze } from "@trailblaze/scripting";
trailblaze.tool({
  name: "lab_down",
  description: "Calls itself.",
  input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  handler: async ({ n }, { client }) => {
    if (n > 1) await client.callTool("lab_down", { n: n - 1 });
    return `down from ${n}`;
  },
});
"#);
    let run = |n: u32| space.run(&["tool", "run", "lab_down", "--arg", &format!("n={n}")]).to_string();
    assert_snapshot!(run(16), @"
    exit: 0
    ----- stdout
    down from 16
    ----- stderr
    ");
    assert_snapshot!(run(17), @"
    exit: 1
    ----- stdout
    ----- stderr
    error: tools call each other in a circle: lab_down → lab_down
        at handler (tools/lab.ts:7:59)
    ");
}

#[test]
fn a_tool_that_never_answers_is_stopped() {
    let space = lab_tool("() => new Promise(() => {})");
    space.trail("one", &["lab_tool: {}"]);
    assert_snapshot!(space.run(&["run"]).exits(1).to_string(), @"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/one.trail.yaml:8:20: the promise never settles: nothing is left to run that could settle it
          in lab_tool
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip

    0 passed, 1 failed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    let space = lab_tool("() => new Promise((done) => setTimeout(done, 300_000))");
    space.trail("one", &["lab_tool: {}"]);
    assert_snapshot!(space.run(&["run"]).exits(1).to_string(), @"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  2 min 0 s
      ✓ Start
      ✗ Step 1  2 min 0 s
        error: trails/one.trail.yaml:8:20: 'tools/lab.ts': the time of the call was over before it was done
          in lab_tool
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip

    0 passed, 1 failed in 2 min 0 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}

#[test]
fn memory_that_is_used_up_ends_the_step_and_nothing_else() {
    let source = r#"import { trailblaze } from "@trailblaze/scripting";
trailblaze.tool({
  name: "lab_hoard",
  description: "Hoards.",
  handler: () => {
    const hoard: string[] = [];
    for (let n = 0; ; n++) hoard.push("x".repeat(1 << 20) + n);
  },
});
trailblaze.tool({ name: "lab_deep", description: "Too deep.", handler: function deep(): unknown { return [deep()]; } });
trailblaze.tool({ name: "lab_fine", description: "Fine.", handler: () => "fine" });
"#;
    let space = lab(source);
    space.trail("a", &["lab_hoard: {}"]);
    space.trail("b", &["lab_deep: {}"]);
    space.trail("c", &["lab_fine: {}"]);
    assert_snapshot!(space.run(&["run"]).exits(1).to_string(), @"
    exit: 1
    ----- stdout
    Running 3 trails on sim (android-ondevice-accessibility)
    ✗ a  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/a.trail.yaml:8:20: 'tools/lab.ts' needs more than its 64 MiB of memory
          in lab_hoard
              at handler (tools/lab.ts:7:55)
        step-2-failed: .trailblaze/runs/[run]/a/step-2-failed.png
        bundle: .trailblaze/runs/[run]/a/bundle.zip
    ✗ b  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/b.trail.yaml:8:20: Maximum call stack size exceeded
          in lab_deep
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
              at deep (tools/lab.ts:10:107)
        step-2-failed: .trailblaze/runs/[run]/b/step-2-failed.png
        bundle: .trailblaze/runs/[run]/b/bundle.zip
    ✓ c  150 ms
      ✓ Start
      ✓ Step 1

    ✗ a  trails/a.trail.yaml:8:20
    ✗ b  trails/b.trail.yaml:8:20
    1 passed, 2 failed in 450 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}
