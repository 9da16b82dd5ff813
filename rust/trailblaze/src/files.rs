//! Reading and writing files, with errors for people.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::place::Source;
use trailblaze_model::yaml;

/// How a path is shown: from the current directory, with `/`.
pub fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    let relative = path.strip_prefix(&current).unwrap_or(path);
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
        _ => error.to_string(),
    }
}
