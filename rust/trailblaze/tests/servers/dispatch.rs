//! Calls: where they go, and what comes with them.

use serde_json::{Value, json};

use crate::lab::{call, lab, lab_with, node, run, serve};
use crate::space::{Space, json as parsed};

/// Says what its process is.
const WHO: &str = r#"handler: ({ a }) => text(`${a} from ${process.argv[1].split("/").pop()}`)"#;

#[test]
fn a_call_goes_to_the_process_that_has_the_tool_and_its_result_comes_back() {
    let space = lab(&[&node("one"), &node("two")]);
    serve(&space, "one", &format!(r#"{{ name: "lab_one", {WHO} }}"#));
    serve(&space, "two", &format!(r#"{{ name: "lab_two", {WHO} }}"#));
    for (tool, said) in [("lab_one", "tea from one.mjs"), ("lab_two", "tea from two.mjs")] {
        let result = run(&space, &["tool", "run", tool, "--arg", "a=tea", "--json"]).exits(0).json();
        assert_eq!(result, json!({ "result": "Success", "message": said, "failure": null }));
    }
}

#[test]
fn calls_of_one_run_go_to_one_process() {
    let space = lab_with(r#"{ name: "lab_pid", handler: () => text(process.pid) }"#);
    space.trail("a", &["lab_pid: {}", "lab_pid: {}"]);
    space.trail("b", &["lab_pid: {}"]);
    run(&space, &["run", "--events", "events.jsonl"]).exits(0);
    let events = space.events("events.jsonl");
    let ended = events.iter().filter(|event| event["event"] == "toolFinished" && event["tool"] == "lab_pid");
    let pids: Vec<&Value> = ended.map(|event| &event["message"]).collect();
    assert_eq!(pids.len(), 3, "{events:?}");
    assert!(pids.iter().all(|pid| *pid == pids[0] && pid.is_string()), "{pids:?}");
}

/// Answers when two processes have been called.
const MEETING: &str = r#"{ name: "lab_meet", handler: async () => {
    const { mkdirSync, readdirSync, writeFileSync } = await import("node:fs");
    mkdirSync("here", { recursive: true });
    writeFileSync(`here/${process.pid}`, "");
    while (readdirSync("here").length < 2) await new Promise((done) => setTimeout(done, 5));
    return text("met");
  } }"#;

#[test]
fn each_device_has_a_process_of_its_own() {
    let space = lab_with(MEETING);
    space.trail("a", &["lab_meet: {}"]);
    space.trail("b", &["lab_meet: {}"]);
    run(&space, &["run", "--jobs", "2"]).exits(0);
    assert_eq!(space.files("here").len(), 2);
}

#[test]
fn the_context_is_in_the_arguments_and_its_platform_is_that_of_the_session() {
    let space = lab_with(r#"{ name: "lab_args", handler: (args) => text(JSON.stringify(args)) }"#);
    for driver in ["android-ondevice-accessibility", "android-ondevice-instrumentation"] {
        let args = call(&space, "lab_args", &["--as", driver, "--memory", "x=7", "--arg", "own=1"]);
        let device = json!({
            "platform": "ANDROID", "widthPixels": 1080, "heightPixels": 2400, "driverType": driver,
        });
        let wanted = json!({ "memory": { "x": "7" }, "device": device });
        assert_eq!(parsed(&args), json!({ "own": "1", "_trailblazeContext": wanted }));
    }
}

#[test]
fn the_session_and_the_invocation_are_in_the_meta_of_a_call() {
    let space = lab_with(
        r#"{ name: "lab_meta", handler: (args, meta) => text(JSON.stringify([meta, process.env.TRAILBLAZE_SESSION_ID])) }"#,
    );
    let said = parsed(&call(&space, "lab_meta", &[]));
    let (meta, session) = (&said[0]["trailblaze"], &said[1]);
    assert_eq!(&meta["sessionId"], session);
    assert_eq!(meta["invocationId"], said[0]["trailblazeInvocationId"]);
    assert_eq!((&meta["device"]["platform"], &meta["runtime"]), (&"android".into(), &"host".into()));
    assert!(meta["baseUrl"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{meta}");
}

#[test]
fn an_error_of_a_tool_fails_the_step_and_a_fatal_one_ends_the_trail() {
    let space = lab_with(
        r#"
  { name: "lab_error", handler: () => ({ ...text("no tea today"), isError: true }) },
  { name: "lab_fatal", handler: () => ({
    ...text("the shop is closed"), isError: true, _meta: { trailblaze: { variant: "FatalError" } } }) },
"#,
    );
    let failure = |tool: &str| {
        let ran = run(&space, &["tool", "run", tool, "--json"]).exits(1);
        let result = ran.json();
        (result["failure"]["kind"].clone(), result["failure"]["message"].clone())
    };
    assert_eq!(failure("lab_error"), ("Exception".into(), "no tea today".into()));
    assert_eq!(failure("lab_fatal"), ("Fatal".into(), "the shop is closed".into()));
}

/// A script whose tool calls other tools.
fn caller() -> Space {
    let space = lab(&["script: ./tools/caller.mjs"]);
    space.write(
        "tools/caller.mjs",
        r#"import { trailblaze } from "@trailblaze/scripting";

trailblaze.tool({
  name: "lab_addTwo",
  description: "For a test.",
  handler: async (_args, { client }) => {
    await client.tap({ text: "Add one" });
    await client.tap({ text: "Add one" });
    return `${await client.getElementText("count")} in ${typeof process === "undefined" ? "QuickJS" : "node"}`;
  },
});
"#,
    );
    space
}

#[test]
fn a_script_calls_other_tools_of_the_session_from_its_process() {
    let space = caller();
    assert_eq!(call(&space, "lab_addTwo", &["--launch"]), "Count: 2 in node");
    let inside = space.run(&["tool", "run", "lab_addTwo", "--launch"]).exits(0);
    assert_eq!(inside.stdout.trim_end(), "Count: 2 in QuickJS");
}

#[test]
fn a_taken_port_does_not_keep_tools_from_calling_others() {
    // If somebody else has it already, all the better.
    let _taken = std::net::TcpListener::bind("127.0.0.1:52525");
    assert_eq!(call(&caller(), "lab_addTwo", &["--launch"]), "Count: 2 in node");
}

/// A server each of whose tools calls one other, and says `1 + ` and what that one said, or why it was not run.
fn going_down(next_of: &str, names: &str) -> Space {
    let space = lab(&[&node("one")]);
    let server = r#"import { serve, text } from "./mcp.mjs";

const call = async (tool_name, { sessionId, invocationId }) => {
  const action = { type: "call_tool", tool_name, arguments_json: "{}" };
  const body = JSON.stringify({ version: 1, session_id: sessionId, invocation_id: invocationId, action });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(process.env.TRAILBLAZE_CALLBACK_URL, { method: "POST", headers, body });
  return (await answer.json()).result;
};

serve(NAMES.map((name, at) => ({
  name,
  handler: async (_args, { trailblaze }) => {
    const { success, text_content, error_message } = await call(NEXT, trailblaze);
    return text(success ? `1 + ${text_content}` : error_message);
  },
})));
"#;
    space.write("tools/one.mjs", server.replace("NAMES", names).replace("NEXT", next_of));
    space
}

#[test]
fn calls_back_nest_sixteen_deep_and_the_seventeenth_is_refused() {
    let fifteen = "1 + ".repeat(15);
    let itself = going_down("name", r#"["lab_down"]"#);
    let why = "tools call each other in a circle: lab_down → lab_down";
    assert_eq!(call(&itself, "lab_down", &[]), format!("{fifteen}{why}"));
    let others = going_down("`lab_${at + 2}`", "Array.from({ length: 17 }, (_, at) => `lab_${at + 1}`)");
    let why = "tools nest deeper than 16 levels";
    assert_eq!(call(&others, "lab_1", &[]), format!("{fifteen}{why}"));
    // A tool that is not there is looked for one level higher.
    let missing = call(&others, "lab_3", &[]);
    assert!(missing.contains("'lab_18'"), "{missing}");
}
