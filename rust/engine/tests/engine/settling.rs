//! Screens that move: what is waited for, and for how long.

use serde_json::json;
use trailblaze_engine::commands::Commands;
use trailblaze_model::action::Action;

use crate::support::World;

/// Waits until the screen is still; says whether it was, and after how many milliseconds.
fn settle(world: &World) -> (bool, u64) {
    let start = world.session.now_ms();
    let still = Commands::new(&world.session, u64::MAX).settle().unwrap();
    (still, world.session.now_ms() - start)
}

/// Runs a tool; how long it took.
fn took(world: &World, tool: &str) -> u64 {
    let start = world.session.now_ms();
    world.call(tool, json!({})).unwrap();
    world.session.now_ms() - start
}

/// Shows a screen that changes every 50 ms for a while.
fn moving(until_ms: u64, frame: impl Fn(u64) -> String) -> World {
    moving_on(World::new(""), until_ms, frame)
}

fn moving_on(world: World, until_ms: u64, frame: impl Fn(u64) -> String) -> World {
    let start = world.session.now_ms();
    let mut t = start;
    while t <= start + until_ms {
        world.phone.shows(t, &frame(t));
        t += 50;
    }
    world
}

/// A phone that announces nothing.
fn silent(shows: &str) -> World {
    World::with(shows, |setup| setup.phone.silent = true)
}

/// A phone that shows these screens, so long after the start.
fn showing(screens: &[(u64, &str)]) -> World {
    let world = World::new(PAGE);
    screens.iter().for_each(|(after, shows)| world.phone.shows(1_000 + after, shows));
    world
}

const PAGE: &str = "page @0,0,400,800\n Go @0,0,100,100 isClickable";
const NEXT: &str = "next @0,0,400,800\n Done @0,0,100,100";
const EMPTY: &str = "@0,0,400,800";

#[test]
fn an_animation_that_ends_is_waited_for() {
    assert_eq!(settle(&moving(1_000, |t| format!("frame {t} @0,0,100,100"))), (true, 1_100));
}

#[test]
fn an_endless_spinner_in_a_corner_does_not_block() {
    let frame = |t: u64| format!("page @0,0,1000,1000\n spinner {t} @0,0,50,50\n text @0,100,1000,200");
    assert_eq!(settle(&moving(20_000, frame)), (true, 1_900));
}

#[test]
fn content_that_arrives_beside_a_spinner_is_waited_for() {
    let frame = |t: u64| {
        let content = if t > 2_650 { "\n late @0,300,1000,400" } else { "" };
        format!("page @0,0,1000,1000\n spinner {t} @0,0,50,50\n text @0,100,1000,200{content}")
    };
    let (still, took) = settle(&moving(20_000, frame));
    assert!(still && took > 1_750, "{took}");
}

#[test]
fn a_screen_that_changes_as_a_whole_is_given_up_at_the_cap() {
    let (still, took) = settle(&moving(20_000, |t| format!("frame {t} @0,0,100,100")));
    assert_eq!((still, took), (false, 5_000));
}

#[test]
fn what_comes_after_the_grace_is_found_by_looking_for_it() {
    let world = World::new(PAGE);
    world.phone.after("tap", 900, NEXT);
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.session.now_ms(), 1_150, "nobody can know that something will come");
    world.call("tap", json!({ "text": "Done" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 50", "tap 50 50"]);
    assert_eq!(world.session.now_ms(), 1_950 + 100 + 150, "it was new, so it is looked at twice");
}

#[test]
fn every_change_of_a_screen_starts_the_quiet_time_again() {
    // Replaced in the middle of an animation, and once more when it was almost still.
    let world = showing(&[(0, PAGE), (60, "a @0,0,9,9"), (120, NEXT), (210, EMPTY), (300, NEXT)]);
    assert_eq!(settle(&world), (true, 400));
    assert_eq!(settle(&showing(&[(140, NEXT), (239, PAGE)])), (true, 339));
    assert_eq!(settle(&showing(&[(140, NEXT), (241, PAGE)])), (true, 240), "one that is still is still");
}

#[test]
fn a_keyboard_that_opens_is_waited_for() {
    let sliding = |top: i32| format!("{PAGE}\n== keyboard\n@0,{top},400,800");
    let world = World::new(PAGE);
    for (i, top) in (400..=800).rev().step_by(50).enumerate() {
        world.phone.shows(1_100 + 16 * i as u64, &sliding(top));
    }
    assert_eq!(settle(&world), (true, 100 + 8 * 16 + 100));
    assert_eq!(world.session.capture().unwrap().keyboard().unwrap().top, 400);
}

#[test]
fn a_window_that_closes_while_something_is_done_is_no_trouble() {
    let dialog = format!("{PAGE}\n== dialog\n@100,300,300,500\n OK @100,400,300,500 isClickable");
    let world = World::new(&dialog);
    world.phone.after("tap 200 450", 120, PAGE);
    world.call("tap", json!({ "text": "OK" })).unwrap();
    assert_eq!(world.session.now_ms(), 1_000 + 120 + 100);
    // It closes before the finger is there: what is looked for is not, and what was below it is free.
    let world = World::new(&dialog);
    world.phone.shows(1_050, PAGE);
    assert_eq!(settle(&world), (true, 150));
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.actions(), ["tap 50 50"]);
}

#[test]
fn a_new_window_that_is_still_empty_is_waited_for() {
    let world = World::new(PAGE);
    world.phone.after("home", 50, EMPTY);
    world.phone.shows(1_600, NEXT);
    assert_eq!(took(&world, "pressHome"), 700, "it fills 550 ms later");

    let dialog = format!("{PAGE}\n== dialog\n@100,300,300,500");
    let world = World::new(PAGE);
    world.phone.after("home", 50, &dialog);
    world.phone.shows(1_400, &format!("{dialog}\n OK @100,400,300,500"));
    assert_eq!(took(&world, "pressHome"), 500);
}

#[test]
fn a_window_that_stays_empty_is_waited_for_once() {
    let world = World::new(PAGE);
    world.phone.after("home", 50, EMPTY);
    assert_eq!(took(&world, "pressHome"), 1_050);
    assert_eq!(took(&world, "pressHome"), 150);
    assert_eq!(took(&world, "pressBack"), 150);
    // A keyboard and a message are never trees to wait for, nor is a window that says something itself.
    for shows in
        ["== keyboard\n@0,500,400,800", "== toast\n@0,700,400,800", "Map @0,0,9,9", "@0,0,9,9 isClickable"]
    {
        let world = World::new(PAGE);
        world.phone.after("home", 0, &format!("{PAGE}\n{shows}"));
        assert_eq!(took(&world, "pressHome"), 150, "{shows}");
    }
}

#[test]
fn the_handle_of_a_cursor_is_no_window_to_wait_for() {
    #[track_caller]
    fn check(bounds: &str, expected: u64) {
        let world = World::new(PAGE);
        world.phone.after("home", 0, &format!("{PAGE}\n== dialog\n@{bounds}"));
        assert_eq!(took(&world, "pressHome"), expected);
    }
    check("190,300,210,330", 150);
    check("100,300,300,500", 1_050);
    // This one may be about to open.
    check("190,300,190,300", 1_050);
}

#[test]
fn a_change_that_nobody_announces_is_seen_in_the_tree() {
    #[track_caller]
    fn check(changes: &[u64], expected: u64) {
        let world = silent(PAGE);
        changes
            .iter()
            .for_each(|after| world.phone.shows(1_000 + after, &format!("at {after} @0,0,400,800")));
        assert_eq!(settle(&world), (true, expected), "{changes:?}");
    }
    check(&[], 150);
    // Before the first look, and between the two of the quiet time.
    check(&[90], 150);
    check(&[120], 250);
    check(&[150], 250);
    check(&[120, 220], 350);
    check(&[120, 170], 250);
    // After the quiet time it is too late.
    check(&[151], 150);
}

#[test]
fn an_unannounced_change_after_the_quiet_time_is_found_by_the_next_look() {
    let world = silent(PAGE);
    world.phone.after("tap", 200, NEXT);
    world.call("tap", json!({ "text": "Go" })).unwrap();
    assert_eq!(world.session.now_ms(), 1_150);
    world.call("assertVisible", json!({ "text": "Done" })).unwrap();
    assert_eq!(world.session.now_ms(), 1_250);
}

#[test]
fn an_endless_change_that_nobody_announces_does_not_block_either() {
    let corner = |t: u64| format!("page @0,0,400,800\n {t} @0,0,50,50\n text @0,100,400,200");
    assert_eq!(settle(&moving_on(silent(""), 20_000, corner)), (true, 1_800));
    // All of it: given up.
    assert_eq!(settle(&moving_on(silent(""), 20_000, |t| format!("{t} @0,0,400,800"))), (false, 5_000));
}

#[test]
fn two_restless_parts_are_both_left_out() {
    let frame =
        |t: u64| format!("page @0,0,400,800\n {t} @0,0,50,50\n bar @50,0,99,50\n  {} @50,0,99,50", t / 100);
    assert_eq!(settle(&moving(20_000, frame)), (true, 1_900));
}

#[test]
fn what_was_seen_to_move_without_end_is_not_waited_for_again() {
    let frame = |t: u64| format!("page @0,0,400,800\n spinner {t} @0,0,50,50\n text @0,100,400,200");
    let world = moving(20_000, frame);
    let first = settle(&world);
    assert!(first.0 && first.1 >= 1_500, "{first:?}");
    let (still, took) = settle(&world);
    assert!(still && took <= 250, "{took}");
}

#[test]
fn late_content_beside_a_known_spinner_is_still_waited_for() {
    let frame = |t: u64| {
        let late =
            if t >= 2_950 { format!("\n late {} @0,300,400,400", t.min(3_150)) } else { String::new() };
        format!("page @0,0,400,800\n spinner {t} @0,0,50,50\n text @0,100,400,200{late}")
    };
    let world = moving(20_000, frame);
    settle(&world);
    world.session.clock.sleep_until(2_900);
    let (still, took) = settle(&world);
    assert!(still && took >= 300, "{took}");
}

#[test]
fn nested_layouts_with_nothing_in_them_are_an_empty_window_too() {
    let world = World::new("Go @0,0,400,100 isClickable");
    let empty = "@0,0,400,800 class=a.FrameLayout\n @0,0,400,800 id=android:id/content\n  @0,0,400,800";
    world.phone.after("tap", 0, empty);
    world.phone.shows(world.session.now_ms() + 600, &format!("{empty}\n   Late @0,0,400,100"));
    world.call("tap", json!({ "text": "Go" })).unwrap();
    let visible = world.call("isVisible", json!({ "text": "Late" })).unwrap();
    assert_eq!(visible.message, "true");
}

#[test]
fn an_empty_window_is_waited_for_although_a_spinner_was_seen_before() {
    let frame = |t: u64| format!("Go @0,100,400,200 isClickable\n spinner {t} @0,100,50,150");
    let world = moving(4_000, frame);
    assert!(settle(&world).0);
    let start = world.session.now_ms();
    let empty = "@0,0,400,800 class=a.FrameLayout";
    for t in (start..6_000).step_by(50) {
        let late = if t >= start + 700 { "\n Late @0,0,400,100" } else { "" };
        world.phone.shows(t, &format!("{empty}{late}"));
    }
    world.session.act(Action::Home).unwrap();
    assert!(settle(&world).0);
    assert_eq!(world.call("isVisible", json!({ "text": "Late" })).unwrap().message, "true");
}
