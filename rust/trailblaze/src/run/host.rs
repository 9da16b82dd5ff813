//! The laptop as the world of a session: files in the folder of the run, other trails, programs.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use trailblaze_engine::host::{Cancel, CommandOutput, Host, HostCommand, ServerCall, WebAnswer, WebRequest};
use trailblaze_engine::registry::Registry;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::{FilePlace, Source};
use trailblaze_model::trail::{self, Trail};

use super::programs::Programs;
use super::reload::Reload;
use super::{Attached, program, stand_in};
use crate::files;
use crate::session;

/// The world of one trail.
pub(super) struct Laptop {
    /// The folder of the run.
    pub(super) folder: PathBuf,
    /// The folder in it for this trail's files.
    pub(super) prefix: String,
    pub(super) workspace: Option<PathBuf>,
    pub(super) cancel: Cancel,
    pub(super) programs: Programs,
    /// The device that is there already, which has a network of its own.
    pub(super) attached: Option<Arc<dyn Attached>>,
    /// How its tools are read again.
    pub(super) reload: Option<Reload>,
    /// Other trails that were read while this one ran.
    read: Mutex<Vec<Source>>,
    /// What servers did; none when it was too much to keep.
    server_calls: Mutex<Option<Vec<ServerCall>>>,
}

impl Laptop {
    pub(super) fn new(
        folder: PathBuf,
        prefix: String,
        workspace: Option<PathBuf>,
        cancel: Cancel,
        programs: Programs,
        attached: Option<Arc<dyn Attached>>,
    ) -> Self {
        let (read, server_calls) = (Mutex::default(), Mutex::new(Some(Vec::new())));
        Self { folder, prefix, workspace, cancel, programs, attached, reload: None, read, server_calls }
    }

    pub(super) fn reloading(self, reload: Option<Reload>) -> Self {
        Self { reload, ..self }
    }

    /// What servers did until now; none when it was too much to keep.
    pub(super) fn server_calls(&self) -> Option<Vec<ServerCall>> {
        self.server_calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The other trails that were read.
    pub(super) fn read(&self) -> Vec<Source> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
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
    fn reload_tools(&self) -> Result<Arc<Registry>, Failure> {
        match (&self.reload, &self.workspace) {
            (Some(reload), Some(root)) => reload.registry(root),
            _ => {
                let message = "the tools cannot be read again: there is no workspace, or it is replayed";
                Err(Failure::new(FailureKind::NotSupported, message))
            }
        }
    }

    fn note_server_call(&self, call: ServerCall) {
        let mut calls = self.server_calls.lock().unwrap_or_else(PoisonError::into_inner);
        if self.programs.has_room_for(session::server_call_size(&call)) {
            calls.iter_mut().for_each(|calls| calls.push(call.clone()));
        } else {
            *calls = None;
        }
    }

    fn save(&self, name: &str, extension: &str, bytes: &[u8]) -> Result<String, Failure> {
        let folder = self.folder.join(&self.prefix);
        let failed = |path: &Path, error: std::io::Error| {
            let message = format!("{} could not be written: {}", files::shown(path), files::why(&error));
            Failure::new(FailureKind::Exception, message)
        };
        fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        let base = file_name(name);
        let mut file = format!("{base}.{extension}");
        // Two ids may give one folder, so a name is looked for and taken in one go.
        for number in 2.. {
            let path = folder.join(&file);
            match fs::File::create_new(&path).and_then(|mut created| created.write_all(bytes)) {
                Ok(()) => break,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    file = format!("{base}-{number}.{extension}");
                }
                Err(error) => return Err(failed(&path, error)),
            }
        }
        Ok(format!("{}/{file}", self.prefix))
    }

    fn fetch(&self, request: &WebRequest) -> Result<WebAnswer, String> {
        if self.programs.are_recorded() {
            return Err("a recorded session sends nothing into the network".to_owned());
        }
        match &self.attached {
            Some(attached) => attached.fetch(request),
            None => stand_in::fetch(request, &self.cancel),
        }
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
        self.read.lock().unwrap_or_else(PoisonError::into_inner).extend(source.clone());
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
        self.programs.run(command, || {
            let here = || std::env::current_dir().unwrap_or_default();
            program::run(command, &self.workspace.clone().unwrap_or_else(here), &self.cancel)
        })
    }
}
