//! What people see of servers while a run goes on, without asking for more.

use insta::assert_snapshot;

use crate::lab::{lab_with, run};
use crate::space::Space;

/// Says how far it is, and writes to stdout besides.
fn brewing() -> Space {
    let space = lab_with(
        r#"{ name: "lab_brew", handler: (_args, { progressToken }) => {
    console.log("the kettle is on");
    console.log("the tea is in");
    const told = (progress, message) => {
      const params = { progressToken, progress, total: 2, message };
      console.log(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
    };
    told(1, "heating");
    told(2, "pouring");
    return text("tea");
  } }"#,
    );
    space.trail("a", &["lab_brew: {}"]);
    space.trail("b", &["lab_brew: {}"]);
    space
}

#[test]
fn progress_and_what_is_no_message_are_shown() {
    let space = brewing();
    assert_snapshot!(run(&space, &["run", "--events", "events.jsonl"]), @"
    exit: 0
    ----- stdout
    Running 2 trails on sim (android-ondevice-accessibility)
    … a: lab_brew: heating (1/2)
    … a: lab_brew: pouring (2/2)
    ✓ a  150 ms
      ✓ Start
      ✓ Step 1
        warning: server 'one' wrote to stdout what is no message: the kettle is on
        hint: stdout is for the protocol; write to stderr, in JavaScript with console.error
    … b: lab_brew: heating (1/2)
    … b: lab_brew: pouring (2/2)
    ✓ b  150 ms
      ✓ Start
      ✓ Step 1

    2 passed in 300 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    let events = space.events("events.jsonl");
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    assert_eq!(of("progress").len(), 4);
    assert_eq!((&of("progress")[0]["message"], &of("progress")[0]["done"]), (&"heating".into(), &1.0.into()));
    // The rest of it is for those who ask.
    let logged: Vec<_> =
        of("log").iter().map(|event| event["message"].as_str().unwrap_or_default()).collect();
    let line = |text: &str| format!("it wrote to stdout what is no message: {text}");
    assert_eq!(logged, [line("the tea is in"), line("the kettle is on"), line("the tea is in")]);
}

#[test]
fn whoever_wants_it_quiet_sees_the_warning_alone() {
    let space = brewing();
    assert_snapshot!(run(&space, &["run", "--quiet", "--junit", "junit.xml"]), @"
    exit: 0
    ----- stdout
    warning: server 'one' wrote to stdout what is no message: the kettle is on
    hint: stdout is for the protocol; write to stderr, in JavaScript with console.error

    2 passed in 300 ms of virtual time
    ----- stderr
    ");
    assert!(space.read("junit.xml").contains(r#"tests="2" skipped="0" failures="0""#));
}
