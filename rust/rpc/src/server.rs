//! The router that a server hosts.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::middleware::from_fn_with_state;
use connectrpc::{CompressionPolicy, ConnectRpcService, DeadlinePolicy, Limits};
use tokio::sync::Semaphore;
use trailblaze_engine::memory::Secret;

use crate::backend::Backend;
use crate::dispatcher::Calls;
use crate::gate;
use crate::shelf::Shelf;

/// The largest message, in both directions.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;

/// What can be chosen about a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// With one, every call has to bring it: `Authorization: Bearer TOKEN`.
    pub token: Option<Secret>,
    /// So many calls may be under way at once; one more is `resource_exhausted`.
    pub most_calls: usize,
    /// So many bytes of large answers may wait to be read; what would be more is `resource_exhausted`.
    pub most_waiting: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { token: None, most_calls: 256, most_waiting: 128 * 1024 * 1024 }
    }
}

/// What callers have to bring.
#[derive(Clone)]
pub(crate) struct Token(Secret);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Token {
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().split_first_chunk::<7>());
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(b"bearer ") && same(token, self.0.reveal().as_bytes())
        })
    }
}

/// Takes as long for a wrong token that begins well as for one that does not.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    let differences = given.iter().zip(wanted).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == wanted.len() && differences == 0
}

/// All services, to be merged into the router of a server. Connect and gRPC-Web need nothing else. For gRPC the server
/// must take HTTP/2 without TLS, which `axum::serve` does with axum's feature `http2`, on which this crate insists.
///
/// Who may connect at all, by `Host` and `Origin`, is for the server to check.
pub fn router(backend: Arc<dyn Backend>, options: Options) -> Router {
    let calls = Calls {
        backend,
        room: Arc::new(Semaphore::new(options.most_calls)),
        shelf: Shelf::new(options.most_waiting),
    };
    let limits = Limits::default().with_max_request_body_size(MOST_BYTES).with_max_message_size(MOST_BYTES);
    let service = ConnectRpcService::new(calls)
        .with_limits(limits)
        // On one machine it costs more than it saves.
        .with_compression_policy(CompressionPolicy::disabled())
        .with_deadline_policy(DeadlinePolicy::new().with_enforce_on_streams(true));
    // Also for services that there are not: their callers are told so in their own protocol.
    Router::new()
        .route_service("/{service}/{method}", service)
        .route_layer(from_fn_with_state(options.token.map(Token), gate::pass))
        .fallback(gate::no_method)
}
