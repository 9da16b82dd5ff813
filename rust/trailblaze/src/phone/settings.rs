//! What a run changes on a phone, and puts back: animations, and the accessibility service.

use std::sync::Arc;

use trailblaze_android::platform::Platform;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

const ANIMATIONS: [&str; 3] =
    ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];
const SERVICES: &str = "enabled_accessibility_services";
const CONNECT_MS: u64 = 15_000;
const POLL_MS: u64 = 100;

/// Settings as they were before the run. They are put back when this goes away, however the run ended.
pub(super) struct Changed {
    platform: Arc<dyn Platform>,
    /// The table, the name and the value; `null` when there was none.
    before: Vec<(&'static str, &'static str, String)>,
}

impl Changed {
    pub(super) fn new(platform: Arc<dyn Platform>) -> Self {
        Self { platform, before: Vec::new() }
    }

    fn get(&self, table: &str, name: &str) -> Result<String, Failure> {
        Ok(self.platform.shell(&format!("settings get {table} {name}"))?.trim().to_owned())
    }

    fn put(&mut self, table: &'static str, name: &'static str, value: &str) -> Result<(), Failure> {
        let before = self.get(table, name)?;
        if before == value {
            return Ok(());
        }
        if !self.before.iter().any(|(_, known, _)| *known == name) {
            self.before.push((table, name, before));
        }
        self.write(table, name, value)
    }

    /// Commands are split at spaces and know no quotes, so that an empty value cannot be put.
    fn write(&self, table: &str, name: &str, value: &str) -> Result<(), Failure> {
        let command = match value {
            "" | "null" => format!("settings delete {table} {name}"),
            value => format!("settings put {table} {name} {value}"),
        };
        self.platform.shell(&command).map(|_| ())
    }

    pub(super) fn stop_animations(&mut self) -> Result<(), Failure> {
        ANIMATIONS.into_iter().try_for_each(|name| self.put("global", name, "0"))
    }

    /// Switches the service of the test APK on and waits until the system has connected it.
    pub(super) fn enable_service(&mut self, clock: &dyn Clock, cancel: &Cancel) -> Result<(), Failure> {
        if self.platform.is_service_connected()? {
            return Ok(());
        }
        let own = self.platform.service_component()?;
        let listed = self.get("secure", SERVICES)?;
        let others: Vec<&str> = listed
            .split(':')
            .filter(|service| !service.is_empty() && *service != "null" && *service != own)
            .collect();
        // A service that is listed but not connected comes back only when it is taken out first.
        if listed.split(':').any(|service| service == own) {
            self.write("secure", SERVICES, &others.join(":"))?;
        }
        let all: Vec<&str> = others.into_iter().chain([own.as_str()]).collect();
        self.put("secure", SERVICES, &all.join(":"))?;
        self.put("secure", "accessibility_enabled", "1")?;
        let until = clock.now_ms() + CONNECT_MS;
        while !self.platform.is_service_connected()? {
            if cancel.is_cancelled() {
                return Err(Failure::new(FailureKind::Interrupted, "the run was interrupted"));
            }
            if clock.now_ms() >= until {
                let message = format!("the accessibility service {own} was not connected within 15 s");
                let hint = "use '-e driver android-ondevice-instrumentation', which needs no service";
                return Err(Failure::new(FailureKind::Device, message).hint(hint));
            }
            clock.sleep(POLL_MS);
        }
        Ok(())
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        for (table, name, value) in self.before.iter().rev() {
            if let Err(failure) = self.write(table, name, value) {
                let message = format!("the setting '{name}' could not be put back: {}", failure.message);
                self.platform.log(super::WARN, super::TAG, &message);
            }
        }
    }
}
