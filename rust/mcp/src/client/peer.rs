//! JSON-RPC with one server, from the side that asks.
//!
//! The thread that waits for an answer handles whatever else comes meanwhile. Requests nest: while one waits, the
//! session may run a tool that sends another to the same server, and the answer to the outer one may come first.
//! It is kept until its own turn.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::World;
use trailblaze_model::event::{LogLevel, Progress};

use super::calls::LiveCall;
use super::limits::{CALL, FIRST_ANSWER, LONGEST_CALL, Limit, Limits};
use super::logs::{Logs, cut};
use super::message::{self, Incoming, METHOD_NOT_FOUND, Params, RpcError};
use super::noise::Noise;
use super::transport::{Received, SLICE, Transport, Unsent, Words};
use super::trouble::Trouble;

/// So long a server may take to accept a message that nothing waits for.
const NOTE: Duration = Duration::from_secs(1);
/// So many numbers of abandoned requests are remembered, to know a late answer.
const MOST_ABANDONED: usize = 64;
/// So many signs of progress of an outer call are kept while an inner one waits.
const MOST_NEWS: usize = 16;
/// So many signs of progress of one call are shown; more only give it time.
const MOST_SHOWN: usize = 1_000;
/// So many messages that came during an inner call are handled at once.
const MOST_CAUGHT_UP: usize = 64;
const PROGRESS_HINT: &str = "a tool that takes long gets more time by sending progress notifications";
/// So much of a line that is no message is shown.
const SHOWN_CHARS: usize = 500;

pub(super) struct Peer {
    /// The name of the server in messages.
    name: String,
    transport: Box<dyn Transport>,
    logs: Arc<Logs>,
    state: Mutex<State>,
    last_id: AtomicU64,
    noise: Arc<Noise>,
    /// Entries that every request has in its `_meta`, each with a comma behind it.
    meta: OnceLock<String>,
}

#[derive(Default)]
struct State {
    /// In the order of their numbers; the last one is the innermost.
    pending: Vec<Pending>,
    abandoned: VecDeque<u64>,
}

struct Pending {
    id: u64,
    answer: Option<Result<Value, Trouble>>,
    heard: Instant,
    news: VecDeque<Progress>,
}

/// How long a request may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// From the beginning, and from every sign of progress.
    silent: Limit,
    whole: Limit,
}

impl Patience {
    /// For what a server is asked before it is used.
    pub(super) fn first(ms: u64) -> Self {
        let limit = Limit { ms, key: Some(FIRST_ANSWER) };
        Self { silent: limit, whole: limit }
    }

    pub(super) fn call(limits: &Limits) -> Self {
        let silent = Limit { ms: limits.call_ms, key: Some(CALL) };
        let whole = Limit { ms: limits.longest_ms, key: Some(LONGEST_CALL) };
        // Where progress does not help, it is not asked for.
        Self { silent: if silent.ms < whole.ms { silent } else { whole }, whole }
    }
}

/// Who waits for the answer.
pub(super) enum Caller<'a> {
    /// A session whose tool runs.
    Session { world: &'a mut dyn World, live: &'a LiveCall },
    /// Nobody that could be asked anything.
    Start(&'a Cancel),
}

impl Caller<'_> {
    fn left_ms(&self) -> u64 {
        match self {
            Self::Session { world, .. } => world.left_ms(),
            Self::Start(_) => u64::MAX,
        }
    }

    fn cancel(&self) -> Cancel {
        match self {
            Self::Session { world, .. } => world.cancel(),
            Self::Start(cancel) => (*cancel).clone(),
        }
    }
}

impl Peer {
    pub(super) fn new(name: &str, transport: Box<dyn Transport>, logs: Arc<Logs>, noise: Arc<Noise>) -> Self {
        Self {
            name: name.to_owned(),
            transport,
            logs,
            state: Mutex::default(),
            last_id: AtomicU64::new(0),
            noise,
            meta: OnceLock::new(),
        }
    }

    /// From now on every request says this in its `_meta`.
    pub(super) fn always_say(&self, meta: String) {
        self.meta.get_or_init(|| meta);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn log(&self, message: &str) {
        self.logs.push(LogLevel::Debug, message);
    }

    pub(super) fn take_logs(&self) -> Vec<LogLine> {
        self.logs.take()
    }

    /// This version was agreed on by the handshake.
    pub(super) fn agreed(&self, version: &str) {
        self.transport.agreed(version);
    }

    /// Leaves tools out that cannot be called.
    pub(super) fn admit(&self, tools: &mut Vec<Value>) {
        self.transport.admit(tools);
    }

    /// Ends a server that does not do what it should.
    pub(super) fn stop(&self) {
        self.transport.stop();
    }

    /// Ends a server that is not needed any more.
    pub(super) fn close(&self) {
        self.transport.close();
    }

    pub(super) fn notify(&self, method: &str, params: &Value) -> Result<(), Trouble> {
        let limit = Limit { ms: NOTE.as_millis() as u64, key: None };
        self.note(method, params).map_err(|unsent| self.unsent(unsent, limit))
    }

    /// An interrupt does not keep it back: it may be what the note is about.
    fn note(&self, method: &str, params: &Value) -> Result<(), Unsent> {
        let text = message::notification(method, params);
        self.transport.send(&text, Instant::now() + NOTE, &Cancel::default())
    }

    pub(super) fn request(
        &self,
        method: &str,
        params: Params<'_>,
        patience: Patience,
        mut caller: Caller<'_>,
    ) -> Result<Value, Trouble> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let began = Instant::now();
        self.state().pending.push(Pending { id, answer: None, heard: began, news: VecDeque::new() });
        let clock = Clock { began, patience, whole_left_ms: caller.left_ms() };
        let cancel = caller.cancel();
        let is_call = matches!(params, Params::Made(_));
        let sent = self.ask(id, method, params, &clock, &cancel);
        let is_sent = sent.is_ok();
        let result = sent.and_then(|()| self.wait(id, is_call, &clock, &cancel, &mut caller));
        self.state().pending.retain(|pending| pending.id != id);
        // The handshake cannot be called off.
        let is_given_up = is_sent && matches!(result, Err(Trouble::TimedOut { .. } | Trouble::Cancelled));
        if is_given_up && method != "initialize" {
            self.abandon(id, &result);
        }
        self.say_noise(&mut caller);
        match result {
            Ok(_) | Err(Trouble::Refused(_)) => self.transport.finish(id),
            Err(_) => self.transport.give_up(id),
        }
        result
    }

    fn abandon(&self, id: u64, result: &Result<Value, Trouble>) {
        let mut state = self.state();
        if state.abandoned.len() == MOST_ABANDONED {
            state.abandoned.pop_front();
        }
        state.abandoned.push_back(id);
        drop(state);
        let reason =
            if matches!(result, Err(Trouble::Cancelled)) { "interrupted" } else { "it took too long" };
        // A server that does not take it any more is of no interest either.
        let _ = self.note("notifications/cancelled", &json!({ "requestId": id, "reason": reason }));
    }

    fn ask(
        &self,
        id: u64,
        method: &str,
        params: Params<'_>,
        clock: &Clock,
        cancel: &Cancel,
    ) -> Result<(), Trouble> {
        let (until, limit) = clock.until(clock.began, clock.began, clock.whole_left_ms);
        let meta = self.meta.get().map(String::as_str).unwrap_or_default();
        let text = message::request(id, method, params, meta);
        self.transport.send(&text, until, cancel).map_err(|unsent| self.unsent(unsent, limit))
    }

    fn wait(
        &self,
        id: u64,
        is_call: bool,
        clock: &Clock,
        cancel: &Cancel,
        caller: &mut Caller<'_>,
    ) -> Result<Value, Trouble> {
        let mut shown = 0;
        loop {
            let heard = match self.turn(id) {
                Turn::Answered(answer) => return answer,
                Turn::Waiting { heard, news } => {
                    if let Caller::Session { world, .. } = caller {
                        for progress in news.into_iter().take(MOST_SHOWN - shown) {
                            world.progress(progress);
                            shown += 1;
                        }
                    }
                    heard
                }
            };
            if cancel.is_cancelled() {
                return Err(Trouble::Cancelled);
            }
            let now = Instant::now();
            let (until, limit) = clock.until(now, heard, caller.left_ms());
            if now >= until {
                let hint = if !is_call {
                    Some(self.transport.words().silence_hint)
                } else {
                    (limit.key == Some(CALL)).then_some(PROGRESS_HINT)
                };
                return Err(Trouble::TimedOut { limit, hint });
            }
            if let Caller::Session { world, live } = caller
                && live.serve(*world)
            {
                // What ran meanwhile may have read our answer, or have left signs of progress unread.
                if let Some(trouble) = self.catch_up(id, until, cancel) {
                    return Err(trouble);
                }
                continue;
            }
            let waker = match caller {
                Caller::Session { live, .. } => live.waker(),
                Caller::Start(_) => None,
            };
            match self.transport.receive(id, until.min(now + SLICE), waker) {
                Received::Message(line) => self.handle(&line, until, cancel),
                Received::TooLong(limit) => self.lose(limit),
                Received::Nothing => {}
                Received::Failed(trouble) => return Err(trouble),
                Received::Ended => {
                    // Another thread may have read the answer before the end.
                    if let Turn::Answered(answer) = self.turn(id) {
                        return answer;
                    }
                    return Err(Trouble::Ended(self.transport.end()));
                }
            }
        }
    }

    /// Handles what has come already, up to the answer.
    fn catch_up(&self, id: u64, until: Instant, cancel: &Cancel) -> Option<Trouble> {
        let is_answered = |pending: &Pending| pending.id == id && pending.answer.is_some();
        for _ in 0..MOST_CAUGHT_UP {
            if self.state().pending.iter().any(is_answered) {
                break;
            }
            match self.transport.receive(id, Instant::now(), None) {
                Received::Message(line) => self.handle(&line, until, cancel),
                Received::TooLong(limit) => self.lose(limit),
                Received::Failed(trouble) => return Some(trouble),
                // The end is seen again.
                Received::Nothing | Received::Ended => break,
            }
        }
        None
    }

    fn turn(&self, id: u64) -> Turn {
        let mut state = self.state();
        match state.pending.iter_mut().find(|pending| pending.id == id) {
            Some(pending) => match pending.answer.take() {
                Some(answer) => Turn::Answered(answer),
                None => Turn::Waiting { heard: pending.heard, news: std::mem::take(&mut pending.news) },
            },
            // It is there until the request returns.
            None => Turn::Answered(Err(Trouble::Here("the request was lost".to_owned()))),
        }
    }

    fn unsent(&self, unsent: Unsent, limit: Limit) -> Trouble {
        match unsent {
            Unsent::TimedOut => Trouble::TimedOut { limit, hint: None },
            Unsent::Cancelled => Trouble::Cancelled,
            Unsent::Ended => Trouble::Ended(self.transport.end()),
            Unsent::Failed(trouble) => trouble,
        }
    }

    /// It cannot be known whose answer was in it.
    fn lose(&self, limit: usize) {
        for pending in &mut self.state().pending {
            pending.answer.get_or_insert(Err(Trouble::TooLong(limit)));
        }
    }

    fn handle(&self, line: &[u8], until: Instant, cancel: &Cancel) {
        let Some(message) = Incoming::read(line) else { return self.noise(line) };
        match (message.method.as_deref(), message.id) {
            (Some(method), Some(id)) => self.asked(method, &id, until, cancel),
            (Some(method), None) => self.told(method, &message.params),
            (None, Some(id)) => {
                let answer = match message.error {
                    Some(error) => Err(Trouble::Refused(error)),
                    None => Ok(message.result.unwrap_or_default()),
                };
                self.answered(&id, answer);
            }
            // It could not even read which request it was.
            (None, None) => {
                let RpcError { code, message, .. } = message.error.unwrap_or_default();
                let message = cut(&message, SHOWN_CHARS);
                self.logs.push(LogLevel::Warn, format!("it could not read a message: {message} ({code})"));
            }
        }
    }

    fn answered(&self, id: &Value, answer: Result<Value, Trouble>) {
        let mut state = self.state();
        let number = id.as_u64();
        let pending = state.pending.iter_mut().find(|pending| Some(pending.id) == number);
        if let Some(pending) = pending.filter(|pending| pending.answer.is_none()) {
            pending.answer = Some(answer);
            return;
        }
        if number.is_some_and(|number| state.abandoned.contains(&number)) {
            return;
        }
        drop(state);
        let id = cut(&id.to_string(), SHOWN_CHARS);
        let why = match number {
            Some(number) if number <= self.last_id.load(Ordering::Relaxed) => "which it answered before",
            _ => "which nobody asked",
        };
        self.logs.push(LogLevel::Warn, format!("an answer to request {id}, {why}, is ignored"));
    }

    /// The server asks for something itself.
    fn asked(&self, method: &str, id: &Value, until: Instant, cancel: &Cancel) {
        let refusal = RpcError {
            code: METHOD_NOT_FOUND,
            message: format!("Trailblaze does not offer '{}'", cut(method, SHOWN_CHARS)),
            data: Value::Null,
        };
        let answer = if method == "ping" { Ok(()) } else { Err(&refusal) };
        // Where it cannot be sent, the wait for the own answer says so.
        let _ = self.transport.send(&message::answer(id, answer), until, cancel);
    }

    fn told(&self, method: &str, params: &Value) {
        match method {
            "notifications/progress" => {
                let token = params["progressToken"].as_u64();
                let mut state = self.state();
                let pending = state.pending.iter_mut().find(|pending| Some(pending.id) == token);
                if let Some(pending) = pending {
                    pending.heard = Instant::now();
                    let progress = progress(params);
                    if progress.message.is_empty() && progress.done.is_none() {
                        return;
                    }
                    if pending.news.len() == MOST_NEWS {
                        pending.news.pop_front();
                    }
                    pending.news.push_back(progress);
                }
            }
            "notifications/message" => {
                let level = match params["level"].as_str() {
                    Some("debug") => LogLevel::Debug,
                    Some("info" | "notice") => LogLevel::Info,
                    Some("warning") => LogLevel::Warn,
                    _ => LogLevel::Error,
                };
                let text = match &params["data"] {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                self.logs.push(level, text);
            }
            _ => {}
        }
    }

    fn noise(&self, line: &[u8]) {
        let text = cut(String::from_utf8_lossy(line).trim(), SHOWN_CHARS);
        if text.is_empty() {
            return;
        }
        if !self.noise.is_first(&text) {
            self.logs.push(LogLevel::Warn, format!("it {}: {text}", self.transport.words().noise));
        }
    }

    fn say_noise(&self, caller: &mut Caller<'_>) {
        if let Caller::Session { world, .. } = caller
            && let Some(text) = self.noise.take()
        {
            let Words { noise, noise_hint, .. } = self.transport.words();
            world.warn(format!("server '{}' {noise}: {text}", self.name), noise_hint);
        }
    }
}

enum Turn {
    Answered(Result<Value, Trouble>),
    Waiting { heard: Instant, news: VecDeque<Progress> },
}

/// When a request is given up.
struct Clock {
    began: Instant,
    patience: Patience,
    /// What was left on the run's clock at the beginning.
    whole_left_ms: u64,
}

impl Clock {
    /// The moment, and the limit that is over then.
    fn until(&self, now: Instant, heard: Instant, left_ms: u64) -> (Instant, Limit) {
        let Patience { silent, whole } = self.patience;
        let silent = (heard + Duration::from_millis(silent.ms), silent);
        let whole = (self.began + Duration::from_millis(whole.ms), whole);
        // A run has days at most; more could not be added to a moment.
        let left = Duration::from_millis(left_ms.min(1 << 40));
        // The clock of a run may stand still meanwhile; what was left at the beginning is no more for that.
        let at_most = self.began + Duration::from_millis(self.whole_left_ms.min(1 << 40));
        let of_run = Limit { ms: self.whole_left_ms, key: None };
        [whole, ((now + left).min(at_most), of_run)]
            .into_iter()
            .fold(silent, |first, other| if other.0 < first.0 { other } else { first })
    }
}

fn progress(params: &Value) -> Progress {
    let message = params["message"].as_str().map(|text| cut(text, SHOWN_CHARS)).unwrap_or_default();
    Progress { message, done: params["progress"].as_f64(), total: params["total"].as_f64() }
}
