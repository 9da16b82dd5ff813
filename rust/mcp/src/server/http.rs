//! A handler over HTTP.

use std::time::Duration;

use axum::Router;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

/// Where the server answers.
pub const PATH: &str = "/mcp";
/// The longest message, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// So long a client of the older protocol may be silent before it has to begin again, which not every client does. A
/// person may leave an editor open over a night.
const SILENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The endpoint of a handler, for the server of this machine. Who may talk to it is for that server to say.
pub fn router<H: ServerHandler + Clone>(handler: H) -> Router {
    let config = StreamableHttpServerConfig::default().with_max_request_body_bytes(MAX_BYTES);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions.into(), config);
    Router::new().route_service(PATH, service)
}
