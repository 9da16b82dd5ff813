//! The raw status protocol of Android's instrumentation tests: every trail is one test, its start and its end always
//! come in pairs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, Verdict};
use trailblaze_model::order;
use trailblaze_model::test_name::TestName;

use crate::locked;
use crate::step_list::{Longest, failure_text};
use crate::text::{block, one_line};
use crate::trail_log::{TrailLogs, run_of};

const STARTED: i32 = 1;
const PASSED: i32 = 0;
const ERROR: i32 = -1;
const FAILED: i32 = -2;
const IGNORED: i32 = -3;

/// Who calls itself the runner in every status.
const RUNNER: &str = "Trailblaze";
/// Farms cut longer values off somewhere else.
const LONGEST: Longest = Longest(16_000);

/// Where a status goes: a code, keys and values.
pub trait StatusSink: Send + Sync {
    fn status(&self, code: i32, values: &[(&str, String)]);
}

/// Tells the host of an instrumentation run what happens.
pub struct InstrumentationStatus {
    sink: Arc<dyn StatusSink>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trails: TrailLogs,
    /// How many tests there are in all.
    count: usize,
    /// The number of each test that was started, and whether it is over.
    started: HashMap<Arc<str>, (usize, bool)>,
}

impl std::fmt::Debug for InstrumentationStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InstrumentationStatus({} tests)", locked(&self.state).count)
    }
}

impl InstrumentationStatus {
    pub fn new(sink: Arc<dyn StatusSink>) -> Self {
        Self { sink, state: Mutex::default() }
    }

    /// A test is started and ends at once, as hosts expect it when they only ask which tests there are.
    pub fn list(&self, ids: &[Arc<str>]) {
        let mut state = locked(&self.state);
        state.count = ids.len();
        for id in ids {
            let values = self.start(&mut state, id);
            self.sink.status(PASSED, &values);
        }
    }

    /// Tests that cannot be run: each that is not over is started and ends at once, with the reason.
    pub fn refuse(&self, ids: &[Arc<str>], why: &str) {
        let mut state = locked(&self.state);
        state.count = state.count.max(ids.len());
        for id in ids {
            if state.started.get(id).is_some_and(|(_, over)| *over) {
                continue;
            }
            let mut values = self.start(&mut state, id);
            values.push(("stack", block(why, LONGEST.0)));
            self.sink.status(ERROR, &values);
            state.started.entry(id.clone()).and_modify(|(_, over)| *over = true);
        }
    }

    fn start(&self, state: &mut State, id: &Arc<str>) -> Vec<(&'static str, String)> {
        let number = state.started.len() + 1;
        let current = state.started.entry(id.clone()).or_insert((number, false)).0;
        let name = TestName::of(id);
        let values = vec![
            ("class", name.class.clone()),
            ("test", name.method.clone()),
            ("id", RUNNER.to_owned()),
            ("numtests", state.count.max(current).to_string()),
            ("current", current.to_string()),
            ("trail", one_line(id)),
        ];
        if current == number {
            self.sink.status(STARTED, &with_stream(&values, format!("\n{}: ", name)));
        }
        values
    }
}

fn with_stream(values: &[(&'static str, String)], stream: String) -> Vec<(&'static str, String)> {
    values.iter().cloned().chain([("stream", stream)]).collect()
}

impl Observer for InstrumentationStatus {
    fn event(&self, event: &Event) {
        let state = &mut *locked(&self.state);
        state.trails.apply(event);
        match &event.kind {
            EventKind::RunStarted { trails, .. } => state.count = *trails,
            EventKind::TrailStarted { id, .. } => {
                self.start(state, id);
            }
            EventKind::TrailFinished { id, verdict, failure, reason, will_retry: false, .. } => {
                let values = self.start(state, id);
                let trouble = failure.as_ref().is_some_and(|failure| failure.kind.is_device_trouble());
                let (code, told) = match verdict {
                    Verdict::Passed | Verdict::Healed => (PASSED, None),
                    Verdict::Skipped | Verdict::NotRun => (IGNORED, reason.clone()),
                    Verdict::Failed => {
                        let last = state.trails.get(&run_of(event, id)).and_then(|trail| trail.last());
                        let text = last.map(|attempt| failure_text(attempt, LONGEST)).unwrap_or_default();
                        (if trouble { ERROR } else { FAILED }, Some(text))
                    }
                };
                let mut values =
                    with_stream(&values, if code == PASSED { ".".to_owned() } else { String::new() });
                values.extend(told.map(|told| ("stack", told.trim_end().to_owned())));
                self.sink.status(code, &values);
                if let Some((_, over)) = state.started.get_mut(id) {
                    *over = true;
                }
                state.trails.remove(&run_of(event, id));
            }
            // A test that was started and never ended is no passed test.
            EventKind::RunFinished { .. } => {
                let mut open: Vec<(usize, Arc<str>)> = state
                    .started
                    .iter()
                    .filter(|(_, (_, over))| !over)
                    .map(|(id, (number, _))| (*number, id.clone()))
                    .collect();
                order::sort(&mut open);
                for (_, id) in open {
                    let mut values = self.start(state, &id);
                    values.push(("stack", "the run ended before the trail did".to_owned()));
                    self.sink.status(ERROR, &values);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Script, device_gone, timeout};

    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);

    impl StatusSink for Lines {
        fn status(&self, code: i32, values: &[(&str, String)]) {
            let get =
                |key: &str| values.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str());
            let stack = get("stack")
                .map_or(String::new(), |stack| format!(" {}", stack.lines().next().unwrap_or("")));
            let line = format!(
                "{code} {}#{} {}/{}{stack}",
                get("class").unwrap(),
                get("test").unwrap(),
                get("current").unwrap(),
                get("numtests").unwrap(),
            );
            locked(&self.0).push(line);
        }
    }

    fn statuses(script: &Script) -> Vec<String> {
        let lines = Arc::new(Lines::default());
        script.play(&InstrumentationStatus::new(lines.clone()));
        std::mem::take(&mut *locked(&lines.0))
    }

    #[test]
    fn tests_are_listed_without_being_run() {
        let lines = Arc::new(Lines::default());
        InstrumentationStatus::new(lines.clone()).list(&["a/b".into(), "tour".into()]);
        let expected = [
            "1 dev.trailblaze.trails.A#b 1/2",
            "0 dev.trailblaze.trails.A#b 1/2",
            "1 dev.trailblaze.trails.Trails#tour 2/2",
            "0 dev.trailblaze.trails.Trails#tour 2/2",
        ];
        assert_eq!(*locked(&lines.0), expected);
    }

    #[test]
    fn tests_that_cannot_be_run_are_errors() {
        let lines = Arc::new(Lines::default());
        let status = InstrumentationStatus::new(lines.clone());
        status.refuse(&["a/b".into(), "tour".into()], "unknown target 'x'\nhint: leave it out");
        let expected = [
            "1 dev.trailblaze.trails.A#b 1/2",
            "-1 dev.trailblaze.trails.A#b 1/2 unknown target 'x'",
            "1 dev.trailblaze.trails.Trails#tour 2/2",
            "-1 dev.trailblaze.trails.Trails#tour 2/2 unknown target 'x'",
        ];
        assert_eq!(*locked(&lines.0), expected);
        status.refuse(&["a/b".into()], "again");
        assert_eq!(locked(&lines.0).len(), 4, "what is over stays so");
    }

    #[test]
    fn every_start_has_its_end() {
        let mut script = Script::new(4);
        script.start("good", "", 1).passed_step("one").passes();
        script.start("bad", "", 1).failed_step("one", timeout()).fails_and_will_be_retried(timeout());
        script.start_attempt("bad", "", 1, 2).failed_step("one", timeout()).fails(timeout());
        script.start("gone", "", 1).fails(device_gone());
        script.left_out("lazy", Verdict::Skipped, "not today").finish();
        let told = statuses(&script);
        let expected = [
            "1 dev.trailblaze.trails.Trails#good 1/4",
            "0 dev.trailblaze.trails.Trails#good 1/4",
            "1 dev.trailblaze.trails.Trails#bad 2/4",
            "-2 dev.trailblaze.trails.Trails#bad 2/4 not settled within 5 s",
            "1 dev.trailblaze.trails.Trails#gone 3/4",
            "-1 dev.trailblaze.trails.Trails#gone 3/4 the device is gone",
            "1 dev.trailblaze.trails.Trails#lazy 4/4",
            "-3 dev.trailblaze.trails.Trails#lazy 4/4 not today",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_trail_that_was_cut_off_is_an_error() {
        let mut script = Script::new(1);
        script.start("cut", "", 1).step("one").finish_run(true);
        let expected = [
            "1 dev.trailblaze.trails.Trails#cut 1/1",
            "-1 dev.trailblaze.trails.Trails#cut 1/1 the run ended before the trail did",
        ];
        assert_eq!(statuses(&script), expected);
    }
}
