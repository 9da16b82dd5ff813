//! Apps that crash or hang. The log is scripted: what a real system writes, a phone must confirm.

use crate::lab::{ADD, Lab, NINE, ONE};
use crate::paper::APP;

#[test]
fn a_crash_is_the_reason_of_the_failure() {
    let lab = Lab::with(&[("a", &["tap: { text: Boom }", ONE]), ("b", &[ADD, ONE])]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b"]);
    let stack = ran.stack("a");
    assert!(
        stack.starts_with("'com.example.lab' crashed: java.lang.IllegalStateException: boom, and so: "),
        "{stack}"
    );
    assert!(stack.ends_with("at com.example.lab.Main.onClick(Main.java:7)"), "{stack}");
    let junit = ran.report("junit.xml");
    assert!(junit.contains("IllegalStateException: boom") && junit.contains("Main.java:7"), "{junit}");
    assert!(ran.report("summary.md").contains("IllegalStateException: boom"));
    let events = ran.events();
    let finished = events.iter().find(|event| event["event"] == "trailFinished").unwrap();
    assert_eq!(finished["failure"]["kind"], "App");
}

/// What ends in native code leaves no exception.
#[test]
fn a_native_crash_is_the_reason_of_the_failure() {
    let lab = Lab::with(&[("a", &["tap: { text: Crack }", ONE]), ("b", &[ADD, NINE])]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "-2 b"]);
    let (stack, signal) = (ran.stack("a"), "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0");
    let told = format!("'com.example.lab' crashed in native code: {signal}");
    assert!(stack.starts_with(&format!("{told}, and so: ")), "{stack}");
    assert!(stack.ends_with("#00 pc 0000000000012345  /data/app/base.apk!libmap.so (draw+20)"), "{stack}");
    assert!(!ran.stack("b").contains("crashed"), "{}", ran.stack("b"));
    assert!(ran.report("junit.xml").contains("crashed in native code: signal 11 (SIGSEGV)"));
    assert!(ran.report("summary.md").contains("crashed in native code: signal 11 (SIGSEGV)"));
    let events = ran.events();
    let finished = events.iter().find(|event| event["event"] == "trailFinished").unwrap();
    assert_eq!(finished["failure"]["kind"], "App");
}

#[test]
fn an_app_that_hangs_is_the_reason_of_the_failure() {
    let lab = Lab::with(&[("a", &["tap: { text: Hang }", ONE]), ("b", &[ADD, ONE])]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b"]);
    let stack = ran.stack("a");
    assert!(
        stack.starts_with("'com.example.lab' did not respond: Input dispatching timed out, and so: "),
        "{stack}"
    );
}

/// Nothing looks at the app after the last step.
#[test]
fn an_app_that_ends_in_the_last_step_fails_the_trail() {
    for (button, told) in [
        ("Boom", "crashed: java.lang.IllegalStateException: boom"),
        ("Crack", "crashed in native code: signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0"),
        ("Hang", "did not respond: Input dispatching timed out"),
    ] {
        let lab = Lab::with(&[("a", &[&format!("tap: {{ text: {button} }}")]), ("b", &[ADD, ONE])]);
        let ran = lab.run(&[]).finishes();
        assert_eq!(ran.ends(), ["-2 a", "0 b"]);
        let (stack, told) = (ran.stack("a"), format!("'com.example.lab' {told}"));
        assert!(stack.starts_with(&told) && !stack.contains("and so"), "{stack}");
        assert!(ran.report("summary.md").contains(&told));
        let events = ran.events();
        let finished = events.iter().find(|event| event["event"] == "trailFinished").unwrap();
        assert_eq!((&finished["failure"]["kind"], &finished["verdict"]), (&"App".into(), &"failed".into()));
        assert!(lab.files("files/reports").contains(&"a/bundle.zip".to_owned()));
    }
}

/// The next trail starts from nothing: the app is stopped, and dialogs about it are closed.
#[test]
fn the_next_trail_begins_clean() {
    let lab = Lab::with(&[("a", &["tap: { text: Boom }", ONE]), ("b", &[])]);
    let ran = lab.run(&[]).finishes();
    let boom = ran.done.iter().position(|line| line == "tap 'Boom'").unwrap();
    assert_eq!(
        ran.done[boom + 1..][..2],
        ["$ am force-stop com.example.lab", "$ am broadcast -a android.intent.action.CLOSE_SYSTEM_DIALOGS",]
    );
}

/// The crash of one trail is not the failure of the next.
#[test]
fn a_trail_is_not_blamed_for_an_earlier_crash() {
    let lab = Lab::with(&[("a", &["tap: { text: Boom }", ONE]), ("b", &[NINE])]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "-2 b"]);
    assert!(!ran.stack("b").contains("crashed"), "{}", ran.stack("b"));
}

#[test]
fn the_crash_of_another_app_is_no_reason() {
    for app_id in ["com.example.other", "com.example.la", "com.example.lab2"] {
        let lab = Lab::with(&[("a", &[ADD, NINE])]);
        let phone = lab.phone.clone();
        lab.phone.state().on_tap = Some(Box::new(move || phone.state().crash(app_id)));
        let ran = lab.run(&[]).finishes();
        assert!(!ran.stack("a").contains("crashed"), "{app_id}: {}", ran.stack("a"));
        let phone = lab.phone.clone();
        lab.phone.state().on_tap = Some(Box::new(move || phone.state().crack(app_id)));
        let ran = lab.run(&[]).finishes();
        assert!(!ran.stack("a").contains("crashed"), "{app_id}: {}", ran.stack("a"));
    }
}

#[test]
fn a_process_of_the_app_counts_as_the_app() {
    let lab = Lab::with(&[("a", &[ADD, NINE])]);
    let phone = lab.phone.clone();
    lab.phone.state().on_tap = Some(Box::new(move || phone.state().crash(&format!("{APP}:sync"))));
    let ran = lab.run(&[]).finishes();
    assert!(ran.stack("a").contains("'com.example.lab' crashed"), "{}", ran.stack("a"));
}

#[test]
fn a_log_that_cannot_be_read_is_no_second_failure() {
    let lab = Lab::with(&[("a", &[NINE]), ("b", &[])]).broken("logcat");
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b"]);
    assert!(ran.stack("a").contains("Count: 9"), "{}", ran.stack("a"));
}
