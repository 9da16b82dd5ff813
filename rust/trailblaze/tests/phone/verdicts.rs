//! Trails that pass and fail.

use std::time::{Duration, Instant};

use trailblaze::phone;

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};

/// Two trails that pass, with one that fails between them.
fn lab() -> Lab {
    Lab::with(&[("sign-in/bad", &[ADD, NINE]), ("sign-in/good", &[ADD, ONE]), ("tour", &[])])
}

#[test]
fn every_trail_is_a_test() {
    let lab = lab();
    let ran = lab.run(&[]).finishes();
    let expected = [
        "1 SignIn#bad 1/3",
        "-2 SignIn#bad 1/3",
        "1 SignIn#good 2/3",
        "0 SignIn#good 2/3",
        "1 Trails#tour 3/3",
        "0 Trails#tour 3/3",
    ];
    assert_eq!(ran.told(), expected);
    assert!(ran.statuses.iter().all(|block| block.get("id") == "Trailblaze"));
    let stream = ran.finish.get("stream");
    assert!(stream.contains("2 passed, 1 failed\n"), "{stream}");
    assert!(stream.contains(&format!("reports: {}", lab.root.join("files/reports").display())), "{stream}");
}

/// The stack of a test is what a person reads in a terminal.
#[test]
fn a_failure_is_told_in_our_own_words() {
    let lab = lab();
    let ran = lab.run(&[]).finishes();
    let stack = ran.stack("sign-in/bad");
    assert!(stack.contains("Count: 9"), "{stack}");
    assert!(stack.contains("bad.trail.yaml:"), "{stack}");
    assert!(stack.contains("Step 3"), "{stack}");
    assert_eq!(ran.stack("sign-in/good"), "");
}

#[test]
fn the_app_is_stopped_before_each_trail_and_touched_as_the_trail_says() {
    let lab = Lab::with(&[("a", &[ADD, ONE]), ("b", &[ADD, ONE])]);
    let ran = lab.run(&[]).finishes();
    let done: Vec<&str> =
        ran.done.iter().map(String::as_str).filter(|line| !line.starts_with("$ settings")).collect();
    let one = [
        "$ am force-stop com.example.lab",
        "$ am broadcast -a android.intent.action.CLOSE_SYSTEM_DIALOGS",
        "$ am force-stop com.example.lab",
        "$ pm clear com.example.lab",
        "launch com.example.lab",
        "tap 'Add one'",
    ];
    assert_eq!(done, [one, one].concat());
}

#[test]
fn both_drivers_come_to_the_same_verdicts() {
    for driver in ["android-ondevice-accessibility", "android-ondevice-instrumentation"] {
        let lab = lab();
        let ran = lab.run(&[("driver", driver)]).finishes();
        assert_eq!(ran.ends(), ["-2 sign-in/bad", "0 sign-in/good", "0 tour"]);
        assert_eq!(ran.events()[0]["driver"], driver);
        assert_eq!(ran.events()[0]["device"], "Paper 9");
    }
}

#[test]
fn a_failed_trail_is_one_test_however_often_it_is_tried() {
    let lab = Lab::with(&[("a", &[NINE])]);
    let ran = lab.run(&[("retries", "2")]).finishes();
    assert_eq!(ran.told(), ["1 Trails#a 1/1", "-2 Trails#a 1/1"]);
    assert!(ran.report("events.jsonl").contains(r#""attempt":3"#));
}

#[test]
fn a_skipped_trail_is_ignored_with_its_reason() {
    let lab =
        Lab::new().asset("trails/later.trail.yaml", &trail("skip: { android: not before May }", &[LAUNCH]));
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.told(), ["1 Trails#later 1/1", "-3 Trails#later 1/1"]);
    assert_eq!(ran.stack("later"), "not before May");
}

/// The same with the real time, as a phone has it.
#[test]
fn a_run_by_the_real_clock() {
    let lab = Lab::with(&[("a", &[ADD, ONE])]);
    let start = Instant::now();
    phone::run(lab.phone.clone(), Vec::new(), &lab.cancel);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let state = lab.phone.state();
    let codes: Vec<i32> = state.statuses.iter().map(|block| block.code).collect();
    assert_eq!((codes.as_slice(), state.finished[0].code), ([1, 0].as_slice(), -1));
}

#[test]
fn the_log_of_the_phone_tells_the_run_under_the_id_of_its_session() {
    let lab = lab();
    let ran = lab.run(&[]).finishes();
    let stream = ran.finish.get("stream");
    let session = stream.lines().find_map(|line| line.strip_prefix("session: ")).unwrap();
    let logged = lab.phone.state().logged.clone();
    assert!(logged.iter().all(|line| line.starts_with(&format!("[{session}] "))), "{logged:?}");
    let has = |text: &str| logged.iter().any(|line| line.ends_with(text));
    assert!(has("sign-in/good: passed") && has("trails: 3"), "{logged:?}");
    assert!(logged.iter().any(|line| line.contains("sign-in/bad: failed: ")), "{logged:?}");
}
