//! `trailblaze mcp` as a client meets it: a process, and lines of JSON-RPC of both generations.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::space::{APP, Space, repository};

/// Which protocol a client speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generation {
    /// `initialize` first.
    Older,
    /// Each request says what it needs.
    Newer,
}

const BOTH: [Generation; 2] = [Generation::Older, Generation::Newer];

struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    generation: Generation,
    last: u64,
    /// What came besides answers.
    notes: Vec<Value>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    fn start(space: &Space, args: &[&str], generation: Generation) -> Self {
        let mut command = space.command(&["mcp"]);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, stdin, stdout, generation, last: 0, notes: Vec::new() };
        if generation == Generation::Older {
            let info = json!({ "name": "test", "version": "1" });
            let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
            let began = client.ask("initialize", params);
            assert_eq!(began["result"]["protocolVersion"], "2025-11-25");
            client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        } else {
            let found = client.ask("server/discover", json!({}));
            let versions = found["result"]["supportedVersions"].as_array().unwrap();
            assert!(versions.contains(&json!("2026-07-28")), "{found}");
        }
        client
    }

    fn write(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request and goes on; gives its id.
    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.generation == Generation::Newer {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let id = self.last;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: '{line}'"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.notes.push(message);
        }
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        answer["result"].clone()
    }

    /// All text of a result, with a mark when it is an error.
    fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let mark = if result["isError"] == true { "isError " } else { "" };
        format!("{mark}{}", texts.join("\n"))
    }
}

/// The example workspace, without what runs leave behind in it.
fn example() -> Space {
    let space = Space::empty();
    let first = repository().join("examples/first");
    let mut todo = vec![first.clone()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(&first).unwrap().to_string_lossy().into_owned();
            match path.is_dir() {
                true if name.starts_with('.') => {}
                true => todo.push(path),
                false => space.write(&name, std::fs::read(&path).unwrap()),
            }
        }
    }
    space
}

#[test]
fn the_list_of_tools_is_a_contract() {
    let space = Space::empty();
    let mut lists = BOTH.map(|generation| {
        let mut client = Client::start(&space, &[], generation);
        client.ask("tools/list", json!({}))["result"]["tools"].clone()
    });
    assert_eq!(lists[0], lists[1]);
    let tools = lists[0].as_array_mut().unwrap();
    let shown: Vec<String> = tools
        .iter()
        .map(|tool| {
            let schema = &tool["inputSchema"];
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let arguments = schema["properties"].as_object().unwrap().iter().map(|(name, schema)| {
                let mark = if required.contains(&json!(name)) { "!" } else { "" };
                format!(" {name}{mark}:{}", schema["type"].as_str().unwrap())
            });
            let looks = if tool["annotations"]["readOnlyHint"] == true { " (looks)" } else { "" };
            format!("{}{}{looks}", tool["name"].as_str().unwrap(), arguments.collect::<String>())
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    devices (looks)
    screen device:string format:string (looks)
    tools device:string name:string all:boolean (looks)
    tool device:string name!:string arguments:object step:string screen:boolean
    step device:string text!:string verify:boolean
    trail_run path:string tags:array filters:array memory:object args:object record:string
    trail_check path:string (looks)
    trail_record device:string file!:string title:string clear:boolean
    reload device:string restart:boolean (looks)
    ");
}

#[test]
fn a_screen_is_shown_and_acted_on() {
    let space = example();
    for generation in BOTH {
        let mut client = Client::start(&space, &[], generation);
        insta::allow_duplicates! {
            insta::assert_snapshot!(client.text("devices", json!({})), @"sim/parcel app=com.example.parcel driver=android-ondevice-accessibility not started");
            let launch = json!({ "name": "launchApp", "arguments": { "appId": "com.example.parcel" } });
            insta::assert_snapshot!(client.text("tool", launch), @"done");
            insta::assert_snapshot!(client.text("screen", json!({})), @r#"
            screen 1080x2400 com.example.parcel
            "Parcel"
            "Deliveries for couriers"
            [d915] EditText "E-mail" #email edit
            [e41] EditText "Password" #password edit password
            [i426] CheckBox "Remember me" #remember tap unchecked
            [p888] Button "Sign in" #sign_in tap disabled
            [a615] Button "Forgot your password?" #forgot tap
            "#);
            let tap = json!({ "name": "tap", "arguments": { "id": "remember" }, "screen": true });
            insta::assert_snapshot!(client.text("tool", tap), @r#"
            tapped 540,1052
            screen 1080x2400 com.example.parcel
            "Parcel"
            "Deliveries for couriers"
            [d915] EditText "E-mail" #email edit
            [e41] EditText "Password" #password edit password
            [i426] CheckBox "Remember me" #remember tap checked
            [p888] Button "Sign in" #sign_in tap disabled
            [a615] Button "Forgot your password?" #forgot tap
            "#);
        }
        let image = client.call("screen", json!({ "format": "image" }));
        assert_eq!(image["content"][0]["mimeType"], "image/png");
        assert!(image["content"][0]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
        assert_eq!(image["content"].as_array().unwrap().len(), 1);
        let found = client.call("tools", json!({ "name": "parcel_fillField" }));
        assert_eq!(found["structuredContent"]["name"], "parcel_fillField");
    }
}

#[test]
fn what_is_wrong_is_said_in_the_result() {
    let space = example();
    let mut client = Client::start(&space, &[], Generation::Newer);
    insta::assert_snapshot!(client.text("tool", json!({ "name": "tapp" })), @r"
    isError UnknownTool: unknown tool 'tapp'
    hint: did you mean 'tap'?
    ");
    insta::assert_snapshot!(client.text("tool", json!({ "nam": "tap" })), @"isError InvalidArguments: 'tool': 'name' is missing; there is no argument 'nam'");
    insta::assert_snapshot!(client.text("tool", json!({ "name": "tap", "arguments": { "text": "Nobody" } })), @r"
    isError NotFound: no element with text 'Nobody' within 5 s
    hint: on the screen: 'Home', 'com.example.parcel'
    ");
    insta::assert_snapshot!(client.text("screen", json!({ "device": "sim/other" })), @r"
    isError error: there is no device 'sim/other'
    hint: 'devices' lists what there is
    ");
    insta::assert_snapshot!(client.text("screen", json!({ "format": "video" })), @"isError InvalidArguments: 'screen': 'format' must be one of text, image, both, not 'video'");
    let step = client.call("step", json!({ "text": "Sign in" }));
    assert_eq!(step["_meta"]["trailblaze"]["kind"], "NeedsModel");
    insta::assert_snapshot!(step["content"][0]["text"].as_str().unwrap(), @r"
    NeedsModel: this step has no recording, and no model is set that could solve it
    hint: use 'screen' and 'tool' to do it yourself
    ");
    // No tool of ours at all is a mistake of the program, not of the model.
    let unknown = client.ask("tools/call", json!({ "name": "nope", "arguments": {} }));
    insta::assert_snapshot!(unknown["error"], @r#"{"code":-32602,"message":"unknown tool 'nope'"}"#);
    let resource = client.ask("resources/read", json!({ "uri": "trailblaze://nope" }));
    insta::assert_snapshot!(resource["error"], @r#"{"code":-32602,"message":"there is no resource 'trailblaze://nope'","data":{"uri":"trailblaze://nope"}}"#);
    let outside = json!({ "uri": "trailblaze://reports/../../trailblaze.yaml" });
    assert!(client.ask("resources/read", outside)["error"].is_object());
}

#[test]
fn without_a_workspace_there_are_clear_errors() {
    let space = Space::empty();
    let mut client = Client::start(&space, &[], Generation::Older);
    for (tool, arguments) in
        [("devices", json!({})), ("screen", json!({})), ("trail_run", json!({})), ("reload", json!({}))]
    {
        let text = client.text(tool, arguments);
        assert!(text.starts_with("isError error: there is no workspace here\nhint: "), "{tool}: {text}");
    }
    space.write("trailblaze.yaml", "target: bare\n");
    space.write("trailblaze-config/targets/bare.yaml", "id: bare\ndisplay_name: Bare\n");
    let mut client = Client::start(&space, &[], Generation::Newer);
    insta::assert_snapshot!(client.text("screen", json!({})), @r"
    isError error: the sim has no app to run
    hint: name one as 'sim: { app: FILE }' in the target
    ");
    let mut client = Client::start(&space, &["--workspace", "nowhere"], Generation::Newer);
    assert!(client.text("screen", json!({})).starts_with("isError error: "));
}

#[test]
fn trails_are_run_checked_and_recorded() {
    let space = example();
    let mut client = Client::start(&space, &[], Generation::Older);
    let checked = client.call("trail_check", json!({}));
    assert_eq!(checked["structuredContent"]["errors"], 0);
    assert_eq!(checked["structuredContent"]["trails"].as_array().unwrap().len(), 12);

    let params = json!({
        "name": "trail_run",
        "arguments": { "path": "trails/sign-in/sign-in.trail.yaml" },
        "_meta": { "progressToken": "run" },
    });
    let ran = client.ask("tools/call", params)["result"].clone();
    assert_eq!(ran["structuredContent"]["verdict"], "passed", "{ran}");
    let told: Vec<&Value> = client.notes.iter().map(|note| &note["params"]).collect();
    assert!(told.len() > 3 && told.iter().all(|note| note["progressToken"] == "run"), "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0]["progress"].as_f64() < pair[1]["progress"].as_f64()));
    let report = client.ask("resources/read", json!({ "uri": ran["structuredContent"]["report"] }));
    let text = report["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("1 trail passed"), "{text}");

    let failed = client.call("trail_run", json!({ "path": "trails-broken" }));
    assert_eq!(failed["structuredContent"]["verdict"], "failed");
    assert_eq!(failed["isError"], false, "a trail that fails was run all the same");

    assert!(client.text("trail_record", json!({ "file": "new.trail.yaml" })).starts_with("isError "));
    client.text(
        "tool",
        json!({ "name": "launchApp", "arguments": { "appId": "com.example.parcel" }, "step": "Start" }),
    );
    client.text("tool", json!({ "name": "tap", "arguments": { "id": "email" }, "step": "Enter the e-mail" }));
    client.text(
        "tool",
        json!({ "name": "inputText", "arguments": { "text": "a@b.c" }, "step": "Enter the e-mail" }),
    );
    for outside in ["../new.trail.yaml", "/tmp/new.trail.yaml", "trails/new.txt", "trailblaze.yaml"] {
        assert!(client.text("trail_record", json!({ "file": outside })).starts_with("isError "), "{outside}");
    }
    let record = json!({ "file": "trails/new/mail.trail.yaml", "title": "Mail" });
    insta::assert_snapshot!(client.text("trail_record", record.clone()), @"wrote trails/new/mail.trail.yaml: 2 steps, 3 calls");
    insta::assert_snapshot!(space.read("trails/new/mail.trail.yaml"), @r"
    config:
      title: Mail
      target: parcel
    trail:
      - step: Start
        recording:
          android:
            - launchApp:
                appId: com.example.parcel
      - step: Enter the e-mail
        recording:
          android:
            - tap:
                id: email
            - inputText:
                text: a@b.c
    ");
    assert!(client.text("trail_record", record).starts_with("isError "), "a trail is not overwritten");
    assert!(client.text("trail_run", json!({ "path": "trails/new" })).starts_with("passed: 1 of 1 trail"));
}

#[test]
fn a_workspace_is_read_again() {
    let space = Space::lab();
    let mut client = Client::start(&space, &[], Generation::Newer);
    client.text("screen", json!({}));
    space.tool(
        "lab_addTwice",
        "parameters: []\ntools:\n  - tap: { text: Add one }\n  - tap: { text: Add one }",
    );
    assert!(client.text("tool", json!({ "name": "lab_addTwice" })).starts_with("isError UnknownTool"));
    let reloaded = client.call("reload", json!({}));
    assert_eq!(reloaded["structuredContent"]["added"], json!(["lab_addTwice"]));
    assert_eq!(reloaded["structuredContent"]["removed"], json!([]));
    client.text("tool", json!({ "name": "launchApp", "arguments": { "appId": "com.example.lab" } }));
    assert!(!client.text("tool", json!({ "name": "lab_addTwice" })).starts_with("isError"));
    std::fs::remove_file(space.path("trailblaze-config/tools/lab_addTwice.yaml")).unwrap();
    let reloaded = client.call("reload", json!({ "restart": true }));
    assert_eq!(reloaded["structuredContent"]["removed"], json!(["lab_addTwice"]));
    let registry = client.ask("resources/read", json!({ "uri": "trailblaze://registry" }));
    let registry = registry["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    let registry: Value = serde_json::from_str(&registry).unwrap();
    assert!(registry["tools"]["tap"].is_object() && registry["tools"]["lab_addTwice"].is_null());
}

/// A call that would take long ends when nobody wants it any more, and the device can be used at once.
#[test]
fn what_is_called_off_stops() {
    let space = Space::lab();
    let app = APP.replace("case 'add': return", "case 'add': burn(); return");
    let burn =
        "const burn = () => { let x = 0; for (let i = 0; i < 600000; i++) x = (x * 31 + i) % 1000003 }";
    space.write("app.js", format!("{app}\n{burn}\n"));
    space.trail("long", &vec!["tap: { text: Add one }"; 2000]);
    let many = "  - tap: { text: Add one }\n".repeat(2000);
    space.tool("lab_addMany", &format!("parameters: []\ntools:\n{many}"));
    for generation in BOTH {
        let mut client = Client::start(&space, &[], generation);
        client.text("tool", json!({ "name": "launchApp", "arguments": { "appId": "com.example.lab" } }));
        for params in [
            json!({ "name": "tool", "arguments": { "name": "lab_addMany" } }),
            json!({ "name": "trail_run", "arguments": { "path": "trails/long.trail.yaml" } }),
        ] {
            let mut params = params;
            params["_meta"] = json!({ "progressToken": "long" });
            let id = client.send("tools/call", params);
            let first = client.receive();
            assert_eq!(first["method"], "notifications/progress", "{first}");
            let reason = json!({ "requestId": id, "reason": "enough" });
            client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": reason }));
            let stopped = Instant::now();
            assert!(client.text("screen", json!({})).contains("Add one"));
            assert!(stopped.elapsed() < Duration::from_secs(10), "{:?}", stopped.elapsed());
            client.notes.clear();
        }
    }
}

#[test]
fn the_process_ends_with_its_client() {
    let space = Space::lab();
    let mut client = Client::start(&space, &[], Generation::Older);
    client.text("screen", json!({}));
    client.stdin = None;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = client.child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success());
}

/// One answer over HTTP: its status line and its body.
fn post(port: u16, host: &str, origin: Option<&str>, body: &Value) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let body = body.to_string();
    let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_is_served_over_http_to_this_machine_only() {
    let space = Space::lab();
    let mut command = space.command(&["mcp", "--http"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let port =
        line.trim().strip_prefix("MCP on http://127.0.0.1:").and_then(|rest| rest.strip_suffix("/mcp"));
    let port: u16 = port.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let own = format!("127.0.0.1:{port}");
    let answers = [
        post(port, &own, None, &list),
        post(port, "evil.example", None, &list),
        post(port, &own, Some("https://evil.example"), &list),
    ];
    let taken = space.run(&["mcp", "--http", "--port", &port.to_string()]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answers[0].starts_with("HTTP/1.1 200") && answers[0].contains("trail_run"), "{}", answers[0]);
    assert!(answers[1].starts_with("HTTP/1.1 403"), "{}", answers[1]);
    assert!(answers[2].starts_with("HTTP/1.1 403"), "{}", answers[2]);
    taken.exits(5);
}
