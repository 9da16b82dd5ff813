//! The conversation of a laptop with one agent: what is asked, and what becomes of it when the stream breaks or the agent
//! hangs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use super::class::response;
use super::line::{Events, Line};
use super::message::{Hello, Request, Response};
use super::method as by;
use super::wire::Wire;
use super::{PROTOCOL, lock};
use crate::class_tool;
use crate::platform::{ClassCode, UiEvent};

/// How long a phone that was given up is not looked for again.
const AGAIN: Duration = Duration::from_secs(5);
/// How long it takes between two attempts to reach the phone.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a wait may be deaf to an interrupt.
const SLICE: Duration = Duration::from_millis(50);
/// What Android says of a connection to its accessibility that broke.
const BROKEN: &str = "UiAutomation not connected";

/// The way to the agent.
pub trait Dial: Send + Sync {
    /// What the phone is called in the run.
    fn phone(&self) -> &str;
    /// Opens a stream. A failure of the kind `Device` is tried again for a while.
    fn dial(&self) -> Result<Arc<dyn Wire>, Failure>;
    /// Whether the agent has ended, as far as the phone is there to say so.
    fn has_ended(&self) -> bool {
        false
    }
    /// Ends an agent that hangs and starts it again.
    fn restart(&self) -> Result<(), Failure>;
}

/// How long is waited for a phone.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For an answer that needs no time of its own, before the agent counts as hung.
    pub answer: Duration,
    /// For a gesture or a start of an app.
    pub deed: Duration,
    /// For commands and web requests, which take as long as others let them.
    pub others: Duration,
    /// For a phone that is away, before that is its end; the tool call that asks may have less. The agent does not wait
    /// longer for its laptop.
    pub away: Duration,
    /// After an agent was started again, before it may be once more.
    pub steady: Duration,
    /// For what a run still asks after an interrupt, to put things back.
    pub grace: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            answer: seconds(20),
            deed: seconds(60),
            others: seconds(600),
            away: seconds(60),
            steady: seconds(600),
            grace: seconds(3),
        }
    }
}

/// One agent.
pub(super) struct Asked {
    dial: Arc<dyn Dial>,
    hello: Hello,
    patience: Patience,
    cancel: Cancel,
    /// Requests are made one after the other; only classes run beside them.
    turn: Mutex<()>,
    last_id: AtomicU64,
    line: Mutex<Option<Arc<Line>>>,
    events: Events,
    /// The version of the agent.
    agent: Mutex<String>,
    /// When the agent was started again.
    restarted: Mutex<Option<Instant>>,
    /// When the tool call must be over that asks now.
    deadline: Mutex<Option<Instant>>,
    /// A request that a tool call had no time to wait for, and when the agent counts as hung that does not answer it.
    unanswered: Mutex<Option<(Receiver<Response>, Instant)>>,
    /// What the agent is to undo should this laptop not come back.
    undo: Mutex<Option<Request>>,
    /// Since when the phone is away.
    away_since: Mutex<Option<Instant>>,
    /// Whether the agent was told goodbye.
    is_over: AtomicBool,
    /// When the phone was given up, and why.
    lost: Mutex<Option<(Instant, Failure)>>,
}

/// Why there is no answer.
enum Trouble {
    /// The stream is over.
    Ended,
    /// Nothing is heard.
    Silent,
    /// The tool call has no time left.
    Late,
    Interrupted,
}

impl Asked {
    pub(super) fn connect(
        dial: Arc<dyn Dial>,
        session: &str,
        who: &str,
        patience: Patience,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let hello = Hello { protocol: PROTOCOL, session: session.to_owned(), who: who.to_owned() };
        let asked = Asked {
            dial,
            hello,
            patience,
            cancel: cancel.clone(),
            turn: Mutex::default(),
            last_id: AtomicU64::new(0),
            line: Mutex::default(),
            events: Events::default(),
            agent: Mutex::default(),
            restarted: Mutex::default(),
            deadline: Mutex::default(),
            unanswered: Mutex::default(),
            undo: Mutex::default(),
            away_since: Mutex::default(),
            is_over: AtomicBool::new(false),
            lost: Mutex::default(),
        };
        asked.greet()?;
        Ok(asked)
    }

    pub(super) fn agent(&self) -> String {
        lock(&self.agent).clone()
    }

    pub(super) fn phone(&self) -> &str {
        self.dial.phone()
    }

    pub(super) fn take_events(&self) -> Vec<UiEvent> {
        std::mem::take(&mut *lock(&self.events))
    }

    pub(super) fn set_time_left(&self, left: Option<Duration>) {
        *lock(&self.deadline) = left.and_then(|left| Instant::now().checked_add(left));
    }

    fn is_late(&self) -> bool {
        lock(&self.deadline).is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the phone is there. One that a tool call had no time to wait for is waited for now.
    pub(super) fn is_reached(&self) -> bool {
        self.has_line() || (lock(&self.away_since).is_some() && self.ask(call(by::UPTIME)).is_ok())
    }

    /// Greets the agent once more where the stream is over; that it is, may be noticed only when something is asked. Whoever
    /// asks just now finds that out himself.
    pub(super) fn greet_again(&self) -> Result<(), Failure> {
        let Ok(_turn) = self.turn.try_lock() else { return Ok(()) };
        let request = Request { id: self.next_id(), ..call(by::UPTIME) };
        if !matches!(self.exchange(&request), Err(Trouble::Ended)) {
            return Ok(());
        }
        lock(&self.line).take();
        self.greet()
    }

    fn has_line(&self) -> bool {
        lock(&self.line).is_some()
    }

    /// What the agent says to that does not matter, only that it heard it. One that was lost may be back, and one that
    /// hangs in a request hears it on another stream.
    pub(super) fn goodbye(&self) {
        self.is_over.store(true, Ordering::Release);
        for _ in 0..2 {
            if !self.has_line() {
                let _ = self.greet();
            }
            let Some(line) = lock(&self.line).take() else { return };
            let request = Request { id: self.next_id(), ..call(by::GOODBYE) };
            let answer = line.ask(&request).map(|answer| answer.recv_timeout(self.patience.grace));
            if matches!(answer, Ok(Ok(_))) {
                return;
            }
        }
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn greet(&self) -> Result<(), Failure> {
        let wire = self.dial.dial()?;
        let opened = Line::open(wire, &self.hello, self.events.clone());
        let (line, welcome) = opened.map_err(|_| {
            device("the agent on the phone did not answer the greeting")
                .hint("'trailblaze doctor' looks at the phone")
        })?;
        if !welcome.busy_with.is_empty() {
            let message = format!("the phone {} is in use by {}", self.dial.phone(), welcome.busy_with);
            return Err(refused(message).hint("wait until it is free, or name another with '--device'"));
        }
        if welcome.protocol != PROTOCOL {
            let message = format!("the agent on the phone is version {}, which does not fit", welcome.agent);
            return Err(refused(message).hint("install the agent of this version"));
        }
        lock(&self.lost).take();
        lock(&self.away_since).take();
        lock(&self.unanswered).take();
        *lock(&self.agent) = welcome.agent;
        // It may be another agent, which knows nothing of the one before. A line that breaks at once is greeted again.
        let _ = lock(&self.undo).as_ref().map_or(Ok(()), |undo| line.tell(undo));
        *lock(&self.line) = Some(Arc::new(line));
        Ok(())
    }

    /// Sends a request and waits for what comes of it. A stream that breaks is opened again, and the request sent once
    /// more: the phone does not do it twice. An agent that hangs or ended is started again, once.
    pub(super) fn ask(&self, request: Request) -> Result<Response, Failure> {
        let _turn = lock(&self.turn);
        if let Some((at, failure)) = &*lock(&self.lost)
            && at.elapsed() < AGAIN
        {
            return Err(failure.clone());
        }
        if request.method == by::UNDO_WHEN_ALONE {
            *lock(&self.undo) = Some(request.clone());
        }
        let request = Request { id: self.next_id(), ..request };
        let mut broke = None;
        loop {
            let trouble = match self.exchange(&request) {
                Ok(Response { failure: Some(failure), .. }) if failure.message.contains(BROKEN) => {
                    Trouble::Silent
                }
                Ok(Response { failure: Some(failure), .. }) => return Err(failure),
                Ok(response) => return Ok(response),
                Err(trouble) => trouble,
            };
            match trouble {
                Trouble::Ended => {
                    let first = *broke.get_or_insert_with(Instant::now);
                    if first.elapsed() > self.patience.away {
                        return Err(self.lost(&device("the stream to it breaks again and again")));
                    }
                    self.find_again(request.method)?;
                }
                Trouble::Silent => {
                    lock(&self.line).take();
                    self.restart(request.method)?;
                }
                Trouble::Late => return Err(late()),
                Trouble::Interrupted => return Err(interrupted()),
            }
        }
    }

    fn exchange(&self, request: &Request) -> Result<Response, Trouble> {
        let line = lock(&self.line).clone().ok_or(Trouble::Ended)?;
        // The phone does one after the other.
        let unanswered = lock(&self.unanswered).take();
        unanswered.map_or(Ok(()), |(answer, silent)| self.wait_or_keep(answer, silent).map(drop))?;
        let answer = line.ask(request).map_err(|_| Trouble::Ended)?;
        self.wait_or_keep(answer, Instant::now() + self.patience_for(request))
    }

    /// Waits for an answer. One that comes too late for a tool call is waited for before anything else is asked.
    fn wait_or_keep(&self, answer: Receiver<Response>, silent: Instant) -> Result<Response, Trouble> {
        let answered = self.wait(&answer, silent);
        if matches!(answered, Err(Trouble::Late)) {
            *lock(&self.unanswered) = Some((answer, silent));
        }
        answered
    }

    /// How long an answer may take.
    fn patience_for(&self, request: &Request) -> Duration {
        match request.method {
            by::SHELL | by::FETCH => self.patience.others,
            method if by::only_looks(method) => self.patience.answer,
            _ => self.patience.deed,
        }
    }

    fn wait(&self, answer: &Receiver<Response>, silent: Instant) -> Result<Response, Trouble> {
        let mut interrupted = None;
        loop {
            match answer.recv_timeout(SLICE) {
                Ok(response) => return Ok(response),
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Ended),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.cancel.is_cancelled() {
                let interrupted = interrupted.get_or_insert_with(Instant::now);
                if interrupted.elapsed() > self.patience.grace {
                    return Err(Trouble::Interrupted);
                }
            }
            if self.is_late() {
                return Err(Trouble::Late);
            }
            if Instant::now() > silent {
                return Err(Trouble::Silent);
            }
        }
    }

    /// Waits for a phone that is away: as long as the tool call has, and all of them together no longer than its due.
    fn find_again(&self, method: u32) -> Result<(), Failure> {
        lock(&self.line).take();
        let since = *lock(&self.away_since).get_or_insert_with(Instant::now);
        loop {
            if self.cancel.is_cancelled() || self.is_over.load(Ordering::Acquire) {
                return Err(interrupted());
            }
            let mut found = self.greet();
            if found.is_err() && self.dial.has_ended() {
                found = self.start_anew("ended");
                if found.is_ok() {
                    self.find_again(method)?;
                    return is_known(method, "ended");
                }
            }
            let failure = match found {
                Ok(()) => return Ok(()),
                // Somebody else has it, or the agent cannot be used.
                Err(Failure { kind: FailureKind::Refused, message, hint, .. }) => {
                    let failure = Failure { hint, ..device(&message) };
                    self.give_up(&failure);
                    return Err(failure);
                }
                // A phone that starts has no agent yet.
                Err(failure) => failure,
            };
            let is_over = since.elapsed() >= self.patience.away;
            if is_over || self.is_late() {
                let failure = self.lost(&failure);
                if is_over {
                    self.give_up(&failure);
                }
                return Err(failure);
            }
            thread::sleep(PAUSE);
        }
    }

    fn restart(&self, method: u32) -> Result<(), Failure> {
        self.start_anew("hung").map_err(|failure| Failure { kind: FailureKind::Device, ..failure })?;
        self.find_again(method)?;
        is_known(method, "hung")
    }

    /// Starts the agent again.
    fn start_anew(&self, why: &str) -> Result<(), Failure> {
        if lock(&self.restarted).is_some_and(|at| at.elapsed() < self.patience.steady) {
            let message = format!("the agent on the phone {why} again, after it was started anew");
            let hint = "start the phone anew, or use '--driver' to see it another way";
            return Err(refused(message).hint(hint));
        }
        self.dial.restart()?;
        *lock(&self.restarted) = Some(Instant::now());
        Ok(())
    }

    /// For a while nobody looks for it again.
    fn give_up(&self, failure: &Failure) {
        *lock(&self.lost) = Some((Instant::now(), failure.clone()));
    }

    fn lost(&self, failure: &Failure) -> Failure {
        let message = format!("the phone {} is no longer reached: {}", self.dial.phone(), failure.message);
        device(&message).hint("is the cable in, and does 'adb devices' list it?")
    }
}

/// A class of the agent's APK.
pub(super) struct RemoteClass {
    asked: Arc<Asked>,
    name: String,
}

impl RemoteClass {
    pub(super) fn new(asked: Arc<Asked>, name: &str) -> Self {
        Self { asked, name: name.to_owned() }
    }
}

impl ClassCode for RemoteClass {
    fn phone(&self) -> Option<&str> {
        Some(self.asked.dial.phone())
    }

    fn describe(&self) -> Result<String, Failure> {
        one_text(self.asked.ask(with_text(by::CLASS_DESCRIBE, &self.name))?)
    }

    /// A class that was running when the stream broke is not run again.
    fn execute(&self, arguments: &str, commands: u64) -> Result<String, Failure> {
        let id = self.asked.next_id();
        let texts = vec![self.name.clone(), arguments.to_owned()];
        let request = Request { id, texts, ..call(by::CLASS_EXECUTE) };
        let lost = || device(&format!("the phone was lost while its class {} ran", self.name));
        // A stream that broke meanwhile is opened again by this.
        self.asked.ask(call(by::UPTIME))?;
        let line = lock(&self.asked.line).clone().ok_or_else(lost)?;
        let answers = line.ask(&request).map_err(|_| lost())?;
        loop {
            match self.asked.wait(&answers, Instant::now() + self.asked.patience.answer) {
                Ok(pushed) if pushed.method == by::CLASS_COMMAND => {
                    let asked = pushed.texts.first().map(String::as_str).unwrap_or_default();
                    let data = response(id, class_tool::command(commands, asked)).to_bytes();
                    line.tell(&Request { data, ..call(by::CLASS_ANSWER) }).map_err(|_| lost())?;
                }
                Ok(Response { failure: Some(failure), .. }) => return Err(failure),
                Ok(response) => return one_text(response),
                Err(Trouble::Interrupted) => return Err(interrupted()),
                Err(Trouble::Late) => {
                    // What it asks for now or later is told so, and it ends.
                    let data = response(id, Err(late())).to_bytes();
                    let _ = line.tell(&Request { data, ..call(by::CLASS_ANSWER) });
                    return Err(late());
                }
                // It may take its time, as long as the agent is there.
                Err(Trouble::Silent) => drop(self.asked.ask(call(by::UPTIME))?),
                Err(Trouble::Ended) => return Err(lost()),
            }
        }
    }
}

pub(super) fn one_text(response: Response) -> Result<String, Failure> {
    response.texts.into_iter().next().ok_or_else(odd)
}

/// After an agent was started again. What only looks is then asked again; whether anything else was done, nobody knows.
fn is_known(method: u32, why: &str) -> Result<(), Failure> {
    if by::only_looks(method) {
        return Ok(());
    }
    let message =
        format!("the agent on the phone {why} and was started anew; whether it did this, nobody knows");
    Err(Failure::new(FailureKind::Timeout, message).hint("run the trail again"))
}

fn interrupted() -> Failure {
    Failure::new(FailureKind::Interrupted, "the run was interrupted")
}

fn late() -> Failure {
    let message = "the phone did not answer within the time of the tool call";
    Failure::new(FailureKind::Timeout, message).hint("'trailblaze doctor' looks at the phone")
}

fn device(message: &str) -> Failure {
    Failure::new(FailureKind::Device, message)
}

fn refused(message: String) -> Failure {
    Failure::new(FailureKind::Refused, message)
}

pub(super) fn odd() -> Failure {
    device("the agent on the phone gave an odd answer")
}

pub(super) fn call(method: u32) -> Request {
    Request { method, ..Request::default() }
}

pub(super) fn with_text(method: u32, text: &str) -> Request {
    Request { texts: vec![text.to_owned()], ..call(method) }
}
