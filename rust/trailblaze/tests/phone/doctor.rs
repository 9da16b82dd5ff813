//! `trailblaze doctor`: what is missing, how to mend it, and what a phone says at the first contact.

use serde_json::Value;

use crate::adb::{Desk, SERIAL};

/// `✓ name` of every check, in order.
fn marks(text: &str) -> Vec<String> {
    let mark = |line: &str| {
        let line = line.strip_prefix("  ")?;
        let (mark, rest) = line.split_once(' ').filter(|(mark, _)| ["✓", "–", "✗"].contains(mark))?;
        Some(format!("{mark} {}", rest.split("  ").next()?))
    };
    text.lines().filter_map(mark).collect()
}

#[test]
fn a_phone_that_can_be_driven() {
    let desk = Desk::like_a_real_one();
    let said = desk.run(&["doctor"]).exits(0);
    let marks = marks(&said.out);
    for expected in [
        "✓ adb's server",
        "✓ phone",
        "✓ display",
        "✓ room",
        "✓ SELinux",
        "✓ settings",
        "✓ sockets",
        "✓ agent",
        "✓ start",
        "✓ capture",
        "✓ picture",
        "✓ gesture",
        "✓ end",
    ] {
        assert!(marks.iter().any(|mark| mark == expected), "{expected}: {}", said.out);
    }
    for expected in [
        "Acme Paper 9, Android 14 (sdk 34), arm64-v8a",
        "1080x2400, density 440",
        "4882 MB free",
        " nodes, ",
        "First contact with Paper 9 (R5CT…)",
        "all is fine",
    ] {
        assert!(said.out.contains(expected), "{expected}: {}", said.out);
    }
    let file = std::fs::read_to_string(desk.lab.root.join("shop/trailblaze-doctor-R5CT.txt")).unwrap();
    assert_eq!(file.replace(&*desk.lab.root.to_string_lossy(), "[root]"), said.out);
    assert_eq!(
        said.err,
        "report: trailblaze-doctor-R5CT.txt; no text of the screen and no whole serial is in it\n"
    );
    // Nothing private, not even where somebody lives.
    for private in [SERIAL, "Count", "Add one", "Eve Adams", "[root]/home"] {
        assert!(!said.out.contains(private), "{private}: {}", said.out);
    }
    let taps: Vec<String> =
        desk.lab.phone.state().done.iter().filter(|done| done.starts_with("tap")).cloned().collect();
    assert_eq!(taps, ["tap 0,0"], "only where nothing is");
    desk.is_clean();
}

#[test]
fn for_programs() {
    let said = Desk::like_a_real_one().run(&["doctor", "--json", "--device", SERIAL]).exits(0);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["fine"], true);
    let checks: Vec<&Value> = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|group| group["checks"].as_array().unwrap())
        .collect();
    let capture = checks.iter().find(|check| check["name"] == "capture").unwrap();
    assert_eq!(capture["state"], "fine");
    assert!(capture["millis"].is_u64(), "{capture}");
    assert!(!said.out.contains(SERIAL));
}

#[track_caller]
fn wrong(desk: &Desk, args: &[&str], expected: &[&str]) {
    let said = desk.run(&[&["doctor"], args].concat()).exits(4);
    for expected in expected {
        assert!(said.out.contains(expected), "{expected}: {}", said.out);
    }
}

#[test]
fn phones_that_need_something() {
    wrong(
        &Desk::listing(&[]),
        &[],
        &["✗ phone  no phone is connected", "hint: connect a phone with USB debugging"],
    );
    let listed = [(SERIAL, "unauthorized")];
    wrong(
        &Desk::listing(&listed),
        &[],
        &["✗ phone  Paper 9 (R5CT…) has not agreed", "hint: accept the question"],
    );
    let listed = [(SERIAL, "offline")];
    wrong(&Desk::listing(&listed), &[], &["✗ phone  Paper 9 (R5CT…) is offline", "hint: replug the phone"]);
    let listed =
        [(SERIAL, "no permissions (user in plugdev group; are your udev rules wrong?); see [http://x]")];
    wrong(&Desk::listing(&listed), &[], &["✗ phone  Paper 9 (R5CT…) cannot be opened", "needs udev rules"]);
    let listed = [(SERIAL, "device"), ("emulator-5554", "offline")];
    wrong(
        &Desk::listing(&listed),
        &["--device", "emulator-5554"],
        &["✗ phone  Paper 9 (emulator-5554) is offline"],
    );
    wrong(&Desk::new(), &["--device", "other"], &["✗ phone  there is no phone 'other'"]);
}

#[test]
fn two_phones_are_listed_and_one_is_to_be_named() {
    let listed = [(SERIAL, "device"), ("emulator-5554", "device"), ("Q7ZZ9876XYZ", "unauthorized")];
    let desk = Desk::listing(&listed);
    desk.keep_agent(env!("CARGO_PKG_VERSION"));
    let said = desk.run(&["doctor"]).exits(4);
    let phones = |said: &str| said.split_once("Phones\n").unwrap().1.to_owned();
    insta::assert_snapshot!(phones(&said.out), @"
      – phone  Paper 9 (R5CT…), connected and not looked at
      – phone  Paper 9 (emulator-5554), connected and not looked at
      – phone  Paper 9 (Q7ZZ…) has not agreed to be debugged from this laptop
        hint: accept the question 'Allow USB debugging?' on the phone
      – phone  3 phones are connected: Paper 9 (R5CT…), Paper 9 (emulator-5554), Paper 9 (Q7ZZ…)
        hint: name one with '--device SERIAL' to look at it

    no phone was looked at: name one with '--device SERIAL'
    ");
    assert!(!said.out.contains("First contact"), "{}", said.out);
    assert_eq!(said.err, "", "there is nothing to send");
    let said = desk.run(&["doctor", "--json"]).exits(4);
    assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap()["fine"], false);
    let said = desk.run(&["doctor", "--device", "Q7ZZ9876XYZ"]).exits(4);
    insta::assert_snapshot!(phones(&said.out), @"
      – phone  Paper 9 (R5CT…), connected and not looked at
      – phone  Paper 9 (emulator-5554), connected and not looked at
      ✗ phone  Paper 9 (Q7ZZ…) has not agreed to be debugged from this laptop
        hint: accept the question 'Allow USB debugging?' on the phone

    1 thing is wrong
    ");
}

/// adb itself would say nothing at all, which is not a second thing.
#[test]
fn a_port_that_is_none_is_one_thing() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.keep_agent(env!("CARGO_PKG_VERSION"));
    let script = "#!/bin/sh\n[ -z \"$ANDROID_ADB_SERVER_PORT\" ] && echo 'Version 35.0.2'\n";
    desk.lab.write("sdk/platform-tools/adb", script);
    let adb = desk.lab.root.join("sdk/platform-tools/adb");
    std::fs::set_permissions(adb, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = desk.command(&["doctor"]);
    command.env_remove("ADB_SERVER_SOCKET").env("ANDROID_ADB_SERVER_PORT", "abc");
    let said = desk.said(command.env("ANDROID_HOME", desk.lab.root.join("sdk")).output().unwrap()).exits(4);
    assert!(said.out.contains("adb, version 35.0.2"), "{}", said.out);
    assert!(said.out.contains("'abc' in ANDROID_ADB_SERVER_PORT is no port"), "{}", said.out);
    assert!(said.out.ends_with("\n1 thing is wrong\n"), "{}", said.out);
}

#[test]
fn no_adb() {
    let desk = Desk::new();
    let mut command = desk.command(&["doctor"]);
    let said = desk.said(command.env("ADB_SERVER_SOCKET", "tcp:127.0.0.1:9").output().unwrap()).exits(4);
    assert!(said.out.contains("– adb           no program 'adb'"), "{}", said.out);
    assert!(said.out.contains("✗ adb's server  adb's server is not running at 127.0.0.1:9"), "{}", said.out);
    assert!(said.out.contains("✗ agent's APK   the agent's APK is not there: neither"), "{}", said.out);
    assert!(said.out.contains("~/.cache/trailblaze/trailblaze-agent.apk"), "{}", said.out);
    assert!(said.out.ends_with("\n2 things are wrong\n"), "{}", said.out);
    assert!(!desk.lab.root.join("home").exists(), "nothing was made to look for it");
}

#[test]
fn an_agent_that_does_not_start_says_why() {
    let desk = Desk::like_a_real_one();
    let failed = "INSTRUMENTATION_FAILED: dev.trailblaze.agent/.TrailblazeInstrumentation\n";
    *desk.world.says.lock().unwrap() = Some(failed.to_owned());
    wrong(&desk, &[], &["✗ start", "INSTRUMENTATION_FAILED"]);
    let file = std::fs::read_to_string(desk.lab.root.join("shop/trailblaze-doctor-R5CT.txt")).unwrap();
    assert!(file.contains("INSTRUMENTATION_FAILED"), "what went wrong is what is sent: {file}");
    let session = "d6db8df1a0b94f55d6db8df1a0b94f55";
    *desk.world.says.lock().unwrap() = Some(format!("sh: am instrument -e session {session}: not found\n"));
    wrong(&desk, &[], &["sh: am instrument -e session …: not found"]);
}

#[test]
fn a_phone_that_is_full_or_locked_down() {
    let desk = Desk::like_a_real_one();
    desk.answers(
        "df -k /data",
        "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/x 9 4 5000 45% /data\n",
    );
    wrong(&desk, &[], &["✗ room           4 MB free", "hint: remove apps or files"]);
    let desk = Desk::like_a_real_one();
    desk.world.answers.lock().unwrap().remove("settings put secure trailblaze_doctor 1");
    desk.refuses("settings put", "java.lang.SecurityException: Permission denial: WRITE_SECURE_SETTINGS");
    wrong(
        &desk,
        &[],
        &["✗ settings", "WRITE_SECURE_SETTINGS", "hint: switch on 'USB debugging (Security settings)'"],
    );
    let desk = Desk::like_a_real_one();
    desk.lab.phone.state().broken.insert("screenshot");
    wrong(&desk, &[], &["✗ picture"]);
}

#[test]
fn a_phone_on_which_the_agent_cannot_run() {
    let desk = Desk::like_a_real_one();
    desk.answers("getprop", "[ro.build.version.release]: [7.1.2]\n[ro.build.version.sdk]: [25]\n[ro.product.cpu.abilist]: [arm64-v8a]\n[ro.product.model]: [Paper 3]\n");
    wrong(
        &desk,
        &[],
        &[
            "✗ phone     Paper 3 (R5CT…) has Android 7.1.2 (sdk 25), and the agent needs Android 8 (sdk 26) or later",
            "hint: take another phone, or an emulator with a newer Android",
            "1 thing is wrong",
        ],
    );
    assert!(!desk.commands().contains("am instrument"), "{}", desk.commands());
}

#[test]
fn where_the_agents_apk_is_to_be() {
    let desk = Desk::like_a_real_one();
    *desk.world.version.lock().unwrap() = None;
    let there = "and put it to one of them, or name it with '--agent-apk'";
    wrong(&desk, &[], &["✗ agent's APK   the agent's APK is not there: neither", there]);
    let named = "hint: '--agent-apk' names the 'trailblaze-agent.apk' of the release";
    wrong(&desk, &["--agent-apk", "no.apk"], &["✗ agent's APK   no.apk does not exist", named]);
    let said = desk.run(&["run", "--device", SERIAL, "--agent-apk", "no.apk"]).exits(3);
    assert_eq!(said.err, format!("error: no.apk does not exist\n{named}\n"));
}

/// Two of them have the same beginning.
#[test]
fn phones_over_wifi_have_reports_of_their_own() {
    let wifi = "192.168.1.20:5555";
    let desk = Desk::called(wifi);
    let said = desk.run(&["doctor", "--device", wifi]);
    assert!(said.out.contains("First contact with Paper 9 (…20:5555)"), "{}", said.out);
    assert!(!said.out.contains("192.168"), "{}", said.out);
    assert!(said.err.starts_with("report: trailblaze-doctor-20-5555.txt; "), "{}", said.err);
    assert!(desk.lab.root.join("shop/trailblaze-doctor-20-5555.txt").is_file());
}

#[test]
fn devices_are_listed_with_what_they_need() {
    let listed = [(SERIAL, "device"), ("emulator-5554", "offline")];
    let said = Desk::listing(&listed).run(&["devices"]).exits(0);
    insta::assert_snapshot!(said.out, @"
    sim  embedded; 'sim:8' are eight of them
    R5CT1234ABC  Paper 9, ready
    emulator-5554  Paper 9, offline
    ");
    insta::assert_snapshot!(said.err, @"
    Paper 9 (emulator-5554) is offline
    hint: replug the phone, or switch USB debugging off and on again
    ");
    let said = Desk::listing(&[]).run(&["devices"]).exits(0);
    assert_eq!(said.out, "sim  embedded; 'sim:8' are eight of them\n");
    insta::assert_snapshot!(said.err, @"
    no phone is connected
    hint: connect one with USB debugging switched on, or start an emulator; 'trailblaze doctor' says what is missing
    ");
}
