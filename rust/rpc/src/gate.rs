//! What stands in front of every call: who may ask, for what, and in which words.
//!
//! Invariant: no refusal without its reason. Whoever refuses, this gate, a call or the library that reads requests, the
//! caller hears it in his own protocol, with a `trailblaze.v1.Failure` as its detail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;
use connectrpc::{ConnectError, ErrorCode, Protocol};
use futures::StreamExt;
use serde_json::Value;

use crate::contract;
use crate::refusal::Refusal;
use crate::server::{MOST_BYTES, Token};

/// The longest refusal that is read.
const MOST_WORDS: usize = 64 * 1024;
/// How long the rest of a request may take that is refused before it was read.
const REST: Duration = Duration::from_secs(5);
/// What may be sent, for whoever sends something else.
const ACCEPTED: &str = "application/json, application/proto, application/connect+json, application/connect+proto, \
                        application/grpc, application/grpc+json, application/grpc+proto, application/grpc-web, \
                        application/grpc-web+json, application/grpc-web+proto";

/// Set by a call that gave its own answer, or its own reason for having none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answered(Arc<AtomicBool>);

impl Answered {
    pub(crate) fn by<T>(self, result: Result<T, ConnectError>) -> Result<T, ConnectError> {
        let has_reason = result.as_ref().err().is_none_or(|error| !error.details.is_empty());
        self.0.store(has_reason, Ordering::Relaxed);
        result
    }
}

pub(crate) async fn pass(State(token): State<Option<Token>>, mut request: Request, next: Next) -> Response {
    let language = language(request.headers());
    if let Err(refusal) = check(token.as_ref(), &request) {
        // In HTTP/2 an answer may come before the end of its request.
        if request.version() < Version::HTTP_2 {
            rest_of(request.into_body()).await;
        }
        return refusal_in(&language, refusal.into());
    }
    let answered = Answered::default();
    request.extensions_mut().insert(answered.clone());
    let response = next.run(request).await;
    if answered.0.load(Ordering::Relaxed) { response } else { with_reason(&language, response).await }
}

/// For whoever asks for what has not even the shape of a method.
pub(crate) async fn no_method(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    refusal_in(&language(request.headers()), Refusal::UnknownMethod(path).into())
}

fn check(token: Option<&Token>, request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    if token.is_some_and(|token| !token.is_in(headers)) {
        return Err(Refusal::Unauthenticated);
    }
    let path = request.uri().path().trim_start_matches('/');
    if contract::get().method(path).is_none() {
        return Err(Refusal::UnknownMethod(path.to_owned()));
    }
    if request.method() != Method::POST {
        return Err(Refusal::WrongVerb(request.method().to_string()));
    }
    let Some(spoken) = Protocol::detect(headers) else {
        let given = headers.get(CONTENT_TYPE).map(|given| String::from_utf8_lossy(given.as_bytes()));
        return Err(Refusal::UnknownType(given.unwrap_or_default().into_owned()));
    };
    let name = spoken.protocol.timeout_header();
    match headers.get(name) {
        Some(given) if !is_time(given.as_bytes(), spoken.protocol) => {
            let given = String::from_utf8_lossy(given.as_bytes()).into_owned();
            Err(Refusal::BadTimeout { name, given, in_units: spoken.protocol != Protocol::Connect })
        }
        _ => Ok(()),
    }
}

/// Connect has up to ten digits, which are milliseconds; gRPC has up to eight, and a unit.
fn is_time(given: &[u8], protocol: Protocol) -> bool {
    let (digits, most) = match (protocol, given) {
        (Protocol::Connect, digits) => (digits, 10),
        (_, [digits @ .., b'H' | b'M' | b'S' | b'm' | b'u' | b'n']) => (digits, 8),
        _ => return false,
    };
    (1..=most).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
}

/// The one header that says how the caller wants to be answered. A dialect of gRPC that is not known is answered in the
/// usual one.
fn language(headers: &HeaderMap) -> HeaderMap {
    let mut language = HeaderMap::new();
    if let Some(given) = headers.get(CONTENT_TYPE) {
        let usual = ["application/grpc-web", "application/grpc"]
            .into_iter()
            .find(|usual| given.as_bytes().starts_with(usual.as_bytes()))
            .filter(|_| Protocol::detect(headers).is_none_or(|spoken| spoken.is_text_mode));
        language.insert(CONTENT_TYPE, usual.map_or_else(|| given.clone(), HeaderValue::from_static));
    }
    language
}

fn refusal_in(language: &HeaderMap, error: ConnectError) -> Response {
    error.into_http_response(language).map(Body::new)
}

/// Reads what is still being sent: a connection that is closed before would be reset, and nothing heard.
async fn rest_of(body: Body) {
    let mut pieces = body.into_data_stream();
    let mut left = MOST_BYTES;
    let rest = async {
        while let Some(Ok(piece)) = pieces.next().await
            && left > 0
        {
            left = left.saturating_sub(piece.len());
        }
    };
    let _ = tokio::time::timeout(REST, rest).await;
}

/// The same refusal with its detail. What is no refusal stays as it is.
async fn with_reason(language: &HeaderMap, response: Response) -> Response {
    let spoken = Protocol::detect(language);
    let (head, body) = response.into_parts();
    if spoken.is_some_and(|spoken| spoken.protocol == Protocol::Grpc) {
        let text = |name: &str| head.headers.get(name)?.to_str().ok();
        return match by_status(text) {
            Some(error) => refusal_in(language, error),
            None => Response::from_parts(head, body),
        };
    }
    // What the library says by itself is short, and there as a whole.
    let Ok(bytes) = to_bytes(body, MOST_WORDS).await else {
        return Response::from_parts(head, Body::empty());
    };
    let error = match spoken {
        Some(spoken) if spoken.protocol == Protocol::GrpcWeb => {
            let words = String::from_utf8_lossy(bytes.get(5..).unwrap_or_default()).into_owned();
            by_status(|name| words.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")))
        }
        Some(spoken) if spoken.is_streaming => {
            let end: Value = serde_json::from_slice(bytes.get(5..).unwrap_or_default()).unwrap_or_default();
            by_code(&end["error"], head.status)
        }
        _ => by_code(&serde_json::from_slice(&bytes).unwrap_or_default(), head.status),
    };
    match error {
        Some(error) => refusal_in(language, error),
        None => Response::from_parts(head, Body::from(bytes)),
    }
}

/// As Connect says it.
fn by_code(told: &Value, status: StatusCode) -> Option<ConnectError> {
    let code = told["code"].as_str()?.parse().ok()?;
    let error = ConnectError::from(Refusal::of_library(code, told["message"].as_str().unwrap_or_default()));
    Some(error.with_http_status(status))
}

/// As gRPC says it.
fn by_status<'a>(text: impl Fn(&str) -> Option<&'a str>) -> Option<ConnectError> {
    let code = ErrorCode::from_grpc_code(text("grpc-status")?.trim().parse().ok()?)?;
    let message = plain(text("grpc-message").unwrap_or_default());
    Some(Refusal::of_library(code, &message).into())
}

/// `a b` for `a%20b`.
fn plain(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut left = text.as_bytes();
    while let Some((&first, rest)) = left.split_first() {
        let code = rest.get(..2).and_then(|code| u8::from_str_radix(str::from_utf8(code).ok()?, 16).ok());
        match code.filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                left = &rest[2..];
            }
            None => {
                bytes.push(first);
                left = rest;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Besides what is said to everybody.
pub(crate) fn accepted() -> HeaderMap {
    HeaderMap::from_iter([(HeaderName::from_static("accept-post"), HeaderValue::from_static(ACCEPTED))])
}

/// The only verb of all calls.
pub(crate) fn allowed() -> HeaderMap {
    HeaderMap::from_iter([(ALLOW, HeaderValue::from_static("POST"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_what_is_none() {
        let check = |text: &str, connect: bool, grpc: bool| {
            let is = |protocol| is_time(text.as_bytes(), protocol);
            assert_eq!(
                (is(Protocol::Connect), is(Protocol::Grpc), is(Protocol::GrpcWeb)),
                (connect, grpc, grpc)
            );
        };
        check("0", true, false);
        check("9999999999", true, false);
        check("10000000000", false, false);
        check("5m", false, true);
        check("99999999H", false, true);
        check("100000000n", false, false);
        for none in ["", "m", "-1", "+1", "1.5", "1 m", "soon", "5s", "5x", "٣"] {
            check(none, false, false);
        }
    }

    #[test]
    fn messages_of_grpc_are_made_plain() {
        for (text, expected) in
            [("a%20b", "a b"), ("%C3%A4", "ä"), ("100%", "100%"), ("%zz%2", "%zz%2"), ("", "")]
        {
            assert_eq!(plain(text), expected);
        }
    }
}
