//! A device whose screens were written down before.

use std::sync::{Arc, Mutex};

use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::{Device, DeviceInfo, LogLine};
use trailblaze_model::action::{Action, Answer};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::Driver;
use trailblaze_model::event::LogLevel;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Flag, Screen};

use super::screen::{HEIGHT, WIDTH, screen};

/// An action in one line: its name and its values.
pub(crate) fn short(action: &Action) -> String {
    let value = serde_json::to_value(action).unwrap();
    let values = value.as_object().unwrap().values();
    let words = values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    words.collect::<Vec<_>>().join(" ")
}

/// What the phone does when an action begins like this.
struct Reaction {
    action: String,
    /// Each time the next one; the last one stays.
    screens: Vec<(u64, String)>,
    fails: Option<Failure>,
    answer: String,
}

pub(crate) struct Phone {
    info: DeviceInfo,
    clock: Arc<VirtualClock>,
    reactions: Mutex<Vec<Reaction>>,
    /// Screens with the time from which they are shown.
    shown: Mutex<Vec<(u64, Arc<Screen>)>>,
    /// The same as they were written, so that something can be typed into them.
    written: Mutex<Vec<(u64, String)>>,
    /// What nothing on the screen takes: how these actions begin.
    pub(crate) refuses: Vec<&'static str>,
    /// What fields make of a text that is typed into them.
    pub(crate) dresses: Option<fn(&str) -> String>,
    /// What a look and an action cost, in milliseconds.
    pub(crate) takes: (u64, u64),
    /// Changes that come without a word.
    pub(crate) silent: bool,
    clipboard: Mutex<String>,
    /// Something moves all the time between these two.
    pub(crate) moves: Option<(u64, u64)>,
    pub(crate) front: Option<String>,
    /// Runs with every capture.
    pub(crate) on_capture: Option<Box<dyn Fn(u64) + Send + Sync>>,
    logs: Mutex<Vec<LogLine>>,
    /// What it was told of the time that a call has.
    pub(crate) times_left: Mutex<Vec<Option<u64>>>,
}

impl Phone {
    pub(crate) fn new(clock: Arc<VirtualClock>, shows: &str) -> Self {
        let info = DeviceInfo {
            id: "paper".to_owned(),
            driver: Driver::AndroidOndeviceAccessibility,
            width: WIDTH,
            height: HEIGHT,
            classifiers: Classifiers::new(["android", "phone"]),
        };
        Self {
            info,
            clock,
            reactions: Mutex::default(),
            shown: Mutex::new(vec![(0, screen(shows, 0))]),
            written: Mutex::new(vec![(0, shows.to_owned())]),
            refuses: Vec::new(),
            dresses: None,
            takes: (0, 0),
            silent: false,
            clipboard: Mutex::default(),
            moves: None,
            front: None,
            on_capture: None,
            logs: Mutex::default(),
            times_left: Mutex::default(),
        }
    }

    /// Shows another screen from a time on.
    pub(crate) fn shows(&self, from_ms: u64, text: &str) {
        self.shown.lock().unwrap().push((from_ms, screen(text, from_ms)));
        self.written.lock().unwrap().push((from_ms, text.to_owned()));
    }

    fn react(&self, action: &str, change: impl FnOnce(&mut Reaction)) {
        let mut reactions = self.reactions.lock().unwrap();
        let at = reactions.iter().position(|reaction| reaction.action == action).unwrap_or_else(|| {
            let action = action.to_owned();
            reactions.push(Reaction { action, screens: Vec::new(), fails: None, answer: String::new() });
            reactions.len() - 1
        });
        change(&mut reactions[at]);
    }

    /// Shows a screen some time after an action; said again, for the next such action.
    pub(crate) fn after(&self, action: &str, delay_ms: u64, shows: &str) {
        self.react(action, |reaction| reaction.screens.push((delay_ms, shows.to_owned())));
    }

    pub(crate) fn fails(&self, action: &str, kind: FailureKind, message: &str) {
        self.react(action, |reaction| reaction.fails = Some(Failure::new(kind, message)));
    }

    pub(crate) fn answers(&self, action: &str, text: &str) {
        self.react(action, |reaction| reaction.answer = text.to_owned());
    }

    pub(crate) fn logs(&self, message: &str) {
        let line = LogLine { level: LogLevel::Info, message: message.to_owned() };
        self.logs.lock().unwrap().push(line);
    }
}

impl Phone {
    fn current(&self) -> Arc<Screen> {
        let (now, shown) = (self.clock.now_ms(), self.shown.lock().unwrap());
        let seen = shown.iter().filter(|(from, _)| *from <= now);
        seen.max_by_key(|(from, _)| *from).expect("the first screen is there from the start").1.clone()
    }

    /// What fields do when nothing else is written down.
    fn type_in(&self, action: &Action) {
        let screen = self.current();
        let focused = trailblaze_engine::matching::focused_field(&screen).map(|field| {
            let held = if field.has(Flag::ShowingHintText) { "" } else { field.text().unwrap_or("") };
            (field.id().index(), held.to_owned())
        });
        let held = focused.as_ref().map_or("", |(_, held)| held.as_str());
        let text = match action {
            Action::SetText { node, text } => return self.write(*node as usize, text),
            Action::InputText { text } | Action::TypeKeys { text } => format!("{held}{text}"),
            Action::PasteClipboard => format!("{held}{}", self.clipboard.lock().unwrap()),
            Action::EraseText { count } => {
                let kept = held.chars().count().saturating_sub(*count as usize);
                held.chars().take(kept).collect()
            }
            Action::SetClipboard { text } => return text.clone_into(&mut self.clipboard.lock().unwrap()),
            _ => return,
        };
        if let Some((node, _)) = focused {
            self.write(node, &text);
        }
    }

    fn write(&self, node: usize, text: &str) {
        let text = self.dresses.map_or_else(|| text.to_owned(), |dress| dress(text));
        let now = self.clock.now_ms();
        let written = self.written.lock().unwrap();
        let source = written.iter().filter(|(from, _)| *from <= now).max_by_key(|(from, _)| *from);
        let source = source.map(|(_, text)| text.clone());
        drop(written);
        let mut nodes = 0;
        let lines = source.unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>();
        let changed: Vec<String> = lines
            .into_iter()
            .map(|line| {
                let Some((before, rest)) = line.rsplit_once('@') else { return line };
                nodes += 1;
                if nodes != node + 1 {
                    return line;
                }
                let indent = before.len() - before.trim_start().len();
                let rest = rest.replace(" isShowingHintText", "");
                format!("{}{} @{rest}", " ".repeat(indent), text.replace('\n', "\\n"))
            })
            .collect();
        self.shows(now, &changed.join("\n"));
    }
}

impl Device for Phone {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capture(&self) -> Result<Arc<Screen>, Failure> {
        self.clock.sleep_until(self.clock.now_ms() + self.takes.0);
        if let Some(run) = &self.on_capture {
            run(self.clock.now_ms());
        }
        Ok(self.current())
    }

    fn act(&self, action: &Action) -> Result<Answer, Failure> {
        self.clock.sleep_until(self.clock.now_ms() + self.takes.1);
        let (now, line) = (self.clock.now_ms(), short(action));
        if self.refuses.iter().any(|refused| line.starts_with(refused)) {
            return Err(Failure::new(FailureKind::Refused, "the element does not take it"));
        }
        let mut reactions = self.reactions.lock().unwrap();
        let Some(reaction) = reactions.iter_mut().find(|reaction| line.starts_with(&reaction.action)) else {
            self.type_in(action);
            return Ok(Answer::default());
        };
        if let Some(failure) = &reaction.fails {
            return Err(failure.clone());
        }
        if let Some((delay, text)) = reaction.screens.first() {
            self.shows(now + delay, text);
            if reaction.screens.len() > 1 {
                reaction.screens.remove(0);
            }
        }
        Ok(Answer { text: reaction.answer.clone() })
    }

    fn last_change_ms(&self) -> Result<u64, Failure> {
        let now = self.clock.now_ms();
        if self.moves.is_some_and(|(from, until)| (from..until).contains(&now)) {
            return Ok(now);
        }
        if self.silent {
            return Ok(0);
        }
        let ended = self.moves.map(|(_, until)| until);
        let shown = self.shown.lock().unwrap();
        let changes = shown.iter().map(|(from, _)| *from).chain(ended).filter(|from| *from <= now);
        Ok(changes.max().unwrap_or(0))
    }

    fn screenshot(&self) -> Result<Vec<u8>, Failure> {
        Ok(b"png".to_vec())
    }

    fn foreground_app(&self) -> Result<Option<String>, Failure> {
        Ok(self.front.clone())
    }

    fn installed_apps(&self) -> Result<Vec<String>, Failure> {
        Ok(vec!["com.example.app".to_owned(), "com.example.other".to_owned()])
    }

    fn set_time_left(&self, left_ms: Option<u64>) {
        self.times_left.lock().unwrap().push(left_ms);
    }

    fn take_logs(&self) -> Vec<LogLine> {
        std::mem::take(&mut self.logs.lock().unwrap())
    }
}
