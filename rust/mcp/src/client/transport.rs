//! How messages get to a server and back.

use std::time::{Duration, Instant};

use serde_json::Value;
use trailblaze_engine::host::Cancel;

use super::trouble::Trouble;
use super::waker::Waker;

/// One message, in either direction.
pub(super) const LONGEST_MESSAGE: usize = 16 << 20;
/// How long a wait may be deaf to an interrupt, and to the end of a process whose children keep its pipes.
pub(super) const SLICE: Duration = Duration::from_millis(50);

/// One server's way for messages. It may be used by several threads, each of them for requests of its own.
pub(super) trait Transport: Send + Sync {
    /// Sends one message: JSON on one line, with the line break that ends it.
    fn send(&self, message: &str, until: Instant, cancel: &Cancel) -> Result<(), Unsent>;

    /// Waits for the next message until then, or until somebody wakes it. The one who waits has sent the request with
    /// this number; what comes may be for others.
    fn receive(&self, id: u64, until: Instant, waker: Option<&Waker>) -> Received;

    /// This request was answered.
    fn finish(&self, _id: u64) {}

    /// Nobody wants an answer to this request any more.
    fn give_up(&self, _id: u64) {}

    /// This version was agreed on by the handshake.
    fn agreed(&self, _version: &str) {}

    /// Looks at the list of tools, and leaves those out that cannot be called this way.
    fn admit(&self, _tools: &mut Vec<Value>) {}

    /// How the server ended; asked once [`Received::Ended`] or [`Unsent::Ended`] was seen.
    fn end(&self) -> End;

    /// Ends a server that does not do what it should, with little patience.
    fn stop(&self);

    /// Ends a server that is not needed any more, and waits for the last that it says.
    fn close(&self) {}

    fn words(&self) -> Words;
}

/// What is said about a server that is reached in this way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// What it did that sent something that is no message.
    pub(super) noise: &'static str,
    pub(super) noise_hint: &'static str,
    /// What to think of where a server says nothing at the start.
    pub(super) silence_hint: &'static str,
}

#[derive(Debug)]
pub(super) enum Received {
    /// One message, or whatever it wrote instead of one.
    Message(Vec<u8>),
    /// A message that is too long for the limit, in bytes; it was left out.
    TooLong(usize),
    /// Nothing yet.
    Nothing,
    /// There will be no answer to this request; others are not concerned.
    Failed(Trouble),
    /// There will be no more.
    Ended,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unsent {
    /// The server did not take it in time.
    TimedOut,
    /// The run was interrupted before the server had taken it.
    Cancelled,
    /// There is nobody to take it.
    Ended,
    Failed(Trouble),
}

/// How a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Such as `exited with code 1`.
    pub(super) how: String,
    /// The last that it said.
    pub(super) last_lines: Vec<String>,
}
