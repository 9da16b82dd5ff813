//! A connection to adb's server, and through it to a service of a phone. Nothing here blocks for longer than a slice.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::address::Address;
use super::error::Error;
use super::limit::Limit;

/// So long it may take until somebody picks up.
const CONNECT: Duration = Duration::from_secs(5);

/// Bytes to and from a service. Reads and writes wait until the deadline that was set last; one that passes leaves the
/// connection open, an interrupt closes it.
#[derive(Debug)]
pub struct Stream {
    socket: TcpStream,
    limit: Limit,
    about: Arc<str>,
}

impl Stream {
    /// The error is that of the socket: what it means depends on whether the server can be started.
    pub(super) fn connect(address: &Address, about: Arc<str>, limit: &Limit) -> io::Result<Self> {
        let mut trouble = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for at in address.resolve()? {
            match TcpStream::connect_timeout(&at, limit.left().min(CONNECT).max(Duration::from_millis(1))) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    socket.set_nonblocking(true)?;
                    return Ok(Self { socket, limit: limit.clone(), about });
                }
                Err(error) => trouble = error,
            }
        }
        Err(trouble)
    }

    /// From now on calls end by this deadline.
    pub fn set_limit(&mut self, limit: &Limit) {
        self.limit = limit.clone();
    }

    /// Another handle of the same connection, with a deadline of its own: one thread may read while another writes.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let socket = self.socket.try_clone().map_err(|error| Error::socket(&self.about, &error))?;
        Ok(Self { socket, limit: self.limit.clone(), about: self.about.clone() })
    }

    /// Ends the connection for all its handles.
    pub fn close(&self) {
        // One that is closed already is closed.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    pub(super) fn about(&self) -> &str {
        &self.about
    }

    pub(super) fn protocol(&self, what: impl std::fmt::Display) -> Error {
        Error::protocol(&self.about, what)
    }

    /// Waits for one of these, at most until the deadline.
    fn wait(&self, flags: PollFlags) -> Result<PollFlags, Error> {
        loop {
            let slice = self.slice()?;
            let slice = Timespec { tv_sec: 0, tv_nsec: i64::from(slice.subsec_nanos()) };
            let mut fds = [PollFd::new(&self.socket, flags)];
            if matches!(poll(&mut fds, Some(&slice)), Ok(1..)) {
                return Ok(fds[0].revents());
            }
        }
    }

    fn slice(&self) -> Result<Duration, Error> {
        self.limit.slice().map_err(|over| {
            if over == super::limit::Over::Cancelled {
                self.close();
            }
            Error::over(&self.about, over, &self.limit)
        })
    }

    /// Reads what there is, waiting for at least one byte. None at the end.
    pub(super) fn some(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        self.slice()?;
        loop {
            match self.socket.read(into) {
                Ok(count) => {
                    acknowledge(&self.socket);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::IN)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::socket(&self.about, &error)),
            }
        }
    }

    /// Fills all of it; an end before that is a lost connection.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> Result<(), Error> {
        let mut filled = 0;
        while filled < into.len() {
            match self.some(&mut into[filled..])? {
                0 => return Err(Error::lost(&self.about)),
                count => filled += count,
            }
        }
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn write_some(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.slice()?;
        loop {
            match self.socket.write(bytes) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(PollFlags::OUT)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::socket(&self.about, &error)),
            }
        }
    }

    pub(super) fn send(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let count = self.write_some(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    /// Sends, unless the other side says something: whoever speaks while it should listen has given up.
    pub(super) fn send_unless_answered(&mut self, mut bytes: &[u8]) -> Result<Sent, Error> {
        while !bytes.is_empty() {
            if self.wait(PollFlags::IN | PollFlags::OUT)?.contains(PollFlags::IN) {
                return Ok(Sent::Answered);
            }
            match self.socket.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error)
                    if [io::ErrorKind::WouldBlock, io::ErrorKind::Interrupted].contains(&error.kind()) => {}
                Err(error) => return Err(Error::socket(&self.about, &error)),
            }
        }
        Ok(Sent::All)
    }
}

/// adb's server does not switch Nagle's algorithm off for its clients: the second half of an answer waits until the first
/// is acknowledged, which Linux puts off for 40 ms unless it is told not to.
#[cfg(target_os = "linux")]
fn acknowledge(socket: &TcpStream) {
    // Without it everything is slower, not wrong.
    let _ = rustix::net::sockopt::set_tcp_quickack(socket, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge(_socket: &TcpStream) {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    All,
    /// There is something to read, which may be an end.
    Answered,
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(self.some(into)?)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.write_some(bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
