//! Notes what a device shows and what reaches it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::{Device, DeviceInfo, LogLine};
use trailblaze_model::action::{Action, Answer};
use trailblaze_model::failure::Failure;
use trailblaze_model::screen::Screen;

use super::{Note, Seen, World};

/// A device that is watched.
pub struct Watched {
    device: Arc<dyn Device>,
    clock: Arc<dyn Clock>,
    notes: Mutex<Notes>,
}

struct Notes {
    world: World,
    /// The numbers of screens that may be the same.
    alike: BTreeMap<u64, Vec<usize>>,
    /// So many bytes, about, may still be kept; none = as many as it takes.
    left: Option<usize>,
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Watched({})", self.device.info().id)
    }
}

impl Watched {
    /// Keeps at most about `limit` bytes; a world that is larger is given up.
    pub fn new(device: Arc<dyn Device>, clock: Arc<dyn Clock>, limit: Option<usize>) -> Self {
        let world = World {
            info: device.info().clone(),
            start_ms: clock.now_ms(),
            installed: device.installed_apps().unwrap_or_default(),
            screens: Vec::new(),
            notes: Vec::new(),
        };
        Self { device, clock, notes: Mutex::new(Notes { world, alike: BTreeMap::new(), left: limit }) }
    }

    /// What was seen until now; none when it was too much to keep.
    pub fn world(&self) -> Option<World> {
        let notes = self.lock();
        (notes.left != Some(0)).then(|| notes.world.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a note, unless it says what the last one of its kind said.
    fn note(&self, what: Seen) {
        let t = self.clock.now_ms();
        let mut notes = self.lock();
        let same_kind = |note: &&Note| std::mem::discriminant(&note.what) == std::mem::discriminant(&what);
        let since_act =
            notes.world.notes.iter().rev().take_while(|note| !matches!(note.what, Seen::Acted { .. }));
        if since_act.clone().find(same_kind).is_some_and(|last| last.what == what) {
            return;
        }
        notes.push(Note { t, what });
    }
}

impl Notes {
    fn push(&mut self, note: Note) {
        if self.take(std::mem::size_of::<Note>() + 32 + text_size(&note.what)) {
            self.world.notes.push(note);
        }
    }

    /// The number of a screen, which is kept unless it was seen before.
    fn number(&mut self, screen: &Arc<Screen>) -> usize {
        let next = self.world.screens.len();
        if self.world.screens.last().is_some_and(|last| Arc::ptr_eq(last, screen)) {
            return next - 1;
        }
        let digest = digest(screen);
        let alike = self.alike.get(&digest).map_or(&[][..], Vec::as_slice);
        if let Some(number) = alike.iter().find(|number| is_same(&self.world.screens[**number], screen)) {
            return *number;
        }
        if self.take(screen.size_estimate()) {
            self.world.screens.push(screen.clone());
            self.alike.entry(digest).or_default().push(next);
        }
        next
    }

    /// Whether there is room for so many more bytes; once there is none, all is given up.
    fn take(&mut self, bytes: usize) -> bool {
        match self.left {
            None => true,
            Some(left) if left > bytes => {
                self.left = Some(left - bytes);
                true
            }
            Some(_) => {
                self.left = Some(0);
                self.world.notes = Vec::new();
                self.world.screens = Vec::new();
                self.alike = BTreeMap::new();
                false
            }
        }
    }
}

/// Equal screens have equal numbers.
fn digest(screen: &Screen) -> u64 {
    let print = screen.fingerprint();
    let mut hasher = DefaultHasher::new();
    (screen.width, screen.height, screen.rotation).hash(&mut hasher);
    screen.windows().iter().for_each(|window| print.of(window.root).hash(&mut hasher));
    hasher.finish()
}

/// A phone writes the time on each screen; what it shows may be the same.
fn is_same(one: &Screen, other: &Screen) -> bool {
    let mut one = one.clone();
    one.time_ms = other.time_ms;
    one == *other
}

/// About how long the texts of a note are.
fn text_size(what: &Seen) -> usize {
    match what {
        Seen::Log(line) => line.message.len(),
        Seen::Acted { action, answer } => {
            let typed = serde_json::to_string(action).map_or(0, |text| text.len());
            typed + answer.as_ref().map_or(0, String::len)
        }
        _ => 0,
    }
}

impl Device for Watched {
    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    fn capture(&self) -> Result<Arc<Screen>, Failure> {
        let seen = self.device.capture();
        let number = match &seen {
            Ok(screen) => Ok(self.lock().number(screen)),
            Err(failure) => Err(failure.clone()),
        };
        self.note(Seen::Screen(number));
        seen
    }

    fn act(&self, action: &Action) -> Result<Answer, Failure> {
        let t = self.clock.now_ms();
        let answer = self.device.act(action);
        let noted = answer.as_ref().map(|answer| answer.text.clone()).map_err(Clone::clone);
        self.lock().push(Note { t, what: Seen::Acted { action: action.clone(), answer: noted } });
        answer
    }

    fn last_change_ms(&self) -> Result<u64, Failure> {
        let changed = self.device.last_change_ms();
        self.note(Seen::Changed(changed.clone()));
        changed
    }

    fn screenshot(&self) -> Result<Vec<u8>, Failure> {
        self.device.screenshot()
    }

    fn foreground_app(&self) -> Result<Option<String>, Failure> {
        let front = self.device.foreground_app();
        self.note(Seen::Front(front.clone()));
        front
    }

    fn installed_apps(&self) -> Result<Vec<String>, Failure> {
        self.device.installed_apps()
    }

    fn set_time_left(&self, left_ms: Option<u64>) {
        self.device.set_time_left(left_ms);
    }

    fn take_logs(&self) -> Vec<LogLine> {
        let (lines, t) = (self.device.take_logs(), self.clock.now_ms());
        let mut notes = self.lock();
        lines.iter().for_each(|line| notes.push(Note { t, what: Seen::Log(line.clone()) }));
        lines
    }
}
