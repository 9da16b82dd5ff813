//! What carries messages between laptop and phone.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use super::codec;

/// Bytes in both directions. One thread reads while others write.
pub trait Wire: Send + Sync {
    /// None at the end.
    fn read(&self, into: &mut [u8]) -> io::Result<usize>;
    /// All of them.
    fn write(&self, bytes: &[u8]) -> io::Result<()>;
    /// Ends it for both sides; whoever reads sees the end.
    fn close(&self);
}

impl Wire for UnixStream {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        Read::read(&mut &*self, into)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(&mut &*self, bytes)
    }

    fn close(&self) {
        // One that is closed already is closed.
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// Messages that arrive.
pub(super) struct Incoming(io::BufReader<Reading>);

struct Reading(Arc<dyn Wire>);

impl Read for Reading {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Incoming {
    pub(super) fn new(wire: Arc<dyn Wire>) -> Self {
        Self(io::BufReader::new(Reading(wire)))
    }

    /// None at the end, or when there is nothing to be had any more.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        codec::receive(&mut self.0).ok().flatten()
    }
}

/// Messages that leave, each in one piece.
pub(super) struct Outgoing {
    wire: Arc<dyn Wire>,
    turn: Mutex<()>,
}

impl Outgoing {
    pub(super) fn new(wire: Arc<dyn Wire>) -> Self {
        Self { wire, turn: Mutex::default() }
    }

    pub(super) fn send(&self, message: &[u8]) -> io::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.wire.write(&codec::frame(message))
    }

    pub(super) fn close(&self) {
        self.wire.close();
    }
}
