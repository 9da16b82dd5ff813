//! What a run says in the log of the phone. Every line begins with the id of the session, so that one run can be picked
//! out of a farm's log.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use trailblaze_android::platform::Platform;
use trailblaze_engine::observer::Observer;
use trailblaze_model::event::{Event, EventKind, LogLevel, Verdict};

use super::{ERROR, TAG, WARN};

const DEBUG: i32 = 3;
const INFO: i32 = 4;

/// Writes events as lines.
pub(super) struct Logcat {
    platform: Arc<dyn Platform>,
    pub(super) session: String,
}

impl Logcat {
    pub(super) fn new(platform: Arc<dyn Platform>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        Self { platform, session: format!("{:08x}", now & 0xffff_ffff) }
    }
}

impl Observer for Logcat {
    fn event(&self, event: &Event) {
        let Some((priority, text)) = line(&event.kind) else { return };
        let trail = event.trail.as_ref().map(|trail| format!("{trail}: ")).unwrap_or_default();
        self.platform.log(priority, TAG, &format!("[{}] {trail}{text}", self.session));
    }
}

fn line(kind: &EventKind) -> Option<(i32, String)> {
    Some(match kind {
        EventKind::RunStarted { version, trails, .. } => {
            (INFO, format!("Trailblaze {version}, trails: {trails}"))
        }
        EventKind::TrailStarted { attempt, .. } => (INFO, format!("started, attempt {attempt}")),
        EventKind::StepStarted { text, .. } => (INFO, text.clone()),
        EventKind::ToolStarted { tool, .. } => (DEBUG, tool.clone()),
        EventKind::Progress { tool, progress, .. } => (INFO, format!("{tool}: {progress}")),
        EventKind::Warning { message, .. } => (WARN, message.clone()),
        EventKind::Log { level, source, message } => (priority(*level), format!("{source}: {message}")),
        EventKind::TrailFinished { verdict, failure, reason, .. } => {
            let why = failure.as_ref().map(|failure| &failure.message).or(reason.as_ref());
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            let priority = if *verdict == Verdict::Failed { ERROR } else { INFO };
            (priority, format!("{}{why}", verdict.as_str()))
        }
        EventKind::RunFinished { passed, failed, .. } => (INFO, format!("{passed} passed, {failed} failed")),
        _ => return None,
    })
}

fn priority(level: LogLevel) -> i32 {
    match level {
        LogLevel::Debug => DEBUG,
        LogLevel::Info => INFO,
        LogLevel::Warn => WARN,
        LogLevel::Error => ERROR,
    }
}
