//! The command line. A subcommand is one file that calls the library and prints.

/// Says something to people, on stderr. When nobody can hear it, there is nobody to tell.
macro_rules! talk {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

mod apk;
mod bench;
mod bundle;
mod check;
mod completions;
mod devices;
mod docs;
mod doctor;
mod farm;
mod init;
mod mcp;
mod registry;
mod replay;
mod run;
mod select;
mod serve;
mod tool;
mod tools;
mod typegen;
mod watch;
mod waypoint;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::registry::Registry;
use trailblaze_model::diagnostic::Severity;

use crate::authoring::Bench;
use crate::endpoint::Endpoint;
use crate::exit_code::{Exit, Problem};
use crate::toolsets::ToolsetServers;
use crate::workspace::{Workspace, find_root};

/// UI tests that run on the phone itself.
#[derive(Debug, Parser)]
#[command(name = "trailblaze", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Start with 'trailblaze init' in an empty folder, then 'trailblaze run'.")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run trails
    Run(Box<run::Args>),
    /// Check trails, tools and configuration without a device
    Check(check::Args),
    /// List the tools, or show one of them
    Tools(tools::Args),
    /// Run one tool, or the tests of toolsets
    Tool(Box<tool::Args>),
    /// Make bundles of the workspace's scripts
    Bundle(bundle::Args),
    /// Write types of all tools, for editors
    Typegen(typegen::Args),
    /// Print the registry as JSON
    Registry(registry::Args),
    /// List the devices that trails can be run on
    Devices(devices::Args),
    /// Say what is missing to drive phones, and how to mend it
    Doctor(doctor::Args),
    /// Try a selector on a captured screen
    Select(select::Args),
    /// Run a saved session again, without a device
    Replay(replay::Args),
    /// Say which waypoints captured screens are
    Waypoint(waypoint::Args),
    /// Drive devices for programs that call over RPC, without a run
    Serve(serve::Args),
    /// Be an MCP server, for Claude, Goose, Cursor and others
    Mcp(mcp::Args),
    /// Plan a run on a device farm, and collect what came back
    Farm(farm::Args),
    /// Make a test APK for phones and device farms
    Apk(apk::Args),
    /// Make a new workspace that runs at once
    Init(init::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Write the reference pages
    #[command(hide = true)]
    Docs(docs::Args),
    /// Measure the engine
    #[command(hide = true)]
    Bench(bench::Args),
}

/// The whole program.
pub fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, everything else is a mistake.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Passed };
            let _ = error.print();
            return exit;
        }
    };
    let result = std::panic::catch_unwind(|| match cli.command {
        Command::Run(args) => run::run(*args),
        Command::Check(args) => check::run(&args),
        Command::Tools(args) => tools::run(&args),
        Command::Tool(args) => tool::run(*args),
        Command::Bundle(args) => bundle::run(&args),
        Command::Typegen(args) => typegen::run(&args),
        Command::Registry(args) => registry::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Waypoint(args) => waypoint::run(&args),
        Command::Serve(args) => serve::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Farm(args) => farm::run(&args),
        Command::Apk(args) => apk::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Docs(args) => docs::run(&args),
        Command::Bench(args) => bench::run(&args),
    });
    match result {
        Ok(Ok(Exit::Passed)) if LOST_OUTPUT.load(Ordering::Relaxed) => {
            talk!("error: the output could not be written");
            Exit::BadDocument
        }
        Ok(Ok(exit)) => exit,
        Ok(Err(problem)) => {
            talk!("{problem}");
            problem.exit
        }
        Err(_) => {
            talk!("error: Trailblaze itself failed; this is a bug\nhint: report it with the text above");
            Exit::Bug
        }
    }
}

/// The definition of the command line, for completions and the reference.
pub fn definition() -> clap::Command {
    Cli::command()
}

/// Set when data could not be printed.
static LOST_OUTPUT: AtomicBool = AtomicBool::new(false);

/// Prints data. A reader that went away is no problem of ours; a full disk is.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if written.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe) {
        LOST_OUTPUT.store(true, Ordering::Relaxed);
    }
}

fn print_json(value: &serde_json::Value) {
    print(&format!("{value:#}\n"));
}

/// `name=value`
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// Which registry a listing is about.
#[derive(Clone, Debug, clap::Args)]
struct Scope {
    /// The workspace; the current folder's unless given
    #[arg(short, long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The target; the workspace's unless given
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// The driver that filters see
    #[arg(long = "as", value_name = "KEY", default_value = "android-ondevice-accessibility")]
    driver: String,
    /// Where the agent runs
    #[arg(long, value_enum, default_value_t)]
    agent: Agent,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Agent {
    #[default]
    Host,
    OnDevice,
}

impl From<Agent> for trailblaze_model::driver::AgentMode {
    fn from(agent: Agent) -> Self {
        match agent {
            Agent::Host => Self::Host,
            Agent::OnDevice => Self::OnDevice,
        }
    }
}

impl Scope {
    /// The registry of the workspace, if there is one; else that of the built-in tools.
    fn registry(&self) -> Result<Arc<Registry>, Problem> {
        self.open().map(|(_, registry)| registry)
    }

    fn open(&self) -> Result<(Arc<Workspace>, Arc<Registry>), Problem> {
        let driver = parse_driver(&self.driver, &[])?;
        let is_none = |path: &&PathBuf| path.exists() && find_root(path).is_none();
        if let Some(path) = self.workspace.as_ref().filter(is_none) {
            let message = format!("{} is no workspace", path.display());
            return Err(Problem::new(Exit::BadDocument, message).hint("'trailblaze init' makes one"));
        }
        let agent = self.agent.into();
        let here = std::env::current_dir().unwrap_or_default();
        let mut bench = match &self.workspace {
            None if find_root(&here).is_none() => Bench::empty(driver, agent),
            folder => Bench::open(folder.clone(), self.target.as_deref(), Some(driver), agent)?,
        };
        // Whoever lists tools wants to see those of programs, too; they end when the list is there.
        let servers = ToolsetServers::new(&Cancel::default(), Endpoint::for_one()?);
        let registry = bench.registry(Some(servers.as_ref()))?;
        for problem in bench.problems.iter().filter(|problem| problem.severity == Severity::Error) {
            talk!("{problem}");
        }
        if bench.has_errors() {
            return Err(Problem::new(Exit::BadDocument, "the workspace has errors").hint("see above"));
        }
        Ok((bench.workspace, registry))
    }
}

/// A driver by its key, or the error that names the known ones and `also` what else may stand there.
fn parse_driver(name: &str, also: &[&str]) -> Result<trailblaze_model::driver::Driver, Problem> {
    use trailblaze_model::driver::Driver;
    Driver::parse(name).ok_or_else(|| {
        let known: Vec<&str> =
            also.iter().copied().chain(Driver::ALL.iter().map(|driver| driver.key())).collect();
        let hint = trailblaze_model::names::nearest_hint(name, known.iter().copied())
            .unwrap_or_else(|| format!("known drivers: {}", known.join(", ")));
        Problem::new(Exit::Usage, format!("unknown driver '{name}'")).hint(hint)
    })
}
