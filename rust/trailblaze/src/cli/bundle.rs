//! `trailblaze bundle`

use std::path::{Path, PathBuf};

use serde_json::json;
use trailblaze_bundle::With;
use trailblaze_model::diagnostic::{Diagnostics, Severity};

use super::{print, print_json, watch};
use crate::bundles::{self, make};
use crate::exit_code::{Exit, Problem};
use crate::{files, load, workspace};

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The workspace; the current folder's unless given
    workspace: Option<PathBuf>,
    /// Where the bundles go, 'bundles' in the workspace unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What makes them; 'auto' needs no other program where the sources allow it, else esbuild or bun
    #[arg(long, value_enum, default_value_t)]
    with: Choice,
    /// Bundle again whenever a file of the workspace changes
    #[arg(long)]
    watch: bool,
    /// Also write the compiled form, which starts faster; only a phone reads it, from its APK
    #[arg(long)]
    compile: bool,
    /// Print what was made as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Choice {
    #[default]
    Auto,
    Own,
    Esbuild,
    Bun,
}

impl From<Choice> for With {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Auto => Self::Auto,
            Choice::Own => Self::Own,
            Choice::Esbuild => Self::Esbuild,
            Choice::Bun => Self::Bun,
        }
    }
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    if args.watch {
        let from = args.workspace.as_deref();
        let root = workspace::find_root(from.unwrap_or_else(|| Path::new(".")));
        let out = args.out.clone().or_else(|| Some(root.clone()?.join(bundles::FOLDER)));
        if let (Some(root), Some(out)) = (&root, &out)
            && root.canonicalize().is_ok_and(|root| out.canonicalize().is_ok_and(|out| out == root))
        {
            let message = "the bundles cannot go into the very folder that is watched";
            return Err(Problem::new(Exit::Usage, message).hint("name a folder in it with --out"));
        }
        return watch::each_change(from, out.as_deref(), |_| bundle(args));
    }
    bundle(args)
}

fn bundle(args: &Args) -> Result<Exit, Problem> {
    let mut problems = Diagnostics::new();
    let paths: Vec<PathBuf> = args.workspace.iter().cloned().collect();
    let workspace = load::open(&paths, &mut problems)?;
    let root = workspace.root.clone().ok_or_else(|| {
        Problem::new(Exit::BadDocument, "there is no workspace here").hint("'trailblaze init' makes one")
    })?;
    let folder = args.out.clone().unwrap_or_else(|| root.join(bundles::FOLDER));
    let mut made = Vec::new();
    for script in workspace.scripts() {
        match make::make(&root, &script, args.with.into()) {
            Ok(bundle) => made.push(bundle),
            Err(found) => problems.extend(found),
        }
    }
    let problems = problems.sorted();
    problems.iter().for_each(|problem| talk!("{problem}\n"));
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(Problem::new(Exit::BadDocument, "nothing was written because of the errors above"));
    }
    if made.is_empty() {
        let problem = Problem::new(Exit::BadDocument, "this workspace has no scripts to bundle");
        return Err(problem.hint("a target names them under 'mcp_servers', as '- script: ./tools.ts'"));
    }
    let mut list = Vec::new();
    for bundle in &made {
        let cannot = |error: std::io::Error| {
            let message = format!("{} cannot be written: {}", files::shown(&folder), files::why(&error));
            Problem::new(Exit::BadDocument, message)
        };
        let path = make::save(&folder, bundle).map_err(cannot)?;
        if args.compile {
            make::save_compiled(&folder, bundle).map_err(cannot)?;
        }
        let kib = bundle.code.len().div_ceil(1024);
        let (script, by) = (&bundle.header.name, bundle.header.bundler.as_str());
        if !args.json {
            print(&format!("{script} → {} ({kib} KiB, {by})\n", files::shown(&path)));
        }
        list.push(json!({ "script": script, "bundle": files::shown(&path), "bytes": bundle.code.len(), "bundler": by }));
    }
    if args.json {
        print_json(&json!(list));
    }
    Ok(Exit::Passed)
}
