//! One connection of a laptop to the agent: a thread reads, and hands each answer to whoever waits for it.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::lock;
use super::message::{Hello, Request, Response, Welcome};
use super::method::{ALIVE, TAKE_EVENTS, read_events};
use super::wire::{Incoming, Outgoing, Wire};
use crate::platform::UiEvent;

/// How long a greeting may take.
const GREETING: Duration = Duration::from_secs(10);
/// How often the phone is told that somebody is here. A network that is gone says nothing.
const BEAT: Duration = Duration::from_secs(15);
/// Events that nobody takes: the oldest go.
const MOST_EVENTS: usize = 10_000;

/// What the phone pushed, for whoever asks next; it outlives a connection.
pub(super) type Events = Arc<Mutex<Vec<UiEvent>>>;

/// Who waits for which answer. None once the connection is over.
type Waiting = Arc<Mutex<Option<HashMap<u64, Sender<Response>>>>>;

pub(super) struct Line {
    out: Arc<Outgoing>,
    waiting: Waiting,
    /// Its end ends the thread that says that somebody is here.
    _beat: Sender<()>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.out.close();
    }
}

impl Line {
    /// Greets the agent, and says how it greets back.
    pub(super) fn open(wire: Arc<dyn Wire>, hello: &Hello, events: Events) -> io::Result<(Self, Welcome)> {
        let (beat, over) = mpsc::channel();
        let out = Arc::new(Outgoing::new(wire.clone()));
        let line = Self { out, waiting: Arc::new(Mutex::new(Some(HashMap::new()))), _beat: beat };
        line.out.send(&hello.to_bytes())?;
        let (greeted, greeting) = mpsc::channel();
        let waiting = line.waiting.clone();
        thread::spawn(move || {
            let mut incoming = Incoming::new(wire);
            if let Some(first) = incoming.next()
                && greeted.send(first).is_ok()
            {
                hand_out(&mut incoming, &waiting, &events);
            }
            // Those who still wait are told so by their channels.
            lock(&waiting).take();
        });
        let first = greeting.recv_timeout(GREETING).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let welcome = Welcome::read(&first).ok_or(io::ErrorKind::InvalidData)?;
        let out = line.out.clone();
        thread::spawn(move || {
            let alive = Request { method: ALIVE, ..Request::default() }.to_bytes();
            while over.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) && out.send(&alive).is_ok() {}
        });
        Ok((line, welcome))
    }

    /// Sends a request. What comes of it arrives in the channel, which ends with the connection.
    pub(super) fn ask(&self, request: &Request) -> io::Result<Receiver<Response>> {
        let (sender, answers) = mpsc::channel();
        match lock(&self.waiting).as_mut() {
            Some(waiting) => waiting.insert(request.id, sender),
            None => return Err(io::ErrorKind::NotConnected.into()),
        };
        self.tell(request)?;
        Ok(answers)
    }

    /// Sends what has no answer.
    pub(super) fn tell(&self, request: &Request) -> io::Result<()> {
        self.out.send(&request.to_bytes())
    }
}

fn hand_out(incoming: &mut Incoming, waiting: &Waiting, events: &Events) {
    while let Some(response) = incoming.next().as_deref().and_then(Response::read) {
        match response.id {
            0 if response.method == TAKE_EVENTS => {
                let mut events = lock(events);
                events.extend(read_events(&response.numbers));
                let over = events.len().saturating_sub(MOST_EVENTS);
                events.drain(..over);
            }
            id => {
                let mut waiting = lock(waiting);
                let Some(waiting) = waiting.as_mut() else { return };
                // What is pushed for a request does not end it. Who gave up is not waited for.
                let sender = match response.method {
                    0 => waiting.remove(&id),
                    _ => waiting.get(&id).cloned(),
                };
                sender.map(|sender| sender.send(response).ok());
            }
        }
    }
}
