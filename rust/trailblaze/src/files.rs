//! Reading and writing files, with errors for people.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::order;
use trailblaze_model::place::Source;
use trailblaze_model::yaml;

use crate::exit_code::{Exit, Problem};

/// How a path is shown: from the current directory, with `/`. What lies in quite another place is shown whole.
pub fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    let up = current
        .ancestors()
        .enumerate()
        .take_while(|(_, folder)| folder.parent().is_some())
        .find_map(|(up, folder)| Some((up, path.strip_prefix(folder).ok()?)));
    let (up, relative) = up.unwrap_or((0, path));
    let relative = &Path::new(&"../".repeat(up)).join(relative);
    let mut parts: Vec<String> = Vec::new();
    for part in relative.components() {
        match part {
            Component::CurDir => {}
            Component::RootDir => parts.push(String::new()),
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Removes `.` and `..` without asking the file system.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// What stands in a folder, in the order of names; nothing when there is no such folder.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => {
            let message = format!("the folder {} cannot be read: {}", shown(folder), why(&error));
            return Err(Problem::new(Exit::BadDocument, message));
        }
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    order::sort(&mut paths);
    Ok(paths)
}

/// The text of a document, or what is wrong with the file.
pub fn read(path: &Path) -> Result<Source, Diagnostic> {
    let file = shown(path);
    let unreadable = |message: String| Diagnostic::error(Code::Unreadable, message).in_file(file.clone());
    let metadata = fs::metadata(path).map_err(|error| unreadable(why(&error)))?;
    if !metadata.is_file() {
        return Err(unreadable("this is not a file".to_owned()));
    }
    if metadata.len() > yaml::MAX_SIZE as u64 {
        let message = format!("the file has {} bytes; the limit is {}", metadata.len(), yaml::MAX_SIZE);
        return Err(Diagnostic::error(Code::Limit, message).in_file(file.clone()));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(why(&error)))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        unreadable(format!("the file is not text in UTF-8; line {line} has other bytes"))
    })?;
    Ok(Source::new(file.clone(), text))
}

/// Why a file could not be used, in the words of people.
pub fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".to_owned(),
        io::ErrorKind::AlreadyExists => "something else is there".to_owned(),
        io::ErrorKind::InvalidData => "it is not text in UTF-8".to_owned(),
        _ => error.to_string(),
    }
}
