//! Bytes to an HTTP/1.1 response: its head, and its body as it comes.

use httparse::{EMPTY_HEADER, Status};

/// So long a head may be, and so long a line in the body of a chunked one.
const LONGEST_HEAD: usize = 64 << 10;
const LONGEST_LINE: usize = 4 << 10;
const MOST_HEADERS: usize = 128;

/// What cannot be understood, or ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    ClosedBefore,
    ClosedMidway,
    Compressed,
    NoHttp,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) reason: String,
    /// The type of the content without its parameters, in small letters.
    pub(super) content_type: String,
    pub(super) location: Option<String>,
    pub(super) session: Option<String>,
}

#[derive(Debug)]
pub(super) struct Response {
    buffer: Vec<u8>,
    start: usize,
    state: State,
    keep_alive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    Length(u64),
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    Trailers,
    ToTheEnd,
    Done,
}

impl Default for Response {
    fn default() -> Self {
        Self { buffer: Vec::new(), start: 0, state: State::Head, keep_alive: false }
    }
}

impl Response {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The connection was closed.
    pub(super) fn end(&mut self) -> Result<(), Broken> {
        match self.state {
            State::Done => Ok(()),
            State::ToTheEnd => {
                self.state = State::Done;
                Ok(())
            }
            State::Head if self.buffer.len() == self.start => Err(Broken::ClosedBefore),
            _ => Err(Broken::ClosedMidway),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether the connection can be used for another request.
    pub(super) fn leaves_open(&self) -> bool {
        self.keep_alive && self.is_done() && self.start == self.buffer.len()
    }

    /// The head, once it is there whole.
    pub(super) fn head(&mut self) -> Result<Option<Head>, Broken> {
        loop {
            let mut headers = [EMPTY_HEADER; MOST_HEADERS];
            let mut parsed = httparse::Response::new(&mut headers);
            let bytes = &self.buffer[self.start..];
            let length = match parsed.parse(bytes) {
                Ok(Status::Complete(length)) => length,
                Ok(Status::Partial) if bytes.len() > LONGEST_HEAD => return Err(Broken::NoHttp),
                Ok(Status::Partial) => return Ok(None),
                Err(_) => return Err(Broken::NoHttp),
            };
            let status = parsed.code.unwrap_or_default();
            if status == 101 {
                return Err(Broken::NoHttp);
            }
            if status >= 200 {
                let (head, state, keep_alive) = read_head(&parsed)?;
                (self.state, self.keep_alive) = (state, keep_alive);
                self.start += length;
                return Ok(Some(head));
            }
            // A word in between; the answer comes after it.
            self.start += length;
        }
    }

    /// Moves what has come of the body.
    pub(super) fn body(&mut self, into: &mut Vec<u8>) -> Result<(), Broken> {
        loop {
            match self.state {
                State::Head | State::Done => return Ok(()),
                State::ToTheEnd => {
                    self.take(u64::MAX, into);
                    return Ok(());
                }
                State::Length(left) => {
                    let left = left - self.take(left, into);
                    self.state = if left == 0 { State::Done } else { State::Length(left) };
                    return Ok(());
                }
                State::Chunk(left) => {
                    let left = left - self.take(left, into);
                    if left > 0 {
                        self.state = State::Chunk(left);
                        return Ok(());
                    }
                    self.state = State::ChunkEnd;
                }
                State::ChunkSize | State::ChunkEnd | State::Trailers => {
                    let state = self.state;
                    let Some(line) = self.line()? else { return Ok(()) };
                    self.state = after_line(state, line)?;
                }
            }
        }
    }

    fn take(&mut self, most: u64, into: &mut Vec<u8>) -> u64 {
        let waiting = &self.buffer[self.start..];
        let count = waiting.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        into.extend_from_slice(&waiting[..count]);
        self.start += count;
        count as u64
    }

    fn line(&mut self) -> Result<Option<&[u8]>, Broken> {
        let waiting = &self.buffer[self.start..];
        let Some(end) = waiting.iter().position(|byte| *byte == b'\n') else {
            return if waiting.len() > LONGEST_LINE { Err(Broken::NoHttp) } else { Ok(None) };
        };
        let line = &waiting[..end];
        self.start += end + 1;
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

fn after_line(state: State, line: &[u8]) -> Result<State, Broken> {
    Ok(match state {
        State::ChunkSize => {
            let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
            let digits = std::str::from_utf8(digits).map_err(|_| Broken::NoHttp)?;
            match u64::from_str_radix(digits, 16).map_err(|_| Broken::NoHttp)? {
                0 => State::Trailers,
                size => State::Chunk(size),
            }
        }
        State::ChunkEnd if line.is_empty() => State::ChunkSize,
        State::ChunkEnd => return Err(Broken::NoHttp),
        _ if line.is_empty() => State::Done,
        _ => State::Trailers,
    })
}

fn read_head(parsed: &httparse::Response<'_, '_>) -> Result<(Head, State, bool), Broken> {
    let find = |name: &str| {
        let header = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(header.value).trim().to_owned())
    };
    let says = |name: &str, word: &str| {
        find(name).is_some_and(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    };
    let status = parsed.code.unwrap_or_default();
    let state = if matches!(status, 204 | 304) {
        State::Done
    } else if says("transfer-encoding", "chunked") {
        State::ChunkSize
    } else if find("transfer-encoding").is_some() {
        return Err(Broken::NoHttp);
    } else {
        match find("content-length").map(|length| length.parse()) {
            Some(Ok(0)) => State::Done,
            Some(Ok(length)) => State::Length(length),
            Some(Err(_)) => return Err(Broken::NoHttp),
            None => State::ToTheEnd,
        }
    };
    if find("content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
        return Err(Broken::Compressed);
    }
    let content_type = find("content-type").unwrap_or_default();
    let content_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let head = Head {
        status,
        reason: parsed.reason.unwrap_or_default().to_owned(),
        content_type,
        location: find("location"),
        session: find("mcp-session-id").filter(|id| !id.is_empty()),
    };
    let keep_alive = parsed.version == Some(1) && !says("connection", "close") && state != State::ToTheEnd;
    Ok((head, state, keep_alive))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: usize) -> Result<String, Broken> {
        let mut response = Response::default();
        let (mut head, mut body) = (None, Vec::new());
        for piece in bytes.chunks(size) {
            response.feed(piece);
            if head.is_none() {
                head = response.head()?;
            }
            if head.is_some() {
                response.body(&mut body)?;
            }
        }
        let open = response.leaves_open();
        response.end()?;
        let Head { status, content_type, .. } = head.unwrap_or_default();
        Ok(format!("{status} {content_type} {} {open}", String::from_utf8_lossy(&body)))
    }

    #[track_caller]
    fn check(text: &str, expected: Result<&str, Broken>) {
        for size in [text.len(), 1] {
            let found = read(text.as_bytes(), size);
            assert_eq!(found.as_deref(), expected.as_deref(), "in pieces of {size}");
        }
    }

    #[test]
    fn responses_of_all_kinds() {
        check(
            "HTTP/1.1 200 OK\r\nContent-Type: Text/X; a=b\r\nContent-Length: 3\r\n\r\nabc",
            Ok("200 text/x abc true"),
        );
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nt: x\r\n\r\n",
            Ok("200  abc0123456789 true"),
        );
        check("HTTP/1.1 200 OK\r\n\r\nabc", Ok("200  abc false"));
        check("HTTP/1.1 204 No Content\r\n\r\n", Ok("204   true"));
        check("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", Ok("202   false"));
        check(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            Ok("200  x true"),
        );
        check("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", Ok("200  x false"));
    }

    #[test]
    fn responses_that_are_none() {
        check("SSH-2.0-OpenSSH_9\r\n", Err(Broken::NoHttp));
        check("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", Err(Broken::NoHttp));
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", Err(Broken::NoHttp));
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Err(Broken::NoHttp));
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", Err(Broken::NoHttp));
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na", Err(Broken::ClosedMidway));
        check("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na", Err(Broken::ClosedMidway));
        check("HTTP/1.1 200 OK\r\nContent-Le", Err(Broken::ClosedMidway));
        let endless = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(LONGEST_HEAD));
        assert_eq!(read(endless.as_bytes(), 1000), Err(Broken::NoHttp));
    }
}
