//! `trailblaze run`

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_model::diagnostic::{Code, Severity};
use trailblaze_report::terminal::{Options, Terminal, Verbosity};

use super::{Agent, pair, parse_driver, print, print_json};
use crate::env_vars;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::run::{self, DriverChoice, Outcome, Prepared, RunOptions, Screen, Selection, Shard};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Workspaces, folders, trail files or globs; the workspace of the current folder unless given
    paths: Vec<PathBuf>,

    /// The target; the trail's or the workspace's unless given
    #[arg(long, value_name = "ID", help_heading = "What it runs on")]
    target: Option<String>,
    /// How the screen is driven: 'sim' is the embedded device
    #[arg(long, value_name = "KEY", help_heading = "What it runs on")]
    driver: Option<String>,
    /// The driver that the sim stands in for; wins over what trails ask for
    #[arg(long = "as", value_name = "KEY", help_heading = "What it runs on")]
    stands_in_for: Option<String>,
    /// The device
    #[arg(long, value_name = "ID", default_value = "sim", help_heading = "What it runs on")]
    device: String,
    /// The JavaScript app that the sim runs; the target's unless given
    #[arg(long, value_name = "FILE", help_heading = "What it runs on")]
    app: Option<PathBuf>,
    /// Where the agent runs
    #[arg(long, value_enum, default_value_t, help_heading = "What it runs on")]
    agent: Agent,

    /// Only trails with this tag; several: any of them
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which trails")]
    tags: Vec<String>,
    /// Only trails whose id or title contains this or matches it as a glob; several: any of them
    #[arg(long = "filter", value_name = "TEXT", help_heading = "Which trails")]
    filters: Vec<String>,
    /// Only the i-th of n parts; a trail is always in the same part
    #[arg(long, value_name = "I/N", help_heading = "Which trails")]
    shard: Option<Shard>,

    /// Remember a value before the first step
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, help_heading = "Values")]
    memory: Vec<(String, String)>,
    /// Remember a value that is never shown
    #[arg(long = "secret", value_name = "NAME=VALUE", value_parser = secret, help_heading = "Values")]
    secrets: Vec<(String, Secret)>,
    /// Give a declared argument of the trail
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair, help_heading = "Values")]
    args: Vec<(String, String)>,
    /// A variable that nobody knows is an error
    #[arg(long, help_heading = "Values")]
    strict: bool,

    /// Try a failed trail again, so often
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "How")]
    retries: u32,
    /// Start no more trails after the first that fails
    #[arg(long, help_heading = "How")]
    fail_fast: bool,
    /// Run so many trails at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "How")]
    jobs: u16,

    /// Write JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    junit: Option<PathBuf>,
    /// Write every event as a line of JSON
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    events: Option<PathBuf>,
    /// Write what was invoked as a trail that replays
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    record: Option<PathBuf>,
    /// Put the reports here instead of .trailblaze/runs/
    #[arg(long, value_name = "DIR", help_heading = "Reports")]
    out: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long, help_heading = "Reports")]
    json: bool,
    /// Show every tool call and gesture
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Reports")]
    verbose: bool,
    /// Show only failures and the summary
    #[arg(long, short, help_heading = "Reports")]
    quiet: bool,
}

fn secret(text: &str) -> Result<(String, Secret), String> {
    pair(text).map(|(name, value)| (name, Secret::new(value)))
}

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    let driver = driver(&args)?;
    let json = args.json;
    let verbosity = match (args.verbose, args.quiet) {
        (true, _) => Verbosity::Verbose,
        (_, true) => Verbosity::Quiet,
        _ => Verbosity::Normal,
    };
    let options = RunOptions {
        paths: args.paths,
        target: args.target,
        driver,
        agent: args.agent.into(),
        memory: args.memory,
        secrets: args.secrets,
        args: args.args,
        selection: Selection { tags: args.tags, filters: args.filters, shard: args.shard },
        retries: args.retries,
        fail_fast: args.fail_fast,
        jobs: usize::from(args.jobs),
        strict: args.strict,
        app: args.app,
        junit: args.junit,
        events: args.events,
        record: args.record,
        out: args.out,
    };
    let prepared = run::prepare(&options)?;
    report_problems(&prepared)?;
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    let screen = Screen { terminal: Some(Arc::new(terminal(json, verbosity))) };
    let outcome = run::run(&options, &prepared, &screen, &cancel)?;
    print_outcome(&outcome, json, verbosity);
    Ok(outcome.exit())
}

/// Only the sim can be driven in this version; everything else is refused with the reason.
fn driver(args: &Args) -> Result<DriverChoice, Problem> {
    let by_name = |name: &String| parse_driver(name);
    let stands_in_for = args.stands_in_for.as_ref().map(by_name).transpose()?;
    match args.driver.as_deref() {
        None | Some("sim") => {}
        Some("recorded") => {
            let message = "the driver 'recorded' is not part of this version";
            return Err(Problem::new(Exit::Device, message).hint("use '--driver sim'"));
        }
        Some(name) => {
            let driver = parse_driver(name)?;
            let reason = driver.unsupported().unwrap_or("this version does not drive phones yet");
            let message = format!("the driver '{driver}' cannot be used: {reason}");
            let hint = format!("'--driver sim --as {driver}' runs the trails on the embedded device");
            return Err(Problem::new(Exit::Device, message).hint(hint));
        }
    }
    if args.device != "sim" {
        let message = format!("there is no device '{}'", args.device);
        return Err(
            Problem::new(Exit::Device, message).hint("this version has one device, 'sim'; see also --jobs")
        );
    }
    if let Some(reason) = stands_in_for.and_then(|driver| driver.unsupported()) {
        let message = format!(
            "the sim cannot stand in for '{}': {reason}",
            args.stands_in_for.as_deref().unwrap_or_default()
        );
        return Err(Problem::new(Exit::Device, message));
    }
    // A driver that was asked for by name beats what trails ask for.
    let named = args.driver.as_ref().map(|_| crate::load::DEFAULT_DRIVER);
    Ok(DriverChoice { stands_in_for: stands_in_for.or(named) })
}

/// Errors end the run before it begins. A tool that nobody knows fails only when it is called.
fn report_problems(prepared: &Prepared) -> Result<(), Problem> {
    let mut errors = 0;
    for problem in &prepared.loaded.problems {
        let unknown_tool = problem.code == Code::UnknownTool;
        if problem.severity == Severity::Error && !unknown_tool {
            errors += 1;
            eprintln!("{problem}\n");
        } else if unknown_tool || problem.code != Code::Coverage {
            let mut warning = problem.clone();
            warning.severity = Severity::Warning;
            eprintln!("{warning}\n");
        }
    }
    match errors {
        0 => Ok(()),
        1 => Err(Problem::new(Exit::BadDocument, "nothing was run because of the error above")),
        n => Err(Problem::new(Exit::BadDocument, format!("nothing was run because of the {n} errors above"))),
    }
}

/// The first Ctrl-C ends the run after the current gesture, the second ends the program.
fn stop_on_interrupt(cancel: &Cancel) {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without a handler the signal ends the program at once, which is what it did before.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, cancel.flag());
        let _ = signal_hook::flag::register(signal, cancel.flag());
    }
}

fn terminal(json: bool, verbosity: Verbosity) -> Terminal {
    let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
    let shown_on_terminal = if json { stderr.is_terminal() } else { stdout.is_terminal() };
    let out: Box<dyn Write + Send> = match (json, stderr.is_terminal()) {
        (false, _) => Box::new(stdout),
        (true, true) => Box::new(std::io::stderr()),
        // A program reads the result; nobody reads along.
        (true, false) => Box::new(std::io::sink()),
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let options = Options {
        color: shown_on_terminal && !env_vars::NO_COLOR.is_set(),
        progress: stderr.is_terminal(),
        verbosity,
        columns: columns.unwrap_or(100),
        folder: None,
    };
    Terminal::new(out, Box::new(stderr), options)
}

fn print_outcome(outcome: &Outcome, json: bool, verbosity: Verbosity) {
    for problem in &outcome.problems {
        eprintln!("{problem}");
    }
    if json {
        print_json(&outcome.result.to_json());
    } else if verbosity != Verbosity::Quiet {
        print(&format!("report: {}\n", files::shown(&outcome.folder.join("summary.md"))));
    }
}
