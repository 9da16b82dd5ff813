//! `trailblaze replay`

use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_engine::host::Cancel;
use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind};
use trailblaze_report::terminal::Terminal;

use super::run::{terminal, verbosity};
use super::{print, print_json};
use crate::exit_code::{Exit, Problem};
use crate::replay::{ReplayOptions, replay};
use crate::run::Listeners;
use crate::session;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A session folder, a folder of them, or the bundle of a failure
    session: PathBuf,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write every event as a line of JSON
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Keep the reports here
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the results as one JSON object
    #[arg(long)]
    json: bool,
    /// Show every tool call and gesture
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
    /// Show only failures and the summary
    #[arg(long, short)]
    quiet: bool,
}

/// Does not speak of files that nobody keeps.
struct WithoutFiles(Arc<Terminal>);

impl Observer for WithoutFiles {
    fn event(&self, event: &Event) {
        if !matches!(event.kind, EventKind::Saved { .. }) {
            self.0.event(event);
        }
    }
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let sessions = session::read(&args.session)?;
    if sessions.len() > 1 && (args.events.is_some() || args.junit.is_some() || args.out.is_some()) {
        let message = format!("{} holds {} sessions", args.session.display(), sessions.len());
        return Err(Problem::new(Exit::Usage, message).hint("replay them one by one to write reports"));
    }
    let cancel = Cancel::default();
    let options =
        ReplayOptions { events: args.events.clone(), junit: args.junit.clone(), out: args.out.clone() };
    let mut exit = Exit::Passed;
    let mut results = Vec::new();
    for found in &sessions {
        let meta = &found.session.meta;
        let verbosity = verbosity(args.verbose, args.quiet);
        let terminal = Arc::new(terminal(args.json, verbosity, args.out.as_deref(), true));
        let listeners: Listeners = match args.out {
            Some(_) => vec![terminal],
            None => vec![Arc::new(WithoutFiles(terminal))],
        };
        let replayed = replay(found, &options, &listeners, &cancel)?;
        replayed.outcome.problems.iter().for_each(|problem| talk!("{problem}"));
        let difference = replayed.difference();
        let mut result = replayed.outcome.result.to_json();
        result["asRecorded"] = difference.is_none().into();
        if !args.json {
            let how = difference.unwrap_or_else(|| format!("as recorded ({})", meta.verdict));
            print(&format!("{}: {how}\n", meta.trail));
        }
        exit = exit.max(replayed.outcome.exit());
        results.push(result);
    }
    if args.json {
        match results.as_slice() {
            [one] => print_json(one),
            several => print_json(&serde_json::json!({ "sessions": several })),
        }
    }
    Ok(exit)
}
