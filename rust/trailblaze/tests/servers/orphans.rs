//! No process is left behind, however a run ends.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::lab::{command, lab, node};
use crate::space::Space;

/// How long a busy machine may take for anything here. What is waited for takes 7 seconds at most.
const LONGEST: Duration = Duration::from_secs(20);

/// A server with a child that ignores TERM. It writes the numbers of both into a file, and never answers a call.
const FAMILY: &str = r#"import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { serve, serveOverHttp } from "./mcp.mjs";

const child = spawn("/bin/sh", ["-c", "trap '' TERM HUP INT; while :; do sleep 1; done"], { stdio: "ignore" });
const say = () => {
  writeFileSync("pids.tmp", `${process.pid} ${child.pid}`);
  renameSync("pids.tmp", "pids.txt");
};
if (process.env.DEAF) {
  say();
  setInterval(() => {}, 1000);
} else {
  const tools = [{ name: "lab_hang", handler: () => { say(); return new Promise(() => {}); } }];
  if (process.argv.includes("--port")) serveOverHttp(tools, Number(process.argv.at(-1)));
  else serve(tools, () => process.exit(0));
}
"#;

fn family() -> Space {
    family_by(&node("family"))
}

/// One that is reached over HTTP.
fn served_family() -> Space {
    family_by("{ name: family, command: node, args: [tools/family.mjs], transport: http }")
}

fn family_by(entry: &str) -> Space {
    let space = lab(&[entry]);
    space.write("tools/family.mjs", FAMILY);
    space.trail("one", &["lab_hang: {}"]);
    space
}

/// Waits until something is there.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < LONGEST, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process is there. One that ended and waits for its parent is not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8(output.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

fn start(space: &Space, args: &[&str], deaf: bool) -> Child {
    let mut command = command(space, args);
    if deaf {
        command.env("DEAF", "1");
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The numbers of the server and its child, which are there.
fn pids(space: &Space, run: &mut Child) -> Vec<String> {
    let text = wait_for("the server does not get going", || {
        assert!(run.try_wait().unwrap().is_none(), "the run ended too early");
        fs::read_to_string(space.path("pids.txt")).ok()
    });
    let pids: Vec<String> = text.split(' ').map(str::to_owned).collect();
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_alive(pid)), "{pids:?}");
    pids
}

#[track_caller]
pub(crate) fn are_gone(pids: &[String]) {
    wait_for("a process is left", || pids.iter().all(|pid| !is_alive(pid)).then_some(()));
}

pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_interrupted_run_ends_its_servers_and_their_children() {
    for space in [family(), served_family()] {
        let mut child = start(&space, &["run", "--json"], false);
        let pids = pids(&space, &mut child);
        signal(&child, "INT");
        let ran = space.ran(child.wait_with_output().unwrap()).exits(130);
        assert_eq!(ran.json()["trails"][0]["failure"]["kind"], "Interrupted", "{ran}");
        are_gone(&pids);
    }
}

#[test]
fn a_killed_run_leaves_no_server_and_no_child_of_one() {
    for space in [family(), served_family()] {
        let mut child = start(&space, &["run"], false);
        let pids = pids(&space, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        are_gone(&pids);
    }
}

#[test]
fn an_interrupt_ends_the_wait_for_a_server_that_hangs_at_its_start() {
    let space = family();
    let mut child = start(&space, &["run"], true);
    let pids = pids(&space, &mut child);
    let began = Instant::now();
    signal(&child, "INT");
    let ran = space.ran(child.wait_with_output().unwrap());
    // It would be waited for 40 seconds otherwise.
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    assert_snapshot!(ran, @"
    exit: 130
    ----- stdout
    ----- stderr
    error: the run was interrupted
    ");
    are_gone(&pids);
}

#[test]
fn an_interrupt_ends_the_wait_for_the_port_of_a_server() {
    let space = served_family();
    let mut child = start(&space, &["run"], true);
    let pids = pids(&space, &mut child);
    let began = Instant::now();
    signal(&child, "INT");
    space.ran(child.wait_with_output().unwrap()).exits(130);
    // The end of its input, which it does not hear, is not waited for.
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    are_gone(&pids);
}

/// How many processes were started with these words.
fn started_with(words: &str) -> usize {
    let output = Command::new("ps").args(["-eo", "stat=,args="]).output().unwrap();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().filter(|line| line.contains(words) && !line.starts_with('Z')).count()
}

#[test]
fn a_run_that_is_killed_while_it_starts_servers_leaves_none() {
    const TIMES: u32 = 24;
    // A program that does not care for the end of its input, and goes by itself should this test fail.
    let words = format!("sleep 60.{:08}", std::process::id());
    let entry = |name: &str| {
        format!("{{ name: {name}, command: /bin/sh, args: [-c, 'echo here >> begun.txt; exec {words}'] }}")
    };
    let space = lab(&[&entry("one"), &entry("two")]);
    let begins = |space: &Space| {
        let began = Instant::now();
        let mut child = start(space, &["tools"], false);
        wait_for("no server starts", || fs::read_to_string(space.path("begun.txt")).ok());
        let took = began.elapsed();
        child.kill().unwrap();
        child.wait().unwrap();
        took
    };
    begins(&space);
    fs::remove_file(space.path("begun.txt")).unwrap();
    let usual = begins(&space);
    for n in 0..TIMES {
        let mut child = start(&space, &["tools"], false);
        // From long before a server begins to a little after.
        thread::sleep(usual * (TIMES / 3 + n) / TIMES);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    wait_for("a process is left", || (started_with(&words) == 0).then_some(()));
}

#[test]
fn a_killed_list_of_tools_leaves_no_server() {
    let space = family();
    for name in ["INT", "KILL"] {
        let mut child = start(&space, &["tools"], true);
        let pids = pids(&space, &mut child);
        signal(&child, name);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        assert!(!said.contains("panicked at"), "{said}");
        are_gone(&pids);
        fs::remove_file(space.path("pids.txt")).unwrap();
    }
}
