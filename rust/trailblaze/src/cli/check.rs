//! `trailblaze check`

use std::path::PathBuf;

use serde_json::{Value, json};
use trailblaze_model::diagnostic::{Code, Diagnostic, Severity};

use super::{print, print_json};
use crate::exit_code::{Exit, Problem};
use crate::load::{self, LoadOptions};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Workspaces, folders, trail files or globs; the workspace of the current folder unless given
    paths: Vec<PathBuf>,
    /// The target; the trail's or the workspace's unless given
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// Print what was found as one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let options = LoadOptions { target: args.target.clone(), ..LoadOptions::new(args.paths.clone()) };
    let loaded = match load::load(&options) {
        Ok(loaded) => loaded,
        Err(problem) if args.json => {
            let entry = json!({
                "file": null, "line": null, "column": null, "code": Code::Unreadable.as_str(),
                "message": problem.message, "hint": problem.hint,
            });
            print_json(&json!({ "files": 0, "errors": [entry], "warnings": [] }));
            return Ok(problem.exit);
        }
        Err(problem) => return Err(problem),
    };
    let errors = loaded.errors().count();
    let warnings = loaded.problems.len() - errors;
    if args.json {
        let of = |severity: Severity| -> Vec<Value> {
            loaded.problems.iter().filter(|problem| problem.severity == severity).map(entry).collect()
        };
        print_json(&json!({
            "files": loaded.documents,
            "errors": of(Severity::Error),
            "warnings": of(Severity::Warning),
        }));
    } else {
        for problem in &loaded.problems {
            talk!("{problem}\n");
        }
        let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        print(&format!(
            "{} checked: {}, {}\n",
            count(loaded.documents, "file"),
            count(errors, "error"),
            count(warnings, "warning")
        ));
    }
    // The program ends here; giving every node of every document back one by one would only take time.
    std::mem::forget(loaded);
    Ok(if errors == 0 { Exit::Passed } else { Exit::BadDocument })
}

fn entry(problem: &Diagnostic) -> Value {
    let (file, line, column) = match &problem.at {
        Some(at) => (json!(at.file), json!(at.place.line), json!(at.place.column)),
        None => (Value::Null, Value::Null, Value::Null),
    };
    json!({
        "file": file,
        "line": line,
        "column": column,
        "code": problem.code.as_str(),
        "message": problem.message,
        "hint": problem.hint,
    })
}
