//! The caller's side of a runtime: asks, waits, and gives the thread up when it does not come back.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::script::{Message, Module, Nowhere, ScriptError, ScriptLimits, ScriptRuntime, World};

use crate::console::Console;
use crate::text;
use crate::thread;
use crate::turn::{Incoming, Outgoing, Question, Reply, Turn, soon};

/// How long past the deadline the thread may take before it is given up. Some native loops of QuickJS never look
/// at the interrupt handler; others overrun it by up to a second and still come back.
const GRACE: Duration = Duration::from_secs(1);

pub(crate) struct Host {
    /// None once the runtime is gone; dropping it ends the thread.
    turns: Mutex<Option<Sender<Turn>>>,
    replies: Mutex<Receiver<Outgoing>>,
    console: Console,
    limits: ScriptLimits,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    pub(crate) fn start(modules: Vec<Module>, limits: ScriptLimits) -> Result<Self, ScriptError> {
        let (turns, inbox) = channel();
        let (outbox, replies) = channel();
        let console = Console::default();
        let host = Self {
            turns: Mutex::new(Some(turns)),
            replies: Mutex::new(replies),
            console: console.clone(),
            limits,
        };
        let begin = Instant::now();
        let deadline = begin + Duration::from_millis(limits.call_ms);
        std::thread::Builder::new()
            .name("quickjs".into())
            .stack_size(limits.stack_bytes)
            .spawn(move || thread::run(modules, limits, deadline, &console, &inbox, &outbox))
            .map_err(|error| load_error(format!("cannot start a thread for the script: {error}")))?;
        let loaded = host.converse(deadline, &mut Nowhere);
        match loaded {
            Ok(_) => Ok(host),
            Err(ScriptError::Gone) => Err(load_error("the script's thread ended while it loaded".into())),
            Err(ScriptError::Stopped { message }) => Err(load_error(message)),
            Err(ScriptError::Load { message, stack }) => {
                // Nobody could ask this runtime for its lines any more.
                let written: String =
                    host.console.take().iter().map(|line| format!("\nit wrote: {}", line.message)).collect();
                Err(ScriptError::Load { message: message + &written, stack })
            }
            Err(error) => Err(error),
        }
    }

    /// Says the first thing and goes on until the script is done with it.
    fn begin(&self, what: Incoming, world: &mut dyn World) -> Reply {
        let deadline = Instant::now() + Duration::from_millis(self.limits.call_ms);
        self.say(what, deadline, world)?;
        self.converse(deadline, world)
    }

    fn say(&self, what: Incoming, deadline: Instant, world: &dyn World) -> Result<(), ScriptError> {
        let began_ms = Some(world.began_ms()).filter(|began| *began > 0);
        let turn = Turn { what, deadline, now_ms: world.now_ms(), began_ms, cancel: world.cancel() };
        let sent = locked(&self.turns).as_ref().is_some_and(|turns| turns.send(turn).is_ok());
        if sent { Ok(()) } else { Err(ScriptError::Gone) }
    }

    /// Serves the script until it is done. Only its own time counts.
    fn converse(&self, mut deadline: Instant, world: &mut dyn World) -> Reply {
        loop {
            let heard = self.hear(deadline);
            let pause = Instant::now();
            let answer = match heard {
                Ok(Outgoing::Done(result)) => {
                    if result.as_ref().is_err_and(ScriptError::is_final) {
                        self.give_up();
                    }
                    return result;
                }
                Ok(Outgoing::Ask(question)) => Ok(Incoming::Answer(answer(world, &question))),
                Ok(Outgoing::SleepUntil(at_ms)) => world
                    .sleep_until(at_ms)
                    .map(|()| Incoming::Woken)
                    .map_err(|message| ScriptError::Stopped { message }),
                Err(error) => Err(error),
            };
            let next = answer.and_then(|what| {
                deadline += pause.elapsed();
                self.say(what, deadline, world)
            });
            if let Err(error) = next {
                self.give_up();
                return Err(error);
            }
        }
    }

    fn hear(&self, deadline: Instant) -> Result<Outgoing, ScriptError> {
        let replies = locked(&self.replies);
        let heard = match soon(&replies) {
            Ok(heard) => Ok(heard),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {
                replies.recv_timeout(deadline.saturating_duration_since(Instant::now()) + GRACE)
            }
        };
        heard.map_err(|error| match error {
            RecvTimeoutError::Timeout => ScriptError::Stuck { limit_ms: self.limits.call_ms },
            RecvTimeoutError::Disconnected => ScriptError::Gone,
        })
    }

    fn give_up(&self) {
        locked(&self.turns).take();
    }
}

/// The answer of the world as JSON, or why there is none.
fn answer(world: &mut dyn World, question: &Question) -> Result<String, String> {
    let (text, of) = match question {
        Question::Tool { name, args } => (args, format!("the arguments of '{name}'")),
        Question::Fetch(request) => (request, "the request".to_owned()),
    };
    let asked = text::parse(text).map_err(|error| format!("{of} cannot be read: {error}"))?;
    let answer = match (question, asked) {
        (Question::Fetch(_), request) => world.fetch(&request)?,
        (Question::Tool { name, .. }, Value::Object(args)) => world.call(name, args),
        (Question::Tool { name, .. }, Value::Null) => world.call(name, Map::new()),
        (Question::Tool { .. }, _) => return Err(format!("{of} must be an object")),
    };
    Ok(answer.to_string())
}

impl ScriptRuntime for Host {
    fn call_in(&self, function: &str, args: Vec<Value>, world: &mut dyn World) -> Result<Value, ScriptError> {
        let args = Value::Array(args).to_string();
        let result = self.begin(Incoming::Call { function: function.to_owned(), args }, world)?;
        result.value().map_err(|error| ScriptError::Threw {
            message: format!("the result of '{function}' is not usable as JSON: {error}"),
            stack: None,
        })
    }

    fn exchange(&self, message: Message<'_>, world: &mut dyn World) -> Result<Option<Value>, ScriptError> {
        let what = match message {
            Message::Notification { method } => Incoming::Message {
                text: json!({ "jsonrpc": "2.0", "method": method }).to_string(),
                id: None,
            },
            Message::Request { id, method, params } => {
                let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
                Incoming::Message { text: request.to_string(), id: Some(id) }
            }
            Message::Call { id, call } => Incoming::ToolCall { id, call: call.clone() },
        };
        let result = self.begin(what, world)?;
        if matches!(message, Message::Notification { .. }) {
            return Ok(None);
        }
        let answer = result.value().map_err(|error| ScriptError::Threw {
            message: format!("the script's answer is not usable as JSON: {error}"),
            stack: None,
        })?;
        Ok(Some(answer))
    }

    fn take_logs(&self) -> Vec<LogLine> {
        self.console.take()
    }
}

fn load_error(message: String) -> ScriptError {
    ScriptError::Load { message, stack: None }
}
