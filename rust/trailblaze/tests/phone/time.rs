//! Runs that end before all trails are through.

use std::time::{Duration, Instant};

use trailblaze::phone;

use crate::lab::{ADD, Lab, NINE, ONE};

#[test]
fn near_the_deadline_no_more_trails_start() {
    let lab = Lab::with(&[("a", &[ADD]), ("b", &[ADD]), ("c", &[ADD]), ("d", &[])])
        .set(|state| state.tap_ms = 40_000);
    // In the last minute nothing starts, and each trail takes 40 seconds.
    let ran = lab.run(&[("deadline", "2m")]).finishes();
    assert_eq!(ran.ends(), ["0 a", "0 b", "-3 c", "-3 d"]);
    for trail in ["c", "d"] {
        assert_eq!(ran.stack(trail), "the time of the run is nearly over");
    }
    assert!(ran.finish.get("stream").contains("2 passed, 0 failed, 2 not run"), "{:?}", ran.finish);
    assert!(ran.report("junit.xml").contains("not run: the time of the run is nearly over"));
    let ran = lab.run(&[("deadline", "1h")]).finishes();
    assert_eq!(ran.ends(), ["0 a", "0 b", "0 c", "0 d"]);
}

#[test]
fn a_trail_that_takes_too_long_fails_and_the_next_one_runs() {
    let lab = Lab::with(&[("a", &[ADD, NINE]), ("b", &[ADD, ONE])]);
    let ran = lab.run(&[("timeout_msec", "1500")]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b"]);
    let spent = ran
        .events()
        .iter()
        .filter(|event| event["event"] == "trailFinished")
        .map(|event| event["durationMs"].as_u64().unwrap())
        .max()
        .unwrap();
    assert!((1_500..2_500).contains(&spent), "{spent}");
}

#[test]
fn the_time_of_a_trail_is_the_time_of_all_its_steps() {
    let many = [ADD; 20];
    let lab = Lab::with(&[("a", &many), ("b", &[ADD, ONE])]);
    let ran = lab.run(&[("timeout_msec", "1500")]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b"]);
    assert!(ran.stack("a").contains("the trail took longer than it may"), "{}", ran.stack("a"));
    // No limit is written as 0.
    assert_eq!(lab.run(&[("timeout_msec", "0")]).finishes().ends(), ["0 a", "0 b"]);
}

#[test]
fn a_cancelled_run_ends_soon_and_every_test_has_its_end() {
    let lab = Lab::with(&[("a", &[]), ("b", &[ADD; 500]), ("c", &[ADD])]);
    let cancel = lab.cancel.clone();
    let mut taps = 0;
    lab.phone.state().on_tap = Some(Box::new(move || {
        taps += 1;
        if taps == 3 {
            let cancel = cancel.clone();
            std::thread::spawn(move || cancel.cancel()).join().unwrap();
        }
    }));
    let ran = lab.run(&[("retries", "2")]).finishes();
    assert_eq!(ran.ends(), ["0 a", "-2 b", "-3 c"]);
    assert!(ran.stack("b").contains("the run was interrupted"), "{}", ran.stack("b"));
    assert_eq!(ran.stack("c"), "the run was interrupted");
    assert_eq!(ran.done.iter().filter(|line| *line == "tap 'Add one'").count(), 3);
    assert_eq!(ran.events().last().unwrap()["interrupted"], true);
}

/// By the real clock: what a trail waits for is not awaited any longer.
#[test]
fn a_cancelled_run_does_not_wait() {
    let lab = Lab::with(&[("a", &[NINE])]);
    let (phone, cancel) = (lab.phone.clone(), lab.cancel.clone());
    let run = std::thread::spawn(move || phone::run(phone, Vec::new(), &cancel));
    while !lab.phone.state().done.iter().any(|line| line.starts_with("launch")) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(400));
    let start = Instant::now();
    lab.cancel.cancel();
    run.join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let state = lab.phone.state();
    let codes: Vec<i32> = state.statuses.iter().map(|block| block.code).collect();
    assert_eq!((codes.as_slice(), state.finished[0].code), ([1, -2].as_slice(), -1));
    assert!(state.statuses[1].get("stack").contains("the run was interrupted"), "{:?}", state.statuses);
}

#[test]
fn a_run_that_is_cancelled_while_the_service_is_awaited_gives_up() {
    let lab = Lab::with(&[("a", &[ADD])]).set(|state| state.connects_after = None);
    lab.cancel.cancel();
    assert_eq!(lab.run(&[]).refuses(&["a"]), "the run was interrupted");
    assert_eq!(lab.phone.clock.now_ms(), 0);
}

#[test]
fn a_run_that_is_cancelled_before_it_begins_runs_nothing() {
    let lab = Lab::with(&[("a", &[ADD])]);
    lab.cancel.cancel();
    let ran = lab.run(&[("driver", "android-ondevice-instrumentation")]).finishes();
    assert_eq!(ran.ends(), ["-3 a"]);
    assert!(!ran.done.iter().any(|line| line.starts_with("launch")), "{:?}", ran.done);
}
