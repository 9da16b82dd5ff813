//! How the phone is held and where it is: trails, flows, what an app sees of it, and a replay.

use insta::assert_snapshot;

use crate::space::{APP, Space};

/// The app with handlers that note what they hear.
fn lab() -> Space {
    let space = Space::lab();
    let handler = "back: (state) =>";
    let more = "rotate: (state, e) => ({ ...state, note: `${e.orientation} ${e.width}x${e.height}` }),
    location: (state, e) => ({ ...state, note: `at ${e.latitude}, ${e.longitude}` }),
    ";
    space.write("app.js", APP.replace(handler, &format!("{more}{handler}")));
    space
}

#[test]
fn a_trail_turns_the_phone_and_moves_it() {
    let space = lab();
    space.trail(
        "travel",
        &[
            "setOrientation: { orientation: LANDSCAPE_LEFT }",
            "assertVisibleWithText: { text: landscapeLeft 2400x1080 }",
            "swipe: { direction: LEFT }",
            "maestro: { commands: [ { setOrientation: portrait }, { assertVisible: portrait 1080x2400 } ] }",
            "swipe: { direction: LEFT }",
            "setLocation: { latitude: 52.52, longitude: 13.405 }",
            "assertVisibleWithText: { text: \"at 52.52, 13.405\" }",
            "maestro: { commands: [ { setLocation: { latitude: \"-33.5\", longitude: 151 } } ] }",
            "assertVisibleWithText: { text: \"at -33.5, 151\" }",
        ],
    );
    space.run(&["run", "--events", "events.jsonl", "--capture", "sessions"]).exits(0);
    assert_snapshot!(space.device_events("events.jsonl")[3..].join("\n"), @r#"
    {"action":"setOrientation","orientation":"landscapeLeft"}
    {"action":"swipe","x1":2160,"y1":540,"x2":240,"y2":540,"durationMs":400}
    {"action":"setOrientation","orientation":"portrait"}
    {"action":"swipe","x1":972,"y1":1200,"x2":108,"y2":1200,"durationMs":400}
    {"action":"setLocation","latitude":52.52,"longitude":13.405}
    {"action":"setLocation","latitude":-33.5,"longitude":151.0}
    "#);
    let ran = space.run(&["replay", "sessions/travel"]).exits(0);
    assert!(ran.stdout.ends_with("travel: as recorded (passed)\n"), "{ran}");
}

#[test]
fn what_is_no_orientation_and_no_place_is_found_without_a_device() {
    let space = Space::lab();
    space.trail(
        "wrong",
        &[
            "setOrientation: { orientation: SIDEWAYS }",
            "setLocation: { latitude: 90.5, longitude: 13.405 }",
            "setLocation: { latitude: 52.52 }",
            "maestro: { commands: [ { setOrientation: sideways }, { setLocation: { latitude: 0, longitude: 200 } } ] }",
        ],
    );
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 5 errors, 0 warnings
    ----- stderr
    error: trails/wrong.trail.yaml:8:51: 'setOrientation': 'orientation' must be one of PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT, UPSIDE_DOWN, not 'SIDEWAYS'
    8 |       android: [ { setOrientation: { orientation: SIDEWAYS } } ]
      |                                                   ^

    error: trails/wrong.trail.yaml:11:45: 'setLocation': 'latitude' must be at most 90
    11 |       android: [ { setLocation: { latitude: 90.5, longitude: 13.405 } } ]
       |                                             ^

    error: trails/wrong.trail.yaml:14:20: 'setLocation': 'longitude' is missing
    14 |       android: [ { setLocation: { latitude: 52.52 } } ]
       |                    ^

    error: trails/wrong.trail.yaml:17:61: unknown orientation 'sideways'
    17 |       android: [ { maestro: { commands: [ { setOrientation: sideways }, { setLocation: { latitude: 0, longitude: 200 } }
       |                                                             ^
    hint: use PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT or UPSIDE_DOWN

    error: trails/wrong.trail.yaml:17:114: 'longitude' must be a number from -180 to 180, not '200'
    17 | mands: [ { setOrientation: sideways }, { setLocation: { latitude: 0, longitude: 200 } } ] } } ]
       |                                                                                 ^
    hint: a place is degrees: { latitude: 52.52, longitude: 13.405 }
    ");
}
