//! The caller's side of a runtime: asks, waits, and gives the thread up when it does not come back.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use trailblaze_engine::device::LogLine;
use trailblaze_engine::script::{Module, ScriptError, ScriptLimits, ScriptRuntime};

use crate::console::Console;
use crate::thread::{self, Request};

/// How long past the deadline the thread may take before it is given up. Some native loops of QuickJS never look
/// at the interrupt handler; others overrun it by up to a second and still come back.
const GRACE: Duration = Duration::from_secs(1);

/// How long the next message is waited for awake.
const MOMENT: Duration = Duration::from_micros(100);

/// Waits for a moment without putting this thread to sleep: waking it again takes longer than most calls.
pub(crate) fn soon<T>(inbox: &Receiver<T>) -> Result<T, TryRecvError> {
    let until = Instant::now() + MOMENT;
    loop {
        match inbox.try_recv() {
            Err(TryRecvError::Empty) if Instant::now() < until => std::thread::yield_now(),
            other => return other,
        }
    }
}

/// The result of a call as JSON text.
pub(crate) type Reply = Result<String, ScriptError>;

pub(crate) struct Host {
    /// None once the runtime is gone; dropping it ends the thread.
    requests: Option<Sender<Request>>,
    replies: Receiver<Reply>,
    console: Console,
    limits: ScriptLimits,
}

impl Host {
    pub(crate) fn start(modules: Vec<Module>, limits: ScriptLimits) -> Result<Self, ScriptError> {
        let (requests, inbox) = channel();
        let (outbox, replies) = channel();
        let console = Console::default();
        let mut host = Self { requests: Some(requests), replies, console: console.clone(), limits };
        let deadline = host.deadline();
        std::thread::Builder::new()
            .name("quickjs".into())
            .stack_size(limits.stack_bytes)
            .spawn(move || thread::run(modules, limits, deadline, &console, &inbox, &outbox))
            .map_err(|error| load_error(format!("cannot start a thread for the script: {error}")))?;
        match host.wait(deadline) {
            Ok(_) => Ok(host),
            Err(ScriptError::Gone) => Err(load_error("the script's thread ended while it loaded".into())),
            Err(error) => Err(error),
        }
    }

    fn deadline(&self) -> Instant {
        Instant::now() + Duration::from_millis(self.limits.call_ms)
    }

    /// An answer that comes within a moment.
    fn soon(&self) -> Option<Result<Reply, RecvTimeoutError>> {
        match soon(&self.replies) {
            Ok(reply) => Some(Ok(reply)),
            Err(TryRecvError::Disconnected) => Some(Err(RecvTimeoutError::Disconnected)),
            Err(TryRecvError::Empty) => None,
        }
    }

    fn wait(&mut self, deadline: Instant) -> Reply {
        let patience = deadline.saturating_duration_since(Instant::now()) + GRACE;
        let reply =
            self.soon().unwrap_or_else(|| self.replies.recv_timeout(patience)).unwrap_or_else(|error| {
                Err(match error {
                    RecvTimeoutError::Timeout => {
                        ScriptError::Timeout { limit_ms: self.limits.call_ms, stack: None }
                    }
                    RecvTimeoutError::Disconnected => ScriptError::Gone,
                })
            });
        if reply.as_ref().is_err_and(ScriptError::is_final) {
            self.requests = None;
        }
        reply
    }
}

impl ScriptRuntime for Host {
    fn call(&mut self, function: &str, args: Vec<Value>) -> Result<Value, ScriptError> {
        let deadline = self.deadline();
        let args = serde_json::to_string(&args).expect("JSON values print as JSON");
        let request = Request { function: function.to_owned(), args, deadline };
        let sent = self.requests.as_ref().is_some_and(|requests| requests.send(request).is_ok());
        if !sent {
            return Err(ScriptError::Gone);
        }
        let text = self.wait(deadline)?;
        parse(&text).map_err(|error| ScriptError::Threw {
            message: format!("the result of '{function}' is not usable as JSON: {error}"),
            stack: None,
        })
    }

    fn take_logs(&mut self) -> Vec<LogLine> {
        self.console.take()
    }
}

fn load_error(message: String) -> ScriptError {
    ScriptError::Load { message, stack: None }
}

/// JavaScript strings may hold half of a surrogate pair; those become U+FFFD, since JSON in Rust has no place for them.
fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| {
        let repaired = replace_lone_surrogates(text);
        if repaired == text { Err(error) } else { serde_json::from_str(&repaired) }
    })
}

/// `JSON.stringify` escapes surrogates only when they stand alone.
fn replace_lone_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let lone = rest.len() >= 6
            && rest[1..].starts_with(['u'])
            && rest.is_char_boundary(6)
            && u16::from_str_radix(&rest[2..6], 16).is_ok_and(|unit| (0xd800..=0xdfff).contains(&unit));
        let length = if lone { 6 } else { 2.min(rest.len()) };
        out.push_str(if lone { "\\ufffd" } else { &rest[..length] });
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(replace_lone_surrogates(text), expected);
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        check(r#""a\ud83db""#, r#""a\ufffdb""#);
        check(r#""\\ud83d\n\u0041""#, r#""\\ud83d\n\u0041""#);
        check(r#""é\"\udfff""#, r#""é\"\ufffd""#);
    }
}
