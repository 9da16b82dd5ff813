//! What a run says while it runs: one closed list, read by every reporter and by the recorder.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::action::Action;
use crate::failure::Failure;

/// One event: when (milliseconds on the run's clock), in which trail, and what.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub t: u64,
    /// The id of the trail; none for events of the run itself.
    pub trail: Option<Arc<str>>,
    /// The device, where the run has several.
    pub device: Option<Arc<str>>,
    pub kind: EventKind,
}

/// A trail as it runs on one device: on several, the same one runs several times.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrailRun {
    pub trail: Arc<str>,
    /// None where the run has one device.
    pub device: Option<Arc<str>>,
}

/// `login/valid`, or `[sim-2] login/valid`
impl fmt::Display for TrailRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(device) = &self.device {
            write!(f, "[{device}] ")?;
        }
        f.write_str(&self.trail)
    }
}

impl Event {
    /// An event of the run itself.
    pub fn of_run(t: u64, kind: EventKind) -> Self {
        Self { t, trail: None, device: None, kind }
    }

    pub fn of_trail(t: u64, trail: Arc<str>, kind: EventKind) -> Self {
        Self { t, trail: Some(trail), device: None, kind }
    }

    /// Which trail it belongs to, and where that runs.
    pub fn trail_run(&self) -> Option<TrailRun> {
        Some(TrailRun { trail: self.trail.clone()?, device: self.device.clone() })
    }

    /// One line of the JSON lines, without its ending: `event` and `t` first, `trail` and `device` where there are
    /// such, then the rest.
    pub fn to_line(&self) -> String {
        let kind = serde_json::to_string(&self.kind).expect("an event has only texts as keys");
        // The tag comes first and its value is a plain name, so the next quote ends it.
        let name = TAG.len() + kind[TAG.len()..].find('"').expect("the tag is a text") + 1;
        let mut line = String::with_capacity(kind.len() + 64);
        line.push_str(&kind[..name]);
        line.push_str(&format!(",\"t\":{}", self.t));
        if let Some(trail) = &self.trail {
            let trail = serde_json::to_string(trail).expect("a text is JSON");
            line.push_str(",\"trail\":");
            line.push_str(&trail);
        }
        if let Some(device) = self.device.as_ref().filter(|_| !self.kind.names_the_device()) {
            let device = serde_json::to_string(device).expect("a text is JSON");
            line.push_str(",\"device\":");
            line.push_str(&device);
        }
        line.push_str(&kind[name..]);
        line
    }

    /// Reads a line that `to_line` wrote, somewhere else. None where it is no event of this version.
    pub fn from_line(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let kind = EventKind::deserialize(&value).ok()?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(Arc::from);
        let device = text("device").filter(|_| !kind.names_the_device());
        Some(Self { t: value.get("t")?.as_u64()?, trail: text("trail"), device, kind })
    }
}

const TAG: &str = r#"{"event":""#;

/// How a trail, a step or the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    Passed,
    Failed,
    /// Left out on purpose, with a reason.
    Skipped,
    /// Never started: the run ended before.
    NotRun,
    /// Failed as recorded, solved live.
    Healed,
}

impl Verdict {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::NotRun => "notRun",
            Self::Healed => "healed",
        }
    }
}

/// Where the time of a step went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepTiming {
    pub see_ms: u64,
    pub match_ms: u64,
    pub act_ms: u64,
    pub settle_ms: u64,
    pub verify_ms: u64,
}

/// Where the time of a trail's steps went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrailTiming {
    pub see: Spread,
    pub r#match: Spread,
    pub act: Spread,
    pub settle: Spread,
    pub verify: Spread,
}

/// The middle and the slow end of some times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    pub p50: u64,
    pub p95: u64,
}

/// What kind of step this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepKind {
    Trailhead,
    Step,
    Verify,
    /// A list of tool calls without a prompt.
    Tools,
}

/// Who made a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Via {
    /// A trail, or a person at the command line.
    Trail,
    /// The body of a YAML tool.
    Expansion,
    /// A delegating tool returned it.
    Delegate,
    /// A script or a toolset server called back.
    Callback,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

/// How far a call has come that takes long, in the words and numbers of its tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<f64>,
    /// As `done` where everything is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
}

/// `unpacking (2/3)`
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match (self.done, self.total) {
            (Some(done), Some(total)) => format!("{done}/{total}"),
            (Some(done), None) => done.to_string(),
            (None, _) => String::new(),
        };
        match (self.message.as_str(), count.as_str()) {
            ("", count) => f.write_str(count),
            (message, "") => f.write_str(message),
            (message, count) => write!(f, "{message} ({count})"),
        }
    }
}

/// The name of a result, out of those that there are.
type Variant = &'static str;

/// The names are few, and whoever reads one wants one of them.
fn known_variant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = VARIANTS.iter().copied().find(|known| *known == name);
    known.ok_or_else(|| serde::de::Error::custom("no result has this name"))
}

const VARIANTS: [Variant; 6] = [
    "Success",
    "ExceptionThrown",
    "MissingRequiredArgs",
    "MaestroValidationError",
    "UnknownTool",
    "FatalError",
];

/// The closed list. Names and fields are a contract: they stand in the JSON lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// First event of a run.
    RunStarted {
        version: String,
        /// How many trails will be run.
        trails: usize,
        driver: String,
        device: String,
    },
    /// A trail begins. A retry begins with another `trailStarted` with a higher `attempt`.
    TrailStarted {
        id: Arc<str>,
        file: Arc<str>,
        title: String,
        device: String,
        /// How many steps it has, the trailhead included.
        steps: usize,
        /// 1 for the first try.
        attempt: u32,
    },
    /// A step begins.
    StepStarted {
        /// 0-based, the trailhead included.
        index: usize,
        kind: StepKind,
        text: String,
        /// `file:line:column`
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<String>,
    },
    /// A tool call begins; calls nest.
    ToolStarted {
        /// Numbered from 1 within the trail.
        call: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        tool: String,
        /// With variables filled in and secrets removed.
        args: Map<String, Value>,
        via: Via,
    },
    /// A tool call that takes long says how far it is.
    Progress {
        call: u64,
        tool: String,
        #[serde(flatten)]
        progress: Progress,
    },
    /// Something reached the device.
    Device(Action),
    /// A tool call ended.
    ToolFinished {
        call: u64,
        tool: String,
        /// `Success` or the variant of the failure.
        #[serde(deserialize_with = "known_variant")]
        result: Variant,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        duration_ms: u64,
    },
    /// A call that belongs into a recording, with its arguments as they were written.
    Recorded { tool: String, args: Map<String, Value> },
    /// The step cannot be recorded: it needs a model every time.
    NotRecordable { tool: String },
    /// A screenshot or another file was saved, relative to the folder of the run.
    Saved { name: String, file: String },
    /// Something that a person should know but that does not fail the step.
    Warning {
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// A line of a script, an app or a toolset server.
    Log { level: LogLevel, source: String, message: String },
    /// A step ended.
    StepFinished {
        index: usize,
        verdict: Verdict,
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        duration_ms: u64,
        timing: StepTiming,
    },
    /// A trail ended, or was left out.
    TrailFinished {
        id: Arc<str>,
        file: Arc<str>,
        title: String,
        device: String,
        verdict: Verdict,
        /// Why it was skipped or not run.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        attempt: u32,
        /// Another attempt follows.
        will_retry: bool,
        duration_ms: u64,
        /// None for a trail that never started.
        #[serde(skip_serializing_if = "Option::is_none")]
        timing: Option<TrailTiming>,
    },
    /// Last event of a run.
    RunFinished {
        verdict: Verdict,
        passed: usize,
        failed: usize,
        skipped: usize,
        not_run: usize,
        healed: usize,
        interrupted: bool,
        duration_ms: u64,
    },
}

impl EventKind {
    /// Whether it says itself which device it is about.
    const fn names_the_device(&self) -> bool {
        matches!(self, Self::RunStarted { .. } | Self::TrailStarted { .. } | Self::TrailFinished { .. })
    }

    /// Replaces texts that people or other programs wrote, wherever they stand.
    pub fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        match self {
            Self::RunStarted { .. } | Self::RunFinished { .. } => {}
            Self::TrailStarted { title, .. } => map_text(title, replace),
            Self::StepStarted { text, .. } => map_text(text, replace),
            Self::ToolStarted { args, .. } | Self::Recorded { args, .. } => {
                crate::action::map_args(args, replace)
            }
            Self::Progress { progress, .. } => map_text(&mut progress.message, replace),
            Self::Device(action) => action.map_texts(replace),
            Self::ToolFinished { message, failure, .. } => {
                map_text(message, replace);
                map_failure(failure, replace);
            }
            Self::NotRecordable { .. } => {}
            // Who saves a file keeps secrets out of its path, which leads nowhere when it is changed later.
            Self::Saved { name, .. } => map_text(name, replace),
            Self::Warning { message, hint } => {
                map_text(message, replace);
                hint.iter_mut().for_each(|hint| map_text(hint, replace));
            }
            Self::Log { message, .. } => map_text(message, replace),
            Self::StepFinished { failure, .. } => map_failure(failure, replace),
            Self::TrailFinished { title, reason, failure, .. } => {
                map_text(title, replace);
                reason.iter_mut().for_each(|reason| map_text(reason, replace));
                map_failure(failure, replace);
            }
        }
    }
}

fn map_text(text: &mut String, replace: &dyn Fn(&str) -> Option<String>) {
    if let Some(new) = replace(text) {
        *text = new;
    }
}

fn map_failure(failure: &mut Option<Failure>, replace: &dyn Fn(&str) -> Option<String>) {
    if let Some(failure) = failure {
        failure.map_texts(replace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gesture_reads_as_documented() {
        let home = Event::of_trail(0, "a \"b\"".into(), EventKind::Device(Action::Home));
        assert_eq!(home.to_line(), r#"{"event":"device","t":0,"trail":"a \"b\"","action":"home"}"#);
        let tap = Event::of_run(1520, EventKind::Device(Action::Tap { x: 540, y: 1200 }));
        assert_eq!(tap.to_line(), r#"{"event":"device","t":1520,"action":"tap","x":540,"y":1200}"#);
    }

    #[test]
    fn progress_says_what_the_tool_said_of_it() {
        #[track_caller]
        fn check(message: &str, done: Option<f64>, total: Option<f64>, text: &str, fields: &str) {
            let progress = Progress { message: message.to_owned(), done, total };
            assert_eq!(progress.to_string(), text);
            let kind = EventKind::Progress { call: 1, tool: "brew".to_owned(), progress };
            let line = format!(r#"{{"event":"progress","t":0,"call":1,"tool":"brew"{fields}}}"#);
            assert_eq!(Event::of_run(0, kind).to_line(), line);
        }
        check(
            "grinding",
            Some(1.0),
            Some(3.0),
            "grinding (1/3)",
            r#","message":"grinding","done":1.0,"total":3.0"#,
        );
        check("", Some(0.5), None, "0.5", r#","done":0.5"#);
        check("grinding", None, None, "grinding", r#","message":"grinding""#);
    }
}
