//! `trailblaze mcp` in workspaces whose toolsets are programs.

use std::fs;
use std::process::{Child, ExitStatus};

use insta::assert_snapshot;
use serde_json::json;

use crate::lab::{lab, lab_with, node};
use crate::mcp_client::{Client, Generation, Served};
use crate::orphans::{are_gone, is_alive, signal, wait_for};
use crate::space::Space;

/// Notes where its tools would call back.
const WHERE: &str = r#"{ name: "lab_where", handler: () => {
    appendFileSync("urls.txt", `${process.env.TRAILBLAZE_CALLBACK_URL}\n`);
    return text("noted");
  } }"#;

fn with_notes() -> Space {
    let space = lab_with(WHERE);
    let file = space.read("tools/one.mjs");
    space.write("tools/one.mjs", format!("import {{ appendFileSync }} from \"node:fs\";\n{file}"));
    space.trail("a", &["lab_where: {}"]);
    space
}

#[test]
fn mcp_and_callbacks_are_answered_on_one_port() {
    let space = with_notes();
    let served = Served::start(&space, &[]);
    for params in [
        json!({ "name": "tool", "arguments": { "name": "lab_where" } }),
        json!({ "name": "trail_run", "arguments": {} }),
    ] {
        let answer = served.ask("tools/call", params);
        assert!(answer.contains("noted") || answer.contains("passed: 1 of 1 trail"), "{answer}");
    }
    let url = format!("http://127.0.0.1:{}/scripting/callback\n", served.port);
    assert_eq!(space.read("urls.txt"), url.repeat(2));
}

#[test]
fn all_servers_of_one_process_call_back_at_one_port() {
    let space = with_notes();
    let mut client = Client::start(&space, &[], Generation::Newer);
    assert_eq!(client.text("tool", json!({ "name": "lab_where" })), "noted");
    assert!(client.text("trail_run", json!({})).starts_with("passed: 1 of 1 trail"));
    let urls = space.read("urls.txt");
    let urls: Vec<&str> = urls.lines().collect();
    assert!(urls.len() == 2 && urls[0] == urls[1], "{urls:?}");
}

/// Takes its time to end, and says how it did.
const POLITE: &str = r#"import { renameSync, writeFileSync } from "node:fs";
import { serve, text } from "./mcp.mjs";

const end = (how) => setTimeout(() => { writeFileSync("ended.txt", how); process.exit(0); }, 300);
process.on("SIGTERM", () => end("by a signal"));
const say = () => { writeFileSync("pid.tmp", `${process.pid}`); renameSync("pid.tmp", "pid.txt"); };
serve([
  { name: "lab_greet", handler: () => { say(); return text("hello"); } },
  { name: "lab_hang", handler: () => { say(); return new Promise(() => {}); } },
], () => end("in peace"));
"#;

fn polite() -> Space {
    let space = lab(&[&node("polite")]);
    space.write("tools/polite.mjs", POLITE);
    space.trail("hang", &["lab_hang: {}"]);
    space
}

/// Waits for the server's process, ends Trailblaze, and looks how that ended the server.
#[track_caller]
fn ends_in_peace(space: &Space, child: &mut Child, end: impl FnOnce(&mut Child)) -> ExitStatus {
    let pid = wait_for("no server gets going", || fs::read_to_string(space.path("pid.txt")).ok());
    assert!(is_alive(&pid));
    end(child);
    let status = wait_for("it does not end", || child.try_wait().unwrap());
    assert_eq!(fs::read_to_string(space.path("ended.txt")).ok().as_deref(), Some("in peace"));
    assert!(!is_alive(&pid));
    status
}

#[test]
fn servers_end_in_peace_when_the_client_leaves() {
    let space = polite();
    let mut client = Client::start(&space, &[], Generation::Older);
    assert_eq!(client.text("tool", json!({ "name": "lab_greet" })), "hello");
    let stdin = client.stdin.take();
    assert!(ends_in_peace(&space, &mut client.child, |_| drop(stdin)).success());
}

/// Also those that are busy, on a device or in a run.
#[test]
fn servers_end_in_peace_when_the_process_is_told_to_end() {
    for (params, name) in [
        (json!({ "name": "tool", "arguments": { "name": "lab_greet" } }), "INT"),
        (json!({ "name": "tool", "arguments": { "name": "lab_hang" } }), "TERM"),
        (json!({ "name": "trail_run", "arguments": {} }), "TERM"),
    ] {
        let space = polite();
        let mut client = Client::start(&space, &[], Generation::Newer);
        client.send("tools/call", params);
        let status = ends_in_peace(&space, &mut client.child, |child| signal(child, name));
        assert_eq!(status.code(), Some(130), "{name}");
    }
}

#[test]
fn servers_end_in_peace_when_http_is_told_to_end() {
    let space = polite();
    let mut served = Served::start(&space, &[]);
    let answer = served.ask("tools/call", json!({ "name": "tool", "arguments": { "name": "lab_greet" } }));
    assert!(answer.contains("hello"), "{answer}");
    let status = ends_in_peace(&space, &mut served.child, |child| signal(child, "TERM"));
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_server_that_crashed_is_started_again_by_a_reload() {
    let space = lab_with(
        r#"
  { name: "lab_greet", handler: () => text(`hello from ${process.pid}`) },
  { name: "lab_crash", handler: () => process.exit(3) },
"#,
    );
    let mut client = Client::start(&space, &[], Generation::Newer);
    let hello = client.text("tool", json!({ "name": "lab_greet" }));
    assert_snapshot!(client.text("tool", json!({ "name": "lab_crash" })), @"
    isError Toolset: server 'one' exited with code 3 before it answered 'tools/call'
    hint: it wrote nothing to stderr; call 'reload' to start it again
    ");
    let gone = client.text("tool", json!({ "name": "lab_greet" }));
    assert!(gone.starts_with("isError") && gone.ends_with("call 'reload' to start it again"), "{gone}");
    assert!(!client.text("screen", json!({})).starts_with("isError"), "the device is still there");
    assert_eq!(client.call("reload", json!({}))["structuredContent"]["added"], json!([]));
    let again = client.text("tool", json!({ "name": "lab_greet" }));
    assert!(again.starts_with("hello from ") && again != hello, "{again}");
}

/// Speaks the older protocol, or would if it answered.
const DEAF: &str = r#"import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "server/discover") {
    const error = { code: -32601, message: "no such method" };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  } else {
    writeFileSync("pid.tmp", `${process.pid}`);
    renameSync("pid.tmp", "pid.txt");
  }
});
"#;

/// Of two targets, one has a server that never answers.
#[test]
fn a_server_that_hangs_at_its_start_is_in_nobody_elses_way_and_can_be_called_off() {
    let space = lab(&[&node("deaf")]);
    space.write("tools/deaf.mjs", DEAF);
    space.write(
        "trailblaze-config/targets/other.yaml",
        "id: other\ndisplay_name: Other\nsim: { app: ./app.js }\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n",
    );
    let mut client = Client::start(&space, &[], Generation::Newer);
    let waiting = [1, 2].map(|_| client.send("tools/call", json!({ "name": "tools", "arguments": {} })));
    let pid = wait_for("no server gets going", || fs::read_to_string(space.path("pid.txt")).ok());
    assert!(!client.text("screen", json!({ "device": "sim/other" })).starts_with("isError"));
    assert!(is_alive(&pid) && client.notes.is_empty(), "{:?}", client.notes);
    for id in waiting {
        let reason = json!({ "requestId": id });
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": reason }));
    }
    // It would be waited for 30 seconds otherwise.
    are_gone(&[pid]);
}

#[test]
fn pictures_of_a_tool_are_shown_to_the_model() {
    let space = lab_with(
        r#"{ name: "lab_draw", handler: () => ({ content: [
    { type: "text", text: "two pictures" },
    { type: "image", mimeType: "image/jpeg", data: Buffer.from("a photo").toString("base64") },
    { type: "image", mimeType: "image/svg+xml", data: Buffer.from("<svg/>").toString("base64") },
  ] }) }"#,
    );
    let mut client = Client::start(&space, &[], Generation::Newer);
    let drawn = client.call("tool", json!({ "name": "lab_draw" }));
    let content = drawn["content"].as_array().unwrap();
    assert_eq!(content.len(), 3, "{drawn}");
    assert_eq!(content[1], json!({ "type": "image", "mimeType": "image/jpeg", "data": "YSBwaG90bw==" }));
    let uri = content[2]["text"].as_str().unwrap().strip_prefix("saved as ").unwrap();
    let read = client.ask("resources/read", json!({ "uri": uri }));
    assert_eq!(read["result"]["contents"][0]["text"], "<svg/>", "{read}");
    let plain =
        client.call("tool", json!({ "name": "launchApp", "arguments": { "appId": "com.example.lab" } }));
    assert_eq!(plain["content"].as_array().unwrap().len(), 1, "those of the last call are gone");
}
