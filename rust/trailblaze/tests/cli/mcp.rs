//! `trailblaze mcp` as a client meets it. How it deals with toolsets that are programs is in the tests of those.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp_client::{BOTH, Client, Generation, Served, post};
use crate::space::{APP, Space, repository, trail_text};

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
            let hints = tool["annotations"].as_object().unwrap().iter();
            let hints: Vec<&str> =
                hints.filter(|(_, set)| **set == true).map(|(hint, _)| hint.as_str()).collect();
            let name = tool["name"].as_str().unwrap();
            format!("{name}{} ({})", arguments.collect::<String>(), hints.join(" "))
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    devices (readOnlyHint idempotentHint)
    screen device:string format:string (readOnlyHint idempotentHint)
    tools device:string name:string all:boolean (readOnlyHint idempotentHint)
    tool device:string name!:string arguments:object step:string screen:boolean (destructiveHint openWorldHint)
    step device:string text!:string verify:boolean (destructiveHint openWorldHint)
    trail_run path:string tags:array filters:array memory:object args:object record:string (destructiveHint openWorldHint)
    trail_check path:string (readOnlyHint idempotentHint)
    trail_record device:string file!:string title:string clear:boolean ()
    reload device:string restart:boolean (destructiveHint idempotentHint)
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
    insta::assert_snapshot!(client.text("tools", json!({ "name": "somethingElse" })), @r"
    isError UnknownTool: unknown tool 'somethingElse'
    hint: 'tools' lists what there is
    ");
    insta::assert_snapshot!(client.text("tool", json!({ "name": "reloadTools" })), @r"
    isError NotSupported: the tools cannot be read again: there is no workspace, or it is replayed
    hint: call 'reload' instead
    ");
    let nobody = client.text("trail_run", json!({ "filters": ["nobody"] }));
    assert!(nobody.starts_with("isError error: no trail fits 'tags' and 'filters'\n"), "{nobody}");
    insta::assert_snapshot!(client.text("trail_record", json!({ "file": "trails/new.yaml" })), @r"
    isError error: 'trails/new.yaml' does not end with .trail.yaml, so nobody would find the trail in it
    hint: call it 'trails/new.trail.yaml'
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
    let list = client.ask("tools/call", json!({ "name": "screen", "arguments": [1] }));
    insta::assert_snapshot!(list["error"], @r#"{"code":-32602,"message":"the parameters of 'tools/call' are of the wrong types"}"#);
    let unknown = client.ask("tools/run", json!({}));
    insta::assert_snapshot!(unknown["error"], @r#"{"code":-32601,"message":"unknown method 'tools/run'"}"#);
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
    assert!(client.text("devices", json!({})).ends_with("not started"));
    assert!(client.text("screen", json!({})).contains("Home"), "the device is a fresh one");
    assert!(client.text("devices", json!({})).ends_with("open"));
    let registry = client.ask("resources/read", json!({ "uri": "trailblaze://registry" }));
    let registry = registry["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    let registry: Value = serde_json::from_str(&registry).unwrap();
    assert!(registry["tools"]["tap"].is_object() && registry["tools"]["lab_addTwice"].is_null());
}

/// Only the driver that was named beats what trails are pinned to, as in a run.
#[test]
fn trails_are_run_and_checked_for_the_driver_that_was_named() {
    let space = Space::lab();
    let tool = "parameters: []\nsupported_drivers: [android-ondevice-instrumentation]\ntools:\n  - tap: { text: Add one }";
    space.tool("lab_addOne", tool);
    space.write("trails/plain.trail.yaml", trail_text("", &["lab_addOne: {}"]));
    let pin = "driver: android-ondevice-accessibility";
    space.write("trails/pinned.trail.yaml", trail_text(pin, &["lab_addOne: {}"]));
    let seen = |args: &[&str]| {
        let mut client = Client::start(&space, args, Generation::Newer);
        let ran = client.call("trail_run", json!({}));
        let checked = client.call("trail_check", json!({}));
        [ran["structuredContent"]["verdict"].clone(), checked["structuredContent"]["errors"].clone()]
    };
    assert_eq!(seen(&["--as", "android-ondevice-instrumentation"]), [json!("passed"), json!(0)]);
    // The pin of the one and the default of the other are a driver that the tool is not for.
    assert_eq!(seen(&[]), [json!(null), json!(2)]);
}

#[test]
fn a_resource_that_cannot_be_read_is_an_error() {
    let space = Space::lab();
    space.tool("lab_broken", "parameters: []\ntools: 7");
    for generation in BOTH {
        let mut client = Client::start(&space, &[], generation);
        for uri in ["trailblaze://registry", "trailblaze://screen", "trailblaze://screen.png"] {
            let answer = client.ask("resources/read", json!({ "uri": uri }));
            let error = &answer["error"];
            assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32603), &json!(uri)), "{answer}");
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains("the workspace has errors") && message.contains("lab_broken"),
                "{message}"
            );
        }
    }
    let mut client = Client::start(&Space::empty(), &["--workspace", "nowhere"], Generation::Newer);
    assert!(client.ask("resources/read", json!({ "uri": "trailblaze://reports" }))["error"].is_object());
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

#[test]
fn it_is_served_over_http_to_this_machine_only() {
    let space = Space::lab();
    let served = Served::start(&space, &[]);
    let port = served.port;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let own = format!("127.0.0.1:{port}");
    let answer = served.ask("tools/list", json!({}));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("trail_run"), "{answer}");
    for (host, origin) in [("evil.example", None), (own.as_str(), Some("https://evil.example"))] {
        let answer = post(port, host, origin, &list);
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
    space.run(&["mcp", "--http", "--port", &port.to_string()]).exits(5);
}

#[test]
fn lines_that_are_no_requests_are_answered() {
    let space = Space::empty();
    for generation in BOTH {
        let mut client = Client::start(&space, &[], generation);
        for (line, id, code) in [
            ("this is no json", None, -32700),
            (r#"{"jsonrpc":"2.0","id":3,"method":"#, None, -32700),
            (r#"{"id":4,"method":"ping"}"#, Some(4), -32600),
            (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, Some(5), -32600),
        ] {
            client.write_line(line);
            let answer = client.receive();
            assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
            assert_eq!(answer.get("id").and_then(Value::as_u64), id, "{line}: {answer}");
        }
        assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array(), "it goes on");
    }
}
