//! `trailblaze run --on-device`: the phone runs the trails, and the laptop shows and keeps what comes of it.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;
use trailblaze_model::event::{Event, EventKind, Verdict};

use crate::adb::{Desk, SERIAL, Said, World, read};
use crate::lab::{ADD, LAUNCH, NINE, ONE, trail};

fn good() -> String {
    trail("", &[LAUNCH, ADD, ONE])
}

fn wrong() -> String {
    trail("", &[LAUNCH, NINE])
}

#[test]
fn the_phone_runs_and_the_laptop_reports() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good()), ("wrong", &wrong())]);
    // Only its owner may read it here; the agent is somebody else.
    let mine = desk.lab.root.join("shop/trails/good.trail.yaml");
    std::fs::set_permissions(mine, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let said = desk.run(&["run", "--device", SERIAL, "--on-device", "--junit", "mine.xml"]).exits(1);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines[0], format!("Running 2 trails on {SERIAL} (android-ondevice-accessibility)"));
    assert!(lines.iter().any(|line| line.starts_with("✓ good")), "{}", said.out);
    let failed = "    error: trails/wrong.trail.yaml:8:20: no element with text 'Count: 9' within 5 s";
    assert!(lines.iter().any(|line| line.starts_with(failed)), "{}", said.out);
    assert!(said.out.contains("1 passed, 1 failed"), "{}", said.out);
    assert!(!said.out.contains("/data/local"), "{}", said.out);

    assert_eq!(*desk.world.unreadable.lock().unwrap(), <[std::path::PathBuf; 0]>::default());
    let report = desk.report();
    let events = read(&report, "events.jsonl");
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["failed"]), (&"runFinished".into(), &1.into()));
    assert!(events.contains(r#""file":"trails/wrong.trail.yaml""#), "{events}");
    assert!(read(&report, "summary.md").contains("trails/wrong.trail.yaml:8:20"));
    assert!(read(&report, "junit.xml").contains("<testcase name=\"wrong\""));
    let mine = std::fs::read_to_string(desk.lab.root.join("shop/mine.xml")).unwrap();
    assert_eq!(mine, read(&report, "junit.xml"));
    let saved = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let saved: Vec<Value> = saved.filter(|event| event["event"] == "saved").collect();
    assert!(saved.len() >= 2, "a picture and a bundle: {saved:?}");
    for event in saved {
        assert!(report.join(event["file"].as_str().unwrap()).is_file(), "{event}");
    }
    desk.is_clean();
}

#[test]
fn all_that_passes_is_0_and_the_only_phone_need_not_be_named() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    let said = desk.run(&["run", "--on-device", "--json"]).exits(0);
    let result: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&result["verdict"], &result["trails"][0]["device"]), (&"passed".into(), &SERIAL.into()));
    assert_eq!(result["trails"][0]["file"], "trails/good.trail.yaml");
    desk.is_clean();
}

#[test]
fn the_phone_is_told_what_the_laptop_was_and_no_secret_is_seen() {
    let desk = Desk::new();
    let secret = "s3cr;et\"$x";
    let all = format!(
        "assertEquals: {{ actual: '{{{{pin}}}} {{{{args.count}}}} {{{{note}}}}', expected: '{secret} 3 a;b=c' }}"
    );
    let config = "id: told, args: { count: integer }";
    let told = trail(config, &[LAUNCH, &all]);
    desk.workspace(&[("told", &told), ("other", &good())]);
    let args = ["run", "--on-device", "--filter", "told", "--secret", &format!("pin={secret}")];
    let more = ["--memory", "note=a;b=c", "--arg", "count=3", "--verbose", "--strict"];
    let said = desk.run(&[&args[..], &more].concat()).exits(0);
    assert!(said.out.contains("Running 1 trail on"), "{}", said.out);
    let (mode, handed) = desk.world.handed.lock().unwrap().clone().unwrap();
    assert_eq!(mode, 0o600, "only the shell may read it");
    assert!(handed.contains("s3cr;et"), "{handed}");
    let everything = [
        said.out,
        said.err,
        desk.commands(),
        read(&desk.report(), "events.jsonl"),
        read(&desk.report(), "summary.md"),
    ];
    assert!(everything.iter().all(|text| !text.contains("s3cr")), "{everything:?}");
    desk.is_clean();
}

#[test]
fn trails_elsewhere_in_the_workspace_and_scripts_come_along() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    desk.lab.write(
        "shop/trailblaze-config/targets/lab.yaml",
        "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\nmcp_servers:\n  - script: ./tools/lab.ts\n",
    );
    let script = "import { client, trailblaze } from '@trailblaze/scripting';\nimport { press } from './press';\ntrailblaze.tool({ name: 'lab_add', description: 'Adds one.', handler: async () => { await press(client); return 'added'; } });\n";
    desk.lab.write("shop/tools/lab.ts", script);
    desk.lab.write("shop/tools/press.ts", "export const press = (client: any) => client.tap('Add one');\n");
    desk.lab.write("shop/more/scripted.trail.yaml", &trail("", &[LAUNCH, "lab_add: {}", ONE]));
    let said = desk.run(&["run", "more/scripted.trail.yaml", "--on-device"]).exits(0);
    assert!(said.out.contains("✓ more/scripted"), "{}", said.out);
    desk.is_clean();
}

/// Runs until the phone is tapped, then does this, and says how the command ended.
pub(crate) fn when_tapped(desk: &Desk, args: &[&str], then: impl Fn(u32) + Send + 'static) -> Said {
    let child = desk.start(args);
    let id = child.id();
    let (tapped, taps) = std::sync::mpsc::channel::<()>();
    let (go, goes) = std::sync::mpsc::channel::<()>();
    let mut first = true;
    desk.lab.phone.state().on_tap = Some(Box::new(move || {
        if std::mem::take(&mut first) {
            tapped.send(()).unwrap();
            goes.recv().unwrap();
        }
    }));
    let acting = std::thread::spawn(move || {
        taps.recv().unwrap();
        then(id);
        go.send(()).unwrap();
    });
    let said = desk.said(child.wait_with_output().unwrap());
    acting.join().unwrap();
    said
}

#[test]
fn an_interrupt_stops_the_run_there_and_leaves_nothing() {
    let desk = Desk::new();
    desk.workspace(&[("a-long", &trail("", &[LAUNCH, ADD, ONE])), ("b-never", &good())]);
    let cancelled = desk.lab.cancel.clone();
    let interrupt = move |id: u32| {
        let status = Command::new("kill").args(["-INT", &id.to_string()]).status().unwrap();
        assert!(status.success());
        while !cancelled.is_cancelled() {
            std::thread::yield_now();
        }
    };
    let said = when_tapped(&desk, &["run", "--on-device"], interrupt).exits(130);
    assert!(said.out.contains("interrupted"), "{}", said.out);
    assert!(!desk.commands().contains("force-stop"), "it ended by itself: {}", desk.commands());
    let events = read(&desk.report(), "events.jsonl");
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["interrupted"]), (&"runFinished".into(), &true.into()));
    desk.is_clean();
}

/// Takes the phone away and interrupts the laptop that waits for it. Gives back once it waits again.
fn interrupt_while_away(id: u32, world: &World) {
    let began = Instant::now();
    let until = |is_so: &dyn Fn() -> bool| {
        while !is_so() && began.elapsed() < Duration::from_secs(30) {
            std::thread::yield_now();
        }
    };
    world.is_away.store(true, Ordering::SeqCst);
    world.unplug();
    until(&|| world.watches.load(Ordering::SeqCst) > 0);
    let watches = world.watches.load(Ordering::SeqCst);
    assert!(Command::new("kill").args(["-INT", &id.to_string()]).status().unwrap().success());
    until(&|| world.watches.load(Ordering::SeqCst) > watches);
}

#[test]
fn a_phone_that_is_away_is_told_to_stop_when_it_is_back() {
    let desk = Desk::new();
    desk.workspace(&[("a-long", &trail("", &[LAUNCH, ADD, ONE])), ("b-never", &good())]);
    let (world, cancelled) = (desk.world.clone(), desk.lab.cancel.clone());
    let interrupt = move |id: u32| {
        interrupt_while_away(id, &world);
        world.is_away.store(false, Ordering::SeqCst);
        let began = Instant::now();
        while !cancelled.is_cancelled() && began.elapsed() < Duration::from_secs(30) {
            std::thread::yield_now();
        }
    };
    let said = when_tapped(&desk, &["run", "--on-device"], interrupt).exits(130);
    assert!(said.out.contains("interrupted"), "{}", said.out);
    assert!(desk.commands().contains("/stop"), "{}", desk.commands());
    desk.is_clean();
}

#[test]
fn a_phone_that_stays_away_goes_on_and_that_is_said() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    let world = desk.world.clone();
    let said = when_tapped(&desk, &["run", "--on-device"], move |id| interrupt_while_away(id, &world));
    let said = said.exits(130);
    let (before, after) = said.err.split_once("trailblaze-run-").unwrap();
    assert_eq!(
        before,
        "warning: R5CT1234ABC is away and runs the trails to their end by itself; 'adb -s R5CT1234ABC shell touch /data/local/tmp/"
    );
    let end = "/stop' ends it before, once it is back, and the next run with '--on-device' removes what was pushed\n";
    assert!(after.contains(end), "{}", said.err);
    desk.world.is_away.store(false, Ordering::SeqCst);
    while desk.world.is_running.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    desk.run(&["run", "--on-device"]).exits(0);
    desk.is_clean();
}

#[test]
fn a_shell_that_fails_is_told_in_short_words() {
    let desk = Desk::new();
    desk.refuses("mkdir", "");
    let hint = "hint: 'trailblaze doctor' looks at the phone";
    let message = "error: no folder for the run could be made on R5CT1234ABC";
    refused(&desk, &["--on-device"], 4, &format!("{message}: its shell gave no reason\n{hint}"));
    let desk = Desk::new();
    desk.refuses("mkdir", &format!("sh: {}: not found", "mkdir ".repeat(80)));
    let why = format!("…{}: not found", "mkdir ".repeat(80));
    let why: String = why.chars().skip(why.chars().count() - 120).collect();
    refused(&desk, &["--on-device"], 4, &format!("{message}: …{why}\n{hint}"));
}

#[test]
fn a_pulled_cable_ends_no_run() {
    let desk = Desk::new();
    desk.workspace(&[("a", &good()), ("b", &good())]);
    let world = desk.world.clone();
    let said = when_tapped(&desk, &["run", "--on-device"], move |_| world.unplug()).exits(0);
    assert!(said.out.contains("2 passed"), "{}", said.out);
    desk.is_clean();
}

/// The events of a run that got as far as its second trail.
fn begun() -> String {
    let text = str::to_owned;
    let trail = |id: &str| Arc::<str>::from(id);
    let started = |id: &str| EventKind::TrailStarted {
        id: trail(id),
        file: format!("trails/{id}.trail.yaml").into(),
        title: text(id),
        device: text(SERIAL),
        steps: 3,
        attempt: 1,
    };
    let passed = EventKind::TrailFinished {
        id: trail("a"),
        file: trail("trails/a.trail.yaml"),
        title: text("a"),
        device: text(SERIAL),
        verdict: Verdict::Passed,
        reason: None,
        failure: None,
        attempt: 1,
        will_retry: false,
        duration_ms: 5,
        timing: None,
    };
    let run = EventKind::RunStarted {
        version: text("1"),
        trails: 3,
        driver: text("android-ondevice-accessibility"),
        device: text(SERIAL),
    };
    let events = [
        Event::of_run(0, run),
        Event::of_trail(1, trail("a"), started("a")),
        Event::of_trail(6, trail("a"), passed),
        Event::of_trail(7, trail("b"), started("b")),
    ];
    let whole: String = events.iter().map(|event| event.to_line() + "\n").collect();
    // What was written last is cut off.
    whole + "{\"event\":\"stepSta"
}

#[test]
fn a_run_that_dies_is_device_trouble_and_every_trail_is_told() {
    let desk = Desk::new();
    desk.workspace(&[("a", &good()), ("b", &good())]);
    desk.lab.phone.state().broken.insert("panic in tap");
    let said = desk.run(&["run", "--on-device", "--json"]);
    // What the phone says of it itself is the phone's matter; nothing may be left out.
    let result: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(result["trails"].as_array().unwrap().len(), 2, "{}", said.out);
    assert_ne!(said.code, Some(0));
    desk.is_clean();

    // Its process ends in the middle.
    let desk = Desk::new();
    desk.workspace(&[("a", &good()), ("b", &good()), ("c", &good())]);
    let crashed = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
    *desk.world.says.lock().unwrap() = Some(crashed.to_owned());
    *desk.world.writes.lock().unwrap() = Some(begun());
    let said = desk.run(&["run", "--on-device", "--json"]).exits(4);
    let result: Value = serde_json::from_str(&said.out).unwrap();
    let told = |trail: &Value| format!("{} {}", trail["id"], trail["verdict"]).replace('"', "");
    let told: Vec<String> = result["trails"].as_array().unwrap().iter().map(told).collect();
    assert_eq!(told, ["a passed", "b failed", "c notRun"]);
    assert_eq!(result["trails"][1]["failure"]["message"], "the phone was lost: Process crashed.");
    assert!(read(&desk.report(), "junit.xml").contains("the phone was lost: Process crashed."));
    desk.is_clean();

    let desk = Desk::new();
    desk.workspace(&[("a", &good())]);
    let crashed = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
    *desk.world.says.lock().unwrap() = Some(crashed.to_owned());
    let said = desk.run(&["run", "--on-device"]).exits(4);
    assert_eq!(said.err, "error: Process crashed.\n");
    desk.is_clean();
}

#[test]
fn an_agent_of_another_version_is_replaced() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    *desk.world.version.lock().unwrap() = Some("0.0.1".to_owned());
    let said = desk.run(&["run", "--on-device"]).exits(3);
    assert!(said.err.starts_with("error: the agent's APK is not there: neither "), "{}", said.err);
    desk.is_clean();
    let apk = desk.keep_agent(env!("CARGO_PKG_VERSION"));
    desk.run(&["run", "--on-device"]).exits(0);
    assert_eq!(desk.world.packages.bytes_of("dev.trailblaze.agent").unwrap(), apk);
    desk.is_clean();
}

#[test]
fn an_apk_of_another_release_is_not_installed() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    *desk.world.version.lock().unwrap() = Some("0.0.1".to_owned());
    let apk = desk.keep_agent("99.0");
    std::fs::write(desk.lab.root.join("shop/other.apk"), apk).unwrap();
    let given = ["--agent-apk", "other.apk"];
    for (args, file) in [(&[][..], "../home/.cache/trailblaze/trailblaze-agent.apk"), (&given, "other.apk")] {
        for place in [&["run", "--on-device"][..], &["run", "--device", SERIAL]] {
            let said = desk.run(&[place, args].concat()).exits(3);
            let message = "the agent is of version 99.0, and this is Trailblaze";
            let expected = format!("error: {file}: {message} {}\n", env!("CARGO_PKG_VERSION"));
            assert_eq!(said.err, expected + "hint: take the agent of the same release\n");
        }
    }
    assert!(!desk.commands().contains("package install"), "{}", desk.commands());
    desk.is_clean();
}

#[track_caller]
fn refused(desk: &Desk, args: &[&str], code: i32, expected: &str) {
    desk.workspace(&[("good", &good())]);
    let said = desk.run(&[&["run"], args].concat()).exits(code);
    assert_eq!(said.err.trim_end(), expected);
    assert!(!desk.commands().contains("am instrument"), "{}", desk.commands());
    assert!(!desk.lab.root.join("shop/.trailblaze/runs").exists(), "no run, no report");
    desk.is_clean();
}

#[test]
fn phones_that_cannot_be_used() {
    let hint = "hint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there";
    refused(&Desk::listing(&[]), &["--on-device"], 4, &format!("error: no phone is connected\n{hint}"));
    refused(
        &Desk::listing(&[(SERIAL, "device"), ("emulator-5554", "device")]),
        &["--on-device"],
        4,
        "error: 2 phones are connected: Paper 9 (R5CT1234ABC), Paper 9 (emulator-5554)\nhint: name one with '--device SERIAL'",
    );
    refused(
        &Desk::listing(&[(SERIAL, "unauthorized")]),
        &["--on-device"],
        4,
        "error: Paper 9 (R5CT1234ABC) has not agreed to be debugged from this laptop\nhint: accept the question 'Allow USB debugging?' on the phone",
    );
    refused(
        &Desk::listing(&[(SERIAL, "offline")]),
        &["--on-device", "--device", SERIAL],
        4,
        "error: Paper 9 (R5CT1234ABC) is offline\nhint: replug the phone, or switch USB debugging off and on again",
    );
    let desk = Desk::new();
    desk.world.is_running.store(true, Ordering::SeqCst);
    desk.lab.write("phone/data/local/tmp/trailblaze-run-1/owner", "dev.trailblaze.agent adam@desk\n");
    desk.workspace(&[("good", &good())]);
    let said = desk.run(&["run", "--on-device"]).exits(4);
    let expected = "error: R5CT1234ABC is in use by adam@desk, who runs trails on it\nhint: wait until they are done; 'adb shell am force-stop dev.trailblaze.agent' ends them in any case";
    assert_eq!(said.err.trim_end(), expected);
    let said = desk.run(&["run", "--device", SERIAL]).exits(4);
    assert_eq!(said.err.trim_end(), expected, "nor may a laptop drive it meanwhile");
    assert!(!desk.commands().contains("am instrument"), "{}", desk.commands());
    assert_eq!(desk.world.left().len(), 2, "what others pushed is theirs");
}

#[test]
fn what_does_not_go_together() {
    let desk = Desk::new();
    let hint = "hint: without '--on-device' they run here, on the same phone";
    let record = "error: '--record' does not go with '--on-device': the phone runs the trails itself";
    refused(&desk, &["--on-device", "--record", "a.yaml"], 2, &format!("{record}\n{hint}"));
    let none =
        "error: '--on-device' is for a phone, and 'sim:2' is none\nhint: name one with '--device SERIAL'";
    refused(&desk, &["--on-device", "--device", "sim:2"], 2, none);
    refused(&desk, &["--on-device", "--device", "sim"], 2, &none.replace("sim:2", "sim"));
    let app = "error: '--app' is what the sim runs, and a phone is named\nhint: leave it out: on the phone the app is installed";
    refused(&desk, &["--device", SERIAL, "--app", "app.js"], 2, app);
}

#[test]
fn a_mistake_in_a_trail_is_found_before_the_phone_is_touched() {
    let desk = Desk::new();
    desk.workspace(&[("host", &trail("", &["runCommand: { command: echo hello }"]))]);
    let said = desk.run(&["run", "--on-device"]).exits(3);
    assert!(
        said.err.contains("trails/host.trail.yaml:5:20: the tool 'runCommand' cannot be used"),
        "{}",
        said.err
    );
    assert_eq!(desk.commands(), "");
}

#[test]
fn a_full_phone_says_so_and_keeps_nothing() {
    let desk = Desk::new().with_room(300);
    desk.workspace(&[("good", &good())]);
    let said = desk.run(&["run", "--on-device"]).exits(4);
    let (before, after) = said.err.split_once("trailblaze-run-").unwrap();
    assert_eq!(before, "error: '/data/local/tmp/");
    let expected = "/workspace/trails/good.trail.yaml' cannot be pushed on R5CT1234ABC: write failed: No space left on device\nhint: make room on the phone\n";
    assert_eq!(after.split_once('/').unwrap().1, &expected[1..]);
    desk.is_clean();
    let desk = Desk::new();
    *desk.world.version.lock().unwrap() = None;
    desk.world.packages.refuse(Some("INSTALL_FAILED_INSUFFICIENT_STORAGE"));
    desk.keep_agent(env!("CARGO_PKG_VERSION"));
    refused(
        &desk,
        &["--on-device"],
        4,
        "error: trailblaze-agent.apk cannot be installed on R5CT1234ABC: the phone has no room for it (INSTALL_FAILED_INSUFFICIENT_STORAGE)\nhint: make room on the phone",
    );
}

#[test]
fn no_adb_at_all() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    let mut command = desk.command(&["run", "--on-device"]);
    let said = desk.said(command.env("ADB_SERVER_SOCKET", "tcp:127.0.0.1:9").output().unwrap()).exits(4);
    let expected =
        "error: adb's server is not running at 127.0.0.1:9, and there is no program 'adb' to start it";
    assert_eq!(said.err.lines().next().unwrap(), expected);
}

#[test]
fn what_a_killed_laptop_left_is_removed_by_the_next_run() {
    let desk = Desk::new();
    desk.workspace(&[("good", &good())]);
    desk.lab.write("phone/data/local/tmp/trailblaze-run-old/workspace/x", "");
    desk.lab.write("phone/sdcard/Android/data/dev.trailblaze.agent/files/trailblaze-run-old/y", "");
    desk.lab.write("phone/data/local/tmp/mine", "");
    desk.run(&["run", "--on-device"]).exits(0);
    assert!(desk.world.here("/data/local/tmp/mine").exists());
    desk.is_clean();
}
