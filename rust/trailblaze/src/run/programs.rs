//! Programs that tools run: started and noted, or only answered from notes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trailblaze_engine::clock::Clock;
use trailblaze_engine::host::{CommandOutput, HostCommand};
use trailblaze_model::failure::{Failure, FailureKind};

use crate::session::Program;

/// The programs of one trail.
#[derive(Debug)]
pub(super) struct Programs {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// What was started; of so many bytes, about, or as many as it takes.
    Started { seen: Vec<Program>, left: Option<usize> },
    /// What is still to come. A session that somebody sent must not start programs here.
    Recorded(VecDeque<Program>),
}

impl Programs {
    /// Programs are started; what they did is kept, at most about `limit` bytes of it.
    pub(super) fn started(clock: Arc<dyn Clock>, limit: Option<usize>) -> Self {
        Self { clock, state: Mutex::new(State::Started { seen: Vec::new(), left: limit }) }
    }

    /// No program is started; each does what it did before.
    pub(super) fn recorded(clock: Arc<dyn Clock>, programs: &[Program]) -> Self {
        Self { clock, state: Mutex::new(State::Recorded(programs.iter().cloned().collect())) }
    }

    /// Whether nothing of this reaches the real world.
    pub(super) fn are_recorded(&self) -> bool {
        matches!(&*self.lock(), State::Recorded(_))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was started until now; none when it was too much to keep.
    pub(super) fn seen(&self) -> Option<Vec<Program>> {
        match &*self.lock() {
            State::Started { left: Some(0), .. } => None,
            State::Started { seen, .. } => Some(seen.clone()),
            State::Recorded(_) => Some(Vec::new()),
        }
    }

    /// Whether there is room for so many bytes of something else that is kept; they are taken.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        match &mut *self.lock() {
            State::Started { left: Some(left), .. } => {
                let has_room = *left > bytes;
                *left = left.saturating_sub(bytes);
                has_room
            }
            State::Started { left: None, .. } => true,
            State::Recorded(_) => false,
        }
    }

    /// What comes of a command; `start` runs it.
    pub(super) fn run(
        &self,
        command: &HostCommand,
        start: impl FnOnce() -> Result<CommandOutput, Failure>,
    ) -> Result<CommandOutput, Failure> {
        if let State::Recorded(coming) = &mut *self.lock() {
            return self.answer(command, coming);
        }
        let started_ms = self.clock.now_ms();
        let answer = start();
        let program = Program {
            argv: command.argv.clone(),
            working_dir: command.working_dir.clone(),
            took_ms: self.clock.now_ms().saturating_sub(started_ms),
            answer: answer.clone(),
        };
        self.lock().note(program);
        answer
    }

    fn answer(
        &self,
        command: &HostCommand,
        coming: &mut VecDeque<Program>,
    ) -> Result<CommandOutput, Failure> {
        if coming.front().is_some_and(|next| next.is(command))
            && let Some(program) = coming.pop_front()
        {
            self.clock.sleep(program.took_ms);
            return program.answer;
        }
        let show = |argv: &[String]| serde_json::to_string(argv).unwrap_or_default();
        let seen = match coming.front() {
            Some(next) => format!("it ran {} here", show(&next.argv)),
            None => "it ran no more".to_owned(),
        };
        let message =
            format!("the recorded world has no answer to the program {}; {seen}", show(&command.argv));
        let hint = "a replay starts no programs on this machine; record the session again";
        Err(Failure::new(FailureKind::NotRecorded, message).hint(hint))
    }
}

impl State {
    fn note(&mut self, program: Program) {
        let Self::Started { seen, left } = self else { return };
        match left {
            Some(left) if *left <= program.size() => {
                *left = 0;
                *seen = Vec::new();
                return;
            }
            Some(left) => *left -= program.size(),
            None => {}
        }
        seen.push(program);
    }
}

#[cfg(test)]
mod tests {
    use trailblaze_engine::clock::VirtualClock;

    use super::*;

    fn command(line: &str) -> HostCommand {
        let argv = line.split(' ').map(str::to_owned).collect();
        HostCommand { argv, working_dir: None, timeout_ms: 1_000 }
    }

    /// A program that takes so long and says something.
    fn run(programs: &Programs, clock: &VirtualClock, line: &str, ms: u64) -> Result<CommandOutput, Failure> {
        programs.run(&command(line), || {
            clock.sleep(ms);
            Ok(CommandOutput { exit_code: 3, output: format!("did {line}") })
        })
    }

    #[test]
    fn programs_do_what_they_did_and_take_as_long() {
        let clock = Arc::new(VirtualClock::starting_at(0));
        let started = Programs::started(clock.clone(), None);
        let before = ["a b", "c"].map(|line| run(&started, &clock, line, 500).unwrap());
        let (seen, clock) = (started.seen().unwrap(), Arc::new(VirtualClock::starting_at(70)));
        let recorded = Programs::recorded(clock.clone(), &seen);
        let not_again = || panic!("nothing is started");
        let after = ["a b", "c"].map(|line| recorded.run(&command(line), not_again).unwrap());
        assert_eq!(after, before);
        assert_eq!(clock.now_ms(), 1_070);
    }

    #[test]
    fn another_program_has_no_answer() {
        let clock = Arc::new(VirtualClock::starting_at(0));
        let started = Programs::started(clock.clone(), None);
        run(&started, &clock, "a b", 0).unwrap();
        let recorded = Programs::recorded(clock.clone(), &started.seen().unwrap());
        let refused = run(&recorded, &clock, "a c", 0).unwrap_err();
        assert_eq!(refused.kind, FailureKind::NotRecorded);
        assert_eq!(
            refused.message,
            r#"the recorded world has no answer to the program ["a","c"]; it ran ["a","b"] here"#
        );
        run(&recorded, &clock, "a b", 0).unwrap();
        let refused = run(&recorded, &clock, "a b", 0).unwrap_err();
        assert_eq!(
            refused.message,
            r#"the recorded world has no answer to the program ["a","b"]; it ran no more"#
        );
    }

    #[test]
    fn too_much_is_given_up() {
        let clock = Arc::new(VirtualClock::starting_at(0));
        let started = Programs::started(clock.clone(), Some(10_000));
        for line in ["a", &"b".repeat(4_000)] {
            run(&started, &clock, line, 0).unwrap();
            assert!(started.seen().is_some());
        }
        run(&started, &clock, "c", 0).unwrap();
        run(&started, &clock, &"d".repeat(4_000), 0).unwrap();
        assert_eq!(started.seen(), None);
        run(&started, &clock, "e", 0).unwrap();
        assert_eq!(started.seen(), None);
    }
}
