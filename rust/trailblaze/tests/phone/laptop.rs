//! `trailblaze run --device SERIAL`: the trails run here, and the phone does what it is asked.

use std::io::{BufRead, BufReader};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trailblaze_rpc::client::Client;

use crate::adb::{Desk, OTHER, SERIAL, World, read};
use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};
use crate::on_device::when_tapped;

const RUN: [&str; 3] = ["run", "--device", SERIAL];

/// Long enough for whatever is to happen at once.
const WAIT: Duration = Duration::from_secs(8);

fn desk() -> Desk {
    let desk = Desk::new();
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE]))]);
    desk
}

fn signal(id: u32, name: &str) {
    assert!(Command::new("kill").args([name, &id.to_string()]).status().unwrap().success());
}

/// Others see the agent that was started last.
pub(crate) fn show_sockets(world: &World) {
    let commands = world.commands.lock().unwrap().clone();
    let served = commands.iter().rev().find_map(|line| line.split("-e session ").nth(1)).unwrap();
    world.show_socket(served.split(' ').next().unwrap());
}

#[test]
fn trails_run_here_and_the_phone_is_left_as_it_was() {
    let desk = desk();
    desk.workspace(&[("wrong", &trail("", &[LAUNCH, NINE]))]);
    let said = desk.run(&RUN).exits(1);
    let first = format!("Running 2 trails on {SERIAL} (android-ondevice-accessibility)");
    assert_eq!(said.out.lines().next(), Some(first.as_str()));
    assert!(said.out.contains("✓ good") && said.out.contains("✗ wrong"), "{}", said.out);
    assert!(said.out.contains("1 passed, 1 failed in ") && !said.out.contains("virtual"), "{}", said.out);
    let report = desk.report();
    assert!(read(&report, "events.jsonl").contains(&format!("\"device\":\"{SERIAL}\"")));
    assert!(report.join("wrong/bundle.zip").is_file());
    desk.is_clean();
    // The agent was the right one, and no port of the laptop leads to the phone.
    assert!(!desk.commands().contains("install"), "{}", desk.commands());
}

#[test]
fn where_the_last_trail_left_the_phone_it_does_not_stay() {
    let desk = Desk::new();
    let away = trail(
        "",
        &[
            LAUNCH,
            "setOrientation: { orientation: LANDSCAPE_LEFT }",
            "networkConnection: { connected: false }",
        ],
    );
    desk.workspace(&[("away", &away)]);
    desk.run(&RUN).exits(0);
    let done = desk.lab.phone.state().done.clone();
    let last = |start: &str| done.iter().rev().find(|line| line.starts_with(start)).cloned();
    assert_eq!(
        last("$ cmd connectivity").as_deref(),
        Some("$ cmd connectivity airplane-mode disable"),
        "{done:?}"
    );
    assert_eq!(desk.lab.phone.state().rotation, 0, "{done:?}");
    desk.is_clean();
}

#[test]
fn a_failure_on_a_phone_replays_without_it() {
    let desk = Desk::new();
    desk.workspace(&[("wrong", &trail("", &[LAUNCH, NINE]))]);
    desk.run(&RUN).exits(1);
    let bundle = desk.report().join("wrong/bundle.zip");
    let commands = desk.commands();
    let said = desk.run(&["replay", &bundle.to_string_lossy()]);
    assert!(said.out.contains("Count: 9"), "{}\n{}", said.out, said.err);
    assert_eq!(desk.commands(), commands);
}

#[test]
fn both_ways_to_see_the_screen_work() {
    let desk = desk();
    let said = desk.run(&["run", "--driver", "android-ondevice-instrumentation"]).exits(0);
    assert!(said.out.contains(&format!("on {SERIAL} (android-ondevice-instrumentation)")), "{}", said.out);
    assert!(desk.commands().contains("-e driver android-ondevice-instrumentation"));
    desk.is_clean();
}

#[test]
fn which_phone_must_be_clear() {
    let run = |desk: &Desk| desk.run(&["run", "--driver", "android-ondevice-accessibility"]).exits(4).err;
    let two = Desk::listing(&[(SERIAL, "device"), ("OTHER", "device")]);
    two.workspace(&[("good", &trail("", &[LAUNCH]))]);
    insta::assert_snapshot!(run(&two), @"
    error: 2 phones are connected: Paper 9 (R5CT1234ABC), Paper 9 (OTHER)
    hint: name one with '--device SERIAL'; or '--driver sim --as android-ondevice-accessibility' runs the trails on the embedded device
    ");
    let none = Desk::listing(&[]);
    none.workspace(&[("good", &trail("", &[LAUNCH]))]);
    let said = none.run(&["run", "--all-devices"]).exits(4).err;
    assert!(
        said.starts_with("error: no phone is connected\nhint: connect one; without '--all-devices'"),
        "{said}"
    );
    insta::assert_snapshot!(run(&none), @"
    error: no phone is connected
    hint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there; or '--driver sim --as android-ondevice-accessibility' runs the trails on the embedded device
    ");
    let locked = Desk::listing(&[(SERIAL, "unauthorized"), ("OTHER", "offline")]);
    locked.workspace(&[("good", &trail("", &[LAUNCH]))]);
    insta::assert_snapshot!(locked.run(&RUN).exits(4).err, @"
    error: Paper 9 (R5CT1234ABC) has not agreed to be debugged from this laptop
    hint: accept the question 'Allow USB debugging?' on the phone
    ");
    insta::assert_snapshot!(locked.run(&["run", "--device", "OTHER"]).exits(4).err, @"
    error: Paper 9 (OTHER) is offline
    hint: replug the phone, or switch USB debugging off and on again
    ");
    insta::assert_snapshot!(locked.run(&["run", "--device", "MISSING"]).exits(4).err, @"
    error: there is no phone 'MISSING'
    hint: there is Paper 9 (R5CT1234ABC), Paper 9 (OTHER)
    ");
    insta::assert_snapshot!(none.run(&["run", "--device", "MISSING"]).exits(4).err, @"
    error: there is no phone 'MISSING': none is connected
    hint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there
    ");
    insta::assert_snapshot!(locked.run(&["run", "--device", SERIAL, "--driver", "sim"]).exits(2).err, @"
    error: '--driver sim' is the embedded device, and 'R5CT1234ABC' is a phone
    hint: leave out '--driver' for the phone, or '--device' for the sim
    ");
    insta::assert_snapshot!(locked.run(&["run", "--device", "sim,OTHER"]).exits(2).err, @"
    error: 'sim' is no phone, and others that are named are
    hint: phones and sims need a run each
    ");
    insta::assert_snapshot!(locked.run(&["run", "--device", SERIAL, "--jobs", "2"]).exits(2).err, @"
    error: '--jobs' is for one sim, and other devices are named
    hint: leave it out: every device runs one trail at a time
    ");
}

#[test]
fn all_devices_are_the_phones_that_can_be_used() {
    let desk = Desk::listing(&[(SERIAL, "device"), ("OTHER", "offline")]);
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE]))]);
    let said = desk.run(&["run", "--all-devices"]).exits(0);
    assert!(said.out.starts_with(&format!("Running 1 trail on {SERIAL} ")), "{}", said.out);
    assert!(said.err.starts_with("warning: OTHER is left out: "), "{}", said.err);
    desk.is_clean();
}

#[test]
fn several_phones_run_side_by_side_into_one_report() {
    let [desk, other] = Desk::two();
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE])), ("wrong", &trail("", &[LAUNCH, NINE]))]);
    let devices = format!("{SERIAL},{OTHER}");
    let said = desk.run(&["run", "--device", &devices, "--json"]).exits(1);
    let result: Value = serde_json::from_str(&said.out).unwrap();
    let mut verdicts: Vec<String> = result["trails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trail| {
            let text = |key: &str| trail[key].as_str().unwrap().to_owned();
            format!("{} on {}: {}", text("id"), text("device"), text("verdict"))
        })
        .collect();
    verdicts.sort();
    let expected = [
        format!("good on {OTHER}: passed"),
        format!("good on {SERIAL}: passed"),
        format!("wrong on {OTHER}: failed"),
        format!("wrong on {SERIAL}: failed"),
    ];
    assert_eq!(verdicts, expected);
    for serial in [SERIAL, OTHER] {
        assert!(desk.report().join(serial).join("wrong/bundle.zip").is_file(), "{serial}");
    }
    desk.is_clean();
    other.is_clean();
    desk.run(&["run", "--all-devices", "--shard-across", "--filter", "good"]).exits(0);
}

#[test]
fn a_phone_that_does_not_start_ends_the_others_before_anything_runs() {
    let [desk, other] = Desk::two();
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE]))]);
    *other.world.says.lock().unwrap() = Some("INSTRUMENTATION_FAILED: no\n".to_owned());
    let said = desk.run(&["run", "--all-devices"]).exits(4);
    let begin = format!("error: {OTHER}: the agent on the phone ended before it answered");
    assert!(said.err.starts_with(&begin), "{}", said.err);
    desk.is_clean();
    other.is_clean();
}

#[test]
fn an_interrupt_leaves_nothing_on_the_phone() {
    let desk = desk();
    let said = when_tapped(&desk, &RUN, |id| signal(id, "-INT")).exits(130);
    assert!(said.out.contains("interrupted"), "{}", said.out);
    assert!(!desk.commands().contains("force-stop dev.trailblaze.agent"), "{}", desk.commands());
    desk.is_clean();
}

#[test]
fn a_pulled_cable_ends_no_run() {
    let desk = desk();
    let world = desk.world.clone();
    let said = when_tapped(&desk, &RUN, move |_| world.unplug()).exits(0);
    assert!(said.out.contains("1 passed"), "{}", said.out);
    let taps = desk.lab.phone.state().done.iter().filter(|line| line.starts_with("tap ")).count();
    assert_eq!(taps, 1, "the request that was under way is not done twice");
    desk.is_clean();
}

#[test]
fn what_could_not_be_put_back_on_a_phone_that_is_gone_is_said() {
    let desk = desk();
    let world = desk.world.clone();
    let said = when_tapped(&desk, &RUN, move |id| {
        signal(id, "-INT");
        world.is_away.store(true, Ordering::SeqCst);
        world.unplug();
    })
    .exits(130);
    let warning = format!("warning: {SERIAL} is not as it was: it is out of reach, and its animations, ");
    assert!(said.err.contains(&warning), "{}", said.err);
    assert!(said.err.contains("; its agent does that itself, about a minute after it was"), "{}", said.err);
}

/// Each waits for the other, which it would not see the end of if one were left after the other.
#[test]
fn phones_are_left_side_by_side() {
    let [desk, other] = Desk::two();
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE]))]);
    let met = Arc::new((Mutex::new(0), Condvar::new()));
    for phone in [&desk.lab.phone, &other.lab.phone] {
        let (inner, met) = (phone.clone(), met.clone());
        let meet = move || {
            let mut count = met.0.lock().unwrap();
            *count += 1;
            met.1.notify_all();
            let (_count, waited) = met.1.wait_timeout_while(count, WAIT, |count| *count < 2).unwrap();
            assert!(!waited.timed_out());
        };
        // What is changed after the last tap is put back.
        phone.state().on_tap =
            Some(Box::new(move || inner.state().on_setting = Some(Box::new(meet.clone()))));
    }
    desk.run(&["run", "--all-devices"]).exits(0);
    assert_eq!(*met.0.lock().unwrap(), 2);
    desk.is_clean();
    other.is_clean();
}

/// It cannot be told to end, so nobody waits until it does. The next one puts back what it changed.
#[test]
fn an_agent_that_does_not_answer_is_replaced_at_once() {
    let desk = desk();
    desk.world.is_odd.store(true, Ordering::SeqCst);
    let began = Instant::now();
    let said = desk.run(&RUN).exits(4);
    assert!(began.elapsed() < WAIT, "{:?}", began.elapsed());
    insta::assert_snapshot!(said.err, @"
    error: the agent on the phone did not answer the greeting
    hint: 'trailblaze doctor' looks at the phone
    ");
    let commands = desk.commands();
    assert_eq!(commands.matches("am force-stop dev.trailblaze.agent").count(), 1, "{commands}");
    assert_eq!(commands.matches("am instrument").count(), 2, "{commands}");
    desk.is_clean();
}

/// Before anything is installed, and by both ways to run trails.
#[test]
fn phones_on_which_the_agent_cannot_run() {
    let old = "[ro.build.version.release]: [7.1.2]\n[ro.build.version.sdk]: [25]\n[ro.product.cpu.abilist]: [arm64-v8a]\n[ro.product.model]: [Paper 3]\n";
    let small = "[ro.build.version.release]: [11]\n[ro.build.version.sdk]: [30]\n[ro.product.cpu.abilist]: [armeabi-v7a,armeabi]\n[ro.product.model]: [Paper 5]\n";
    for (about, expected) in [
        (
            old,
            "error: Paper 3 (R5CT1234ABC) has Android 7.1.2 (sdk 25), and the agent needs Android 8 (sdk 26) or later\n\
             hint: take another phone, or an emulator with a newer Android\n",
        ),
        (
            small,
            "error: Paper 5 (R5CT1234ABC) runs programs for armeabi-v7a, armeabi, and the agent is for arm64-v8a and x86_64\n\
             hint: take a phone or an emulator whose Android has 64 bits\n",
        ),
    ] {
        let desk = desk();
        desk.answers("getprop", about);
        assert_eq!(desk.run(&RUN).exits(4).err, expected);
        assert_eq!(desk.run(&["run", "--on-device"]).exits(4).err, expected);
        assert_eq!(desk.commands(), "getprop\ngetprop");
    }
}

#[test]
fn the_time_of_a_run_is_that_of_its_trails() {
    let desk = desk();
    desk.run(&RUN).exits(0);
    let events = read(&desk.report(), "events.jsonl");
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let event = |name: &str| events.iter().find(|event| event["event"] == name).unwrap();
    let number = |event: &Value, key: &str| event[key].as_u64().unwrap();
    let (started, finished) = (event("runStarted"), event("runFinished"));
    let start = number(started, "t");
    assert!(start > 0, "the phone was connected before");
    assert_eq!(number(finished, "durationMs"), number(finished, "t") - start);
}

#[test]
fn a_run_and_its_trails_have_their_time_wherever_they_run() {
    for place in [&RUN[..], &["run", "--on-device"]] {
        let desk = Desk::new();
        desk.workspace(&[("a", &trail("", &[LAUNCH, NINE])), ("b", &trail("", &[LAUNCH, ADD, ONE]))]);
        let said = desk.run(&[place, &["--trail-timeout", "1s"]].concat());
        assert!(said.out.contains("1 passed, 1 failed"), "{}\n{}", said.out, said.err);
        assert!(said.out.contains("the trail took longer than it may"), "{}", said.out);
        desk.is_clean();
        let said = desk.run(&[place, &["--deadline", "5s"]].concat());
        assert!(said.out.contains("1 failed, 1 not run"), "{}\n{}", said.out, said.err);
        assert!(said.out.contains("the time of the run is nearly over"), "{}", said.out);
        desk.is_clean();
    }
    let said = desk().run(&[&RUN[..], &["--deadline", "soon"]].concat()).exits(2);
    assert!(said.err.contains("write a time such as '90s', '30m' or '1h'"), "{}", said.err);
}

#[test]
fn programs_in_any_language_drive_a_phone() {
    let desk = desk();
    let mut served = desk.start(&["serve", "--device", SERIAL, "--port", "0"]);
    let mut url = String::new();
    BufReader::new(served.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let client = Client::new(url.trim());
    let call =
        |method: &str, args: Value| client.call(&format!("TrailblazeCommands/{method}"), args).unwrap();
    call("LaunchApp", json!({ "packageId": "com.example.lab" }));
    call("Tap", json!({ "text": "Add one" }));
    assert_eq!(call("HasText", json!({ "text": "Count: 1" }))["value"], true);
    signal(served.id(), "-INT");
    assert_eq!(served.wait().unwrap().code(), Some(130));
    desk.is_clean();
}

#[test]
fn a_second_laptop_is_told_who_has_the_phone() {
    let desk = Arc::new(desk());
    let other = desk.clone();
    let second = move |_| {
        show_sockets(&other.world);
        let said = other.run(&RUN).exits(4);
        assert!(said.err.starts_with(&format!("error: the phone {SERIAL} is in use by eve")), "{}", said.err);
        assert!(said.err.contains("hint: wait until it is free"), "{}", said.err);
    };
    when_tapped(&desk, &RUN, second).exits(0);
    assert_eq!(desk.commands().matches("am instrument").count(), 1, "the first was left alone");
    desk.is_clean();
}

#[test]
fn an_agent_whose_laptop_was_killed_is_asked_to_end_first_and_puts_everything_back() {
    let desk = desk();
    let away = [LAUNCH, "networkConnection: { connected: false }", ADD];
    desk.workspace(&[("away", &trail("", &away))]);
    let world = desk.world.clone();
    let said = when_tapped(&desk, &[&RUN[..], &["--filter", "away"]].concat(), move |id| {
        show_sockets(&world);
        signal(id, "-KILL");
    });
    assert_eq!(said.code, None);
    desk.run(&[&RUN[..], &["--filter", "good"]].concat()).exits(0);
    let done = desk.lab.phone.state().done.clone();
    let modes: Vec<&String> = done.iter().filter(|line| line.contains("airplane-mode")).collect();
    assert!(modes[0].ends_with("enable") && modes[1].ends_with("disable"), "{done:?}");
    desk.is_clean();
}

#[test]
fn an_agent_whose_accessibility_broke_is_started_again_and_puts_everything_back() {
    let desk = desk();
    let phone = desk.lab.phone.clone();
    let said = when_tapped(&desk, &RUN, move |_| phone.state().is_disconnected = true).exits(0);
    assert!(said.out.contains("1 passed"), "{}", said.out);
    let commands = desk.commands();
    assert_eq!(commands.matches("am force-stop dev.trailblaze.agent").count(), 1, "{commands}");
    assert_eq!(commands.matches("am instrument").count(), 2, "{commands}");
    desk.is_clean();
}

#[test]
fn an_agent_that_android_ends_is_started_again_and_the_trail_goes_on() {
    let desk = desk();
    let (phone, world) = (desk.lab.phone.clone(), desk.world.clone());
    let end = move |_| {
        let world = world.clone();
        phone.state().before_look = Some(Box::new(move || world.kill()));
    };
    let said = when_tapped(&desk, &RUN, end).exits(0);
    assert!(said.out.contains("1 passed"), "{}", said.out);
    let commands = desk.commands();
    assert_eq!(commands.matches("am instrument").count(), 2, "{commands}");
    desk.is_clean();
}

#[test]
fn whoever_started_an_agent_at_the_same_moment_is_left_alone() {
    let (desk, theirs) = (desk(), Lab::bare());
    let session = format!("theirs-{}", std::process::id());
    let arguments = [("mode", "serve"), ("session", &session)];
    let arguments = arguments.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let (other, cancel) = (theirs.phone.clone(), theirs.cancel.clone());
    let agent = std::thread::spawn(move || {
        trailblaze::phone::run_by(other.clock.clone(), other, arguments, &cancel);
    });
    let at = SocketAddr::from_abstract_name(format!("trailblaze-{session}")).unwrap();
    while UnixStream::connect_addr(&at).is_err() {
        std::thread::yield_now();
    }
    let (phone, world) = (desk.lab.phone.clone(), desk.world.clone());
    let replace = move |_| {
        let (world, session) = (world.clone(), session.clone());
        phone.state().before_look = Some(Box::new(move || {
            world.show_socket(&session);
            world.kill();
        }));
    };
    let said = when_tapped(&desk, &RUN, replace).exits(4);
    let told = format!("the phone {SERIAL} is in use by somebody who has just started its agent");
    assert!(said.out.contains(&told), "{}", said.out);
    let commands = desk.commands();
    assert_eq!(commands.matches("am instrument").count(), 1, "{commands}");
    assert!(!commands.contains("am force-stop dev.trailblaze.agent"), "{commands}");
    assert!(!agent.is_finished());
    theirs.cancel.cancel();
    agent.join().unwrap();
}

#[test]
fn an_agent_that_does_not_start_says_why() {
    let desk = desk();
    let said =
        "INSTRUMENTATION_FAILED: dev.trailblaze.agent/dev.trailblaze.agent.TrailblazeInstrumentation\n";
    *desk.world.says.lock().unwrap() = Some(said.to_owned());
    insta::assert_snapshot!(desk.run(&RUN).exits(4).err, @"
    error: the agent on the phone ended before it answered:
    INSTRUMENTATION_FAILED: dev.trailblaze.agent/dev.trailblaze.agent.TrailblazeInstrumentation
    hint: 'trailblaze doctor' looks at the phone
    ");
}

#[test]
fn another_version_of_the_agent_is_replaced_once() {
    let desk = desk();
    *desk.world.version.lock().unwrap() = Some("0.0.1".to_owned());
    desk.keep_agent(env!("CARGO_PKG_VERSION"));
    let installs = || desk.commands().matches("package install").count();
    desk.run(&RUN).exits(0);
    assert_eq!(installs(), 1, "{}", desk.commands());
    desk.run(&RUN).exits(0);
    assert_eq!(installs(), 1, "{}", desk.commands());
    desk.is_clean();
}

#[test]
fn another_version_of_the_agent_needs_its_apk() {
    let desk = desk();
    *desk.world.version.lock().unwrap() = Some("0.0.1".to_owned());
    let said = desk.run(&RUN).exits(3);
    assert!(said.err.starts_with("error: the agent's APK is not there: neither "), "{}", said.err);
    assert!(said.err.contains("name it with '--agent-apk'"), "{}", said.err);
    desk.lab.write("shop/other.apk", "no apk at all");
    let said = desk.run(&["run", "--device", SERIAL, "--agent-apk", "other.apk"]).exits(3);
    assert!(said.err.starts_with("error: other.apk: "), "{}", said.err);
    assert!(!desk.commands().contains("am instrument"));
}
