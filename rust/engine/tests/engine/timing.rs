//! Where the time of a step goes.

use trailblaze_engine::dispatch::Output;
use trailblaze_engine::runner::run_trail;
use trailblaze_model::event::{EventKind, Spread, StepTiming};
use trailblaze_model::flags::ToolFlags;

use crate::support::{Setup, World, function, trail_file};

const PAGE: &str = "@0,0,400,800\n Go @0,0,100,100 isClickable\n @0,100,400,200 isFocused isEditable";

/// What each step took in all, and what of it on what.
fn steps(world: &World, trail: &str) -> Vec<(u64, StepTiming)> {
    let _ = run_trail(&world.session, &trail_file(trail), &"trails/own.trail.yaml".into());
    world.pick(|kind| match kind {
        EventKind::StepFinished { duration_ms, timing, .. } => Some((*duration_ms, *timing)),
        _ => None,
    })
}

fn slow(setup: &mut Setup) {
    setup.phone.takes = (7, 30);
}

#[test]
fn each_kind_of_work_is_counted_by_itself() {
    #[track_caller]
    fn check(call: &str, [see_ms, match_ms, act_ms, settle_ms, verify_ms]: [u64; 5]) {
        let world = World::with(PAGE, slow);
        let steps = steps(&world, &format!("- tools: [{call}]\n"));
        let timing = StepTiming { see_ms, match_ms, act_ms, settle_ms, verify_ms };
        assert_eq!(steps, [(see_ms + match_ms + act_ms + settle_ms + verify_ms, timing)], "{call}");
    }
    check("{ pressHome: {} }", [14, 0, 30, 143, 0]);
    check("{ tap: { text: Go } }", [21, 0, 30, 143, 0]);
    check("{ assertVisible: { text: Go } }", [7, 0, 0, 0, 0]);
    check("{ inputText: { text: a } }", [35, 0, 30, 143, 0]);
}

#[test]
fn waiting_for_an_element_counts_as_matching_and_waiting_for_a_state_as_verifying() {
    let world = World::new(PAGE);
    world.phone.shows(1_500, "Done @0,0,100,100");
    world.phone.shows(3_000, "Over @0,0,100,100");
    let trail = "- tools: [{ tap: { text: Done } }]\n- tools: [{ assertVisible: { text: Over } }]\n";
    let matched = StepTiming { match_ms: 500, settle_ms: 100 + 150, ..StepTiming::default() };
    let verified = StepTiming { verify_ms: 1_300, ..StepTiming::default() };
    assert_eq!(
        steps(&world, trail),
        [(750, matched), (1_300, verified)],
        "it was new, so it is looked at twice"
    );
}

#[test]
fn what_is_none_of_it_is_not_counted() {
    let world = World::with(PAGE, |setup| {
        setup.tools.push(function("own_think", ToolFlags::default(), |_, context| {
            context.session.clock.sleep_until(3_000);
            Ok(Output::default())
        }));
    });
    let both = steps(&world, "- tools: [{ own_think: {} }]\n- tools: [{ pressHome: {} }]\n");
    assert_eq!(
        both,
        [(2_000, StepTiming::default()), (150, StepTiming { settle_ms: 150, ..StepTiming::default() })]
    );
}

#[test]
fn a_trail_has_the_middle_and_the_slow_end_of_its_steps() {
    let world = World::with(PAGE, slow);
    steps(&world, &"- tools: [{ pressHome: {} }]\n".repeat(3));
    let timing = world.session.timing();
    assert_eq!((timing.act, timing.verify), (Spread { p50: 30, p95: 30 }, Spread::default()));
}
