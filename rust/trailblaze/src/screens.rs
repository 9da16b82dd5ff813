//! Captured screens and waypoints on disk.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use serde_json::Value;
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::screen::{Capture, Screen};
use trailblaze_model::waypoint::{self, Waypoint};

use crate::exit_code::{Exit, Problem};
use crate::files;

/// What the bytes of a screen begin with, and what its file ends with.
const MAGIC: &[u8] = b"TBSC";
const SCREEN: &str = "tbsc";
const NO_CAPTURE: &str =
    "a capture is a JSON file with 'trailblazeNodeTree' or 'viewHierarchy', or a screen of a saved run";

/// A screen with the name of its file.
#[derive(Debug)]
pub struct Saved {
    pub name: String,
    pub screen: Screen,
}

/// Reads one capture, or one screen of a saved run.
pub fn read_screen(path: &Path) -> Result<Saved, Problem> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = files::shown(path);
    let screen = read(path)?
        .ok_or_else(|| Problem::new(Exit::BadDocument, format!("{shown}: there is no tree in it")))?;
    Ok(Saved { name, screen })
}

/// The screen in a file; none when it is JSON about something else.
fn read(path: &Path) -> Result<Option<Screen>, Problem> {
    let shown = files::shown(path);
    let bad = |message: String| Problem::new(Exit::BadDocument, format!("{shown}: {message}"));
    let bytes = std::fs::read(path).map_err(|error| bad(files::why(&error)))?;
    if bytes.starts_with(MAGIC) || path.extension().is_some_and(|ending| ending == SCREEN) {
        return Screen::from_bytes(&bytes).map(Some).map_err(|error| bad(error.to_string()));
    }
    let text =
        String::from_utf8(bytes).map_err(|_| bad(files::why(&std::io::ErrorKind::InvalidData.into())))?;
    // Any JSON may lie beside captures, not only objects.
    let has_tree = text.contains("\"trailblazeNodeTree\"") || text.contains("\"viewHierarchy\"");
    if !has_tree && serde_json::from_str::<Value>(&text).is_ok() {
        return Ok(None);
    }
    let capture = Capture::read(&text).map_err(|error| bad(error.to_string()).hint(NO_CAPTURE))?;
    Ok(capture.screen.or(capture.legacy))
}

/// All screens of a folder, by name, and the JSON files that are none. Sessions in it, or the one that it is, have
/// their screens in a folder of their own.
pub fn read_screens(folder: &Path) -> Result<(Vec<Saved>, Vec<String>), Problem> {
    let (mut screens, mut others) = (Vec::new(), Vec::new());
    for path in screen_files(folder)? {
        match read(&path)? {
            Some(screen) => {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                screens.push(Saved { name, screen });
            }
            None => others.push(files::shown(&path)),
        }
    }
    if screens.is_empty() {
        return Err(Problem::new(Exit::BadDocument, format!("no captures in {}", files::shown(folder))));
    }
    Ok((screens, others))
}

fn screen_files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let screens_of = |session: &Path| files_of(&session.join("screens"), &[SCREEN]);
    let is_session = |folder: &Path| folder.join("session.json").is_file();
    if is_session(folder) {
        return screens_of(folder);
    }
    let mut found = files_of(folder, &["json", SCREEN])?;
    for session in files::list(folder)?.iter().filter(|path| is_session(path)) {
        found.extend(screens_of(session)?);
    }
    Ok(found)
}

/// All waypoints of a folder and of those in it, by the paths of their files.
pub fn read_waypoints(folder: &Path) -> Result<Vec<Waypoint>, Vec<Diagnostic>> {
    let mut problems = Diagnostics::new();
    let mut found = Vec::new();
    let broken = |problem: Problem| vec![Diagnostic::error(Code::Unreadable, problem.message)];
    for path in waypoint_files(folder).map_err(broken)? {
        match files::read(&path) {
            Ok(source) => found.extend(waypoint::read(&source, &mut problems)),
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(same_ids(&found));
    if problems.has_errors() { Err(problems.sorted()) } else { Ok(found) }
}

fn waypoint_files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let (mut found, mut todo) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = todo.pop() {
        found.extend(files_of(&next, &["waypoint.yaml"])?);
        todo.extend(files::list(&next)?.into_iter().filter(|path| path.is_dir() && !path.is_symlink()));
    }
    if found.is_empty() {
        return Err(Problem::new(Exit::BadDocument, format!("no waypoints in {}", files::shown(folder))));
    }
    found.sort();
    Ok(found)
}

/// Waypoints that are called like another one, so that nobody can say which is meant.
pub fn same_ids(waypoints: &[Waypoint]) -> Vec<Diagnostic> {
    let mut first: HashMap<&str, &Waypoint> = HashMap::new();
    let mut problems = Vec::new();
    for waypoint in waypoints {
        match first.entry(&waypoint.id) {
            Entry::Vacant(free) => {
                free.insert(waypoint);
            }
            Entry::Occupied(taken) => {
                let (id, file) = (&waypoint.id, &waypoint.at.file);
                let message = format!("two waypoints are called '{id}': {} and {file}", taken.get().at.file);
                let mut error = Diagnostic::error(Code::Collision, message).hint("rename one of them");
                error.at = Some(waypoint.at.clone());
                problems.push(error);
            }
        }
    }
    problems
}

/// The files in a folder itself that end with one of these.
fn files_of(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Problem> {
    if !folder.is_dir() {
        return Err(Problem::new(Exit::BadDocument, format!("{} is no folder", files::shown(folder))));
    }
    let ends = |path: &Path| {
        let name = path.to_string_lossy();
        endings.iter().any(|ending| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')))
    };
    Ok(files::list(folder)?.into_iter().filter(|path| path.is_file() && ends(path)).collect())
}
