//! What lies on the phone afterwards.

use std::fs;

use trailblaze_android::platform::Source;

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

/// A service can take pictures from API 30 on.
#[test]
fn an_old_phone_has_pictures_too() {
    for (sdk, by) in [("26", Source::UiAutomation), ("29", Source::UiAutomation), ("30", Source::Service)] {
        let lab = Lab::with(&[("a", &[NINE])]).set(|state| state.sdk = sdk);
        lab.run(&[]).finishes();
        assert_eq!(lab.phone.state().pictured_by, [by], "{sdk}");
    }
}

#[test]
fn the_host_names_another_folder() {
    let lab = Lab::with(&[("a", &[])]);
    let folder = lab.root.join("sdcard/out").to_string_lossy().into_owned();
    let ran = lab.run(&[("additionalTestOutputDir", &folder)]).finishes();
    assert!(
        ran.finish.get("stream").contains(&format!("reports: {folder}/trailblaze\n")),
        "{:?}",
        ran.finish
    );
    let expected = [".trailblaze-reports", "a/logcat.txt", "events.jsonl", "junit.xml", "summary.md"];
    assert_eq!(lab.files("sdcard/out"), expected.map(|file| format!("trailblaze/{file}")));
    assert!(lab.files("files/reports").is_empty());
}

/// What an earlier run left would be collected as if it were of this one; what others left is theirs.
#[test]
fn only_the_reports_of_this_run_are_there() {
    let lab = Lab::with(&[("a", &[NINE]), ("b", &[])]);
    let folder = lab.root.join("out").to_string_lossy().into_owned();
    lab.write("files/kept.txt", "");
    lab.write("out/benchmark.json", "");
    for (arguments, below) in
        [(&[][..], "files/reports"), (&[("additionalTestOutputDir", folder.as_str())], "out/trailblaze")]
    {
        let run = |more: &[(&str, &str)]| lab.run(&[arguments, more].concat());
        run(&[]).finishes();
        assert!(lab.files(below).contains(&"a/bundle.zip".to_owned()), "{:?}", lab.files(below));
        // A list is no run.
        run(&[("log", "true")]).finishes();
        assert!(lab.files(below).contains(&"a/bundle.zip".to_owned()), "{:?}", lab.files(below));
        run(&[("class", "dev.trailblaze.trails.Trails#b")]).finishes();
        let files = lab.files(below);
        let files: Vec<&String> = files.iter().filter(|file| !file.starts_with('.')).collect();
        assert_eq!(files, ["b/logcat.txt", "events.jsonl", "junit.xml", "summary.md"]);
        // Nor has a run that cannot begin anything to show.
        run(&[("target", "nobody")]).refuses(&["a", "b"]);
        assert!(lab.files(below).is_empty(), "{:?}", lab.files(below));
    }
    assert!(lab.files("files").contains(&"kept.txt".to_owned()));
    assert_eq!(lab.files("out"), ["benchmark.json"]);
}

/// What no run of ours has written is not removed.
#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let lab = Lab::with(&[("a", &[])]);
    let out = lab.root.join("out").to_string_lossy().into_owned();
    lab.write("out/trailblaze/notes.txt", "");
    let told = lab.run(&[("additionalTestOutputDir", &out)]).refuses(&["a"]);
    assert_eq!(
        told,
        "the folder [root]/out/trailblaze is not empty, and what is in it is not from a run\nhint: '-e \
         additionalTestOutputDir DIR' chooses another folder"
    );
    assert_eq!(lab.files("out"), ["trailblaze/notes.txt"]);
    // An empty one is nobody's.
    fs::remove_file(lab.root.join("out/trailblaze/notes.txt")).unwrap();
    lab.run(&[("additionalTestOutputDir", &out)]).finishes();
}

/// A workspace that was pushed to where reports go would be removed with them.
#[test]
fn a_workspace_is_not_among_the_reports() {
    let lab = Lab::new();
    for root in ["out/trailblaze", "out/trailblaze/inner", "out", "elsewhere/out/trailblaze"] {
        lab.write(&format!("{root}/trailblaze.yaml"), "target: lab\n");
        lab.write(&format!("{root}/trails/a.trail.yaml"), &trail("", &[LAUNCH]));
        // A mark does not help.
        lab.write("out/trailblaze/.trailblaze-reports", "");
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink(lab.root.join("elsewhere/out"), lab.root.join("linked"));
        let out = if root.starts_with("elsewhere") { "linked" } else { "out" };
        let (workspace, out) = (lab.root.join(root), lab.root.join(out));
        let arguments =
            [("workspace", workspace.to_str().unwrap()), ("additionalTestOutputDir", out.to_str().unwrap())];
        let told = lab.run(&arguments).refuses(&["a"]);
        assert!(
            told.contains(" and the workspace in [root]/") && told.contains(" lie in each other"),
            "{told}"
        );
        assert!(workspace.join("trails/a.trail.yaml").is_file());
        fs::remove_dir_all(workspace).unwrap();
    }
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
