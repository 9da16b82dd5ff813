//! Clients that ask for large answers and do not read them, against the whole server with a device that is made up.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::Request;
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Map, Value, json};
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use trailblaze_rpc::client::Client;
use trailblaze_rpc::{Backend, Call, Device, Options, Refusal};

use super::{Loopback, Port};

/// More than the system keeps for a connection by itself.
const LARGE: usize = 6 << 20;
const SLOWEST: Duration = Duration::from_secs(2);
/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(60);
const LIST: &str = "trailblaze.v1.TrailblazeCommands/ListMemory";
const SHOT: &str = "trailblaze.v1.TrailblazeCommands/TakeScreenshot";

/// Has large things to show, and small ones.
struct Large;

impl Backend for Large {
    fn run(&self, _call: &Call, _tool: &str, _args: Map<String, Value>) -> Result<Value, Refusal> {
        Ok(json!({ "success": true, "structuredContent": { "value": true } }))
    }

    fn screenshot(&self, _call: &Call) -> Result<Vec<u8>, Refusal> {
        Ok(vec![7; LARGE])
    }

    fn memory(&self, _call: &Call) -> Result<BTreeMap<String, String>, Refusal> {
        Ok(BTreeMap::from([("large".to_owned(), "x".repeat(LARGE))]))
    }

    fn remember(&self, _call: &Call, _name: &str, _text: &str) -> Result<(), Refusal> {
        Ok(())
    }

    fn devices(&self, _call: &Call) -> Result<Vec<Device>, Refusal> {
        Ok(Vec::new())
    }

    fn registry(&self, _call: &Call) -> Result<Value, Refusal> {
        Ok(json!({}))
    }
}

/// With room for so many large answers.
fn server(slowest: Duration, answers: usize) -> Loopback {
    let options = Options { most_waiting: answers * (LARGE + (1 << 20)), ..Options::default() };
    Loopback::start_within(slowest, trailblaze_rpc::router(Arc::new(Large), options), Port::Any)
        .expect("starts")
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// A connection on which little arrives before it is read.
async fn narrow(server: &Loopback) -> tokio::net::TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a size");
    socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, server.port()))).await.expect("it listens")
}

/// Asks for all that the session remembers, and reads only that the answer begins.
fn asks(server: &Loopback) -> TcpStream {
    let stream = runtime().block_on(async { narrow(server).await.into_std() }).expect("a stream");
    stream.set_nonblocking(false).expect("it may wait");
    stream.set_read_timeout(Some(LONG)).expect("a time");
    let mut stream = stream;
    let head = format!("POST /{LIST} HTTP/1.1\r\nHost: localhost:{}\r\n", server.port());
    write!(stream, "{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}")
        .expect("it reads");
    let mut first = [0; 15];
    stream.read_exact(&mut first).expect("it answers");
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    stream
}

/// Waits until the other side has closed a connection of which nothing was read meanwhile.
fn is_let_go(stream: &TcpStream) -> bool {
    // Nothing is asked for: the end is always told.
    let mut ends = [PollFd::new(stream, PollFlags::empty())];
    let limit = LONG.try_into().expect("a short time");
    poll(&mut ends, Some(&limit)).expect("it can be asked") > 0
}

fn is_quick(server: &Loopback) {
    let client = Client::new(&server.base_url()).timeout(Duration::from_secs(10));
    for _ in 0..20 {
        let seen = client.call("TrailblazeCommands/IsVisible", json!({ "text": "a" }));
        assert_eq!(seen, Ok(json!({ "value": true })));
    }
}

fn listed(server: &Loopback) -> Result<usize, String> {
    let listed = Client::new(&server.base_url()).call("TrailblazeCommands/ListMemory", json!({}));
    let listed = listed.map_err(|error| format!("{}: {}", error.code, error.message))?;
    Ok(listed["entries"]["large"].as_str().map(str::len).unwrap_or_default())
}

#[test]
fn who_does_not_read_is_let_go_and_the_others_are_answered_meanwhile() {
    let server = server(SLOWEST, 16);
    let slow: Vec<TcpStream> = (0..8).map(|_| asks(&server)).collect();
    is_quick(&server);
    assert_eq!(listed(&server), Ok(LARGE));
    for mut stream in slow {
        assert!(is_let_go(&stream));
        let mut rest = Vec::new();
        let end = stream.read_to_end(&mut rest).map_err(|error| error.kind());
        assert_eq!(end, Err(io::ErrorKind::ConnectionReset));
        assert!(rest.len() < LARGE, "{}", rest.len());
    }
    is_quick(&server);
}

#[test]
fn answers_that_nobody_reads_have_a_limit_and_go_with_their_readers() {
    let server = server(SLOWEST, 2);
    let slow = [asks(&server), asks(&server)];
    let refused = "resource_exhausted: too many large answers wait to be read";
    // Unless the others were let go already, on a machine that has a lot to do.
    let third = listed(&server);
    assert!(third == Err(refused.to_owned()) || slow.iter().any(is_let_go), "{third:?}");
    is_quick(&server);
    assert!(slow.iter().all(is_let_go));
    // What they left is given back when their connections are cleared away.
    let until = Instant::now() + LONG;
    while listed(&server) != Ok(LARGE) {
        assert!(Instant::now() < until, "{:?}", listed(&server));
    }
    assert_eq!([listed(&server), listed(&server)], [Ok(LARGE), Ok(LARGE)]);
}

#[test]
fn who_reads_slowly_is_not_let_go() {
    let slowest = Duration::from_secs(3);
    let server = server(slowest, 16);
    let mut stream = asks(&server);
    let began = Instant::now();
    let (mut piece, mut all) = (vec![0; 768 << 10], 0);
    while all < LARGE {
        // Little by little, and longer in all than one may wait.
        let next = Instant::now() + slowest / 5;
        while Instant::now() < next {
            is_quick(&server);
        }
        let wanted = piece.len().min(LARGE - all);
        stream.read_exact(&mut piece[..wanted]).expect("it goes on");
        all += wanted;
    }
    assert!(began.elapsed() > slowest, "{:?}", began.elapsed());
}

/// A client of gRPC that has asked for a picture, and takes none of it.
async fn asks_for_a_picture(server: &Loopback) -> (h2::RecvStream, JoinHandle<()>) {
    let socket = narrow(server).await;
    let (mut client, connection) = h2::client::handshake(socket).await.expect("it speaks HTTP/2");
    let connection = tokio::spawn(async { drop(connection.await) });
    let request = Request::post(format!("{}/{SHOT}", server.base_url()));
    let request = request.header("content-type", "application/grpc+proto").body(()).expect("a request");
    let (response, mut send) = client.send_request(request, false).expect("it takes requests");
    send.send_data(Bytes::from_static(&[0; 5]), true).expect("it takes data");
    let mut answer = response.await.expect("it answers").into_body();
    answer.data().await.expect("it begins").expect("it has data");
    (answer, connection)
}

#[test]
fn who_empties_the_socket_and_takes_no_answer_is_let_go() {
    let server = server(SLOWEST, 16);
    let runtime = runtime();
    let slow: Vec<_> = runtime
        .block_on(async { futures::future::join_all((0..4).map(|_| asks_for_a_picture(&server))).await });
    is_quick(&server);
    runtime.block_on(async {
        for (mut answer, connection) in slow {
            tokio::time::timeout(LONG, connection).await.expect("it is let go").expect("no panic");
            // What had arrived is there, and then the end.
            let mut all = 0;
            while let Some(Ok(data)) = answer.data().await {
                all += data.len();
            }
            assert!(all < LARGE, "{all}");
        }
    });
    is_quick(&server);
}

#[test]
fn a_stream_that_has_nothing_to_say_is_kept() {
    let server = server(SLOWEST, 16);
    runtime().block_on(async {
        let (mut client, connection) = h2::client::handshake(narrow(&server).await).await.expect("HTTP/2");
        let connection = tokio::spawn(async { drop(connection.await) });
        let request = Request::post(format!("{}/grpc.health.v1.Health/Watch", server.base_url()));
        let request = request.header("content-type", "application/grpc+proto").body(()).expect("a request");
        let (response, mut send) = client.send_request(request, false).expect("it takes requests");
        send.send_data(Bytes::from_static(&[0; 5]), true).expect("it takes data");
        let mut answer = response.await.expect("it answers").into_body();
        answer.data().await.expect("it begins").expect("it has data");
        // Longer than an answer may wait to be read.
        let more = tokio::time::timeout(SLOWEST * 3, answer.data()).await;
        assert!(more.is_err() && !connection.is_finished());
    });
}
