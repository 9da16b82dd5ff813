//! What lies on the phone afterwards.

use std::fs;

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};
use crate::paper::PICTURE;

#[test]
fn reports_lie_where_farms_collect_them() {
    let lab = Lab::with(&[("sign-in/bad", &[ADD, NINE]), ("sign-in/good", &[ADD, ONE])]);
    let phone = lab.phone.clone();
    lab.phone.state().on_tap = Some(Box::new(move || phone.state().write_log("main", "I/Lab ( 1): tapped")));
    let ran = lab.run(&[]).finishes();
    let expected = [
        "events.jsonl",
        "junit.xml",
        "sign-in-bad/bundle.zip",
        "sign-in-bad/logcat.txt",
        "sign-in-bad/step-3-failed.png",
        "sign-in-good/logcat.txt",
        "summary.md",
    ];
    assert_eq!(lab.files("files/reports"), expected);
    let junit = ran.report("junit.xml");
    assert!(junit.contains("tests=\"2\"") && junit.contains("failures=\"1\""), "{junit}");
    assert!(ran.report("summary.md").contains("sign-in/bad"));
    let picture = fs::read(lab.root.join("files/reports/sign-in-bad/step-3-failed.png")).unwrap();
    assert_eq!(picture, PICTURE);
    // Each trail has the log of its own time.
    assert_eq!(ran.report("sign-in-bad/logcat.txt"), "I/Lab ( 1): launched\nI/Lab ( 1): tapped\n");
    assert_eq!(ran.report("sign-in-good/logcat.txt"), "I/Lab ( 1): launched\nI/Lab ( 1): tapped\n");
    let events = ran.events();
    assert_eq!(events[0]["event"], "runStarted");
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["passed"], &last["failed"]),
        (&"runFinished".into(), &1.into(), &1.into())
    );
}

#[test]
fn the_host_names_another_folder() {
    let lab = Lab::with(&[("a", &[])]);
    let folder = lab.root.join("sdcard/out").to_string_lossy().into_owned();
    let ran = lab.run(&[("additionalTestOutputDir", &folder)]).finishes();
    assert!(ran.finish.get("stream").contains(&format!("reports: {folder}")), "{:?}", ran.finish);
    assert_eq!(lab.files("sdcard/out"), ["a/logcat.txt", "events.jsonl", "junit.xml", "summary.md"]);
    assert!(lab.files("files/reports").is_empty());
}

/// A run that is killed leaves what was known until then.
#[test]
fn reports_are_written_while_it_runs() {
    let lab = Lab::with(&[("a", &[]), ("b", &[ADD])]);
    let (reports, seen) =
        (lab.root.join("files/reports"), std::sync::Arc::new(std::sync::Mutex::new(Vec::new())));
    let look = seen.clone();
    lab.phone.state().on_tap = Some(Box::new(move || {
        let text = |name: &str| fs::read_to_string(reports.join(name)).unwrap();
        *look.lock().unwrap() = vec![text("junit.xml"), text("events.jsonl"), text("a/logcat.txt")];
    }));
    lab.run(&[]).finishes();
    let seen = seen.lock().unwrap();
    let [junit, events, log] = seen.as_slice() else { panic!("nothing was tapped") };
    assert!(junit.contains("<testcase name=\"a\""), "{junit}");
    assert!(junit.contains("was running when the report was written"), "{junit}");
    assert!(events.contains(r#""action":"tap""#) && events.ends_with("}\n"), "{events}");
    assert_eq!(log, "I/Lab ( 1): launched\n");
}

#[test]
fn memory_is_given_to_the_trails() {
    let lab = Lab::with(&[("a", &[ADD, "assertVisibleWithText: { text: 'Count: {{count}}' }"])]);
    assert_eq!(lab.run(&[("memory", "count=1;other=2")]).finishes().ends(), ["0 a"]);
    assert_eq!(lab.run(&[("memory", "other=1\ncount=2")]).finishes().ends(), ["-2 a"]);
}

/// It is typed into the app, shown there, written to its log, named in a failure and before a crash, and found nowhere.
#[test]
fn a_secret_is_nowhere() {
    const SECRET: &str = "hunter2-4711";
    let calls = [
        "tap: { text: Field }",
        "inputText: { text: '{{pin}}' }",
        "assertVisibleWithText: { text: 'No {{pin}}' }",
    ];
    let lab = Lab::with(&[("a", &calls)]).asset(
        "trails/b.trail.yaml",
        &trail(
            "",
            &[LAUNCH, "tap: { text: Field }", "inputText: { text: '{{pin}}' }", "tap: { text: Boom }", NINE],
        ),
    );
    let ran = lab.run(&[("secrets", &format!("pin={SECRET}"))]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "-2 b"]);
    for block in ran.statuses.iter().chain([&ran.finish]) {
        assert!(!format!("{block:?}").contains(SECRET), "{block:?}");
    }
    let logged = lab.phone.state().logged.join("\n");
    assert!(!logged.contains(SECRET), "{logged}");
    let files = lab.files("files/reports");
    assert!(files.contains(&"a/bundle.zip".to_owned()), "{files:?}");
    for file in files {
        let bytes = fs::read(lab.root.join("files/reports").join(&file)).unwrap();
        assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "{file}");
    }
}
