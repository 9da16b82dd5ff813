//! TrailblazeCommands: the primitives below tools. Actions do something, queries answer and never fail
//! on "not found", assertions fail when a condition does not hold.

mod gesture;
mod look;
mod scroll;
mod touch;
mod typing;

use trailblaze_model::action::{Action, Answer, Finger, Key, Orientation};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::{Direction, Point};
use trailblaze_model::order;
use trailblaze_model::screen::Bounds;

pub use gesture::SwipePath;
pub use look::Found;
pub use scroll::ScrollTo;
pub use touch::{Touch, Touched};
pub use typing::{Rung, Typed};

use crate::session::{DeadlineOf, Phase, Session};
use crate::settle::{Settle, settle};

/// How long an element is waited for.
pub const FIND_MS: u64 = 5_000;
/// How long Maestro commands wait for one.
pub const MAESTRO_FIND_MS: u64 = 17_000;
/// The same, when the command is optional.
pub const MAESTRO_OPTIONAL_FIND_MS: u64 = 7_000;
const LAUNCH_MS: u64 = 30_000;

/// The primitives of one call.
#[derive(Clone, Copy, Debug)]
pub struct Commands<'a> {
    pub session: &'a Session,
    deadline_ms: u64,
    may_act: bool,
}

/// How an app is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    pub stop_first: bool,
    pub clear_first: bool,
    /// Granted or taken away after the data was cleared, which takes them all away.
    pub permissions: Vec<(String, bool)>,
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

impl<'a> Commands<'a> {
    pub fn new(session: &'a Session, deadline_ms: u64) -> Self {
        Self { session, deadline_ms, may_act: true }
    }

    /// Without actions, for a tool that only works out what others are to do.
    pub(crate) fn only_looking(self) -> Self {
        Self { may_act: false, ..self }
    }

    /// What is left of the time of this call.
    pub fn remaining_ms(&self) -> u64 {
        self.deadline_ms.saturating_sub(self.session.now_ms())
    }

    // Actions

    /// Hides the keyboard; nothing to do when there is none.
    pub fn hide_keyboard(&self) -> Result<(), Failure> {
        if self.session.capture()?.keyboard().is_none() {
            return Ok(());
        }
        self.act(Action::HideKeyboard)
    }

    pub fn press_key(&self, key: Key) -> Result<(), Failure> {
        self.act(Action::Key { name: key })
    }

    pub fn press_back(&self) -> Result<(), Failure> {
        self.act(Action::Back)
    }

    pub fn press_home(&self) -> Result<(), Failure> {
        self.act(Action::Home)
    }

    pub fn swipe(&self, path: SwipePath, duration_ms: u64) -> Result<(), Failure> {
        let ((x1, y1), (x2, y2)) = path.points(self.session.screen_size());
        self.act(Action::Swipe { x1, y1, x2, y2, duration_ms })
    }

    pub fn drag(&self, from: (i32, i32), to: (i32, i32), duration_ms: u64) -> Result<(), Failure> {
        self.act(Action::Drag { x1: from.0, y1: from.1, x2: to.0, y2: to.1, duration_ms })
    }

    /// Two fingers around a point, or around the middle of the screen.
    pub fn pinch(&self, scale: f64, at: Option<(i32, i32)>) -> Result<(), Failure> {
        self.act(Action::Pinch { scale, at })
    }

    /// Any number of fingers at once.
    pub fn fingers(&self, fingers: Vec<Finger>) -> Result<(), Failure> {
        for point in fingers.iter().flat_map(|finger| &finger.points) {
            self.check_on_screen(*point)?;
        }
        self.act(Action::Fingers { fingers })
    }

    /// Shows more content in a direction, some times.
    pub fn scroll(&self, direction: Direction, amount: u32) -> Result<(), Failure> {
        for _ in 0..amount.max(1) {
            self.swipe(SwipePath::from_centre(direction.opposite()), 400)?;
        }
        Ok(())
    }

    /// Starts an app and waits until it is in front.
    pub fn launch_app(&self, app_id: &str, launch: Launch) -> Result<(), Failure> {
        if launch.stop_first {
            self.perform(Action::StopApp { app_id: app_id.to_owned() })?;
        }
        if launch.clear_first {
            self.perform(Action::ClearAppData { app_id: app_id.to_owned() })?;
        }
        for (permission, granted) in launch.permissions {
            match self.perform(permission_action(app_id, &permission, granted)) {
                // A short name stands for several permissions, and hardly an app asks for all of them.
                Err(failure) if failure.kind == FailureKind::Refused => {
                    self.session.warn(failure.message, failure.hint);
                }
                result => result.map(|_| ())?,
            }
        }
        let arguments = order::map(launch.arguments);
        self.act(Action::LaunchApp { app_id: app_id.to_owned(), arguments })?;
        let _phase = self.session.phase(Phase::Settle);
        self.wait_for(LAUNCH_MS, || {
            let front = self.session.device().foreground_app()?;
            Ok(front.is_none_or(|front| front == app_id).then_some(()))
        })?
        .ok_or_else(|| {
            let message = format!("'{app_id}' was started but did not come to the front within 30 s");
            Failure::new(FailureKind::Timeout, message)
        })
    }

    pub fn stop_app(&self, app_id: &str) -> Result<(), Failure> {
        self.act(Action::StopApp { app_id: app_id.to_owned() })
    }

    pub fn clear_app_data(&self, app_id: &str) -> Result<(), Failure> {
        self.act(Action::ClearAppData { app_id: app_id.to_owned() })
    }

    pub fn open_link(&self, link: &str) -> Result<(), Failure> {
        self.act(Action::OpenLink { link: link.to_owned() })
    }

    pub fn set_permission(&self, app_id: &str, permission: &str, granted: bool) -> Result<(), Failure> {
        self.act(permission_action(app_id, permission, granted))
    }

    /// Turns the device.
    pub fn set_orientation(&self, orientation: Orientation) -> Result<(), Failure> {
        self.act(Action::SetOrientation { orientation })
    }

    /// Lets the device be somewhere else.
    pub fn set_location(&self, latitude: f64, longitude: f64) -> Result<(), Failure> {
        self.act(Action::SetLocation { latitude, longitude })
    }

    /// Runs a shell command on the device and returns what it printed.
    pub fn shell(&self, command: &str) -> Result<String, Failure> {
        let answer = self.perform(Action::Shell { command: command.to_owned() })?;
        self.settle()?;
        Ok(answer.text)
    }

    /// Lets something reach the device and waits until the screen is still.
    pub fn act(&self, action: Action) -> Result<(), Failure> {
        self.perform(action)?;
        self.settle()?;
        self.session.note_action();
        Ok(())
    }

    /// Lets something reach the device without waiting for what comes of it.
    fn perform(&self, action: Action) -> Result<Answer, Failure> {
        if !self.may_act {
            let failure = Failure::new(
                FailureKind::Exception,
                "a tool that delegates may only look at the screen, not act itself",
            );
            return Err(failure.hint("return the calls that act as its delegates"));
        }
        self.check_deadline()?;
        self.session.act(action)
    }

    // Waiting

    /// Waits until the screen is still; false when it never was.
    pub fn settle(&self) -> Result<bool, Failure> {
        self.settle_as(Settle::default())
    }

    /// Waits until the screen is still, at most so long.
    pub fn settle_within(&self, cap_ms: u64) -> Result<bool, Failure> {
        self.settle_as(Settle { cap_ms, ..Settle::default() })
    }

    /// Waits until nothing has changed for so long, at most for a time.
    pub fn settle_quiet(&self, quiet_ms: u64, cap_ms: u64) -> Result<bool, Failure> {
        self.settle_as(Settle { quiet_ms, cap_ms, ..Settle::default() })
    }

    fn settle_as(&self, how: Settle) -> Result<bool, Failure> {
        settle(self.session, Settle { cap_ms: how.cap_ms.min(self.remaining_ms()), ..how })
    }

    pub(crate) fn check_deadline(&self) -> Result<(), Failure> {
        if self.remaining_ms() > 0 {
            return Ok(());
        }
        if self.session.options.deadline_ms.is_some_and(|deadline| self.session.now_ms() >= deadline) {
            let (message, hint) = match self.session.options.deadline_of {
                DeadlineOf::Trail => {
                    ("the trail took longer than it may", "'--trail-timeout' says how long one may take")
                }
                DeadlineOf::Run => {
                    ("the time of the run was over", "'--deadline' says how long all trails may take")
                }
            };
            return Err(Failure::new(FailureKind::Timeout, message).hint(hint));
        }
        let limit = seconds(self.session.options.call_timeout_ms);
        Err(Failure::new(FailureKind::Timeout, format!("the tool call took longer than {limit}")))
    }
}

fn permission_action(app_id: &str, permission: &str, granted: bool) -> Action {
    let (app_id, permission) = (app_id.to_owned(), permission.to_owned());
    if granted {
        Action::GrantPermission { app_id, permission }
    } else {
        Action::RevokePermission { app_id, permission }
    }
}

/// A point of a rectangle: its middle, a share of it, or pixels from its corner.
pub fn point_in(bounds: Bounds, point: Option<Point>) -> Result<(i32, i32), Failure> {
    let share = |from: i32, size: i32, percent: i32| {
        let at = i64::from(from) + i64::from(size) * i64::from(percent) / 100;
        at.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    };
    let (width, height) = (bounds.width(), bounds.height());
    match point {
        None => Ok(bounds.center()),
        Some(Point::Percent(x, y)) => Ok((share(bounds.left, width, x), share(bounds.top, height, y))),
        Some(Point::Pixels(x, y)) if (0..=width).contains(&x) && (0..=height).contains(&y) => {
            Ok((bounds.left.saturating_add(x), bounds.top.saturating_add(y)))
        }
        Some(Point::Pixels(x, y)) => {
            let message =
                format!("the point {x},{y} lies outside of what it is a point of, {width} x {height}");
            Err(Failure::new(FailureKind::InvalidArguments, message))
        }
    }
}

/// `5 s`, `250 ms`
pub(crate) fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}
