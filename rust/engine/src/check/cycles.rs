//! Tools that can never end.

use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::order;
use trailblaze_model::place::FilePlace;
use trailblaze_model::tool::{Mode, ToolFile};

/// Tool files that call each other in a circle.
pub fn cycles(files: &[ToolFile]) -> Vec<Diagnostic> {
    let callees = |file: &ToolFile| -> Vec<(String, Option<FilePlace>)> {
        match &file.mode {
            Mode::Tools { calls, .. } => {
                calls.iter().map(|call| (call.name.clone(), call.at.clone())).collect()
            }
            _ => Vec::new(),
        }
    };
    let mut problems = Vec::new();
    let mut reported: Vec<Vec<String>> = Vec::new();
    for start in files {
        let mut path: Vec<String> = vec![start.id.clone()];
        let mut todo: Vec<Vec<(String, Option<FilePlace>)>> = vec![callees(start)];
        let mut seen: Vec<String> = Vec::new();
        while let Some(next) = todo.last_mut().map(Vec::pop) {
            let Some((name, at)) = next else {
                todo.pop();
                path.pop();
                continue;
            };
            if name == start.id {
                let mut members = path.clone();
                order::sort(&mut members);
                if !reported.contains(&members) {
                    let chain: Vec<&str> = path.iter().map(String::as_str).chain([name.as_str()]).collect();
                    let message = format!("tools call each other in a circle: {}", chain.join(" → "));
                    let mut problem =
                        Diagnostic::error(Code::Cycle, message).hint("a tool cannot end by calling itself");
                    problem.at = at;
                    problems.push(problem);
                    reported.push(members);
                }
            } else if !seen.contains(&name)
                && let Some(file) = files.iter().find(|file| file.id == name)
            {
                seen.push(name.clone());
                path.push(name);
                todo.push(callees(file));
            }
        }
    }
    problems
}
