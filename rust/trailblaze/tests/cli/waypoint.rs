//! `waypoint`: where captured screens are, and waypoints in trails.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::{Map, Value};

use crate::space::{Space, json, repository};

const CAPTURES: &str = "tests/captures";

#[test]
fn the_truth_matrix_is_the_expected_one() {
    let args = ["waypoint", "check", "--screens", CAPTURES, "--waypoints", CAPTURES, "--json"];
    let ran = Space::empty().run_in_repository(&args).exits(0);
    let expected = std::fs::read_to_string(repository().join(CAPTURES).join("expected.json")).unwrap();
    let expected = json(&expected);
    let ids: Vec<&String> = expected["waypoints"].as_object().unwrap().keys().collect();
    let mut matrix = Map::new();
    for (screen, matching) in expected["matches"].as_object().unwrap() {
        let matching: BTreeSet<&str> =
            matching.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let row = ids.iter().map(|id| ((*id).clone(), matching.contains(id.as_str()).into())).collect();
        matrix.insert(screen.clone(), Value::Object(row));
    }
    assert_eq!(ids.len() * matrix.len(), 324);
    assert_eq!(ran.json(), Value::Object(matrix));
    // Why, for every false one.
    let reasons = ran.stderr.lines().filter(|line| line.contains(".example.json: not ")).count();
    assert_eq!(reasons, 324 - 21);
}

#[test]
fn the_matrix_for_people() {
    let args = ["waypoint", "check", "--screens", CAPTURES, "--waypoints", CAPTURES];
    assert_snapshot!(Space::empty().run_in_repository(&args).exits(0).stdout, @"
    calendar_android_add_people_typing.example.json: calendar/android/add_people_typing
    calendar_android_custom_notification_dialog.example.json: calendar/android/custom_notification_dialog
    calendar_android_discard_dialog.example.json: calendar/android/discard_dialog
    calendar_android_drawer_calendars.example.json: calendar/android/drawer_calendar_unchecked, calendar/android/drawer_calendars, calendar/android/schedule_view
    calendar_android_event_date_picker.example.json: calendar/android/event_date_picker
    calendar_android_event_detail_recurring.example.json: calendar/android/event_detail, calendar/android/event_detail_recurring, calendar/android/event_url_intent
    calendar_android_quick_create_with_location.example.json: calendar/android/event_duplicate_form, calendar/android/quick_create_expanded, calendar/android/quick_create_with_location
    calendar_android_search_with_results.example.json: calendar/android/search, calendar/android/search_typing, calendar/android/search_with_results
    calendar_android_settings_general.example.json: calendar/android/settings_general
    calendar_android_settings_overflow_menu.example.json: calendar/android/settings_overflow_menu
    calendar_android_time_picker_text_mode.example.json: calendar/android/time_picker_text_mode
    calendar_android_week_view.example.json: calendar/android/three_day_view, calendar/android/week_view
    ");
}

#[test]
fn one_screen_is_located() {
    let space = Space::empty();
    let locate = |name: &str, more: &[&str]| {
        let screen = format!("{CAPTURES}/calendar_android_{name}.example.json");
        let args = ["waypoint", "locate", "--screen", &screen, "--waypoints", CAPTURES];
        space.run_in_repository(&[&args[..], more].concat()).exits(0)
    };
    assert_snapshot!(locate("week_view", &[]).stdout, @"
    calendar/android/three_day_view
    calendar/android/week_view
    ");
    let result = locate("week_view", &["--json"]).json();
    let week: Vec<&str> = result["waypoints"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(week, ["calendar/android/three_day_view", "calendar/android/week_view"]);
    assert!(locate("week_view", &[]).stderr.contains("not calendar/android/search: missing: "));
}

const HERE: &str = "id: lab/counted
android:
  required:
    - description: the counter at one
      selector: { androidAccessibility: { textRegex: 'Count: 1' } }
";

#[test]
fn bad_folders_and_files_are_errors() {
    let space = Space::empty();
    space.write("empty/readme.md", "nothing");
    space.write(
        "bad/one.waypoint.yaml",
        "id: a/b\nandroid:\n  required:\n    - selector: { androidAccessibility: { textRegexp: x } }\n",
    );
    space.write("good/one.waypoint.yaml", HERE);
    let captures = repository().join(CAPTURES).display().to_string();
    let check = |screens: &str, waypoints: &str| {
        space.run(&["waypoint", "check", "--screens", screens, "--waypoints", waypoints]).exits(3).stderr
    };
    assert_snapshot!(check("empty", "good"), @"error: no captures in empty");
    assert_snapshot!(check("none", "good"), @"error: none is no folder");
    assert_snapshot!(check(&captures, "bad"), @"
    error: bad/one.waypoint.yaml:4:55: 'androidAccessibility' has no predicate 'textRegexp'
    4 |     - selector: { androidAccessibility: { textRegexp: x } }
      |                                                       ^
    hint: did you mean 'textRegex'?

    error: the waypoints have errors
    hint: see above
    ");
    assert_snapshot!(check(&captures, "none"), @"error: none is no folder");
    assert_snapshot!(check(&captures, "empty"), @"error: no waypoints in empty");
}

#[test]
fn a_broken_capture_in_the_folder_is_an_error() {
    let space = Space::empty();
    let name = "calendar_android_discard_dialog.example.json";
    let whole = std::fs::read(repository().join(CAPTURES).join(name)).unwrap();
    space.write("waypoints/one.waypoint.yaml", HERE);
    space.write("screens/good.json", &whole);
    // Other JSON is left out.
    space.write("screens/list.json", "[1, 2]");
    space.write("screens/other.json", r#"{ "list": { "viewHierarchy": 1 } }"#);
    let check = || space.run(&["waypoint", "check", "--screens", "screens", "--waypoints", "waypoints"]);
    assert_snapshot!(check().exits(0).to_string(), @"
    exit: 0
    ----- stdout
    good.json: no waypoint
    ----- stderr
    note: screens/list.json is no capture and was left out
    note: screens/other.json is no capture and was left out
    good.json: not lab/counted: missing: the counter at one
    ");
    let broken = |bytes: &[u8]| {
        space.write("screens/broken.json", bytes);
        check().exits(3).stderr
    };
    // Cut before and behind the key of the tree.
    assert_snapshot!(broken(&whole[..150]), @"
    error: screens/broken.json: 4:46: EOF while parsing a string
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy', or a screen of a saved run
    ");
    assert_snapshot!(broken(&whole[..3000]), @"
    error: screens/broken.json: 66:5: EOF while parsing a value
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy', or a screen of a saved run
    ");
    assert_snapshot!(broken(b""), @"
    error: screens/broken.json: 1:0: EOF while parsing a value
    hint: a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy', or a screen of a saved run
    ");
    let mut bytes = whole.clone();
    bytes[100] = 0xff;
    assert_snapshot!(broken(&bytes), @"error: screens/broken.json: it is not text in UTF-8");
}

#[test]
fn the_screens_of_saved_runs_are_checked() {
    let space = Space::lab();
    space.write("waypoints/deep/one.waypoint.yaml", HERE);
    space.trail("there", &["tap: { text: Add one }", "assertVisible: { text: 'Count: 1' }"]);
    space.run(&["run", "--capture", "sessions"]).exits(0);
    let check = |screens: &str| {
        space.run(&["waypoint", "check", "--screens", screens, "--waypoints", "waypoints"]).exits(0).stdout
    };
    let all = check("sessions");
    assert!(all.contains("there/screens/00000.tbsc: no waypoint\n"), "{all}");
    assert!(all.contains(".tbsc: lab/counted\n"), "{all}");
    assert_eq!(check("sessions/there"), all.replace("there/screens/", "screens/"));
    assert_eq!(check("sessions/there/screens"), all.replace("there/screens/", ""));
    let last = all.lines().find(|line| line.ends_with("lab/counted")).unwrap();
    let screen = format!("sessions/{}", last.split(": ").next().unwrap());
    let args = ["waypoint", "locate", "--screen", &screen, "--waypoints", "waypoints"];
    assert_eq!(space.run(&args).exits(0).stdout, "lab/counted\n");
}

#[test]
fn two_waypoints_with_one_id_are_an_error_that_names_both() {
    let space = Space::lab();
    space.write("trailblaze-config/waypoints/a.waypoint.yaml", HERE);
    space.write("trailblaze-config/waypoints/deep/b.waypoint.yaml", HERE);
    space.trail("there", &["tap: { text: Add one }"]);
    let captures = repository().join(CAPTURES).display().to_string();
    let waypoints = "trailblaze-config/waypoints";
    let ran = space.run(&["waypoint", "check", "--screens", &captures, "--waypoints", waypoints]);
    assert_snapshot!(ran.exits(3).stderr, @"
    error: trailblaze-config/waypoints/deep/b.waypoint.yaml:1:1: two waypoints are called 'lab/counted': trailblaze-config/waypoints/a.waypoint.yaml and trailblaze-config/waypoints/deep/b.waypoint.yaml
    hint: rename one of them

    error: the waypoints have errors
    hint: see above
    ");
    assert_snapshot!(space.run(&["check"]).exits(3).to_string(), @"
    exit: 3
    ----- stdout
    5 files checked: 1 error, 0 warnings
    ----- stderr
    error: trailblaze-config/waypoints/a.waypoint.yaml:1:1: two waypoints are called 'lab/counted': trailblaze-config/waypoints/deep/b.waypoint.yaml and trailblaze-config/waypoints/a.waypoint.yaml
    1 | id: lab/counted
      | ^
    hint: rename one of them
    ");
    space.run(&["run"]).exits(3);
}

#[test]
fn a_waypoint_that_nobody_knows_is_found_by_check() {
    let space = Space::lab();
    space.write("trailblaze-config/waypoints/a.waypoint.yaml", HERE);
    space.trail("there", &["assertWaypoint: { waypoint: lab/countd }"]);
    assert_snapshot!(space.run(&["check"]).exits(3).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/there.trail.yaml:8:48: there is no waypoint 'lab/countd'
    8 |       android: [ { assertWaypoint: { waypoint: lab/countd } } ]
      |                                                ^
    hint: did you mean 'lab/counted'?
    ");
}

#[test]
fn an_app_id_is_filled_in() {
    let space = Space::empty();
    let text = "id: calendar/own\nandroid: { required: [{ selector: { androidAccessibility: { resourceIdRegex: '{{target.appId}}:id/buttonPanel' } } }] }\n";
    space.write("own/one.waypoint.yaml", text);
    let screen = repository().join(CAPTURES).join("calendar_android_discard_dialog.example.json");
    let screen = screen.display().to_string();
    let locate = |more: &[&str]| {
        let args = ["waypoint", "locate", "--screen", &screen, "--waypoints", "own"];
        space.run(&[&args[..], more].concat()).exits(0).to_string()
    };
    assert_snapshot!(locate(&[]), @"
    exit: 0
    ----- stdout
    no waypoint
    ----- stderr
    not calendar/own: it names {{target.appId}}, and no app id is known
    ");
    assert_snapshot!(locate(&["--app-id", "com.google.android.calendar"]), @"
    exit: 0
    ----- stdout
    calendar/own
    ----- stderr
    ");
    assert_snapshot!(locate(&["--app-id", "com.other"]), @r#"
    exit: 0
    ----- stdout
    no waypoint
    ----- stderr
    not calendar/own: missing: {"androidAccessibility":{"resourceIdRegex":"{{target.appId}}:id/buttonPanel"}}
    "#);
}

#[test]
fn a_trail_asserts_a_waypoint_of_its_workspace() {
    let space = Space::lab();
    space.write("trailblaze-config/waypoints/deep/counted.waypoint.yaml", HERE);
    space.trail("there", &["tap: { text: Add one }", "assertWaypoint: { waypoint: lab/counted }"]);
    space.run(&["run"]).exits(0);
    space.trail("there", &["assertWaypoint: { waypoint: lab/counted }"]);
    assert_snapshot!(space.run(&["run"]).to_string(), @r#"
    exit: 1
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ there  5.1 s
      ✓ Start
      ✗ Step 1  5.0 s
        error: trails/there.trail.yaml:8:20: the screen is not 'lab/counted'
          in assertWaypoint {"waypoint":"lab/counted"}
        hint: missing: the counter at one
        step-2-failed: .trailblaze/runs/[run]/there/step-2-failed.png
        bundle: .trailblaze/runs/[run]/there/bundle.zip

    0 passed, 1 failed in 5.1 s of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    "#);
}
