//! Devices without a run, for whoever calls them over RPC.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::{Value, json};
use trailblaze_engine::memory::Secret;
use trailblaze_rpc::Routing;
use trailblaze_rpc::client::{CallError, Client};

use crate::lab::{command, lab, node, run};
use crate::space::Space;

/// A server that is told to end when this is dropped.
pub(crate) struct Served {
    child: Child,
    url: String,
}

impl Served {
    pub(crate) fn start(space: &Space, args: &[&str]) -> Self {
        let mut command = command(space, &[&["serve", "--port", "0"], args].concat());
        Self::of(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn of(mut child: Child) -> Self {
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim_end().to_owned() }
    }

    pub(crate) fn client(&self, device: &str) -> Client {
        Client::new(&self.url).routing(Routing { device_id: device.to_owned(), ..Routing::default() })
    }

    pub(crate) fn host(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    pub(crate) fn stream(&self) -> TcpStream {
        TcpStream::connect(self.host()).unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits for that.
    fn end(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const LAUNCH: &str = "TrailblazeCommands/LaunchApp";
const HAS_TEXT: &str = "TrailblazeCommands/HasText";

pub(crate) fn launch(client: &Client) {
    let answer = client.call(LAUNCH, json!({ "packageId": "com.example.lab" })).unwrap();
    assert_eq!(answer["success"], true, "{answer}");
}

pub(crate) fn has_text(client: &Client, text: &str) -> bool {
    client.call(HAS_TEXT, json!({ "text": text })).unwrap()["value"] == true
}

fn refused(answer: Result<Value, CallError>) -> String {
    let error = answer.unwrap_err();
    format!("{}: {}", error.code, error.message)
}

#[test]
fn port_0_is_one_that_is_free() {
    let served = Served::start(&Space::lab(), &[]);
    assert!(!served.url.ends_with(":52525"), "{}", served.url);
}

#[test]
fn one_device_needs_no_name_and_keeps_its_state() {
    let space = lab(&[]);
    let served = Served::start(&space, &[]);
    let client = served.client("");
    launch(&client);
    client.call("TrailblazeCommands/Tap", json!({ "text": "Add one" })).unwrap();
    assert!(has_text(&client, "Count: 1"));
    assert!(has_text(&served.client("").json(), "Count: 1"));
    assert!(client.screenshot().unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn several_devices_are_called_by_their_names() {
    let space = lab(&[]);
    let served = Served::start(&space, &["--device", "sim:2"]);
    let (one, two) = (served.client("sim-1"), served.client("sim-2"));
    launch(&one);
    launch(&two);
    one.call("TrailblazeCommands/Tap", json!({ "text": "Add one" })).unwrap();
    assert!(has_text(&one, "Count: 1") && has_text(&two, "Count: 0"));
    assert_snapshot!(refused(served.client("").call(HAS_TEXT, json!({ "text": "a" }))), @"invalid_argument: an invocation id is required: there are 2 devices and 0 tool calls under way, and the request does not say which is meant");
    assert_snapshot!(refused(served.client("sim-3").call(HAS_TEXT, json!({ "text": "a" }))), @"not_found: there is no device 'sim-3'");
}

/// A tool that never answers, and says in files that it began and that it was told to stop.
const STUCK: &str = r#"import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { serve } from "./mcp.mjs";

createInterface({ input: process.stdin }).on("line", (line) => {
  if (JSON.parse(line).method === "notifications/cancelled") writeFileSync("stopped.txt", "");
});
const handler = () => new Promise(() => writeFileSync("began.txt", ""));
serve([{ name: "lab_stuck", handler }], () => writeFileSync("ended.txt", ""));
"#;

fn stuck() -> Space {
    let space = lab(&[&node("stuck")]);
    space.write("tools/stuck.mjs", STUCK);
    space
}

/// Waits for a file that another process writes.
fn appears(space: &Space, name: &str) {
    let until = Instant::now() + Duration::from_secs(30);
    while !space.path(name).exists() {
        assert!(Instant::now() < until, "there is no {name}");
        std::thread::yield_now();
    }
}

#[test]
fn a_deadline_reaches_what_runs_and_the_device_goes_on() {
    let space = stuck();
    let served = Served::start(&space, &[]);
    let began = Instant::now();
    let hasty = served.client("").timeout(Duration::from_millis(300));
    let said = refused(hasty.call("TrailblazeCommands/CallTool", json!({ "name": "lab_stuck" })));
    assert!(said.starts_with("deadline_exceeded"), "{said}");
    launch(&served.client(""));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    appears(&space, "stopped.txt");
}

#[test]
fn a_caller_who_leaves_takes_his_call_along() {
    let space = stuck();
    let served = Served::start(&space, &[]);
    let body = r#"{"name":"lab_stuck"}"#;
    let mut stream = served.stream();
    let path = "/trailblaze.v1.TrailblazeCommands/CallTool";
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", served.host());
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    appears(&space, "began.txt");
    drop(stream);
    // The device is free again.
    launch(&served.client(""));
    appears(&space, "stopped.txt");
}

#[test]
fn it_ends_gracefully_with_its_toolset_servers() {
    let space = stuck();
    let mut served = Served::start(&space, &[]);
    assert_eq!(served.end(), Some(130));
    assert!(space.path("ended.txt").exists());
}

#[test]
fn a_token_is_asked_for() {
    let space = lab(&[]);
    let served = Served::start(&space, &["--rpc-token", "mellon"]);
    assert_snapshot!(refused(served.client("").call(HAS_TEXT, json!({ "text": "a" }))), @"unauthenticated: this server wants a token");
    let wrong = served.client("").token(Secret::new("melon"));
    assert!(refused(wrong.call(HAS_TEXT, json!({ "text": "a" }))).starts_with("unauthenticated"));
    let known = served.client("").token(Secret::new("mellon"));
    assert!(!has_text(&known, "nothing of the kind"));
}

#[test]
fn a_page_in_a_browser_and_another_name_for_this_machine_are_kept_out() {
    let space = lab(&[]);
    let served = Served::start(&space, &[]);
    let status = |headers: &str| {
        let mut stream = served.stream();
        let path = "/trailblaze.v1.TrailblazeCommands/HasText";
        let head = format!("POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n");
        write!(stream, "{head}{headers}Content-Length: 12\r\n\r\n{{\"text\":\"a\"}}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let own = format!("Host: {}\r\n", served.host());
    assert_eq!(status(&own), "200");
    assert_eq!(status("Host: evil.example\r\n"), "403");
    assert_eq!(status(&format!("{own}Origin: https://evil.example\r\n")), "403");
}

#[test]
fn connections_beyond_the_limit_are_refused_politely_and_the_others_go_on() {
    let space = lab(&[]);
    // A quarter of the files that it may have open is for connections.
    let mut limited = std::process::Command::new("sh");
    let program = command(&space, &[]).get_program().to_owned();
    limited.args(["-c", "ulimit -n 128; exec \"$0\" serve --port 0"]).arg(program);
    for (name, value) in command(&space, &[]).get_envs() {
        limited.envs(value.map(|value| (name, value)));
    }
    limited.current_dir(space.path("")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let served = Served::of(limited.spawn().unwrap());
    launch(&served.client(""));
    let mut held: Vec<TcpStream> = (0..200).map(|_| served.stream()).collect();
    let mut refused: Vec<String> = Vec::new();
    let until = Instant::now() + Duration::from_secs(20);
    while refused.len() < 160 && Instant::now() < until {
        held.retain_mut(|stream| {
            stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            let is_refused = !answer.is_empty();
            refused.extend(is_refused.then_some(answer));
            !is_refused
        });
    }
    assert!(refused.len() >= 160, "{}", refused.len());
    assert!(!held.is_empty(), "somebody has a place");
    assert!(refused.iter().all(|answer| answer.starts_with("HTTP/1.1 503 ")));
    let polite = refused[0].split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok());
    let polite: Value = polite.unwrap();
    assert_eq!(
        (&polite["code"], &polite["details"][0]["debug"]["kind"]),
        (&"resource_exhausted".into(), &"Busy".into())
    );
    drop(held);
    // It may take a moment until all of them are cleared away.
    while let Err(error) = served.client("").call(HAS_TEXT, json!({ "text": "Count: 0" })) {
        assert!(error.code == "resource_exhausted" && Instant::now() < until, "{error}");
    }
    assert!(has_text(&served.client(""), "Count: 0"));
}

#[test]
fn a_port_that_is_taken_is_another_one_and_that_is_said() {
    let space = lab(&[]);
    // Where another has it already, it is taken as well.
    let _taken = std::net::TcpListener::bind("127.0.0.1:52525");
    let mut command = command(&space, &["serve"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut served = Served::of(child);
    assert!(!served.url.ends_with(":52525"), "{}", served.url);
    assert_eq!(served.end(), Some(130));
    let mut said = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.starts_with("the port 52525 is taken, so it is another\n"), "{said}");
}

#[test]
fn every_device_has_a_memory_of_its_own() {
    let space = lab(&[]);
    let served = Served::start(&space, &["--device", "sim:2"]);
    let call = |device: &str, method: &str, args: Value| {
        served.client(device).call(&format!("TrailblazeCommands/{method}"), args).unwrap()
    };
    call("sim-1", "SetMemory", json!({ "key": "who", "value": "ann" }));
    assert_eq!(call("sim-1", "GetMemory", json!({ "key": "who" }))["value"], "ann");
    assert_eq!(call("sim-2", "GetMemory", json!({ "key": "who" })).get("value"), None);
}

#[test]
fn what_cannot_be_served_is_said() {
    let space = lab(&[]);
    let served = Served::start(&space, &[]);
    let port = served.url.rsplit(':').next().unwrap();
    let said = |args: &[&str]| run(&space, &[&["serve"], args].concat()).to_string().replace(port, "[port]");
    assert_snapshot!(said(&["--port", port]), @"
    exit: 5
    ----- stdout
    ----- stderr
    error: the port [port] is taken
    hint: choose another with '--port N'; without it a free one is found
    ");
    assert_snapshot!(said(&["--device", "sim-1,phone"]), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: 'sim-1' is no phone, and others that are named are
    hint: phones and sims need a run each
    ");
    let mut without = command(&space, &["serve", "--port", "0"]);
    let said = space.ran(without.env("TRAILBLAZE_RPC_TOKEN", "").output().unwrap()).exits(2).stderr;
    assert!(said.contains("TRAILBLAZE_RPC_TOKEN is empty\nhint: give it a value"), "{said}");
    let empty = Space::empty();
    assert_snapshot!(run(&empty, &["serve", "--port", "0"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there is no workspace here
    hint: 'trailblaze init' makes one; or give a path to one
    ");
}

/// A tool that asks for another one, and does not wait for it long.
const HASTY: &str = r#"import { serve, text } from "./mcp.mjs";

const rpc = async ({ trailblazeInvocationId: invocationId, trailblaze }, method, body, headers) => {
  const url = `${trailblaze.baseUrl}/trailblaze.v1.TrailblazeCommands/${method}`;
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  return (await fetch(url, { ...init, body: JSON.stringify({ ...body, invocationId }) })).json();
};

serve([
  { name: "lab_slow", handler: () => new Promise((resolve) => setTimeout(() => resolve(text("slow")), 20_000)) },
  { name: "lab_hasty", handler: async (args, meta) => {
    const { code } = await rpc(meta, "CallTool", { name: "lab_slow" }, { "connect-timeout-ms": "300" });
    await rpc(meta, "HasText", { text: "a" });
    return text(code);
  } },
]);
"#;

#[test]
fn a_deadline_reaches_what_runs_below_a_tool_call() {
    let space = lab(&[&node("hasty")]);
    space.write("tools/hasty.mjs", HASTY);
    space.trail("a", &["lab_hasty: {}"]);
    let began = Instant::now();
    let ran = run(&space, &["run", "--verbose"]).exits(0);
    assert!(ran.stdout.contains("deadline_exceeded"), "{ran}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn whoever_left_keeps_no_room_from_others() {
    let space = stuck();
    let served = Served::start(&space, &["--device", "sim:2"]);
    let body = r#"{"name":"lab_stuck","deviceId":"sim-1"}"#;
    let path = "/trailblaze.v1.TrailblazeCommands/CallTool";
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", served.host());
    let ask = || {
        let mut stream = served.stream();
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream
    };
    // More than may be under way at once, in rounds because connections are limited as well.
    for _ in 0..3 {
        let asked: Vec<TcpStream> = (0..100).map(|_| ask()).collect();
        drop(asked);
    }
    launch(&served.client("sim-2"));
}

#[test]
fn routing_that_makes_no_sense() {
    let space = lab(&[]);
    let served = Served::start(&space, &["--device", "sim:2"]);
    let devices = |routing: Value| served.client("").call("TrailblazeCommands/ListDevices", routing);
    assert_eq!(refused(devices(json!({ "deviceId": "sim-9" }))), "not_found: there is no device 'sim-9'");
    assert_eq!(devices(json!({ "sessionId": "another" })), Ok(json!({})));
    let other = served.client("sim-1").call(HAS_TEXT, json!({ "text": "a", "sessionId": "another" }));
    assert_eq!(refused(other), "invalid_argument: the device does not have the session 'another'");
}
