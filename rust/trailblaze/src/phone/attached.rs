//! The phone that the library runs on, between trails.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use trailblaze_android::device::AndroidDevice;
use trailblaze_android::platform::Platform;
use trailblaze_android::web;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::Device;
use trailblaze_engine::host::{WebAnswer, WebRequest};
use trailblaze_model::failure::{Failure, FailureKind};

use super::crash::{self, Crash};
use crate::run::Attached;

/// A phone with what is known about the trail that runs on it.
pub(super) struct Phone {
    platform: Arc<dyn Platform>,
    device: Arc<AndroidDevice>,
    clock: Arc<dyn Clock>,
    /// How far the phone's own time is ahead of the time here, which differs only on a laptop.
    ahead_ms: i64,
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
        Self { platform, device, clock, ahead_ms: 0, since: Mutex::default() }
    }

    /// Of a phone that has a time of its own.
    #[cfg(not(target_os = "android"))]
    pub(super) fn with_own_time(self) -> Result<Self, Failure> {
        let said = self.platform.shell("date +%s.%N")?;
        Ok(Self { ahead_ms: ahead_ms(&said, now_ms()).unwrap_or_default(), ..self })
    }

    fn since(&self) -> String {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How the app came to its end since the trail began, if it did.
    fn crash_of(&self, app_id: &str) -> Option<Crash> {
        let said = |command: String| self.platform.shell(&command).unwrap_or_default();
        let since = self.since();
        let crashes = said(format!("logcat -b crash -d -v brief -T {since}"));
        crash::exception(&crashes, app_id).or_else(|| crash::signal(&crashes, app_id)).or_else(|| {
            crash::not_responding(&said(format!("logcat -b events -d -v brief -T {since}")), app_id)
        })
    }
}

impl Attached for Phone {
    fn fetch(&self, request: &WebRequest) -> Result<WebAnswer, String> {
        let started_ms = self.clock.now_ms();
        let answer = self.platform.fetch(&web::to_bytes(request)?).map_err(|failure| failure.message)?;
        Ok(WebAnswer { took_ms: self.clock.now_ms() - started_ms, ..web::from_bytes(&answer)? })
    }

    fn device(&self) -> Arc<dyn Device> {
        self.device.clone()
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn make_ready(&self, app_id: Option<&str>) -> Result<(), Failure> {
        // The phone's own time. In whole seconds, the crash of the trail before would belong to this one as well.
        let now_ms = now_ms().saturating_add_signed(self.ahead_ms);
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) =
            format!("{}.{:03}", now_ms / 1000, now_ms % 1000);
        if let Some(app_id) = app_id {
            self.platform.shell(&format!("am force-stop {app_id}"))?;
        }
        self.device.put_back()?;
        // A dialog about a crash would lie above whatever comes next.
        self.platform.shell("am broadcast -a android.intent.action.CLOSE_SYSTEM_DIALOGS")?;
        Ok(())
    }

    fn put_back(&self) -> Result<(), Failure> {
        self.device.put_back()
    }

    fn is_reached(&self) -> bool {
        self.platform.is_reached()
    }

    fn explain(&self, app_id: Option<&str>, failure: Failure) -> Failure {
        match self.crash(app_id) {
            None => failure,
            Some(crash) => {
                let message = format!("{}, and so: {}", crash.message, failure.message);
                let stack = crash.stack.or(failure.stack);
                Failure { kind: crash.kind, message, stack, ..failure }
            }
        }
    }

    fn crash(&self, app_id: Option<&str>) -> Option<Failure> {
        let Crash { message, stack } = self.crash_of(app_id?)?;
        let failure = Failure::new(FailureKind::App, message);
        Some(if stack.is_empty() { failure } else { failure.stack(stack) })
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

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// How far the time that `date +%s.%N` says is ahead. Some phones know no fractions.
#[cfg(not(target_os = "android"))]
fn ahead_ms(said: &str, now_ms: u64) -> Option<i64> {
    let (seconds, fraction) = said.trim().split_once('.')?;
    let millis = fraction.get(..3).and_then(|millis| millis.parse().ok()).unwrap_or(0);
    let phone_ms = seconds.parse::<i64>().ok()?.checked_mul(1000)? + millis;
    Some(phone_ms - i64::try_from(now_ms).ok()?)
}

/// `    versionName=1.2.3` among everything else that the system knows of an app.
fn version_name(about: &str) -> Option<String> {
    about.lines().find_map(|line| line.trim().strip_prefix("versionName=")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_may_have_another_time() {
        assert_eq!(ahead_ms("1763233210.250000000\n", 1_763_233_200_000), Some(10_250));
        assert_eq!(ahead_ms("1763233190.N\n", 1_763_233_200_000), Some(-10_000));
        assert_eq!(ahead_ms("date: bad format\n", 1_763_233_200_000), None);
    }

    #[test]
    fn the_version_of_an_app_is_found() {
        let about = "Packages:\n  Package [com.example.app] (1a2b):\n    versionCode=7 minSdk=24\n    versionName=1.2.3\n";
        assert_eq!(version_name(about).as_deref(), Some("1.2.3"));
        assert_eq!(version_name("Unable to find package: com.example.app"), None);
    }
}
