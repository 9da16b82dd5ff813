//! JSON values to typed commands; every problem is reported with the pointer to its value.

use serde_json::Value;

use super::options::{Options, Problem, Result, Tokens, below, scalar_text};
use super::{
    COMMANDS, Command, Condition, Direction, KEYS_BY_NAME, Kind, LaunchApp, Point, PressedKey,
    ScrollUntilVisible, Swipe, Tap, later_reason,
};
use crate::action::Orientation;
use crate::names;

/// Reads the list under `commands`, with variables filled in; all commands that are wrong are reported.
pub fn read_commands(value: &Value) -> std::result::Result<Vec<Command>, Vec<Problem>> {
    read_all(value, Tokens::Filled)
}

/// What is wrong with the list under `commands` of a document, where `${x}` and `{{x}}` may stand for
/// numbers, flags and names that are known only when it runs.
pub fn check_commands(value: &Value) -> Vec<Problem> {
    read_all(value, Tokens::Open).err().unwrap_or_default()
}

/// Reads one command: a bare name, or a mapping with one key.
pub fn read_command(value: &Value) -> Result<Command> {
    read_one(value, Tokens::Filled)
}

fn read_all(value: &Value, tokens: Tokens) -> std::result::Result<Vec<Command>, Vec<Problem>> {
    let Value::Array(items) = value else {
        return Err(vec![Problem::new("", "'commands' must be a list of Maestro commands")]);
    };
    let mut commands = Vec::new();
    let mut problems = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match read_one(item, tokens) {
            Ok(command) => commands.push(command),
            Err(found) => problems.push(Problem { pointer: format!("/{index}{}", found.pointer), ..found }),
        }
    }
    if problems.is_empty() { Ok(commands) } else { Err(problems) }
}

fn read_one(value: &Value, tokens: Tokens) -> Result<Command> {
    let (written, options) = match value {
        Value::String(name) => (name.as_str(), None),
        Value::Object(map) => match map.iter().next() {
            Some((name, options)) if map.len() == 1 => (name.as_str(), Some(options)),
            Some(_) => {
                let names: Vec<&String> = map.keys().collect();
                let message =
                    format!("a command has one key; here are {}: {}", map.len(), names::list(&names));
                let hint = "indent the options of a command below its name";
                return Err(Problem::new("", message).hint(hint));
            }
            None => return Err(Problem::new("", "a command needs a name")),
        },
        _ => return Err(Problem::new("", "a command is a name, or a mapping with one key")),
    };
    let name = if written == "hide keyboard" { "hideKeyboard" } else { written };
    let Some((name, _)) = COMMANDS.iter().find(|(known, _)| *known == name) else {
        let found = Problem::new("", format!("unknown Maestro command '{name}'"));
        return Err(Problem {
            hint: names::nearest_hint(name, COMMANDS.iter().map(|(known, _)| *known)),
            ..found
        });
    };
    if let Some(reason) = later_reason(name) {
        let message = format!("the Maestro command '{name}' cannot run: {reason}");
        return Err(Problem { later: true, ..Problem::new("", message) });
    }
    let base = options.map(|_| below("", written)).unwrap_or_default();
    Options::new(name, options, base, tokens)?.command()
}

impl Options<'_> {
    fn command(&self) -> Result<Command> {
        if self.null && self.name != "eraseText" {
            let hint = format!("write '- {}' if it needs none", self.name);
            return Err(self.wrong(format!("'{}' has no value", self.name)).hint(hint));
        }
        let label = self.text("label")?;
        let mut optional = self.bool("optional")?.unwrap_or(false);
        let kind = self.kind()?;
        // A selector may carry the option as well.
        for key in ["element", "visible", "notVisible", "from"] {
            if let Some(inner) = self.inner(key)? {
                optional |= inner.bool("optional")?.unwrap_or(false);
            }
        }
        Ok(Command { name: self.name, label, optional, kind })
    }

    fn kind(&self) -> Result<Kind> {
        Ok(match self.name {
            "tapOn" | "doubleTapOn" => Kind::Tap(self.tap()?),
            "longPressOn" => Kind::LongPress { target: self.target(&[])? },
            "assertVisible" => Kind::AssertVisible(self.element(&[])?),
            "assertNotVisible" => Kind::AssertNotVisible(self.element(&[])?),
            "copyTextFrom" => Kind::CopyTextFrom(self.element(&[])?),
            "extendedWaitUntil" => self.extended_wait()?,
            "waitForAnimationToEnd" => {
                self.only(&["timeout"])?;
                self.no_scalar()?;
                Kind::WaitForAnimationToEnd { timeout_ms: self.millis("timeout")?.unwrap_or(15_000) }
            }
            "scroll" => self.nothing(Kind::Scroll)?,
            "back" => self.nothing(Kind::Back)?,
            "hideKeyboard" => self.nothing(Kind::HideKeyboard)?,
            "pasteText" => self.nothing(Kind::PasteText)?,
            "scrollUntilVisible" => Kind::ScrollUntilVisible(self.scroll_until_visible()?),
            "swipe" => self.swipe()?,
            "pressKey" => Kind::PressKey(self.press_key()?),
            "inputText" => {
                self.only(&["text"])?;
                Kind::InputText(self.main("text")?)
            }
            "openLink" => {
                self.only(&["link", "browser", "autoVerify"])?;
                self.bool("browser")?;
                self.bool("autoVerify")?;
                Kind::OpenLink { link: self.main("link")? }
            }
            "eraseText" => Kind::EraseText { count: self.erased()? },
            "launchApp" => Kind::LaunchApp(self.launch_app()?),
            "stopApp" => Kind::StopApp { app_id: self.app_id()? },
            "clearState" => Kind::ClearState { app_id: self.app_id()? },
            "setOrientation" => Kind::SetOrientation(self.orientation()?),
            "setLocation" => {
                self.only(&["latitude", "longitude"])?;
                self.no_scalar()?;
                Kind::SetLocation {
                    latitude: self.degrees("latitude", 90.0)?,
                    longitude: self.degrees("longitude", 180.0)?,
                }
            }
            other => return Err(self.wrong(format!("'{other}' cannot be read"))),
        })
    }

    fn nothing(&self, kind: Kind) -> Result<Kind> {
        self.only(&[])?;
        self.no_scalar()?;
        Ok(kind)
    }

    fn tap(&self) -> Result<Tap> {
        let own = ["retryTapIfNoChange", "waitUntilVisible", "repeat", "delay", "waitToSettleTimeoutMs"];
        self.bool("waitUntilVisible")?;
        self.millis("waitToSettleTimeoutMs")?;
        let repeat = self.count("repeat")?.unwrap_or(1).max(1);
        Ok(Tap {
            target: self.target(&own)?,
            double: self.name == "doubleTapOn",
            repeat,
            delay_ms: self.millis("delay")?.unwrap_or(100),
            retry_if_no_change: self.bool("retryTapIfNoChange")?.unwrap_or(false),
        })
    }

    fn extended_wait(&self) -> Result<Kind> {
        self.only(&["visible", "notVisible", "timeout"])?;
        let condition = match (self.inner("visible")?, self.inner("notVisible")?) {
            (Some(element), None) => Condition::Visible(element.element(&[])?),
            (None, Some(element)) => Condition::NotVisible(element.element(&[])?),
            _ => return Err(self.wrong("'extendedWaitUntil' needs either 'visible' or 'notVisible'")),
        };
        Ok(Kind::ExtendedWaitUntil { condition, timeout_ms: self.millis("timeout")?.unwrap_or(17_000) })
    }

    fn scroll_until_visible(&self) -> Result<ScrollUntilVisible> {
        const TIMEOUT_MS: u64 = 20_000;
        self.only(&[
            "element",
            "direction",
            "timeout",
            "speed",
            "visibilityPercentage",
            "centerElement",
            "waitToSettleTimeoutMs",
        ])?;
        self.millis("waitToSettleTimeoutMs")?;
        let element =
            self.inner("element")?.ok_or_else(|| self.wrong("'scrollUntilVisible' needs 'element'"))?;
        let percentage = self.signed("visibilityPercentage")?.unwrap_or(100).clamp(0, 100);
        Ok(ScrollUntilVisible {
            element: element.element(&[])?,
            direction: self.direction("direction")?.unwrap_or(Direction::Down),
            // A negative time stands for the usual one.
            timeout_ms: self.signed("timeout")?.and_then(|ms| ms.try_into().ok()).unwrap_or(TIMEOUT_MS),
            speed: u64::from(self.count("speed")?.unwrap_or(40)).min(100),
            visibility_percentage: percentage as u32,
            center_element: self.bool("centerElement")?.unwrap_or(false),
        })
    }

    fn swipe(&self) -> Result<Kind> {
        self.only(&["direction", "start", "end", "from", "duration", "waitToSettleTimeoutMs"])?;
        self.millis("waitToSettleTimeoutMs")?;
        let duration_ms = self.millis("duration")?.unwrap_or(400);
        let points = (self.point("start")?, self.point("end")?);
        let swipe = match (self.direction("direction")?, points, self.inner("from")?) {
            (Some(direction), (None, None), None) => Swipe::Direction(direction),
            (Some(direction), (None, None), Some(from)) => {
                Swipe::Element { from: Box::new(from.target(&[])?), direction }
            }
            (None, (Some(start), Some(end)), None) => {
                let mixed = matches!(start, Point::Percent(..)) != matches!(end, Point::Percent(..));
                let open = ["start", "end"]
                    .iter()
                    .any(|key| self.text(key).ok().flatten().is_some_and(|text| self.is_open(&text)));
                if mixed && !open {
                    return Err(self.wrong("'start' and 'end' must both use % or both not"));
                }
                Swipe::Points(start, end)
            }
            (direction, points, from) => {
                let nothing = direction.is_none() && points == (None, None) && from.is_none();
                let message = match nothing {
                    true => "'swipe' needs a direction, or a start and an end",
                    false => "'swipe' mixes its shapes",
                };
                let hint = "'direction', or 'direction' with 'from', or 'start' with 'end'";
                return Err(self.wrong(message).hint(hint));
            }
        };
        Ok(Kind::Swipe { swipe, duration_ms })
    }

    fn press_key(&self) -> Result<PressedKey> {
        self.only(&["key"])?;
        let name = self.main("key")?;
        if self.is_open(&name) {
            return Ok(PressedKey::Back);
        }
        let key = KEYS_BY_NAME.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        key.map(|(_, key)| *key).ok_or_else(|| {
            let known = KEYS_BY_NAME.iter().map(|(known, _)| *known);
            let hint = names::nearest_hint(&name, known.clone())
                .unwrap_or_else(|| format!("known keys: {}", known.collect::<Vec<_>>().join(", ")));
            self.bad_main("key", format!("unknown key '{name}'")).hint(hint)
        })
    }

    fn orientation(&self) -> Result<Orientation> {
        self.only(&["orientation"])?;
        let name = self.main("orientation")?;
        if self.is_open(&name) {
            return Ok(Orientation::Portrait);
        }
        Orientation::parse(&name).ok_or_else(|| {
            self.bad_main("orientation", format!("unknown orientation '{name}'"))
                .hint("use PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT or UPSIDE_DOWN")
        })
    }

    /// A part of a place on earth.
    fn degrees(&self, key: &str, most: f64) -> Result<f64> {
        let text = self.text(key)?.ok_or_else(|| self.wrong(format!("'{}' needs '{key}'", self.name)))?;
        if self.is_open(&text) {
            return Ok(0.0);
        }
        let number: Option<f64> = text.trim().parse().ok();
        number.filter(|number| (-most..=most).contains(number)).ok_or_else(|| {
            self.bad(key, format!("'{key}' must be a number from -{most} to {most}, not '{text}'"))
                .hint("a place is degrees: { latitude: 52.52, longitude: 13.405 }")
        })
    }

    /// Bare or without the key: 50 characters. An explicit null: the whole field.
    fn erased(&self) -> Result<Option<u32>> {
        const KEY: &str = "charactersToErase";
        self.only(&[KEY])?;
        if self.null || self.map.is_some_and(|map| map.get(KEY) == Some(&Value::Null)) {
            return Ok(None);
        }
        match &self.scalar {
            Some(text) if self.is_open(text) => Ok(None),
            Some(text) => match text.trim().parse() {
                Ok(count) => Ok(Some(count)),
                Err(_) => Err(self.wrong(format!("'{text}' is no number of characters"))),
            },
            None => Ok(Some(self.count(KEY)?.unwrap_or(50))),
        }
    }

    fn launch_app(&self) -> Result<LaunchApp> {
        self.only(&["appId", "url", "clearState", "clearKeychain", "stopApp", "permissions", "arguments"])?;
        self.bool("clearKeychain")?;
        let app_id = match self.scalar.clone() {
            Some(id) => Some(id),
            None => self.text("appId")?.or(self.text("url")?),
        };
        let mut permissions = Vec::new();
        for (name, value) in self.map("permissions")? {
            let value = scalar_text(&value);
            if !["allow", "deny", "unset"].contains(&value.as_str()) && !self.is_open(&value) {
                let pointer = below(&below(&self.base, "permissions"), &name);
                return Err(Problem::new(pointer, format!("'{value}' is none of allow, deny and unset")));
            }
            permissions.push((name, value));
        }
        Ok(LaunchApp {
            app_id,
            clear_state: self.bool("clearState")?.unwrap_or(false),
            stop_app: self.bool("stopApp")?.unwrap_or(true),
            permissions,
            arguments: self.map("arguments")?,
        })
    }

    fn app_id(&self) -> Result<Option<String>> {
        self.only(&["appId"])?;
        match self.scalar.clone() {
            Some(id) => Ok(Some(id)),
            None => self.text("appId"),
        }
    }
}
