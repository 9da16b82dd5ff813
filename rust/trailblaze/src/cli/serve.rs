//! `trailblaze serve`

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::observer::{Observer, Observers};
use trailblaze_model::diagnostic::Severity;
use trailblaze_model::driver::AgentMode;

use super::devices::Devices;
use super::run::{driver_of, phone_driver, stop_on_interrupt, unread};
use super::{devices, mcp, print};
use crate::authoring::Bench;
use crate::endpoint::{self, Endpoint};
use crate::exit_code::{Exit, Problem};
use crate::laptop::Phones;
use crate::loopback::{PORT, Port};
use crate::rpc::Station;
use crate::run::{Reload, Stand};
use crate::toolsets::{Starter, ToolsetServers};

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
    /// The device, or several: serials of phones, 'sim-1,sim-2', 'sim:8'; 'sim' unless given, or the only phone with
    /// a driver of phones
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// The agent's APK for a phone; the release's, beside the program, unless given
    #[arg(long, value_name = "FILE")]
    agent_apk: Option<PathBuf>,
    /// The port, 0 for a free one; 52525 unless given, or a free one when that is taken
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Answer only callers that bring this: 'Authorization: Bearer TOKEN'
    #[arg(long, value_name = "TOKEN", value_parser = unread)]
    rpc_token: Option<Secret>,
}

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    let named = devices::chosen(args.device.as_deref(), args.driver.as_deref())?;
    let (stopped, cancel) = (mcp::interrupt()?, Cancel::default());
    stop_on_interrupt(&cancel);
    let driver = match &named {
        Devices::Sims(_) => {
            devices::refuse_agent_apk(args.agent_apk.as_deref())?;
            driver_of(args.driver.as_deref(), args.stands_in_for.as_deref())?.stands_in_for
        }
        Devices::Phones(_) => Some(phone_driver(args.driver.as_deref())?),
    };
    let mut bench = Bench::open(args.workspace, args.target.as_deref(), driver, AgentMode::Host)?;
    let phones = match &named {
        Devices::Sims(_) => None,
        Devices::Phones(serials) => {
            Some(Phones::connect(serials, bench.driver, args.agent_apk.as_deref(), &cancel)?)
        }
    };
    let stands: Vec<Stand> = match (named, &phones) {
        (Devices::Sims(names), _) => names.into_iter().map(Stand::Sim).collect(),
        (Devices::Phones(_), phones) => {
            phones.iter().flat_map(Phones::each).cloned().map(Stand::Phone).collect()
        }
    };
    let names: Vec<Arc<str>> = stands.iter().map(Stand::id).collect();
    let token = endpoint::token(args.rpc_token)?;
    let endpoint = Arc::new(Endpoint::new(names.len(), names.clone(), token.clone()));
    let loopback = endpoint.serve(Router::new(), args.port.map_or(Port::Any, Port::Exactly))?;
    let servers = ToolsetServers::for_devices(names.len(), &Cancel::default(), endpoint.clone());
    let classes = phones.as_ref().and_then(Phones::classes);
    let registry = bench.registry_with(Some(servers.as_ref()), classes.as_deref())?;
    bench.problems.iter().for_each(|problem| talk!("{problem}\n"));
    if bench.problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(Problem::new(Exit::BadDocument, "nothing is served because of the errors above"));
    }
    servers.ready(names.len())?;
    let bench = Arc::new(bench);
    let nobody: Arc<dyn Observer> = Arc::new(Observers(Vec::new()));
    let reload = Reload {
        target: bench.target.as_ref().map(|target| target.id.clone()),
        driver: bench.driver,
        agent: bench.agent,
        starter: Some(servers.clone()),
        classes,
    };
    let stations = stands
        .into_iter()
        .map(|stand| Station::open(stand, &bench, &registry, &nobody, token.as_ref(), Some(reload.clone())));
    endpoint.switchboard().open(stations.collect::<Result<_, _>>()?);
    print(&format!("{}\n", loopback.base_url()));
    if args.port.is_none() && loopback.port() != PORT {
        talk!("the port {PORT} is taken, so it is another");
    }
    talk!("serving {}; Ctrl-C ends it", names.join(", "));
    // It ends by a signal only.
    let _ = stopped.blocking_recv();
    loopback.stop();
    endpoint.switchboard().close();
    phones.iter().flat_map(Phones::put_back).for_each(|warning| talk!("warning: {warning}"));
    drop(phones);
    Ok(Exit::Interrupted)
}
