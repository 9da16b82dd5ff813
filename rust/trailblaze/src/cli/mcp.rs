//! `trailblaze mcp`

use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_mcp::server::{Handler, http, stdio};

use super::{parse_driver, run::driver_of};
use crate::exit_code::{Exit, Problem};
use crate::load::DEFAULT_DRIVER;
use crate::loopback::{Loopback, Port};
use crate::mcp::{McpOptions, McpServer};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The workspace; the current folder's unless given
    #[arg(short, long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The target; the workspace's unless given
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// The driver that sims stand in for
    #[arg(long = "as", value_name = "KEY")]
    stands_in_for: Option<String>,
    /// Answer over HTTP on this machine instead of the standard streams
    #[arg(long)]
    http: bool,
    /// The port for HTTP; 52525 unless given, or a free one when that is taken
    #[arg(long, value_name = "N", requires = "http")]
    port: Option<u16>,
}

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    driver_of(None, args.stands_in_for.as_deref(), "sim")?;
    let driver = args.stands_in_for.as_deref().map(|name| parse_driver(name, &[])).transpose()?;
    let options = McpOptions {
        workspace: args.workspace,
        target: args.target,
        driver: driver.unwrap_or(DEFAULT_DRIVER),
    };
    let handler = Handler::new(Arc::new(McpServer::new(options)));
    if args.http {
        let port = args.port.map_or(Port::Any, Port::Exactly);
        let server = Loopback::start(http::router(handler), port)?;
        talk!("MCP on {}{}", server.base_url(), http::PATH);
        server.wait();
        return Ok(Exit::Passed);
    }
    stdio::run(handler).map_err(|message| {
        Problem::new(Exit::Usage, format!("the client broke off: {message}"))
            .hint("this is for programs that speak MCP; see docs/mcp-server.md")
    })?;
    Ok(Exit::Passed)
}
