//! Phones that do not want to, and phones that go.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trailblaze_devices::adb::{Error, ErrorKind, Limit, State, Watch};
use trailblaze_devices::fake_adbd::{Adbd, FakePhone, Memory, Process};
use trailblaze_engine::host::Cancel;

use crate::lab::{Lab, limit};
use crate::talk::commands;

#[test]
fn a_phone_that_asks_first() {
    let lab = Lab::new();
    lab.server.ensure_running(&limit()).unwrap();
    let adbd = Adbd::start(FakePhone::new(commands).that_asks(), 0).unwrap();
    let serial = adbd.serial();
    let mut watch = lab.server.watch(&limit()).unwrap();
    assert_eq!(watch.next(&limit()).unwrap(), []);
    let error = lab.server.connect_to(&serial, &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unauthorized);
    let until = |watch: &mut Watch, state: State| {
        while watch.next(&limit()).unwrap().iter().all(|device| device.state != state) {}
    };
    until(&mut watch, State::Unauthorized);
    let phone = lab.server.phone(&serial);
    let error = phone.shell("echo", &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unauthorized);
    assert_eq!(error.hint.unwrap(), "accept the question 'Allow USB debugging?' on the phone");
    let soon = Limit::within(Duration::from_millis(200), &Cancel::default());
    let error = lab.server.wait_until_ready(&serial, &soon).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unauthorized);
    adbd.agree().unwrap();
    until(&mut watch, State::Device);
    assert_eq!(phone.shell("echo hi", &limit()).unwrap().text(), "hi");
}

#[test]
fn no_such_phone() {
    let (lab, _adbd, _) = Lab::with(FakePhone::new(commands));
    let error = lab.server.phone("none").shell("echo", &limit()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "'features' on none failed: device 'none' not found\nhint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there"
    );
    let error = lab.server.connect_to("127.0.0.1:1", &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Offline);
}

/// A file that unplugs the phone while it is read.
struct Unplugging<'a> {
    adbd: &'a Adbd,
    reads: u32,
}

impl Read for Unplugging<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.reads += 1;
        if self.reads == 20 {
            self.adbd.unplug();
        }
        Ok(into.len())
    }
}

#[test]
fn a_cable_that_is_pulled_while_a_file_is_pushed() {
    let files = Memory::default();
    let (lab, adbd, phone) = Lab::with(FakePhone::new(commands).files(files.clone()));
    let mut sync = phone.sync(&limit()).unwrap();
    // The server takes some of it into its own memory, so there is more than that.
    let file = Unplugging { adbd: &adbd, reads: 0 };
    let error = sync.push(&mut file.take(1 << 28), "/b", 0o644, 0).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Lost, "{error}");
    assert!(error.may_pass());
    // adb's server connects again by itself.
    lab.server.wait_until_ready(&adbd.serial(), &limit()).unwrap();
    assert_eq!(phone.shell("echo hi", &limit()).unwrap().text(), "hi");
    assert_eq!(files.get("/b"), None, "half a file is removed");
}

#[test]
fn a_command_that_never_ends_is_ended_here_and_there() {
    let ended = Arc::new(AtomicBool::new(false));
    let told = ended.clone();
    let fake = FakePhone::new(move |process: &mut Process| {
        // It says something for as long as somebody listens.
        while process.out("tick\n").is_ok() {
            thread::yield_now();
        }
        told.store(true, Ordering::SeqCst);
        Ok(0)
    });
    let (_lab, _adbd, phone) = Lab::with(fake);
    phone.features(&limit()).unwrap();
    let soon = Limit::within(Duration::from_millis(300), &Cancel::default());
    let began = Instant::now();
    let error = phone.shell("tick", &soon).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert_eq!(error.message, format!("'shell,v2,raw:tick' on {} did not end within 300 ms", phone.serial()));
    assert!(began.elapsed() < Duration::from_secs(5));
    while !ended.load(Ordering::SeqCst) {
        assert!(began.elapsed() < Duration::from_secs(20), "the phone never heard of it");
        thread::yield_now();
    }
}

#[test]
fn an_interrupt_ends_a_command() {
    let fake = FakePhone::new(|process: &mut Process| {
        // It waits for input that never comes, until the connection is closed.
        process.stdin.read_to_end(&mut Vec::new())?;
        Err(std::io::ErrorKind::BrokenPipe.into())
    });
    let (_lab, _adbd, phone) = Lab::with(fake);
    let cancel = Cancel::default();
    let mut shell = phone.start_shell("wait", &Limit::within(Duration::from_secs(60), &cancel)).unwrap();
    let began = Instant::now();
    let waiting = thread::spawn(move || shell.next_part());
    cancel.cancel();
    let error: Error = waiting.join().unwrap().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(5));
}
