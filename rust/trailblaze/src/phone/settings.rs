//! What a run changes on a phone, and puts back: animations, and the accessibility service.
//!
//! What was there before is also written to a file, for the case that the agent is killed: the next one puts it back, as far
//! as nobody has changed it since.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use trailblaze_android::platform::Platform;
use trailblaze_android::shell;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

/// What is set: the table, the name and the value.
type Setting = (&'static str, &'static str, &'static str);

const ANIMATIONS: [Setting; 3] = [
    ("global", "window_animation_scale", "0"),
    ("global", "transition_animation_scale", "0"),
    ("global", "animator_duration_scale", "0"),
];
const SWITCH: Setting = ("secure", "accessibility_enabled", "1");
const SERVICES: &str = "enabled_accessibility_services";
const KEPT: &str = "settings-before";
const CONNECT_MS: u64 = 15_000;
const POLL_MS: u64 = 100;

/// Settings as they were before the run. They are put back when this goes away, however the run ended.
pub(super) struct Changed {
    platform: Arc<dyn Platform>,
    /// The table, the name and the value; `null` when there was none.
    before: Vec<(&'static str, &'static str, String)>,
    /// The services that were listed, once ours was written there.
    listed: Option<Vec<String>>,
    /// Where this is kept; none when the phone has no place for it.
    kept: Option<PathBuf>,
}

impl Changed {
    pub(super) fn new(platform: Arc<dyn Platform>) -> Self {
        let kept = platform.files_dir().ok().map(|folder| PathBuf::from(folder).join(KEPT));
        let left = kept.as_ref().and_then(|kept| fs::read_to_string(kept).ok()).unwrap_or_default();
        let mut changed = Self { platform, before: Vec::new(), listed: None, kept };
        left.lines().for_each(|line| changed.take_over(line));
        if changed.listed.is_none() {
            // The switch is for all services, and ours is not among them any more.
            changed.before.retain(|(_, name, _)| *name != SWITCH.1);
        }
        changed
    }

    /// What an agent left that was killed. What has another value by now was changed by somebody else since, and is theirs.
    fn take_over(&mut self, line: &str) {
        let [table, name, value] = *line.splitn(3, ' ').collect::<Vec<_>>() else { return };
        if (table, name) == ("secure", SERVICES) {
            self.listed = Some(services_of(value)).filter(|_| self.is_listed());
            return;
        }
        let mut known = ANIMATIONS.into_iter().chain([SWITCH]);
        let Some((table, name, ours)) = known.find(|known| (known.0, known.1) == (table, name)) else {
            return;
        };
        if self.get(table, name).map_or(true, |now| now.is_empty() || now == ours) {
            self.before.push((table, name, value.to_owned()));
        }
    }

    /// Whether our service stands in the list, as far as that can be known.
    fn is_listed(&self) -> bool {
        let own = self.platform.service_component();
        own.and_then(|own| Ok(has(&self.services()?, &own))).unwrap_or(true)
    }

    /// What cannot be written is put back only by this run itself.
    fn keep(&self) {
        let Some(kept) = &self.kept else { return };
        let listed = self.listed.iter().map(|listed| ("secure", SERVICES, listed.join(":")));
        let lines = self.before.iter().cloned().chain(listed);
        let text: String = lines.map(|(table, name, value)| format!("{table} {name} {value}\n")).collect();
        let folder = kept.parent().map(fs::create_dir_all).transpose();
        // Whoever is killed meanwhile leaves all of the old one.
        let new = kept.with_extension("new");
        let _ = folder.and_then(|_| fs::write(&new, text)).and_then(|()| fs::rename(&new, kept));
    }

    fn get(&self, table: &str, name: &str) -> Result<String, Failure> {
        Ok(self.platform.shell(&format!("settings get {table} {name}"))?.trim().to_owned())
    }

    fn set(&mut self, (table, name, value): Setting) -> Result<(), Failure> {
        let before = self.get(table, name)?;
        if before == value {
            return Ok(());
        }
        if !self.before.iter().any(|(_, known, _)| *known == name) {
            self.before.push((table, name, before));
            self.keep();
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
        ANIMATIONS.into_iter().try_for_each(|setting| self.set(setting))
    }

    /// Switches the service of the test APK on and waits until the system has connected it.
    pub(super) fn enable_service(&mut self, clock: &dyn Clock, cancel: &Cancel) -> Result<(), Failure> {
        if self.platform.is_service_connected()? {
            return Ok(());
        }
        let own = self.platform.service_component()?;
        let listed = self.services()?;
        self.listed.get_or_insert_with(|| listed.clone());
        self.keep();
        // A service that is listed but not connected comes back only when it is taken out first.
        if has(&listed, &own) {
            self.list_services(without(&listed, &own))?;
        }
        let all = [without(&listed, &own), vec![own.clone()]].concat();
        self.list_services(all)?;
        self.set(SWITCH)?;
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
        Ok(services_of(&self.get("secure", SERVICES)?))
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
            self.before.retain(|(_, name, _)| *name != SWITCH.1);
        }
        match (has(&before, &own), has(&now, &own)) {
            (false, true) => self.list_services(without(&now, &own)),
            (true, false) => self.list_services([now, vec![own]].concat()),
            _ => Ok(()),
        }
    }
}

fn services_of(listed: &str) -> Vec<String> {
    let is_one = |service: &&str| !service.is_empty() && *service != "null";
    listed.split(':').filter(is_one).map(str::to_owned).collect()
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
        let is_changed = !self.before.is_empty() || self.listed.is_some();
        // A shell whose owner is gone does nothing and says nothing, and a setting always says something.
        if is_changed && self.get("global", ANIMATIONS[0].1).is_ok_and(|said| said.is_empty()) {
            let message = "the settings could not be put back: the shell is gone";
            return self.platform.log(super::WARN, super::TAG, message);
        }
        let mut is_back = true;
        if let Err(failure) = self.put_services_back() {
            is_back = false;
            let message = format!("the setting '{SERVICES}' could not be put back: {}", failure.message);
            self.platform.log(super::WARN, super::TAG, &message);
        }
        for (table, name, value) in self.before.iter().rev() {
            if let Err(failure) = self.write(table, name, value) {
                is_back = false;
                let message = format!("the setting '{name}' could not be put back: {}", failure.message);
                self.platform.log(super::WARN, super::TAG, &message);
            }
        }
        if let Some(kept) = self.kept.as_ref().filter(|_| is_back) {
            // It is not there where nothing was changed.
            let _ = fs::remove_file(kept);
        }
    }
}
