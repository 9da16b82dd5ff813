//! A phone as a [`Device`]: the decisions that Java does not make.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::{Device, DeviceInfo};
use trailblaze_engine::matching;
use trailblaze_model::action::{Action, Answer, Finger, Key};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Prop, Screen, WindowKind};

use crate::gesture;
use crate::platform::{Extra, Platform, Source, UiEvent};
use crate::shell;
use crate::toast::Toasts;
use crate::whereabouts::Whereabouts;

// What `AccessibilityNodeInfo` calls its actions.
const ACTION_CLICK: i32 = 0x10;
const ACTION_LONG_CLICK: i32 = 0x20;
const ACTION_PASTE: i32 = 0x8000;
const ACTION_SET_TEXT: i32 = 0x20_0000;
const ACTION_SHOW_ON_SCREEN: i32 = 0x0102_0036;

/// The platform waits 400 ms or 500 ms, and in lists 100 ms more, before a touch is a long press.
const LONG_PRESS_MS: u64 = 800;

/// From this API level on a service takes pictures.
const SERVICE_TAKES_PICTURES: u32 = 30;

/// While windows come and go the platform may list none for a moment.
const NO_WINDOW_MS: u64 = 1_000;
const POLL_MS: u64 = 50;

const GLOBAL_BACK: i32 = 1;
const GLOBAL_HOME: i32 = 2;

const KEY_MOVE_END: i32 = 123;
const KEY_DELETE: i32 = 67;

// Kinds of `AccessibilityEvent` after which the screen may look other than before.
const VIEW_CLICKED: i32 = 0x1;
const VIEW_TEXT_CHANGED: i32 = 0x10;
const WINDOW_STATE_CHANGED: i32 = 0x20;
const NOTIFICATION_STATE_CHANGED: i32 = 0x40;
const WINDOW_CONTENT_CHANGED: i32 = 0x800;
const VIEW_SCROLLED: i32 = 0x1000;
const WINDOWS_CHANGED: i32 = 0x40_0000;
const CHANGES: i32 = VIEW_CLICKED
    | VIEW_TEXT_CHANGED
    | WINDOW_STATE_CHANGED
    | NOTIFICATION_STATE_CHANGED
    | WINDOW_CONTENT_CHANGED
    | VIEW_SCROLLED
    | WINDOWS_CHANGED;

/// A phone that the library runs on.
pub struct AndroidDevice {
    platform: Arc<dyn Platform>,
    clock: Arc<dyn Clock>,
    source: Source,
    /// Who takes pictures.
    camera: Source,
    info: DeviceInfo,
    /// When the screen last changed, on the run's clock.
    changed_ms: AtomicU64,
    /// What was seen last: actions name its nodes.
    seen: Mutex<Option<Arc<Screen>>>,
    toasts: Mutex<Toasts>,
    whereabouts: Whereabouts,
}

impl fmt::Debug for AndroidDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AndroidDevice({} by {:?})", self.info.id, self.source)
    }
}

impl AndroidDevice {
    /// `sdk` is the API level of the phone.
    pub fn new(
        platform: Arc<dyn Platform>,
        clock: Arc<dyn Clock>,
        source: Source,
        sdk: u32,
        info: DeviceInfo,
    ) -> Self {
        let camera = if sdk < SERVICE_TAKES_PICTURES { Source::UiAutomation } else { source };
        let changed_ms = AtomicU64::new(clock.now_ms());
        let whereabouts = Whereabouts::new(platform.clone(), clock.clone());
        let (seen, toasts) = (Mutex::default(), Mutex::default());
        Self { platform, clock, source, camera, info, changed_ms, seen, toasts, whereabouts }
    }

    /// Puts back what a trail changed. The end of the device does so too.
    pub fn put_back(&self) -> Result<(), Failure> {
        self.whereabouts.put_back()
    }

    fn gesture(&self, fingers: &[Finger], hold_ms: u64) -> Result<(), Failure> {
        let taken = match self.source {
            Source::UiAutomation => self.platform.inject(&gesture::motions(fingers, hold_ms))?,
            Source::Service => self.platform.dispatch(&gesture::strokes(fingers, hold_ms))?,
        };
        took(taken, "the phone did not take the touch")
    }

    fn node(&self, node: u32, action: i32, text: Option<&str>) -> Result<(), Failure> {
        let taken = self.platform.perform(node, action, text)?;
        took(taken, "the element is gone or does not take the action")
    }

    /// Looks at the screen. Every look is kept: nodes are named by the last one.
    fn see(&self) -> Result<Option<Arc<Screen>>, Failure> {
        self.whereabouts.remind()?;
        let screen = self.platform.capture(self.source)?.map(|mut screen| {
            screen.time_ms = self.clock.now_ms();
            let now_ms = screen.time_ms;
            Arc::new(self.toasts.lock().unwrap_or_else(PoisonError::into_inner).above(screen, now_ms))
        });
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&screen);
        Ok(screen)
    }

    fn seen(&self) -> Option<Arc<Screen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn focused(&self) -> Option<u32> {
        matching::focused_field(self.seen()?.as_ref()).map(|field| field.id().index() as u32)
    }

    fn launch(
        &self,
        app_id: &str,
        arguments: &std::collections::BTreeMap<String, Value>,
    ) -> Result<(), Failure> {
        let extra = |(key, value): (&String, &Value)| {
            let (kind, value) = match value {
                Value::Bool(value) => ("b", value.to_string()),
                Value::Number(number) if fits_an_int(number) => ("i", number.to_string()),
                Value::Number(number) if number.is_i64() => ("l", number.to_string()),
                Value::Number(number) => ("d", number.to_string()),
                Value::String(text) => ("s", text.clone()),
                other => ("s", other.to_string()),
            };
            Extra { key: key.clone(), kind, value }
        };
        let extras: Vec<Extra> = arguments.iter().map(extra).collect();
        if self.platform.launch(app_id, &extras)? {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::NotFound,
            format!("the app '{app_id}' is not installed, or cannot be started"),
        ))
    }

    fn command(&self, command: &str) -> Result<(), Failure> {
        shell::command(self.platform.as_ref(), command)
    }

    fn note_events(&self, events: &[UiEvent]) -> Result<(), Failure> {
        let Some(last) =
            events.iter().filter(|event| event.kind & CHANGES != 0).map(|event| event.uptime_ms).max()
        else {
            return Ok(());
        };
        let (uptime_ms, now_ms) = (self.platform.uptime_ms()?, self.clock.now_ms());
        self.changed_ms.fetch_max(now_ms.saturating_sub(uptime_ms.saturating_sub(last)), Ordering::AcqRel);
        if events.iter().any(|event| event.kind == NOTIFICATION_STATE_CHANGED) {
            let notices = self.platform.take_notices()?;
            self.toasts.lock().unwrap_or_else(PoisonError::into_inner).note(notices, uptime_ms, now_ms);
        }
        Ok(())
    }
}

fn fits_an_int(number: &serde_json::Number) -> bool {
    number.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
}

fn took(taken: bool, otherwise: &str) -> Result<(), Failure> {
    if taken { Ok(()) } else { Err(Failure::new(FailureKind::Refused, otherwise)) }
}

impl Device for AndroidDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capture(&self) -> Result<Arc<Screen>, Failure> {
        let until = self.clock.now_ms() + NO_WINDOW_MS;
        loop {
            if let Some(screen) = self.see()? {
                return Ok(screen);
            }
            if self.clock.now_ms() >= until {
                let message = "the phone shows no window that may be seen";
                let hint = "the screen may be off or locked, or its window is secure";
                return Err(Failure::new(FailureKind::Device, message).hint(hint));
            }
            self.clock.sleep(POLL_MS);
        }
    }

    fn act(&self, action: &Action) -> Result<Answer, Failure> {
        let mut answer = Answer::default();
        match action {
            Action::Tap { x, y } => self.gesture(&gesture::tap((*x, *y)), 0)?,
            Action::DoubleTap { x, y } => self.gesture(&gesture::double_tap((*x, *y)), 0)?,
            Action::LongPress { x, y, duration_ms } => {
                self.gesture(&gesture::press((*x, *y), (*duration_ms).max(LONG_PRESS_MS)), 0)?;
            }
            Action::Swipe { x1, y1, x2, y2, duration_ms } => {
                self.gesture(&gesture::swipe((*x1, *y1), (*x2, *y2), *duration_ms), 0)?;
            }
            Action::Drag { x1, y1, x2, y2, duration_ms } => {
                let fingers = gesture::swipe((*x1, *y1), (*x2, *y2), *duration_ms);
                self.gesture(&fingers, gesture::PICK_UP_MS)?;
            }
            Action::Pinch { scale, at } => {
                let whole = (self.info.width, self.info.height);
                let size = self.seen().map_or(whole, |screen| (screen.width, screen.height));
                let at = at.unwrap_or((size.0 / 2, size.1 / 2));
                self.gesture(&gesture::pinch(at, *scale, size), 0)?;
            }
            Action::Fingers { fingers } => self.gesture(fingers, 0)?,
            Action::Click { node } => self.node(*node, ACTION_CLICK, None)?,
            Action::LongClick { node } => self.node(*node, ACTION_LONG_CLICK, None)?,
            Action::ShowOnScreen { node } => self.node(*node, ACTION_SHOW_ON_SCREEN, None)?,
            Action::SetText { node, text } => self.node(*node, ACTION_SET_TEXT, Some(text))?,
            Action::InputText { text } => took(self.platform.commit(text)?, "no input connection is open")?,
            Action::TypeKeys { text } => {
                took(self.platform.keys(text)?, "the phone has no keys for this text")?
            }
            Action::EraseText { count } => {
                self.platform.key(KEY_MOVE_END)?;
                for _ in 0..*count {
                    took(self.platform.key(KEY_DELETE)?, "the phone did not take the key")?;
                }
            }
            Action::Key { name } => {
                took(self.platform.key(key_code(*name))?, "the phone did not take the key")?
            }
            Action::Back | Action::HideKeyboard => {
                took(self.platform.global(self.source, GLOBAL_BACK)?, "the phone did not go back")?;
            }
            Action::Home => {
                took(self.platform.global(self.source, GLOBAL_HOME)?, "the phone did not go home")?
            }
            Action::LaunchApp { app_id, arguments } => self.launch(app_id, arguments)?,
            Action::StopApp { app_id } => self.command(&format!("am force-stop {app_id}"))?,
            Action::ClearAppData { app_id } => self.command(&format!("pm clear {app_id}"))?,
            Action::OpenLink { link } => {
                if !self.platform.open(link)? {
                    let message = format!("no app on the phone opens '{link}'");
                    return Err(Failure::new(FailureKind::NotFound, message));
                }
            }
            Action::SetClipboard { text } => self.platform.set_clipboard(text)?,
            Action::PasteClipboard => match self.focused() {
                Some(node) => self.node(node, ACTION_PASTE, None)?,
                None => return Err(Failure::new(FailureKind::NotFound, "no field has the focus")),
            },
            Action::GrantPermission { app_id, permission } => {
                shell::set_permission(self.platform.as_ref(), app_id, permission, true)?;
            }
            Action::RevokePermission { app_id, permission } => {
                shell::set_permission(self.platform.as_ref(), app_id, permission, false)?;
            }
            Action::SetConnected { connected } => self.whereabouts.connect(*connected)?,
            Action::SetOrientation { orientation } => self.whereabouts.turn(*orientation)?,
            Action::SetLocation { latitude, longitude } => self.whereabouts.go_to(*latitude, *longitude)?,
            Action::Shell { command } => answer.text = self.platform.shell(command)?,
        }
        Ok(answer)
    }

    fn last_change_ms(&self) -> Result<u64, Failure> {
        let events = self.platform.take_events()?;
        self.note_events(&events)?;
        Ok(self.changed_ms.load(Ordering::Acquire))
    }

    fn screenshot(&self) -> Result<Vec<u8>, Failure> {
        self.platform.screenshot(self.camera)?.ok_or_else(|| {
            Failure::new(FailureKind::NotSupported, "the phone gives no picture of this screen")
                .hint("windows that are marked as secure cannot be pictured")
        })
    }

    fn foreground_app(&self) -> Result<Option<String>, Failure> {
        let Some(screen) = self.see()? else { return Ok(None) };
        let of_an_app = |kind: WindowKind| matches!(kind, WindowKind::Application | WindowKind::Dialog);
        let top = screen.windows().iter().rev().find(|window| of_an_app(window.kind));
        Ok(top.and_then(|window| screen.node(window.root).get(Prop::PackageName)).map(str::to_owned))
    }

    fn installed_apps(&self) -> Result<Vec<String>, Failure> {
        self.platform.installed()
    }

    fn set_time_left(&self, left_ms: Option<u64>) {
        self.platform.set_time_left(left_ms.map(Duration::from_millis));
    }
}

/// The number that `KeyEvent` has for a key.
fn key_code(key: Key) -> i32 {
    match key {
        Key::Enter => 66,
        Key::Backspace => KEY_DELETE,
        Key::Tab => 61,
        Key::Escape => 111,
        Key::Power | Key::Lock => 26,
        Key::VolumeUp => 24,
        Key::VolumeDown => 25,
        Key::DpadUp | Key::NavigationUp => 19,
        Key::DpadDown | Key::NavigationDown => 20,
        Key::DpadLeft => 21,
        Key::DpadRight => 22,
        Key::DpadCenter => 23,
        Key::MediaPlayPause => 85,
        Key::MediaStop => 86,
        Key::MediaNext => 87,
        Key::MediaPrevious => 88,
        Key::MediaRewind => 89,
        Key::MediaFastForward => 90,
        Key::ButtonA => 96,
        Key::ButtonB => 97,
        Key::Menu => 82,
        Key::TvInput => 178,
        Key::TvInputHdmi1 => 243,
        Key::TvInputHdmi2 => 244,
        Key::TvInputHdmi3 => 245,
    }
}
