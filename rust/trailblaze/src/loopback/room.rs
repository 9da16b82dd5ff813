//! So many connections at once and no more: who comes later is told so, and everybody else goes on.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;
use trailblaze_rpc::Refusal;

use super::reader::LEAST;

/// The most that are of use on one machine.
const MOST: usize = 1024;
/// After so many bytes it is known which HTTP is spoken, and its own times hold.
const FIRST: usize = 24;
/// How long one who is turned away may take to hear it.
const GOODBYE: Duration = Duration::from_secs(1);
/// How long to wait when the system gives no connection.
const PAUSE: Duration = Duration::from_millis(100);

/// What one who is turned away is told.
fn full() -> Vec<u8> {
    let body = Refusal::NoPlace.into_body();
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n\
                Connection: close\r\n";
    [format!("{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes(), body].concat()
}

/// A listener that lets in as many as there is room for.
pub(super) struct Room {
    listener: TcpListener,
    places: Arc<Semaphore>,
    /// For those who are turned away, and may take their time to hear it.
    farewells: Arc<Semaphore>,
    full: Arc<[u8]>,
    /// How long a guest may take to begin, and to read what there is for him.
    slowest: Duration,
}

impl Room {
    /// A quarter of the files that this process may have open is for connections; toolset servers need some, too.
    pub(super) fn new(listener: TcpListener, slowest: Duration) -> Self {
        let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
        let places = (files / 4).clamp(8, MOST);
        let semaphore = |places| Arc::new(Semaphore::new(places));
        let (places, farewells) = (semaphore(places), semaphore(places / 4));
        Self { listener, places, farewells, full: full().into(), slowest }
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
                Ok(place) => {
                    let slowest = self.slowest;
                    let first = Some((Box::pin(tokio::time::sleep(slowest)), FIRST));
                    return (Guest { stream, slowest, first, behind: None, _place: place }, from);
                }
                Err(_) => {
                    let farewell = self.farewells.clone().try_acquire_owned().ok();
                    tokio::spawn(tokio::time::timeout(
                        GOODBYE,
                        turn_away(stream, self.full.clone(), farewell),
                    ));
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
async fn turn_away(mut stream: TcpStream, full: Arc<[u8]>, farewell: Option<OwnedSemaphorePermit>) {
    let _ = stream.write_all(&full).await;
    let _ = stream.shutdown().await;
    let mut rest = [0; 4096];
    while farewell.is_some() && matches!(stream.read(&mut rest).await, Ok(1..)) {}
}

/// A connection that has a place until it is over. It is over when nobody says anything at first, or reads what is written.
pub(super) struct Guest {
    stream: TcpStream,
    slowest: Duration,
    /// Until the first bytes are there: until when, and how many are missing.
    first: Option<(Pin<Box<Sleep>>, usize)>,
    /// While something waits to be written: until when, and how much of it at least.
    behind: Option<(Pin<Box<Sleep>>, usize)>,
    _place: OwnedSemaphorePermit,
}

impl Guest {
    fn wrote(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let term = || Box::pin(tokio::time::sleep(self.slowest));
        match (&written, &mut self.behind) {
            (Poll::Pending, behind) => {
                let (term, _) = behind.get_or_insert_with(|| (term(), LEAST));
                ready!(term.as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            (Poll::Ready(Ok(bytes)), Some((_, left))) if bytes < left => {
                *left -= bytes;
                written
            }
            (Poll::Ready(Ok(_)), behind @ Some(_)) => {
                *behind = Some((term(), LEAST));
                written
            }
            _ => written,
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if self.behind.is_some() {
            // What nobody read so far goes at once; the system would keep it, and the connection.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, into);
        let came = into.filled().len() - before;
        match (&read, &mut self.first) {
            (Poll::Pending, Some((term, _))) => {
                ready!(term.as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            (Poll::Ready(_), Some((_, missing))) if came < *missing => {
                *missing -= came;
                read
            }
            (Poll::Ready(_), first) => {
                *first = None;
                read
            }
            _ => read,
        }
    }
}

impl AsyncWrite for Guest {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(context, written)
    }

    /// Comes when there is nothing left to write.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.behind = None;
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
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.wrote(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::time::Instant;

    use super::*;

    const SLOWEST: Duration = Duration::from_millis(200);

    /// A guest and the one who came.
    async fn guest(slowest: Duration) -> (Guest, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let mut room = Room::new(listener, slowest);
        let at = room.local_addr().expect("a port");
        let (came, (guest, _)) = tokio::join!(TcpStream::connect(at), room.accept());
        (guest, came.expect("it listens"))
    }

    fn on_a_runtime(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }

    /// Writes until that ends, and says why.
    async fn writes(guest: &mut Guest) -> ErrorKind {
        loop {
            if let Err(error) = guest.write(&[7; 64 * 1024]).await {
                return error.kind();
            }
        }
    }

    #[test]
    fn a_guest_who_reads_nothing_is_let_go_with_all_that_was_for_him() {
        on_a_runtime(async {
            let (mut guest, mut came) = guest(SLOWEST).await;
            assert_eq!(writes(&mut guest).await, ErrorKind::TimedOut);
            drop(guest);
            let mut rest = Vec::new();
            let end = came.read_to_end(&mut rest).await.map_err(|error| error.kind());
            assert_eq!(end, Err(ErrorKind::ConnectionReset));
        });
    }

    #[test]
    fn a_guest_who_reads_too_little_is_let_go() {
        on_a_runtime(async {
            let (mut guest, mut came) = guest(SLOWEST).await;
            let mut little = vec![0; LEAST / 2];
            let (end, read) = tokio::join!(writes(&mut guest), came.read_exact(&mut little));
            assert_eq!(end, ErrorKind::TimedOut);
            read.expect("it was there");
        });
    }

    #[test]
    fn a_guest_who_keeps_up_stays() {
        on_a_runtime(async {
            let slowest = Duration::from_secs(1);
            let (mut guest, mut came) = guest(slowest).await;
            // He is behind all the time.
            let until = Instant::now() + slowest * 2;
            let writes = async {
                while Instant::now() < until {
                    guest.write_all(&[7; 64 * 1024]).await.expect("it is read");
                }
                guest.shutdown().await.expect("it ends");
            };
            let reads = async {
                let (mut piece, mut all) = (vec![0; 64 * 1024], 0);
                while let Ok(read @ 1..) = came.read(&mut piece).await {
                    all += read;
                }
                all
            };
            let ((), all) = tokio::join!(writes, reads);
            assert!(all > LEAST, "{all}");
        });
    }

    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let full = String::from_utf8(full()).expect("a text");
        let (head, body) = full.split_once("\r\n\r\n").expect("it has a body");
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{head}");
        assert!(
            body.contains("too many connections are open") && body.contains("trailblaze.v1.Failure"),
            "{body}"
        );
    }
}
