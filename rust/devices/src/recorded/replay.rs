//! Answers from what was seen before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::{Device, DeviceInfo, LogLine};
use trailblaze_model::action::{Action, Answer};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

use super::{Note, Seen, World};
use crate::draw;

/// A device that exists only in notes.
pub struct RecordedDevice {
    world: World,
    clock: Arc<dyn Clock>,
    place: Mutex<Place>,
}

/// How far the world was lived through again.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first note after the last action.
    first: usize,
    /// When that action was, then and now.
    then_ms: u64,
    now_ms: u64,
    /// The first note whose line, if it is one of the app, was not passed on yet.
    logs: usize,
}

impl std::fmt::Debug for RecordedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RecordedDevice({}, {} notes)", self.world.info.id, self.world.notes.len())
    }
}

impl RecordedDevice {
    pub fn new(world: World, clock: Arc<dyn Clock>) -> Self {
        let place = Place { first: 0, then_ms: world.start_ms, now_ms: clock.now_ms(), logs: 0 };
        Self { world, clock, place: Mutex::new(place) }
    }

    fn lock(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The notes between the last action and the next one.
    fn here(&self, place: Place) -> &[Note] {
        let rest = &self.world.notes[place.first..];
        let end = rest.iter().position(|note| matches!(note.what, Seen::Acted { .. })).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The moment of the recorded world that now is.
    fn then(&self, place: Place) -> u64 {
        place.then_ms.saturating_add(self.clock.now_ms().saturating_sub(place.now_ms))
    }

    /// The last note of a kind that had been made by now, else the first one that comes.
    fn latest<'a, T>(&'a self, pick: impl Fn(&'a Seen) -> Option<T>) -> Option<T> {
        let place = *self.lock();
        let until = self.then(place);
        let here = self.here(place);
        let before = here.iter().rev().filter(|note| note.t <= until).find_map(|note| pick(&note.what));
        before
            .or_else(|| here.iter().find_map(|note| pick(&note.what)))
            .or_else(|| self.world.notes[..place.first].iter().rev().find_map(|note| pick(&note.what)))
    }

    fn no_answer(&self, action: &Action, expected: Option<&Action>) -> Failure {
        let show = |action: &Action| serde_json::to_string(action).unwrap_or_default();
        let message = match expected {
            Some(expected) => {
                format!(
                    "the recorded world has no answer to {}; it saw {} here",
                    show(action),
                    show(expected)
                )
            }
            None => format!("the recorded world ends here; it has no answer to {}", show(action)),
        };
        Failure::new(FailureKind::NotRecorded, message)
            .hint("the trail changed since; record the session again")
    }
}

impl Device for RecordedDevice {
    fn info(&self) -> &DeviceInfo {
        &self.world.info
    }

    fn capture(&self) -> Result<Arc<Screen>, Failure> {
        let seen = self.latest(|seen| match seen {
            Seen::Screen(result) => Some(result),
            _ => None,
        });
        match seen {
            Some(Ok(number)) => self.world.screens.get(*number).cloned().ok_or_else(|| {
                Failure::new(FailureKind::NotRecorded, format!("screen {number} is missing from the session"))
            }),
            Some(Err(failure)) => Err(failure.clone()),
            None => Err(Failure::new(FailureKind::NotRecorded, "the session has no screen")),
        }
    }

    fn act(&self, action: &Action) -> Result<Answer, Failure> {
        let mut place = self.lock();
        let rest = &self.world.notes[place.first..];
        let next = rest.iter().position(|note| matches!(note.what, Seen::Acted { .. }));
        let Some((offset, Note { t, what: Seen::Acted { action: expected, answer } })) =
            next.map(|offset| (offset, &rest[offset]))
        else {
            return Err(self.no_answer(action, None));
        };
        if expected != action {
            return Err(self.no_answer(action, Some(expected)));
        }
        place.first += offset + 1;
        (place.then_ms, place.now_ms) = (*t, self.clock.now_ms());
        answer.clone().map(|text| Answer { text })
    }

    fn last_change_ms(&self) -> Result<u64, Failure> {
        let place = *self.lock();
        let changed = self.latest(|seen| match seen {
            Seen::Changed(changed) => Some(changed.clone()),
            _ => None,
        });
        // The moment is moved along with the action that it followed.
        Ok(match changed.transpose()? {
            Some(then) => place.now_ms.saturating_add(then).saturating_sub(place.then_ms),
            None => place.now_ms,
        })
    }

    fn screenshot(&self) -> Result<Vec<u8>, Failure> {
        let screen = self.capture()?;
        draw::png(&screen).map_err(|error| Failure::new(FailureKind::Device, error.to_string()))
    }

    fn foreground_app(&self) -> Result<Option<String>, Failure> {
        let front = self.latest(|seen| match seen {
            Seen::Front(front) => Some(front.clone()),
            _ => None,
        });
        front.unwrap_or(Ok(None))
    }

    fn installed_apps(&self) -> Result<Vec<String>, Failure> {
        Ok(self.world.installed.clone())
    }
    fn take_logs(&self) -> Vec<LogLine> {
        let mut place = self.lock();
        let (until, end) = (self.then(*place), place.first + self.here(*place).len());
        let mut lines = Vec::new();
        while place.logs < end {
            let note = &self.world.notes[place.logs];
            if place.logs >= place.first && note.t > until {
                break;
            }
            if let Seen::Log(line) = &note.what {
                lines.push(line.clone());
            }
            place.logs += 1;
        }
        lines
    }
}
