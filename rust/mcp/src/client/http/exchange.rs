//! One request and what comes back: one answer, or a stream of messages with the answer at its end.

use std::io;
use std::time::{Duration, Instant};

use trailblaze_engine::host::Cancel;

use super::link::{CLOSED_BEFORE, ENDED_HINT, Era, Link, Request};
use super::response::{Broken, Head, Response};
use super::stream::Stream;
use crate::client::logs::cut;
use crate::client::message::Incoming;
use crate::client::sse::{Event, Events};
use crate::client::transport::{LONGEST_MESSAGE, Received, SLICE, Unsent};
use crate::client::trouble::{Reach, Trouble, Web};
use crate::client::waker::Waker;

/// One read takes at most so much.
const READ_BYTES: usize = 32 << 10;
/// So much of a refusal is read.
const LONGEST_REFUSAL: usize = 64 << 10;
const SHOWN_CHARS: usize = 200;
/// How long to wait before a stream is opened again: without a wish of the server, and at least.
const RETRY: Duration = Duration::from_secs(1);
const LEAST_RETRY: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Exchange {
    /// Since 2026-07-28 a stream that ended is not opened again.
    pub(super) is_modern: bool,
    /// What the server calls the session.
    pub(super) session: Option<String>,
    /// None while the next one is waited for.
    stream: Option<Stream>,
    response: Response,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Head,
    Json(Vec<u8>),
    Events(Events),
    Refusal(Head, Vec<u8>),
    /// The stream ended before the answer, and is opened again later.
    Pause {
        at: Instant,
        last_id: String,
    },
    /// There is no more to come.
    Over,
}

impl Exchange {
    pub(super) fn begin(
        link: &Link,
        request: &Request<'_>,
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Self, Unsent> {
        let stream = link.send(request, until, cancel)?;
        Ok(Self {
            is_modern: matches!(request.era, Era::Modern(_)),
            session: None,
            stream: Some(stream),
            response: Response::default(),
            stage: Stage::Head,
        })
    }

    /// The next message.
    pub(super) fn receive(&mut self, link: &Link, until: Instant, waker: Option<&Waker>) -> Received {
        loop {
            match self.next(link) {
                Ok(Some(message)) => return Received::Message(message),
                Ok(None) => {}
                Err(trouble) => return Received::Failed(trouble),
            }
            if let Err(received) = self.go_on(link, until, waker) {
                return received;
            }
        }
    }

    /// For what is answered without a message: whether it was taken, once that is known.
    pub(super) fn accepted(&mut self, link: &Link, until: Instant, cancel: &Cancel) -> Result<(), Trouble> {
        loop {
            if let Stage::Head = self.stage
                && let Some(head) = self.response.head().map_err(|why| broken(link, why))?
            {
                if (200..300).contains(&head.status) {
                    self.response.body(&mut Vec::new()).map_err(|why| broken(link, why))?;
                    self.stage = Stage::Over;
                    return Ok(());
                }
                self.stage = Stage::Refusal(head, Vec::new());
            }
            if let Stage::Refusal(..) = self.stage {
                self.next(link)?;
            }
            let now = Instant::now();
            match self.go_on(link, until.min(now + SLICE), None) {
                Ok(()) => {}
                Err(Received::Failed(trouble)) => return Err(trouble),
                Err(_) if now < until && !cancel.is_cancelled() => {}
                // It was sent, and that is all that matters.
                Err(_) => return Ok(()),
            }
        }
    }

    /// Leaves the connection for others. The end of a stream may still be on its way behind the answer.
    pub(super) fn finish(self, link: &Link) {
        if let Some(stream) = self.stream {
            link.keep(stream, self.response);
        }
    }

    /// What can be told from the bytes that are here.
    fn next(&mut self, link: &Link) -> Result<Option<Vec<u8>>, Trouble> {
        if let Stage::Head = self.stage
            && let Some(head) = self.response.head().map_err(|why| broken(link, why))?
        {
            self.session = head.session.clone();
            self.stage = judge(link, head)?;
        }
        match &mut self.stage {
            Stage::Head | Stage::Pause { .. } => Ok(None),
            Stage::Json(body) => {
                let read = self.response.body(body);
                let length = body.len();
                read.map_err(|why| broken(link, why))?;
                if length > LONGEST_MESSAGE {
                    return Err(too_long(link));
                }
                self.whole_json(link)
            }
            Stage::Events(events) => {
                let read = self.response.body(events.room());
                let event = events.next();
                match event.map_err(|_| too_long(link))? {
                    // Others are not of this protocol.
                    Some(Event { name, .. }) if !matches!(name.as_str(), "" | "message") => self.next(link),
                    Some(Event { data, .. }) => Ok(Some(data)),
                    None => {
                        read.map_err(|why| broken(link, why))?;
                        if self.response.is_done() { self.pause(link).map(|()| None) } else { Ok(None) }
                    }
                }
            }
            Stage::Refusal(head, body) => {
                // Also half of it is worth reading.
                let is_whole = self.response.body(body).is_err() || self.response.is_done();
                if is_whole || body.len() > LONGEST_REFUSAL {
                    return Err(refusal(link, head, body));
                }
                Ok(None)
            }
            Stage::Over => {
                let why = "what it answered is no answer to the request";
                Err(link.trouble(Reach::There, why.to_owned(), Some(URL_HINT)))
            }
        }
    }

    fn whole_json(&mut self, link: &Link) -> Result<Option<Vec<u8>>, Trouble> {
        if !self.response.is_done() {
            return Ok(None);
        }
        let Stage::Json(body) = std::mem::replace(&mut self.stage, Stage::Over) else { return Ok(None) };
        if body.trim_ascii().is_empty() {
            return Err(link.trouble(Reach::There, "its answer is empty".to_owned(), Some(URL_HINT)));
        }
        Ok(Some(body))
    }

    /// The stream ended without an answer.
    fn pause(&mut self, link: &Link) -> Result<(), Trouble> {
        if let Stage::Events(events) = &mut self.stage
            && !self.is_modern
            && let Some(last_id) = events.last_id.take()
        {
            let retry = events.retry_ms.map_or(RETRY, Duration::from_millis).max(LEAST_RETRY);
            // What is further away than any limit need not be exact.
            let at = Instant::now() + retry.min(Duration::from_secs(3_600));
            self.stage = Stage::Pause { at, last_id };
            let response = std::mem::take(&mut self.response);
            if let Some(stream) = self.stream.take() {
                link.keep(stream, response);
            }
            return Ok(());
        }
        let why = "its event stream ended without an answer".to_owned();
        Err(link.trouble(Reach::Lost, why, Some(ENDED_HINT)))
    }

    /// Reads more, or waits for it. An error is what there is to say instead.
    fn go_on(&mut self, link: &Link, until: Instant, waker: Option<&Waker>) -> Result<(), Received> {
        if let Stage::Pause { at, last_id } = &self.stage {
            let now = Instant::now();
            if now < *at {
                wait_for(until.min(*at), waker);
                return if Instant::now() >= *at { Ok(()) } else { Err(Received::Nothing) };
            }
            let headers = [("Last-Event-ID".to_owned(), last_id.clone())];
            let request = Request { verb: "GET", era: Era::Session, headers: &headers, body: None };
            let stream =
                link.send(&request, until.max(now + LEAST_RETRY), &Cancel::default()).map_err(|unsent| {
                    match unsent {
                        Unsent::Failed(trouble) => Received::Failed(trouble),
                        Unsent::TimedOut | Unsent::Cancelled | Unsent::Ended => Received::Nothing,
                    }
                })?;
            self.stream = Some(stream);
            self.stage = Stage::Head;
            return Ok(());
        }
        match self.read_more() {
            Ok(0) => self.closed(link).map_err(Received::Failed),
            Ok(_) if Instant::now() >= until => Err(self.last_look(link)),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= until {
                    return Err(Received::Nothing);
                }
                let Some(stream) = &self.stream else { return Err(Received::Nothing) };
                stream.wait_to_read(until, waker);
                match self.read_more() {
                    Ok(0) => self.closed(link).map_err(Received::Failed),
                    Ok(_) => Ok(()),
                    Err(error) if is_for_later(&error) => Err(Received::Nothing),
                    Err(error) => Err(self.failed(link, &error)),
                }
            }
            Err(error) => Err(self.failed(link, &error)),
        }
    }

    fn last_look(&mut self, link: &Link) -> Received {
        match self.next(link) {
            Ok(Some(message)) => Received::Message(message),
            Ok(None) => Received::Nothing,
            Err(trouble) => Received::Failed(trouble),
        }
    }

    fn failed(&mut self, link: &Link, error: &io::Error) -> Received {
        let closed = matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof);
        if closed && !matches!(self.stage, Stage::Head) {
            return self.closed(link).map_or_else(Received::Failed, |()| Received::Nothing);
        }
        Received::Failed(link.lost(error))
    }

    fn closed(&mut self, link: &Link) -> Result<(), Trouble> {
        let Err(why) = self.response.end() else { return Ok(()) };
        match &self.stage {
            Stage::Events(events) if events.last_id.is_some() && !self.is_modern => self.pause(link),
            Stage::Refusal(head, body) => Err(refusal(link, head, body)),
            _ => Err(broken(link, why)),
        }
    }

    fn read_more(&mut self) -> io::Result<usize> {
        let Some(stream) = &mut self.stream else { return Err(io::ErrorKind::WouldBlock.into()) };
        let mut bytes = [0; READ_BYTES];
        let count = stream.read(&mut bytes)?;
        self.response.feed(&bytes[..count]);
        Ok(count)
    }
}

fn broken(link: &Link, broken: Broken) -> Trouble {
    let (why, hint) = match broken {
        Broken::ClosedBefore => (CLOSED_BEFORE, ENDED_HINT),
        Broken::ClosedMidway => ("the connection was closed in the middle of the answer", ENDED_HINT),
        Broken::Compressed => ("it compresses its answer, although that was not asked for", URL_HINT),
        Broken::NoHttp => ("what answers there does not speak HTTP/1.1", URL_HINT),
    };
    link.trouble(Reach::Lost, why.to_owned(), Some(hint))
}

const URL_HINT: &str = "is there an MCP server at this URL?";

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn wait_for(until: Instant, waker: Option<&Waker>) {
    use rustix::event::{PollFd, PollFlags};
    match waker {
        Some(waker) => crate::client::waker::wait(&mut [PollFd::new(waker, PollFlags::IN)], until),
        None => crate::client::waker::wait(&mut [], until),
    };
}

/// What the head says about what follows.
fn judge(link: &Link, head: Head) -> Result<Stage, Trouble> {
    match (head.status, head.content_type.as_str()) {
        (200..300, "application/json") => Ok(Stage::Json(Vec::new())),
        (200..300, "text/event-stream") => Ok(Stage::Events(Events::new(LONGEST_MESSAGE))),
        (status @ 200..300, "") => {
            let why = format!("it answers without content (HTTP {status})");
            Err(link.trouble(Reach::There, why, Some(URL_HINT)))
        }
        (200..300, other) => {
            let why = format!("it answers with '{}', not with JSON or an event stream", cut(other, 80));
            Err(link.trouble(Reach::There, why, Some(URL_HINT)))
        }
        (status @ 300..400, _) => {
            let why = format!("it sends callers elsewhere (HTTP {status})");
            let hint = head.location.map(|location| {
                format!("the 'url:' of the toolset should be '{}'", cut(&location, SHOWN_CHARS))
            });
            Err(link.trouble(Reach::There, why, hint.as_deref()))
        }
        _ => Ok(Stage::Refusal(head, Vec::new())),
    }
}

fn too_long(link: &Link) -> Trouble {
    let why = format!("its answer is longer than {} MiB", LONGEST_MESSAGE >> 20);
    link.trouble(Reach::There, why, Some("save what is large to a file and answer with its path"))
}

fn refusal(link: &Link, head: &Head, body: &[u8]) -> Trouble {
    if let Some(error) = Incoming::read(body).and_then(|message| message.error) {
        return Trouble::Refused(error);
    }
    let Head { status, reason, content_type, .. } = head;
    let mut why = format!("HTTP {status}");
    if !reason.is_empty() {
        why += &format!(" {}", cut(reason, 40));
    }
    let text = String::from_utf8_lossy(body);
    if !text.trim().is_empty() && content_type != "text/html" {
        why += &format!(", {}", cut(text.trim(), SHOWN_CHARS));
    }
    let hint = match status {
        401 | 403 => Some("the server wants to know who asks, and Trailblaze has no OAuth"),
        404 if link.has_session() => Some("it does not know the session any more; was it started anew?"),
        404 | 405 | 410 => Some("is the path of the URL right? MCP servers often have theirs at '/mcp'"),
        500.. => Some("see what the server logged"),
        _ => None,
    };
    match link.trouble(Reach::There, why, hint) {
        Trouble::Web(web) => Trouble::Web(Web { status: Some(*status), ..web }),
        other => other,
    }
}
