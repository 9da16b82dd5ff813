//! `trailblaze mcp`

use std::io::{self, IsTerminal, Read};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use tokio::sync::oneshot;
use trailblaze_engine::host::Cancel;
use trailblaze_mcp::server::stdio::{self, Ended};
use trailblaze_mcp::server::{Handler, http};

use super::devices::{self, Devices};
use super::run::{driver_of, phone_driver, stop_on_interrupt};
use crate::endpoint::Endpoint;
use crate::exit_code::{Exit, Problem};
use crate::laptop;
use crate::loopback::Port;
use crate::mcp::{McpOptions, McpPhone, McpServer};

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
    /// How a phone is driven
    #[arg(long, value_name = "KEY")]
    driver: Option<String>,
    /// The phone, by its serial; a sim for each target unless given, or the only phone with a driver of phones
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// The agent's APK for a phone; the release's, beside the program, unless given
    #[arg(long, value_name = "FILE")]
    agent_apk: Option<PathBuf>,
    /// Answer over HTTP on this machine instead of the standard streams
    #[arg(long)]
    http: bool,
    /// The port for HTTP, 0 for a free one; 52525 unless given, or a free one when that is taken
    #[arg(long, value_name = "N", requires = "http")]
    port: Option<u16>,
}

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    let cancel = Cancel::default();
    let stopped = interrupt()?;
    let phone = match the_phone(&args)? {
        Some(serial) => {
            stop_on_interrupt(&cancel);
            Some(wanted(serial, &args, &cancel)?)
        }
        None => {
            devices::refuse_agent_apk(args.agent_apk.as_deref())?;
            None
        }
    };
    // Which one is the same for sims that are named and for those that are not.
    let driver = match phone {
        Some(_) => None,
        None => driver_of(args.driver.as_deref(), args.stands_in_for.as_deref())?.stands_in_for,
    };
    let options = McpOptions { workspace: args.workspace, target: args.target, driver, phone };
    let endpoint = Endpoint::for_one()?;
    let server = Arc::new(McpServer::new(options, endpoint.clone()));
    let handler = Handler::new(server.clone());
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
    server.close().iter().for_each(|warning| talk!("warning: {warning}"));
    match ended {
        Ok(Ended::ByClient) => Ok(Exit::Passed),
        Ok(Ended::Stopped) => Ok(Exit::Interrupted),
        Err(message) => Err(Problem::new(Exit::Usage, format!("the client broke off: {message}"))
            .hint("this is for programs that speak MCP; see docs/mcp-server.md")),
    }
}

/// The serial of the phone that is named, or none for sims.
fn the_phone(args: &Args) -> Result<Option<String>, Problem> {
    match devices::chosen(args.device.as_deref(), args.driver.as_deref())? {
        Devices::Sims(_) if args.device.as_deref().is_none_or(|device| device == "sim") => Ok(None),
        Devices::Sims(_) => {
            let message = "there is a sim for each target, and they are not named one by one";
            Err(Problem::new(Exit::Usage, message).hint("leave '--device' out, or name a phone"))
        }
        Devices::Phones(serials) => match <[String; 1]>::try_from(serials) {
            Ok([serial]) => Ok(Some(serial)),
            Err(_) => {
                Err(Problem::new(Exit::Usage, "'trailblaze mcp' is for one phone, and several are named")
                    .hint("start one for each, under names of their own"))
            }
        },
    }
}

/// What can be known of a phone before it is taken is said here, where a person reads it.
fn wanted(serial: String, args: &Args, cancel: &Cancel) -> Result<McpPhone, Problem> {
    let driver = phone_driver(args.driver.as_deref())?;
    let agent_apk = args.agent_apk.as_deref().map(laptop::agent_apk).transpose()?;
    laptop::ready(&serial, cancel)?;
    Ok(McpPhone { serial, driver, agent_apk, cancel: cancel.clone() })
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
