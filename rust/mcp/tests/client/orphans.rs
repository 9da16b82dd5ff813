//! Nothing is left when the program is killed, by a signal that nobody can handle.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::open;
use crate::lifecycle::{is_alive, pids};

const PARENT: &str = "TRAILBLAZE_TEST_PARENT";
/// TERM, 2 seconds and KILL, on a busy machine.
const LONGEST: Duration = Duration::from_secs(10);

/// Not a test by itself: the program that is killed in those below.
#[test]
fn parent() {
    let Ok(kind) = std::env::var(PARENT) else { return };
    let first = open("stay-for-ever");
    if kind == "loses its watchdog" {
        let watchdog = watchdog();
        kill_process(watchdog, Signal::KILL).unwrap();
        // A pipe takes what is written to it until its reader has gone.
        while is_alive(watchdog.as_raw_nonzero().get().into()) {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let second = open("family");
    println!("pids {:?}", [pids(&first), pids(&second)].concat());
    thread::sleep(Duration::from_secs(60));
}

/// The watchdog of this process.
fn watchdog() -> Pid {
    let own = format!(" {} ", std::process::id());
    let numbers =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_it = |pid: &i32| {
        let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        // The parent is the second number after the name.
        let is_ours = read("stat").rsplit(')').next().is_some_and(|rest| rest[2..].starts_with(&own));
        is_ours && read("cmdline").contains("trailblaze-watchdog")
    };
    let number = numbers.filter_map(|name| name.parse().ok()).find(is_it).unwrap();
    Pid::from_raw(number).unwrap()
}

#[track_caller]
fn check(kind: &str) {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "orphans::parent", "--nocapture", "--test-threads=1"])
        .env(PARENT, kind)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(parent.stdout.take().unwrap());
    let line = output.lines().map(Result::unwrap).find(|line| line.contains("pids [")).unwrap();
    let list = &line[line.find('[').unwrap()..];
    let pids: Vec<i64> = serde_json::from_str(list).unwrap();
    assert_eq!(pids.len(), 4);
    assert!(pids.iter().all(|&pid| is_alive(pid)), "{pids:?}");

    parent.kill().unwrap();
    parent.wait().unwrap();
    let began = Instant::now();
    while pids.iter().any(|&pid| is_alive(pid)) {
        assert!(began.elapsed() < LONGEST, "some of {pids:?} are left");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_parent_leaves_no_process_behind() {
    check("plain");
}

#[test]
fn a_killed_watchdog_has_a_successor() {
    check("loses its watchdog");
}
