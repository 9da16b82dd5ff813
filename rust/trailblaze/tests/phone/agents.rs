//! `trailblaze mcp --device SERIAL`: a coding agent drives a phone, for hours.

mod programs;

use std::sync::atomic::Ordering;
use std::sync::mpsc;

use serde_json::{Value, json};

use self::programs::{Agent, Served, signal};
use crate::adb::{Desk, OTHER, SERIAL, read};
use crate::lab::{ADD, LAUNCH, ONE, trail};

const MCP: [&str; 3] = ["mcp", "--device", SERIAL];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE]))]);
    desk
}

fn starts(desk: &Desk) -> usize {
    desk.commands().matches("am instrument").count()
}

/// The cable was out for so long that the agent ended.
fn long_away(desk: &Desk) {
    desk.world.kill();
    desk.world.unplug();
}

/// What was done to the phone that begins like this.
fn done(desk: &Desk, start: &str) -> Vec<String> {
    desk.lab.phone.state().done.iter().filter(|line| line.starts_with(start)).cloned().collect()
}

#[test]
fn a_coding_agent_drives_a_phone_and_leaves_it_as_it_was() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    insta::assert_snapshot!(agent.call("devices", json!({})), @"R5CT1234ABC app=com.example.lab driver=android-ondevice-accessibility not started");
    assert!(agent.call("trail_check", json!({})).starts_with("3 files checked: 0 errors, 0 warnings"));
    assert_eq!(starts(&desk), 0, "nothing has needed the phone yet");
    agent.launch();
    assert!(agent.tap().starts_with("tapped "));
    let screen = agent.call("screen", json!({ "device": SERIAL }));
    assert!(screen.contains("Count: 1"), "{screen}");
    agent.tool("networkConnection", json!({ "connected": false }));
    insta::assert_snapshot!(agent.call("devices", json!({})), @"R5CT1234ABC app=com.example.lab driver=android-ondevice-accessibility open");
    insta::assert_snapshot!(agent.call("screen", json!({ "device": "sim/lab" })), @r"
    isError error: there is no device 'sim/lab'
    hint: 'devices' lists what there is
    ");
    let said = agent.call("trail_record", json!({ "file": "trails/recorded.trail.yaml" }));
    assert!(said.contains("3 steps, 3 calls"), "{said}");
    assert_eq!(agent.leave().exits(0).err, "");
    assert_eq!(starts(&desk), 1);
    assert_eq!(done(&desk, "tap ").len(), 1);
    let modes = done(&desk, "$ cmd connectivity");
    assert!(modes.last().unwrap().ends_with("airplane-mode disable"), "{modes:?}");
    desk.is_clean();
}

#[test]
fn what_was_recorded_by_hand_runs_on_the_same_phone() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    agent.tap();
    agent.call("trail_record", json!({ "file": "trails/by-hand.trail.yaml" }));
    agent.tool("networkConnection", json!({ "connected": false }));
    let said = agent.call("trail_run", json!({ "path": "trails/by-hand.trail.yaml" }));
    assert!(said.starts_with("passed: 1 of 1 trail passed"), "{said}");
    let modes = done(&desk, "$ cmd connectivity");
    assert!(
        modes.last().unwrap().ends_with("airplane-mode disable"),
        "a trail begins as on any phone: {modes:?}"
    );
    assert!(read(&desk.report(), "events.jsonl").contains(&format!("\"device\":\"{SERIAL}\"")));
    // The session goes on where the trail left the phone.
    assert!(agent.call("screen", json!({})).contains("Count: 1"));
    assert!(agent.tap().starts_with("tapped "));
    assert!(agent.call("screen", json!({})).contains("Count: 2"));
    let said = agent.call("trail_run", json!({ "filters": ["nobody"] }));
    assert!(said.starts_with("isError error: no trail fits"), "{said}");
    agent.leave().exits(0);
    assert_eq!(starts(&desk), 1);
    desk.is_clean();
}

#[test]
fn trails_and_calls_take_turns_on_a_phone() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    let (tapped, taps) = mpsc::channel::<()>();
    let (go, goes) = mpsc::channel::<()>();
    let mut first = true;
    desk.lab.phone.state().on_tap = Some(Box::new(move || {
        if std::mem::take(&mut first) {
            tapped.send(()).unwrap();
            goes.recv().unwrap();
        }
    }));
    agent.send("tools/call", &json!({ "name": "trail_run", "arguments": {} }));
    taps.recv().unwrap();
    let tap = json!({ "name": "tap", "arguments": { "text": "Add one" } });
    agent.send("tools/call", &json!({ "name": "tool", "arguments": tap }));
    go.send(()).unwrap();
    let (ran, tapped) = (agent.answer(), agent.answer());
    let text = |answer: &Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(&ran).starts_with("passed: 1 of 1 trail passed"), "{ran}");
    assert!(text(&tapped).starts_with("tapped "), "{tapped}");
    assert!(agent.call("screen", json!({})).contains("Count: 2"));
    agent.leave().exits(0);
    desk.is_clean();
}

#[test]
fn which_phone_must_be_clear_before_anything_is_served() {
    let two = Desk::listing(&[(SERIAL, "device"), ("OTHER", "unauthorized"), ("THIRD", "device")]);
    two.workspace(&[]);
    let refused = |args: &[&str], code: i32| two.run(&[&["mcp"], args].concat()).exits(code).err;
    insta::assert_snapshot!(refused(&["--device", "WRONG"], 4), @r"
    error: there is no phone 'WRONG'
    hint: there is Paper 9 (R5CT1234ABC), Paper 9 (OTHER), Paper 9 (THIRD)
    ");
    insta::assert_snapshot!(refused(&["--device", "OTHER"], 4), @r"
    error: Paper 9 (OTHER) has not agreed to be debugged from this laptop
    hint: accept the question 'Allow USB debugging?' on the phone
    ");
    insta::assert_snapshot!(refused(&["--driver", "android-ondevice-accessibility"], 4), @r"
    error: 3 phones are connected: Paper 9 (R5CT1234ABC), Paper 9 (OTHER), Paper 9 (THIRD)
    hint: name one with '--device SERIAL'; or '--driver sim --as android-ondevice-accessibility' runs the trails on the embedded device
    ");
    insta::assert_snapshot!(refused(&["--device", "R5CT1234ABC,THIRD"], 2), @r"
    error: 'trailblaze mcp' is for one phone, and several are named
    hint: start one for each, under names of their own
    ");
    insta::assert_snapshot!(refused(&["--device", "sim:2"], 2), @r"
    error: there is a sim for each target, and they are not named one by one
    hint: leave '--device' out, or name a phone
    ");
    insta::assert_snapshot!(refused(&["--device", SERIAL, "--driver", "ios-host"], 4), @"error: the driver 'ios-host' cannot be used: Trailblaze drives Android; it has no iOS driver");
    insta::assert_snapshot!(refused(&["--device", SERIAL, "--agent-apk", "missing.apk"], 3), @r"
    error: missing.apk does not exist
    hint: '--agent-apk' names the 'trailblaze-agent.apk' of the release
    ");
    assert_eq!(starts(&two), 0);
}

#[test]
fn the_only_phone_need_not_be_named() {
    let desk = desk();
    let driver = ["--driver", "android-ondevice-instrumentation"];
    let mut agent = Agent::new(&desk, &[&["mcp"], &driver[..]].concat());
    agent.launch();
    assert!(agent.call("devices", json!({})).contains(&format!("{SERIAL} ")));
    agent.leave().exits(0);
    assert!(desk.commands().contains("-e driver android-ondevice-instrumentation"));
    desk.is_clean();
    let served = Served::new(&desk, &driver);
    let devices = served.client("").call("TrailblazeCommands/ListDevices", json!({})).unwrap();
    assert_eq!(devices["devices"][0]["id"], SERIAL, "{devices}");
    served.interrupt();
    desk.is_clean();
}

#[test]
fn a_target_must_be_known() {
    let desk = desk();
    desk.lab.write("shop/trailblaze.yaml", "{}\n");
    desk.lab.write(
        "shop/trailblaze-config/targets/other.yaml",
        "id: other\ndisplay_name: Other\nplatforms:\n  android:\n    app_ids: [com.example.other]\n",
    );
    let mut agent = Agent::new(&desk, &MCP);
    insta::assert_snapshot!(agent.call("screen", json!({})), @r"
    isError error: the workspace has several targets and names none as its own
    hint: start the server with '--target ID': lab, other
    ");
    agent.leave().exits(0);
    let mut agent = Agent::new(&desk, &[&MCP[..], &["--target", "lab"]].concat());
    assert!(agent.call("devices", json!({})).contains("app=com.example.lab"));
    agent.launch();
    agent.leave().exits(0);
    desk.is_clean();
}

#[test]
fn classes_of_the_apk_are_tools_also_after_a_reload() {
    let desk = desk();
    let about =
        r#"{"description":"Asks","inputSchema":{"type":"object","properties":{"ask":{"type":"string"}}}}"#;
    desk.lab.phone.state().classes.insert("com.example.Asks", Ok(about));
    desk.lab.write("shop/trailblaze-config/tools/asks.yaml", "id: asks\nclass: com.example.Asks\n");
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    let ask = json!({ "ask": r#"{"tap":{"text":"Add one"}}"# });
    let said = agent.tool("asks", ask.clone());
    assert!(said.contains("tapped"), "{said}");
    desk.lab.write("shop/trailblaze-config/tools/asks_too.yaml", "id: asks_too\nclass: com.example.Asks\n");
    let said = agent.call("reload", json!({}));
    assert!(said.ends_with(" tools: 1 added, 0 removed\n+ asks_too"), "{said}");
    let said = agent.tool("asks_too", ask);
    assert!(said.contains("tapped"), "{said}");
    assert!(agent.call("screen", json!({})).contains("Count: 2"));
    agent.leave().exits(0);
    desk.is_clean();
}

#[test]
fn a_restart_leaves_nothing_of_what_was_done() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    agent.tool("networkConnection", json!({ "connected": false }));
    let stops = || done(&desk, "$ am force-stop com.example.lab").len();
    let before = stops();
    agent.call("reload", json!({ "restart": true }));
    assert_eq!(stops(), before + 1);
    let modes = done(&desk, "$ cmd connectivity");
    assert!(modes.last().unwrap().ends_with("airplane-mode disable"), "{modes:?}");
    let said = agent.call("trail_record", json!({ "file": "trails/none.trail.yaml" }));
    assert!(said.starts_with("isError error: nothing was done on the device"), "{said}");
    agent.leave().exits(0);
    assert_eq!(starts(&desk), 1);
    desk.is_clean();
}

#[test]
fn a_cable_that_flickers_between_calls_is_not_noticed() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    desk.world.unplug();
    let said = agent.tap();
    assert!(said.starts_with("tapped ") && !said.contains("warning"), "{said}");
    agent.leave().exits(0);
    assert_eq!(starts(&desk), 1);
    desk.is_clean();
}

#[test]
fn an_agent_that_ended_between_calls_is_started_again_and_the_session_goes_on() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    for _ in 0..2 {
        long_away(&desk);
        let said = agent.tap();
        assert!(said.starts_with("tapped "), "{said}");
        assert!(said.contains("\nwarning: the phone was away and its agent was started again"), "{said}");
    }
    assert!(!agent.call("screen", json!({})).contains("warning"));
    let said = agent.call("trail_record", json!({ "file": "trails/both.trail.yaml" }));
    assert!(said.contains("3 calls"), "{said}");
    agent.leave().exits(0);
    assert_eq!((starts(&desk), done(&desk, "tap ").len()), (3, 2));
    desk.is_clean();
}

#[test]
fn a_phone_that_is_away_is_a_failure_with_a_hint_until_it_is_back() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    desk.world.is_away.store(true, Ordering::SeqCst);
    desk.world.unplug();
    insta::assert_snapshot!(agent.tap(), @r"
    isError Device: there is no phone 'R5CT1234ABC': none is connected
    hint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there; the next call looks for the phone again
    ");
    insta::assert_snapshot!(agent.call("trail_run", json!({})), @r"
    isError Device: there is no phone 'R5CT1234ABC': none is connected
    hint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there; the next call looks for the phone again
    ");
    insta::assert_snapshot!(agent.call("devices", json!({})), @r"
    R5CT1234ABC app=com.example.lab driver=android-ondevice-accessibility not there
    error: there is no phone 'R5CT1234ABC': none is connected
    hint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there
    ");
    desk.world.is_away.store(false, Ordering::SeqCst);
    assert!(agent.tap().starts_with("tapped "));
    agent.leave().exits(0);
    assert_eq!(done(&desk, "tap ").len(), 1);
    desk.is_clean();
}

#[test]
fn a_phone_that_is_gone_does_not_hold_up_the_end() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    desk.world.is_away.store(true, Ordering::SeqCst);
    desk.world.unplug();
    agent.leave().exits(0);
    // The agent would wait a minute for its laptop; the next one need not.
    desk.world.is_away.store(false, Ordering::SeqCst);
    desk.world.kill();
}

#[test]
fn a_phone_that_others_use_is_refused_by_the_call_that_needs_it() {
    let desk = desk();
    let mut first = Agent::new(&desk, &MCP);
    let mut second = Agent::new(&desk, &MCP);
    first.launch();
    crate::laptop::show_sockets(&desk.world);
    let said = second.call("screen", json!({}));
    assert!(said.starts_with(&format!("isError error: the phone {SERIAL} is in use by eve")), "{said}");
    second.leave().exits(0);
    first.leave().exits(0);
    assert_eq!(starts(&desk), 1);
    desk.is_clean();
}

#[test]
fn an_interrupt_in_the_middle_of_a_call_leaves_nothing() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    agent.tool("networkConnection", json!({ "connected": false }));
    let id = agent.id();
    desk.lab.phone.state().on_tap = Some(Box::new(move || signal(id, "-INT")));
    agent.send(
        "tools/call",
        &json!({ "name": "tool", "arguments": { "name": "tap", "arguments": { "text": "Add one" } } }),
    );
    assert_eq!(agent.wait(), Some(130));
    let modes = done(&desk, "$ cmd connectivity");
    assert!(modes.last().unwrap().ends_with("airplane-mode disable"), "{modes:?}");
    desk.is_clean();
}

#[test]
fn a_server_that_is_killed_leaves_an_agent_that_the_next_one_ends() {
    let desk = desk();
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    agent.tool("networkConnection", json!({ "connected": false }));
    crate::laptop::show_sockets(&desk.world);
    signal(agent.id(), "-KILL");
    assert_eq!(agent.wait(), None);
    let mut agent = Agent::new(&desk, &MCP);
    agent.launch();
    let modes = done(&desk, "$ cmd connectivity");
    assert!(modes.last().unwrap().ends_with("airplane-mode disable"), "{modes:?}");
    agent.leave().exits(0);
    desk.is_clean();
}

#[test]
fn programs_over_rpc_find_a_phone_again_and_read_tools_again() {
    let [desk, other] = Desk::two();
    desk.workspace(&[]);
    let devices = format!("{SERIAL},{OTHER}");
    let served = Served::new(&desk, &["--device", &devices]);
    let client = served.client(SERIAL);
    let call = |method: &str, args: Value| client.call(&format!("TrailblazeCommands/{method}"), args);
    call("LaunchApp", json!({ "packageId": "com.example.lab" })).unwrap();
    long_away(&desk);
    call("Tap", json!({ "text": "Add one" })).unwrap();
    assert_eq!(starts(&desk), 2);
    desk.world.is_away.store(true, Ordering::SeqCst);
    desk.world.unplug();
    let error = call("Tap", json!({ "text": "Add one" })).unwrap_err();
    assert!(format!("{error:?}").contains("the next call looks for the phone again"), "{error:?}");
    let beside = served.client(OTHER);
    beside.call("TrailblazeCommands/LaunchApp", json!({ "packageId": "com.example.lab" })).unwrap();
    desk.world.is_away.store(false, Ordering::SeqCst);
    desk.lab.phone.state().classes.insert("com.example.Asks", Ok(r#"{"description":"Asks"}"#));
    other.lab.phone.state().classes.insert("com.example.Asks", Ok(r#"{"description":"Asks"}"#));
    desk.lab.write("shop/trailblaze-config/tools/asks.yaml", "id: asks\nclass: com.example.Asks\n");
    let said = call("CallTool", json!({ "name": "reloadTools" })).unwrap();
    assert!(said.to_string().contains("+ asks"), "{said}");
    served.interrupt();
    assert_eq!(done(&desk, "tap ").len(), 1);
    desk.is_clean();
    other.is_clean();
}

#[test]
fn tools_are_read_again_in_the_middle_of_a_trail_on_a_phone() {
    let desk = desk();
    let about =
        r#"{"description":"Asks","inputSchema":{"type":"object","properties":{"ask":{"type":"string"}}}}"#;
    desk.lab.phone.state().classes.insert("com.example.Asks", Ok(about));
    desk.lab.write("shop/later.yaml", "id: asks\nclass: com.example.Asks\n");
    let copy = "exec: { argv: [/bin/sh, -c, \"/bin/mkdir -p trailblaze-config/tools; /bin/cp later.yaml trailblaze-config/tools/asks.yaml\"] }";
    let ask = r#"asks: { ask: '{"tap":{"text":"Add one"}}' }"#;
    desk.workspace(&[("later", &trail("", &[LAUNCH, copy, "reloadTools: {}", ask, ONE]))]);
    desk.run(&["run", "--device", SERIAL, "--filter", "later"]).exits(0);
    desk.is_clean();
}
