//! The phone's end: does what one laptop asks for, until that stays away.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use trailblaze_engine::host::Cancel;

use super::PROTOCOL;
use super::codec::{receive, send};
use super::message::{Hello, Request, Response, Welcome};
use super::method::{self, GOODBYE};
use crate::platform::Platform;

/// How long the agent waits for a laptop, at the beginning and when it is gone.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long a wait may be deaf to an interrupt.
const SLICE: Duration = Duration::from_millis(200);

/// A way for messages in both directions.
pub trait Stream: Read + Write + Send + 'static {}

impl<T: Read + Write + Send + 'static> Stream for T {}

/// Where laptops come in. It waits for the next one; an error ends it.
pub trait Door: Send + 'static {
    fn next(&mut self) -> io::Result<Box<dyn Stream>>;
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
    /// What was answered last, in case that it did not arrive.
    last: Option<Response>,
}

struct Shared {
    platform: Arc<dyn Platform>,
    agent: String,
    guest: Mutex<Guest>,
    /// Requests are done one after the other.
    turn: Mutex<()>,
}

/// What happens to streams.
enum News {
    Came,
    Left,
    Goodbye,
}

/// Answers until the laptop says goodbye, or none is there for so long.
pub fn serve(
    platform: Arc<dyn Platform>,
    agent: &str,
    mut door: impl Door,
    patience: Duration,
    cancel: &Cancel,
) -> Ended {
    let shared = Arc::new(Shared {
        platform,
        agent: agent.to_owned(),
        guest: Mutex::default(),
        turn: Mutex::default(),
    });
    let (news, heard) = mpsc::channel();
    let at_the_door = shared.clone();
    // It ends with the process: nobody can wake who waits at a door.
    thread::spawn(move || {
        while let Ok(stream) = door.next() {
            let (shared, news) = (at_the_door.clone(), news.clone());
            thread::spawn(move || attend(&shared, stream, &news));
        }
    });
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
        if alone >= patience {
            return Ended::Alone;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One stream, from its greeting to its end.
fn attend(shared: &Shared, mut stream: Box<dyn Stream>, news: &Sender<News>) {
    let Ok(Some(bytes)) = receive(&mut stream) else { return };
    let Some(hello) = Hello::read(&bytes) else { return };
    let busy_with = {
        let mut guest = lock(&shared.guest);
        if guest.streams > 0 && guest.session != hello.session {
            guest.who.clone()
        } else {
            if guest.session != hello.session {
                *guest = Guest { session: hello.session, who: hello.who, ..Guest::default() };
            }
            guest.streams += 1;
            String::new()
        }
    };
    let is_welcome = busy_with.is_empty() && hello.protocol == PROTOCOL;
    let welcome = Welcome { protocol: PROTOCOL, agent: shared.agent.clone(), busy_with: busy_with.clone() };
    let greeted = send(&mut stream, &welcome.to_bytes());
    if !busy_with.is_empty() {
        return;
    }
    // The receiver lives as long as the agent.
    let _ = news.send(News::Came);
    if greeted.is_ok() && is_welcome && talk(shared, &mut stream) {
        let _ = news.send(News::Goodbye);
    }
    lock(&shared.guest).streams -= 1;
    let _ = news.send(News::Left);
}

/// Whether it ended with a goodbye.
fn talk(shared: &Shared, stream: &mut Box<dyn Stream>) -> bool {
    while let Ok(Some(bytes)) = receive(stream) {
        let Some(request) = Request::read(&bytes) else { return false };
        let response = {
            let _turn = lock(&shared.turn);
            let last = lock(&shared.guest).last.clone().filter(|last| last.id == request.id);
            last.unwrap_or_else(|| {
                let response = method::answer(shared.platform.as_ref(), &request);
                lock(&shared.guest).last = Some(response.clone());
                response
            })
        };
        if send(stream, &response.to_bytes()).is_err() {
            return false;
        }
        if request.method == GOODBYE {
            return true;
        }
    }
    false
}
