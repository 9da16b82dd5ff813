//! The laptop as the world of a session: files in the folder of the run, other trails, programs.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use trailblaze_engine::host::{Cancel, CommandOutput, Host, HostCommand};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::FilePlace;
use trailblaze_model::trail::{self, Trail};

use crate::files;

/// The world of one trail.
pub(super) struct Laptop {
    /// The folder of the run.
    pub(super) folder: PathBuf,
    /// The folder in it for this trail's files.
    pub(super) prefix: String,
    pub(super) workspace: Option<PathBuf>,
    pub(super) cancel: Cancel,
}

/// A name that any file system takes.
pub(super) fn file_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .take(80)
        .collect();
    let safe = safe.trim_matches(['-', '.']).to_owned();
    if safe.is_empty() { "unnamed".to_owned() } else { safe }
}

impl Host for Laptop {
    fn save(&self, name: &str, extension: &str, bytes: &[u8]) -> Result<String, Failure> {
        let folder = self.folder.join(&self.prefix);
        let failed = |path: &Path, error: std::io::Error| {
            let message = format!("{} could not be written: {}", files::shown(path), files::why(&error));
            Failure::new(FailureKind::Exception, message)
        };
        fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        let base = file_name(name);
        let mut file = format!("{base}.{extension}");
        let mut number = 2;
        while folder.join(&file).exists() {
            file = format!("{base}-{number}.{extension}");
            number += 1;
        }
        let path = folder.join(&file);
        fs::write(&path, bytes).map_err(|error| failed(&path, error))?;
        Ok(format!("{}/{file}", self.prefix))
    }

    fn load_trail(&self, path: &str, named_by: Option<&FilePlace>) -> Result<Arc<Trail>, Failure> {
        let beside =
            named_by.and_then(|at| Path::new(at.file.as_ref()).parent()).map(|folder| folder.join(path));
        let in_workspace = self.workspace.as_ref().map(|root| root.join(path));
        let places: Vec<PathBuf> =
            [beside, in_workspace, Some(PathBuf::from(path))].into_iter().flatten().collect();
        let Some(found) = places.iter().find(|place| place.is_file()) else {
            let message = format!("the trail '{path}' does not exist");
            let hint = "paths are relative to the trail that names them, or to the workspace";
            return Err(Failure::new(FailureKind::InvalidArguments, message).hint(hint));
        };
        let mut problems = Diagnostics::new();
        let source = files::read(found).map_err(|problem| problems.push(problem)).ok();
        let trail = source.and_then(|source| trail::read(&source, &mut problems));
        trail.map(Arc::new).ok_or_else(|| {
            let first = problems.errors().next();
            let message =
                first.map_or_else(|| format!("'{path}' is no trail"), |problem| problem.message.clone());
            let mut failure = Failure::new(FailureKind::InvalidArguments, message);
            failure.at = first.and_then(|problem| problem.at.clone());
            failure.hint = first.and_then(|problem| problem.hint.clone());
            failure
        })
    }

    fn run_command(&self, command: &HostCommand) -> Result<CommandOutput, Failure> {
        let (program, rest) = command
            .argv
            .split_first()
            .ok_or_else(|| Failure::new(FailureKind::InvalidArguments, "there is no program to run"))?;
        let base = self.workspace.clone().unwrap_or_else(|| std::env::current_dir().unwrap_or_default());
        let folder = command.working_dir.as_ref().map_or_else(|| base.clone(), |dir| base.join(dir));
        let failed = |message: String| Failure::new(FailureKind::Exception, message);
        let (mut reader, writer) = std::io::pipe().map_err(|error| failed(error.to_string()))?;
        let both = writer.try_clone().map_err(|error| failed(error.to_string()))?;
        let mut child = Command::new(program)
            .args(rest)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(both)
            .spawn()
            .map_err(|error| failed(format!("'{program}' could not be started: {}", files::why(&error))))?;
        let output = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = reader.read_to_end(&mut bytes);
            read.map(|_| String::from_utf8_lossy(&bytes).trim_end().to_owned())
        });
        let deadline = Instant::now() + Duration::from_millis(command.timeout_ms);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < deadline && !self.cancel.is_cancelled() => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(None) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    let message = format!("'{program}' took longer than {} s", command.timeout_ms / 1000);
                    return Err(Failure::new(FailureKind::Timeout, message));
                }
                Err(error) => return Err(failed(error.to_string())),
            }
        };
        let text = match output.join() {
            Ok(Ok(text)) => text,
            _ => String::new(),
        };
        Ok(CommandOutput { exit_code: status.code().unwrap_or(-1), output: text })
    }
}
