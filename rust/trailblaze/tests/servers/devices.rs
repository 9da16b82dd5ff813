//! One server and several devices.

use std::collections::BTreeSet;

use insta::assert_snapshot;

use crate::lab::{lab, run};
use crate::space::Space;

/// Says in a file that it started. Its tool answers when two devices wait for it, or one where that is all.
const SHARED: &str = r#"import { appendFileSync } from "node:fs";
import { serve, serveAsTold, serveOverHttp, text } from "./mcp.mjs";

appendFileSync("started.txt", `${process.pid}\n`);
const waiting = [];
const meet = ({ devices = 2 }, { trailblazeInvocationId: id }) => new Promise((resolve) => {
  waiting.push(() => resolve(text(id)));
  if (waiting.length === devices) for (const answer of waiting) answer();
});
const crash = () => { console.error("out of memory"); process.exit(7); };
const tools = [{ name: "lab_meet", handler: meet }, { name: "lab_crash", handler: crash }];
"#;

/// A workspace with one such server that ends with this line.
fn shared(last: &str, more: &str) -> Space {
    let space = lab(&[&format!("{{ name: shared, command: node, args: [tools/shared.mjs]{more} }}")]);
    space.write("tools/shared.mjs", format!("{SHARED}{last}\n"));
    space
}

fn meeting(space: &Space) {
    for name in ["one", "two"] {
        space.trail(name, &["lab_meet: {}"]);
    }
}

/// How many processes were started.
fn started(space: &Space) -> usize {
    space.read("started.txt").lines().collect::<BTreeSet<_>>().len()
}

/// What the log says about the choice.
fn choice(space: &Space) -> String {
    let events = space.read(".trailblaze/runs/latest/events.jsonl");
    let lines = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let said = lines.filter(|event| event["event"] == "log" && event["source"] == "shared");
    let said = said.filter_map(|event| event["message"].as_str().map(str::to_owned));
    let said: Vec<String> = said.filter(|message| message.starts_with("one process")).collect();
    let port = |message: &str| message.find("127.0.0.1:").map(|at| message[..at + 10].to_owned() + "N/mcp");
    said.iter().map(|message| port(message).unwrap_or_else(|| message.clone())).collect::<Vec<_>>().join("\n")
}

#[test]
fn devices_share_one_process_over_http_where_it_takes_that() {
    let space = shared("serveAsTold(tools);", "");
    meeting(&space);
    run(&space, &["run", "--jobs", "2"]).exits(0);
    assert_eq!(started(&space), 1);
    assert_snapshot!(choice(&space), @"one process over HTTP for all 2 devices, at http://127.0.0.1:N/mcp");
}

#[test]
fn one_device_speaks_with_it_on_its_standard_streams() {
    let space = shared("serveAsTold(tools);", "");
    space.trail("one", &["lab_meet: { devices: 1 }"]);
    run(&space, &["run"]).exits(0);
    assert_eq!((started(&space), choice(&space)), (1, String::new()));
}

#[test]
fn a_server_that_speaks_on_its_standard_streams_only_is_started_for_each_device() {
    let space = shared("serve(tools);", "");
    for name in ["one", "two"] {
        space.trail(name, &["lab_meet: { devices: 1 }"]);
    }
    run(&space, &["run", "--jobs", "2"]).exits(0);
    // The first was told to speak over HTTP, and did not.
    assert_eq!(started(&space), 3);
    assert_snapshot!(choice(&space), @"one process on stdin and stdout for each of 2 devices: told '--transport http --port N', it speaks MCP on stdin and stdout all the same");
}

#[test]
fn a_server_that_refuses_the_arguments_is_started_for_each_device() {
    let space = shared("if (process.argv.length > 2) process.exit(64);\nserve(tools);", "");
    for name in ["one", "two"] {
        space.trail(name, &["lab_meet: { devices: 1 }"]);
    }
    run(&space, &["run", "--jobs", "2"]).exits(0);
    assert_eq!(started(&space), 3);
    assert_snapshot!(choice(&space), @"one process on stdin and stdout for each of 2 devices: told '--transport http --port N', it exited with code 64");
}

#[test]
fn a_server_may_say_that_it_speaks_on_its_standard_streams_only() {
    let space = shared("serve(tools);", ", transport: stdio");
    // The processes of all devices are there before one of them is needed.
    space.trail("one", &["wait: { timeToWaitInSeconds: 1 }"]);
    space.trail("two", &["wait: { timeToWaitInSeconds: 1 }"]);
    run(&space, &["run", "--jobs", "2"]).exits(0);
    assert_eq!(started(&space), 2);
}

#[test]
fn a_server_may_say_that_it_is_to_be_reached_over_http() {
    let space = shared("serveAsTold(tools);", ", transport: http");
    space.trail("one", &["lab_meet: { devices: 1 }"]);
    run(&space, &["run"]).exits(0);
    assert_eq!(started(&space), 1);
    assert_snapshot!(choice(&space), @"one process over HTTP, at http://127.0.0.1:N/mcp");
}

#[test]
fn a_server_that_says_so_and_does_not_do_it_is_an_error() {
    let space = shared("console.error(\"what is --transport?\");\nprocess.exit(64);", ", transport: http");
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'shared' was told '--transport http --port N' and exited with code 64
    its last lines on stderr:
      what is --transport?
    hint: let it take these arguments, or leave 'transport: http' out
    ");
    let space = shared("serve(tools);", ", transport: http");
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'shared' was told '--transport http --port N' and speaks MCP on stdin and stdout all the same
    hint: let it take these arguments, or leave 'transport: http' out
    ");
}

#[test]
fn the_end_of_a_shared_process_is_told_with_what_it_said_last() {
    let space = shared("serveAsTold(tools);", ", transport: http");
    space.trail("one", &["lab_crash: {}"]);
    assert_snapshot!(run(&space, &["run"]), @"
    exit: 5
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ one  150 ms
      ✓ Start
      ✗ Step 1
        error: trails/one.trail.yaml:8:20: server 'shared' exited with code 7 during the run
          in lab_crash
          its last lines on stderr:
            out of memory
        step-2-failed: .trailblaze/runs/[run]/one/step-2-failed.png
        bundle: .trailblaze/runs/[run]/one/bundle.zip

    0 passed, 1 failed in 150 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
}
