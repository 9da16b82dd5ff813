//! Requests as other programs send them: HTTP/1.1 by hand, and gRPC over HTTP/2.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Request};
use connectrpc::CodecFormat;
use h2::client::SendRequest;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use trailblaze_rpc::contract;
use ureq::Agent;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| String::from_utf8_lossy(&self.body).into())
    }

    /// `400 invalid_argument`
    pub(crate) fn code(&self) -> String {
        format!("{} {}", self.status, self.json()["code"].as_str().unwrap_or("-"))
    }
}

pub(crate) fn post(port: u16, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = agent.post(format!("http://127.0.0.1:{port}/{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.send(body).expect("the server answers");
    let content_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let status = response.status().as_u16();
    Answer { status, content_type, body: response.body_mut().read_to_vec().expect("a body") }
}

pub(crate) fn post_json(port: u16, method: &str, body: &str) -> Answer {
    let path = format!("trailblaze.v1.{method}");
    post(port, &path, &[("Content-Type", "application/json")], body.as_bytes())
}

/// The binary form of a request or a response.
pub(crate) fn binary(message: &str, value: &Value) -> Vec<u8> {
    let index = contract::get().pool().message_index(message).expect("it is in the contract");
    contract::get().write(index, value, CodecFormat::Proto).expect("it fits")
}

pub(crate) fn unbinary(message: &str, bytes: &[u8]) -> Value {
    let index = contract::get().pool().message_index(message).expect("it is in the contract");
    let limits = buffa::DecodeOptions::new();
    contract::get().read(index, bytes, CodecFormat::Proto, &limits).expect("it fits")
}

/// A message in a frame, as gRPC and streams of Connect have it.
pub(crate) fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a small message");
    [&[0], &length.to_be_bytes()[..], message].concat()
}

/// The frames of a body, each with its flags.
pub(crate) fn frames(mut body: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while let Some((&[flags, length @ ..], rest)) = body.split_first_chunk::<5>() {
        let (message, rest) = rest.split_at(u32::from_be_bytes(length) as usize);
        frames.push((flags, message.to_vec()));
        body = rest;
    }
    frames
}

/// What gRPC says at the end, with the messages before it.
pub(crate) struct GrpcAnswer {
    pub(crate) messages: Vec<Vec<u8>>,
    pub(crate) end: HeaderMap,
}

impl GrpcAnswer {
    /// `3 the message`
    pub(crate) fn status(&self) -> String {
        let text = |name| self.end.get(name).and_then(|value| value.to_str().ok()).unwrap_or("-");
        format!("{} {}", text("grpc-status"), text("grpc-message").replace("%20", " "))
    }
}

/// A connection over HTTP/2 without TLS, from the first byte on, as gRPC does it.
pub(crate) struct Grpc {
    port: u16,
    runtime: Runtime,
    client: SendRequest<Bytes>,
    connection: JoinHandle<()>,
}

impl Grpc {
    pub(crate) fn connect(port: u16) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (client, connection) = runtime.block_on(async {
            let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let socket = TcpStream::connect(at).await.expect("it listens");
            let (client, connection) = h2::client::handshake(socket).await.expect("it speaks HTTP/2");
            (client, tokio::spawn(async { drop(connection.await) }))
        });
        Self { port, runtime, client, connection }
    }

    /// The status of a call whose request does not end, if there is one within that time.
    pub(crate) fn unended(&mut self, path: &str, within: Duration) -> Option<String> {
        let request = Request::post(format!("http://127.0.0.1:{}/{path}", self.port));
        let request = request.header("content-type", "application/grpc+proto").body(()).expect("a request");
        self.runtime.block_on(async {
            // The other side of the request is kept, and sends nothing.
            let (response, _send) = self.client.send_request(request, false).expect("it takes requests");
            let response = tokio::time::timeout(within, response).await.ok()?.expect("it answers");
            response.headers().get("grpc-status")?.to_str().ok().map(str::to_owned)
        })
    }

    /// One call. Headers that are said here take the place of the usual ones.
    pub(crate) fn call(&mut self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> GrpcAnswer {
        let mut request = Request::post(format!("http://127.0.0.1:{}/{path}", self.port));
        for (name, value) in [("content-type", "application/grpc+proto"), ("te", "trailers")] {
            if !headers.iter().any(|(given, _)| *given == name) {
                request = request.header(name, value);
            }
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        self.runtime.block_on(async {
            let (response, mut send) = self.client.send_request(request, false).expect("it takes requests");
            send.send_data(Bytes::from(body), true).expect("it takes data");
            let response = response.await.expect("it answers");
            let headers = response.headers().clone();
            let mut body = response.into_body();
            let mut bytes = Vec::new();
            while let Some(data) = body.data().await {
                let data = data.expect("it sends data");
                let _ = body.flow_control().release_capacity(data.len());
                bytes.extend_from_slice(&data);
            }
            let trailers = body.trailers().await.expect("it ends");
            let messages = frames(&bytes).into_iter().map(|(_, message)| message).collect();
            GrpcAnswer { messages, end: trailers.unwrap_or(headers) }
        })
    }
}

impl Drop for Grpc {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

/// One call over a connection of its own.
pub(crate) fn grpc(port: u16, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> GrpcAnswer {
    Grpc::connect(port).call(path, headers, body)
}
