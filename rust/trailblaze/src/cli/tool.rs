//! `trailblaze tool run` and `trailblaze tool test`

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::observer::Observer;
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::{Event, EventKind};
use trailblaze_model::failure::Failure;
use trailblaze_report::terminal::Verbosity;

use super::run::{driver_of, print_outcome, report_problems, stop_on_interrupt, terminal, verbosity};
use super::{Agent, pair, print, print_json, watch};
use crate::authoring::{self, Bench};
use crate::endpoint::Endpoint;
use crate::exit_code::{Exit, Problem};
use crate::load::LoadedTrail;
use crate::run::{self, Listeners, Outcome, RunOptions};
use crate::toolsets::ToolsetServers;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run one tool and print what it says
    Run(RunArgs),
    /// Run the tests that stand beside toolsets
    Test(TestArgs),
}

/// What tools run on.
#[derive(Clone, Debug, clap::Args)]
struct On {
    /// The workspace; the current folder's unless given
    #[arg(short, long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The target; the workspace's unless given
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// How the screen is driven: 'sim' is embedded
    #[arg(long, value_name = "KEY")]
    driver: Option<String>,
    /// The driver that the sim stands in for
    #[arg(long = "as", value_name = "KEY")]
    stands_in_for: Option<String>,
    /// The JavaScript app that the sim runs; the target's unless given
    #[arg(long, value_name = "FILE")]
    app: Option<PathBuf>,
    /// Where the agent runs
    #[arg(long, value_enum, default_value_t)]
    agent: Agent,
    /// Remember a value before the call
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    memory: Vec<(String, String)>,
    /// Show every tool call and gesture
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Debug, clap::Args)]
struct RunArgs {
    /// The name of the tool
    name: String,
    /// An argument; what begins with '{' or '[' is read as JSON
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    args: Vec<(String, String)>,
    /// Start the target's app before the call
    #[arg(long)]
    launch: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    on: On,
}

#[derive(Clone, Debug, clap::Args)]
struct TestArgs {
    /// Test files or folders; those beside the workspace's scripts unless given
    paths: Vec<PathBuf>,
    /// Only tests whose name contains this
    #[arg(long = "filter", value_name = "TEXT")]
    filters: Vec<String>,
    /// Run them again whenever a file of the workspace changes
    #[arg(long)]
    watch: bool,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    on: On,
}

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    match args.command {
        Command::Run(args) => run_tool(args),
        Command::Test(args) if args.watch => {
            let (workspace, junit) = (args.on.workspace.as_deref(), args.junit.as_deref());
            watch::each_change(workspace, junit, |cancel| test(args.clone(), cancel))
        }
        Command::Test(args) => test(args, &interruptible()),
    }
}

impl On {
    fn bench(&self) -> Result<Bench, Problem> {
        let driver = driver_of(self.driver.as_deref(), self.stands_in_for.as_deref())?;
        let agent = self.agent.into();
        Bench::open(self.workspace.clone(), self.target.as_deref(), driver.stands_in_for, agent)
    }

    fn options(self) -> RunOptions {
        RunOptions {
            app: self.app,
            memory: self.memory,
            agent: self.agent.into(),
            jobs: 1,
            ..RunOptions::default()
        }
    }
}

/// What the first Ctrl-C sets.
fn interruptible() -> Cancel {
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    cancel
}

/// Runs trails that no file holds.
fn run_trails(
    options: &RunOptions,
    bench: &Bench,
    trails: Vec<LoadedTrail>,
    listeners: impl FnOnce(&std::path::Path) -> Listeners,
    cancel: &Cancel,
) -> Result<Outcome, Problem> {
    let prepared = bench.prepared(trails);
    report_problems(&prepared)?;
    let plan = run::plan(options, &prepared)?;
    let folder = run::folder(options, &prepared)?;
    run::run(options, &prepared, &plan, &folder, &listeners(folder.path()), cancel)
}

/// Keeps what the last of the outermost calls said.
#[derive(Default)]
struct Said(Mutex<(u64, Option<(String, Value)>)>);

impl Observer for Said {
    fn event(&self, event: &Event) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            EventKind::ToolStarted { call, parent: None, .. } => *said = (*call, None),
            EventKind::ToolFinished { call, result, message, failure, .. } if *call == said.0 => {
                let value = json!({ "result": result, "message": message, "failure": failure });
                said.1 = Some((message.clone(), value));
            }
            _ => {}
        }
    }
}

/// Says beside the result what a person should know while a tool runs.
struct Aside;

impl Observer for Aside {
    fn event(&self, event: &Event) {
        match &event.kind {
            EventKind::Warning { message, hint } => {
                talk!("warning: {message}");
                hint.iter().for_each(|hint| talk!("hint: {hint}"));
            }
            EventKind::Progress { progress, .. } => talk!("… {progress}"),
            _ => {}
        }
    }
}

fn run_tool(args: RunArgs) -> Result<Exit, Problem> {
    let mut bench = args.on.bench()?;
    let cancel = interruptible();
    let servers = ToolsetServers::new(&cancel, Endpoint::for_one()?);
    let registry = bench.registry(Some(servers.as_ref()))?;
    if !bench.has_errors() {
        registry.find(&args.name).map_err(|failure| {
            let problem = Problem::new(Exit::BadDocument, failure.message);
            Problem { hint: failure.hint, ..problem }
        })?;
    }
    let values = args.args.into_iter().map(|(name, text)| Ok((name.clone(), value(&name, text)?)));
    let values: Map<String, Value> = values.collect::<Result<_, Problem>>()?;
    let mut calls = if args.launch { vec![bench.launch()?] } else { Vec::new() };
    calls.push(ToolCall::new(args.name.as_str(), values));
    let trail = bench.trail(&args.name, calls, registry);
    let verbosity = if args.on.verbose { Verbosity::Verbose } else { Verbosity::Quiet };
    let said = Arc::new(Said::default());
    let listeners = |folder: &std::path::Path| {
        let mut listeners: Listeners = vec![said.clone()];
        listeners.push(match args.on.verbose {
            true => Arc::new(terminal(args.json, verbosity, Some(folder), true)),
            false => Arc::new(Aside),
        });
        listeners
    };
    let options = args.on.clone().options();
    let outcome = run_trails(&options, &bench, vec![trail], listeners, &cancel)?;
    let said = said.0.lock().unwrap_or_else(PoisonError::into_inner).1.take();
    if args.json {
        print_json(&said.map(|(_, value)| value).unwrap_or_default());
    } else if let Some((message, _)) = said.filter(|(message, _)| !message.is_empty()) {
        print(&format!("{message}\n"));
    }
    if !args.json && !args.on.verbose {
        for failure in outcome.result.trails.iter().filter_map(|trail| trail.failure.clone()) {
            // The call stands in no file.
            talk!("error: {}", Failure { at: None, ..failure });
        }
    }
    Ok(outcome.exit())
}

/// Scalars are brought to the type that the tool asks for when the call is checked.
fn value(name: &str, text: String) -> Result<Value, Problem> {
    if !text.starts_with(['{', '[']) {
        return Ok(text.into());
    }
    serde_json::from_str(&text).map_err(|error| {
        Problem::new(Exit::Usage, format!("the argument '{name}' is no valid JSON: {error}"))
    })
}

fn test(args: TestArgs, cancel: &Cancel) -> Result<Exit, Problem> {
    let mut bench = args.on.bench()?;
    let found = authoring::tests::find(&bench, &args.paths)?;
    let servers = ToolsetServers::new(cancel, Endpoint::for_one()?);
    let mut trails = authoring::tests::trails(&mut bench, &found, servers.as_ref())?;
    if !args.filters.is_empty() {
        trails.retain(|trail| args.filters.iter().any(|filter| trail.id.contains(filter.as_str())));
    }
    if trails.is_empty() && !bench.has_errors() {
        let message = "no test fits";
        return Err(Problem::new(Exit::BadDocument, message).hint("a test is made with 'test(name, …)'"));
    }
    let verbosity = verbosity(args.on.verbose, false);
    let options = RunOptions { junit: args.junit.clone(), ..args.on.clone().options() };
    let listeners = |folder: &std::path::Path| -> Listeners {
        vec![Arc::new(terminal(false, verbosity, Some(folder), true))]
    };
    let outcome = run_trails(&options, &bench, trails, listeners, cancel)?;
    print_outcome(&outcome, false, verbosity);
    Ok(outcome.exit())
}
