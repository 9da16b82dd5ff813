//! `trailblaze mcp`

use std::io::{self, IsTerminal, Read};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use tokio::sync::oneshot;
use trailblaze_mcp::server::stdio::{self, Ended};
use trailblaze_mcp::server::{Handler, http};

use super::{parse_driver, run::driver_of};
use crate::endpoint::Endpoint;
use crate::exit_code::{Exit, Problem};
use crate::loopback::Port;
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
    driver_of(None, args.stands_in_for.as_deref())?;
    let driver = args.stands_in_for.as_deref().map(|name| parse_driver(name, &[])).transpose()?;
    let options = McpOptions { workspace: args.workspace, target: args.target, driver };
    let endpoint = Endpoint::for_one()?;
    let server = Arc::new(McpServer::new(options, endpoint.clone()));
    let handler = Handler::new(server.clone());
    let stopped = interrupt()?;
    let ended = if args.http {
        let loopback = endpoint.serve(http::router(handler), args.port.map_or(Port::Any, Port::Exactly))?;
        talk!("MCP on {}{}", loopback.base_url(), http::PATH);
        // It ends by a signal only.
        let _ = stopped.blocking_recv();
        loopback.stop();
        Ok(Ended::Stopped)
    } else {
        if io::stdin().is_terminal() {
            talk!(
                "waiting for a program that speaks MCP on standard input; '--http' serves it at an address"
            );
        }
        stdio::run(handler, stopped)
    };
    server.close();
    match ended {
        Ok(Ended::ByClient) => Ok(Exit::Passed),
        Ok(Ended::Stopped) => Ok(Exit::Interrupted),
        Err(message) => Err(Problem::new(Exit::Usage, format!("the client broke off: {message}"))
            .hint("this is for programs that speak MCP; see docs/mcp-server.md")),
    }
}

/// Comes with the first Ctrl-C; the second ends the program at once.
pub(super) fn interrupt() -> Result<oneshot::Receiver<()>, Problem> {
    let failed = |error: io::Error| Problem::new(Exit::Bug, format!("no signal can be waited for: {error}"));
    let (mut signals, sender) = UnixStream::pair().map_err(failed)?;
    for signal in [SIGINT, SIGTERM] {
        pipe::register(signal, sender.try_clone().map_err(failed)?).map_err(failed)?;
    }
    let (stop, stopped) = oneshot::channel();
    let mut stop = Some(stop);
    let wait = move || {
        while signals.read_exact(&mut [0]).is_ok() {
            match stop.take() {
                // Where the client has left already, the end has begun.
                Some(stop) => drop(stop.send(())),
                None => std::process::exit(i32::from(Exit::Interrupted as u8)),
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(failed)?;
    Ok(stopped)
}
