//! A handler over the standard streams of this process.

use std::future::Future;

use rmcp::service::ServerInitializeError;
use rmcp::{ServerHandler, serve_server};

use super::lines::Lines;

/// Who brought serving to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    ByClient,
    /// By whoever started it.
    Stopped,
}

/// Serves one client until it closes the stream.
pub async fn serve<H: ServerHandler>(handler: H) -> Result<(), String> {
    let (from, to) = rmcp::transport::stdio();
    match serve_server(handler, Lines::new(from, to)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
        // It looked, and left.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// The same, for a program that has no executor, until it is stopped. Calls that are still under way then are called
/// off, and not waited for.
pub fn run<H: ServerHandler>(handler: H, stopped: impl Future) -> Result<Ended, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let ended = runtime.block_on(async {
        tokio::select! {
            served = serve(handler) => served.map(|()| Ended::ByClient),
            _ = stopped => Ok(Ended::Stopped),
        }
    });
    runtime.shutdown_background();
    ended
}
