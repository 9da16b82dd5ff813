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
    let lab = Lab::with(&[("a", &[ADD]), ("b", &[ADD]), ("c/d", &[ADD])]);
    let told =
        lab.run(&[("target", "labb"), ("notClass", "dev.trailblaze.trails.Trails#b")]).refuses(&["a", "c/d"]);
    assert_eq!(told, "unknown target 'labb', known are: lab\nhint: did you mean 'lab'?");
    let ran = lab.run(&[("target", "someone")]);
    let hint = "without '-e target' each trail has its own, or the workspace's";
    assert_eq!(
        ran.refuses(&["a", "b", "c/d"]),
        format!("unknown target 'someone', known are: lab\nhint: {hint}")
    );
    assert!(ran.done.is_empty(), "the phone is left alone: {:?}", ran.done);
    // A list is no run.
    lab.run(&[("target", "labb"), ("log", "true")]).gives_up();
    // An app that no target describes.
    assert_eq!(lab.run(&[("target", "com.example.lab")]).finishes().ends().len(), 3);
}

#[test]
fn broken_documents_are_all_named() {
    let lab = one().asset("trails/b.trail.yaml", "trail: 7\n").asset("trails/c.trail.yaml", "trail: [\n");
    let told = lab.run(&[]).refuses(&["a"]);
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
    let told = lab.run(&[("additionalTestOutputDir", &format!("{file}/out"))]).refuses(&["a"]);
    assert!(
        told.starts_with("the folder ") && told.contains("/full/out/trailblaze cannot be made: "),
        "{told}"
    );
    assert!(told.ends_with("\nhint: '-e additionalTestOutputDir DIR' chooses another folder"), "{told}");
}

/// The workspace of the APK cannot even be unpacked; a host hears of every test all the same.
#[test]
fn storage_that_takes_no_workspace() {
    let lab = Lab::with(&[("a", &[ADD]), ("c/d", &[ADD])])
        .asset("trails/named.trail.yaml", &trail("id: other, tags: [smoke]", &[LAUNCH]))
        .asset("trails/folder/trail.yaml", &trail("", &[LAUNCH]))
        .asset("trails/folder/ios.trail.yaml", &trail("", &[LAUNCH]))
        .asset("trails/broken.trail.yaml", "trail: [\n")
        .asset("trails/defaults.trail.yaml", "config: { target: lab }\n")
        .asset("trails/config/trailblaze.yaml", "target: lab\n")
        .asset("trails/notes.yaml", "");
    lab.write("files", "");
    let ran = lab.run(&[]);
    let told = ran.refuses(&["a", "broken", "c/d", "folder", "other"]);
    assert!(told.contains("[root]/files/workspace") && told.contains("cannot be written: "), "{told}");
    assert!(ran.done.is_empty(), "{:?}", ran.done);
    lab.run(&[("tags", "smoke")]).refuses(&["broken", "other"]);
    lab.run(&[("class", "dev.trailblaze.trails.C")]).refuses(&["c/d"]);
    lab.run(&[("log", "true")]).gives_up();
}

/// The run goes on when the storage is full: the host still hears of every test.
#[cfg(target_os = "linux")]
#[test]
fn storage_that_is_full() {
    let lab = Lab::with(&[("a", &[ADD, ONE]), ("b", &[ADD, ONE])]);
    // A file where the folder of a trail must be, and a device that is always full.
    let reports = lab.root.join("files/reports");
    lab.phone.state().on_setting = Some(Box::new(move || {
        std::fs::write(reports.join("a"), "").unwrap();
        std::os::unix::fs::symlink("/dev/full", reports.join("events.jsonl")).unwrap();
    }));
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

/// A secure window has a tree but no picture: only who wants one fails, and a failure has none.
#[test]
fn a_screen_that_cannot_be_pictured() {
    let picture = "takeSnapshot: { screenName: form, description: d }";
    let lab = Lab::with(&[("a", &[picture]), ("b", &[ADD, ONE]), ("c", &[NINE])])
        .set(|state| state.is_secure = true);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 a", "0 b", "-2 c"]);
    let stack = ran.stack("a");
    assert!(stack.contains("the phone gives no picture of this screen"), "{stack}");
    assert!(stack.contains("hint: windows that are marked as secure cannot be pictured"), "{stack}");
    assert!(ran.stack("c").starts_with("no element with text 'Count: 9'"), "{}", ran.stack("c"));
    assert!(!lab.files("files/reports").iter().any(|file| file.ends_with(".png")));
}

/// A tool whose class is missing, or cannot say what it is, fails the trail that calls it and no other.
#[test]
fn a_class_that_cannot_be_used() {
    for (class, why) in [
        ("no.such.Tool", "ClassNotFoundException: no.such.Tool"),
        ("com.example.Speechless", "IllegalStateException: no words"),
    ] {
        let lab = Lab::with(&[("a", &["count: {}"]), ("b", &[ADD, ONE])])
            .asset("trailblaze-config/tools/count.yaml", &format!("id: count\nclass: {class}\n"))
            .set(|state| {
                state.classes.insert("com.example.Speechless", Err("IllegalStateException: no words"))
            });
        let ran = lab.run(&[]).finishes();
        assert_eq!(ran.ends(), ["-2 a", "0 b"]);
        let expected = format!("the class {class} cannot be used: {why}");
        assert!(ran.stack("a").starts_with(&expected), "{}", ran.stack("a"));
    }
}

/// The platform says why where only a shell hears it.
#[test]
fn a_permission_that_cannot_be_granted() {
    let grant = "grantPermission: { packageId: com.example.lab, permission: android.permission.CAMERA }";
    let launch = "maestro: { commands: [ { launchApp: { appId: com.example.lab, permissions: { camera: allow } } } ] }";
    let thrown = "java.lang.SecurityException: Package com.example.lab has not requested permission \
                  android.permission.CAMERA";
    let lab = Lab::with(&[("a", &[grant]), ("b", &[launch, ADD, ONE])]);
    assert_eq!(lab.run(&[]).finishes().ends(), ["0 a", "0 b"]);
    let lab = lab.set(|state| state.complaints.push(("pm grant", thrown)));
    let ran = lab.run(&[]).finishes();
    // An app is started with those of its permissions that it asks for.
    assert_eq!(ran.ends(), ["-2 a", "0 b"], "{}", ran.stack("b"));
    let expected = format!("'pm grant com.example.lab android.permission.CAMERA' failed: {thrown}");
    assert!(ran.stack("a").starts_with(&expected), "{}", ran.stack("a"));
    let is_warned =
        |event: &serde_json::Value| event["event"] == "warning" && event["message"] == expected.as_str();
    assert!(ran.events().iter().any(is_warned));
}

#[test]
fn a_setting_that_is_refused() {
    let thrown = "java.lang.SecurityException: Permission denial";
    let lab = one().set(|state| state.complaints.push(("settings put secure", thrown)));
    let told = lab.run(&[]).refuses(&["a"]);
    assert!(told.starts_with("'settings put secure enabled_accessibility_services "), "{told}");
    assert!(told.ends_with(&format!(" failed: {thrown}")), "{told}");
}

#[test]
fn what_java_throws_before_the_first_trail_ends_the_run() {
    for (method, trails) in [
        ("filesDir", &[][..]),
        ("assets", &[]),
        ("asset ", &["a"]),
        ("display", &[]),
        ("describeDevice", &[]),
        ("settings get", &["a"]),
        ("settings put", &["a"]),
        ("isServiceConnected", &["a"]),
    ] {
        let lab = one().broken(method);
        let told = lab.run(&[]).refuses(trails);
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
