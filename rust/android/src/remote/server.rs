//! The phone's end: does what one laptop asks for, until that stays away.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use super::class::Classes;
use super::codec::LONGEST;
use super::message::{Hello, Request, Response, Welcome};
use super::method::{self, ALIVE, CLASS_ANSWER, CLASS_EXECUTE, GOODBYE, UNDO_WHEN_ALONE, read_undo};
use super::wire::{Incoming, Outgoing, Wire};
use super::{PROTOCOL, lock};
use crate::platform::{Platform, Undo};

/// How long the agent waits for a laptop.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// At the beginning, and when it is gone.
    pub alone: Duration,
    /// When it is there and nothing is heard of it: a network that is gone closes nothing.
    pub silent: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { alone: Duration::from_secs(60), silent: Duration::from_secs(60) }
    }
}

/// As `Log` has it.
const WARN: i32 = 5;
/// How long a wait may be deaf to an interrupt.
const SLICE: Duration = Duration::from_millis(200);
/// What stands around the bytes of an answer.
const MARGIN: usize = 1 << 20;
/// How long a laptop that lost its phone has the right to come back, before another may take it.
const RETURN: Duration = Duration::from_secs(20);
/// Who has the phone before the laptop came that started the agent.
const STARTER: &str = "somebody who has just started its agent";
/// How long an event may lie before it is pushed.
const PUSH: Duration = Duration::from_millis(20);

/// Where laptops come in. It waits for the next one; after an error it is asked again.
pub trait Door: Send + 'static {
    fn next(&mut self) -> io::Result<Arc<dyn Wire>>;
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The laptop said so.
    Goodbye,
    /// The laptop stayed away.
    Alone,
    Interrupted,
}

/// The laptop that has the phone.
#[derive(Default)]
struct Guest {
    session: String,
    who: String,
    /// How many streams of it are open: the old one may not know yet that it is.
    streams: usize,
    /// When the last of them ended.
    left: Option<Instant>,
    /// What was answered last, in case that it did not arrive.
    last: Option<Response>,
}

struct Shared {
    platform: Arc<dyn Platform>,
    agent: String,
    guest: Mutex<Guest>,
    /// Requests are done one after the other.
    turn: Mutex<()>,
    /// What a laptop wants undone should it not come back, whoever comes instead.
    undo: Mutex<Vec<Undo>>,
    /// When something was heard of the laptop last.
    heard: Mutex<Instant>,
}

impl Shared {
    fn is_silent(&self, patience: Duration) -> bool {
        lock(&self.heard).elapsed() >= patience
    }
}

/// What happens to streams.
enum News {
    Came,
    Left,
    Goodbye,
}

/// Answers until the laptop says goodbye, or none is there for so long. Nobody comes before the session that it was started
/// for, as long as that may be on its way.
pub fn serve(
    platform: Arc<dyn Platform>,
    agent: &str,
    session: Option<&str>,
    mut door: impl Door,
    patience: Patience,
    cancel: &Cancel,
) -> Ended {
    let shared = Arc::new(Shared {
        platform,
        agent: agent.to_owned(),
        guest: Mutex::new(session.map(expected).unwrap_or_default()),
        turn: Mutex::default(),
        undo: Mutex::default(),
        heard: Mutex::new(Instant::now()),
    });
    let (news, heard) = mpsc::channel();
    let at_the_door = shared.clone();
    let over = Arc::new(AtomicBool::new(false));
    let is_over = over.clone();
    // Whoever comes next after the end closes the door.
    thread::spawn(move || {
        loop {
            let next = door.next();
            if is_over.load(Ordering::Acquire) {
                return;
            }
            match next {
                Ok(wire) => {
                    let (shared, news) = (at_the_door.clone(), news.clone());
                    thread::spawn(move || attend(&shared, wire, &news));
                }
                // One that came and went at once, or no room for it just now.
                Err(_) => thread::sleep(SLICE),
            }
        }
    });
    let ended = until_the_end(&shared, &heard, patience, cancel);
    over.store(true, Ordering::Release);
    let left = std::mem::take(&mut *lock(&shared.undo));
    left.iter().for_each(|undo| put_back(shared.platform.as_ref(), undo));
    ended
}

fn expected(session: &str) -> Guest {
    let (session, who) = (session.to_owned(), STARTER.to_owned());
    Guest { session, who, left: Some(Instant::now()), ..Guest::default() }
}

fn until_the_end(shared: &Shared, heard: &Receiver<News>, patience: Patience, cancel: &Cancel) -> Ended {
    let (mut open, mut alone) = (0usize, Duration::ZERO);
    loop {
        match heard.recv_timeout(SLICE) {
            Ok(News::Came) => open += 1,
            Ok(News::Left) => open = open.saturating_sub(1),
            Ok(News::Goodbye) => return Ended::Goodbye,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(SLICE),
        }
        if cancel.is_cancelled() {
            return Ended::Interrupted;
        }
        alone = if open > 0 { Duration::ZERO } else { alone + SLICE };
        if alone >= patience.alone || shared.is_silent(patience.silent) {
            return Ended::Alone;
        }
    }
}

/// One stream, from its greeting to its end.
fn attend(shared: &Arc<Shared>, wire: Arc<dyn Wire>, news: &Sender<News>) {
    let (mut incoming, out) = (Incoming::new(wire.clone()), Arc::new(Outgoing::new(wire)));
    let Some(hello) = incoming.next().as_deref().and_then(Hello::read) else { return };
    let busy_with = {
        let mut guest = lock(&shared.guest);
        let may_return = guest.who != hello.who && guest.left.is_some_and(|left| left.elapsed() < RETURN);
        if guest.session != hello.session && (guest.streams > 0 || may_return) {
            guest.who.clone()
        } else {
            if guest.session != hello.session {
                *guest = Guest { session: hello.session, ..Guest::default() };
            }
            guest.who = hello.who;
            guest.streams += 1;
            String::new()
        }
    };
    let is_welcome = busy_with.is_empty() && hello.protocol == PROTOCOL;
    let welcome = Welcome { protocol: PROTOCOL, agent: shared.agent.clone(), busy_with: busy_with.clone() };
    let greeted = out.send(&welcome.to_bytes());
    if !busy_with.is_empty() {
        return out.close();
    }
    // The receiver lives as long as the agent.
    let _ = news.send(News::Came);
    if greeted.is_ok() && is_welcome && talk(shared, &mut incoming, &out) {
        let _ = news.send(News::Goodbye);
    }
    out.close();
    {
        let mut guest = lock(&shared.guest);
        guest.streams -= 1;
        guest.left = Some(Instant::now());
    }
    let _ = news.send(News::Left);
}

/// Whether it ended with a goodbye.
fn talk(shared: &Arc<Shared>, incoming: &mut Incoming, out: &Arc<Outgoing>) -> bool {
    let classes = Classes::new(shared.platform.clone(), out.clone());
    thread::scope(|scope| {
        // It ends when this is dropped.
        let (_talking, over) = mpsc::channel::<()>();
        scope.spawn(move || {
            while over.recv_timeout(PUSH) == Err(RecvTimeoutError::Timeout) {
                push_events(shared, out);
            }
        });
        // Not on this thread: what hangs must not keep the laptop from being heard, nor its end from being seen.
        let (requests, inbox) = mpsc::channel::<Request>();
        let (doer, to) = (shared.clone(), out.clone());
        thread::spawn(move || inbox.iter().for_each(|request| do_one(&doer, &to, &request)));
        while let Some(request) = incoming.next().as_deref().and_then(Request::read) {
            *lock(&shared.heard) = Instant::now();
            match request.method {
                ALIVE => continue,
                UNDO_WHEN_ALONE => {
                    *lock(&shared.undo) = read_undo(&request.texts);
                    // Said again to an agent that may be a new one; nobody waits for an answer.
                    if request.id == 0 {
                        continue;
                    }
                }
                CLASS_EXECUTE => {
                    classes.execute(request);
                    continue;
                }
                CLASS_ANSWER => {
                    classes.answered(&request);
                    continue;
                }
                GOODBYE => {
                    let heard = Response { id: request.id, yes: true, ..Response::default() };
                    let _ = out.send(&heard.to_bytes());
                    return true;
                }
                _ => {}
            }
            // It ends when this does.
            let _ = requests.send(request);
        }
        false
    })
}

fn do_one(shared: &Shared, out: &Outgoing, request: &Request) {
    let response = answer(shared, request);
    // What happened before the answer is known before it.
    push_events(shared, out);
    if out.send(&short_enough(response).to_bytes()).is_err() {
        out.close();
    }
}

/// What cannot be sent is a failure that can.
fn short_enough(response: Response) -> Response {
    let size = response.data.len() + response.texts.iter().map(String::len).sum::<usize>();
    if size < LONGEST - MARGIN {
        return response;
    }
    let message = format!("the phone's answer has {size} bytes, which is too much for one");
    let failure = Some(Failure::new(FailureKind::Device, message));
    Response { id: response.id, failure, ..Response::default() }
}

/// Does it, unless it was done before and the answer did not arrive.
fn answer(shared: &Shared, request: &Request) -> Response {
    let _turn = lock(&shared.turn);
    let last = lock(&shared.guest).last.as_ref().filter(|last| last.id == request.id).cloned();
    last.unwrap_or_else(|| {
        let response = method::answer(shared.platform.as_ref(), request);
        lock(&shared.guest).last = Some(response.clone());
        response
    })
}

/// What cannot be put back is said where it can be read.
fn put_back(platform: &dyn Platform, undo: &Undo) {
    let done = match undo {
        Undo::Rotation(turns) => platform.set_rotation(*turns).map(drop),
        Undo::Provider(name) => platform.remove_test_provider(name),
        Undo::Shell(command) => platform.shell(command).map(drop),
    };
    if let Err(failure) = done {
        platform.log(WARN, "trailblaze", &format!("{undo:?} failed: {}", failure.message));
    }
}

/// What cannot be had or sent is no trouble of its own: the laptop compares screens as well.
fn push_events(shared: &Shared, out: &Outgoing) {
    let events = shared.platform.take_events().unwrap_or_default();
    if !events.is_empty() {
        let _ = out.send(&method::events(&events).to_bytes());
    }
}
