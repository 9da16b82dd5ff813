//! A URL as a way for messages: Streamable HTTP, of both generations of MCP.
//!
//! Every request is a `POST` on a connection of its own, and the thread that sent it reads what comes back there, so that
//! calls do not wait for each other. No thread stands in between: the socket is polled together with the waker of the
//! call. Giving a call up closes its connection; a server of the older generation is told by a notification, too.

mod address;
mod exchange;
mod headers;
mod link;
mod response;
mod stream;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use trailblaze_engine::host::Cancel;
use trailblaze_model::event::LogLevel;

pub use address::Address;
use exchange::Exchange;
pub(super) use headers::Mirrors;
use headers::encoded;
use link::{Era, Link, Request};

use super::logs::{Logs, cut};
use super::transport::{End, Received, Transport, Unsent, Words};
use super::waker::Waker;

/// So long a server may take to hear that a session is over.
const GOODBYE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Http {
    link: Link,
    logs: Arc<Logs>,
    mirrors: Arc<Mirrors>,
    /// By the number of the request. Each is used by the thread that waits for its answer.
    exchanges: Mutex<HashMap<u64, Exchange>>,
}

/// What has to be known of a message that goes out.
#[derive(Deserialize)]
struct Outgoing<'a> {
    id: Option<Value>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: OutgoingParams<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OutgoingParams<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    request_id: Option<u64>,
    #[serde(borrow, default, rename = "_meta")]
    meta: OutgoingMeta<'a>,
}

#[derive(Default, Deserialize)]
struct OutgoingMeta<'a> {
    // `VERSION_KEY`
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<Cow<'a, str>>,
}

impl Http {
    pub(super) fn new(address: Address, mirrors: Arc<Mirrors>, logs: Arc<Logs>) -> Self {
        Self { link: Link::new(address), logs, mirrors, exchanges: Mutex::default() }
    }

    fn exchanges(&self) -> MutexGuard<'_, HashMap<u64, Exchange>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What stands in the message, in front of it.
    fn headers(&self, message: &str, outgoing: &Outgoing<'_>) -> Vec<(String, String)> {
        let Outgoing { method: Some(method), params, .. } = outgoing else { return Vec::new() };
        let mut headers = vec![("Mcp-Method".to_owned(), method.clone().into_owned())];
        let name = if method == "resources/read" { &params.uri } else { &params.name };
        let Some(name) = name else { return headers };
        headers.push(("Mcp-Name".to_owned(), encoded(name)));
        if method == "tools/call" {
            let arguments = || {
                let mut message: Value = serde_json::from_str(message).unwrap_or_default();
                message["params"]["arguments"].take()
            };
            headers.extend(self.mirrors.of_call(name, arguments));
        }
        headers
    }
}

impl Transport for Http {
    fn send(&self, message: &str, until: Instant, cancel: &Cancel) -> Result<(), Unsent> {
        let body = message.trim_end();
        let outgoing: Outgoing<'_> = serde_json::from_str(body).unwrap_or(Outgoing {
            id: None,
            method: None,
            params: OutgoingParams::default(),
        });
        let method = outgoing.method.as_deref();
        let given_up = outgoing.params.request_id.filter(|_| method == Some("notifications/cancelled"));
        if given_up.and_then(|id| self.exchanges().get(&id).map(|exchange| exchange.is_modern)) == Some(true)
        {
            // The end of its connection says it.
            return Ok(());
        }
        let era = match (&outgoing.params.meta.version, method) {
            (Some(version), _) => Era::Modern(version),
            (None, Some("initialize")) => Era::Handshake,
            (None, _) => Era::Session,
        };
        let headers = if matches!(era, Era::Modern(_)) { self.headers(body, &outgoing) } else { Vec::new() };
        let request = Request { verb: "POST", era, headers: &headers, body: Some(body) };
        let mut exchange = Exchange::begin(&self.link, &request, until, cancel)?;
        match outgoing.id.as_ref().and_then(Value::as_u64).filter(|_| method.is_some()) {
            Some(id) => {
                self.exchanges().insert(id, exchange);
            }
            None => {
                exchange.accepted(&self.link, until, cancel).map_err(Unsent::Failed)?;
                exchange.finish(&self.link);
            }
        }
        Ok(())
    }

    fn receive(&self, id: u64, until: Instant, waker: Option<&Waker>) -> Received {
        let Some(mut exchange) = self.exchanges().remove(&id) else { return Received::Ended };
        let received = exchange.receive(&self.link, until, waker);
        if let Some(session) = exchange.session.take().filter(|_| !exchange.is_modern) {
            self.link.set_session(Some(session));
        }
        self.exchanges().insert(id, exchange);
        received
    }

    fn finish(&self, id: u64) {
        let exchange = self.exchanges().remove(&id);
        if let Some(exchange) = exchange {
            exchange.finish(&self.link);
        }
    }

    fn give_up(&self, id: u64) {
        self.exchanges().remove(&id);
    }

    fn agreed(&self, version: &str) {
        self.link.agreed(version);
    }

    fn admit(&self, tools: &mut Vec<Value>) {
        self.mirrors.learn(tools, |tool, why| {
            self.logs.push(LogLevel::Warn, format!("its tool '{}' is left out: {why}", cut(tool, 80)));
        });
    }

    fn end(&self) -> End {
        End { how: "was not asked".to_owned(), last_lines: Vec::new() }
    }

    fn stop(&self) {
        self.link.set_session(None);
    }

    fn words(&self) -> Words {
        Words {
            noise: "answered with what is no message",
            noise_hint: "an MCP server answers with JSON-RPC and nothing else",
            silence_hint: "is there an MCP server at this URL?",
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        if !self.link.has_session() {
            return;
        }
        let until = Instant::now() + GOODBYE;
        let request = Request { verb: "DELETE", era: Era::Session, headers: &[], body: None };
        // Many servers do not care.
        let cancel = Cancel::default();
        if let Ok(mut exchange) = Exchange::begin(&self.link, &request, until, &cancel) {
            let _ = exchange.accepted(&self.link, until, &cancel);
        }
        self.link.take_session();
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::VERSION_KEY;
    use super::*;

    #[test]
    fn a_message_says_its_version_under_the_name_of_the_specification() {
        let message =
            format!(r#"{{"id":1,"method":"m","params":{{"a":[1],"_meta":{{"{VERSION_KEY}":"v"}}}}}}"#);
        let outgoing: Outgoing<'_> = serde_json::from_str(&message).unwrap();
        assert_eq!(outgoing.params.meta.version.as_deref(), Some("v"));
    }
}
