//! One opened service: bytes from the host, and bytes to it.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

/// Both directions of a service. It is closed once both are dropped.
pub struct Channel {
    pub from_host: Box<dyn Read + Send>,
    pub to_host: Box<dyn Write + Send>,
    /// Closes both at once.
    pub close: Box<dyn FnOnce() + Send>,
    /// Whether the host has closed it, where that can be known without reading.
    pub is_closed: Box<dyn Fn() -> bool + Send>,
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").finish_non_exhaustive()
    }
}

impl TryFrom<TcpStream> for Channel {
    type Error = io::Error;

    fn try_from(socket: TcpStream) -> io::Result<Self> {
        let other = socket.try_clone()?;
        // One that is closed already is closed.
        let close = Box::new(move || drop(other.shutdown(Shutdown::Both)));
        let from_host = Box::new(socket.try_clone()?);
        Ok(Self { from_host, to_host: Box::new(socket), close, is_closed: Box::new(|| false) })
    }
}
