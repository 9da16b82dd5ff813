//! Where the time of a step goes, on the run's clock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use trailblaze_model::event::{StepTiming, TrailTiming};

use crate::clock::Clock;

/// What a run spends time on. What is none of these (a script, a sleep that a trail asks for) is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Reading the screen.
    See,
    /// Looking for an element, with the waiting for it.
    Match,
    /// The device performs an action.
    Act,
    /// Waiting until the screen is still.
    Settle,
    /// Checking, with the waiting until it holds.
    Verify,
}

const PHASES: usize = 5;

/// Adds up times; a phase inside of another one takes its time from it.
#[derive(Debug, Default)]
pub(crate) struct Timing(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    current: Option<Phase>,
    /// Since when the current phase has not been counted.
    since_ms: u64,
    spent: [u64; PHASES],
    steps: Vec<[u64; PHASES]>,
}

impl State {
    fn switch(&mut self, to: Option<Phase>, now_ms: u64) -> Option<Phase> {
        if let Some(phase) = self.current {
            self.spent[phase as usize] += now_ms.saturating_sub(self.since_ms);
        }
        self.since_ms = now_ms;
        std::mem::replace(&mut self.current, to)
    }
}

/// Ends its phase when it goes away.
#[derive(Debug)]
pub(crate) struct InPhase<'a> {
    timing: &'a Timing,
    clock: &'a dyn Clock,
    before: Option<Phase>,
}

impl Drop for InPhase<'_> {
    fn drop(&mut self) {
        let now = self.clock.now_ms();
        self.timing.lock().switch(self.before, now);
    }
}

impl Timing {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter<'a>(&'a self, phase: Phase, clock: &'a dyn Clock) -> InPhase<'a> {
        let mut state = self.lock();
        // To look for what is checked is part of checking it.
        let checking = phase == Phase::Match && state.current == Some(Phase::Verify);
        let before = state.switch(Some(if checking { Phase::Verify } else { phase }), clock.now_ms());
        drop(state);
        InPhase { timing: self, clock, before }
    }

    /// What was spent since the last step ended.
    pub(crate) fn end_step(&self) -> StepTiming {
        let mut state = self.lock();
        let spent = std::mem::take(&mut state.spent);
        state.steps.push(spent);
        let [see_ms, match_ms, act_ms, settle_ms, verify_ms] = spent;
        StepTiming { see_ms, match_ms, act_ms, settle_ms, verify_ms }
    }

    /// The middle and the slow end over all steps.
    pub(crate) fn of_trail(&self) -> TrailTiming {
        let state = self.lock();
        let of = |phase: Phase| {
            let mut times: Vec<u64> = state.steps.iter().map(|step| step[phase as usize]).collect();
            times.sort_unstable();
            trailblaze_model::event::Spread { p50: rank(&times, 50), p95: rank(&times, 95) }
        };
        TrailTiming {
            see: of(Phase::See),
            r#match: of(Phase::Match),
            act: of(Phase::Act),
            settle: of(Phase::Settle),
            verify: of(Phase::Verify),
        }
    }
}

/// The smallest value that so many percent of all do not exceed.
fn rank(sorted: &[u64], percent: usize) -> u64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::VirtualClock;

    #[test]
    fn an_inner_phase_takes_its_time_from_the_outer_one() {
        let (timing, clock) = (Timing::default(), VirtualClock::default());
        {
            let _verify = timing.enter(Phase::Verify, &clock);
            clock.sleep_until(100);
            {
                let _see = timing.enter(Phase::See, &clock);
                clock.sleep_until(130);
            }
            clock.sleep_until(200);
        }
        clock.sleep_until(1_000);
        let step = timing.end_step();
        assert_eq!((step.verify_ms, step.see_ms, step.act_ms), (170, 30, 0));
        assert_eq!(timing.end_step(), StepTiming::default());
        assert_eq!(timing.of_trail().verify.p50, 0);
        assert_eq!(timing.of_trail().verify.p95, 170);
    }

    #[test]
    fn to_look_for_what_is_checked_is_part_of_checking() {
        let (timing, clock) = (Timing::default(), VirtualClock::default());
        {
            let _verify = timing.enter(Phase::Verify, &clock);
            let _match = timing.enter(Phase::Match, &clock);
            clock.sleep_until(100);
        }
        {
            let _match = timing.enter(Phase::Match, &clock);
            clock.sleep_until(130);
        }
        let step = timing.end_step();
        assert_eq!((step.verify_ms, step.match_ms), (100, 30));
    }

    #[test]
    fn ranks_are_values_that_were_measured() {
        let times: Vec<u64> = (1..=20).collect();
        assert_eq!((rank(&times, 50), rank(&times, 95), rank(&[7], 50), rank(&[], 95)), (10, 19, 7, 0));
    }
}
