//! A world as text: one line of JSON for the device, then one per note. Screens are files of their own.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use trailblaze_engine::device::{DeviceInfo, LogLine};
use trailblaze_model::action::Action;
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::Driver;
use trailblaze_model::event::LogLevel;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

use super::{Note, Seen, World};

const VERSION: u64 = 1;

/// Why a text is no world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadWorld {
    /// From 1; none when it is not the text that is wrong but a screen.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for BadWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadWorld {}

impl World {
    /// The lines, without the screens.
    pub fn to_lines(&self) -> String {
        let info = &self.info;
        let head = json!({
            "version": VERSION,
            "device": info.id,
            "driver": info.driver,
            "width": info.width,
            "height": info.height,
            "classifiers": info.classifiers.segments(),
            "start": self.start_ms,
            "installed": self.installed,
            "screens": self.screens.len(),
            "notes": self.notes.len(),
        });
        let mut text = format!("{head}\n");
        for note in &self.notes {
            text += &format!("{}\n", note_value(note));
        }
        text
    }

    /// Reads what [`World::to_lines`] wrote; `screen` brings the screens by their numbers.
    pub fn from_lines(
        text: &str,
        screen: &mut dyn FnMut(usize) -> Result<Screen, String>,
    ) -> Result<Self, BadWorld> {
        let bad = |line: usize, message: String| BadWorld { line: Some(line), message };
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let (_, first) = lines.next().ok_or_else(|| bad(1, "the session is empty".to_owned()))?;
        let head: Value = serde_json::from_str(first).map_err(|error| bad(1, error.to_string()))?;
        let (mut world, count) = read_head(&head).map_err(|message| bad(1, message))?;
        for number in 0..count {
            let read = screen(number).map_err(|message| BadWorld { line: None, message })?;
            world.screens.push(Arc::new(read));
        }
        for (number, line) in lines {
            let value: Value = serde_json::from_str(line).map_err(|error| bad(number, error.to_string()))?;
            let note = read_note(&value, count)
                .ok_or_else(|| bad(number, "this is no note of a session".to_owned()))?;
            world.notes.push(note);
        }
        // Sessions of older versions do not say how many there were.
        let (expected, found) = (head["notes"].as_u64().unwrap_or_default(), world.notes.len());
        if (found as u64) < expected {
            return Err(bad(found + 1, format!("the session is cut off after {found} of {expected} notes")));
        }
        Ok(world)
    }
}

fn note_value(note: &Note) -> Value {
    let mut map = Map::from_iter([("t".to_owned(), note.t.into())]);
    match &note.what {
        Seen::Screen(Ok(number)) => drop(map.insert("screen".into(), (*number).into())),
        Seen::Screen(Err(failure)) => drop(map.insert("noScreen".into(), failure_value(failure))),
        Seen::Changed(Ok(t)) => drop(map.insert("changed".into(), (*t).into())),
        Seen::Changed(Err(failure)) => drop(map.insert("noChange".into(), failure_value(failure))),
        Seen::Front(Ok(front)) => drop(map.insert("front".into(), json!(front))),
        Seen::Front(Err(failure)) => drop(map.insert("noFront".into(), failure_value(failure))),
        Seen::Log(line) => {
            map.insert("log".into(), line.message.as_str().into());
            map.insert("level".into(), json!(line.level));
        }
        Seen::Acted { action, answer } => {
            map.insert("act".into(), json!(action));
            match answer {
                Ok(text) if text.is_empty() => {}
                Ok(text) => drop(map.insert("answer".into(), text.as_str().into())),
                Err(failure) => drop(map.insert("failed".into(), failure_value(failure))),
            }
        }
    }
    Value::Object(map)
}

fn failure_value(failure: &Failure) -> Value {
    json!({
        "kind": failure.kind, "message": failure.message, "hint": failure.hint, "stack": failure.stack,
    })
}

fn read_failure(value: &Value) -> Option<Failure> {
    let kind: FailureKind = serde_json::from_value(value.get("kind")?.clone()).ok()?;
    let mut failure = Failure::new(kind, value.get("message")?.as_str()?);
    failure.hint = value["hint"].as_str().map(str::to_owned);
    failure.stack = value["stack"].as_str().map(str::to_owned);
    Some(failure)
}

fn read_head(head: &Value) -> Result<(World, usize), String> {
    if head["version"].as_u64() != Some(VERSION) {
        return Err(format!("the session has another version than {VERSION}"));
    }
    let read = || {
        let text = |key: &str| head[key].as_str();
        let number = |key: &str| head[key].as_i64().and_then(|number| i32::try_from(number).ok());
        let list = |key: &str| -> Option<Vec<String>> {
            head[key].as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let info = DeviceInfo {
            id: text("device")?.to_owned(),
            driver: Driver::parse(text("driver")?)?,
            width: number("width")?,
            height: number("height")?,
            classifiers: Classifiers::new(list("classifiers")?),
        };
        let count = usize::try_from(head["screens"].as_u64()?).ok().filter(|count| *count <= 1_000_000)?;
        let start_ms = head["start"].as_u64()?;
        Some((
            World { info, start_ms, installed: list("installed")?, screens: Vec::new(), notes: Vec::new() },
            count,
        ))
    };
    read().ok_or_else(|| "the first line does not describe a device".to_owned())
}

fn read_note(value: &Value, screens: usize) -> Option<Note> {
    let t = value.get("t")?.as_u64()?;
    let what = if let Some(number) = value.get("screen") {
        let number = usize::try_from(number.as_u64()?).ok().filter(|number| *number < screens)?;
        Seen::Screen(Ok(number))
    } else if let Some(failure) = value.get("noScreen") {
        Seen::Screen(Err(read_failure(failure)?))
    } else if let Some(changed) = value.get("changed") {
        Seen::Changed(Ok(changed.as_u64()?))
    } else if let Some(failure) = value.get("noChange") {
        Seen::Changed(Err(read_failure(failure)?))
    } else if let Some(front) = value.get("front") {
        Seen::Front(Ok(front.as_str().map(str::to_owned)))
    } else if let Some(failure) = value.get("noFront") {
        Seen::Front(Err(read_failure(failure)?))
    } else if let Some(message) = value.get("log") {
        let levels = [LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error];
        let level = levels.into_iter().find(|level| json!(level) == value["level"])?;
        Seen::Log(LogLine { level, message: message.as_str()?.to_owned() })
    } else {
        let action: Action = serde_json::from_value(value.get("act")?.clone()).ok()?;
        let answer = match value.get("failed") {
            Some(failure) => Err(read_failure(failure)?),
            None => Ok(value["answer"].as_str().unwrap_or_default().to_owned()),
        };
        Seen::Acted { action, answer }
    };
    Some(Note { t, what })
}
