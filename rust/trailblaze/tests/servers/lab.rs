//! Workspaces with servers.

use std::process::Command;

use serde_json::Value;

use crate::space::{Ran, Space};

/// How scripts are run where a test does not say it: with node, which is on every machine that builds this.
const RUNTIME: (&str, &str) = ("TRAILBLAZE_SCRIPT_RUNTIME", "node");

/// A workspace whose target has these servers: entries of `mcp_servers:`, a line each.
pub(crate) fn lab(entries: &[&str]) -> Space {
    let space = Space::lab();
    for (name, text) in [
        ("tools/mcp.mjs", include_str!("mcp.mjs")),
        ("tools/server.mjs", include_str!("server.mjs")),
        ("tools/toolset.mjs", include_str!("toolset.mjs")),
    ] {
        space.write(name, text);
    }
    if entries.is_empty() {
        return space;
    }
    let entries: String = entries.iter().map(|entry| format!("  - {entry}\n")).collect();
    space.target(&format!("mcp_servers:\n{entries}"));
    space
}

/// The entry of a server in `tools`.
pub(crate) fn node(file: &str) -> String {
    format!("{{ name: {file}, command: node, args: [tools/{file}.mjs] }}")
}

/// A workspace with one server called `one` that has these tools: JavaScript objects with `name` and `handler`.
pub(crate) fn lab_with(tools: &str) -> Space {
    let space = lab(&[&node("one")]);
    serve(&space, "one", tools);
    space
}

/// Writes a server with these tools into `tools`.
pub(crate) fn serve(space: &Space, file: &str, tools: &str) {
    let text = format!("import {{ serve, text }} from \"./mcp.mjs\";\n\nserve([{tools}]);\n");
    space.write(&format!("tools/{file}.mjs"), text);
}

pub(crate) fn command(space: &Space, args: &[&str]) -> Command {
    let mut command = space.command(args);
    command.env(RUNTIME.0, RUNTIME.1);
    command
}

pub(crate) fn run(space: &Space, args: &[&str]) -> Ran {
    space.ran(command(space, args).output().unwrap())
}

/// The names of the tools that begin with `lab_`, as they are registered.
#[track_caller]
pub(crate) fn registered(space: &Space, args: &[&str]) -> Vec<String> {
    let tools = run(space, &[&["tools", "--json"], args].concat()).exits(0).json();
    let names = tools.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str());
    names.filter(|name| name.starts_with("lab_")).map(str::to_owned).collect()
}

/// What `trailblaze tools NAME --json` says.
#[track_caller]
pub(crate) fn tool(space: &Space, name: &str) -> Value {
    run(space, &["tools", name, "--json"]).exits(0).json()
}

/// Calls one tool, and what it says, without the end of the line.
#[track_caller]
pub(crate) fn call(space: &Space, name: &str, args: &[&str]) -> String {
    run(space, &[&["tool", "run", name], args].concat()).exits(0).stdout.trim_end().to_owned()
}
