//! Screens that move: what is waited for, and for how long.

use trailblaze_engine::commands::Commands;

use crate::support::World;

/// Waits until the screen is still; says whether it was, and after how many milliseconds.
fn settle(world: &World) -> (bool, u64) {
    let start = world.session.now_ms();
    let still = Commands::new(&world.session, u64::MAX).settle().unwrap();
    (still, world.session.now_ms() - start)
}

/// Shows a screen that changes every 50 ms for a while.
fn moving(until_ms: u64, frame: impl Fn(u64) -> String) -> World {
    let world = World::new("");
    let start = world.session.now_ms();
    let mut t = start;
    while t <= start + until_ms {
        world.phone.shows(t, &frame(t));
        t += 50;
    }
    world
}

#[test]
fn an_animation_that_ends_is_waited_for() {
    let (still, took) = settle(&moving(1_000, |t| format!("frame {t} @0,0,100,100")));
    assert!(still);
    assert!((1_050..1_300).contains(&took), "{took}");
}

#[test]
fn an_endless_spinner_in_a_corner_does_not_block() {
    let frame = |t: u64| format!("page @0,0,1000,1000\n spinner {t} @0,0,50,50\n text @0,100,1000,200");
    let (still, took) = settle(&moving(20_000, frame));
    assert!(still);
    assert!((1_500..2_500).contains(&took), "{took}");
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
