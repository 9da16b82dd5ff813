//! A handler over the standard streams of this process.

use rmcp::service::ServerInitializeError;
use rmcp::{ServerHandler, serve_server};

/// Serves one client until it closes the stream.
pub async fn serve<H: ServerHandler>(handler: H) -> Result<(), String> {
    match serve_server(handler, rmcp::transport::stdio()).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
        // It looked, and left.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// The same, for a program that has no executor. What still runs when the client has left is not waited for.
pub fn run<H: ServerHandler>(handler: H) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let served = runtime.block_on(serve(handler));
    runtime.shutdown_background();
    served
}
