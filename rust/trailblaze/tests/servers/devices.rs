//! One server and several devices.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::lab::{lab, node, run};
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
const crash = () => { console.error("out of memory"); appendFileSync("crashed.txt", ""); process.exit(7); };
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
    // Also where nobody calls it.
    assert_snapshot!(choice(&space), @"one process on stdin and stdout for each of 2 devices");
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

#[test]
fn a_second_process_that_does_not_start_is_told_as_a_first_one() {
    let last = r#"import { readFileSync } from "node:fs";
const isFirst = readFileSync("started.txt", "utf8").trim().split("\n").length === 1;
if (!isFirst) { console.error("only one of me at a time"); process.exit(4); }
serve(tools);"#;
    let space = shared(last, ", transport: stdio");
    meeting(&space);
    assert_snapshot!(run(&space, &["run", "--jobs", "2"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'shared' exited with code 4 before it answered 'initialize'
    its last lines on stderr:
      only one of me at a time
    ");
    let said = run(&space, &["serve", "--device", "sim:2"]).exits(5).stderr;
    assert!(
        said.contains("lab.yaml:8:5: server 'shared' exited") && said.contains("only one of me"),
        "{said}"
    );
}

/// Answers when that one has crashed.
const LATER: &str = r#"import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { serve, text } from "./mcp.mjs";

const later = async () => {
  while (!existsSync("crashed.txt")) await setTimeout(10);
  await setTimeout(100);
  return text("gone");
};
serve([{ name: "lab_later", handler: later }]);
"#;

#[test]
fn a_device_whose_first_call_comes_after_the_end_of_a_shared_process_learns_of_that() {
    let shared = "{ name: shared, command: node, args: [tools/shared.mjs], transport: http }";
    let space = lab(&[shared, &node("later")]);
    space.write("tools/shared.mjs", format!("{SHARED}serveAsTold(tools);\n"));
    space.write("tools/later.mjs", LATER);
    space.trail("one", &["lab_crash: {}"]);
    space.trail("two", &["lab_later: {}", "lab_meet: { devices: 1 }"]);
    let ran = run(&space, &["run", "--jobs", "2", "--json"]).exits(5).json();
    let failures: Vec<&str> = ran["trails"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|trail| trail["failure"]["message"].as_str())
        .collect();
    assert_eq!(failures, ["server 'shared' exited with code 7 during the run"; 2]);
}

/// Serves nothing, but opens its port; `answer` is what becomes of a request.
fn opens_a_port(answer: &str) -> String {
    format!(
        "import {{ createServer }} from \"node:http\";\n\
         createServer((request, response) => {{ {answer} }}).listen(Number(process.argv.at(-1)), \"127.0.0.1\");"
    )
}

#[test]
fn a_program_that_is_no_server_at_its_port_is_given_up_at_once() {
    let space = shared(&opens_a_port("response.writeHead(500).end();"), ", transport: http");
    let began = Instant::now();
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'shared' was told '--transport http --port N' and is no MCP server at '/mcp' of its port: HTTP 500 Internal Server Error
    hint: let it take these arguments, or leave 'transport: http' out
    ");
    // The end of its input, which it does not hear, is not waited for.
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn a_program_that_is_silent_at_its_port_has_the_time_for_a_first_answer_and_no_more() {
    let space = shared(&opens_a_port(""), ", transport: http, limits: { firstAnswer: 2.5 }");
    let began = Instant::now();
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: server 'shared' was told '--transport http --port N' and opened the port, and did not answer there within 2.5 s, its 'limits: { firstAnswer: … }'
    hint: let it take these arguments, or leave 'transport: http' out
    ");
    assert!(began.elapsed() < Duration::from_millis(2_500 + 2_400), "{:?}", began.elapsed());
}

/// Serves as it is told, but at another host or path.
fn serves_at(host: &str, path: &str) -> String {
    format!(
        r#"import {{ createServer, request }} from "node:http";
const port = Number(process.argv.at(-1));
serveOverHttp(tools, port + 1);
createServer((incoming, response) => {{
  if (incoming.url !== "{path}") return response.writeHead(404).end();
  const {{ method, headers }} = incoming;
  incoming.pipe(request({{ host: "127.0.0.1", port: port + 1, path: "/mcp", method, headers }}, (answer) => {{
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  }}));
}}).listen(port, "{host}");"#
    )
}

#[test]
fn a_server_may_answer_at_the_root_of_its_port() {
    let space = shared(&serves_at("127.0.0.1", "/"), ", transport: http");
    space.trail("one", &["lab_meet: { devices: 1 }"]);
    run(&space, &["run"]).exits(0);
}

#[test]
fn a_server_may_listen_at_the_newer_address_of_this_machine_only() {
    if TcpListener::bind("[::1]:0").is_err() {
        // There is no such address here.
        return;
    }
    let space = shared(&serves_at("::1", "/mcp"), ", transport: http");
    space.trail("one", &["lab_meet: { devices: 1 }"]);
    run(&space, &["run"]).exits(0);
    assert!(choice(&space).contains("at http://[::1]:"), "{}", choice(&space));
}

/// The first time somebody else has the port: another process, which serves there once this one has ended.
const TAKEN: &str = r#"import { spawn } from "node:child_process";
appendFileSync("ports.txt", `${process.argv.at(-1)}\n`);
import { readFileSync } from "node:fs";
if (process.env.OTHER) {
  while (process.ppid === Number(process.env.OTHER)) await new Promise((go) => setTimeout(go, 5));
  serveAsTold(tools);
} else if (readFileSync("started.txt", "utf8").trim().split("\n").length === 1) {
  const env = { ...process.env, OTHER: process.pid };
  spawn(process.execPath, process.argv.slice(1), { env, stdio: ["pipe", "ignore", "ignore"] }).unref();
  console.error("Error: listen EADDRINUSE: address already in use 127.0.0.1");
  process.exit(1);
} else {
  serveAsTold(tools);
}"#;

#[test]
fn another_port_is_taken_where_somebody_else_has_the_first() {
    let space = shared(TAKEN, ", transport: http");
    space.trail("one", &["lab_meet: { devices: 1 }"]);
    run(&space, &["run"]).exits(0);
    let ports = space.read("ports.txt");
    assert_eq!(ports.lines().collect::<BTreeSet<_>>().len(), 2, "{ports}");
}
