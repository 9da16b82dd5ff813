//! TrailblazeCommands: the primitives below tools. Actions do something, queries answer and never fail
//! on "not found", assertions fail when a condition does not hold.

mod gesture;

use std::sync::Arc;

use trailblaze_model::action::{Action, Key};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::{Direction, Point};
use trailblaze_model::screen::{Bounds, Flag, NodeId, NodeRef, Screen};
use trailblaze_model::selector::Selector;

pub use gesture::SwipePath;

use crate::matching;
use crate::session::Session;
use crate::settle::{Settle, settle};

/// How long an element is waited for.
pub const FIND_MS: u64 = 5_000;
/// How long Maestro commands wait for one.
pub const MAESTRO_FIND_MS: u64 = 17_000;
/// The same, when the command is optional.
pub const MAESTRO_OPTIONAL_FIND_MS: u64 = 7_000;
const POLL_MS: u64 = 100;
const LAUNCH_MS: u64 = 30_000;
const LONG_PRESS_MS: u64 = 500;

/// The primitives of one call.
#[derive(Clone, Copy, Debug)]
pub struct Commands<'a> {
    pub session: &'a Session,
    deadline_ms: u64,
}

/// How an element is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Tap,
    DoubleTap,
    LongPress { duration_ms: u64 },
}

impl Touch {
    pub const LONG_PRESS: Self = Self::LongPress { duration_ms: LONG_PRESS_MS };

    pub fn long(long: bool) -> Self {
        if long { Self::LONG_PRESS } else { Self::Tap }
    }

    fn action(self, (x, y): (i32, i32)) -> Action {
        match self {
            Self::Tap => Action::Tap { x, y },
            Self::DoubleTap => Action::DoubleTap { x, y },
            Self::LongPress { duration_ms } => Action::LongPress { x, y, duration_ms },
        }
    }
}

/// How an app is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    pub stop_first: bool,
    pub clear_first: bool,
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// An element on the screen it was found on.
#[derive(Clone, Debug)]
pub struct Found {
    pub screen: Arc<Screen>,
    pub id: NodeId,
    /// How many others fitted as well.
    pub others: usize,
}

impl Found {
    pub fn node(&self) -> NodeRef<'_> {
        self.screen.node(self.id)
    }

    /// The part that can be seen.
    pub fn bounds(&self) -> Bounds {
        let bounds = self.node().bounds().unwrap_or(self.screen.bounds());
        let seen = bounds.intersect(self.screen.bounds());
        if seen.is_empty() { bounds } else { seen }
    }
}

impl<'a> Commands<'a> {
    pub fn new(session: &'a Session, deadline_ms: u64) -> Self {
        Self { session, deadline_ms }
    }

    // Actions

    /// Waits for an element and touches the middle of the part that can be seen.
    pub fn touch(&self, selector: &Selector, touch: Touch, timeout_ms: u64) -> Result<Found, Failure> {
        self.touch_at(selector, None, touch, timeout_ms)
    }

    /// As [`Commands::touch`], at a point inside of the element.
    pub fn touch_at(
        &self,
        selector: &Selector,
        point: Option<Point>,
        touch: Touch,
        timeout_ms: u64,
    ) -> Result<Found, Failure> {
        let mut found = self.find(selector, timeout_ms)?;
        let mut at = point_in(found.bounds(), point)?;
        if self.is_under_keyboard(&found, at) {
            self.hide_keyboard()?;
            found = self.find(selector, timeout_ms)?;
            at = point_in(found.bounds(), point)?;
            if self.is_under_keyboard(&found, at) {
                let message = format!("{selector} is covered by the keyboard, which could not be hidden");
                return Err(Failure::new(FailureKind::NotFound, message));
            }
        }
        self.touch_point(at, touch)?;
        Ok(found)
    }

    pub fn touch_point(&self, at: (i32, i32), touch: Touch) -> Result<(), Failure> {
        self.act(touch.action(at))
    }

    /// Types into the focused field.
    pub fn input_text(&self, text: &str) -> Result<(), Failure> {
        self.focused()?;
        self.act(Action::InputText { text: text.to_owned() })
    }

    /// Deletes characters from the end of the focused field; none = all of them.
    pub fn erase_text(&self, count: Option<u32>) -> Result<(), Failure> {
        let screen = self.focused()?;
        let held = matching::focused_field(&screen).map_or(0, |field| {
            let text = if field.has(Flag::ShowingHintText) { None } else { field.text() };
            text.map_or(0, |text| text.chars().count())
        });
        let count = count.unwrap_or(held as u32);
        if count == 0 {
            return Ok(());
        }
        self.act(Action::EraseText { count })
    }

    /// The screen, if a field has the focus.
    fn focused(&self) -> Result<Arc<Screen>, Failure> {
        let screen = self.session.capture()?;
        if matching::focused_field(&screen).is_some() {
            return Ok(screen);
        }
        Err(Failure::new(FailureKind::NotFound, "no field has the focus").hint("tap a text field first"))
    }

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
        let ((x1, y1), (x2, y2)) = path.points(self.session.device().info());
        self.act(Action::Swipe { x1, y1, x2, y2, duration_ms })
    }

    pub fn drag(&self, from: (i32, i32), to: (i32, i32), duration_ms: u64) -> Result<(), Failure> {
        self.act(Action::Drag { x1: from.0, y1: from.1, x2: to.0, y2: to.1, duration_ms })
    }

    pub fn pinch(&self, scale: f64) -> Result<(), Failure> {
        self.act(Action::Pinch { scale })
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
            self.session.act(Action::StopApp { app_id: app_id.to_owned() })?;
        }
        if launch.clear_first {
            self.session.act(Action::ClearAppData { app_id: app_id.to_owned() })?;
        }
        let arguments = launch.arguments.into_iter().collect();
        self.act(Action::LaunchApp { app_id: app_id.to_owned(), arguments })?;
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
        let (app_id, permission) = (app_id.to_owned(), permission.to_owned());
        self.act(if granted {
            Action::GrantPermission { app_id, permission }
        } else {
            Action::RevokePermission { app_id, permission }
        })
    }

    /// Runs a shell command on the device and returns what it printed.
    pub fn shell(&self, command: &str) -> Result<String, Failure> {
        let answer = self.session.act(Action::Shell { command: command.to_owned() })?;
        self.settle()?;
        Ok(answer.text)
    }

    /// Lets something reach the device and waits until the screen is still.
    pub fn act(&self, action: Action) -> Result<(), Failure> {
        self.check_deadline()?;
        self.session.act(action)?;
        self.settle()?;
        Ok(())
    }

    // Queries

    pub fn is_visible(&self, selector: &Selector, timeout_ms: u64) -> Result<bool, Failure> {
        Ok(self.look_for(selector, timeout_ms)?.is_some())
    }

    pub fn element_text(&self, selector: &Selector) -> Result<Option<String>, Failure> {
        let found = self.look_for(selector, 0)?;
        Ok(found.and_then(|found| found.node().resolved_text().map(str::to_owned)))
    }

    pub fn element_count(&self, selector: &Selector) -> Result<usize, Failure> {
        Ok(matching::find(self.session.capture()?.as_ref(), selector).len())
    }

    // Assertions

    /// The element, once it is there.
    pub fn find(&self, selector: &Selector, timeout_ms: u64) -> Result<Found, Failure> {
        match self.look_for(selector, timeout_ms)? {
            Some(found) => {
                if found.others > 0 && selector.index.is_none() {
                    self.say_which(selector, &found);
                }
                Ok(found)
            }
            None => Err(self.not_found(selector, timeout_ms)?),
        }
    }

    pub fn assert_visible(&self, selector: &Selector, timeout_ms: u64) -> Result<(), Failure> {
        match self.look_for(selector, timeout_ms)? {
            Some(_) => Ok(()),
            None => {
                let failure = self.not_found(selector, timeout_ms)?;
                Err(Failure { kind: FailureKind::AssertionFailed, ..failure })
            }
        }
    }

    pub fn assert_not_visible(&self, selector: &Selector, timeout_ms: u64) -> Result<(), Failure> {
        let gone = self.wait_for(timeout_ms, || {
            let screen = self.session.capture()?;
            Ok(matching::find(&screen, selector).is_empty().then_some(()))
        })?;
        gone.ok_or_else(|| {
            let message = format!("{selector} is still visible after {}", seconds(timeout_ms));
            Failure::new(FailureKind::AssertionFailed, message)
        })
    }

    // Waiting

    /// Waits until the screen is still; false when it never was.
    pub fn settle(&self) -> Result<bool, Failure> {
        settle(self.session, Settle::default())
    }

    /// Waits until the screen is still, at most so long.
    pub fn settle_within(&self, cap_ms: u64) -> Result<bool, Failure> {
        let cap_ms = cap_ms.min(self.deadline_ms.saturating_sub(self.session.now_ms()));
        settle(self.session, Settle { cap_ms, ..Settle::default() })
    }

    /// Asks again and again until there is an answer or the time is up. Asks at least once.
    pub fn wait_for<T>(
        &self,
        timeout_ms: u64,
        mut ask: impl FnMut() -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        let until = self.session.now_ms().saturating_add(timeout_ms);
        loop {
            self.session.check_cancelled()?;
            if let Some(answer) = ask()? {
                return Ok(Some(answer));
            }
            let now = self.session.now_ms();
            if now >= until {
                return Ok(None);
            }
            self.check_deadline()?;
            self.session.clock.sleep_until((now + POLL_MS).min(until));
        }
    }

    fn check_deadline(&self) -> Result<(), Failure> {
        if self.session.now_ms() < self.deadline_ms {
            return Ok(());
        }
        let limit = seconds(self.session.options.call_timeout_ms);
        Err(Failure::new(FailureKind::Timeout, format!("the tool call took longer than {limit}")))
    }

    fn look_for(&self, selector: &Selector, timeout_ms: u64) -> Result<Option<Found>, Failure> {
        let mut last: Option<Arc<Screen>> = None;
        self.wait_for(timeout_ms, || {
            let screen = self.session.capture()?;
            // The same screen cannot give another answer.
            if last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &screen)) {
                return Ok(None);
            }
            last = Some(screen.clone());
            let matches = matching::find(&screen, selector);
            Ok(matches.first().map(|id| Found { id: *id, others: matches.len() - 1, screen: screen.clone() }))
        })
    }

    fn not_found(&self, selector: &Selector, timeout_ms: u64) -> Result<Failure, Failure> {
        let screen = self.session.capture()?;
        let waited = if timeout_ms == 0 { String::new() } else { format!(" within {}", seconds(timeout_ms)) };
        let message = format!("no element with {selector}{waited}");
        let mut failure = Failure::new(FailureKind::NotFound, message);
        failure.hint = matching::suggestion(&screen, selector);
        Ok(failure)
    }

    fn say_which(&self, selector: &Selector, found: &Found) {
        let (x, y) = found.bounds().center();
        let message = format!("{selector} fits {} elements; the one at {x},{y} was taken", found.others + 1);
        self.session.warn(message, Some("add 'index' or 'id' to say which one".to_owned()));
    }

    fn is_under_keyboard(&self, found: &Found, (x, y): (i32, i32)) -> bool {
        use trailblaze_model::screen::WindowKind;
        let own = found.screen.windows().get(found.node().window()).map(|window| window.kind);
        own != Some(WindowKind::Keyboard) && found.screen.keyboard().is_some_and(|keys| keys.contains(x, y))
    }
}

/// A point of a rectangle: its middle, a share of it, or pixels from its corner.
pub fn point_in(bounds: Bounds, point: Option<Point>) -> Result<(i32, i32), Failure> {
    match point {
        None => Ok(bounds.center()),
        Some(Point::Percent(x, y)) => {
            Ok((bounds.left + bounds.width() * x / 100, bounds.top + bounds.height() * y / 100))
        }
        Some(Point::Pixels(x, y)) if x <= bounds.width() && y <= bounds.height() => {
            Ok((bounds.left + x, bounds.top + y))
        }
        Some(Point::Pixels(x, y)) => {
            let message = format!(
                "the point {x},{y} lies outside of the element, which is {} x {}",
                bounds.width(),
                bounds.height()
            );
            Err(Failure::new(FailureKind::InvalidArguments, message))
        }
    }
}

/// `5 s`, `250 ms`
pub(crate) fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}
