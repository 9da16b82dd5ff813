//! One run for one target, driver and agent mode: its registry, memory, device and event stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use serde_json::{Map, Value};
use trailblaze_model::action::{Action, Answer};
use trailblaze_model::event::{Event, EventKind, StepTiming, TrailTiming};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;
use trailblaze_model::waypoint::Waypoint;

use crate::clock::Clock;
use crate::device::Device;
use crate::host::{Cancel, Host};
use crate::memory::Memory;
use crate::observer::Observer;
use crate::registry::Registry;
use crate::server::Servers;
use crate::settle::{self, Place};
use crate::timing::{InPhase, Timing};

pub use crate::timing::Phase;

/// How a session behaves where there is a choice.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the session for those who talk to it.
    pub id: String,
    /// Unknown variables are errors, not warnings.
    pub strict: bool,
    /// The app under test.
    pub app_id: Option<String>,
    /// The longest that one tool call may take.
    pub call_timeout_ms: u64,
    /// When the trail must be over, in milliseconds on the run's clock.
    pub deadline_ms: Option<u64>,
    pub deadline_of: DeadlineOf,
    /// Where random texts begin; the same seed gives the same texts.
    pub seed: u64,
}

/// What has to be over by a deadline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlineOf {
    #[default]
    Trail,
    Run,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            id: "session".to_owned(),
            strict: false,
            app_id: None,
            call_timeout_ms: 600_000,
            deadline_ms: None,
            deadline_of: DeadlineOf::default(),
            seed: 1,
        }
    }
}

/// What a session is made of.
pub struct Parts {
    pub registry: Arc<Registry>,
    pub device: Arc<dyn Device>,
    pub clock: Arc<dyn Clock>,
    pub observer: Arc<dyn Observer>,
    pub host: Arc<dyn Host>,
    pub cancel: Cancel,
    pub memory: Memory,
    /// Places of the app that screens can be compared with.
    pub waypoints: Arc<Vec<Waypoint>>,
    /// Declared arguments of the trail, with their values.
    pub args: Map<String, Value>,
    /// The id of the trail, for events.
    pub trail: Option<Arc<str>>,
    pub options: Options,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Parts({:?})", self.trail)
    }
}

/// A call that has a time of its own. Its end gives the call above it the time that it had.
#[derive(Debug)]
pub(crate) struct InTime<'a> {
    session: &'a Session,
    before_ms: u64,
}

impl Drop for InTime<'_> {
    fn drop(&mut self) {
        self.session.until_ms.store(self.before_ms, Ordering::Relaxed);
        self.session.tell_time_left(self.before_ms);
    }
}

pub struct Session {
    /// Tools may be read again while the session goes on.
    registry: RwLock<Arc<Registry>>,
    pub clock: Arc<dyn Clock>,
    pub host: Arc<dyn Host>,
    pub memory: Memory,
    pub waypoints: Arc<Vec<Waypoint>>,
    pub args: Map<String, Value>,
    pub options: Options,
    pub cancel: Cancel,
    /// What ended the trail, whoever heard of it.
    end: Mutex<Option<Failure>>,
    /// Those who asked for something that runs now, besides the run itself; the innermost is the last.
    wanted_by: Mutex<Vec<Cancel>>,
    /// Toolset servers that run for this session.
    pub servers: Servers,
    device: Arc<dyn Device>,
    observer: Arc<dyn Observer>,
    trail: Option<Arc<str>>,
    calls: AtomicU64,
    /// How many actions reached the device.
    actions: AtomicU64,
    /// When the last one was over.
    last_action_ms: AtomicU64,
    /// When the call that runs now must be over; none runs when it is the last moment of all.
    until_ms: AtomicU64,
    /// The screen that was looked at last.
    seen: Mutex<Option<Arc<Screen>>>,
    /// Parts of the screen that move without end.
    restless: Mutex<Vec<Place>>,
    /// How many windows were empty before the last action.
    empty_windows: AtomicUsize,
    timing: Timing,
    random: Mutex<u64>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({:?} on {})", self.trail, self.device.info().id)
    }
}

impl Session {
    /// The tools as they are now.
    pub fn registry(&self) -> Arc<Registry> {
        self.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes on with other tools; their servers start anew.
    pub fn set_registry(&self, registry: Arc<Registry>) {
        *self.registry.write().unwrap_or_else(PoisonError::into_inner) = registry;
        self.servers.forget();
    }

    pub fn new(parts: Parts) -> Self {
        Self {
            registry: RwLock::new(parts.registry),
            clock: parts.clock,
            host: parts.host,
            memory: parts.memory,
            waypoints: parts.waypoints,
            args: parts.args,
            cancel: parts.cancel,
            end: Mutex::default(),
            wanted_by: Mutex::default(),
            servers: Servers::default(),
            device: parts.device,
            observer: parts.observer,
            trail: parts.trail,
            calls: AtomicU64::new(0),
            actions: AtomicU64::new(0),
            last_action_ms: AtomicU64::new(0),
            until_ms: AtomicU64::new(u64::MAX),
            seen: Mutex::default(),
            restless: Mutex::default(),
            empty_windows: AtomicUsize::new(0),
            timing: Timing::default(),
            random: Mutex::new(parts.options.seed.max(1)),
            options: parts.options,
        }
    }

    pub fn device(&self) -> &dyn Device {
        self.device.as_ref()
    }

    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// Until the answer goes away, the device is asked for a call that must be over by then.
    pub(crate) fn until(&self, deadline_ms: u64) -> InTime<'_> {
        let before_ms = self.until_ms.swap(deadline_ms, Ordering::Relaxed);
        self.tell_time_left(deadline_ms);
        InTime { session: self, before_ms }
    }

    fn tell_time_left(&self, until_ms: u64) {
        let left_ms = (until_ms != u64::MAX).then(|| until_ms.saturating_sub(self.now_ms()));
        self.device.set_time_left(left_ms);
    }

    /// Says something to everybody who listens, without secrets.
    pub fn emit(&self, mut kind: EventKind) {
        if self.memory.has_secrets() {
            kind.map_texts(&|text| self.memory.redact(text));
        }
        self.observer.event(&Event { t: self.now_ms(), trail: self.trail.clone(), device: None, kind });
    }

    /// A failure that may leave the session.
    pub(crate) fn redacted(&self, mut failure: Failure) -> Failure {
        failure.map_texts(&|text| self.memory.redact(text));
        failure
    }

    pub fn warn(&self, message: impl Into<String>, hint: Option<String>) {
        self.emit(EventKind::Warning { message: message.into(), hint });
    }

    /// The only way in which something reaches the device.
    pub fn act(&self, action: Action) -> Result<Answer, Failure> {
        self.check_cancelled()?;
        self.emit(EventKind::Device(action.clone()));
        self.actions.fetch_add(1, Ordering::Relaxed);
        let empty = self.seen().as_deref().map_or(0, settle::empty_windows);
        self.empty_windows.store(empty, Ordering::Relaxed);
        let answer = {
            let _phase = self.phase(Phase::Act);
            self.device.act(&action)
        };
        self.note_action();
        self.pass_on_logs();
        answer
    }

    pub(crate) fn actions(&self) -> u64 {
        self.actions.load(Ordering::Relaxed)
    }

    /// An action and what came of it are over.
    pub(crate) fn note_action(&self) {
        self.last_action_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    /// How long nothing was done to the device.
    pub(crate) fn idle_ms(&self) -> u64 {
        match self.actions() {
            0 => 0,
            _ => self.now_ms().saturating_sub(self.last_action_ms.load(Ordering::Relaxed)),
        }
    }

    pub fn capture(&self) -> Result<Arc<Screen>, Failure> {
        let screen = {
            let _phase = self.phase(Phase::See);
            self.device.capture()
        };
        self.pass_on_logs();
        if let Ok(screen) = &screen {
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(screen.clone());
        }
        screen
    }

    /// How wide and high the screen is as the device is held now.
    pub fn screen_size(&self) -> (i32, i32) {
        let info = self.device.info();
        self.seen().map_or((info.width, info.height), |screen| (screen.width, screen.height))
    }

    fn seen(&self) -> Option<Arc<Screen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Parts of the screen that were seen to move without end.
    pub(crate) fn restless(&self) -> Vec<Place> {
        self.restless.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_restless(&self, places: Vec<Place>) {
        *self.restless.lock().unwrap_or_else(PoisonError::into_inner) = places;
    }

    /// Whether a window came up since the last action that nothing is in yet.
    pub(crate) fn has_new_empty_window(&self, screen: &Screen) -> bool {
        settle::empty_windows(screen) > self.empty_windows.load(Ordering::Relaxed)
    }

    /// Until the answer goes away, time is spent on this.
    pub(crate) fn phase(&self, phase: Phase) -> InPhase<'_> {
        self.timing.enter(phase, self.clock.as_ref())
    }

    /// Where the time of the step went that ends here.
    pub(crate) fn end_step(&self) -> StepTiming {
        self.timing.end_step()
    }

    /// Where the time of the steps went until now.
    pub fn timing(&self) -> TrailTiming {
        self.timing.of_trail()
    }

    fn pass_on_logs(&self) {
        for line in self.device.take_logs() {
            let source = "app".to_owned();
            self.emit(EventKind::Log { level: line.level, source, message: line.message });
        }
    }

    pub fn check_cancelled(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            return Err(Failure::new(FailureKind::Interrupted, "the run was interrupted"));
        }
        let wanted_by = self.wanted_by.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted_by.iter().any(Cancel::is_cancelled) {
            return Err(Failure::new(
                FailureKind::Interrupted,
                "whoever asked for it does not wait any more",
            ));
        }
        Ok(())
    }

    /// The end of the trail, where a call met it; a new outermost call knows nothing of it.
    pub(crate) fn take_end(&self) -> Option<Failure> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// After this nothing else can be done, even if a tool did not pass it on. The first one counts.
    pub(crate) fn note_end(&self, failure: &Failure) {
        if matches!(failure.kind, FailureKind::Fatal | FailureKind::Toolset) {
            self.end.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| failure.clone());
        }
    }

    /// What stops whatever runs now.
    pub fn cancel_now(&self) -> Cancel {
        let wanted_by = self.wanted_by.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted_by.is_empty() { self.cancel.clone() } else { self.cancel.or(&wanted_by) }
    }

    /// Does something for somebody who may stop waiting for it.
    pub fn wanted_by<T>(&self, cancel: &Cancel, work: impl FnOnce() -> T) -> T {
        let wanted_by = || self.wanted_by.lock().unwrap_or_else(PoisonError::into_inner);
        wanted_by().push(cancel.clone());
        let done = work();
        wanted_by().pop();
        done
    }

    pub(crate) fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A random digit, reproducible by the seed.
    pub fn random_digit(&self) -> u32 {
        let mut state = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state % 10) as u32
    }
}
