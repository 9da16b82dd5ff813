//! What cannot be run: the host is told why, and every run is finished.

use trailblaze::phone;

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};

#[track_caller]
fn check(lab: &Lab, arguments: &[(&str, &str)], expected: &str) {
    assert_eq!(lab.run(arguments).gives_up(), expected);
}

fn one() -> Lab {
    Lab::with(&[("a", &[ADD, ONE])])
}

#[test]
fn an_apk_without_trails() {
    check(
        &Lab::bare(),
        &[],
        "the APK holds no trails\nhint: pack them as assets under 'trailblaze/', or push a folder and name it with \
         '-e workspace DIR'",
    );
    let told = Lab::new().run(&[]).gives_up();
    assert!(told.contains("no trails"), "{told}");
}

#[test]
fn an_unknown_target() {
    let told = one().run(&[("target", "labb")]).gives_up();
    assert!(told.contains("'labb'") && told.contains("did you mean 'lab'"), "{told}");
}

#[test]
fn broken_documents_are_all_named() {
    let lab = one().asset("trails/b.trail.yaml", "trail: 7\n").asset("trails/c.trail.yaml", "trail: [\n");
    let told = lab.run(&[]).gives_up();
    assert!(told.starts_with("the documents have errors\n"), "{told}");
    for file in ["b.trail.yaml:1:", "c.trail.yaml:"] {
        assert!(told.contains(file), "{told}");
    }
}

#[test]
fn a_workspace_that_is_not_there() {
    let told = one().run(&[("workspace", "/none/such")]).gives_up();
    assert!(told.contains("/none/such"), "{told}");
}

#[test]
fn values_of_the_wrong_kind() {
    for (key, value, expected) in [
        ("log", "yes", "the argument 'log' must be true or false, not 'yes'"),
        ("numShards", "-1", "the argument 'numShards' must be a whole number, not '-1'"),
        ("timeout_msec", "5s", "the argument 'timeout_msec' must be a whole number, not '5s'"),
        (
            "deadline",
            "soon",
            "the argument 'deadline' must be a time such as '30m', '90s' or '1h', not 'soon'",
        ),
        (
            "driver",
            "sim",
            "the argument 'driver' must be 'android-ondevice-accessibility' or 'android-ondevice-instrumentation', not \
             'sim'",
        ),
        ("secrets", "hunter2", "the argument 'secrets' must be name=value"),
        (
            "testFile",
            "/none/such",
            "'testFile': /none/such cannot be read: No such file or directory (os error 2)",
        ),
    ] {
        let lab = one();
        let ran = lab.run(&[(key, value)]);
        assert_eq!(ran.gives_up(), expected);
        assert!(ran.done.is_empty(), "nothing was touched: {:?}", ran.done);
    }
    let told = one().run(&[("tests_regex", "(")]).gives_up();
    assert!(told.starts_with("the argument 'tests_regex' must be a regular expression ("), "{told}");
}

/// The user of these tests may be one who can write everywhere, so a file lies where a folder must be.
#[test]
fn storage_that_cannot_be_written() {
    let lab = one();
    let file = lab.write("full", "");
    let told = lab.run(&[("additionalTestOutputDir", &format!("{file}/out"))]).gives_up();
    assert!(told.starts_with("the folder ") && told.contains("/full/out cannot be made: "), "{told}");
    assert!(told.ends_with("\nhint: '-e additionalTestOutputDir DIR' chooses another folder"), "{told}");
    let lab = one();
    lab.write("files", "");
    let told = lab.run(&[]).gives_up();
    assert!(told.contains("[root]/files/workspace") && told.contains("cannot be written: "), "{told}");
}

/// The run goes on when the storage is full: the host still hears of every test.
#[cfg(target_os = "linux")]
#[test]
fn storage_that_is_full() {
    let lab = Lab::with(&[("a", &[ADD, ONE]), ("b", &[ADD, ONE])]);
    // A file where the folder of a trail must be, and a device that is always full.
    lab.write("files/reports/a", "");
    std::os::unix::fs::symlink("/dev/full", lab.root.join("files/reports/events.jsonl")).unwrap();
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["0 a", "0 b"]);
    let stream = ran.finish.get("stream");
    assert!(stream.contains("events.jsonl could not be written: "), "{stream}");
    assert!(ran.report("junit.xml").contains("<testcase name=\"b\""));
}

/// A window that may not be seen fails the trail that meets it.
#[test]
fn a_screen_that_cannot_be_captured() {
    let lab = Lab::with(&[("a", &["tap: { text: Hide }", ONE]), ("b", &[ADD, ONE])]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-1 a", "0 b"]);
    let stack = ran.stack("a");
    assert!(stack.contains("the phone shows no window that may be seen"), "{stack}");
    assert!(stack.contains("hint: the screen may be off or locked, or its window is secure"), "{stack}");
    assert!(!lab.files("files/reports").iter().any(|file| file.ends_with(".png")));
}

#[test]
fn what_java_throws_before_the_first_trail_ends_the_run() {
    for method in [
        "filesDir",
        "assets",
        "asset ",
        "settings get",
        "settings put",
        "isServiceConnected",
        "display",
        "describeDevice",
    ] {
        let lab = one().broken(method);
        let told = lab.run(&[]).gives_up();
        assert!(told.contains("SecurityException: "), "{method}: {told}");
        assert!(told.ends_with("at android.os.Parcel.readException(Parcel.java:1)"), "{method}: {told}");
    }
}

#[test]
fn what_java_throws_later_fails_the_trail() {
    for method in ["capture", "takeEvents", "tap", "launch", "am force-stop", "am broadcast"] {
        let lab = Lab::with(&[("a", &[ADD, NINE]), ("b", &[ADD, NINE])]).broken(method);
        let ran = lab.run(&[]).finishes();
        assert_eq!(ran.ends(), ["-1 a", "-1 b"], "{method}");
        assert!(ran.stack("b").contains("SecurityException: "), "{method}: {}", ran.stack("b"));
        assert!(ran.stack("b").contains("Parcel.java:1"), "{method}: {}", ran.stack("b"));
    }
}

#[test]
fn a_picture_that_cannot_be_taken_is_a_warning() {
    let lab = Lab::with(&[("a", &[NINE])]).broken("screenshot");
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a"]);
    assert!(ran.stack("a").contains("no picture of the failure: SecurityException"), "{}", ran.stack("a"));
}

#[test]
fn statuses_that_cannot_be_sent_are_logged_and_the_reports_are_written() {
    let lab = one().broken("status");
    let ran = lab.run(&[]).finishes();
    assert!(ran.statuses.is_empty());
    assert!(ran.report("junit.xml").contains("<testcase name=\"a\""));
    assert!(lab.phone.state().logged.join("\n").contains("a status could not be sent: SecurityException"));
}

#[test]
fn a_finish_that_cannot_be_told_is_logged() {
    let lab = one().broken("finish");
    phone::run_by(lab.phone.clock.clone(), lab.phone.clone(), Vec::new(), &lab.cancel);
    let logged = lab.phone.state().logged.join("\n");
    assert!(logged.contains("the instrumentation could not be finished: SecurityException"), "{logged}");
}

/// A bug in the library is no silence.
#[test]
fn a_panic_is_told() {
    check(&one().broken("panic in assets"), &[], "Trailblaze itself failed; this is a bug");
    check(&one().broken("panic in display"), &[], "Trailblaze itself failed; this is a bug");
    let lab = Lab::with(&[("a", &[ADD]), ("b", &[])]).broken("panic in tap");
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b"]);
    assert!(ran.stack("a").contains("Trailblaze itself failed; this is a bug"), "{}", ran.stack("a"));
}

/// A tool that nobody knows fails when it is called, and not before.
#[test]
fn an_unknown_tool() {
    let lab = one().asset("trails/b.trail.yaml", &trail("", &[LAUNCH, "tapp: { text: Add one }"]));
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["0 a", "-2 b"]);
    assert!(ran.stack("b").contains("'tapp'"), "{}", ran.stack("b"));
}

#[test]
fn a_missing_app() {
    let lab =
        Lab::new().asset("trails/a.trail.yaml", &trail("", &["launchApp: { appId: com.example.gone }"]));
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a"]);
    assert!(ran.stack("a").contains("com.example.gone"), "{}", ran.stack("a"));
}
