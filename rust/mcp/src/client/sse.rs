//! Bytes to events of an event stream.

/// One event. Whoever reads it knows from the last one where to go on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// What kind it is; empty for the usual one.
    pub(super) name: String,
    pub(super) data: Vec<u8>,
}

/// What a line has besides its value.
const FIELD_BYTES: usize = 8;

/// An event or a line that is longer than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

#[derive(Debug)]
pub(super) struct Events {
    /// What has come and was not read yet, from `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// There is no line break before this.
    searched: usize,
    /// The last line ended with CR; an LF behind it belongs to it.
    after_return: bool,
    event: Event,
    has_data: bool,
    limit: usize,
    /// The id that the last event had, where any had one.
    pub(super) last_id: Option<String>,
    /// How long to wait before the stream is opened again, where the server said so.
    pub(super) retry_ms: Option<u64>,
}

impl Events {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            after_return: false,
            event: Event::default(),
            has_data: false,
            limit,
            last_id: None,
            retry_ms: None,
        }
    }

    /// Where bytes are to be put.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        &mut self.buffer
    }

    /// The next event that has data.
    pub(super) fn next(&mut self) -> Result<Option<Event>, TooLong> {
        while let Some(line) = self.line() {
            if line.is_empty() {
                let event = std::mem::take(&mut self.event);
                if std::mem::take(&mut self.has_data) && !event.data.is_empty() {
                    return Ok(Some(event));
                }
            } else {
                self.field(&line)?;
            }
        }
        let waiting = self.buffer.len() - self.start;
        if waiting > self.limit + FIELD_BYTES { Err(TooLong) } else { Ok(None) }
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        if self.after_return && self.start < self.buffer.len() {
            self.after_return = false;
            if self.buffer[self.start] == b'\n' {
                self.start += 1;
            }
        }
        let from = self.searched.max(self.start);
        let Some(length) = self.buffer[from..].iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = from + length;
        self.after_return = self.buffer[end] == b'\r';
        let line = self.buffer[self.start..end].to_vec();
        self.start = end + 1;
        self.searched = self.start;
        Some(line)
    }

    fn field(&mut self, line: &[u8]) -> Result<(), TooLong> {
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = match colon {
            // A comment, which servers send to keep the connection.
            Some(0) => return Ok(()),
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (line, &[][..]),
        };
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
                if self.event.data.len() > self.limit {
                    return Err(TooLong);
                }
            }
            b"event" => self.event.name = text(),
            b"id" if !value.contains(&0) => self.last_id = Some(text()).filter(|id| !id.is_empty()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry_ms = text().parse().ok();
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stream in one piece, and byte by byte.
    #[track_caller]
    fn check(stream: &str, expected: &[&str]) -> Events {
        for size in [stream.len(), 1] {
            let (found, _) = read(stream, size);
            assert_eq!(found, expected, "in pieces of {size}");
        }
        read(stream, stream.len()).1
    }

    fn read(stream: &str, size: usize) -> (Vec<String>, Events) {
        let mut events = Events::new(20);
        let mut found = Vec::new();
        for piece in stream.as_bytes().chunks(size) {
            events.room().extend_from_slice(piece);
            loop {
                match events.next() {
                    Ok(Some(Event { name, data })) => {
                        found.push(format!("{name}={}", String::from_utf8(data).unwrap()));
                    }
                    Ok(None) => break,
                    Err(TooLong) => {
                        found.push("TOO LONG".to_owned());
                        return (found, events);
                    }
                }
            }
        }
        (found, events)
    }

    #[test]
    fn events_of_all_kinds() {
        check("data: a\n\n", &["=a"]);
        check("data:a\r\ndata: b\r\n\r\nevent: x\rdata:c\r\r", &["=a\nb", "x=c"]);
        check(": ping\n\n\n\ndata\n\ndata: \n\n", &[]);
        check("event: x\n\ndata: a\n\n", &["=a"]);
        check("data: half", &[]);
        check("unknown: x\ndata: {\"a\":1}\n\n", &["={\"a\":1}"]);
    }

    #[test]
    fn where_to_go_on() {
        let events = check("id: 7\nretry: 500\ndata:\n\n", &[]);
        assert_eq!((events.last_id.as_deref(), events.retry_ms), (Some("7"), Some(500)));
        let events = check("id: 7\n\nid\nretry: soon\ndata: x\n\n", &["=x"]);
        assert_eq!((events.last_id, events.retry_ms), (None, None));
    }

    #[test]
    fn no_event_is_longer_than_the_limit() {
        check("data: 12345678901234567890\n\n", &["=12345678901234567890"]);
        check("data: 1234567890\ndata: 1234567890\n\n", &["TOO LONG"]);
        check("data: 1234567890123456789012345678901234567890", &["TOO LONG"]);
    }
}
