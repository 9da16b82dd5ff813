//! So many connections at once and no more: who comes later is told so, and everybody else goes on.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most that are of use on one machine.
const MOST: usize = 1024;
/// How long one who is turned away may take to hear it.
const GOODBYE: Duration = Duration::from_secs(1);
/// How long to wait when the system gives no connection.
const PAUSE: Duration = Duration::from_millis(100);

const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n\
    Connection: close\r\nContent-Length: 72\r\n\r\n\
    {\"code\":\"resource_exhausted\",\"message\":\"too many connections are open\"}\n";

/// A listener that lets in as many as there is room for.
pub(super) struct Room {
    listener: TcpListener,
    places: Arc<Semaphore>,
    /// For those who are turned away, and may take their time to hear it.
    farewells: Arc<Semaphore>,
}

impl Room {
    /// A quarter of the files that this process may have open is for connections; toolset servers need some, too.
    pub(super) fn new(listener: TcpListener) -> Self {
        let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
        let places = (files / 4).clamp(8, MOST);
        let semaphore = |places| Arc::new(Semaphore::new(places));
        Self { listener, places: semaphore(places), farewells: semaphore(places / 4) }
    }
}

impl Listener for Room {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        loop {
            let Ok((stream, from)) = self.listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            // Answers are small, and somebody waits for each of them.
            let _ = stream.set_nodelay(true);
            match self.places.clone().try_acquire_owned() {
                Ok(place) => return (Guest { stream, _place: place }, from),
                Err(_) => {
                    let farewell = self.farewells.clone().try_acquire_owned().ok();
                    tokio::spawn(tokio::time::timeout(GOODBYE, turn_away(stream, farewell)));
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Says why. What is still being sent is read, as long as there is room for that: a connection that is closed before would be
/// reset, and nothing heard.
async fn turn_away(mut stream: TcpStream, farewell: Option<OwnedSemaphorePermit>) {
    let _ = stream.write_all(FULL.as_bytes()).await;
    let _ = stream.shutdown().await;
    let mut rest = [0; 4096];
    while farewell.is_some() && matches!(stream.read(&mut rest).await, Ok(1..)) {}
}

/// A connection that has a place until it is over.
pub(super) struct Guest {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
}

impl AsyncRead for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Guest {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::FULL;

    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let (head, body) = FULL.split_once("\r\n\r\n").expect("it has a body");
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{}", body.len());
    }
}
