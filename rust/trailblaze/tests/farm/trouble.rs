//! Trouble of the farm and of its devices, told apart from tests that failed.

use crate::lab::{DONE, IDS, all_passed, case, collect, junit, lab, outcomes, plan, status, test, troubles};
use crate::space::Space;

/// One device and one shard, with what came back.
fn space(text: &str) -> Space {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
    space.write("results/shiba-34-en-portrait/instrumentation.results", text);
    space
}

/// What is told of the run, and what came of the trails.
#[track_caller]
fn check(text: &str, why: &[&str], expected: &[&str]) {
    let ran = collect(&space(text), &["--plan", "plan", "--json"]).exits(4);
    assert_eq!(troubles(&ran), why.iter().map(|why| format!("shiba-34, shard 1: {why}")).collect::<Vec<_>>());
    assert_eq!(outcomes(&ran), expected);
}

const NONE: [&str; 5] =
    ["cart/add notRun", "cart/pay notRun", "sign-in/bad notRun", "sign-in/good notRun", "tour notRun"];

#[test]
fn tests_that_could_not_be_started() {
    let why = "the tests could not be started: dev.trailblaze.agent/.TrailblazeInstrumentation is not installed, or has no \
               such runner";
    check("INSTRUMENTATION_FAILED: dev.trailblaze.agent/.TrailblazeInstrumentation\n", &[why], &NONE);
    let refused = "INSTRUMENTATION_RESULT: longMsg=unknown target 'x'\nhint: leave it out\n\
                   INSTRUMENTATION_RESULT: shortMsg=unknown target 'x'\nINSTRUMENTATION_CODE: 0\n";
    check(refused, &["unknown target 'x'"], &NONE);
    check("INSTRUMENTATION_CODE: 0\n", &["the tests were cancelled with code 0"], &NONE);
}

#[test]
fn a_device_that_gave_up() {
    let text = test("cart/add", 0, "")
        + &status("cart/pay", 1, "")
        + "INSTRUMENTATION_ABORTED: System has crashed.\n";
    let some = [
        "cart/add passed",
        "cart/pay failed trouble",
        "sign-in/bad notRun",
        "sign-in/good notRun",
        "tour notRun",
    ];
    check(&text, &["the device gave up: System has crashed."], &some);
    let crashed = test("cart/add", 0, "")
        + &status("cart/pay", 1, "")
        + "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
    check(&crashed, &["the process of the tests crashed"], &some);
}

#[test]
fn a_trail_that_did_not_end_says_why() {
    let text = status("cart/add", 1, "")
        + "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
    let ran = collect(&space(&text), &["--plan", "plan", "--json"]).exits(4).json();
    let failure = &ran["trails"][0]["failure"];
    assert_eq!(failure["kind"], "Device");
    assert_eq!(failure["message"], "it did not end: the process of the tests crashed");
}

/// Errors of our runner, and what the tools of the platform write into their reports.
#[test]
fn failures_that_are_none_of_the_test() {
    let tests = |code: i32, stack: &str| test("cart/add", code, stack) + &all_passed(&IDS[1..]);
    for (code, stack) in [
        (-1, "the accessibility service does not connect"),
        (-2, "the app 'com.example' is not installed, or cannot be started"),
        (
            -2,
            "Test failed to run to completion. Reason: 'Instrumentation run failed due to 'Process crashed.''",
        ),
    ] {
        let ran = collect(&space(&tests(code, stack)), &["--plan", "plan", "--json"]).exits(4);
        assert_eq!(outcomes(&ran)[0], "cart/add failed trouble", "{stack}");
    }
    let space = lab();
    let cases: String = IDS[1..].iter().map(|id| case(id, "")).collect();
    let failed =
        case("cart/add", "<failure>Test run failed to complete. Expected 5 tests, received 4</failure>");
    space.write("results/shiba-34/test_result_1.xml", junit(&(failed + &cases)));
    assert_eq!(outcomes(&collect(&space, &["--json"]).exits(4))[0], "cart/add failed trouble");
}

/// A test that failed weighs more than trouble.
#[test]
fn a_failure_among_trouble_is_a_failure() {
    let text = test("cart/add", -2, "not settled") + "INSTRUMENTATION_ABORTED: System has crashed.\n";
    let ran = collect(&space(&text), &["--plan", "plan"]).exits(1);
    let told = "infrastructure:\n  shiba-34, shard 1: the device gave up: System has crashed.\nreport: report/summary.md\n";
    assert!(ran.stdout.ends_with(told), "{ran}");
}

#[test]
fn a_shard_that_never_reported() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34,tokay-35", "--shards", "2"]).exits(0);
    let both = |device: &str| {
        let file = |shard: u8| format!("results/{device}-en-portrait-shard_{shard}/instrumentation.results");
        space.write(&file(0), all_passed(&["cart/add", "sign-in/bad", "tour"]));
        space.write(&file(1), all_passed(&["cart/pay", "sign-in/good"]));
    };
    both("shiba-34");
    // Of the other device one folder is empty, and one is not there.
    std::fs::create_dir_all(space.path("results/tokay-35-en-portrait-shard_1")).unwrap();
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(4);
    let why = [
        "tokay-35, shard 2: nothing came back that says how it went",
        "tokay-35, shard 1: it never reported",
    ];
    assert_eq!(troubles(&ran), why);
    let missing = outcomes(&ran).iter().filter(|told| told.ends_with("notRun")).count();
    assert_eq!(missing, 5);
    let reasons = space.read("report/summary.md");
    assert!(reasons.contains("- \\[tokay-35\\] tour: shard 1: it never reported\n"), "{reasons}");
}

/// The last event came when the time of the farm was over; or long before.
#[test]
fn the_time_of_the_farm() {
    let events = |minute: u64| {
        format!(
            "{{\"event\":\"trailStarted\",\"t\":0,\"trail\":\"cart/add\",\"id\":\"cart/add\",\"steps\":1,\"attempt\":1}}\n\
             {{\"event\":\"warning\",\"t\":{},\"trail\":\"cart/add\",\"message\":\"slow\"}}\n{{\"event\":\"dev",
            minute * 60_000
        )
    };
    for (minute, why) in [
        (45, "the time that the farm gives was over, 45 minutes"),
        (3, "what came back ends after 180 s: the device was lost, or the farm ended the run"),
    ] {
        let space = lab();
        plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
        space.write("results/shiba-34-en-portrait/artifacts/events.jsonl", events(minute));
        let ran = collect(&space, &["--plan", "plan", "--json"]).exits(4);
        assert_eq!(troubles(&ran), [format!("shiba-34, shard 1: {why}")]);
        assert_eq!(outcomes(&ran)[0], "cart/add failed trouble");
    }
}

/// Our own deadline: the rest was not started, and the runner says so.
#[test]
fn trails_that_were_left_for_want_of_time() {
    let late = "the time of the run is nearly over";
    let text = IDS[..4].iter().map(|id| test(id, 0, "")).collect::<String>() + &test("tour", -3, late) + DONE;
    let ran = collect(&space(&text), &["--plan", "plan", "--json"]).exits(4);
    assert_eq!(outcomes(&ran)[4], "tour notRun");
    assert_eq!(troubles(&ran), Vec::<String>::new());
}
