//! How a program starts and how it ends.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use trailblaze_mcp::client::{Connection, Limits, Toolset};

use crate::fixture::{PATIENT, Session, call, open, program, shared, text, toolset};

/// Whether a process is there. One that ended and waits for its parent is not.
pub(crate) fn is_alive(pid: i64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}

pub(crate) fn pids(connection: &Connection) -> Vec<i64> {
    let result = call(connection, "pids", &json!({}), &mut Session::default()).unwrap();
    serde_json::from_str(text(&result)).unwrap()
}

/// Ends a server and all that it started, not before `least_ms` and not long after.
#[track_caller]
fn check(behaviour: &str, limits: Limits, least_ms: u64) {
    let connection = toolset(behaviour, limits).open().unwrap();
    let pids = pids(&connection);
    assert!(pids.iter().all(|&pid| is_alive(pid)), "{behaviour}");
    let began = Instant::now();
    drop(connection);
    let took = began.elapsed();
    // A child of the server is not ours to wait for, so its end may be a moment later.
    while pids.iter().any(|&pid| is_alive(pid)) {
        assert!(began.elapsed() < took + Duration::from_secs(1), "{behaviour}: some of {pids:?} are left");
        thread::sleep(Duration::from_millis(5));
    }
    let least = Duration::from_millis(least_ms);
    assert!(took >= least && took < least + Duration::from_secs(3), "{behaviour} took {took:?}");
}

#[test]
fn servers_end_with_their_session() {
    check("", PATIENT, 0);
    // The process goes by itself, but leaves a child behind that ignores TERM.
    check("family", PATIENT, 0);
    let limits = Limits { close_ms: 300, term_ms: 400, ..PATIENT };
    // Ignores the end of its input.
    check("stay", limits, 300);
    // And TERM as well, with its child.
    check("stay-for-ever", limits, 700);
}

#[test]
fn a_program_runs_where_and_with_what_it_is_told() {
    let mut program = program("");
    program.env.push(("TRAILBLAZE_SESSION_ID".into(), "abc".into()));
    program.dir = Some("/usr".into());
    let connection = Toolset::new("fixture", program, shared(PATIENT)).open().unwrap();
    let env = |name: &str| {
        let result = call(&connection, "env", &json!({ "name": name }), &mut Session::default()).unwrap();
        text(&result).to_owned()
    };
    assert_eq!(env("TRAILBLAZE_SESSION_ID"), "abc");
    assert_eq!(env("CARGO_MANIFEST_DIR"), env!("CARGO_MANIFEST_DIR"), "the rest is inherited");
    let cwd = call(&connection, "cwd", &json!({}), &mut Session::default()).unwrap();
    assert_eq!(text(&cwd), "/usr");
}

#[test]
fn a_server_has_a_group_of_its_own() {
    let connections = [open(""), open("")];
    let [own, other] = connections.each_ref().map(|connection| pids(connection)[0]);
    let group = |pid: i64| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit(") ").next().unwrap().split(' ').nth(2).unwrap().parse::<i64>().unwrap()
    };
    let others = [group(std::process::id().into()), group(other)];
    assert!(!others.contains(&group(own)), "{others:?} {}", group(own));
}
