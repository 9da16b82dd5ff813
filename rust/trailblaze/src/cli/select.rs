//! `trailblaze select`

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value, json};
use trailblaze_engine::matching::{self, generate, native};
use trailblaze_engine::reach::{Reach, reach};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::maestro::{self, Kind};
use trailblaze_model::pattern::OverBudget;
use trailblaze_model::place::Source;
use trailblaze_model::screen::{Bounds, NodeId, NodeRef, Screen};
use trailblaze_model::selector::{self, NodeSelector, Selector};
use trailblaze_model::yaml;

use super::{print, print_json};
use crate::exit_code::{Exit, Problem};
use crate::screens;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The captured screen, or one of a session
    #[arg(long, value_name = "FILE")]
    screen: PathBuf,
    /// Other screens, a file or a folder of them, on which a selector that is made may not fit several elements
    #[arg(long, value_name = "PATH")]
    also: Vec<PathBuf>,
    /// The selector, as JSON or YAML
    #[arg(long, value_name = "JSON")]
    selector: String,
    /// How the selector is meant
    #[arg(long, value_enum, default_value_t)]
    dialect: Dialect,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Dialect {
    /// As under 'nodeSelector' in trails
    #[default]
    Native,
    /// As in Maestro commands
    Maestro,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let saved = screens::read_screen(&args.screen)?;
    let screen = &saved.screen;
    let others = others(&args.also)?;
    let value = read_value(&args.selector)?;
    let (found, explanation) = match args.dialect {
        Dialect::Native => {
            let selector = native_selector(&value)?;
            selector.warnings().into_iter().for_each(|problem| warn(&problem));
            let found = native::try_resolve(screen, &selector).map_err(too_slow)?;
            let explanation = found.is_empty().then(|| matching::explain(screen, &selector));
            (found, explanation)
        }
        Dialect::Maestro => {
            let selector = maestro_selector(&value)?;
            selector.warnings().into_iter().for_each(|problem| warn(&problem));
            let found = matching::try_find(screen, &selector).map_err(too_slow)?;
            let explanation = found.is_empty().then(|| matching::suggestion(screen, &selector));
            (found, explanation)
        }
    };
    let explanation = explanation.map(|text| text.unwrap_or_else(|| "nothing on the screen fits".to_owned()));
    let found: Vec<Match<'_>> = found.into_iter().map(|id| Match::new(screen, &others, id)).collect();
    if args.json {
        let mut result = json!({ "matches": found.iter().map(Match::to_value).collect::<Vec<_>>() });
        if let Some(explanation) = explanation {
            result["explanation"] = explanation.into();
        }
        print_json(&result);
    } else {
        found.iter().for_each(|found| print(&found.to_string()));
        if let Some(explanation) = explanation {
            talk!("no element fits\nhint: {explanation}");
        }
    }
    Ok(if found.is_empty() { Exit::TrailFailed } else { Exit::Passed })
}

/// The screens of files and folders.
fn others(paths: &[PathBuf]) -> Result<Vec<Screen>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(screens::read_screens(path)?.0.into_iter().map(|saved| saved.screen));
        } else {
            found.push(screens::read_screen(path)?.screen);
        }
    }
    Ok(found)
}

fn too_slow(error: OverBudget) -> Problem {
    let failure = matching::too_slow(error);
    Problem { hint: failure.hint, ..bad(failure.message) }
}

fn warn(problem: &selector::Problem) {
    talk!("warning: the selector{}: {}", problem.pointer, problem.message);
    if let Some(hint) = &problem.hint {
        talk!("hint: {hint}");
    }
}

fn bad(message: impl Into<String>) -> Problem {
    Problem::new(Exit::BadDocument, message)
}

/// JSON is YAML.
fn read_value(text: &str) -> Result<Value, Problem> {
    let mut problems = Diagnostics::new();
    let node = yaml::read(&Source::new("--selector", text), &mut problems);
    node.map(|node| node.to_json()).ok_or_else(|| {
        let first = problems.errors().next();
        let message = first.map_or("it is empty", |problem| problem.message.as_str());
        bad(format!("the selector: {message}"))
    })
}

fn native_selector(value: &Value) -> Result<NodeSelector, Problem> {
    // Copied out of a trail, the key comes along.
    let value = value.get("nodeSelector").unwrap_or(value);
    NodeSelector::read(value).map_err(|problems| {
        let first = problems.into_iter().next();
        let (message, hint) = first
            .map(|problem| (format!("the selector{}: {}", problem.pointer, problem.message), problem.hint))
            .unwrap_or_default();
        Problem { hint, ..bad(message) }
    })
}

fn maestro_selector(value: &Value) -> Result<Selector, Problem> {
    let command = maestro::read_command(&json!({ "tapOn": value })).map_err(|problem| Problem {
        hint: problem.hint,
        ..bad(format!("the selector: {}", problem.message))
    })?;
    match command.kind {
        Kind::Tap(tap) => Ok(tap.target.selector),
        _ => Err(bad("the selector cannot be read")),
    }
}

/// An element that fits, and how to mean only that one.
struct Match<'a> {
    node: NodeRef<'a>,
    tap: Option<(i32, i32)>,
    /// Why a finger does not get there.
    blocked: Option<String>,
    selectors: Vec<NodeSelector>,
}

impl<'a> Match<'a> {
    fn new(screen: &'a Screen, others: &[Screen], id: NodeId) -> Self {
        let node = screen.node(id);
        // Where it would be if nothing were in the way.
        let middle = || node.bounds().map(Bounds::center);
        let (tap, blocked) = match reach(node) {
            Reach::At(part) => (Some(part.center()), None),
            Reach::Covered(by) => (middle(), Some(format!("covered by {by}"))),
            Reach::OffScreen => (middle(), Some("off-screen".to_owned())),
            Reach::Nowhere => (None, Some("without a place".to_owned())),
        };
        let all: Vec<&Screen> = others.iter().collect();
        let selectors = generate::selectors_on(&all, screen, id);
        Self { node, tap, blocked, selectors }
    }

    fn to_value(&self) -> Value {
        let tap = self.tap.map(|(x, y)| json!([x, y]));
        let selectors: Vec<Value> = self.selectors.iter().map(NodeSelector::to_value).collect();
        let mut value = json!({ "nodeId": self.node.device_id(), "tap": tap, "selectors": selectors });
        if let Some(blocked) = &self.blocked {
            value["reach"] = blocked.as_str().into();
        }
        value
    }
}

impl fmt::Display for Match<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.node.device_id())?;
        if let Some((x, y)) = self.tap {
            write!(f, " at {x},{y}")?;
        }
        if let Some(blocked) = &self.blocked {
            write!(f, " ({blocked})")?;
        }
        let says = self.node.resolved_text().or_else(|| self.node.resource_id()).unwrap_or_default();
        writeln!(f, ": {says}")?;
        for selector in self.selectors.iter().take(3) {
            writeln!(f, "  {selector}")?;
        }
        Ok(())
    }
}
