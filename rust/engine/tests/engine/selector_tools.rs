//! Tools that take a selector or wait for the screen, over time.

use serde_json::{Value, json};
use trailblaze_model::failure::FailureKind;

use crate::support::World;

fn text(text: &str) -> Value {
    json!({ "androidAccessibility": { "textRegex": text } })
}

#[test]
fn an_element_that_comes_late_is_waited_for() {
    let world = World::new("Wait @0,0,100,100");
    world.phone.shows(3_050, "Done @0,0,200,100");
    world.call("tapOnElementBySelector", json!({ "nodeSelector": text("Done") })).unwrap();
    assert_eq!(world.actions(), ["tap 100 50"]);
    let args = json!({ "nodeSelector": text("Done"), "expectedText": "Done" });
    world.call("assertVisibleBySelector", args).unwrap();
}

#[test]
fn what_is_not_found_says_what_comes_near_and_why_not() {
    let world = World::new("@0,0,400,800\n Sign in @0,0,200,100 id=in isClickable\n Sign out @0,100,200,200");
    let hint = |selector: Value| {
        let failure = world.failure("tapOnElementBySelector", json!({ "nodeSelector": selector }));
        assert_eq!(failure.kind, FailureKind::NotFound, "{failure}");
        failure.hint.unwrap()
    };
    let near = hint(text("Sign im"));
    assert!(near.starts_with("nearest: 'Sign in' fails text (it is 'Sign in')"), "{near}");
    let flag = json!({ "androidAccessibility": { "textRegex": "Sign out", "isClickable": true } });
    let near = hint(flag);
    assert!(near.contains("'Sign out' fails isClickable: true"), "{near}");
    let related = json!({ "androidAccessibility": { "textRegex": "Sign in" }, "below": text("Sign out") });
    let near = hint(related);
    assert!(near.contains("'Sign in' would fit without 'below'"), "{near}");
}

#[test]
fn one_of_several_is_taken_with_a_warning() {
    let world = World::new("@0,0,400,800\n Row @0,0,200,100\n Row @0,100,200,200");
    world.call("tapOnElementBySelector", json!({ "nodeSelector": text("Row") })).unwrap();
    assert_eq!(world.actions(), ["tap 100 50"]);
    let selector = r#"{"androidAccessibility":{"textRegex":"Row"}}"#;
    let warning = "fits 2 elements; took 'Row' at 100,50, the first from the top left; also 'Row' at 100,150";
    assert_eq!(world.warnings(), [format!("{selector} {warning}")]);
    let first = json!({ "androidAccessibility": { "textRegex": "Row" }, "index": 0 });
    world.call("tapOnElementBySelector", json!({ "nodeSelector": first })).unwrap();
    assert_eq!(world.warnings().len(), 1, "an index says which");
}

#[test]
fn an_expected_text_that_comes_late_is_waited_for() {
    let world = World::new("0 @0,0,100,100 id=count");
    world.phone.shows(2_000, "1 @0,0,100,100 id=count");
    let count = json!({ "androidAccessibility": { "resourceIdRegex": "count" } });
    world.call("assertVisibleBySelector", json!({ "nodeSelector": count, "expectedText": "1" })).unwrap();
    assert_eq!(world.session.now_ms(), 2_000);
    let args = json!({ "nodeSelector": count, "expectedText": "2", "timeoutMs": 700 });
    let failure = world.failure("assertVisibleBySelector", args);
    assert_eq!(failure.kind, FailureKind::AssertionFailed);
    assert!(failure.message.ends_with(" says '1', not '2'"), "{failure}");
    assert_eq!(world.session.now_ms(), 2_700);
}

#[test]
fn an_element_without_a_text_says_what_is_in_it() {
    let world = World::new("@0,0,400,800 id=row\n Ada @0,0,10,10\n Rome @0,10,10,20");
    let row = json!({ "androidAccessibility": { "resourceIdRegex": "row" } });
    world
        .call("assertVisibleBySelector", json!({ "nodeSelector": row, "expectedText": "Ada Rome" }))
        .unwrap();
}

#[test]
fn what_disappears_late_is_waited_for() {
    let wait = |tool: &str| {
        let world = World::new("Busy @0,0,100,100");
        world.phone.shows(2_950, "Done @0,0,100,100");
        let output = world.call(tool, json!({ "nodeSelector": text("Busy") })).unwrap();
        assert_eq!(world.session.now_ms(), 3_000, "{tool}");
        output
    };
    wait("assertNotVisibleBySelector");
    assert_eq!(wait("waitUntilNotVisible").message, "true");
}

#[test]
fn the_first_match_is_waited_for_only_when_asked() {
    let world = World::new("Busy @0,0,100,100");
    world.phone.shows(2_950, "Done @0,0,100,100");
    assert_eq!(world.call("findMatches", json!({ "selector": text("Done") })).unwrap().message, "0");
    assert_eq!(world.session.now_ms(), 1_000);
    let args = json!({ "selector": text("Done"), "timeoutMs": 4000 });
    assert_eq!(world.call("findMatches", args).unwrap().message, "1");
    assert_eq!(world.session.now_ms(), 3_000);
}

#[test]
fn a_change_is_waited_for_until_it_is_over() {
    let world = World::new("a @0,0,100,100");
    world.phone.shows(2_000, "b @0,0,100,100");
    world.phone.shows(2_200, "c @0,0,100,100");
    world.call("waitForChange", json!({})).unwrap();
    assert_eq!(world.session.now_ms(), 2_500, "300 ms after the last change");
    let failure = world.failure("waitForChange", json!({ "timeoutMs": 400 }));
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::Timeout, "nothing changed within 400 ms")
    );
    let output = world.call("waitForChange", json!({ "timeoutMs": 400, "requireChange": false })).unwrap();
    assert_eq!(output.message, "nothing changed within 400 ms");
}

#[test]
fn a_screen_that_never_gets_quiet_ends_the_wait_at_its_limit() {
    let world = World::with("a @0,0,100,100", |setup| setup.phone.moves = Some((1_500, 60_000)));
    world.phone.shows(2_000, "b @0,0,100,100");
    world.call("waitForChange", json!({ "timeoutMs": 3000, "quietWindowMs": 500 })).unwrap();
    assert_eq!(world.session.now_ms(), 4_000);
}

const INBOX: &str = "
id: mail/inbox
android:
  required:
    - description: the title
      selector: { androidAccessibility: { textRegex: Inbox } }
    - minCount: 2
      selector: { androidAccessibility: { resourceIdRegex: row } }
  forbidden:
    - description: a dialog
      selector: { androidAccessibility: { resourceIdRegex: dialog } }
";
const REACHED: &str = "@0,0,400,800\n Inbox @0,0,10,10\n a @0,10,10,20 id=row\n b @0,20,10,30 id=row";

fn mail(shows: &str) -> World {
    World::with(shows, |setup| setup.waypoint(INBOX))
}

#[test]
fn a_waypoint_is_asserted_and_waited_for() {
    let world = mail(REACHED);
    world.call("assertWaypoint", json!({ "waypoint": "mail/inbox" })).unwrap();
    assert_eq!(world.session.now_ms(), 1_000);
    let world = mail("Loading @0,0,10,10");
    world.phone.shows(3_300, REACHED);
    world.call("assertWaypoint", json!({ "waypoint": "mail/inbox" })).unwrap();
    assert_eq!(world.session.now_ms(), 3_500, "it is looked every 250 ms");
    let world = mail("Loading @0,0,10,10");
    world.phone.shows(3_300, REACHED);
    world.call("assertWaypoint", json!({ "waypoint": "mail/inbox", "pollIntervalMs": 2400 })).unwrap();
    assert_eq!(world.session.now_ms(), 3_400);
}

#[test]
fn a_waypoint_that_is_never_reached_says_what_is_missing_and_what_is_there() {
    let world = mail("@0,0,400,800\n a @0,10,10,20 id=row\n OK @0,20,10,30 id=dialog");
    let failure = world.failure("assertWaypoint", json!({ "waypoint": "mail/inbox" }));
    assert_eq!(failure.kind, FailureKind::AssertionFailed);
    assert_eq!(failure.message, "the screen is not 'mail/inbox'");
    assert_eq!(
        failure.hint.as_deref(),
        Some(
            r#"missing: the title; {"androidAccessibility":{"resourceIdRegex":"row"}} (1 of 2) | must not be there: a dialog"#
        )
    );
    assert_eq!(world.session.now_ms(), 6_000);
    let failure = world.failure("assertWaypoint", json!({ "waypoint": "mail/inbox", "timeoutMs": 0 }));
    assert_eq!(failure.message, "the screen is not 'mail/inbox'");
    assert_eq!(world.session.now_ms(), 6_000);
}

#[test]
fn a_waypoint_for_other_devices_is_not_reached() {
    let world = World::with(REACHED, |setup| setup.waypoint("id: mail/web\nweb: {}\n"));
    let failure = world.failure("assertWaypoint", json!({ "waypoint": "mail/web", "timeoutMs": 100 }));
    assert_eq!(failure.hint.as_deref(), Some("no classifier block"));
}

#[test]
fn the_app_of_the_target_stands_in_waypoints() {
    let text = "id: mail/own\nandroid: { required: [{ selector: { androidAccessibility: { resourceIdRegex: '{{target.appId}}:id/row' } } }] }\n";
    let world = World::with("a @0,0,10,10 id=com.example.app:id/row", |setup| setup.waypoint(text));
    world.call("assertWaypoint", json!({ "waypoint": "mail/own" })).unwrap();
    let world = World::with("a @0,0,10,10 id=com.example.app:id/row", |setup| {
        setup.waypoint(text);
        setup.options.app_id = None;
    });
    let failure = world.failure("assertWaypoint", json!({ "waypoint": "mail/own" }));
    assert_eq!(failure.hint.as_deref(), Some("it names {{target.appId}}, and no app id is known"));
}

#[test]
fn a_waypoint_that_nobody_knows_is_wrong_at_once() {
    let world = mail(REACHED);
    let failure = world.failure("assertWaypoint", json!({ "waypoint": "mail/inbx" }));
    assert_eq!(failure.kind, FailureKind::InvalidArguments);
    assert_eq!(failure.message, "there is no waypoint 'mail/inbx'");
    assert_eq!(failure.hint.as_deref(), Some("did you mean 'mail/inbox'?"));
    assert_eq!(world.session.now_ms(), 1_000);
    let failure = World::new(REACHED).failure("assertWaypoint", json!({ "waypoint": "mail/inbox" }));
    let hint = "waypoints are files in trailblaze-config/waypoints";
    assert_eq!((failure.kind, failure.hint.as_deref()), (FailureKind::InvalidArguments, Some(hint)));
}

/// Runs out of steps on a long row of the letter a.
const SLOW: &str = r"(?=b?)(a|aa)+\1c";

#[test]
fn a_pattern_that_takes_too_long_fails_whatever_asks_with_it() {
    let native = || json!({ "androidAccessibility": { "textRegex": SLOW } });
    let inner = json!({ "androidAccessibility": { "textRegex": "Go" }, "below": native() });
    let maestro = |command: Value| json!({ "commands": [command] });
    let calls = [
        ("assertNotVisibleWithText", json!({ "text": SLOW })),
        ("assertNotVisibleWithText", json!({ "text": "Go", "id": SLOW })),
        ("assertVisibleWithText", json!({ "text": SLOW })),
        ("assertVisibleWithAccessibilityText", json!({ "accessibilityText": SLOW })),
        ("assertVisible", json!({ "text": SLOW, "expectedText": "a" })),
        ("waitUntilVisible", json!({ "text": SLOW, "timeoutMs": 100 })),
        ("tap", json!({ "text": SLOW })),
        ("isVisible", json!({ "text": SLOW })),
        ("getElementCount", json!({ "text": SLOW })),
        ("getElementText", json!({ "id": SLOW })),
        ("scrollUntilTextIsVisible", json!({ "textRegex": SLOW })),
        ("maestro", maestro(json!({ "assertNotVisible": SLOW }))),
        ("maestro", maestro(json!({ "assertNotVisible": { "text": "Go", "below": { "text": SLOW } } }))),
        ("maestro", maestro(json!({ "assertNotVisible": { "text": "Go", "childOf": { "text": SLOW } } }))),
        ("maestro", maestro(json!({ "extendedWaitUntil": { "notVisible": SLOW, "timeout": 100 } }))),
        ("assertNotVisibleBySelector", json!({ "nodeSelector": native() })),
        ("assertNotVisibleBySelector", json!({ "nodeSelector": inner })),
        ("assertVisibleBySelector", json!({ "nodeSelector": native() })),
        (
            "assertVisibleBySelector",
            json!({ "nodeSelector": text("a+"), "expectedText": SLOW, "textMatchMode": "REGEX" }),
        ),
        ("tapOnElementBySelector", json!({ "nodeSelector": native() })),
        ("tapOn", json!({ "selector": native() })),
        ("tapOnAccessibilityNode", json!({ "textRegex": SLOW })),
        ("waitUntilNotVisible", json!({ "nodeSelector": native() })),
        ("findMatches", json!({ "selector": native() })),
    ];
    let row = "a".repeat(60);
    let world = World::new(&format!(
        "@0,0,400,800\n {row} @0,0,100,100 desc={row} id={row}\n Go @0,100,100,200 id={row}"
    ));
    for (tool, args) in calls {
        let failure = world.failure(tool, args.clone());
        assert_eq!(failure.kind, FailureKind::InvalidArguments, "{tool} {args}: {failure}");
        assert_eq!(failure.message, format!("the pattern '{SLOW}' takes too long on this screen"), "{tool}");
        assert!(failure.hint.is_some_and(|hint| hint.starts_with("make it simpler")), "{tool}");
    }
    assert_eq!(world.actions(), [""; 0]);
}
