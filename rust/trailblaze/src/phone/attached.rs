//! The phone that the library runs on, between trails.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use trailblaze_android::device::AndroidDevice;
use trailblaze_android::platform::Platform;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::Device;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::run::Attached;

/// A phone with what is known about the trail that runs on it.
pub(super) struct Phone {
    platform: Arc<dyn Platform>,
    device: Arc<AndroidDevice>,
    clock: Arc<dyn Clock>,
    /// When the trail began, as `logcat` wants it: seconds with a fraction.
    since: Mutex<String>,
}

impl fmt::Debug for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Phone({:?})", self.device)
    }
}

impl Phone {
    pub(super) fn new(
        platform: Arc<dyn Platform>,
        device: Arc<AndroidDevice>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { platform, device, clock, since: Mutex::default() }
    }

    fn since(&self) -> String {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How the app came to its end since the trail began, if it did.
    fn crash_of(&self, app_id: &str) -> Option<Crash> {
        let said = |command: String| self.platform.shell(&command).unwrap_or_default();
        let since = self.since();
        let crashes = said(format!("logcat -b crash -d -v brief -T {since}"));
        crash(&crashes, app_id)
            .or_else(|| not_responding(&said(format!("logcat -b events -d -v brief -T {since}")), app_id))
    }
}

impl Attached for Phone {
    fn device(&self) -> Arc<dyn Device> {
        self.device.clone()
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn make_ready(&self, app_id: Option<&str>) -> Result<(), Failure> {
        // The phone's own time. In whole seconds, the crash of the trail before would belong to this one as well.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) =
            format!("{}.{:03}", now.as_secs(), now.subsec_millis());
        if let Some(app_id) = app_id {
            self.platform.shell(&format!("am force-stop {app_id}"))?;
        }
        // A dialog about a crash would lie above whatever comes next.
        self.platform.shell("am broadcast -a android.intent.action.CLOSE_SYSTEM_DIALOGS")?;
        Ok(())
    }

    fn explain(&self, app_id: Option<&str>, failure: Failure) -> Failure {
        let crash = app_id.and_then(|app_id| self.crash_of(app_id));
        match crash {
            None => failure,
            Some(crash) => {
                let message = format!("{}, and so: {}", crash.message, failure.message);
                let app = Failure { kind: FailureKind::App, message, ..failure };
                if crash.stack.is_empty() { app } else { app.stack(crash.stack) }
            }
        }
    }

    fn log(&self) -> Option<String> {
        let log = self.platform.shell(&format!("logcat -d -v threadtime -T {}", self.since())).ok()?;
        (!log.is_empty()).then_some(log)
    }

    fn versions(&self, app_id: Option<&str>) -> Vec<(String, String)> {
        let mut known = self.platform.describe_device().unwrap_or_default();
        let about = |app_id: &str| self.platform.shell(&format!("dumpsys package {app_id}")).ok();
        let app = app_id.and_then(about).and_then(|about| version_name(&about));
        known.extend(app.map(|version| ("app".to_owned(), version)));
        known
    }
}

/// `    versionName=1.2.3` among everything else that the system knows of an app.
fn version_name(about: &str) -> Option<String> {
    about.lines().find_map(|line| line.trim().strip_prefix("versionName=")).map(str::to_owned)
}

/// How an app ended.
#[derive(Debug, PartialEq, Eq)]
struct Crash {
    message: String,
    stack: String,
}

/// The exception of an app in the crash buffer, read from `E/AndroidRuntime( 123): …` lines.
fn crash(log: &str, app_id: &str) -> Option<Crash> {
    let said = |line: &str| line.split_once("): ").map(|(_, text)| text.to_owned());
    let lines: Vec<String> =
        log.lines().filter(|line| line.contains("AndroidRuntime")).filter_map(said).collect();
    // An app may have several processes: `com.example.app:sync`.
    let is_of_app = |line: &String| {
        let process = line.strip_prefix("Process: ").and_then(|rest| rest.strip_prefix(app_id));
        process.is_some_and(|rest| rest.starts_with([',', ':']))
    };
    let at = lines.iter().rposition(is_of_app)?;
    let stack: Vec<&str> = lines[at + 1..]
        .iter()
        .map(String::as_str)
        .take_while(|line| !line.starts_with("FATAL EXCEPTION"))
        .collect();
    let first = stack.first().copied().unwrap_or("it does not say why");
    Some(Crash { message: format!("'{app_id}' crashed: {first}"), stack: stack.join("\n") })
}

/// `I/am_anr  ( 1234): [0,5678,com.example.app,952745542,Input dispatching timed out]`: user, process, package, flags
/// and a reason, which may have commas of its own.
fn not_responding(log: &str, app_id: &str) -> Option<Crash> {
    let reason = |line: &str| {
        let (_, list) = line.split_once('[').filter(|(start, _)| start.contains("am_anr"))?;
        let mut fields = list.trim_end().trim_end_matches(']').splitn(5, ',').skip(2);
        let is_app = fields.next()?.trim() == app_id;
        is_app.then(|| fields.nth(1).unwrap_or_default().trim().to_owned())
    };
    let reason = log.lines().rev().find_map(reason)?;
    Some(Crash { message: format!("'{app_id}' did not respond: {reason}"), stack: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
E/AndroidRuntime( 4242): FATAL EXCEPTION: main
E/AndroidRuntime( 4242): Process: com.example.other, PID: 4242
E/AndroidRuntime( 4242): java.lang.RuntimeException: other
E/AndroidRuntime( 4243): FATAL EXCEPTION: main
E/AndroidRuntime( 4243): Process: com.example.app, PID: 4243
E/AndroidRuntime( 4243): java.lang.IllegalStateException: no parcel
E/AndroidRuntime( 4243): \tat com.example.app.List.open(List.java:7)
";

    #[test]
    fn the_crash_of_the_app_is_found_among_others() {
        let found = crash(LOG, "com.example.app").unwrap();
        assert_eq!(found.message, "'com.example.app' crashed: java.lang.IllegalStateException: no parcel");
        assert!(found.stack.ends_with("at com.example.app.List.open(List.java:7)"));
        assert_eq!(crash(LOG, "com.example"), None);
        assert_eq!(crash("", "com.example.app"), None);
    }

    #[test]
    fn the_version_of_an_app_is_found() {
        let about = "Packages:\n  Package [com.example.app] (1a2b):\n    versionCode=7 minSdk=24\n    versionName=1.2.3\n";
        assert_eq!(version_name(about).as_deref(), Some("1.2.3"));
        assert_eq!(version_name("Unable to find package: com.example.app"), None);
    }

    #[test]
    fn an_app_that_hangs_is_found() {
        let log = "I/am_anr  ( 1234): [0,5678,com.example.app,952745542,Input dispatching timed out]\n";
        let found = not_responding(log, "com.example.app").unwrap();
        assert_eq!(found.message, "'com.example.app' did not respond: Input dispatching timed out");
        assert_eq!(not_responding(log, "com.example"), None);
        let log = log.replace("out]", "out (no window has focus, waited 5 s)]");
        let found = not_responding(&log, "com.example.app").unwrap();
        assert!(found.message.ends_with(": Input dispatching timed out (no window has focus, waited 5 s)"));
    }
}
