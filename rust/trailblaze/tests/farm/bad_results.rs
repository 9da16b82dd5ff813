//! Folders that cannot be collected: each with its reason, and no report.

use crate::lab::{all_passed, collect, lab, lab_of, plan};
use crate::space::Space;

#[track_caller]
fn refused(space: &Space, args: &[&str], code: i32, message: &str) {
    let ran = collect(space, args).exits(code);
    assert_eq!(ran.stderr, message, "{ran}");
    assert!(!space.path("report").exists());
}

const KINDS: &str =
    "hint: results are instrumentation.results, JUnit files, events.jsonl, logs, or zips of them\n";

#[test]
fn nothing_to_collect() {
    let space = lab();
    let give = "hint: give the folder that the results were copied to\n";
    refused(&space, &[], 3, &format!("error: results cannot be collected: it does not exist\n{give}"));
    std::fs::create_dir(space.path("results")).unwrap();
    refused(&space, &[], 3, &format!("error: results holds no results\n{KINDS}"));
    // A video, and notes of somebody; and what is hidden is nobody's result.
    space.write("results/shiba-34-en-portrait/video.mp4", "video");
    space.write("results/notes.txt", "we should look at this");
    space.write("results/.old/instrumentation.results", all_passed(&["tour"]));
    refused(&space, &[], 3, &format!("error: results holds no results\n{KINDS}"));
    space.write("results/all.zip", "cut off");
    let why = "results/all.zip cannot be read: this is no zip archive, or it is cut off";
    refused(&space, &[], 3, &format!("error: results holds no results: {why}\n{KINDS}"));
}

/// What is called like results and holds none is told by its name, also where another file says enough.
#[test]
fn files_that_cannot_be_read() {
    let space = lab();
    space.write("results/shiba-34/instrumentation.results", all_passed(&crate::lab::IDS));
    space.write("results/shiba-34/reports/events.jsonl", [0x9f, 0x13, 0x00, 0xff, 0x0a]);
    space.write("results/shiba-34/logs/junit.xml", "");
    let whole = crate::lab::junit(&crate::lab::case("tour", ""));
    space.write("results/shiba-34/files/test_result_1.xml", &whole[..whole.len() - 14]);
    let zip = crate::lab::zip(&[("logs/junit.xml", whole[..40].to_owned())]);
    space.write("results/shiba-34/results.zip", zip);
    let line =
        "{\"event\":\"trailFinished\",\"t\":0,\"id\":\"tour\",\"verdict\":\"passed\",\"durationMs\":1}\n";
    let end = "{\"event\":\"runFinished\",\"t\":0,\"verdict\":\"passed\"}\n";
    space.write("results/shiba-34/data/events.jsonl", format!("{line}\u{1}\u{2}\n{end}"));
    space.write("results/shiba-34/notes.txt", "we should look at this");
    let ran = collect(&space, &[]).exits(0);
    let folder = "results/shiba-34";
    let expected = [
        format!("{folder}/data/events.jsonl: 1 line cannot be read, and the rest counts"),
        format!("{folder}/files/test_result_1.xml is cut off or broken: what stands before that counts"),
        format!("{folder}/logs/junit.xml cannot be read: it is empty"),
        format!("{folder}/reports/events.jsonl cannot be read: there are no results in it"),
        format!("logs/junit.xml in {folder}/results.zip cannot be read: there are no results in it"),
    ];
    assert_eq!(ran.stderr, expected.map(|note| format!("warning: {note}\n")).concat());
}

#[test]
fn results_of_another_workspace() {
    let hint = "hint: name the workspace that was run with --workspace\n";
    let space = lab();
    space.write("results/shiba-34/instrumentation.results", all_passed(&["bank/transfer"]));
    let stranger = "error: results holds results of another workspace: this one has no";
    refused(&space, &[], 3, &format!("{stranger} 'dev.trailblaze.trails.Bank#transfer'\n{hint}"));
    let space = lab();
    let line = "{\"event\":\"trailFinished\",\"t\":0,\"id\":\"bank/transfer\",\"verdict\":\"passed\",\"durationMs\":1}\n";
    space.write("results/shiba-34/events.jsonl", line);
    refused(&space, &[], 3, &format!("{stranger} 'bank/transfer'\n{hint}"));
}

#[test]
fn a_trail_that_is_gone_is_told() {
    let space = lab();
    let ids = ["cart/add", "cart/pay", "sign-in/bad", "sign-in/good", "tour", "old/one", "old/two"];
    space.write("results/shiba-34/instrumentation.results", all_passed(&ids));
    let ran = collect(&space, &[]).exits(0);
    let names = "'dev.trailblaze.trails.Old#one' and 'dev.trailblaze.trails.Old#two'";
    assert_eq!(ran.stderr, format!("warning: left out, because the workspace has no such trails: {names}\n"));
}

#[test]
fn plans_that_do_not_fit() {
    let space = lab();
    space.write("results/shiba-34/instrumentation.results", all_passed(&["tour"]));
    let hint = "hint: 'trailblaze farm plan' writes it\n";
    refused(
        &space,
        &["--plan", "none"],
        3,
        &format!("error: the plan none cannot be used: it does not exist\n{hint}"),
    );
    space.write("plan/plan.json", "{}");
    refused(
        &space,
        &["--plan", "plan"],
        3,
        &format!("error: the plan plan/plan.json cannot be used: it has no shards\n{hint}"),
    );
    let other = lab_of(&["bank/transfer"]);
    plan(&other, "firebase", &["--devices", "shiba-34"]).exits(0);
    space.write("plan/plan.json", other.read("plan/plan.json"));
    refused(
        &space,
        &["--plan", "plan"],
        3,
        "error: the plan has the trail 'bank/transfer', and the workspace does not\nhint: collect with the workspace that \
         was planned\n",
    );
}

#[test]
fn a_report_among_the_results() {
    let space = lab();
    space.write("results/shiba-34/instrumentation.results", all_passed(&["tour"]));
    let ran = space.run(&["farm", "collect", "results", "--out", "results/report"]).exits(2);
    let message = "error: the report cannot go into the folder that is collected\nhint: it would be collected the next time\n";
    assert_eq!(ran.stderr, message);
    assert!(!space.path("results/report").exists());
}

#[test]
fn reports_that_have_no_place() {
    let space = lab();
    space.write("results/shiba-34/instrumentation.results", all_passed(&["tour"]));
    let none = "error: --junit: the folder nowhere does not exist\nhint: make it first\n";
    refused(&space, &["--junit", "nowhere/junit.xml"], 2, none);
    let folder = "error: --junit: trails is a folder\nhint: give it a name for the file\n";
    refused(&space, &["--junit", "trails"], 2, folder);
}

/// A folder that the plan has no device for is told, and still in the report.
#[test]
fn a_device_that_nobody_planned() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34,tokay-35"]).exits(0);
    let all = all_passed(&crate::lab::IDS);
    for device in ["shiba-34-en-portrait", "tokay-35-en-portrait", "husky-34-en-portrait"] {
        space.write(&format!("results/{device}/instrumentation.results"), &all);
    }
    let ran = collect(&space, &["--plan", "plan"]).exits(0);
    let warning = "warning: the plan has no device that is called like the folder 'husky-34-en-portrait', but shiba-34 and \
                   tokay-35\nhint: copy the results of each device into a folder with its name\n";
    assert_eq!(ran.stderr, warning);
    assert!(ran.stdout.contains("✓ [husky-34-en-portrait] tour"), "{ran}");
}

/// Results that no folder names a device for, of a plan with several: told once, however many files there are.
#[test]
fn results_of_nobody_knows_which_device() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34,tokay-35"]).exits(0);
    space.write("results/shard_0/instrumentation.results", all_passed(&["tour"]));
    space.write("results/shard_1/instrumentation.results", all_passed(&["cart/add"]));
    let ran = collect(&space, &["--plan", "plan"]).exits(4);
    let warning = "warning: results that lie in no folder of a device are listed as 'device'; the plan has shiba-34 and \
                   tokay-35\nhint: copy the results of each device into a folder with its name\n";
    assert_eq!(ran.stderr, warning);
    assert!(ran.stdout.starts_with("Results of device, shiba-34, tokay-35\n"), "{ran}");
}

/// Whoever gives the folder of one device means that device.
#[test]
fn the_folder_of_one_device() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34,tokay-35"]).exits(0);
    space.write("results/tokay-35-en-portrait/instrumentation.results", all_passed(&crate::lab::IDS));
    let folder = "results/tokay-35-en-portrait";
    let ran = space.run(&["farm", "collect", folder, "--out", "report", "--plan", "plan"]).exits(4);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("✓ [tokay-35] tour\n"), "{ran}");
    assert!(ran.stdout.contains("\n  shiba-34, shard 1: it never reported\n"), "{ran}");
}

/// Results of another plan are not taken for those of the only device, also where they would be green then.
#[test]
fn another_device_than_the_only_one() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
    let all = all_passed(&crate::lab::IDS);
    space.write("results/shiba-34-en-portrait/instrumentation.results", &all);
    space.write("results/tokay-35-en-portrait-shard_0/instrumentation.results", &all);
    let ran = collect(&space, &["--plan", "plan"]).exits(0);
    let begin = "warning: the plan has no device that is called like the folder 'tokay-35-en-portrait";
    assert!(ran.stderr.starts_with(begin), "{ran}");
    assert!(ran.stdout.contains("✓ [tokay-35-en-portrait"), "{ran}");
}

#[test]
fn no_workspace() {
    let space = Space::empty();
    space.write("results/shiba-34/instrumentation.results", all_passed(&["tour"]));
    assert!(collect(&space, &[]).exits(3).stderr.starts_with("error: there is no workspace here\n"));
}
