//! A run of one trail that can be replayed: the documents, the world it met, and what it was given.
//!
//! It is a folder (`run --capture`) or one file (the bundle of a failure) with the same content.

mod meta;
mod programs;
mod servers;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use trailblaze_devices::recorded::World;
use trailblaze_model::screen::Screen;

pub use meta::{Meta, NOTHING, SavedFailure, within};
pub use programs::Program;
pub use servers::{SavedServers, size as server_call_size};

use crate::archive::{self, Entries};
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::workspace::entries as folder_entries;

const META: &str = "session.json";
const WORLD: &str = "world.jsonl";
const PROGRAMS: &str = "programs.jsonl";
const SERVERS: &str = "servers.jsonl";
const EVENTS: &str = "events.jsonl";
const DOCUMENTS: &str = "documents/";

/// Everything that a replay needs.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedSession {
    pub meta: Meta,
    pub world: World,
    /// What programs on the laptop did, in their order.
    pub programs: Vec<Program>,
    /// What toolset servers outside of the program listed and did.
    pub servers: SavedServers,
    /// Files of the workspace by their paths in it.
    pub documents: Entries,
    /// What the run said, for people.
    pub events: Vec<u8>,
}

/// What stands for a secret in a session: as long, so that what counts its characters comes to the same.
pub fn mask(length: usize) -> String {
    "•".repeat(length)
}

fn screen_name(number: usize) -> String {
    format!("screens/{number:05}.tbsc")
}

impl SavedSession {
    /// Replaces texts wherever they stand; the events have none to replace.
    pub fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        self.world.map_texts(replace);
        self.programs.iter_mut().for_each(|program| program.map_texts(replace));
        self.servers.map_texts(replace);
        for (_, bytes) in &mut self.documents {
            if let Some(new) = std::str::from_utf8(bytes).ok().and_then(replace) {
                *bytes = new.into_bytes();
            }
        }
        for (_, value) in self.meta.memory.iter_mut().chain(&mut self.meta.args) {
            if let Some(new) = replace(value) {
                *value = new;
            }
        }
    }

    pub fn to_entries(&self) -> Entries {
        let mut entries = vec![
            (META.to_owned(), format!("{:#}\n", self.meta.to_value()).into_bytes()),
            (WORLD.to_owned(), self.world.to_lines().into_bytes()),
            (EVENTS.to_owned(), self.events.clone()),
        ];
        if !self.programs.is_empty() {
            entries.push((PROGRAMS.to_owned(), programs::to_lines(&self.programs).into_bytes()));
        }
        if !self.servers.is_empty() {
            entries.push((SERVERS.to_owned(), self.servers.to_lines().into_bytes()));
        }
        entries
            .extend(self.documents.iter().map(|(name, bytes)| (format!("{DOCUMENTS}{name}"), bytes.clone())));
        let screens = self.world.screens.iter().enumerate();
        entries.extend(screens.map(|(number, screen)| (screen_name(number), screen.to_bytes())));
        entries
    }

    pub fn from_entries(entries: Entries) -> Result<Self, String> {
        let mut entries: BTreeMap<String, Vec<u8>> = entries.into_iter().collect();
        let mut take = |name: &str| entries.remove(name).ok_or_else(|| format!("'{name}' is missing"));
        let text = |bytes: Vec<u8>, name: &str| {
            String::from_utf8(bytes).map_err(|_| format!("'{name}' is not text"))
        };
        let meta: Value =
            serde_json::from_slice(&take(META)?).map_err(|error| format!("'{META}': {error}"))?;
        let meta = Meta::read(&meta).map_err(|message| format!("'{META}' {message}"))?;
        let lines = text(take(WORLD)?, WORLD)?;
        let events = take(EVENTS).unwrap_or_default();
        let programs = match take(PROGRAMS) {
            Ok(bytes) => programs::from_lines(&text(bytes, PROGRAMS)?)
                .map_err(|message| format!("'{PROGRAMS}': {message}"))?,
            // Nothing was started.
            Err(_) => Vec::new(),
        };
        let servers = match take(SERVERS) {
            Ok(bytes) => SavedServers::from_lines(&text(bytes, SERVERS)?)
                .map_err(|message| format!("'{SERVERS}': {message}"))?,
            Err(_) => SavedServers::default(),
        };
        let mut screen = |number: usize| {
            let name = screen_name(number);
            Screen::from_bytes(&take(&name)?).map_err(|error| format!("'{name}': {error}"))
        };
        let world = World::from_lines(&lines, &mut screen).map_err(|error| match error.line {
            Some(_) => format!("'{WORLD}': {error}"),
            None => error.message,
        })?;
        let document =
            |(name, bytes): (String, Vec<u8>)| Some((name.strip_prefix(DOCUMENTS)?.to_owned(), bytes));
        let documents: Entries = entries.into_iter().filter_map(document).collect();
        if !documents.iter().any(|(name, _)| *name == meta.file) {
            return Err(format!("'{DOCUMENTS}{}' is missing", meta.file));
        }
        Ok(Self { meta, world, programs, servers, documents, events })
    }

    /// Writes the session into a folder of that name, in place of an older session of the same trail. Two ids may
    /// give one name, so the folder of another trail is left alone.
    pub fn save(&self, parent: &Path, name: &str) -> std::io::Result<()> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut folder = parent.join(name);
        let mut number = 1;
        while let Ok(meta) = fs::read(folder.join(META)) {
            let held: Value = serde_json::from_slice(&meta).unwrap_or_default();
            if held["trail"] == self.meta.trail.as_str() {
                fs::remove_dir_all(&folder)?;
                break;
            }
            number += 1;
            folder = parent.join(format!("{name}-{number}"));
        }
        write_entries(&folder, &self.to_entries())
    }
}

/// Writes files below a folder.
pub fn write_entries(folder: &Path, entries: &Entries) -> std::io::Result<()> {
    for (name, bytes) in entries {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// A session with the place that it was read from.
#[derive(Clone, Debug)]
pub struct Found {
    pub shown: String,
    pub session: SavedSession,
}

/// The sessions that a path means: a session folder, a folder of them, or a bundle.
pub fn read(path: &Path) -> Result<Vec<Found>, Problem> {
    let shown = files::shown(path);
    let bad = |message: String| Problem::new(Exit::BadDocument, format!("{shown}: {message}"));
    let found = |entries: Entries| {
        let session = SavedSession::from_entries(entries).map_err(bad)?;
        Ok(vec![Found { shown: shown.clone(), session }])
    };
    if path.is_file() {
        let bytes = fs::read(path).map_err(|error| bad(files::why(&error)))?;
        let entries = archive::unpack(&bytes)
            .map_err(|error| Problem { hint: error.hint.map(str::to_owned), ..bad(error.message) })?;
        return found(entries);
    }
    if !path.is_dir() {
        return Err(bad("it does not exist".to_owned()).hint("give a session folder or a bundle"));
    }
    if path.join(META).is_file() {
        return found(read_folder(path).map_err(|error| bad(files::why(&error)))?);
    }
    let mut sessions = Vec::new();
    // Each of several devices has a folder for its sessions.
    let has_sessions = |folder: &Path| folder_entries(folder).iter().any(|inner| inner.join(META).is_file());
    let is_meant = |inner: &PathBuf| inner.is_dir() && (inner.join(META).is_file() || has_sessions(inner));
    for inner in folder_entries(path).into_iter().filter(is_meant) {
        sessions.extend(read(&inner)?);
    }
    if sessions.is_empty() {
        return Err(bad("there is no session in it".to_owned()).hint("'run --capture DIR' makes one"));
    }
    Ok(sessions)
}

fn read_folder(folder: &Path) -> std::io::Result<Entries> {
    let mut entries = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for path in folder_entries(&next) {
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                entries.push((name, fs::read(&path)?));
            }
        }
    }
    Ok(entries)
}
