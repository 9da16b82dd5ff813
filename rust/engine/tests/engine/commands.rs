//! The primitives: waiting, settling, the keyboard, points.

use serde_json::json;
use trailblaze_engine::commands::{Commands, FIND_MS, Launch, Touch, point_in};
use trailblaze_engine::host::{Host, HostCommand, NoHost};
use trailblaze_model::failure::FailureKind;
use trailblaze_model::maestro::{Direction, Point};
use trailblaze_model::screen::Bounds;
use trailblaze_model::selector::Selector;

use crate::support::{World, screen};

const GO: &str = "Go @0,0,100,100 isClickable";

fn commands(world: &World) -> Commands<'_> {
    Commands::new(&world.session, u64::MAX)
}

#[test]
fn an_element_is_looked_for_every_tenth_of_a_second_until_it_is_there() {
    let world = World::new("Wait @0,0,100,100");
    world.phone.shows(2_250, GO);
    world.call("assertVisible", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.session.now_ms(), 2_300);
}

#[test]
fn an_element_that_comes_in_the_last_moment_is_found() {
    let world = World::new("");
    world.phone.shows(1_000 + FIND_MS, GO);
    world.call("tap", json!({ "text": "Go" })).unwrap();
    let world = World::new("");
    world.phone.shows(1_001 + FIND_MS, GO);
    let failure = world.failure("tap", json!({ "text": "Go" }));
    assert_eq!(failure.kind, FailureKind::NotFound);
}

#[test]
fn without_time_there_is_still_one_look() {
    let world = World::new(GO);
    assert!(commands(&world).is_visible(&Selector::text("Go"), 0).unwrap());
    assert_eq!(world.session.now_ms(), 1_000);
}

#[test]
fn an_element_is_waited_for_until_it_is_gone() {
    let world = World::new(GO);
    world.phone.shows(3_000, "");
    world.call("assertNotVisibleWithText", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.session.now_ms(), 3_000);
}

#[test]
fn an_expected_text_is_waited_for() {
    let world = World::new("0 boxes @0,0,100,100 id=count");
    world.phone.shows(2_000, "2 boxes @0,0,100,100 id=count");
    world.call("assertVisible", json!({ "id": "count", "expectedText": "2 boxes" })).unwrap();
    assert_eq!(world.session.now_ms(), 2_000);
}

#[test]
fn queries_never_fail_on_not_found() {
    let world = World::new(GO);
    let commands = commands(&world);
    let nobody = Selector::id("nobody");
    assert!(!commands.is_visible(&nobody, 400).unwrap());
    assert_eq!(commands.element_text(&nobody).unwrap(), None);
    assert_eq!(commands.element_count(&nobody).unwrap(), 0);
    assert_eq!(world.session.now_ms(), 1_400);
    assert_eq!(world.events().len(), 0, "and say nothing");
}

#[test]
fn a_screen_is_still_after_a_tenth_of_a_second_of_quiet() {
    #[track_caller]
    fn check(moves_until: u64, expected: u64, still: bool) {
        let world = World::with("", |setup| setup.phone.moves = Some((1_000, moves_until)));
        assert_eq!(commands(&world).settle().unwrap(), still);
        assert_eq!(world.session.now_ms(), expected);
    }
    // The first change is waited for 150 ms.
    check(0, 1_150, true);
    check(1_040, 1_150, true);
    check(1_500, 1_600, true);
    // Events that change nothing on the screen are waited for, but not for ever.
    check(u64::MAX, 2_600, true);
}

#[test]
fn a_change_within_the_grace_is_waited_for() {
    let world = World::new("");
    world.phone.after("home", 140, GO);
    world.call("pressHome", json!({})).unwrap();
    assert_eq!(world.session.now_ms(), 1_240);
    let world = World::new("");
    world.phone.after("home", 160, GO);
    world.call("pressHome", json!({})).unwrap();
    assert_eq!(world.session.now_ms(), 1_150);
}

#[test]
fn an_element_that_moves_is_touched_where_it_stops() {
    let world = World::new("");
    world.phone.shows(1_500, "Go @0,0,100,100");
    world.phone.shows(1_560, "Go @0,200,100,300");
    world.phone.shows(1_620, "Go @0,400,100,500");
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 450"]);
}

#[test]
fn an_element_on_a_screen_that_never_stops_is_touched_all_the_same() {
    let world = World::with(GO, |setup| setup.phone.moves = Some((0, u64::MAX)));
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 50"]);
    assert_eq!(world.session.now_ms(), 1_000 + 100 + 1_600);
}

#[test]
fn only_the_part_that_can_be_seen_is_touched() {
    let world = World::new("Go @-100,700,100,1100");
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 750"]);
}

#[test]
fn of_several_elements_one_is_taken_with_a_warning() {
    let world = World::new("Go @0,0,100,100\nGo @0,100,100,200 isClickable");
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 150"]);
    assert_eq!(
        world.warnings(),
        [
            "text 'Go' fits 2 elements; took 'Go' at 50,150, the only one in the topmost window; also 'Go' at 50,50"
        ]
    );
}

#[test]
fn a_keyboard_over_an_element_is_hidden_first() {
    let keyboard = format!("Go @0,700,100,800\n{GO}\n== keyboard\n@0,500,400,800");
    let world = World::new(&keyboard);
    world.phone.after("hideKeyboard", 50, "Go @0,700,100,800");
    world.call("tap", json!({ "text": "Go", "index": -1 })).unwrap();
    assert_eq!(world.actions(), ["hideKeyboard", "tap 50 750"]);

    let world = World::new(&keyboard);
    world.call("tap", json!({ "text": "Go", "index": 0 })).unwrap();
    assert_eq!(world.actions(), ["tap 50 50"], "it stays when it covers something else");

    let world = World::new(&keyboard);
    let failure = world.failure("tap", json!({ "text": "Go", "index": -1 }));
    assert!(failure.message.ends_with("is covered by the keyboard, which could not be hidden"), "{failure}");
}

#[test]
fn the_keyboard_is_hidden_after_typing_unless_told_otherwise() {
    let keyboard = "old @0,0,100,100 isFocused isEditable\n== keyboard\n@0,500,400,800";
    let world = World::new(keyboard);
    world.call("inputText", json!({ "text": "a" })).unwrap();
    world.call("inputText", json!({ "text": "b", "hideKeyboardAfter": false })).unwrap();
    world.call("hideKeyboard", json!({})).unwrap();
    assert_eq!(world.actions(), ["setText 0 olda", "hideKeyboard", "setText 0 oldab", "hideKeyboard"]);
}

#[test]
fn typing_and_erasing_need_a_field_with_the_focus() {
    let world = World::new("old @0,0,100,100 isEditable");
    for (tool, args) in
        [("inputText", json!({ "text": "a" })), ("eraseText", json!({})), ("clearText", json!({}))]
    {
        let failure = world.failure(tool, args);
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (FailureKind::NotFound, "no field has the focus")
        );
    }
    assert_eq!(world.actions(), [""; 0]);
}

#[test]
fn clearing_erases_as_much_as_the_field_holds_or_500() {
    #[track_caller]
    fn check(field: &str, expected: &[&str]) {
        let world = World::new(field);
        world.call("clearText", json!({})).unwrap();
        assert_eq!(world.actions(), expected, "{field}");
    }
    check("äöü @0,0,9,9 isFocused isEditable", &["eraseText 3"]);
    check("@0,0,9,9 isFocused isEditable", &["eraseText 500"]);
    check("Name @0,0,9,9 isFocused isEditable isShowingHintText", &[]);
}

#[test]
fn an_app_that_does_not_come_to_the_front_fails_the_launch() {
    let world = World::with("", |setup| setup.phone.front = Some("com.other".to_owned()));
    let failure = world.failure("launchApp", json!({ "appId": "com.a" }));
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(failure.message, "'com.a' was started but did not come to the front within 30 s");
}

#[test]
fn permissions_are_set_after_the_data_is_cleared_and_before_the_app_starts() {
    let world = World::new("");
    let launch = Launch {
        stop_first: true,
        clear_first: true,
        permissions: vec![("p".to_owned(), true), ("q".to_owned(), false)],
        ..Launch::default()
    };
    commands(&world).launch_app("a", launch).unwrap();
    assert_eq!(
        world.actions(),
        ["stopApp a", "clearAppData a", "grantPermission a p", "revokePermission a q", "launchApp a"]
    );
}

#[test]
fn a_failing_device_fails_the_call() {
    let world = World::new(GO);
    world.phone.fails("tap", FailureKind::App, "the app crashed");
    let failure = world.failure("tap", json!({ "text": "Go" }));
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::App, "the app crashed"));
    assert_eq!(world.actions(), ["tap 50 50"], "what was tried is in the events");
}

#[test]
fn a_point_of_an_element_is_a_share_of_it_or_pixels_from_its_corner() {
    #[track_caller]
    fn check(point: Option<Point>, expected: Option<(i32, i32)>) {
        assert_eq!(point_in(Bounds::new(100, 200, 300, 300), point).ok(), expected);
    }
    check(None, Some((200, 250)));
    check(Some(Point::Percent(0, 0)), Some((100, 200)));
    check(Some(Point::Percent(25, 50)), Some((150, 250)));
    check(Some(Point::Pixels(10, 20)), Some((110, 220)));
    check(Some(Point::Pixels(201, 0)), None);
    check(Some(Point::Pixels(-1, 0)), None);
    let huge = Bounds::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX);
    assert!(point_in(huge, Some(Point::Percent(100, 100))).is_ok());
}

#[test]
fn an_element_is_scrolled_to() {
    let world = World::new("");
    world.phone.after("swipe", 0, "");
    world.phone.after("swipe", 0, "Go @0,790,100,890");
    world.phone.after("swipe", 0, "Go @0,650,100,750");
    world.call("scrollUntilTextIsVisible", json!({ "text": "go" })).unwrap();
    assert_eq!(world.actions(), ["swipe 200 400 200 80 400"; 3], "a tenth of it is not enough");

    let world = World::new("");
    let failure = world.failure("scrollUntilTextIsVisible", json!({ "text": "go", "direction": "UP" }));
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert_eq!(failure.message, "no element with text 'go' up to the end of what scrolls");
    assert_eq!(world.actions(), ["swipe 200 400 200 720 400"; 2], "the first may have come too early");
}

#[test]
fn scrolling_has_an_end_although_something_else_moves() {
    let list = |row: &str, t: u64| {
        format!("@0,0,400,800\n {t} @0,0,50,50\n @0,100,400,800 isScrollable\n  {row} @0,300,400,400")
    };
    let failed = |rows: &dyn Fn(u64) -> String| {
        let world = World::new(&list("A", 0));
        (0..1_000).for_each(|i| world.phone.shows(1_000 + 50 * i, &list(&rows(i), i)));
        let failure = world.failure("scrollUntilTextIsVisible", json!({ "text": "go" }));
        (failure.message, world.actions().len(), world.session.now_ms() - 1_000)
    };
    let (message, swipes, _) = failed(&|_| "A".to_owned());
    assert_eq!((message.as_str(), swipes), ("no element with text 'go' up to the end of what scrolls", 2));
    let (message, _, took) = failed(&|i| format!("A{i}"));
    assert_eq!(message, "no element with text 'go' within 20 s");
    assert!((20_000..24_000).contains(&took), "{took}");
}

#[test]
fn as_much_of_an_element_is_scrolled_to_as_is_asked_for() {
    #[track_caller]
    fn check(percentage: u32, swipes: usize) {
        let world = World::new("Go @0,780,100,880");
        world.phone.after("swipe", 0, "Go @0,750,100,850");
        world.phone.after("swipe", 0, "Go @0,700,100,800");
        let args = json!({ "text": "Go", "visibilityPercentage": percentage });
        world.call("scrollUntilTextIsVisible", args).unwrap();
        assert_eq!(world.actions().len(), swipes, "{percentage}");
    }
    check(0, 0);
    check(20, 0);
    check(50, 1);
    check(100, 2);
}

#[test]
fn an_element_is_scrolled_to_the_middle_when_asked_to() {
    let world = World::new("Go @0,700,100,760");
    world.phone.after("swipe", 0, "Go @0,620,100,680");
    world.phone.after("swipe", 0, "Go @0,500,100,560");
    let args = json!({ "text": "Go", "centerElement": true, "scrollStartPosition": "BOTTOM" });
    world.call("scrollUntilTextIsVisible", args).unwrap();
    assert_eq!(world.actions(), ["swipe 200 640 200 80 400"; 2]);

    // At the end of the content it never gets there, and is visible all the same.
    let world = World::new("Go @0,700,100,760");
    world.call("scrollUntilTextIsVisible", json!({ "text": "Go", "centerElement": true })).unwrap();
    assert_eq!(world.actions().len(), 2);
}

#[test]
fn the_group_of_maestro_is_there_under_its_own_names() {
    let world = World::new(GO);
    let commands = commands(&world);
    commands.press_back().unwrap();
    commands.press_home().unwrap();
    commands.scroll(Direction::Right, 1).unwrap();
    commands.pinch(0.5, None).unwrap();
    commands.set_permission("a", "p", true).unwrap();
    assert_eq!(commands.shell("true").unwrap(), "");
    commands.touch(&Selector::text("Go"), Touch::DoubleTap, 0).unwrap();
    assert_eq!(
        world.actions(),
        [
            "back",
            "home",
            "swipe 200 400 40 400 400",
            "pinch 0.5",
            "grantPermission a p",
            "shell true",
            "doubleTap 50 50"
        ]
    );
}

#[test]
fn a_world_without_files_and_programs_says_so() {
    let command = HostCommand { argv: vec!["true".to_owned()], working_dir: None, timeout_ms: 1 };
    let kinds = [
        NoHost.save("a", "png", &[]).unwrap_err().kind,
        NoHost.load_trail("a", None).unwrap_err().kind,
        NoHost.run_command(&command).unwrap_err().kind,
    ];
    assert_eq!(kinds, [FailureKind::NotSupported; 3]);
}

#[test]
fn paper_screens_read_as_they_are_written() {
    let screen = screen("A @0,0,10,10 id=x\n B @0,0,5,5\n== dialog\nC @0,0,9,9", 0);
    assert_eq!((screen.len(), screen.windows().len()), (3, 2));
}
