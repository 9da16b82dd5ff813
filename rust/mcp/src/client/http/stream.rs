//! A connection to a server, plain or with TLS. Nothing here blocks but the connecting, which has a limit.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::client::waker::{Waker, wait};

/// Trusts the authorities that everybody trusts, and these.
pub(super) fn config(authorities: &[CertificateDer<'static>]) -> Arc<ClientConfig> {
    let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    // One that cannot be understood vouches for nobody.
    roots.add_parsable_certificates(authorities.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider knows the usual versions");
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

#[derive(Debug)]
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    pub(super) fn connect(
        host: &str,
        tls: Option<&Arc<ClientConfig>>,
        at: &[SocketAddr],
        until: Instant,
    ) -> io::Result<Self> {
        let mut error = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for socket in at {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            match TcpStream::connect_timeout(socket, left) {
                Ok(stream) => return Self::new(host, tls, stream),
                Err(other) => error = other,
            }
        }
        Err(error)
    }

    fn new(host: &str, tls: Option<&Arc<ClientConfig>>, stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let Some(tls) = tls else { return Ok(Self::Plain(stream)) };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(tls.clone(), name).map_err(io::Error::other)?;
        Ok(Self::Tls(Box::new(StreamOwned::new(connection, stream))))
    }

    /// What there is to wait for, besides something to read.
    fn wants(&self) -> PollFlags {
        match self {
            Self::Tls(stream) if stream.conn.wants_write() => PollFlags::IN | PollFlags::OUT,
            _ => PollFlags::IN,
        }
    }

    /// Waits until a read may succeed, or somebody wakes it.
    pub(super) fn wait_to_read(&self, until: Instant, waker: Option<&Waker>) {
        let socket = PollFd::new(self, self.wants());
        match waker {
            Some(waker) => wait(&mut [socket, PollFd::new(waker, PollFlags::IN)], until),
            None => wait(&mut [socket], until),
        };
    }

    /// Waits until there is room to write. False where there is an answer already.
    pub(super) fn wait_to_write(&self, until: Instant) -> bool {
        let flags = match self {
            Self::Plain(_) => PollFlags::IN | PollFlags::OUT,
            Self::Tls(stream) if stream.conn.is_handshaking() => self.wants(),
            // What can be read there need not be an answer.
            Self::Tls(_) => PollFlags::OUT,
        };
        let mut fds = [PollFd::new(self, flags)];
        wait(&mut fds, until);
        matches!(self, Self::Tls(_)) || !fds[0].revents().contains(PollFlags::IN)
    }

    pub(super) fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into),
            Self::Tls(stream) => stream.read(into),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(stream) => stream.as_fd(),
            Self::Tls(stream) => stream.sock.as_fd(),
        }
    }
}
