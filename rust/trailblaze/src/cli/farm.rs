//! `trailblaze farm`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Subcommand;
use serde_json::json;
use trailblaze_model::diagnostic::Severity;
use trailblaze_model::names;
use trailblaze_report::terminal::{Options, Terminal};

use super::{pair, print, print_json};
use crate::env_vars;
use crate::exit_code::{Exit, Problem};
use crate::farm::collect::{self, CollectOptions};
use crate::farm::plan::{self, PlanOptions};
use crate::farm::{Farm, Kind, Shards};
use crate::files;
use crate::run::{Listeners, Selection};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write what a farm takes to run the trails, and print the command to type
    Plan(Box<PlanArgs>),
    /// Make one report out of what a farm gave back
    Collect(CollectArgs),
}

#[derive(Debug, clap::Args)]
struct PlanArgs {
    /// The farm: firebase, device-run or aws
    #[arg(long, value_name = "FARM")]
    farm: String,
    /// The devices: MODEL-VERSION with commas between, the version an API level; for AWS models, or the ARN of a pool; may be
    /// repeated
    #[arg(long, value_name = "LIST", required = true)]
    devices: Vec<String>,
    /// The app under test
    #[arg(long, value_name = "APK")]
    app: String,
    /// The test APK that 'trailblaze apk pack' made
    #[arg(long, value_name = "APK")]
    test: String,
    /// How many parts run side by side; 'auto' takes as few as the farm's limits allow
    #[arg(long, value_name = "N", default_value = "auto", value_parser = shards)]
    shards: Shards,
    /// The longest that a shard may take; the limit of the farm unless given
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// What the devices are, where their names do not tell: limits differ
    #[arg(long, value_enum)]
    kind: Option<KindArg>,
    /// How often the farm runs a shard again that failed
    #[arg(long, value_name = "N", default_value_t = 0)]
    retries: u32,
    /// An argument for the runner on the phone, as with 'am instrument -e', such as 'memory=user=ann'; may be repeated
    #[arg(short = 'e', long = "option", value_name = "NAME=VALUE", value_parser = pair)]
    options: Vec<(String, String)>,
    /// The project at the farm: an id, for AWS an ARN
    #[arg(long, value_name = "ID")]
    project: Option<String>,
    /// AWS: let the farm find the tests itself instead of starting our runner
    #[arg(long)]
    standard: bool,
    /// The workspace; the current folder's unless given
    #[arg(short, long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The target; the workspace's unless given
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    #[command(flatten)]
    chosen: Chosen,
    /// Where the plan goes, '.trailblaze/farm/FARM' in the workspace unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct CollectArgs {
    /// What came back: a folder, or a zip of one
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The workspace that was run; the current folder's unless given
    #[arg(short, long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The plan that was run; without it, all trails of the workspace should have come back
    #[arg(long, value_name = "DIR")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    chosen: Chosen,
    /// Also write the report as JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Where the report goes, a folder of its own in '.trailblaze/runs' unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Debug, clap::Args)]
struct Chosen {
    /// Only trails with this tag; several: any of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only trails whose id or title has this in it; a glob with '*'
    #[arg(long = "filter", value_name = "TEXT")]
    filters: Vec<String>,
}

impl Chosen {
    fn selection(&self) -> Selection {
        Selection { tags: self.tags.clone(), filters: self.filters.clone(), shard: None }
    }
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum KindArg {
    /// A phone on a shelf
    Physical,
    /// A virtual device with Arm
    Arm,
    /// A virtual device with x86
    X86,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Physical => Self::Physical,
            KindArg::Arm => Self::Arm,
            KindArg::X86 => Self::X86,
        }
    }
}

fn shards(text: &str) -> Result<Shards, String> {
    match text.parse() {
        _ if text == "auto" => Ok(Shards::Auto),
        Ok(count) if count > 0 => Ok(Shards::Count(count)),
        _ => Err("write 'auto' or a number from 1".to_owned()),
    }
}

fn farm(name: &str) -> Result<Farm, Problem> {
    Farm::ALL.into_iter().find(|farm| farm.key() == name).ok_or_else(|| {
        let known = Farm::ALL.map(Farm::key);
        let hint = names::nearest_hint(name, known);
        let hint = hint.unwrap_or_else(|| format!("known farms: {}", known.join(", ")));
        Problem::new(Exit::Usage, format!("unknown farm '{name}'")).hint(hint)
    })
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    match &args.command {
        Command::Plan(args) => run_plan(args),
        Command::Collect(args) => run_collect(args),
    }
}

fn run_plan(args: &PlanArgs) -> Result<Exit, Problem> {
    let options = PlanOptions {
        farm: farm(&args.farm)?,
        paths: args.workspace.iter().cloned().collect(),
        target: args.target.clone(),
        selection: args.chosen.selection(),
        app: args.app.clone(),
        test: args.test.clone(),
        devices: args.devices.clone(),
        kind: args.kind.map(Kind::from),
        shards: args.shards,
        minutes: args.minutes,
        options: args.options.clone(),
        retries: args.retries,
        project: args.project.clone(),
        standard: args.standard,
        out: args.out.clone(),
    };
    let plan = plan::make(&options)?;
    plan.problems.iter().for_each(|problem| talk!("{problem}\n"));
    if plan.problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(Problem::new(Exit::BadDocument, "nothing was planned because of the errors above"));
    }
    plan::write(&plan)?;
    let names: Vec<String> =
        plan.files.iter().map(|(name, _)| files::shown(&plan.folder.join(name))).collect();
    if args.json {
        print_json(&json!({ "command": plan.command, "files": names, "notes": plan.notes }));
        return Ok(Exit::Passed);
    }
    plan.notes.iter().for_each(|note| talk!("{note}"));
    talk!("plan: {}", files::shown(&plan.folder));
    print(&format!("{}\n", plan.command));
    Ok(Exit::Passed)
}

/// As for `run`, without a line that follows what happens: everything has happened.
fn terminal(folder: &Path) -> Terminal {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let options = Options {
        color: std::io::stdout().is_terminal() && !env_vars::NO_COLOR.is_set(),
        columns: columns.unwrap_or(100),
        folder: Some(PathBuf::from(files::shown(folder))),
        collected: true,
        ..Options::default()
    };
    Terminal::new(Box::new(std::io::stdout()), Box::new(std::io::sink()), options)
}

fn run_collect(args: &CollectArgs) -> Result<Exit, Problem> {
    let options = CollectOptions {
        folder: args.folder.clone(),
        paths: args.workspace.iter().cloned().collect(),
        plan: args.plan.clone(),
        selection: args.chosen.selection(),
        junit: args.junit.clone(),
        out: args.out.clone(),
    };
    let collected = collect::read(&options)?;
    collected.notes.iter().for_each(|note| talk!("warning: {note}"));
    let folder = collect::folder(&options, &collected)?;
    let listeners: Listeners = if args.json { Vec::new() } else { vec![Arc::new(terminal(folder.path()))] };
    let outcome = collect::report(&options, &collected, &folder, &listeners)?;
    outcome.problems.iter().for_each(|problem| talk!("{problem}"));
    if args.json {
        print_json(&outcome.to_json(&collected.troubles));
        return Ok(outcome.exit());
    }
    let list = |title: &str, items: &[String]| {
        if !items.is_empty() {
            print(&format!(
                "{title}:\n{}",
                items.iter().map(|item| format!("  {item}\n")).collect::<String>()
            ));
        }
    };
    list("flaky", &outcome.flaky);
    let troubles: Vec<String> = collected.troubles.iter().map(ToString::to_string).collect();
    list("infrastructure", &[outcome.infrastructure.clone(), troubles].concat());
    print(&format!("report: {}\n", files::shown(&outcome.folder.join("summary.md"))));
    Ok(outcome.exit())
}
