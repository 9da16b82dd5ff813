//! Where a finger meets an element, what is done when it cannot, and what is said about it.

use serde_json::{Value, json};
use trailblaze_engine::commands::{Commands, Touch};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::selector::Selector;

use crate::support::World;

const ROOT: &str = "@0,0,400,800";

/// A page with these lines in it; a line that begins a window ends it.
fn page(lines: &str) -> String {
    format!("{ROOT}\n{lines}")
}

/// What says `Go`, seen or not.
fn go() -> Value {
    json!({ "androidAccessibility": { "textRegex": "Go" } })
}

/// What the tool says; in messages the selector is only `Go`.
fn touch(world: &World, tool: &str, args: Value) -> Result<String, Failure> {
    match world.call(tool, args) {
        Ok(output) => Ok(output.message),
        Err(failure) => Err(Failure { message: failure.message.replace(&go().to_string(), "Go"), ..failure }),
    }
}

fn tap(world: &World) -> Result<String, Failure> {
    touch(world, "tapOnElementBySelector", json!({ "nodeSelector": go() }))
}

#[track_caller]
fn check(shows: &str, (x, y): (i32, i32)) {
    let world = World::new(&page(shows));
    assert_eq!(tap(&world).unwrap(), format!("tapped {x},{y}"), "{shows}");
    assert_eq!(world.actions(), [format!("tap {x} {y}")], "{shows}");
}

/// Fails without touching anything; the message is about `Go`.
#[track_caller]
fn check_failure(shows: &str, message: &str) {
    let world = World::new(&page(shows));
    let failure = tap(&world).unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::NotFound, message), "{shows}");
    assert_eq!(world.actions(), [""; 0], "{shows}");
}

#[test]
fn the_middle_of_the_part_that_no_other_window_covers_is_touched() {
    let go = " Go @0,400,400,600\n";
    check(&format!("{go}== keyboard\n@0,500,400,800"), (200, 450));
    check(&format!("{go}== system\nClock @0,0,400,30"), (200, 500));
    check(&format!("{go}== system\nClock @0,400,400,430"), (200, 515));
    check(&format!("{go}Panel @0,0,200,800"), (300, 500));
    // In the middle: the larger part beside it.
    check(&format!("{go}Panel @50,0,300,800"), (350, 500));
    check(&format!("{go}Panel @0,0,200,800\n== keyboard\n@0,500,400,800"), (300, 450));
    check(&format!("{go}== toast\nSaved @0,0,400,800"), (200, 500));
    check(&format!("{go}Panel @-"), (200, 500));
}

#[test]
fn an_element_under_another_window_is_an_error_that_names_it() {
    let go = " Go @0,0,100,100\n";
    check_failure(
        &format!(
            "{go}== dialog\n@100,300,300,500\n Delete it? @100,300,300,350\n OK @100,400,200,500 isClickable"
        ),
        "the element with Go is covered by the dialog 'Delete it?'",
    );
    check_failure(&format!("{go}Panel @0,0,400,800"), "the element with Go is covered by the window 'Panel'");
    check_failure(
        &format!("{go}@0,0,200,800 id=side\n@0,0,50,50"),
        "the element with Go is covered by the window 'side'",
    );
    // Two that cover it together.
    check_failure(
        &format!("{go}Left @0,0,50,800\nRight @50,0,100,800"),
        "the element with Go is covered by the window 'Right'",
    );
    let world = World::new(&page(&format!("{go}Panel @0,0,400,800")));
    let hint = "bring what lies above it out of the way before it is touched";
    assert_eq!(tap(&world).unwrap_err().hint.as_deref(), Some(hint));
}

#[test]
fn what_lies_above_in_the_same_window_is_touched_around() {
    // A button over the middle of a row.
    check(" Go @0,100,400,200 isClickable\n Add @150,100,250,200 isClickable", (75, 150));
    check(" Go @0,100,400,200 isClickable\n Add @100,100,250,200 isClickable", (325, 150));
    // A button of its own, and one that leaves the middle free.
    check(" Go @0,100,400,200\n  Open @0,100,400,200 isClickable", (200, 150));
    check(" Go @0,100,400,200\n Add @300,100,400,200 isClickable", (200, 150));
    // Words and pictures take no touches, and what is hidden takes none either.
    check(" Go @0,100,400,200\n Words @0,100,400,200", (200, 150));
    check(" Go @0,100,400,200\n Gone @0,100,400,200 isClickable !isVisibleToUser", (200, 150));
    // What is drawn later lies above, unless the app says otherwise.
    check(" Add @0,100,400,200 isClickable\n Go @0,100,400,200", (200, 150));
    check(" Go @0,100,400,200 order=2\n Add @0,100,400,200 isClickable order=1", (200, 150));
    check(
        " @0,0,400,800 order=2\n  Go @0,100,400,200 order=1\n Add @0,100,400,200 isClickable order=1",
        (200, 150),
    );
}

#[test]
fn an_element_all_covered_in_its_window_is_an_error_that_names_the_cover() {
    let covered = "the element with Go is covered by 'Add'";
    check_failure(" Go @0,0,100,100\n Add @0,0,100,100 isClickable", covered);
    check_failure(" Go @0,0,100,100\n @0,0,100,100 desc=Add isCheckable", covered);
    check_failure(" Go @0,0,100,100\n @0,0,100,100 id=Add isLongClickable", covered);
    check_failure(" Add @0,0,100,100 isClickable order=2\n Go @0,0,100,100 order=1", covered);
    check_failure(
        " Go @0,0,100,100\n @0,0,100,100 class=android.widget.EditText isEditable",
        "the element with Go is covered by an EditText",
    );
}

#[test]
fn a_layer_that_takes_the_clicks_of_a_card_is_touched_through() {
    check(" @0,100,400,300\n  Go @10,110,210,150\n  @0,100,400,300 isClickable", (110, 130));
    check(
        " @0,100,400,300\n  @0,100,400,200\n   Go @10,110,210,150\n  @0,100,400,300 isClickable",
        (110, 130),
    );
    // A layer over the whole screen is there to keep fingers away.
    check_failure(
        " @0,0,400,800\n  Go @10,110,210,150\n  @0,0,400,800 isClickable id=scrim",
        "the element with Go is covered by 'scrim'",
    );
    // One that is not of the card, too.
    check_failure(
        " @0,100,400,300\n  Go @10,110,210,150\n @0,100,400,300 isClickable id=scrim",
        "the element with Go is covered by 'scrim'",
    );
}

/// A list from 100 to 700 with `Go` in it at these bounds.
fn list(go: &str) -> String {
    page(&format!(" @0,100,400,700 isScrollable\n  Go @{go}"))
}

/// `Go` is at the first place, after each swipe at the next one.
fn scrolling(places: &[String]) -> World {
    let world = World::new(&places[0]);
    places[1..].iter().for_each(|next| world.phone.after("swipe", 50, next));
    world
}

#[track_caller]
fn check_scrolled(places: &[&str], expected: &[&str]) {
    let world = scrolling(&places.iter().map(|place| list(place)).collect::<Vec<_>>());
    let result = tap(&world);
    assert_eq!(world.actions(), expected, "{result:?}");
    result.unwrap();
}

const UP: &str = "swipe 200 580 200 220 400";
const DOWN: &str = "swipe 200 220 200 580 400";

#[test]
fn an_element_out_of_view_is_scrolled_to_first() {
    check_scrolled(&["0,900,400,1000", "0,500,400,600"], &[UP, "tap 200 550"]);
    check_scrolled(&["0,1900,400,2000", "0,1500,400,1600", "0,500,400,600"], &[UP, UP, "tap 200 550"]);
    check_scrolled(&["0,-200,400,-100", "0,200,400,300"], &[DOWN, "tap 200 250"]);
    // Below the list and still on the screen.
    check_scrolled(&["0,720,400,780", "0,500,400,560"], &[UP, "tap 200 530"]);
    // A sliver is no place for a finger, half of it is.
    check_scrolled(&["0,695,400,795", "0,400,400,500"], &[UP, "tap 200 450"]);
    check_scrolled(&["0,10,400,105", "0,300,400,395"], &[DOWN, "tap 200 347"]);
    check_scrolled(&["0,650,400,750"], &["tap 200 675"]);
    // At the end of the list there is not more of it.
    check_scrolled(&["0,695,400,795"], &[UP, "tap 200 697"]);
}

#[test]
fn a_row_of_things_is_scrolled_sideways() {
    let row = |go: &str| page(&format!(" @0,100,400,300 isScrollable\n  Go @{go}"));
    for (places, swipe) in [
        (["500,150,600,250", "200,150,300,250"], "swipe 320 200 80 200 400"),
        (["-200,150,-100,250", "200,150,300,250"], "swipe 80 200 320 200 400"),
    ] {
        let world = scrolling(&places.map(row));
        tap(&world).unwrap();
        assert_eq!(world.actions(), [swipe, "tap 250 200"]);
    }
}

#[test]
fn what_cannot_be_scrolled_to_is_an_error() {
    let message = "the element with Go lies outside of the screen and could not be scrolled into view";
    check_failure(" Go @0,900,400,1000", message);

    let world = World::new(&list("0,900,400,1000"));
    assert_eq!(tap(&world).unwrap_err().message, message);
    assert_eq!(world.actions(), [UP], "the list is at its end");

    let places: Vec<String> = (0..20).map(|i| list(&format!("0,{0},400,{0}1", 1900 - 10 * i))).collect();
    let world = scrolling(&places);
    assert_eq!(tap(&world).unwrap_err().message, message);
    assert_eq!(world.actions(), [UP; 12], "it comes nearer, but not to an end");
}

#[test]
fn a_row_that_is_itself_out_of_view_is_brought_into_view_first() {
    let row = |top: i32, left: i32| {
        let (bottom, right) = (top + 100, left + 100);
        page(&format!(
            " @0,100,400,700 isScrollable\n  @0,{top},400,{bottom} isScrollable\n   Go @{left},{top},{right},{bottom}"
        ))
    };
    let world = scrolling(&[row(900, 500), row(300, 500), row(300, 200)]);
    tap(&world).unwrap();
    assert_eq!(world.actions(), [UP, "swipe 320 350 80 350 400", "tap 250 350"]);
}

#[test]
fn an_element_under_a_keyboard_that_stays_is_scrolled_above_it() {
    let typing = |go: &str| format!("{}\n== keyboard\n@0,500,400,800", list(go));
    let world = scrolling(&[typing("0,600,400,700"), typing("0,300,400,400")]);
    tap(&world).unwrap();
    assert_eq!(world.actions(), ["hideKeyboard", "swipe 200 420 200 180 400", "tap 200 350"]);
}

#[test]
fn an_element_that_is_gone_after_scrolling_is_not_touched() {
    let world = scrolling(&[list("0,695,400,795"), page(" Other @0,600,400,700 isClickable")]);
    let failure = tap(&world).unwrap_err();
    assert_eq!((failure.kind, world.actions()), (FailureKind::NotFound, vec![UP.to_owned()]), "{failure}");
}

#[test]
fn an_element_under_a_floating_button_is_scrolled_away_from_it() {
    let under = |go: &str| format!("{}\n Add @300,600,400,700 isClickable", list(go));
    let world = scrolling(&[under("300,610,390,690"), under("300,250,390,330")]);
    assert_eq!(tap(&world).unwrap(), "tapped 345,290");
    assert_eq!(world.actions(), [UP, "tap 345 290"]);

    let world = World::new(&under("300,610,390,690"));
    assert_eq!(tap(&world).unwrap_err().message, "the element with Go is covered by 'Add'");
    assert_eq!(world.actions(), [UP], "the list is at its end");
}

#[test]
fn an_element_that_can_show_itself_is_asked_to() {
    let shows = |go: &str| list(&format!("{go} actions=ACTION_SHOW_ON_SCREEN"));
    let world = World::new(&shows("0,900,400,1000"));
    world.phone.after("showOnScreen", 50, &shows("0,500,400,600"));
    tap(&world).unwrap();
    assert_eq!(world.actions(), ["showOnScreen 2", "tap 200 550"]);

    let world = World::with(&shows("0,900,400,1000"), |setup| setup.phone.refuses = vec!["showOnScreen"]);
    world.phone.after("swipe", 50, &shows("0,500,400,600"));
    tap(&world).unwrap();
    assert_eq!(world.actions(), ["showOnScreen 2", UP, "tap 200 550"]);
}

#[test]
fn the_dialect_of_maestro_means_what_is_seen_and_scrolls_only_when_nothing_is() {
    let both = |hidden: &str, seen: &str| {
        page(&format!(" @0,100,400,700 isScrollable\n  Go @{hidden} isClickable\n  Go @{seen}"))
    };
    let world = World::new(&both("0,900,400,1000", "0,200,400,300"));
    world.call("tap", json!({ "text": "go" })).unwrap();
    assert_eq!(world.actions(), ["tap 200 250"]);

    let world =
        scrolling(&[both("0,900,400,1000", "0,1000,400,1100"), both("0,500,400,600", "0,600,400,700")]);
    world.call("tap", json!({ "text": "go" })).unwrap();
    assert_eq!(world.actions(), [UP, "tap 200 550"]);

    let world = World::new(&page(" Go @0,900,400,1000"));
    let failure = world.failure("tap", json!({ "text": "go" }));
    assert_eq!(failure.message, "no element with text 'go' within 5 s", "nothing scrolls it");
}

#[test]
fn an_element_without_a_place_is_asked_for_its_click() {
    #[track_caller]
    fn check(shows: &str, refuses: &[&'static str], expected: &[&str], says: &str) {
        let world = World::with(&page(shows), |setup| setup.phone.refuses = refuses.to_vec());
        let result = tap(&world);
        assert_eq!(world.actions(), expected, "{shows}");
        assert_eq!(result.unwrap_or_else(|failure| failure.message), says, "{shows}");
    }
    let both = " Card @- isClickable\n  Go @- isClickable";
    check(both, &[], &["click 2"], "tapped 'Go' by its click action");
    check(both, &["click 2"], &["click 2", "click 1"], "tapped 'Card' by its click action");
    check(" Card @- isClickable\n  Go @-", &[], &["click 1"], "tapped 'Card' by its click action");
    check(
        " Card @0,0,9,9 actions=ACTION_CLICK\n  Go @5,5,5,9",
        &[],
        &["click 1"],
        "tapped 'Card' by its click action",
    );
    check(
        " Card @- isClickable\n  Go @- isClickable !isEnabled",
        &[],
        &["click 1"],
        "tapped 'Card' by its click action",
    );
    check(" @- isClickable class=a.b.Row\n  Go @-", &[], &["click 1"], "tapped a Row by its click action");
    let nothing = "Go has no place on the screen, and nothing around it takes the action";
    check(" Card @-\n  Go @- isLongClickable", &[], &[], nothing);
    let tries = ["click 2", "click 1", "click 2", "click 1", "click 2", "click 1"];
    check(both, &["click"], &tries, "the element does not take it");
}

#[test]
fn an_element_without_a_place_is_pressed_long_and_tapped_twice_all_the_same() {
    let world = World::new(&page(" Go @- isClickable isLongClickable"));
    let args = json!({ "nodeSelector": go(), "longPress": true });
    let output = world.call("tapOnElementBySelector", args).unwrap();
    assert_eq!(output.message, "pressed long 'Go' by its long-click action");
    assert_eq!(world.actions(), ["longClick 1"]);

    let world = World::new(&page(" Go @50,50,50,90 isClickable"));
    let commands = Commands::new(&world.session, u64::MAX);
    let touched = commands.touch(&Selector::text("Go"), Touch::DoubleTap, 0).unwrap();
    assert_eq!(touched.to_string(), "double-tapped 'Go' by its click action");
    assert_eq!(world.actions(), ["click 1", "click 1"]);
}

#[test]
fn the_result_says_how_it_was_touched() {
    for (touch, action, says) in [
        (Touch::Tap, "tap 50 50", "tapped 50,50"),
        (Touch::DoubleTap, "doubleTap 50 50", "double-tapped 50,50"),
        (Touch::LONG_PRESS, "longPress 50 50 500", "pressed long 50,50"),
    ] {
        let world = World::new("Go @0,0,100,100");
        let touched = Commands::new(&world.session, u64::MAX).touch(&Selector::text("Go"), touch, 0).unwrap();
        assert_eq!((world.actions(), touched.to_string()), (vec![action.to_owned()], says.to_owned()));
    }
}

#[test]
fn an_element_that_is_gone_when_it_is_touched_is_looked_for_again() {
    let world = World::with("Go @0,0,100,100", |setup| setup.phone.refuses = vec!["tap 50 50"]);
    world.phone.shows(1_100, "Go @0,200,100,300");
    assert_eq!(tap(&world).unwrap(), "tapped 50,250");
    assert_eq!(world.actions(), ["tap 50 50", "tap 50 250"]);

    let world = World::with("Go @0,0,100,100", |setup| setup.phone.refuses = vec!["tap"]);
    let failure = tap(&world).unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::Refused, "the element does not take it")
    );
    assert_eq!(world.actions(), ["tap 50 50"; 3]);

    let world = World::with("Go @0,0,100,100", |setup| setup.phone.refuses = vec!["tap"]);
    world.phone.shows(1_100, "Closed @0,0,100,100");
    let failure = tap(&world).unwrap_err();
    assert_eq!((failure.kind, world.actions().len()), (FailureKind::NotFound, 1), "{failure}");
}

#[test]
fn a_point_of_an_element_is_a_share_of_all_of_it() {
    #[track_caller]
    fn check(shows: &str, point: &str, expected: &[&str], says: &str) {
        let world = World::new(&page(shows));
        let result = touch(&world, "tapOn", json!({ "selector": go(), "relativePoint": point }));
        let said = result.unwrap_or_else(|failure| failure.message);
        assert_eq!(
            (world.actions(), said.as_str()),
            (expected.iter().map(|&a| a.to_owned()).collect(), says)
        );
    }
    check(" Go @100,200,300,300", "10%,50%", &["tap 120 250"], "tapped 120,250");
    check(" Go @-100,0,100,100", "75%,50%", &["tap 50 50"], "tapped 50,50");
    let outside = "that point of the element with Go lies outside of what can be seen";
    check(" Go @-100,0,100,100", "25%,50%", &[], outside);
    let fab = " Go @0,0,400,100\n Add @300,0,400,100 isClickable";
    check(fab, "25%,50%", &["tap 100 50"], "tapped 100,50");
    check(fab, "90%,50%", &[], "that point of the element with Go is covered by 'Add'");
    let keyboard = " Go @0,400,400,600\n== keyboard\n@0,500,400,800";
    check(keyboard, "50%,10%", &["tap 200 420"], "tapped 200,420");
    let covered = "that point of the element with Go is covered by the keyboard";
    check(keyboard, "50%,90%", &["hideKeyboard"], covered);
    check(
        " Go @0,0,100,100\nPanel @0,0,400,800",
        "50%,50%",
        &[],
        "the element with Go is covered by the window 'Panel'",
    );
}

#[test]
fn a_point_that_is_out_of_view_is_scrolled_to() {
    let world = scrolling(&[list("0,500,400,1500"), list("0,100,400,1100"), list("0,-300,400,700")]);
    world.call("tapOn", json!({ "selector": go(), "relativePoint": "50%,90%" })).unwrap();
    assert_eq!(world.actions(), [UP, UP, "tap 200 600"]);
}

/// When the first thing reached the phone, after the start.
fn touched_after(world: &World) -> u64 {
    tap(world).unwrap();
    let events = world.events();
    let touch =
        events.iter().find(|event| matches!(event.kind, trailblaze_model::event::EventKind::Device(_)));
    touch.unwrap().t - 1_000
}

#[test]
fn only_an_element_that_moves_itself_is_waited_for() {
    let frames = |frame: &dyn Fn(u64) -> String| {
        let world = World::new("");
        (0..100).for_each(|i| world.phone.shows(1_000 + 50 * i, &frame(i)));
        world
    };
    let spinner = frames(&|i| page(&format!(" Go @0,0,100,100\n {i} @300,0,400,100")));
    assert_eq!((touched_after(&spinner), &spinner.actions()[0][..]), (100, "tap 50 50"));
    let moving = frames(&|i| page(&format!(" Go @0,{0},100,{1}", 5 * i.min(10), 5 * i.min(10) + 100)));
    assert_eq!((touched_after(&moving), &moving.actions()[0][..]), (600, "tap 50 100"));
    let endless = frames(&|i| page(&format!(" Go @0,{i},100,{}", i + 100)));
    assert_eq!((touched_after(&endless), &endless.actions()[0][..]), (2_000, "tap 50 90"));
    assert_eq!(touched_after(&World::new("Go @0,0,100,100")), 0);
}

#[test]
fn the_far_corner_of_an_element_is_still_on_it() {
    let world = World::new("Go @0,0,400,800");
    let selector = json!({ "androidAccessibility": { "textRegex": "Go" } });
    world.call("tapOn", json!({ "selector": selector, "relativePoint": "100%,100%" })).unwrap();
    assert_eq!(world.actions(), ["tap 399 799"]);
}

#[test]
fn an_element_without_a_place_is_clicked_by_its_text_too() {
    let world = World::new("page @0,0,400,800\n Go @- isClickable");
    let output = world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(
        (world.actions(), output.message.as_str()),
        (vec!["click 1".to_owned()], "tapped 'Go' by its click action")
    );
    let bare = World::new("page @0,0,400,800\n Go @-");
    assert_eq!(bare.failure("tap", json!({ "text": "Go" })).kind, FailureKind::NotFound);
}
