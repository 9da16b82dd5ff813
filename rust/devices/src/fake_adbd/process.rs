//! Commands of the shell, in the three ways in which they are asked for.

use std::fmt;
use std::io::{self, Read, Write};

use super::channel::Channel;

/// How the output of a command is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As it is, both outputs in one, without an exit code.
    Raw,
    /// As raw, with arguments that need no quotes.
    Args,
    /// In packets that say which output they are.
    Packets,
}

/// A command that was asked for.
pub struct Process {
    /// As it was written; with spaces between, where it came as arguments.
    pub line: String,
    /// Split at white space, or as they came.
    pub args: Vec<String>,
    pub stdin: Box<dyn Read + Send>,
    to_host: Box<dyn Write + Send>,
    is_closed: Box<dyn Fn() -> bool + Send>,
    has_packets: bool,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("line", &self.line).finish_non_exhaustive()
    }
}

impl Process {
    pub fn out(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.say(1, bytes.as_ref())
    }

    pub fn err(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.say(2, bytes.as_ref())
    }

    /// Whether the host still waits for it, as far as that is known.
    pub fn is_wanted(&self) -> bool {
        !(self.is_closed)()
    }

    fn say(&mut self, id: u8, bytes: &[u8]) -> io::Result<()> {
        if !self.has_packets {
            return self.to_host.write_all(bytes);
        }
        bytes.chunks(64 << 10).try_for_each(|chunk| {
            let mut packet = vec![id];
            packet.extend(u32::try_from(chunk.len()).map_err(io::Error::other)?.to_le_bytes());
            packet.extend(chunk);
            self.to_host.write_all(&packet)
        })
    }
}

pub(super) fn run(
    commands: &dyn Fn(&mut Process) -> io::Result<u8>,
    way: Way,
    command: &str,
    channel: Channel,
) {
    let Channel { from_host, to_host, is_closed, .. } = channel;
    let has_packets = way == Way::Packets;
    let args: Vec<String> = match way {
        Way::Args => command.split('\0').map(str::to_owned).collect(),
        _ => command.split_whitespace().map(str::to_owned).collect(),
    };
    let line = if way == Way::Args { args.join(" ") } else { command.to_owned() };
    let stdin: Box<dyn Read + Send> =
        if has_packets { Box::new(Stdin { from_host, left: 0, closed: false }) } else { from_host };
    let mut process = Process { line, args, stdin, to_host, is_closed, has_packets };
    if let Ok(exit) = commands(&mut process)
        && has_packets
    {
        // A host that is gone need not know.
        let _ = process.say(3, &[exit]);
    }
}

/// What is in the packets for the command's input.
struct Stdin {
    from_host: Box<dyn Read + Send>,
    left: usize,
    closed: bool,
}

impl Read for Stdin {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            if self.closed {
                return Ok(0);
            }
            let mut head = [0; 5];
            self.from_host.read_exact(&mut head)?;
            let [id, length @ ..] = head;
            let length = u32::from_le_bytes(length);
            match id {
                0 => self.left = length as usize,
                4 => self.closed = true,
                _ => drop(io::copy(&mut (&mut self.from_host).take(length.into()), &mut io::sink())?),
            }
        }
        let most = into.len().min(self.left);
        let count = self.from_host.read(&mut into[..most])?;
        self.left -= count;
        Ok(count)
    }
}
