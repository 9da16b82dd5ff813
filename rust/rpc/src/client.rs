//! A small client that waits for its answers: the Connect protocol over HTTP/1.1, in JSON or binary.

use std::fmt;
use std::time::Duration;

use buffa::DecodeOptions;
use connectrpc::CodecFormat;
use serde_json::{Map, Value};
use trailblaze_engine::memory::Secret;
use trailblaze_model::base64;
use ureq::{Agent, Body, RequestBuilder, http::Response, typestate::WithBody};

use crate::backend::Routing;
use crate::contract::{self, Method, PACKAGE};
use crate::server::MOST_BYTES;

/// The longest deadline that can be told.
const MOST_MS: u128 = 9_999_999_999;

/// Calls the methods of a server.
#[derive(Debug)]
pub struct Client {
    base_url: String,
    agent: Agent,
    format: CodecFormat,
    routing: Routing,
    token: Option<Secret>,
    timeout: Option<Duration>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CallError {
    /// The code of Connect, such as `invalid_argument`; `unavailable` when there is no server.
    pub code: String,
    pub message: String,
    /// The detail, as JSON of `trailblaze.v1.Failure`.
    pub failure: Option<Value>,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for CallError {}

impl CallError {
    fn new(code: &str, message: impl fmt::Display) -> Self {
        Self { code: code.to_owned(), message: message.to_string(), failure: None }
    }

    fn read(body: &Value) -> Self {
        let detail = &body["details"][0];
        let failure = detail["value"].as_str().filter(|_| detail["type"] == contract::FAILURE);
        let failure = failure.and_then(base64::decode).and_then(|bytes| {
            let message = contract::get().pool().message_index(contract::FAILURE)?;
            contract::get().read(message, &bytes, CodecFormat::Proto, &DecodeOptions::new()).ok()
        });
        Self {
            code: body["code"].as_str().unwrap_or("unknown").to_owned(),
            message: body["message"].as_str().unwrap_or_default().to_owned(),
            failure,
        }
    }
}

impl Client {
    /// For a server such as `http://localhost:52525`; speaks binary.
    pub fn new(base_url: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).build();
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            agent: config.into(),
            format: CodecFormat::Proto,
            routing: Routing::default(),
            token: None,
            timeout: None,
        }
    }

    /// Speaks JSON instead of binary.
    pub fn json(mut self) -> Self {
        self.format = CodecFormat::Json;
        self
    }

    /// What every request says about who is meant.
    pub fn routing(mut self, routing: Routing) -> Self {
        self.routing = routing;
        self
    }

    pub fn token(mut self, token: Secret) -> Self {
        self.token = Some(token);
        self
    }

    /// How long one call may take; the server is told.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Calls a method such as `TrailblazeCommands/Tap` with the fields of its request.
    pub fn call(&self, method: &str, request: Value) -> Result<Value, CallError> {
        let method = find(method)?;
        let content_type =
            if self.format == CodecFormat::Json { "application/json" } else { "application/proto" };
        let response = self.send(method, content_type, &self.encode(method, request)?)?;
        let is_ok = response.status() == 200;
        let bytes = body(response)?;
        if !is_ok {
            return Err(CallError::read(&serde_json::from_slice(&bytes).unwrap_or_default()));
        }
        self.decode(method, &bytes)
    }

    /// Calls a method that answers with several messages, and waits for all of them.
    pub fn stream(&self, method: &str, request: Value) -> Result<Vec<Value>, CallError> {
        /// The last frame, which says how it ended.
        const END: u8 = 2;
        let method = find(method)?;
        let content_type = if self.format == CodecFormat::Json {
            "application/connect+json"
        } else {
            "application/connect+proto"
        };
        let request = self.encode(method, request)?;
        let bytes = body(self.send(method, content_type, &frame(&request))?)?;
        let mut messages = Vec::new();
        let mut left = bytes.as_slice();
        while let Some((head, rest)) = left.split_first_chunk::<5>() {
            let [flags, length @ ..] = *head;
            let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
            let Some((message, rest)) = rest.split_at_checked(length) else { break };
            left = rest;
            if flags & END == 0 {
                messages.push(self.decode(method, message)?);
                continue;
            }
            let end: Value = serde_json::from_slice(message).unwrap_or_default();
            return match end.get("error") {
                Some(error) => Err(CallError::read(error)),
                None => Ok(messages),
            };
        }
        Err(CallError::new("unavailable", "the stream broke off"))
    }

    /// A picture of the screen.
    pub fn screenshot(&self) -> Result<Vec<u8>, CallError> {
        let pieces = self.stream("TrailblazeCommands/TakeScreenshot", Value::Object(Map::new()))?;
        let data = |piece: &Value| base64::decode(piece["data"].as_str()?);
        let data: Option<Vec<Vec<u8>>> = pieces.iter().map(data).collect();
        Ok(data.ok_or_else(|| CallError::new("data_loss", "a piece has no data"))?.concat())
    }

    fn encode(&self, method: &Method, mut request: Value) -> Result<Vec<u8>, CallError> {
        if let Some(fields) = request.as_object_mut() {
            let Routing { device_id, session_id, invocation_id } = &self.routing;
            let routing =
                [("deviceId", device_id), ("sessionId", session_id), ("invocationId", invocation_id)];
            for (key, value) in routing.into_iter().filter(|(_, value)| !value.is_empty()) {
                fields.entry(key).or_insert_with(|| value.as_str().into());
            }
        }
        contract::get()
            .write(method.input, &request, self.format)
            .map_err(|error| CallError::new("invalid_argument", error))
    }

    fn decode(&self, method: &Method, bytes: &[u8]) -> Result<Value, CallError> {
        let contract = contract::get();
        let mut answer = contract
            .read(method.output, bytes, self.format, &DecodeOptions::new())
            .map_err(|error| CallError::new("internal", error.message))?;
        contract.say_defaults(method.output, &mut answer);
        Ok(answer)
    }

    fn send(&self, method: &Method, content_type: &str, bytes: &[u8]) -> Result<Response<Body>, CallError> {
        let mut request: RequestBuilder<WithBody> = self
            .agent
            .post(format!("{}/{}/{}", self.base_url, method.service, method.name))
            .header("Content-Type", content_type)
            .header("Connect-Protocol-Version", "1");
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {}", token.reveal()));
        }
        if let Some(timeout) = self.timeout {
            request = request.header("Connect-Timeout-Ms", timeout.as_millis().min(MOST_MS).to_string());
        }
        request.send(bytes).map_err(|error| CallError::new("unavailable", error))
    }
}

fn find(method: &str) -> Result<&'static Method, CallError> {
    let path = if method.contains('.') { method.to_owned() } else { format!("{PACKAGE}.{method}") };
    let missing = || CallError::new("unimplemented", format!("there is no method '{method}'"));
    contract::get().method(&path).ok_or_else(missing)
}

/// A message in a stream.
fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&[0], &length.to_be_bytes()[..], message].concat()
}

fn body(mut response: Response<Body>) -> Result<Vec<u8>, CallError> {
    let limit = u64::try_from(MOST_BYTES * 2).unwrap_or(u64::MAX);
    response
        .body_mut()
        .with_config()
        .limit(limit)
        .read_to_vec()
        .map_err(|error| CallError::new("unavailable", error))
}
