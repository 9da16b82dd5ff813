//! Captured screens and waypoints on disk.

use std::path::{Path, PathBuf};

use trailblaze_model::diagnostic::{Diagnostic, Diagnostics};
use trailblaze_model::screen::{Capture, Screen};
use trailblaze_model::waypoint::{self, Waypoint};

use crate::exit_code::{Exit, Problem};
use crate::files;

/// A screen with the name of its file.
#[derive(Debug)]
pub struct Saved {
    pub name: String,
    pub screen: Screen,
}

/// Reads one capture.
pub fn read_screen(path: &Path) -> Result<Saved, Problem> {
    let shown = files::shown(path);
    let bad = |message: String| Problem::new(Exit::BadDocument, format!("{shown}: {message}"));
    let text = std::fs::read_to_string(path).map_err(|error| bad(files::why(&error)))?;
    let capture = Capture::read(&text).map_err(|error| {
        bad(error.to_string()).hint("a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy'")
    })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let screen = capture.screen.or(capture.legacy).ok_or_else(|| bad("there is no tree in it".to_owned()))?;
    Ok(Saved { name, screen })
}

/// All captures of a folder, by name, and the JSON files that are none.
pub fn read_screens(folder: &Path) -> Result<(Vec<Saved>, Vec<String>), Problem> {
    let (mut screens, mut others) = (Vec::new(), Vec::new());
    for path in files_of(folder, ".json")? {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.contains("\"trailblazeNodeTree\"") || text.contains("\"viewHierarchy\"") {
            screens.push(read_screen(&path)?);
        } else {
            others.push(files::shown(&path));
        }
    }
    if screens.is_empty() {
        return Err(Problem::new(Exit::BadDocument, format!("no captures in {}", files::shown(folder))));
    }
    Ok((screens, others))
}

/// All waypoints of a folder, by file name.
pub fn read_waypoints(folder: &Path) -> Result<Vec<Waypoint>, Vec<Diagnostic>> {
    let mut problems = Diagnostics::new();
    let mut found = Vec::new();
    let paths = match files_of(folder, ".waypoint.yaml") {
        Ok(paths) => paths,
        Err(problem) => {
            let code = trailblaze_model::diagnostic::Code::Unreadable;
            return Err(vec![Diagnostic::error(code, problem.message)]);
        }
    };
    for path in paths {
        match files::read(&path) {
            Ok(source) => found.extend(waypoint::read(&source, &mut problems)),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.has_errors() { Err(problems.sorted()) } else { Ok(found) }
}

fn files_of(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Problem> {
    if !folder.is_dir() {
        return Err(Problem::new(Exit::BadDocument, format!("{} is no folder", files::shown(folder))));
    }
    let fits = |path: &PathBuf| path.is_file() && path.to_string_lossy().ends_with(ending);
    Ok(files::list(folder)?.into_iter().filter(fits).collect())
}
