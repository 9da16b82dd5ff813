//! How a saved run was told to go, and how it ended.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::{Map, Value, json};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::order;

use crate::VERSION;
use crate::files;

const FORMAT: u64 = 1;
const MAX_SECRET: usize = 1 << 20;
/// What a trail met that passed, and of which the device knew that the app had crashed.
pub const NOTHING: &str = "";

/// How the run was told to go.
#[derive(Clone, Debug, PartialEq)]
pub struct Meta {
    pub trail: String,
    /// The trail's path in the workspace.
    pub file: String,
    /// How the workspace was shown: from the folder the run was started in.
    pub root: String,
    pub verdict: String,
    /// Why it failed; sessions of older versions do not say it.
    pub failure: Option<SavedFailure>,
    pub target: Option<String>,
    pub driver: Driver,
    pub on_device: bool,
    pub strict: bool,
    pub trail_timeout_ms: Option<u64>,
    pub memory: Vec<(String, String)>,
    /// Only the names and how many characters each had: something of that length stands for it.
    pub secrets: Vec<(String, usize)>,
    pub args: Vec<(String, String)>,
    /// Of the system, the device and the app, where they are known.
    pub versions: BTreeMap<String, String>,
}

impl Meta {
    pub fn agent(&self) -> AgentMode {
        if self.on_device { AgentMode::OnDevice } else { AgentMode::Host }
    }

    pub(super) fn to_value(&self) -> Value {
        let pairs = |pairs: &[(String, String)]| -> Map<String, Value> {
            pairs.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
        };
        json!({
            "format": FORMAT,
            "trailblaze": VERSION,
            "versions": self.versions,
            "trail": self.trail,
            "file": self.file,
            "root": self.root,
            "verdict": self.verdict,
            "failure": self.failure.as_ref().map(SavedFailure::to_value),
            "target": self.target,
            "driver": self.driver,
            "onDevice": self.on_device,
            "strict": self.strict,
            "trailTimeoutMs": self.trail_timeout_ms,
            "memory": pairs(&self.memory),
            "secrets": order::map(self.secrets.iter().cloned()),
            "args": pairs(&self.args),
        })
    }

    pub(super) fn read(value: &Value) -> Result<Self, String> {
        if value["format"].as_u64() != Some(FORMAT) {
            return Err(format!("has another format than {FORMAT}"));
        }
        let read = || {
            let text = |key: &str| value[key].as_str().map(str::to_owned);
            let pairs = |key: &str| -> Option<Vec<(String, String)>> {
                let map = value[key].as_object()?;
                map.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
            };
            Some(Self {
                trail: text("trail")?,
                file: text("file")?,
                root: text("root")?,
                verdict: text("verdict")?,
                failure: match value.get("failure") {
                    None | Some(Value::Null) => None,
                    Some(failure) => Some(SavedFailure::read(failure)?),
                },
                target: text("target"),
                driver: Driver::parse(value["driver"].as_str()?)?,
                on_device: value["onDevice"].as_bool()?,
                strict: value["strict"].as_bool()?,
                trail_timeout_ms: value["trailTimeoutMs"].as_u64(),
                memory: pairs("memory")?,
                secrets: value["secrets"]
                    .as_object()?
                    .iter()
                    .map(|(name, length)| {
                        let length = usize::try_from(length.as_u64()?).ok()?;
                        (length <= MAX_SECRET).then(|| (name.clone(), length))
                    })
                    .collect::<Option<_>>()?,
                args: pairs("args")?,
                versions: pairs("versions").unwrap_or_default().into_iter().collect(),
            })
        };
        let meta: Self = read().ok_or_else(|| "does not describe a session".to_owned())?;
        let own = Path::new("/session");
        if !files::normal(&own.join(&meta.root)).starts_with(own) {
            return Err("names a folder outside of the session".to_owned());
        }
        Ok(meta)
    }
}

/// Why a run failed, as it can be compared with another run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFailure {
    pub kind: FailureKind,
    pub message: String,
    pub hint: Option<String>,
    pub stack: Option<String>,
    /// The place, from the workspace.
    pub at: Option<String>,
    /// The step, from 0, the trailhead included.
    pub step: Option<u64>,
    /// What the trail itself met, where the device knew the reason: the app had crashed, say.
    pub met: Option<String>,
}

impl SavedFailure {
    /// A failure of a run whose workspace is `base`, with the events of that run.
    pub fn of(failure: &Failure, base: &Path, events: &[u8]) -> Self {
        let at = failure.at.as_ref().map(|at| {
            let path = std::path::absolute(at.file.as_ref()).unwrap_or_default();
            format!("{}:{}", within(base, &files::normal(&path)), at.place)
        });
        Self { at, step: failed_step(events), ..Self::plain(failure) }
    }

    /// Without what only a trail knows.
    pub(super) fn plain(failure: &Failure) -> Self {
        Self {
            kind: failure.kind,
            message: failure.message.clone(),
            hint: failure.hint.clone(),
            stack: failure.stack.clone(),
            at: None,
            step: None,
            met: None,
        }
    }

    /// Whether it is the same thing at the same place.
    pub fn is(&self, other: &Self) -> bool {
        (self.kind, &self.message, &self.at, self.step) == (other.kind, &other.message, &other.at, other.step)
    }

    /// What the device said then, when the trail meets the same failure again, or again none.
    pub fn explain(&self, met: Result<(), Failure>) -> Result<(), Failure> {
        let message = met.as_ref().err().map_or(NOTHING, |failure| failure.message.as_str());
        if self.met.as_deref() != Some(message) {
            return met;
        }
        Err(Failure { at: met.err().and_then(|failure| failure.at), ..self.to_failure() })
    }

    pub(super) fn to_failure(&self) -> Failure {
        let mut failure = Failure::new(self.kind, self.message.clone());
        (failure.hint, failure.stack) = (self.hint.clone(), self.stack.clone());
        failure
    }

    pub(super) fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("kind".to_owned(), json!(self.kind));
        map.insert("message".to_owned(), json!(self.message));
        for (key, text) in
            [("hint", &self.hint), ("stack", &self.stack), ("at", &self.at), ("met", &self.met)]
        {
            map.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
        }
        map.extend(self.step.map(|step| ("step".to_owned(), json!(step))));
        Value::Object(map)
    }

    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Self {
            kind: serde_json::from_value(value["kind"].clone()).ok()?,
            message: text("message")?,
            hint: text("hint"),
            stack: text("stack"),
            at: text("at"),
            step: value["step"].as_u64(),
            met: text("met"),
        })
    }
}

impl fmt::Display for SavedFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' ({}", self.message, self.kind)?;
        if let Some(step) = self.step {
            write!(f, ", step {}", step.saturating_add(1))?;
        }
        if let Some(at) = &self.at {
            write!(f, ", {at}")?;
        }
        f.write_str(")")
    }
}

/// A path in a folder, with `/`; what is elsewhere goes by its name.
pub fn within(base: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(base).unwrap_or_else(|_| path.file_name().map_or(path, Path::new));
    inside.to_string_lossy().replace('\\', "/")
}

/// The step that failed last.
fn failed_step(events: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(events).ok()?;
    let failed = text.lines().rev().filter(|line| line.contains("\"stepFinished\"")).find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        (event["event"] == "stepFinished").then_some(event)
    })?;
    failed["index"].as_u64().filter(|_| failed["verdict"] == "failed")
}
