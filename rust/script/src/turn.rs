//! What a runtime's thread and its caller say to each other.
//!
//! They take turns, like two people on a radio: the caller says something and waits, the script runs until it has
//! something to say, and waits in its turn. A tool that a script asks for may call into the same runtime again;
//! that is one more exchange inside of the first, as calls on a stack.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::ScriptError;
use trailblaze_engine::server::Call;

use crate::text;

/// What the caller says, and how long the script may then run.
pub(crate) struct Turn {
    pub(crate) what: Incoming,
    pub(crate) deadline: Instant,
    pub(crate) now_ms: u64,
    /// The date at which the clock showed 0; none when scripts see the real time.
    pub(crate) began_ms: Option<u64>,
    pub(crate) cancel: Cancel,
}

pub(crate) enum Incoming {
    /// Call an export with a JSON array of arguments.
    Call { function: String, args: String },
    /// Hand a JSON-RPC message to the script; with an id its answer is waited for.
    Message { text: String, id: Option<u64> },
    /// Hand it a tool call, whose answer is waited for.
    ToolCall { id: u64, call: Arc<Call> },
    /// What came of the script's last question, as JSON, or why nothing did.
    Answer(Result<String, String>),
    /// The time that the script waited for has come.
    Woken,
}

/// What a call came to.
pub(crate) type Reply = Result<Said, ScriptError>;

pub(crate) enum Said {
    Json(String),
    /// The result of a tool that is nothing but this text.
    Text(String),
}

impl Said {
    pub(crate) fn value(self) -> serde_json::Result<Value> {
        match self {
            Self::Json(text) => text::parse(&text),
            Self::Text(text) => {
                let result = json!({ "content": [{ "type": "text", "text": text }], "isError": false });
                Ok(json!({ "result": result }))
            }
        }
    }

    pub(crate) fn json(self) -> String {
        match self {
            Self::Json(text) => text,
            text => text.value().unwrap_or_default().to_string(),
        }
    }
}

/// What the script says.
pub(crate) enum Outgoing {
    /// The innermost call is over.
    Done(Reply),
    Ask(Question),
    /// Nothing goes on before this time.
    SleepUntil(u64),
}

/// What a script asks its caller for.
#[derive(Clone)]
pub(crate) enum Question {
    /// Run a tool.
    Tool { name: String, args: String },
    /// Send a web request.
    Fetch(String),
}

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
