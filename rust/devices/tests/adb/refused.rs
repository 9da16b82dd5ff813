//! What a server says instead of yes, and what becomes of it.

use std::net::TcpListener;

use trailblaze_devices::adb::{Address, Error, Server};
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::phones::paper;
use crate::server::{SERIAL, limit, start, with};

fn told(error: Error) -> String {
    let failure = Failure::from(error.clone());
    assert_eq!(failure.kind, FailureKind::Device);
    format!("{:?}: {failure}", error.kind)
}

#[track_caller]
fn check(said: &'static str, expected: &str) {
    let server = start(move |mut talk| {
        talk.request();
        talk.fail(said);
    });
    let error = server.phone(SERIAL).open("shell:ls", &limit()).unwrap_err();
    assert_eq!(told(error), expected);
}

#[test]
fn words_of_the_server() {
    check(
        "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that seems wrong.",
        "Unauthorized: 'shell:ls' on paper-1 failed: device unauthorized.\nhint: accept the question 'Allow USB debugging?' on the phone",
    );
    check(
        "device still authorizing",
        "Unauthorized: 'shell:ls' on paper-1 failed: device still authorizing\nhint: accept the question 'Allow USB debugging?' on the phone",
    );
    check(
        "device offline",
        "Offline: 'shell:ls' on paper-1 failed: device offline\nhint: replug the phone, or switch USB debugging off and on again",
    );
    check(
        "device 'paper-1' not found",
        "NoDevice: 'shell:ls' on paper-1 failed: device 'paper-1' not found\nhint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there",
    );
    check(
        "more than one device/emulator",
        "SeveralDevices: 'shell:ls' on paper-1 failed: more than one device/emulator\nhint: name one with '--device SERIAL'",
    );
    check(
        "insufficient permissions for device: user in plugdev group; are your udev rules wrong?",
        "NoPermissions: 'shell:ls' on paper-1 failed: insufficient permissions for device: user in plugdev group; are your udev rules wrong?\nhint: this user may not open the phone: on Linux it needs udev rules, as the package 'android-sdk-platform-tools-common' has them",
    );
    check("", "Refused: 'shell:ls' on paper-1 failed: adb gave no reason");
    check("\u{1b}[31mred\u{7}", "Refused: 'shell:ls' on paper-1 failed:  [31mred ");
    check("something new", "Refused: 'shell:ls' on paper-1 failed: something new");
}

#[test]
fn a_service_that_the_phone_does_not_have() {
    let phone = with(paper().phone);
    assert_eq!(
        told(phone.open("new-service:", &limit()).unwrap_err()),
        "Refused: 'new-service:' on paper-1 was refused by the phone\nhint: its adbd may be too old for this"
    );
    let long = "x".repeat(70_000);
    let error = phone.open(&format!("shell:{long}"), &limit()).unwrap_err();
    assert_eq!(
        told(error),
        format!(
            "Refused: 'shell:{}…' on paper-1 is too long for adb: 70006 bytes\nhint: at most 65535; push a script and run that",
            "x".repeat(54)
        )
    );
}

#[test]
fn nobody_there() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Server::new(Address { port, ..Address::default() }, None);
    assert_eq!(
        told(server.devices(&limit()).unwrap_err()),
        format!(
            "NoServer: adb's server cannot be reached at 127.0.0.1:{port}: nothing listens there\nhint: start it: 'adb start-server'"
        )
    );
    assert_eq!(
        told(server.ensure_running(&limit()).unwrap_err()),
        format!(
            "NoAdb: adb's server is not running at 127.0.0.1:{port}, and there is no program 'adb' to start it\nhint: install 'adb' by your package manager (the package 'adb', or 'android-platform-tools'), or set ANDROID_HOME to an SDK that has it"
        )
    );
}

#[test]
fn an_interrupt_is_no_trouble_of_the_device() {
    let phone = with(paper().phone);
    let cancel = Cancel::default();
    cancel.cancel();
    let limit = trailblaze_devices::adb::Limit::within(std::time::Duration::from_secs(20), &cancel);
    let failure = Failure::from(phone.shell("both", &limit).unwrap_err());
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::Interrupted, "'features' on paper-1 was interrupted")
    );
}
