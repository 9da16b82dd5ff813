//! Commands in the phone's shell.

use super::error::{Error, ErrorKind};
use super::limit::Limit;
use super::phone::Phone;
use super::stream::Stream;
use super::wire::too_much;

/// So much is kept of what a command writes; who wants more reads it in parts.
const MOST_OUTPUT: usize = 64 << 20;
/// The most that one part is.
const LONGEST_PART: usize = 64 << 10;
/// In front of each packet: what it is, and how long.
const HEAD: usize = 5;

mod id {
    pub(super) const STDIN: u8 = 0;
    pub(super) const STDOUT: u8 = 1;
    pub(super) const STDERR: u8 = 2;
    pub(super) const EXIT: u8 = 3;
    pub(super) const CLOSE_STDIN: u8 = 4;
}

/// What a command wrote, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub out: Vec<u8>,
    /// Empty on phones before Android 7: there it stands among the output.
    pub err: Vec<u8>,
    /// Unknown on phones before Android 7.
    pub exit: Option<u8>,
}

impl Output {
    /// The output as text, without white space around it.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).trim().to_owned()
    }
}

/// Something that happened in a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Out(Vec<u8>),
    Err(Vec<u8>),
    /// The last one.
    Exit(Option<u8>),
}

/// A command that runs. It is ended by the phone when this is dropped.
#[derive(Debug)]
pub struct Shell {
    stream: Stream,
    has_packets: bool,
    /// What came of the head of the next packet, so that a deadline in its middle loses nothing.
    head: [u8; HEAD],
    of_head: usize,
    /// Of the packet that is being read: what it is, and how much of it is to come.
    packet: (u8, usize),
    ended: Option<Option<u8>>,
}

impl Phone {
    /// Runs a command without input and waits for its end. An exit code other than 0 is no error here.
    pub fn shell(&self, command: &str, limit: &Limit) -> Result<Output, Error> {
        let mut shell = self.start_shell(command, limit)?;
        match shell.close_input() {
            // A command that was quick has ended, and what it said is still there to be read.
            Err(error) if error.kind != ErrorKind::Lost => Err(error),
            _ => shell.output(),
        }
    }

    /// Starts a command, to be read in parts.
    pub fn start_shell(&self, command: &str, limit: &Limit) -> Result<Shell, Error> {
        let has_packets = self.has("shell_v2", limit)?;
        let service =
            if has_packets { format!("shell,v2,raw:{command}") } else { format!("shell:{command}") };
        let stream = self.open(&service, limit)?;
        Ok(Shell { stream, has_packets, head: [0; HEAD], of_head: 0, packet: (0, 0), ended: None })
    }
}

impl Shell {
    /// From now on calls end by this deadline.
    pub fn set_limit(&mut self, limit: &Limit) {
        self.stream.set_limit(limit);
    }

    /// Waits for what happens next. At the end it says the exit code, as often as it is asked. After a deadline it can
    /// be asked again.
    pub fn next_part(&mut self) -> Result<Part, Error> {
        if let Some(exit) = self.ended {
            return Ok(Part::Exit(exit));
        }
        if self.has_packets { self.part_of_packet() } else { self.raw_part() }
    }

    fn raw_part(&mut self) -> Result<Part, Error> {
        let mut bytes = vec![0; LONGEST_PART];
        let count = self.stream.some(&mut bytes)?;
        bytes.truncate(count);
        if count == 0 {
            self.ended = Some(None);
            return Ok(Part::Exit(None));
        }
        Ok(Part::Out(bytes))
    }

    fn part_of_packet(&mut self) -> Result<Part, Error> {
        loop {
            let (id, left) = self.packet;
            if left == 0 {
                self.begin_packet()?;
                continue;
            }
            // Nobody has to have room for what a length promises.
            let mut bytes = vec![0; left.min(LONGEST_PART)];
            let count = self.stream.some(&mut bytes)?;
            if count == 0 {
                return Err(Error::lost(self.stream.about()));
            }
            bytes.truncate(count);
            self.packet = (id, left - count);
            match id {
                id::STDOUT => return Ok(Part::Out(bytes)),
                id::STDERR => return Ok(Part::Err(bytes)),
                id::EXIT => {
                    self.ended = Some(Some(bytes[0]));
                    return Ok(Part::Exit(Some(bytes[0])));
                }
                _ => {}
            }
        }
    }

    fn begin_packet(&mut self) -> Result<(), Error> {
        while self.of_head < HEAD {
            match self.stream.some(&mut self.head[self.of_head..])? {
                0 => return Err(Error::lost(self.stream.about())),
                count => self.of_head += count,
            }
        }
        self.of_head = 0;
        let [id, length @ ..] = self.head;
        let length = u32::from_le_bytes(length) as usize;
        if id == id::EXIT && length == 0 {
            return Err(self.stream.protocol("an end without an exit code"));
        }
        self.packet = (id, length);
        Ok(())
    }

    /// Gives the command something to read.
    pub fn write(&mut self, input: &[u8]) -> Result<(), Error> {
        if !self.has_packets {
            return self.stream.send(input);
        }
        input.chunks(LONGEST_PART).try_for_each(|chunk| {
            self.stream.send(&head(id::STDIN, chunk.len()))?;
            self.stream.send(chunk)
        })
    }

    /// Says that there is no more to read. A phone before Android 7 cannot be told.
    pub fn close_input(&mut self) -> Result<(), Error> {
        if self.has_packets { self.stream.send(&head(id::CLOSE_STDIN, 0)) } else { Ok(()) }
    }

    /// Reads to the end of the command.
    pub fn output(&mut self) -> Result<Output, Error> {
        let mut output = Output::default();
        loop {
            match self.next_part()? {
                Part::Out(bytes) => output.out.extend(bytes),
                Part::Err(bytes) => output.err.extend(bytes),
                Part::Exit(exit) => return Ok(Output { exit, ..output }),
            }
            if output.out.len() + output.err.len() > MOST_OUTPUT {
                return Err(too_much(self.stream.about(), MOST_OUTPUT));
            }
        }
    }
}

fn head(id: u8, length: usize) -> [u8; HEAD] {
    let [a, b, c, d] = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    [id, a, b, c, d]
}

/// One word for the phone's shell, whatever is in it.
pub fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell() {
        for (word, quoted) in [
            ("a-b.c/d", "a-b.c/d"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$x;`y`", "'$x;`y`'"),
            ("it's", r"'it'\''s'"),
        ] {
            assert_eq!(quote(word), quoted);
        }
    }
}
