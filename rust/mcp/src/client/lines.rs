//! Bytes to lines. What comes in may be half a line, several lines, or one that never ends.

use std::io::{self, BufRead};
use std::os::fd::AsFd;

use rustix::buffer::spare_capacity;

/// One read takes at most about so much.
const READ_BYTES: usize = 64 << 10;
/// A buffer that grew for one long line is given back.
const KEEP_BYTES: usize = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end.
    Text(Vec<u8>),
    /// A line was longer than the limit and was left out.
    TooLong,
}

#[derive(Debug)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Where the first line begins that was not given out.
    start: usize,
    /// There is no line break before this.
    searched: usize,
    /// The rest of a line that is too long is on its way.
    skipping: bool,
    limit: usize,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, searched: 0, skipping: false, limit }
    }

    /// Takes what is there, by one read. 0 is the end.
    pub(super) fn read(&mut self, from: impl AsFd) -> io::Result<usize> {
        self.make_room();
        Ok(rustix::io::read(from, spare_capacity(&mut self.buffer))?)
    }

    fn make_room(&mut self) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            self.searched = 0;
            self.buffer.shrink_to(KEEP_BYTES);
        } else if self.start > READ_BYTES {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.reserve(READ_BYTES);
    }

    pub(super) fn forget(&mut self) {
        self.start = self.buffer.len();
    }

    /// How many bytes wait to be given out.
    pub(super) fn waiting(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// What stands after the last line break, at the end of everything.
    pub(super) fn rest(&mut self) -> Option<Line> {
        let start = std::mem::replace(&mut self.start, self.buffer.len());
        let is_there = start < self.buffer.len() && !self.skipping;
        is_there.then(|| Line::Text(self.buffer[start..].to_vec()))
    }

    pub(super) fn next(&mut self) -> Option<Line> {
        loop {
            let Some(end) = self.line_end() else {
                if self.skipping {
                    self.start = self.buffer.len();
                } else if self.waiting() > self.limit {
                    self.skipping = true;
                    self.start = self.buffer.len();
                    return Some(Line::TooLong);
                }
                return None;
            };
            let start = std::mem::replace(&mut self.start, end + 1);
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if end - start > self.limit {
                return Some(Line::TooLong);
            }
            return Some(Line::Text(self.cut_out(start, end)));
        }
    }

    /// A long line that is alone in the buffer takes it along; others are copied.
    fn cut_out(&mut self, start: usize, end: usize) -> Vec<u8> {
        let end = if end > start && self.buffer[end - 1] == b'\r' { end - 1 } else { end };
        if start > 0 || self.start < self.buffer.len() || end < READ_BYTES {
            return self.buffer[start..end].to_vec();
        }
        let mut line = std::mem::take(&mut self.buffer);
        line.truncate(end);
        (self.start, self.searched) = (0, 0);
        line
    }

    fn line_end(&mut self) -> Option<usize> {
        let mut rest = &self.buffer[self.searched.max(self.start)..];
        let before = self.buffer.len() - rest.len();
        // Reading from memory does not fail.
        let length = rest.skip_until(b'\n').unwrap_or_default();
        self.searched = before + length;
        let end = self.searched.checked_sub(1)?;
        (length > 0 && self.buffer[end] == b'\n').then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Lines {
        fn feed(&mut self, bytes: &[u8]) {
            self.make_room();
            self.buffer.extend_from_slice(bytes);
        }
    }

    #[track_caller]
    fn check(pieces: &[&str], expected: &[&str]) {
        let mut lines = Lines::new(10);
        let mut found = Vec::new();
        for piece in pieces {
            lines.feed(piece.as_bytes());
            while let Some(line) = lines.next() {
                found.push(match line {
                    Line::Text(bytes) => String::from_utf8(bytes).unwrap(),
                    Line::TooLong => "TOO LONG".to_owned(),
                });
            }
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_of_all_kinds() {
        check(&["one\ntwo\n"], &["one", "two"]);
        check(&["o", "n", "e", "\n", "tw"], &["one"]);
        check(&["one\r\n\r\ntwo\r", "\n"], &["one", "", "two"]);
        check(&["\n\n"], &["", ""]);
        check(&["1234567890\n"], &["1234567890"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_once() {
        check(&["12345678901\nok\n"], &["TOO LONG", "ok"]);
        check(&["123456", "78901", "2345", "6\nok\n"], &["TOO LONG", "ok"]);
        check(&["12345678901\n12345678901\n"], &["TOO LONG", "TOO LONG"]);
    }

    #[test]
    fn memory_is_bounded_and_long_lines_are_not_copied() {
        let mut lines = Lines::new(1 << 20);
        for _ in 0..100 {
            lines.feed(&[b'x'; 100 << 10]);
            while lines.next().is_some() {}
            assert!(lines.buffer.capacity() < 4 << 20);
        }
        let mut lines = Lines::new(1 << 20);
        let long = "y".repeat(200 << 10) + "\n";
        lines.feed(long.as_bytes());
        let at = lines.buffer.as_ptr();
        let Some(Line::Text(line)) = lines.next() else { panic!("no line") };
        assert_eq!((line.as_ptr(), line.len()), (at, 200 << 10));
        lines.feed(b"next\n");
        assert_eq!(lines.next(), Some(Line::Text(b"next".to_vec())));
    }
}
