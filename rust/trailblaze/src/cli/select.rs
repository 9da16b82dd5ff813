//! `trailblaze select`

use std::path::PathBuf;

use serde_json::{Value, json};
use trailblaze_engine::matching::{self, generate, native};
use trailblaze_engine::reach::{Reach, reach};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::maestro::{self, Kind};
use trailblaze_model::place::Source;
use trailblaze_model::screen::{Bounds, NodeId, Screen};
use trailblaze_model::selector::{NodeSelector, Selector};
use trailblaze_model::yaml;

use super::{print, print_json};
use crate::exit_code::{Exit, Problem};
use crate::screens;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The captured screen
    #[arg(long, value_name = "FILE")]
    screen: PathBuf,
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
    let value = read_value(&args.selector)?;
    let (found, explanation) = match args.dialect {
        Dialect::Native => {
            let selector = native_selector(&value)?;
            let found = native::try_resolve(screen, &selector).map_err(|_| too_slow())?;
            (found, matching::explain(screen, &selector))
        }
        Dialect::Maestro => {
            let selector = maestro_selector(&value)?;
            let found = matching::try_find(screen, &selector).map_err(|_| too_slow())?;
            (found, matching::suggestion(screen, &selector))
        }
    };
    let explanation = explanation.unwrap_or_else(|| "nothing on the screen fits".to_owned());
    if args.json {
        let matches: Vec<Value> = found.iter().map(|id| entry(screen, *id)).collect();
        let mut result = json!({ "matches": matches });
        if found.is_empty() {
            result["explanation"] = explanation.into();
        }
        print_json(&result);
    } else {
        found.iter().for_each(|id| print(&line(screen, *id)));
        if found.is_empty() {
            talk!("no element fits\nhint: {explanation}");
        }
    }
    Ok(if found.is_empty() { Exit::TrailFailed } else { Exit::Passed })
}

fn too_slow() -> Problem {
    bad("a pattern of the selector takes too long on this screen")
        .hint("use fewer repetitions inside of each other")
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

fn tap_point(screen: &Screen, id: NodeId) -> Option<(i32, i32)> {
    let node = screen.node(id);
    match reach(node) {
        Reach::At(part) => Some(part.center()),
        // Where it would be if nothing were in the way.
        Reach::Covered(_) | Reach::OffScreen => node.bounds().map(Bounds::center),
        Reach::Nowhere => None,
    }
}

fn entry(screen: &Screen, id: NodeId) -> Value {
    let tap = tap_point(screen, id).map(|(x, y)| json!([x, y]));
    let selectors: Vec<Value> = generate::selectors(screen, id).iter().map(NodeSelector::to_value).collect();
    json!({ "nodeId": screen.node(id).device_id(), "tap": tap, "selectors": selectors })
}

fn line(screen: &Screen, id: NodeId) -> String {
    let node = screen.node(id);
    let tap = tap_point(screen, id).map_or_else(String::new, |(x, y)| format!(" at {x},{y}"));
    let says = node.resolved_text().or_else(|| node.resource_id()).unwrap_or_default();
    let mut text = format!("node {}{tap}: {says}\n", node.device_id());
    for selector in generate::selectors(screen, id).iter().take(3) {
        text += &format!("  {selector}\n");
    }
    text
}
