//! Tools that call back over RPC: which device they reach, and how long they may.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::lab::{call, command, lab, node, run};
use crate::space::Space;

/// Tools that call commands by the invocation that they were called with, or by another.
const CALLER: &str = r#"import { serve, text } from "./mcp.mjs";

const token = process.env.TRAILBLAZE_RPC_TOKEN;
const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
let last;

/** Calls a command; the answer, or the code, kind and message of the error. */
async function rpc({ trailblaze }, method, body) {
  const url = `${trailblaze.baseUrl}/trailblaze.v1.${method}`;
  const answer = await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  if (!answer.code) return answer;
  return { code: answer.code, kind: answer.details?.[0]?.debug?.kind, message: answer.message };
}

const shown = async (meta, method, body) => text(JSON.stringify(await rpc(meta, method, body)));
const own = ({ trailblazeInvocationId: invocationId, trailblaze: { sessionId } }) => ({ invocationId, sessionId });

serve([
  { name: "lab_tap", handler: async (args, meta) => {
    last = own(meta);
    return shown(meta, "TrailblazeCommands/Tap", { ...own(meta), text: "Add one" });
  } },
  { name: "lab_where", handler: async (args, meta) => {
    const { devices } = await rpc(meta, "TrailblazeCommands/ListDevices", own(meta));
    const told = meta.trailblaze.device.id;
    if (devices.length !== 1 || devices[0].id !== told) throw new Error(`${JSON.stringify(devices)}, not ${told}`);
    return text(told);
  } },
  { name: "lab_late", handler: async (args, meta) => shown(meta, "TrailblazeCommands/Tap", { ...last, text: "Add one" }) },
  { name: "lab_foreign", handler: async (args, meta) =>
    shown(meta, "TrailblazeCommands/Tap", { ...own(meta), sessionId: "another", text: "Add one" }) },
  { name: "lab_guessed", handler: async (args, meta) =>
    shown(meta, "TrailblazeCommands/Tap", { invocationId: "inv-1", text: "Add one" }) },
  { name: "lab_elsewhere", handler: async (args, meta) =>
    shown(meta, "TrailblazeCommands/Tap", { ...own(meta), deviceId: "sim-9", text: "Add one" }) },
  { name: "lab_open", handler: async (args, meta) => shown(meta, "TrailblazeCommands/HasText", { text: "Count" }) },
  { name: "lab_bare", handler: async (args, meta) => {
    delete headers.authorization;
    return shown(meta, "TrailblazeCommands/HasText", { text: "Count" });
  } },
  { name: "lab_remember", handler: async (args, meta) => {
    await rpc(meta, "TrailblazeCommands/SetMemory", { ...own(meta), key: "seen", value: "yes" });
    return shown(meta, "TrailblazeCommands/ListMemory", own(meta));
  } },
  { name: "lab_delegate", _meta: { "trailblaze/isDelegating": true, "trailblaze/isRecordable": false },
    handler: async (args, meta) => {
      const { value } = await rpc(meta, "TrailblazeCommands/IsVisible", { ...own(meta), text: "Add one" });
      const refused = await rpc(meta, "TrailblazeCommands/Tap", { ...own(meta), text: "Add one" });
      if (!value || refused.success) throw new Error(JSON.stringify({ value, refused }));
      const delegates = [{ tool: "tap", args: { text: "Add one" } }];
      return { content: [], structuredContent: { success: true, _trailblaze_delegates: delegates } };
    } },
]);
"#;

fn caller() -> Space {
    let space = lab(&[&node("caller")]);
    space.write("tools/caller.mjs", CALLER);
    space
}

#[test]
fn a_command_reaches_the_device_of_its_tool_call() {
    let space = caller();
    space.trail("a", &["lab_tap: {}", "assertVisible: { text: \"Count: 1\" }"]);
    run(&space, &["run"]).exits(0);
}

#[test]
fn several_devices_do_not_get_each_others_commands() {
    let space = caller();
    for name in ["a", "b"] {
        let calls =
            ["lab_where: {}", "lab_tap: {}", "lab_where: {}", "assertVisible: { text: \"Count: 1\" }"];
        space.trail(name, &calls);
    }
    run(&space, &["run", "--device", "sim:3"]).exits(0);
}

#[test]
fn an_invocation_id_holds_as_long_as_its_call_and_for_its_session() {
    let space = caller();
    space.trail(
        "a",
        &["lab_tap: {}", "lab_late: {}", "lab_foreign: {}", "lab_guessed: {}", "lab_elsewhere: {}"],
    );
    run(&space, &["run", "--events", "events.jsonl"]).exits(0);
    let events = space.events("events.jsonl");
    let said = |tool: &str| {
        let of_tool = |event: &&serde_json::Value| event["event"] == "toolFinished" && event["tool"] == tool;
        let message = events.iter().find(of_tool).unwrap()["message"].as_str().unwrap().to_owned();
        // Ids cannot be guessed, so they differ.
        let is_id = |word: &&str| word.len() == 32 && word.chars().all(|c| c.is_ascii_hexdigit());
        let ids: Vec<&str> = message.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_id).collect();
        ids.iter().fold(message.clone(), |message, id| message.replace(id, "ID"))
    };
    assert_snapshot!(said("lab_late"), @r#"{"code":"invalid_argument","kind":"UnknownInvocation","message":"Unknown invocation ID: ID. The tool call may have completed or timed out."}"#);
    assert_snapshot!(said("lab_foreign"), @r#"{"code":"invalid_argument","kind":"WrongSession","message":"the invocation 'ID' does not belong to the session 'another'"}"#);
    assert_snapshot!(said("lab_guessed"), @r#"{"code":"invalid_argument","kind":"UnknownInvocation","message":"Unknown invocation ID: inv-1. The tool call may have completed or timed out."}"#);
    assert_snapshot!(said("lab_elsewhere"), @r#"{"code":"invalid_argument","kind":"InvalidRequest","message":"the tool call 'ID' does not run on the device 'sim-9'"}"#);
    assert!(!space.read("events.jsonl").contains("Count: 2"));
}

#[test]
fn an_invocation_id_may_be_left_out_where_there_is_one_device() {
    let space = caller();
    assert_eq!(call(&space, "lab_open", &["--launch"]), r#"{"value":true}"#);
    space.trail("a", &["lab_open: {}"]);
    run(&space, &["run", "--device", "sim:2", "--events", "events.jsonl"]).exits(0);
    let events = space.read("events.jsonl");
    assert_eq!(events.matches("an invocation id is required: there are 2 devices").count(), 2, "{events}");
}

#[test]
fn the_memory_of_the_session_can_be_read_and_written() {
    let space = caller();
    let said = call(&space, "lab_remember", &["--memory", "x=7"]);
    assert_eq!(said, r#"{"entries":{"seen":"yes","x":"7"}}"#);
}

#[test]
fn what_a_delegating_tool_looks_at_is_not_recorded_and_it_may_not_act() {
    let space = caller();
    space.trail("a", &["lab_delegate: {}", "assertVisible: { text: \"Count: 1\" }"]);
    run(&space, &["run", "--record", "recorded.trail.yaml"]).exits(0);
    let recorded = space.read("recorded.trail.yaml");
    assert!(recorded.contains("tap:") && !recorded.contains("isVisible"), "{recorded}");
}

#[test]
fn a_token_keeps_others_out_and_toolset_servers_have_it() {
    let space = caller();
    space.trail("a", &["lab_tap: {}", "assertVisible: { text: \"Count: 1\" }"]);
    run(&space, &["run", "--rpc-token", "mellon"]).exits(0);
    // Whatever starts servers asks for the token of the environment.
    for (args, exit) in [(&["tool", "run", "lab_bare"][..], 0), (&["tool", "run", "lab_open"], 0)] {
        let ran = space.ran(command(&space, args).env("TRAILBLAZE_RPC_TOKEN", "mellon").output().unwrap());
        let is_refused = ran.exits(exit).stdout.contains("unauthenticated");
        assert_eq!(is_refused, args.contains(&"lab_bare"), "{args:?}");
    }
}

/// Calls back, and then fails because the shop is closed.
const CLOSED: &str = r#"import { serve, text } from "./mcp.mjs";

const ask = async ({ trailblaze }, tool_name, args) => {
  const action = { type: "call_tool", tool_name, arguments_json: JSON.stringify(args) };
  const { baseUrl, sessionId: session_id, invocationId: invocation_id } = trailblaze;
  const body = JSON.stringify({ version: 1, session_id, invocation_id, action });
  await fetch(`${baseUrl}/scripting/callback`, { method: "POST", body });
};

serve([
  { name: "lab_add", handler: async (args, meta) => {
    await ask(meta, "tap", { text: "Add one" });
    return text("added");
  } },
  { name: "lab_twice", handler: async (args, meta) => {
    await ask(meta, "lab_add", {});
    await ask(meta, "lab_add", {});
    return { isError: true, content: [{ type: "text", text: "the shop is closed" }] };
  } },
]);
"#;

#[test]
fn a_failure_replays_without_the_servers_that_took_part() {
    let space = lab(&[&node("closed")]);
    space.write("tools/closed.mjs", CLOSED);
    space.trail("a", &["lab_add: {}", "lab_twice: {}"]);
    let ran = run(&space, &["run"]).exits(1);
    assert!(ran.stdout.contains("the shop is closed"), "{ran}");
    std::fs::copy(space.path(".trailblaze/runs/latest/a/bundle.zip"), space.path("bundle.zip")).unwrap();
    // Nothing is left of the tools.
    std::fs::remove_dir_all(space.path("tools")).unwrap();
    let ran = run(&space, &["replay", "bundle.zip", "--events", "events.jsonl"]).exits(1);
    assert!(ran.stdout.contains("a: as recorded (failed)"), "{ran}");
    let events = space.events("events.jsonl");
    let taps = events.iter().filter(|event| event["event"] == "device" && event["action"] == "tap");
    assert_eq!(taps.count(), 3);
}

/// Tools that keep to themselves what their inner calls met, and one that calls back late.
const QUIET: &str = r#"import { serve, text } from "./mcp.mjs";

const ask = async ({ trailblaze }, tool_name, args = {}, invocation_id = trailblaze.invocationId, signal) => {
  const action = { type: "call_tool", tool_name, arguments_json: JSON.stringify(args) };
  const body = JSON.stringify({ version: 1, session_id: trailblaze.sessionId, invocation_id, action });
  return (await fetch(`${trailblaze.baseUrl}/scripting/callback`, { method: "POST", body, signal })).json();
};

serve([
  { name: "lab_fatal", handler: () =>
    ({ isError: true, content: [{ type: "text", text: "the shop is closed" }], _meta: { trailblaze: { variant: "FatalError" } } }) },
  { name: "lab_swallows", handler: async (args, meta) => {
    await ask(meta, "lab_fatal");
    return text("fine");
  } },
  { name: "lab_forges", handler: () =>
    ({ isError: true, content: [{ type: "text", text: "no" }], _meta: { trailblaze: { kind: "Toolset" } } }) },
  { name: "lab_nameless", handler: async (args, meta) => text(JSON.stringify(await ask(meta, "hasText", { text: "a" }, ""))) },
  { name: "lab_slow", handler: () => new Promise((resolve) => setTimeout(() => resolve(text("slow")), 20_000)) },
  { name: "lab_hasty", handler: async (args, meta) => {
    await ask(meta, "lab_slow", {}, undefined, AbortSignal.timeout(300)).catch(() => {});
    await ask(meta, "hasText", { text: "a" });
    return text("went on");
  } },
  { name: "lab_pin", inputSchema: { type: "object", properties: { pin: { type: "integer" } } }, handler: ({ pin }) =>
    ({ isError: true, content: [{ type: "text", text: "no" }], structuredContent: { [pin]: pin } }) },
]);
"#;

fn quiet(calls: &[&str]) -> Space {
    let space = lab(&[&node("quiet")]);
    space.write("tools/quiet.mjs", QUIET);
    space.trail("a", calls);
    space
}

#[test]
fn what_ends_a_trail_ends_it_even_if_a_tool_keeps_it_to_itself() {
    let space = quiet(&["lab_swallows: {}", "tap: { text: Add one }"]);
    let ran = run(&space, &["run", "--retries", "2", "--json", "--events", "events.jsonl"]).exits(1);
    let failure = &ran.json()["trails"][0]["failure"];
    assert_eq!((&failure["kind"], &failure["message"]), (&"Fatal".into(), &"the shop is closed".into()));
    assert!(!space.read("events.jsonl").contains(r#""attempt":2"#));
}

#[test]
fn a_tool_cannot_say_that_its_server_is_gone() {
    run(&quiet(&["lab_forges: {}"]), &["run"]).exits(1);
}

#[test]
fn a_callback_without_an_invocation_id_reaches_no_device_of_several() {
    let space = quiet(&["lab_nameless: {}"]);
    run(&space, &["run", "--device", "sim:2", "--events", "events.jsonl"]).exits(0);
    let events = space.read("events.jsonl");
    assert_eq!(events.matches("without an invocation id there must be one device").count(), 2, "{events}");
}

#[test]
fn a_callback_that_is_broken_off_stops_what_it_asked_for() {
    let space = quiet(&["lab_hasty: {}"]);
    let began = Instant::now();
    run(&space, &["run"]).exits(0);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn secrets_of_digits_and_in_names_are_not_kept() {
    let space = quiet(&["lab_pin: { pin: \"{{pin}}\" }"]);
    run(&space, &["run", "--secret", "pin=471100", "--capture", "kept"]).exits(1);
    let kept = space.read("kept/a/servers.jsonl");
    assert!(kept.contains("lab_pin") && !kept.contains("471100"), "{kept}");
}
