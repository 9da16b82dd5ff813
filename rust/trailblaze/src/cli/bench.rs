//! `trailblaze bench`

use std::path::PathBuf;

use crate::bench;
use crate::exit_code::{Exit, Problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What is measured
    what: What,
    /// The folder with captures and waypoints
    #[arg(long, value_name = "DIR", default_value = "tests/captures")]
    captures: PathBuf,
    /// The folder whose `node_modules` have the official SDKs and esbuild
    #[arg(long, value_name = "DIR")]
    packages: Option<PathBuf>,
    /// The folder with the servers and clients that are measured
    #[arg(long, value_name = "DIR", default_value = "tests/mcp/bench")]
    servers: PathBuf,
    /// The agent's APK
    #[arg(long, value_name = "FILE")]
    agent: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum What {
    /// The engine's share of a tool step
    Engine,
    /// Reading and matching screens
    Screens,
    /// Tools in JavaScript
    Scripts,
    /// Toolset servers in bun; needs the packages
    Servers,
    /// Calls over RPC, one by one and many at once
    Rpc,
    /// Several devices in one run
    Devices,
    /// Packing a test APK; needs the agent's
    Apk,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    match args.what {
        What::Screens => super::print_json(&bench::screens(&args.captures)?),
        What::Scripts => super::print_json(&bench::scripts(args.packages.as_deref())?),
        What::Servers => {
            let needed = || Problem::new(Exit::Usage, "servers are not measured without '--packages DIR'");
            let packages = args.packages.as_deref().ok_or_else(needed)?;
            super::print_json(&bench::servers(packages, &args.servers)?);
        }
        What::Rpc => super::print_json(&bench::rpc()?),
        What::Devices => super::print_json(&bench::devices()?),
        What::Apk => {
            let needed = || Problem::new(Exit::Usage, "packing is not measured without '--agent FILE'");
            super::print_json(&bench::apk(args.agent.as_deref().ok_or_else(needed)?)?);
        }
        What::Engine => super::print_json(&bench::engine()?),
    }
    Ok(Exit::Passed)
}
