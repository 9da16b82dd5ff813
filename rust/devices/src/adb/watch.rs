//! The list of devices, each time that it changes.

use std::time::Duration;

use super::error::{Error, ErrorKind};
use super::limit::Limit;
use super::listed::{self, Listed};
use super::server::Server;
use super::stream::Stream;
use super::wire::{length, shown};

/// Servers do not tell of every change (29.0.6 keeps quiet about a phone that has asked its owner), so they are asked.
const ASK: Duration = Duration::from_millis(500);

/// A list that is sent anew with every change.
#[derive(Debug)]
pub struct Watch {
    server: Server,
    stream: Stream,
    /// What came of the next list, so that a deadline in its middle loses nothing.
    begun: Vec<u8>,
    last: Option<Vec<Listed>>,
}

impl Watch {
    pub(super) fn new(server: Server, stream: Stream) -> Self {
        Self { server, stream, begun: Vec::new(), last: None }
    }

    /// Waits for a list that is not the one before; the first one comes at once. After a deadline it can be asked again.
    pub fn next(&mut self, limit: &Limit) -> Result<Vec<Listed>, Error> {
        loop {
            let list = match self.told(&limit.at_most(ASK)) {
                Err(error) if error.kind == ErrorKind::TimedOut && !limit.left().is_zero() => {
                    self.server.devices(limit)?
                }
                // In the words of the whole deadline.
                Err(error) if error.kind == ErrorKind::TimedOut => self.told(limit)?,
                other => other?,
            };
            if self.last.as_ref() != Some(&list) {
                self.last = Some(list.clone());
                return Ok(list);
            }
        }
    }

    /// What the server tells by itself.
    fn told(&mut self, limit: &Limit) -> Result<Vec<Listed>, Error> {
        self.stream.set_limit(limit);
        let mut part = [0; 4096];
        loop {
            if let Some(digits) = self.begun.first_chunk::<4>() {
                let length = length(digits).ok_or_else(|| self.stream.protocol(shown(digits)))?;
                if self.begun.len() >= 4 + length {
                    let list: Vec<u8> = self.begun.drain(..4 + length).skip(4).collect();
                    let list = listed::read(&String::from_utf8_lossy(&list));
                    return list.map_err(|line| self.stream.protocol(line));
                }
            }
            match self.stream.some(&mut part)? {
                0 => return Err(Error::lost(self.stream.about())),
                count => self.begun.extend_from_slice(&part[..count]),
            }
        }
    }
}
