//! The one server of a run, on this machine only: what tools call back, RPC, and MCP over HTTP.
//!
//! Invariant: nothing but programs of this machine gets in, and no page in a browser; the guard stands in front of
//! every router.

mod reader;
mod room;
#[cfg(test)]
mod slow_readers;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, Version};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use futures::{StreamExt, stream};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use trailblaze_mcp::callback;
use trailblaze_mcp::server::guard::guarded;
use trailblaze_rpc::MOST_BYTES;

use self::reader::Reader;
use self::room::Room;
use crate::exit_code::{Exit, Problem};
use crate::files;

/// The port that is tried first.
pub const PORT: u16 = 52525;
/// How long a request may take to arrive, and an answer to be read.
const SLOWEST: Duration = Duration::from_secs(30);
/// So many bytes the system keeps for each who has yet to read them.
const KEPT: u32 = 256 * 1024;
/// So many may come at the same moment.
const BACKLOG: u32 = 1024;
/// How long the last answers may take when the server ends.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Which port a server may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The usual one, another when it is taken.
    Any,
    /// This one, or none at all; 0 is one that is free.
    Exactly(u16),
}

/// A server that answers on its own thread until it is stopped or dropped.
#[derive(Debug)]
pub struct Loopback {
    port: u16,
    running: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl Loopback {
    /// Serves these routers, merged into one.
    pub fn start(router: Router, port: Port) -> Result<Self, Problem> {
        Self::start_within(SLOWEST, router, port)
    }

    /// With another time than the usual one for a request to arrive, and for an answer to be read.
    fn start_within(slowest: Duration, router: Router, port: Port) -> Result<Self, Problem> {
        let failed = |error: io::Error| {
            let message = format!("the server of this run could not be started: {}", files::why(&error));
            Problem::new(Exit::Toolset, message)
        };
        let runtime = Builder::new_current_thread().enable_io().enable_time().build().map_err(failed)?;
        let listener = runtime.block_on(listen(port)).map_err(|error| match port {
            Port::Exactly(port) if error.kind() == io::ErrorKind::AddrInUse => {
                Problem::new(Exit::Toolset, format!("the port {port} is taken"))
                    .hint("choose another with '--port N'; without it a free one is found")
            }
            _ => failed(error),
        })?;
        let port = listener.local_addr().map_err(failed)?.port();
        let (stop, stopped) = oneshot::channel();
        let router = guarded(router, port);
        let thread = std::thread::Builder::new()
            .name("loopback".to_owned())
            .spawn(move || serve(runtime, listener, router, slowest, stopped))
            .map_err(failed)?;
        Ok(Self { port, running: Mutex::new(Some((stop, thread))) })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// What tools are told as `baseUrl`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What toolset servers find in `TRAILBLAZE_CALLBACK_URL`.
    pub fn callback_url(&self) -> String {
        format!("{}{}", self.base_url(), callback::PATH)
    }

    /// Answers nobody any more, and drops what is still being answered.
    pub fn stop(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = running {
            // A thread that ended by itself needs not be told.
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn listen(port: Port) -> io::Result<TcpListener> {
    let at = |port: u16| {
        let socket = TcpSocket::new_v4()?;
        // On Windows it would mean that another program may listen there, too.
        socket.set_reuseaddr(cfg!(unix))?;
        // Connections have the same.
        socket.set_send_buffer_size(KEPT)?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        socket.listen(BACKLOG)
    };
    match port {
        Port::Exactly(port) => at(port),
        Port::Any => at(PORT).or_else(|_| at(0)),
    }
}

fn serve(
    runtime: Runtime,
    listener: TcpListener,
    router: Router,
    slowest: Duration,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async move {
        tokio::select! {
            // It ends only when it is stopped.
            () = let_in(Room::new(listener, slowest), router, slowest) => {}
            _ = stopped => {}
        }
    });
    runtime.shutdown_timeout(LAST_WORDS);
}

async fn let_in(mut room: Room, router: Router, slowest: Duration) {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(slowest);
    http.http2().timer(TokioTimer::new());
    let http = Arc::new(http);
    loop {
        let (guest, _) = room.accept().await;
        let (http, reader) = (http.clone(), Reader::default());
        let of_guest = reader.clone();
        let router = router.clone().layer(from_fn(move |request, next| {
            let reader = of_guest.clone();
            async move { whole(slowest, request, next).await.map(|body| reader.reads(body)) }
        }));
        tokio::spawn(async move {
            let service = TowerToHyperService::new(router);
            tokio::select! {
                // Whoever breaks off does not want to hear why.
                _ = http.serve_connection_with_upgrades(TokioIo::new(guest), service) => {}
                () = reader.lost(slowest) => {}
            }
        });
    }
}

/// A request has to arrive in time: one that never ends would keep its place from others. One of HTTP/1 is there as a
/// whole before it is answered. In HTTP/2 a refusal may come before.
async fn whole(slowest: Duration, request: Request, next: Next) -> Response {
    let is_new = request.version() > Version::HTTP_11;
    // There both sides speak at once, as long as they like.
    if is_new && request.uri().path().ends_with("/ServerReflectionInfo") {
        return next.run(request).await;
    }
    let late = || (StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive\n").into_response();
    let (head, body) = request.into_parts();
    if is_new {
        let (body, arrived) = watched(body);
        return tokio::select! {
            response = next.run(Request::from_parts(head, body)) => response,
            () = is_late(slowest, arrived) => late(),
        };
    }
    match tokio::time::timeout(slowest, gathered(body)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        Ok(Err(_)) => (StatusCode::BAD_REQUEST, "the request broke off\n").into_response(),
        Err(_) => late(),
    }
}

/// The same body, and who hears when it has ended or nobody wants more of it: the sender is dropped then.
fn watched(body: Body) -> (Body, oneshot::Receiver<()>) {
    let (arriving, arrived) = oneshot::channel();
    let pieces = stream::unfold((body.into_data_stream(), arriving), |(mut pieces, arriving)| async move {
        let piece = pieces.next().await?;
        Some((piece, (pieces, arriving)))
    });
    (Body::from_stream(pieces), arrived)
}

/// Ends only when the time is over before a body has arrived.
async fn is_late(slowest: Duration, arrived: oneshot::Receiver<()>) {
    if tokio::time::timeout(slowest, arrived).await.is_ok() {
        std::future::pending().await
    }
}

/// All of a body; of one that is too large so much that whoever reads it says so in his own way. The rest of that one is
/// read as well, and forgotten: a connection that is closed before would be reset, and nothing heard.
async fn gathered(body: Body) -> Result<Vec<u8>, axum::Error> {
    let (mut stream, mut bytes) = (body.into_data_stream(), Vec::new());
    while let Some(piece) = stream.next().await {
        let piece = piece?;
        if bytes.len() <= MOST_BYTES {
            bytes.extend(piece);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::Arc;

    use axum::body::Bytes;
    use trailblaze_mcp::client::calls::Calls;

    use super::*;

    fn answer(server: &Loopback, host: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}",
            callback::PATH
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        text
    }

    #[test]
    fn two_servers_get_ports_of_their_own_and_a_port_is_free_again() {
        let start = |port| Loopback::start(callback::router(Arc::new(Calls::default())), port);
        let (first, second) = (start(Port::Any).expect("starts"), start(Port::Any).expect("starts"));
        assert_ne!(first.port(), second.port());
        let taken = second.port();
        let problem = start(Port::Exactly(taken)).expect_err("it is taken");
        assert_eq!((problem.exit, problem.message), (Exit::Toolset, format!("the port {taken} is taken")));
        assert_eq!(second.callback_url(), format!("http://127.0.0.1:{taken}/scripting/callback"));
        drop(second);
        assert_eq!(start(Port::Exactly(taken)).expect("it is free").port(), taken);
    }

    #[test]
    fn a_request_that_does_not_arrive_gives_its_place_up() {
        let calls = callback::router(Arc::new(Calls::default()));
        let server = Loopback::start_within(Duration::from_millis(300), calls, Port::Any).expect("starts");
        let heard = |request: &str| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
            stream.write_all(request.as_bytes()).expect("it reads");
            let mut answer = String::new();
            // It is not waited for longer than the test may take.
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a time");
            stream.read_to_string(&mut answer).expect("it is closed");
            answer.lines().next().unwrap_or_default().to_owned()
        };
        // Whether that becomes HTTP/1 or HTTP/2 is not known yet.
        for beginning in ["", "P", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r"] {
            assert_eq!(heard(beginning), "");
        }
        let head = format!("POST {} HTTP/1.1\r\nHost: localhost:{}\r\n", callback::PATH, server.port());
        assert_eq!(heard(&head), "");
        let half = format!("{head}Content-Length: 20\r\n\r\n{{\"a\":");
        assert_eq!(heard(&half), "HTTP/1.1 408 Request Timeout");
    }

    /// The status of a request of HTTP/2 that does not end, if there is one within that time.
    fn unended(server: &Loopback, authority: &str, path: &str, within: Duration) -> Option<u16> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let socket = tokio::net::TcpStream::connect(("127.0.0.1", server.port())).await;
            let (mut client, connection) =
                h2::client::handshake(socket.expect("it listens")).await.expect("it speaks HTTP/2");
            let connection = tokio::spawn(async { drop(connection.await) });
            let request = Request::post(format!("http://{authority}{path}"));
            let request = request.header("content-type", "application/grpc").body(()).expect("a request");
            let (response, mut send) = client.send_request(request, false).expect("it takes requests");
            send.send_data(Bytes::from_static(&[0; 3]), false).expect("it takes data");
            let response = tokio::time::timeout(within, response).await;
            connection.abort();
            Some(response.ok()?.expect("it answers").status().as_u16())
        })
    }

    #[test]
    fn a_request_of_http_2_arrives_in_time_unless_it_is_a_talk() {
        let slowest = Duration::from_millis(300);
        let calls = callback::router(Arc::new(Calls::default()));
        let talk = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
        let listens = async |body: Body| drop(gathered(body).await);
        let router = calls.route(talk, axum::routing::post(listens));
        let server = Loopback::start_within(slowest, router, Port::Any).expect("starts");
        let own = format!("localhost:{}", server.port());
        assert_eq!(unended(&server, &own, callback::PATH, Duration::from_secs(20)), Some(408));
        assert_eq!(unended(&server, &own, talk, slowest * 4), None);
    }

    #[test]
    fn a_refusal_over_http_2_does_not_wait_for_the_end_of_its_request() {
        let calls = callback::router(Arc::new(Calls::default()));
        let server = Loopback::start(calls, Port::Any).expect("starts");
        let soon = SLOWEST / 2;
        assert_eq!(unended(&server, "evil.example", callback::PATH, soon), Some(403));
    }

    #[test]
    fn what_is_too_large_is_read_to_its_end_and_the_connection_goes_on() {
        let calls = callback::router(Arc::new(Calls::default()));
        let server = Loopback::start(calls, Port::Any).expect("starts");
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
        let host = format!("Host: localhost:{}\r\n", server.port());
        let large = vec![b'x'; 3 * MOST_BYTES];
        write!(stream, "POST {} HTTP/1.1\r\n{host}Content-Length: {}\r\n\r\n", callback::PATH, large.len())
            .expect("it reads");
        stream.write_all(&large).expect("it reads all of it");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("it answers");
        assert_eq!(String::from_utf8_lossy(&first), "HTTP/1.1 413");
        // What is left of the first answer comes before the second one.
        write!(stream, "GET / HTTP/1.1\r\n{host}Connection: close\r\n\r\n").expect("it reads");
        let mut rest = String::new();
        stream.read_to_string(&mut rest).expect("it answers");
        assert!(rest.contains("HTTP/1.1 404"), "{rest}");
    }

    #[test]
    fn the_guard_stands_in_front_of_everything() {
        let server =
            Loopback::start(callback::router(Arc::new(Calls::default())), Port::Any).expect("starts");
        let own = format!("localhost:{}", server.port());
        assert!(answer(&server, &own).starts_with("HTTP/1.1 200"));
        assert!(answer(&server, "evil.example").starts_with("HTTP/1.1 403"));
    }
}
