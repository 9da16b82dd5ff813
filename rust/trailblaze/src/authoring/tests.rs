//! Tests of tools: `*.test.ts` files beside a toolset, each test on a fresh sim.
//!
//! A test file is a toolset like any other, whose tools are its tests. So a test runs as a trail of one call, with the
//! device, the limits and the reports that every trail has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Map;
use trailblaze_engine::server::{self, Provider};
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::Diagnostic;
use trailblaze_model::workspace::ServerKind;

use super::Bench;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::load::LoadedTrail;
use crate::toolsets::{Starter, Toolsets};
use crate::workspace;

const ENDINGS: &[&str] = &[".test.ts", ".test.js", ".test.mts", ".test.mjs"];

fn is_test(path: &Path) -> bool {
    let name = path.to_string_lossy();
    ENDINGS.iter().any(|ending| name.ends_with(ending)) && path.is_file()
}

/// The test files that were named, or those beside the workspace's scripts.
pub fn find(bench: &Bench, named: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let root = bench.workspace.root.clone().unwrap_or_default();
    let mut found = Vec::new();
    for path in named {
        if path.is_dir() {
            collect(path, &mut found);
        } else if path.is_file() {
            found.push(path.clone());
        } else {
            let message = format!("{} does not exist", files::shown(path));
            return Err(Problem::new(Exit::BadDocument, message));
        }
    }
    if named.is_empty() {
        let servers = bench.workspace.targets.iter().flat_map(|target| &target.servers);
        for entry in servers.chain(&bench.workspace.file.servers) {
            if let ServerKind::Script(script) = &entry.kind {
                let folder = files::normal(&root.join(script));
                folder.parent().into_iter().for_each(|folder| collect(folder, &mut found));
            }
        }
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        let message = "there are no tests beside the scripts of this workspace";
        return Err(Problem::new(Exit::BadDocument, message)
            .hint("they are files like 'login.test.ts'; see docs/tools-typescript.md"));
    }
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in workspace::entries(folder) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && name != "node_modules" && !name.starts_with('.') {
            collect(&path, found);
        } else if is_test(&path) {
            found.push(path);
        }
    }
}

/// Every test of the files as a trail.
pub fn trails(
    bench: &mut Bench,
    found: &[PathBuf],
    starter: &dyn Starter,
) -> Result<Vec<LoadedTrail>, Problem> {
    let workspace = bench.workspace.clone();
    let root = files::normal(&workspace.root.clone().unwrap_or_default());
    let toolsets = Toolsets::new(&workspace, bench.target.as_deref(), bench.agent);
    let mut tests = Vec::new();
    for path in found {
        let full = files::normal(&std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        let script = full.strip_prefix(&root).unwrap_or(&full).to_string_lossy().replace('\\', "/");
        let shown = files::shown(path);
        let mut problems: Vec<Diagnostic> = Vec::new();
        if let Some((provider, listed)) = toolsets.open(&script, &script, None, &mut problems) {
            let provider: Arc<dyn Provider> = Arc::new(provider);
            let tools = server::tools(&provider, &listed, None, &mut problems);
            tests.extend(tools.into_iter().map(|tool| (shown.clone(), tool)));
        }
        for mut problem in problems {
            if problem.at.is_none() {
                problem = problem.in_file(shown.clone());
            }
            bench.problems.push(problem);
        }
    }
    let mut trails = Vec::new();
    let shared = bench.registry(Some(starter))?;
    for (file, tool) in tests {
        let (name, call) = (tool.name.clone(), ToolCall::new(tool.name.clone(), Map::new()));
        let registry = Arc::new(shared.with(tool));
        trails.push(bench.trail(&format!("{file} › {name}"), vec![call], registry));
    }
    Ok(trails)
}
