//! What trails run on, and what is refused.

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

fn one() -> Space {
    let space = Space::lab();
    space.trail("one", &[]);
    space
}

/// What is said on a machine without adb.
fn without_adb(space: &Space, args: &[&str]) -> String {
    let mut command = space.command(args);
    command.env("PATH", "").env("HOME", space.path("")).env("ADB_SERVER_SOCKET", "tcp:127.0.0.1:9");
    space.ran(command.output().unwrap()).exits(4).stderr
}

#[test]
fn drivers_that_cannot_be_driven_are_refused_with_the_reason() {
    let space = one();
    assert_snapshot!(space.run(&["run", "--driver", "ios-host"]).to_string(), @"
    exit: 4
    ----- stdout
    ----- stderr
    error: the driver 'ios-host' cannot be used: Trailblaze drives Android; it has no iOS driver
    hint: name a phone with '--device SERIAL'; '--driver sim' runs the trails on the embedded device
    ");
    let said = without_adb(&space, &["run", "--driver", "android-ondevice-accessibility"]);
    assert!(said.contains("'--driver sim --as android-ondevice-accessibility' runs the trails"), "{said}");
    assert_snapshot!(space.run(&["run", "--driver", "recorded"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: '--driver recorded' needs the session that it runs on
    hint: name it with '--device DIR'
    ");
    for command in ["mcp", "serve"] {
        let said = space.run(&[command, "--driver", "Recorded"]).exits(2).stderr;
        let expected = "error: '--driver recorded' is a saved run, and nothing else can be done with it than to run it\n\
            hint: 'trailblaze run --driver recorded --device DIR' does\n";
        assert_eq!(said, expected, "{command}");
    }
    assert_snapshot!(space.run(&["run", "--as", "playwright-native"]).to_string(), @"
    exit: 4
    ----- stdout
    ----- stderr
    error: the sim cannot stand in for 'playwright-native': the web driver is not part of this version
    ");
    assert!(space.files(".trailblaze").is_empty());
}

#[test]
fn an_unknown_driver_is_a_mistake() {
    let space = one();
    assert_snapshot!(space.run(&["run", "--driver", "simm"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unknown driver 'simm'
    hint: did you mean 'sim'?
    ");
    assert_snapshot!(space.run(&["run", "--driver", "android-ondevice-accesibility"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unknown driver 'android-ondevice-accesibility'
    hint: did you mean 'android-ondevice-accessibility'?
    ");
    assert_snapshot!(space.run(&["run", "--as", "nothing-like-it"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unknown driver 'nothing-like-it'
    hint: known drivers: android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
    ");
}

#[test]
fn an_unknown_device_is_device_trouble() {
    let space = one();
    let said = without_adb(&space, &["run", "--device", "foo"]);
    assert_snapshot!(said.lines().next().unwrap(), @"error: adb's server is not running at 127.0.0.1:9, and there is no program 'adb' to start it");
}

#[test]
fn the_sim_stands_in_for_the_driver_it_is_told() {
    let space = one();
    let driver = |args: &[&str]| {
        space.run(&[&["run", "--events", "events.jsonl"], args].concat()).exits(0);
        space.events("events.jsonl")[0]["driver"].as_str().unwrap().to_owned()
    };
    assert_eq!(driver(&[]), "android-ondevice-accessibility");
    assert_eq!(driver(&["--driver", "sim"]), "android-ondevice-accessibility");
    assert_eq!(driver(&["--as", "android-ondevice-instrumentation"]), "android-ondevice-instrumentation");
}

#[test]
fn a_pin_in_the_trail_chooses_the_driver_unless_one_is_named() {
    let space = Space::lab();
    space.tool("lab_onlyThere", "parameters: []\nsupported_drivers: [android-ondevice-instrumentation]\ntools:\n  - tap: { text: Add one }");
    let text = trail_text("devices: { android: ANDROID_ONDEVICE_INSTRUMENTATION }", &["lab_onlyThere: {}"]);
    space.write("trails/pinned.trail.yaml", text);
    space.run(&["run"]).exits(0);
    space.run(&["run", "--as", "android-ondevice-instrumentation"]).exits(0);
    assert_snapshot!(space.run(&["run", "--driver", "sim"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/pinned.trail.yaml:9:20: the tool 'lab_onlyThere' cannot be used: it does not support the driver 'android-ondevice-accessibility'
    9 |       android: [ { lab_onlyThere: {} } ]
      |                    ^

    error: nothing was run because of the error above
    ");
}

#[test]
fn a_pin_that_cannot_be_driven_is_an_error_of_the_trail() {
    let space = Space::lab();
    space.write("trails/cloud.trail.yaml", trail_text("devices: { android-phone: REVYL_ANDROID }", &[]));
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/cloud.trail.yaml:1:20: the trail asks for the driver 'revyl-android': Trailblaze does not drive Revyl's cloud devices
    1 | config: { devices: { android-phone: REVYL_ANDROID } }
      |                    ^
    hint: '--driver sim' runs it on the embedded device

    error: nothing was run because of the error above
    ");
    space.run(&["run", "--driver", "sim"]).exits(0);
}

#[test]
fn tools_of_the_host_are_not_there_when_the_agent_is_on_the_device() {
    let space = Space::lab();
    space.trail("host", &["runCommand: { command: echo hello }"]);
    space.run(&["run"]).exits(0);
    assert_snapshot!(space.run(&["run", "--agent", "on-device"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/host.trail.yaml:8:20: the tool 'runCommand' cannot be used: it needs the agent on the host, and the agent runs on the device
    8 |       android: [ { runCommand: { command: echo hello } } ]
      |                    ^

    error: nothing was run because of the error above
    ");
}

#[test]
fn what_is_for_phones_is_refused_without_one() {
    let space = one();
    for command in ["run", "mcp", "serve"] {
        let said = space.run(&[command, "--agent-apk", "nope.apk"]).exits(2).stderr;
        let expected = "error: '--agent-apk' is for a phone, and none is named\n\
            hint: name one with '--device SERIAL', or leave it out\n";
        assert_eq!(said, expected, "{command}");
    }
}

#[test]
fn which_time_was_over_is_said() {
    let space = Space::lab();
    space.trail("slow", &["assertVisible: { text: Nobody }"]);
    for (option, message) in [
        ("--trail-timeout", "the trail took longer than it may"),
        ("--deadline", "the time of the run was over"),
    ] {
        let said = space.run(&["run", option, "100ms"]).exits(1).stdout;
        assert!(
            said.contains(message) && said.contains(&format!("hint: '{option}' says how long")),
            "{said}"
        );
    }
}
