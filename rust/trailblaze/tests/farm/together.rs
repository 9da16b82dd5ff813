//! Shards, tries and devices that belong together.

use crate::lab::{DONE, IDS, all_passed, case, collect, junit, lab, outcomes, plan, test, troubles};
use crate::space::Space;

const FAILED: &str = "not settled within 5 s";

/// A plan with two shards: cart/add sign-in/bad tour, and cart/pay sign-in/good.
fn planned(devices: &str) -> Space {
    let space = lab();
    plan(&space, "firebase", &["--devices", devices, "--shards", "2"]).exits(0);
    space
}

const ONE: [&str; 3] = ["cart/add", "sign-in/bad", "tour"];
const TWO: [&str; 2] = ["cart/pay", "sign-in/good"];

fn write(space: &Space, folder: &str, text: impl AsRef<[u8]>) {
    space.write(&format!("results/{folder}/instrumentation.results"), text);
}

#[test]
fn all_shards_of_all_devices_are_one_report() {
    let space = planned("shiba-34,tokay-35");
    for device in ["shiba-34", "tokay-35"] {
        write(&space, &format!("{device}-en-portrait-shard_0"), all_passed(&ONE));
        write(&space, &format!("{device}-en-portrait-shard_1"), all_passed(&TWO));
    }
    let ran = collect(&space, &["--plan", "plan", "--json", "--junit", "junit.xml"]).exits(0);
    let expected: Vec<String> = IDS
        .iter()
        .flat_map(|id| ["shiba-34", "tokay-35"].map(|device| format!("[{device}] {id} passed")))
        .collect();
    assert_eq!(outcomes(&ran), expected);
    let junit = space.read("junit.xml");
    assert!(junit.contains("<testsuite name=\"shiba-34/cart\""), "{junit}");
    assert_eq!(junit, space.read("report/junit.xml"));
}

#[test]
fn what_passed_in_another_try_is_flaky() {
    let space = planned("shiba-34");
    write(&space, "shiba-34-en-portrait-shard_0", test("cart/add", -2, FAILED) + &all_passed(&ONE[1..]));
    write(&space, "shiba-34-en-portrait-shard_0-rerun_1", all_passed(&ONE));
    write(&space, "shiba-34-en-portrait-shard_1", all_passed(&TWO));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(0);
    let mut expected = IDS.map(|id| format!("{id} passed"));
    expected[0] += " flaky";
    assert_eq!(outcomes(&ran), expected);
    let junit = space.read("report/junit.xml");
    assert!(junit.contains("<flakyFailure time=\"0.000\" message=\"not settled within 5 s\""), "{junit}");
    let ran = collect(&space, &["--plan", "plan"]).exits(0);
    assert!(ran.stdout.contains("5 passed (1 after a retry)"), "{ran}");
    assert!(ran.stdout.contains("\nflaky:\n  cart/add\nreport: report/summary.md\n"), "{ran}");
}

/// The farm's try that had no luck with its device counts for nothing when another one passed, or failed as a test. A
/// trail that passed then is not flaky.
#[test]
fn a_verdict_of_the_test_beats_trouble() {
    for (code, verdict) in [(0, "passed"), (-2, "failed")] {
        let space = planned("shiba-34");
        write(&space, "shiba-34-en-portrait-shard_0", "INSTRUMENTATION_ABORTED: System has crashed.\n");
        write(&space, "shiba-34-en-portrait-shard_0-rerun_1", crate::lab::status("cart/add", 1, ""));
        let last = test("cart/add", code, FAILED) + &all_passed(&ONE[1..]);
        write(&space, "shiba-34-en-portrait-shard_0-rerun_2", last);
        write(&space, "shiba-34-en-portrait-shard_1", all_passed(&TWO));
        let ran = collect(&space, &["--plan", "plan", "--json"]).exits(if code == 0 { 0 } else { 1 });
        assert_eq!(outcomes(&ran)[0], format!("cart/add {verdict}"));
        assert_eq!(troubles(&ran).len(), 2, "{ran}");
        let junit = space.read("report/junit.xml");
        assert!(!junit.contains("flakyFailure") && !junit.contains("rerunFailure"), "{junit}");
    }
}

#[test]
fn a_trail_in_two_shards_is_one_trail() {
    let space = planned("shiba-34");
    write(&space, "shiba-34-en-portrait-shard_0", all_passed(&ONE));
    write(&space, "shiba-34-en-portrait-shard_1", test("tour", -2, FAILED) + &all_passed(&TWO));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(0);
    assert_eq!(outcomes(&ran)[4], "tour passed flaky");
    assert_eq!(outcomes(&ran).len(), 5);
}

/// Flank copies what it fetches, and both it and Test Lab make one report of all shards.
#[test]
fn the_same_result_twice_is_one_result() {
    let space = planned("shiba-34");
    let one = test("cart/add", -2, FAILED) + &all_passed(&ONE[1..]);
    for place in ["2026-11-15/matrix_0", "copy"] {
        write(&space, &format!("{place}/shiba-34-en-portrait-shard_0"), &one);
        write(&space, &format!("{place}/shiba-34-en-portrait-shard_1"), all_passed(&TWO));
    }
    let merged = junit(&case("cart/add", &format!("<failure>{FAILED}</failure>")))
        .replace("name=\"\"", "name=\"shiba-34-en-portrait\"");
    space.write("results/2026-11-15/JUnitReport.xml", &merged);
    space.write("results/2026-11-15/shiba-34-en-portrait-test_results_merged.xml", &merged);
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(1);
    assert_eq!(outcomes(&ran)[0], "cart/add failed");
    assert!(!space.read("report/junit.xml").contains("rerunFailure"), "{}", space.read("report/junit.xml"));
}

#[test]
fn the_report_of_all_shards_may_be_all_there_is() {
    let space = planned("shiba-34");
    let cases: String = IDS.iter().map(|id| case(id, "")).collect();
    let merged = junit(&cases).replace("name=\"\"", "name=\"shiba-34-en-portrait\"");
    space.write("results/JUnitReport.xml", merged);
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(0);
    assert_eq!(outcomes(&ran), IDS.map(|id| format!("{id} passed")));
}

/// The plan counts from 1, Test Lab from 0, and folders may be called anything: what is in them decides.
#[test]
fn a_shard_is_known_by_its_trails() {
    let space = planned("shiba-34");
    write(&space, "first try", all_passed(&TWO));
    write(&space, "second", all_passed(&ONE[..1]).replace(DONE, ""));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(4);
    let why = "what came back ends in the middle: the device was lost, or the time of the farm was over";
    assert_eq!(troubles(&ran), [format!("shiba-34, shard 1: {why}")]);
    let expected =
        ["cart/add passed", "cart/pay passed", "sign-in/bad notRun", "sign-in/good passed", "tour notRun"];
    assert_eq!(outcomes(&ran), expected);
}

/// What a farm took is what the next plan reckons with.
#[test]
fn times_come_back() {
    let space = lab();
    let cases: String = IDS.iter().map(|id| case(id, "")).collect();
    space.write("results/shiba-34-en-portrait/test_result_1.xml", junit(&cases));
    space.run(&["farm", "collect", "results"]).exits(0);
    let ran = plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
    assert!(
        ran.stderr
            .starts_with("5 trails in 1 shard on shiba-34\n  shard 1: 5 trails, about 0.2 of 45 minutes\n"),
        "{ran}"
    );
    assert!(!ran.stderr.contains("guessed"), "{ran}");
}

#[test]
fn only_what_was_chosen_is_missed() {
    let space = lab();
    write(&space, "shiba-34", all_passed(&["cart/add", "cart/pay"]));
    assert_eq!(outcomes(&collect(&space, &["--json"]).exits(4)).len(), 5);
    let ran = collect(&space, &["--json", "--filter", "cart/*"]).exits(0);
    assert_eq!(outcomes(&ran), ["cart/add passed", "cart/pay passed"]);
}
