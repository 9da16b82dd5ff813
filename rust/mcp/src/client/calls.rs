//! The calls that are under way, and what their tools ask for meanwhile.
//!
//! A tool that runs in another process calls back over another connection, on another thread. [`Calls::ask`] hands
//! its wish to the thread of the session, which waits for the tool's answer and runs the wish in between. A wish is
//! run only while the call that it belongs to is the one that waits: never beside, and never after it.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::World;

use super::waker::Waker;

/// How long one wish may wait and run.
const ASK: Duration = Duration::from_secs(60);
/// How long a wait may be deaf to somebody who stops waiting.
const SLICE: Duration = Duration::from_millis(50);
/// So many wishes of one call may wait.
const MOST_WAITING: usize = 64;
/// So many wakers are kept for later calls.
const MOST_SPARE: usize = 16;

/// Why a wish was not run. The text is for the tool's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No call has this invocation id, or it is over.
    Unknown,
    /// The invocation id is empty, and not exactly one call of the session is under way.
    Ambiguous,
    /// The call belongs to another session.
    WrongSession,
    /// The call runs on another device.
    WrongDevice,
    /// The call was over before the wish was run.
    Over,
    /// Too many wishes of this call wait already.
    Busy,
    /// The wish was not done in time.
    TimedOut,
    /// Nobody waits for it any more.
    Cancelled,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no call with this invocation id is under way; an id holds as long as its call",
            Self::Ambiguous => {
                "without an invocation id there must be one device, and exactly one call of the session under way"
            }
            Self::WrongSession => "this invocation id belongs to another session",
            Self::WrongDevice => "this invocation id belongs to another device",
            Self::Over => "the tool's own call ended before this one was run",
            Self::Busy => "too many calls of this tool wait already",
            Self::TimedOut => "the call was not done in time",
            Self::Cancelled => "nobody waits for the call any more",
        })
    }
}

impl std::error::Error for Refusal {}

/// All calls of a program that are under way.
#[derive(Debug)]
pub struct Calls {
    live: Mutex<HashMap<String, Arc<Slot>>>,
    /// Making a waker takes more time than a small call.
    spare: Mutex<Vec<Waker>>,
    ask: Duration,
    /// Whether there is more than one device, so that a call has to be named.
    several: bool,
}

impl Default for Calls {
    fn default() -> Self {
        Self { live: Mutex::default(), spare: Mutex::default(), ask: ASK, several: false }
    }
}

/// Whose call is meant. What is empty was not said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whose<'a> {
    pub invocation: &'a str,
    pub session: &'a str,
    pub device: &'a str,
}

#[derive(Debug)]
struct Slot {
    session: String,
    device: String,
    waker: Waker,
    wishes: Mutex<Wishes>,
}

#[derive(Debug, Default)]
struct Wishes {
    waiting: VecDeque<Wish>,
    over: bool,
    /// The last number that was given out.
    last: u64,
}

/// Answers by itself. It is dropped where it cannot be run.
type Run = Box<dyn FnOnce(&mut dyn World) + Send>;

struct Wish {
    number: u64,
    run: Run,
}

impl fmt::Debug for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wish({})", self.number)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Calls {
    /// For so many devices.
    pub fn for_devices(devices: usize) -> Self {
        Self { several: devices > 1, ..Self::default() }
    }

    /// With another time than the usual one for a wish.
    pub fn with_limit(ask: Duration) -> Self {
        Self { ask, ..Self::default() }
    }

    /// From now on the tool may ask for something, until the guard is dropped.
    pub fn begin(self: &Arc<Self>, session: &str, device: &str, invocation: &str) -> io::Result<LiveCall> {
        let waker = match lock(&self.spare).pop() {
            Some(waker) => waker,
            None => Waker::new()?,
        };
        let (session, device) = (session.to_owned(), device.to_owned());
        let slot = Arc::new(Slot { session, device, waker, wishes: Mutex::default() });
        lock(&self.live).insert(invocation.to_owned(), slot.clone());
        Ok(LiveCall { calls: self.clone(), invocation: invocation.to_owned(), slot: Some(slot) })
    }

    /// Runs a tool on the thread of the session that waits for this invocation, and waits for its answer. To be
    /// called from any other thread. The session must be the right one.
    pub fn ask(
        &self,
        session: &str,
        invocation: &str,
        tool: &str,
        args: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        self.ask_for(&Cancel::default(), session, invocation, tool, args)
    }

    /// The same for somebody who may stop waiting for it.
    pub fn ask_for(
        &self,
        cancel: &Cancel,
        session: &str,
        invocation: &str,
        tool: &str,
        args: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        if session.is_empty() {
            return Err(Refusal::WrongSession);
        }
        let (whose, tool) = (Whose { invocation, session, device: "" }, tool.to_owned());
        let wanted_by = cancel.clone();
        self.wish(whose, self.ask, cancel, move |world| world.call_for(&wanted_by, &tool, args))
    }

    /// Does anything on the thread of the session that waits for a call, and waits for what comes of it, at most so
    /// long and as long as it is wanted. To be called from any other thread.
    pub fn wish<T: Send + 'static>(
        &self,
        whose: Whose<'_>,
        limit: Duration,
        cancel: &Cancel,
        wish: impl FnOnce(&mut dyn World) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let slot = self.find(whose)?;
        let (answer, answered) = mpsc::sync_channel(1);
        let run = Box::new(move |world: &mut dyn World| {
            // The one who asked may have given up.
            let _ = answer.send(wish(world));
        });
        let number = {
            let mut wishes = lock(&slot.wishes);
            if wishes.over {
                return Err(Refusal::Over);
            }
            if wishes.waiting.len() >= MOST_WAITING {
                return Err(Refusal::Busy);
            }
            wishes.last += 1;
            let number = wishes.last;
            wishes.waiting.push_back(Wish { number, run });
            // Under the lock: a call that is over gives its waker away.
            slot.waker.wake();
            number
        };
        let until = Instant::now() + limit.min(self.ask);
        let refusal = loop {
            let left = until.saturating_duration_since(Instant::now());
            match answered.recv_timeout(left.min(SLICE)) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(Refusal::Over),
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => break Refusal::Cancelled,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => break Refusal::TimedOut,
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        lock(&slot.wishes).waiting.retain(|wish| wish.number != number);
        Err(refusal)
    }

    fn find(&self, whose: Whose<'_>) -> Result<Arc<Slot>, Refusal> {
        let Whose { invocation, session, device } = whose;
        let is_session = |slot: &Slot| session.is_empty() || slot.session == session;
        let is_device = |slot: &Slot| device.is_empty() || slot.device == device;
        let live = lock(&self.live);
        if invocation.is_empty() && self.several && device.is_empty() {
            return Err(Refusal::Ambiguous);
        }
        if invocation.is_empty() {
            let mut fitting = live.values().filter(|slot| is_session(slot) && is_device(slot));
            return match (fitting.next(), fitting.next()) {
                (Some(slot), None) => Ok(slot.clone()),
                _ => Err(Refusal::Ambiguous),
            };
        }
        let slot = live.get(invocation).ok_or(Refusal::Unknown)?;
        if !is_session(slot) {
            return Err(Refusal::WrongSession);
        }
        if !is_device(slot) {
            return Err(Refusal::WrongDevice);
        }
        Ok(slot.clone())
    }

    /// The devices that calls are under way on, each as often as that.
    pub fn devices(&self) -> Vec<String> {
        let mut devices: Vec<String> = lock(&self.live).values().map(|slot| slot.device.clone()).collect();
        devices.sort();
        devices
    }

    /// How many calls are under way.
    pub fn live(&self) -> usize {
        lock(&self.live).len()
    }
}

/// A call that is under way. Its wishes are served by whoever waits for its answer.
#[derive(Debug)]
pub struct LiveCall {
    calls: Arc<Calls>,
    invocation: String,
    /// There until it is dropped.
    slot: Option<Arc<Slot>>,
}

impl LiveCall {
    /// Wakes the waiting thread when there is a wish.
    pub fn waker(&self) -> Option<&Waker> {
        self.slot.as_ref().map(|slot| &slot.waker)
    }

    /// Runs what is wished until now. Whether there was anything.
    pub fn serve(&self, world: &mut dyn World) -> bool {
        let Some(slot) = &self.slot else { return false };
        slot.waker.rest();
        let mut any = false;
        loop {
            // The lock is not held while the wish runs: more may come meanwhile.
            let wish = lock(&slot.wishes).waiting.pop_front();
            let Some(Wish { run, .. }) = wish else { return any };
            any = true;
            run(world);
        }
    }
}

impl Drop for LiveCall {
    fn drop(&mut self) {
        lock(&self.calls.live).remove(&self.invocation);
        let Some(slot) = self.slot.take() else { return };
        {
            let mut wishes = lock(&slot.wishes);
            wishes.over = true;
            // Whoever waits for one of them learns that it is over.
            wishes.waiting.clear();
        }
        // Somebody who is about to ask may still hold the slot; the waker goes with it then.
        if let Some(slot) = Arc::into_inner(slot) {
            let mut spare = lock(&self.calls.spare);
            if spare.len() < MOST_SPARE {
                slot.waker.rest();
                spare.push(slot.waker);
            }
        }
    }
}
