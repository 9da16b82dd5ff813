//! The server that the conformance suite of the protocol is run against: `conformance_server --port N`.
//!
//! It is what `trailblaze mcp --http` is made of, with the tools, resources and prompts that the suite asks for; see
//! `tests/conformance`. What Trailblaze itself has no use for, such as prompts and questions to the client, is added
//! here and nowhere else.

mod asks;
mod fixture;
mod offer;
mod plain;

use std::error::Error;
use std::net::Ipv4Addr;

use trailblaze_mcp::server::guard::guarded;
use trailblaze_mcp::server::http;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ["--port", port] = args.iter().map(String::as_str).collect::<Vec<&str>>()[..] else {
        return Err("usage: conformance_server --port N".into());
    };
    let port: u16 = port.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        axum::serve(listener, guarded(http::router(fixture::Fixture::new()), port)).await?;
        Ok(())
    })
}
