//! What a run changes on a phone, and puts back: animations, and the accessibility service.

use std::sync::Arc;

use trailblaze_android::platform::Platform;
use trailblaze_android::shell;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

const ANIMATIONS: [&str; 3] =
    ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];
const SERVICES: &str = "enabled_accessibility_services";
const ENABLED: &str = "accessibility_enabled";
const CONNECT_MS: u64 = 15_000;
const POLL_MS: u64 = 100;

/// Settings as they were before the run. They are put back when this goes away, however the run ended.
pub(super) struct Changed {
    platform: Arc<dyn Platform>,
    /// The table, the name and the value; `null` when there was none.
    before: Vec<(&'static str, &'static str, String)>,
    /// The services that were listed, once ours was written there.
    listed: Option<Vec<String>>,
}

impl Changed {
    pub(super) fn new(platform: Arc<dyn Platform>) -> Self {
        Self { platform, before: Vec::new(), listed: None }
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
        match value {
            // It says how much it deleted.
            "" | "null" => self.platform.shell(&format!("settings delete {table} {name}")).map(drop),
            value => shell::command(self.platform.as_ref(), &format!("settings put {table} {name} {value}")),
        }
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
        let listed = self.services()?;
        self.listed = Some(listed.clone());
        // A service that is listed but not connected comes back only when it is taken out first.
        if has(&listed, &own) {
            self.list_services(without(&listed, &own))?;
        }
        let all = [without(&listed, &own), vec![own.clone()]].concat();
        self.list_services(all)?;
        self.put("secure", ENABLED, "1")?;
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

    fn services(&self) -> Result<Vec<String>, Failure> {
        let listed = self.get("secure", SERVICES)?;
        let is_one = |service: &&str| !service.is_empty() && *service != "null";
        Ok(listed.split(':').filter(is_one).map(str::to_owned).collect())
    }

    fn list_services(&self, services: Vec<String>) -> Result<(), Failure> {
        self.write("secure", SERVICES, &services.join(":"))
    }

    /// Only our own service leaves the list: others may have come meanwhile.
    fn put_services_back(&mut self) -> Result<(), Failure> {
        let Some(before) = self.listed.take() else { return Ok(()) };
        let own = self.platform.service_component()?;
        let now = self.services()?;
        if without(&now, &own).iter().any(|service| !has(&before, service)) {
            // They are not switched off either.
            self.before.retain(|(_, name, _)| *name != ENABLED);
        }
        match (has(&before, &own), has(&now, &own)) {
            (false, true) => self.list_services(without(&now, &own)),
            (true, false) => self.list_services([now, vec![own]].concat()),
            _ => Ok(()),
        }
    }
}

fn has(services: &[String], service: &str) -> bool {
    services.iter().any(|one| full(one) == full(service))
}

fn without(services: &[String], service: &str) -> Vec<String> {
    services.iter().filter(|one| full(one) != full(service)).cloned().collect()
}

/// The system may write `com.example/.Reader` for `com.example/com.example.Reader`.
fn full(component: &str) -> String {
    component.replace("/.", &format!("/{}.", component.split('/').next().unwrap_or_default()))
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Err(failure) = self.put_services_back() {
            let message = format!("the setting '{SERVICES}' could not be put back: {}", failure.message);
            self.platform.log(super::WARN, super::TAG, &message);
        }
        for (table, name, value) in self.before.iter().rev() {
            if let Err(failure) = self.write(table, name, value) {
                let message = format!("the setting '{name}' could not be put back: {}", failure.message);
                self.platform.log(super::WARN, super::TAG, &message);
            }
        }
    }
}
