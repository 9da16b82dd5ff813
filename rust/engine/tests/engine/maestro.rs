//! Inline Maestro commands, with the semantics of Maestro.

use serde_json::{Value, json};
use trailblaze_engine::dispatch::{Frame, dispatch};
use trailblaze_model::event::EventKind;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::support::{TURNED, World, trail_file};

const HOME: &str = "
@0,0,400,800
 Sign in @0,0,200,100 id=com.a:id/sign_in isClickable
 old text @0,300,200,340 id=com.a:id/name isFocused isEditable
 Box @0,400,100,500 isCheckable isChecked
 @0,500,100,600 hint=Search
";

fn run(world: &World, commands: Value) -> Result<(), Failure> {
    world.call("maestro", json!({ "commands": commands })).map(drop)
}

#[track_caller]
fn check(command: Value, expected: &[&str]) {
    let world = World::new(HOME);
    run(&world, json!([command])).unwrap_or_else(|failure| panic!("{command}: {failure}"));
    assert_eq!(world.actions(), expected, "{command}");
}

#[track_caller]
fn check_failure(command: Value, kind: FailureKind, message: &str) {
    let world = World::new(HOME);
    let failure = run(&world, json!([command])).expect_err("it must fail");
    assert_eq!((failure.kind, failure.message.as_str()), (kind, message), "{command}");
}

#[test]
fn tap_on_touches_an_element_a_point_or_a_point_of_an_element() {
    check(json!({ "tapOn": "Sign in" }), &["tap 100 50"]);
    check(json!({ "tapOn": { "id": "sign_in" } }), &["tap 100 50"]);
    check(json!({ "tapOn": { "text": "box", "checked": true, "index": 0 } }), &["tap 50 450"]);
    check(json!({ "tapOn": { "point": "50%,25%" } }), &["tap 200 200"]);
    check(json!({ "tapOn": { "point": "30,40" } }), &["tap 30 40"]);
    check(json!({ "tapOn": { "text": "Sign in", "point": "10%,20%" } }), &["tap 20 20"]);
    check(json!({ "tapOn": { "text": "Sign in", "point": "10,20" } }), &["tap 10 20"]);
    check(json!({ "tapOn": { "text": "Sign in", "label": "Let me in" } }), &["tap 100 50"]);
    check_failure(
        json!({ "tapOn": { "text": "Sign in", "point": "201,20" } }),
        FailureKind::InvalidArguments,
        "the point 201,20 lies outside of what it is a point of, 200 x 100",
    );
    check_failure(
        json!({ "tapOn": "Nobody" }),
        FailureKind::NotFound,
        "no element with text 'Nobody' within 17 s",
    );
}

#[test]
fn tap_on_repeats_with_the_delay_from_tap_to_tap() {
    let world = World::new(HOME);
    run(&world, json!([{ "tapOn": { "text": "Sign in", "repeat": 3, "delay": 400 } }])).unwrap();
    assert_eq!(world.actions(), ["tap 100 50"; 3]);
    let times: Vec<u64> = world
        .events()
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Device(_)))
        .map(|event| event.t)
        .collect();
    assert_eq!(times, [1_000, 1_400, 1_800]);
}

#[test]
fn tap_on_taps_once_more_when_nothing_changed_and_that_is_asked_for() {
    let tap = json!([{ "tapOn": { "text": "Sign in", "retryTapIfNoChange": true } }]);
    let world = World::new(HOME);
    run(&world, tap.clone()).unwrap();
    assert_eq!(world.actions().len(), 2);

    // Another capture of the same.
    let world = World::new(HOME);
    world.phone.after("tap", 10, HOME);
    run(&world, tap.clone()).unwrap();
    assert_eq!(world.actions().len(), 2);

    let world = World::new(HOME);
    world.phone.after("tap", 10, "Welcome @0,0,100,100");
    run(&world, tap.clone()).unwrap();
    assert_eq!(world.actions().len(), 1);

    // What changed before the tap does not count.
    let world = World::new("");
    world.phone.shows(3_000, HOME);
    run(&world, tap).unwrap();
    assert_eq!(world.actions().len(), 2);
}

#[test]
fn double_taps_and_long_presses() {
    check(json!({ "doubleTapOn": "Sign in" }), &["doubleTap 100 50"]);
    check(json!({ "doubleTapOn": { "id": "sign_in" } }), &["doubleTap 100 50"]);
    check(json!({ "longPressOn": "Sign in" }), &["longPress 100 50 3000"]);
    check(json!({ "longPressOn": { "point": "50%,50%" } }), &["longPress 200 400 3000"]);
}

#[test]
fn assertions_wait_seventeen_seconds_or_seven_when_they_are_optional() {
    #[track_caller]
    fn check(command: Value, shows_at: u64, passes: bool) {
        let world = World::new("Old @0,0,100,100");
        world.phone.shows(1_000 + shows_at, "New @0,0,100,100");
        let failure = run(&world, json!([command])).err();
        let passed = failure.is_none() && world.warnings().is_empty();
        assert_eq!(passed, passes, "{command} {failure:?}");
    }
    check(json!({ "assertVisible": "New" }), 17_000, true);
    check(json!({ "assertVisible": "New" }), 17_001, false);
    check(json!({ "assertVisible": { "text": "New", "optional": true } }), 7_000, true);
    check(json!({ "assertVisible": { "text": "New", "optional": true } }), 7_001, false);
    check(json!({ "assertNotVisible": "Old" }), 17_000, true);
    check(json!({ "assertNotVisible": "Old" }), 17_001, false);
}

#[test]
fn the_time_of_a_lookup_counts_from_the_last_action() {
    let world = World::new("Old @0,0,100,100");
    world.phone.shows(17_000, "New @0,0,100,100");
    let wait = json!({ "extendedWaitUntil": { "notVisible": "Old", "timeout": 10_000 } });
    let failure = run(&world, json!(["back", wait, { "assertVisible": "New" }])).unwrap_err();
    assert!(failure.message.contains("'Old' is still visible after 10 s"), "{failure}");
    // 1150 ms for going back, 10 s of waiting; what is left of 17 s is 7.
    let failure = run(&world, json!([{ "assertVisible": "Newer" }])).unwrap_err();
    assert_eq!(failure.message, "no element with text 'Newer' within 7 s");
    assert_eq!(world.session.now_ms(), 18_150);
    // There is always one look.
    run(&world, json!([{ "assertVisible": "New" }])).unwrap();
}

#[test]
fn an_extended_wait_has_its_own_time() {
    let world = World::new("Old @0,0,100,100");
    world.phone.shows(41_000, "New @0,0,100,100");
    let wait =
        |what: &str, text: &str, ms: &str| json!([{ "extendedWaitUntil": { what: text, "timeout": ms } }]);
    assert!(run(&world, wait("visible", "New", "30_000")).is_err());
    run(&world, wait("visible", "New", "10000")).unwrap();
    run(&world, wait("notVisible", "Old", "0")).unwrap();
    check_failure(
        json!({ "extendedWaitUntil": { "timeout": 5 } }),
        FailureKind::MaestroValidation,
        "'extendedWaitUntil' needs either 'visible' or 'notVisible'",
    );
}

#[test]
fn waiting_for_animations_never_fails() {
    let world = World::with(HOME, |setup| setup.phone.moves = Some((0, u64::MAX)));
    run(&world, json!([{ "waitForAnimationToEnd": { "timeout": 2_000 } }])).unwrap();
    assert_eq!(world.session.now_ms(), 2_600);
    run(&world, json!(["waitForAnimationToEnd"])).unwrap();
    assert_eq!(world.session.now_ms(), 4_200);
}

#[test]
fn swipes_have_four_shapes() {
    check(json!({ "swipe": { "direction": "UP" } }), &["swipe 200 400 200 80 400"]);
    check(json!({ "swipe": { "direction": "down" } }), &["swipe 200 160 200 720 400"]);
    check(json!({ "swipe": { "direction": "LEFT" } }), &["swipe 360 400 40 400 400"]);
    check(json!({ "swipe": { "direction": "RIGHT", "duration": 50 } }), &["swipe 40 400 360 400 50"]);
    check(json!({ "swipe": { "start": "1,2", "end": "3,4" } }), &["swipe 1 2 3 4 400"]);
    check(json!({ "swipe": { "start": "50%,40%", "end": "50%,80%" } }), &["swipe 200 320 200 640 400"]);
    check(json!({ "swipe": { "direction": "LEFT", "from": "Sign in" } }), &["swipe 100 50 40 50 400"]);
    check(
        json!({ "swipe": { "direction": "DOWN", "from": { "id": "sign_in", "point": "0%,100%" } } }),
        &["swipe 0 100 0 720 400"],
    );
    let bad = [
        json!({ "direction": "UP", "start": "1,2", "end": "3,4" }),
        json!({ "start": "1,2" }),
        json!({ "direction": "north" }),
        json!({}),
    ];
    for options in bad {
        let world = World::new(HOME);
        let failure = run(&world, json!(["back", { "swipe": options }])).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MaestroValidation, "{options}");
        assert_eq!(world.actions(), [""; 0], "nothing runs before all is right");
    }
}

#[test]
fn scrolling_goes_down_once() {
    check(json!("scroll"), &["swipe 200 400 200 80 400"]);
}

#[test]
fn scrolling_until_something_is_visible() {
    #[track_caller]
    fn check(options: Value, expected: &[&str]) {
        let world = World::new("Go @0,780,100,880");
        world.phone.after("swipe", 0, "Go @0,750,100,850");
        world.phone.after("swipe", 0, "Go @0,600,100,700");
        run(&world, json!([{ "scrollUntilVisible": options }])).unwrap();
        assert_eq!(world.actions(), expected, "{options}");
    }
    check(json!({ "element": "Go" }), &["swipe 200 400 200 80 601"; 2]);
    check(
        json!({ "element": { "text": "go" }, "speed": 100, "direction": "UP" }),
        &["swipe 200 400 200 720 1"; 2],
    );
    // Maestro divides whole numbers: 99 percent are none.
    check(json!({ "element": "Go", "visibilityPercentage": 99 }), &[]);
    check(
        json!({ "element": "Go", "visibilityPercentage": 99, "centerElement": true }),
        &["swipe 200 400 200 80 601"; 4],
    );

    let world = World::new("");
    let failure =
        run(&world, json!([{ "scrollUntilVisible": { "element": "Go", "timeout": 3_000 } }])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert_eq!(failure.message, "no element with text 'Go' up to the end of what scrolls");
    let failure =
        run(&world, json!([{ "scrollUntilVisible": { "element": "Go", "timeout": 500 } }])).unwrap_err();
    assert_eq!(failure.message, "no element with text 'Go' within 500 ms");
}

#[test]
fn keys() {
    check(json!("back"), &["back"]);
    check(json!({ "pressKey": "Back" }), &["back"]);
    check(json!({ "pressKey": "home" }), &["home"]);
    check(json!({ "pressKey": { "key": "Volume Up" } }), &["key VOLUME_UP"]);
    check_failure(json!({ "pressKey": "any" }), FailureKind::MaestroValidation, "unknown key 'any'");
}

#[test]
fn hiding_the_keyboard_fails_when_it_stays() {
    check(json!("hideKeyboard"), &[]);
    let keyboard = "A @0,0,10,10\n== keyboard\n@0,500,400,800";
    let world = World::new(keyboard);
    let failure = run(&world, json!(["hideKeyboard"])).unwrap_err();
    assert_eq!(failure.message, "the keyboard is still shown");
    let world = World::new(keyboard);
    world.phone.after("hideKeyboard", 100, "A @0,0,10,10");
    run(&world, json!(["hide keyboard"])).unwrap();
    assert_eq!(world.actions(), ["hideKeyboard"]);
}

#[test]
fn text_is_typed_as_it_was_written() {
    check(json!({ "inputText": "a b" }), &["setText 2 old texta b"]);
    check(json!({ "inputText": "0123" }), &["setText 2 old text0123"]);
    check(json!({ "inputText": { "text": 5 } }), &["setText 2 old text5"]);
    let world = World::new("nothing @0,0,10,10");
    assert_eq!(run(&world, json!([{ "inputText": "a" }])).unwrap_err().message, "no field has the focus");
}

#[test]
fn erasing_takes_fifty_characters_or_all_when_it_says_null() {
    check(json!("eraseText"), &["eraseText 50"]);
    check(json!({ "eraseText": {} }), &["eraseText 50"]);
    check(json!({ "eraseText": 3 }), &["eraseText 3"]);
    check(json!({ "eraseText": { "charactersToErase": 4 } }), &["eraseText 4"]);
    check(json!({ "eraseText": { "charactersToErase": null } }), &["eraseText 8"]);
}

#[test]
fn text_is_copied_and_pasted() {
    #[track_caller]
    fn check(from: Value, expected: &str) {
        let world = World::new(HOME);
        run(&world, json!([{ "copyTextFrom": from }, "pasteText"])).unwrap();
        assert_eq!(world.actions(), [format!("setText 2 old text{expected}")]);
        assert_eq!(world.session.memory.get("maestro.copiedText").as_deref(), Some(expected));
    }
    check(json!({ "id": "sign_in" }), "Sign in");
    check(json!("search"), "Search");
    check_failure(json!("pasteText"), FailureKind::NotFound, "nothing was copied");
    let world = World::new("@0,0,10,10 id=blank");
    let failure = run(&world, json!([{ "copyTextFrom": { "id": "blank" } }])).unwrap_err();
    assert_eq!(failure.message, "the element with id 'blank' has no text to copy");
}

#[test]
fn an_app_is_stopped_cleared_given_permissions_and_then_started() {
    check(json!("launchApp"), &["stopApp com.example.app", "launchApp com.example.app"]);
    check(json!({ "launchApp": "com.a" }), &["stopApp com.a", "launchApp com.a"]);
    check(json!({ "launchApp": { "appId": "com.a", "stopApp": false } }), &["launchApp com.a"]);
    check(
        json!({ "launchApp": { "appId": "com.a", "arguments": { "n": 1, "s": "x" } } }),
        &["stopApp com.a", r#"launchApp com.a {"n":1,"s":"x"}"#],
    );
    let permissions =
        json!({ "camera": "allow", "location": "deny", "com.a.OWN $": "unset", "all": "allow" });
    check(
        json!({ "launchApp": { "appId": "com.a", "clearState": true, "permissions": permissions } }),
        &[
            "stopApp com.a",
            "clearAppData com.a",
            "grantPermission com.a android.permission.CAMERA",
            "revokePermission com.a android.permission.ACCESS_FINE_LOCATION",
            "revokePermission com.a android.permission.ACCESS_COARSE_LOCATION",
            "revokePermission com.a com.a.OWN",
            "grantPermission com.a all",
            "launchApp com.a",
        ],
    );
}

#[test]
fn apps_without_a_name_are_the_app_of_the_target() {
    check(json!("stopApp"), &["stopApp com.example.app"]);
    check(json!({ "stopApp": "com.a" }), &["stopApp com.a"]);
    check(json!("clearState"), &["clearAppData com.example.app"]);
    check(json!({ "clearState": { "appId": "com.a" } }), &["clearAppData com.a"]);
    let world = World::with(HOME, |setup| setup.options.app_id = None);
    let failure = run(&world, json!(["launchApp"])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::MaestroValidation);
}

#[test]
fn links_are_opened() {
    check(json!({ "openLink": "https://a.example" }), &["openLink https://a.example"]);
    check(json!({ "openLink": { "link": "app://x", "autoVerify": true } }), &["openLink app://x"]);
}

#[test]
fn the_device_is_turned_and_moved() {
    check(json!({ "setOrientation": "LANDSCAPE_RIGHT" }), &["setOrientation landscapeRight"]);
    check(json!({ "setOrientation": { "orientation": "upsideDown" } }), &["setOrientation upsideDown"]);
    check(
        json!({ "setLocation": { "latitude": "52.52", "longitude": 13.405 } }),
        &["setLocation 52.52 13.405"],
    );
    let world = World::with(HOME, |setup| {
        setup.memory.set("way", "landscapeLeft");
        setup.memory.set("lat", "91");
    });
    run(&world, json!([{ "setOrientation": "${way}" }])).unwrap();
    assert_eq!(world.actions(), ["setOrientation landscapeLeft"]);
    let failure =
        run(&world, json!([{ "setLocation": { "latitude": "${lat}", "longitude": 0 } }])).unwrap_err();
    assert_eq!(failure.message, "'latitude' must be a number from -90 to 90, not '91'");
}

/// Shares of the screen are those of the screen as it is held.
#[test]
fn a_turned_screen_is_swiped_over_its_own_length() {
    let world = World::new(HOME);
    world.phone.after("setOrientation landscapeLeft", 50, &format!("{TURNED}\n@0,0,800,400\n Old @0,0,9,9"));
    world.phone.after("setOrientation portrait", 50, HOME);
    let swipe = || json!({ "swipe": { "direction": "LEFT" } });
    let tap = || json!({ "tapOn": { "point": "50%,25%" } });
    let (left, portrait) =
        (json!({ "setOrientation": "LANDSCAPE_LEFT" }), json!({ "setOrientation": "PORTRAIT" }));
    run(&world, json!([swipe(), left, swipe(), tap(), portrait, swipe(), tap()])).unwrap();
    let expected = [
        "swipe 360 400 40 400 400",
        "setOrientation landscapeLeft",
        "swipe 720 200 80 200 400",
        "tap 400 100",
        "setOrientation portrait",
        "swipe 360 400 40 400 400",
        "tap 200 200",
    ];
    assert_eq!(world.actions(), expected);
}

#[test]
fn an_optional_command_that_fails_is_a_warning_and_the_rest_goes_on() {
    let world = World::new(HOME);
    let optional = json!({ "tapOn": { "text": "Rate us", "optional": true, "label": "Close the survey" } });
    run(&world, json!([optional, "back"])).unwrap();
    assert_eq!(world.actions(), ["back"]);
    assert_eq!(
        world.warnings(),
        ["the optional command 'Close the survey' failed: no element with text 'Rate us' within 7 s"]
    );
}

#[test]
fn an_optional_command_does_not_forgive_a_broken_device() {
    let world = World::new(HOME);
    world.phone.fails("tap", FailureKind::Device, "the cable was pulled");
    let failure = run(&world, json!([{ "tapOn": { "text": "Sign in", "optional": true } }])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Device);
}

#[test]
fn a_command_that_is_unknown_or_comes_later_stops_everything_before_it_begins() {
    for (command, message) in [
        (json!("flyTo"), "unknown Maestro command 'flyTo'"),
        (json!({ "tapOn": { "txt": "a" } }), "the selector has no option 'txt'"),
        (
            json!({ "runFlow": "a.yaml" }),
            "the Maestro command 'runFlow' cannot run: it comes with Maestro flows, which this version does not run yet",
        ),
    ] {
        let world = World::new(HOME);
        let failure = run(&world, json!(["back", command])).unwrap_err();
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::MaestroValidation, message));
        assert_eq!(world.actions(), [""; 0]);
    }
}

#[test]
fn memory_fills_in_any_option_of_a_command() {
    let world = World::with(HOME, |setup| {
        setup.memory.set("who", "Sign in");
        setup.memory.set("times", "2");
        setup.memory.set("way", "up");
    });
    run(&world, json!([{ "tapOn": { "text": "${who}", "repeat": "${times}" } }, { "swipe": { "direction": "{{way}}" } }]))
        .unwrap();
    assert_eq!(world.actions(), ["tap 100 50", "tap 100 50", "swipe 200 400 200 80 400"]);
    let failure = run(&world, json!([{ "swipe": { "direction": "${who}" } }])).unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::MaestroValidation, "unknown direction 'Sign in'")
    );
}

#[test]
fn a_failure_points_at_its_command() {
    let text = "- tools:\n    - maestro:\n        commands:\n          - back\n          - tapOn: Nobody\n";
    let trail = trail_file(text);
    let world = World::new(HOME);
    let call = trail.steps[0].recording.all_calls().next().unwrap();
    let failure = dispatch(&world.session, call, &Frame::top(&world.session)).unwrap_err();
    assert_eq!(failure.at.unwrap().to_string(), "trails/own.trail.yaml:5:13");
    assert_eq!(failure.message, "command 2, 'tapOn': no element with text 'Nobody' within 17 s");
}
