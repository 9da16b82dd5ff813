//! `trailblaze tools`

use serde_json::{Value, json};
use trailblaze_engine::registry::{Registry, Tool};

use super::{Scope, print, print_json};
use crate::exit_code::{Exit, Problem};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Show this tool with its arguments
    name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    scope: Scope,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let registry = args.scope.registry()?;
    match &args.name {
        Some(name) => one(&registry, name, args.json)?,
        None if args.json => print_json(&registry.tools().map(|tool| entry(&registry, tool)).collect()),
        None => list(&registry),
    }
    Ok(Exit::Passed)
}

fn entry(registry: &Registry, tool: &Tool) -> Value {
    let mut entry = tool.descriptor();
    if let Value::Object(map) = &mut entry {
        map.insert("source".into(), tool.source.to_string().into());
        map.insert("toolsets".into(), json!(registry.groups_of(tool)));
        map.insert("offered".into(), registry.is_offered(tool).into());
        map.insert("flags".into(), json!(tool.flags));
    }
    entry
}

fn one(registry: &Registry, name: &str, as_json: bool) -> Result<(), Problem> {
    let tool = registry.find(name).map_err(|failure| {
        let problem = Problem::new(Exit::BadDocument, failure.message);
        Problem { hint: failure.hint, ..problem }
    })?;
    if as_json {
        print_json(&entry(registry, tool));
        return Ok(());
    }
    let mut text = format!("{}\n  {}\n  source: {}\n", tool.name, tool.description, tool.source);
    let groups: Vec<String> = registry.groups_of(tool).into_iter().collect();
    if !groups.is_empty() {
        text += &format!("  toolsets: {}\n", groups.join(", "));
    }
    let marks = crate::docs::marks(tool);
    if !marks.is_empty() {
        text += &format!("  flags: {}\n", marks.join(", "));
    }
    let arguments = crate::docs::arguments(tool);
    if !arguments.is_empty() {
        text += "\narguments:\n";
    }
    let width = arguments.iter().map(|argument| argument.name.len()).max().unwrap_or(0);
    for argument in &arguments {
        let description = [argument.kind.as_str(), argument.note.as_str(), argument.description.as_str()];
        let description: Vec<&str> = description.into_iter().filter(|part| !part.is_empty()).collect();
        text += &format!("  {:width$}  {}\n", argument.name, description.join(", "));
    }
    print(&text);
    Ok(())
}

fn list(registry: &Registry) {
    let width = registry.tools().map(|tool| tool.name.len()).max().unwrap_or(0);
    for tool in registry.tools() {
        let mark = if registry.is_offered(tool) { '*' } else { ' ' };
        let first =
            tool.description.split_inclusive(". ").next().unwrap_or_default().trim().trim_end_matches('.');
        print(&format!("{mark} {:width$}  {first}\n", tool.name));
    }
    talk!("\n* offered to a model; 'trailblaze tools NAME' shows one");
}
