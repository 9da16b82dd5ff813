//! The way to one URL: connections that are open, and what every request says.

use std::fmt::Write;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use trailblaze_engine::host::Cancel;

use super::address::Address;
use super::response::Response;
use super::stream::{self, Stream};
use crate::client::transport::{SLICE, Unsent};
use crate::client::trouble::{Reach, Trouble, Web};

/// So long it may take until somebody picks up.
const CONNECT: Duration = Duration::from_secs(5);
/// Servers close connections that nobody uses, many after 5 s. One that is used just then would lose a request.
const LONGEST_IDLE: Duration = Duration::from_secs(2);
const MOST_IDLE: usize = 32;
/// So much may come behind an answer.
const MOST_READS: usize = 16;

pub(super) const CLOSED_BEFORE: &str = "the connection was closed before there was an answer";
pub(super) const ENDED_HINT: &str = "did the server end? see what it logged";
const START_HINT: &str = "start the server first, or correct the 'url:' of the toolset";

#[derive(Debug)]
pub(super) struct Link {
    pub(super) address: Address,
    sockets: OnceLock<Vec<SocketAddr>>,
    tls: Option<Arc<ClientConfig>>,
    idle: Mutex<Vec<Idle>>,
    /// What a server of the older generation called this session.
    session: Mutex<Option<String>>,
    /// What was agreed on with such a server.
    version: OnceLock<String>,
}

/// A connection that was used.
#[derive(Debug)]
struct Idle {
    stream: Stream,
    /// The last answer on it.
    response: Response,
    since: Instant,
}

/// Which generation a request is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era<'a> {
    /// It says the version itself.
    Modern(&'a str),
    /// The first one of a session.
    Handshake,
    Session,
}

pub(super) struct Request<'a> {
    pub(super) verb: &'static str,
    pub(super) era: Era<'a>,
    pub(super) headers: &'a [(String, String)],
    pub(super) body: Option<&'a str>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Idle {
    /// Whether the last answer has ended, and nothing came behind it.
    fn is_free(&mut self) -> bool {
        let mut bytes = [0; 1024];
        for _ in 0..MOST_READS {
            match self.stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(count) => {
                    self.response.feed(&bytes[..count]);
                    if self.response.body(&mut Vec::new()).is_err() {
                        return false;
                    }
                }
                Err(error) => {
                    return error.kind() == io::ErrorKind::WouldBlock && self.response.leaves_open();
                }
            }
        }
        false
    }
}

impl Link {
    pub(super) fn new(address: Address) -> Self {
        let tls = address.is_secure.then(|| stream::config(&address.authorities));
        Self {
            address,
            tls,
            sockets: OnceLock::new(),
            idle: Mutex::default(),
            session: Mutex::default(),
            version: OnceLock::new(),
        }
    }

    pub(super) fn agreed(&self, version: &str) {
        self.version.get_or_init(|| version.to_owned());
    }

    pub(super) fn set_session(&self, id: Option<String>) {
        *lock(&self.session) = id;
    }

    pub(super) fn take_session(&self) -> Option<String> {
        lock(&self.session).take()
    }

    pub(super) fn has_session(&self) -> bool {
        lock(&self.session).is_some()
    }

    /// A connection that may be used for another request, once its answer is at its end.
    pub(super) fn keep(&self, stream: Stream, response: Response) {
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE {
            idle.push(Idle { stream, response, since: Instant::now() });
        }
    }

    fn head(&self, request: &Request<'_>) -> String {
        let Request { verb, era, headers, body } = request;
        let Address { path, authority, headers: own, .. } = &self.address;
        let mut head = format!("{verb} {path} HTTP/1.1\r\nHost: {authority}\r\n");
        let mut say = |name: &str, value: &str| {
            // Writing to a string does not fail.
            let _ = write!(head, "{name}: {value}\r\n");
        };
        say("User-Agent", concat!("trailblaze/", env!("CARGO_PKG_VERSION")));
        match *verb {
            "POST" => say("Accept", "application/json, text/event-stream"),
            "GET" => say("Accept", "text/event-stream"),
            _ => {}
        }
        match era {
            Era::Modern(version) => say("MCP-Protocol-Version", version),
            Era::Handshake => {}
            Era::Session => {
                if let Some(version) = self.version.get() {
                    say("MCP-Protocol-Version", version);
                }
                if let Some(session) = &*lock(&self.session) {
                    say("Mcp-Session-Id", session);
                }
            }
        }
        for (name, value) in own.iter().chain(*headers) {
            say(name, value);
        }
        if let Some(body) = body {
            say("Content-Type", "application/json");
            say("Content-Length", &body.len().to_string());
        }
        head.push_str("\r\n");
        head
    }

    /// Sends a request. Its answer is to be read from what is returned.
    pub(super) fn send(
        &self,
        request: &Request<'_>,
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Stream, Unsent> {
        let mut text = self.head(request);
        text.push_str(request.body.unwrap_or_default());
        let mut stream = match self.take_idle() {
            Some(stream) => stream,
            None => self.connect(until)?,
        };
        let failed = |error: &io::Error| Unsent::Failed(self.lost(error));
        let mut rest = text.as_bytes();
        loop {
            let written = if rest.is_empty() { stream.flush().map(|()| 0) } else { stream.write(rest) };
            match written {
                Ok(_) if rest.is_empty() => return Ok(stream),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(failed(&error)),
                Err(_) if cancel.is_cancelled() => return Err(Unsent::Cancelled),
                Err(_) => {
                    let now = Instant::now();
                    if now >= until {
                        return Err(Unsent::TimedOut);
                    }
                    // A server may refuse what it has not read to its end.
                    if !stream.wait_to_write(until.min(now + SLICE)) {
                        return Ok(stream);
                    }
                }
            }
        }
    }

    fn take_idle(&self) -> Option<Stream> {
        let mut idle = lock(&self.idle);
        while let Some(mut last) = idle.pop() {
            if last.since.elapsed() < LONGEST_IDLE && last.is_free() {
                return Some(last.stream);
            }
        }
        None
    }

    fn connect(&self, until: Instant) -> Result<Stream, Unsent> {
        let until = until.min(Instant::now() + CONNECT);
        let never = |why: String| {
            let hint = Some(START_HINT.to_owned());
            Unsent::Failed(Trouble::Web(Web {
                reach: Reach::Never,
                status: None,
                url: self.address.to_string(),
                why,
                hint,
            }))
        };
        let sockets = match self.sockets.get() {
            Some(sockets) => sockets,
            None => {
                let host = &self.address.host;
                let sockets = self.address.resolve(until.saturating_duration_since(Instant::now()));
                let sockets = sockets.map_err(|_| never(format!("no host is known as '{host}'")))?;
                self.sockets.get_or_init(|| sockets)
            }
        };
        Stream::connect(&self.address.host, self.tls.as_ref(), sockets, until).map_err(|error| {
            never(match error.kind() {
                io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
                io::ErrorKind::TimedOut => "nobody picks up there".to_owned(),
                _ => error.to_string(),
            })
        })
    }

    pub(super) fn lost(&self, error: &io::Error) -> Trouble {
        if let Some(error) = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>()) {
            let hint = match error {
                rustls::Error::InvalidCertificate(_) => {
                    "it needs a certificate from a public authority; on this machine 'http://' will do"
                }
                _ => "does it speak TLS? a server on this machine usually has 'http://'",
            };
            return self.trouble(Reach::Never, format!("no connection by TLS: {error}"), Some(hint));
        }
        let why = match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionAborted => {
                CLOSED_BEFORE.to_owned()
            }
            _ => error.to_string(),
        };
        self.trouble(Reach::Lost, why, Some(ENDED_HINT))
    }

    pub(super) fn trouble(&self, reach: Reach, why: String, hint: Option<&str>) -> Trouble {
        let hint = hint.map(str::to_owned);
        Trouble::Web(Web { reach, status: None, url: self.address.to_string(), why, hint })
    }
}
