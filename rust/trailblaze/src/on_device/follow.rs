//! The instrumentation on the phone, from its start to its end.

use std::time::{Duration, Instant};

use trailblaze_devices::adb::{Error, ErrorKind, Limit, Part, Phone, Shell, quote};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::observer::Observer;
use trailblaze_model::driver::Driver;
use trailblaze_model::event::EventKind;

use super::events::{Events, Places};
use super::pushed::{Pushed, run};
use super::said;
use crate::exit_code::{Exit, Problem};
use crate::laptop::taken::is_there;
use crate::laptop::{Agent, SMALL, trouble};

/// How often to look for events.
const LOOK: Duration = Duration::from_millis(200);
/// How long a phone may be away, as when a cable is plugged in again.
const AWAY: Duration = Duration::from_secs(60);
/// How long it is waited for once nobody wants the run any more: it still has to be told.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long a run may take to end once it is told to.
const STOPPING: Duration = Duration::from_secs(20);
/// So often to look for the last events.
const LATE: usize = 10;
/// So much is kept of what the instrumentation says; the end matters.
const KEPT: usize = 256 << 10;

/// How it ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// The instrumentation is done.
    Over,
    /// Nothing could be run, or not to the end.
    Refused(Problem),
    /// The phone is away, and goes on by itself.
    Lost(Problem),
}

#[derive(Debug)]
pub(super) struct Follow {
    phone: Phone,
    /// Of the agent.
    package: String,
    /// None once the connection to it was lost; it runs all the same.
    shell: Option<Shell>,
    said: Vec<u8>,
    stop: String,
    events: Events,
    has_begun: bool,
    has_finished: bool,
    now: u64,
}

impl Follow {
    /// Starts the run there.
    pub(super) fn start(
        phone: &Phone,
        agent: &Agent,
        pushed: &Pushed,
        driver: Driver,
        places: Places,
    ) -> Result<Self, Error> {
        let command = agent.start(&[
            ("workspace", &pushed.workspace()),
            ("additionalTestOutputDir", &pushed.output()),
            ("argumentsFile", &pushed.arguments()),
            ("stopFile", &pushed.stop()),
            ("driver", driver.key()),
        ]);
        // Not ended by an interrupt: the run there is told to stop, and then still has something to say.
        let shell = phone.start_shell(&command, &Limit::within(SMALL, &Cancel::default()))?;
        let events = Events::new(format!("{}/events.jsonl", pushed.reports()), places);
        Ok(Self {
            phone: phone.clone(),
            package: agent.package.clone(),
            shell: Some(shell),
            said: Vec::new(),
            stop: pushed.stop(),
            events,
            has_begun: false,
            has_finished: false,
            now: 0,
        })
    }

    /// Whether the phone has said that the run begins.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether it has said how it ended.
    pub(super) fn has_finished(&self) -> bool {
        self.has_finished
    }

    /// The time on the run's clock.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Passes events on until the run is over.
    pub(super) fn until_it_ends(&mut self, observer: &dyn Observer, cancel: &Cancel) -> Ended {
        let mut deadline = None;
        loop {
            let step = self.look(observer).or_else(|error| self.come_back(error, cancel));
            match step {
                Ok(false) => {}
                Ok(true) => break,
                Err(error) if error.may_pass() => return Ended::Lost(trouble(error)),
                Err(error) => return Ended::Refused(trouble(error)),
            }
            if cancel.is_cancelled() {
                let until = *deadline.get_or_insert_with(|| {
                    self.tell_to_stop();
                    Instant::now() + STOPPING
                });
                if Instant::now() > until {
                    return self.end_it();
                }
            }
        }
        let trouble = said::trouble(&String::from_utf8_lossy(&self.said));
        for _ in 0..LATE {
            // What the agent wrote last may be seen a little later by the shell.
            if self.has_finished || trouble.is_some() || !matches!(self.take_events(observer), Ok(false)) {
                break;
            }
            std::thread::sleep(LOOK);
        }
        match trouble {
            Some(problem) if !self.has_finished => Ended::Refused(problem),
            _ => Ended::Over,
        }
    }

    /// Whether it is over.
    fn look(&mut self, observer: &dyn Observer) -> Result<bool, Error> {
        let is_over = self.listen()?;
        self.take_events(observer)?;
        Ok(is_over)
    }

    /// Passes on what is new, and says whether the run has finished.
    fn take_events(&mut self, observer: &dyn Observer) -> Result<bool, Error> {
        for event in self.events.next(&self.phone)? {
            self.now = event.t;
            self.has_begun = true;
            self.has_finished |= matches!(event.kind, EventKind::RunFinished { .. });
            observer.event(&event);
        }
        Ok(self.has_finished)
    }

    /// Takes what the instrumentation says for a moment, and whether it has ended.
    fn listen(&mut self) -> Result<bool, Error> {
        let limit = Limit::within(LOOK, &Cancel::default());
        let Some(shell) = &mut self.shell else {
            std::thread::sleep(LOOK);
            // Also after an interrupt.
            let limit = Limit::within(SMALL, &Cancel::default());
            return Ok(self.has_finished || !is_there(&self.phone, &self.package, &limit)?);
        };
        shell.set_limit(&limit);
        loop {
            match shell.next_part() {
                Ok(Part::Out(bytes) | Part::Err(bytes)) => self.said.extend(bytes),
                Ok(Part::Exit(_)) => return Ok(true),
                Err(error) if error.kind == ErrorKind::TimedOut => break,
                Err(error) => {
                    self.shell = None;
                    return Err(error);
                }
            }
        }
        if self.said.len() > KEPT {
            self.said.drain(..self.said.len() - KEPT / 2);
        }
        Ok(false)
    }

    /// Waits for a phone that went away; the run goes on there meanwhile.
    fn come_back(&mut self, error: Error, cancel: &Cancel) -> Result<bool, Error> {
        if !error.may_pass() {
            return Err(error);
        }
        self.shell = None;
        let wait = |away: Limit| {
            // adb's server may have been ended, too; what it says to that is said below.
            let _ = self.phone.server().ensure_running(&away);
            self.phone.server().wait_until_ready(self.phone.serial(), &away).is_ok()
        };
        let is_back = wait(Limit::within(AWAY, cancel))
            || cancel.is_cancelled() && wait(Limit::within(FAREWELL, &Cancel::default()));
        if is_back && cancel.is_cancelled() {
            // The phone may have gone while it was told.
            self.tell_to_stop();
        }
        if is_back { Ok(false) } else { Err(error) }
    }

    fn tell_to_stop(&self) {
        // A phone that cannot be told is ended below.
        let limit = Limit::within(SMALL, &Cancel::default());
        let _ =
            run(&self.phone, "the run could not be stopped", &format!("touch {}", self.stop), None, &limit);
    }

    /// Ends a run that does not listen.
    fn end_it(&mut self) -> Ended {
        let limit = Limit::within(SMALL, &Cancel::default());
        let stop = format!("am force-stop {}", quote(&self.package));
        let _ = run(&self.phone, "the agent could not be ended", &stop, None, &limit);
        self.shell = None;
        let message = "it did not stop by itself, and was ended";
        Ended::Refused(Problem::new(Exit::Interrupted, message).hint(
            "the settings of the phone for animations and accessibility may not be as they were: look at them",
        ))
    }
}
