//! How the phone is held, where it is and whether it is connected: what a trail may change for as long as it runs.

use std::sync::{Arc, Mutex, PoisonError};

use trailblaze_engine::clock::Clock;
use trailblaze_model::action::Orientation;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::platform::{Platform, TURNS_BY_ITSELF, Undo};
use crate::shell;

const WARN: i32 = 5;
/// A phone turns in less; an app that does not turn holds the display as it is.
const TURN_MS: u64 = 1_000;
const POLL_MS: u64 = 50;
/// Whom apps ask where they are. Others, such as the fused one, ask these.
const PROVIDERS: [&str; 2] = ["gps", "network"];
/// As often as a receiver says where it is: an app may begin to listen later.
const SAY_MS: u64 = 1_000;
const MOCK_LOCATION: &str = "android:mock_location";

/// What was changed is put back when this goes away, however the run ended.
pub(crate) struct Whereabouts {
    platform: Arc<dyn Platform>,
    clock: Arc<dyn Clock>,
    changed: Mutex<Changed>,
}

#[derive(Default)]
struct Changed {
    held: Option<Held>,
    /// Whether it was connected before.
    connected: Option<bool>,
    allowed: Option<Allowed>,
    providers: Vec<&'static str>,
    place: Option<Place>,
}

/// How the user has the phone held. How its display is turned at the moment may be the doing of an app.
struct Held {
    rotation: i32,
    turns_by_itself: bool,
}

/// Who may set the location, and what the phone thought of that before.
struct Allowed {
    app_id: String,
    before: String,
}

struct Place {
    latitude: f64,
    longitude: f64,
    said_ms: u64,
}

impl Whereabouts {
    pub(crate) fn new(platform: Arc<dyn Platform>, clock: Arc<dyn Clock>) -> Self {
        Self { platform, clock, changed: Mutex::default() }
    }

    pub(crate) fn turn(&self, orientation: Orientation) -> Result<(), Failure> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.held.is_none() {
            let turns_by_itself = self.setting("system accelerometer_rotation")? != "0";
            // One that was never held fast has no such setting.
            let rotation = self.setting("system user_rotation")?.parse().unwrap_or(0);
            changed.held = Some(Held { rotation, turns_by_itself });
            self.leave_word(&changed)?;
        }
        self.turn_to(i32::from(orientation.quarter_turns()))
    }

    /// The platform only takes note of it and turns a moment later.
    fn turn_to(&self, rotation: i32) -> Result<(), Failure> {
        self.hold(rotation)?;
        let until = self.clock.now_ms() + TURN_MS;
        while self.platform.display()?.rotation != rotation && self.clock.now_ms() < until {
            self.clock.sleep(POLL_MS);
        }
        Ok(())
    }

    fn hold(&self, rotation: i32) -> Result<(), Failure> {
        if self.platform.set_rotation(rotation)? {
            return Ok(());
        }
        let failure = Failure::new(FailureKind::Refused, "the phone did not turn");
        Err(failure.hint("not every device can be turned, televisions and cars for example"))
    }

    pub(crate) fn connect(&self, connected: bool) -> Result<(), Failure> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.connected.is_none() {
            changed.connected = Some(self.setting("global airplane_mode_on")? != "1");
            self.leave_word(&changed)?;
        }
        shell::command(self.platform.as_ref(), &connecting(connected))
    }

    fn setting(&self, name: &str) -> Result<String, Failure> {
        Ok(self.platform.shell(&format!("settings get {name}"))?.trim().to_owned())
    }

    pub(crate) fn go_to(&self, latitude: f64, longitude: f64) -> Result<(), Failure> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        self.stand_in(&mut changed).map_err(not_taken)?;
        changed.place = Some(Place { latitude, longitude, said_ms: 0 });
        self.say(&mut changed).map_err(not_taken)
    }

    /// Says again where the phone is, when it is time.
    pub(crate) fn remind(&self) -> Result<(), Failure> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let now_ms = self.clock.now_ms();
        match &changed.place {
            Some(place) if now_ms >= place.said_ms + SAY_MS => self.say(&mut changed).map_err(not_taken),
            _ => Ok(()),
        }
    }

    /// Takes the place of the real providers.
    fn stand_in(&self, changed: &mut Changed) -> Result<(), Failure> {
        if changed.allowed.is_none() {
            let service = self.platform.service_component()?;
            let app_id = service.split('/').next().unwrap_or_default().to_owned();
            let before = mode(&self.platform.shell(&format!("appops get {app_id} {MOCK_LOCATION}"))?);
            let allow = allowing(&app_id, "allow");
            changed.allowed = Some(Allowed { app_id, before });
            self.leave_word(changed)?;
            shell::command(self.platform.as_ref(), &allow)?;
        }
        for provider in PROVIDERS {
            if !changed.providers.contains(&provider) {
                self.platform.add_test_provider(provider).inspect_err(|_| {
                    // It may be there and only not be switched on. What counts is why.
                    let _ = self.platform.remove_test_provider(provider);
                })?;
                changed.providers.push(provider);
                self.leave_word(changed)?;
            }
        }
        Ok(())
    }

    /// Says what is to be put back, for the case that this is not there any more to do it.
    fn leave_word(&self, changed: &Changed) -> Result<(), Failure> {
        self.platform.undo_when_alone(&changed.undo())
    }

    fn say(&self, changed: &mut Changed) -> Result<(), Failure> {
        let Some(place) = &mut changed.place else { return Ok(()) };
        place.said_ms = self.clock.now_ms();
        for provider in &changed.providers {
            self.platform.set_test_location(provider, place.latitude, place.longitude)?;
        }
        Ok(())
    }

    /// Puts everything back; the first thing that cannot be is the failure.
    pub(crate) fn put_back(&self) -> Result<(), Failure> {
        let changed = std::mem::take(&mut *self.changed.lock().unwrap_or_else(PoisonError::into_inner));
        let undo = changed.undo();
        if undo.is_empty() {
            return Ok(());
        }
        let mut results: Vec<Result<(), Failure>> = undo.iter().map(|undo| self.undo(undo)).collect();
        results.push(self.platform.undo_when_alone(&[]));
        results.into_iter().collect()
    }

    fn undo(&self, undo: &Undo) -> Result<(), Failure> {
        match undo {
            Undo::Rotation(TURNS_BY_ITSELF) => self.hold(TURNS_BY_ITSELF),
            Undo::Rotation(rotation) => self.turn_to(*rotation),
            Undo::Provider(name) => self.platform.remove_test_provider(name),
            Undo::Shell(command) => shell::command(self.platform.as_ref(), command),
        }
    }
}

impl Changed {
    /// What puts everything back.
    fn undo(&self) -> Vec<Undo> {
        let mut undo = Vec::new();
        if let Some(held) = &self.held {
            // Letting it go does not undo that it was held otherwise: that is a setting of its own.
            undo.push(Undo::Rotation(held.rotation));
            undo.extend(held.turns_by_itself.then_some(Undo::Rotation(TURNS_BY_ITSELF)));
        }
        undo.extend(self.providers.iter().map(|provider| Undo::Provider((*provider).to_owned())));
        let allowed = self.allowed.iter().map(|allowed| allowing(&allowed.app_id, &allowed.before));
        undo.extend(allowed.chain(self.connected.map(connecting)).map(Undo::Shell));
        undo
    }
}

fn connecting(connected: bool) -> String {
    format!("cmd connectivity airplane-mode {}", if connected { "disable" } else { "enable" })
}

fn allowing(app_id: &str, mode: &str) -> String {
    format!("appops set {app_id} {MOCK_LOCATION} {mode}")
}

impl Drop for Whereabouts {
    fn drop(&mut self) {
        if let Err(failure) = self.put_back() {
            let message = format!("what a trail changed on the phone is not put back: {}", failure.message);
            self.platform.log(WARN, "trailblaze", &message);
        }
    }
}

/// `MOCK_LOCATION: allow; time=+1d2h ago` for the app; one about which nothing was said has the default.
fn mode(said: &str) -> String {
    let mode = said.lines().find_map(|line| line.trim().strip_prefix("MOCK_LOCATION: "));
    let mode = mode.and_then(|mode| mode.split([';', ' ']).next());
    mode.unwrap_or("default").to_owned()
}

fn not_taken(failure: Failure) -> Failure {
    let message = format!("the phone does not take another location: {}", failure.message);
    let hint = "choose the test APK under 'Select mock location app' in the phone's developer options";
    Failure { message, ..failure }.hint(hint)
}
