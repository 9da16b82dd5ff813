//! Typing into the focused field: one way after the other, until the field says what was asked for.

use std::fmt;
use std::sync::Arc;

use trailblaze_model::action::Action;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::names;
use trailblaze_model::order;
use trailblaze_model::screen::{Flag, NodeRef, Screen};

use super::touch::number;
use super::{Commands, seconds};
use crate::matching;
use crate::session::Phase;

/// Shorter parts of a secret are too common to be hidden wherever they stand.
const SECRET_CHARS: usize = 3;
/// A field may take this long to show what was typed.
const SHOWN_MS: u64 = 500;

/// The ways a text gets into a field, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// The field is told its new text: any character, no keyboard. Fields with a mask often refuse it.
    SetText,
    /// What a keyboard does.
    InputConnection,
    Clipboard,
    Keys,
}

impl Rung {
    const ALL: [Self; 4] = [Self::SetText, Self::InputConnection, Self::Clipboard, Self::Keys];

    const fn as_str(self) -> &'static str {
        match self {
            Self::SetText => "set-text",
            Self::InputConnection => "input connection",
            Self::Clipboard => "clipboard",
            Self::Keys => "keys",
        }
    }
}

/// What came of typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The way that worked; none when there was nothing to type.
    pub rung: Option<Rung>,
    shown: Shown,
}

/// How a field shows what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shown {
    /// Exactly so, or as many dots.
    AsAsked,
    /// With signs of its own in between, or in another case.
    As(String),
    /// The field is gone: the app went on.
    Gone,
    /// Something else.
    Other(String),
}

/// `typed by set-text`
impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(rung) = self.rung else { return write!(f, "nothing to type") };
        write!(f, "typed by {}", rung.as_str())?;
        match &self.shown {
            Shown::As(text) => write!(f, "; the field shows it as '{text}'"),
            Shown::Gone => write!(f, "; the field is gone, so it could not be read back"),
            Shown::AsAsked | Shown::Other(_) => Ok(()),
        }
    }
}

/// A field as it was before something is typed.
struct Field {
    screen: Arc<Screen>,
    text: String,
    is_password: bool,
    node: u32,
    takes_set_text: bool,
}

impl Field {
    fn of(screen: &Arc<Screen>) -> Option<Self> {
        let node = matching::focused_field(screen)?;
        let mut actions = node.actions().peekable();
        // A device that lists no actions at all does not say.
        let listed = actions.peek().is_none() || actions.any(|action| action == "ACTION_SET_TEXT");
        let (text, is_password) = (content(node), node.has(Flag::Password));
        Some(Self {
            screen: screen.clone(),
            // The old text of a field that hides it cannot be put before the new one.
            takes_set_text: listed && (text.is_empty() || !is_password),
            text,
            is_password,
            node: number(node),
        })
    }

    fn node(&self) -> NodeRef<'_> {
        self.screen.nodes().nth(self.node as usize).expect("the node is of this screen")
    }

    /// The same field on another screen.
    fn on<'a>(&self, screen: &'a Screen) -> Option<NodeRef<'a>> {
        let own = self.node();
        let same = |node: &NodeRef<'_>| {
            use trailblaze_model::screen::Prop;
            let named = node.resource_id() == own.resource_id()
                && node.get(Prop::ClassName) == own.get(Prop::ClassName)
                && node.has(Flag::Editable) == own.has(Flag::Editable);
            let placed = node.bounds().map(|b| (b.left, b.top)) == own.bounds().map(|b| (b.left, b.top));
            named && (own.resource_id().is_some() || placed)
        };
        let mut fitting: Vec<NodeRef<'a>> = screen.nodes().filter(same).collect();
        order::sort_by_key(&mut fitting, |node| (!node.has(Flag::Focused), node.bounds() != own.bounds()));
        fitting.first().copied()
    }

    fn look(&self, screen: &Screen, wanted: &str) -> Shown {
        let Some(node) = self.on(screen) else { return Shown::Gone };
        let text = content(node);
        if self.is_password || is_masked(&text) {
            let same = text.chars().count() == wanted.chars().count()
                || text.encode_utf16().count() == wanted.encode_utf16().count();
            return if same { Shown::AsAsked } else { Shown::Other(text) };
        }
        // What was sent off with the last line break is not there any more.
        let sent = wanted.ends_with('\n') && text.is_empty();
        match text == wanted || sent {
            true => Shown::AsAsked,
            false if is_dressed(&text, wanted) => Shown::As(text),
            false => Shown::Other(text),
        }
    }
}

/// Whether a text is only dots, as fields show what nobody may read.
fn is_masked(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '•' | '●' | '*' | '∙' | '⬤'))
}

/// What a field holds; a hint is not content.
pub(super) fn content(field: NodeRef<'_>) -> String {
    let text = if field.has(Flag::ShowingHintText) { None } else { field.text() };
    text.unwrap_or_default().to_owned()
}

/// Whether a text is another one with signs added in between, or in another case: `4111 1111` for `41111111`.
fn is_dressed(text: &str, plain: &str) -> bool {
    let mut shown = text.chars().peekable();
    let fold = |c: char| c.to_lowercase().next().unwrap_or(c);
    for wanted in plain.chars() {
        loop {
            let Some(c) = shown.next() else { return false };
            let line_end = wanted == '\n' && c.is_whitespace();
            if fold(c) == fold(wanted) || line_end {
                break;
            }
            if c.is_alphanumeric() {
                return false;
            }
        }
    }
    shown.all(|c| !c.is_alphanumeric())
}

impl Commands<'_> {
    /// Types at the end of the focused field.
    pub fn input_text(&self, text: &str) -> Result<Typed, Failure> {
        let screen = self.focused()?;
        let Some(field) = Field::of(&screen) else { return Err(nothing_focused()) };
        if text.is_empty() {
            return Ok(Typed { rung: None, shown: Shown::AsAsked });
        }
        let wanted = format!("{}{text}", field.text);
        let is_secret = self.session.memory.redact(text).is_some();
        let (mut last, mut tried) = (None, Vec::new());
        for rung in Rung::ALL {
            if rung == Rung::SetText && !field.takes_set_text {
                continue;
            }
            match self.climb(rung, &field, text, &wanted) {
                Ok(()) => {}
                Err(failure) if is_no(failure.kind) => continue,
                Err(failure) => return Err(failure),
            }
            tried.push(rung.as_str());
            let shown = self.read_back(&field, &wanted)?;
            if let (Shown::As(kept) | Shown::Other(kept), true) = (&shown, is_secret)
                && kept.chars().count() >= SECRET_CHARS
            {
                self.session.memory.hide(kept.clone());
            }
            let shown = self.judge(shown, &wanted, is_secret);
            let Shown::Other(found) = shown else { return Ok(Typed { rung: Some(rung), shown }) };
            let is_last = rung == Rung::Keys;
            let ends = is_last || (found != field.text && !self.put_back(&field, &found)?);
            last = Some(found);
            if ends {
                break;
            }
        }
        Err(not_typed(&field, &wanted, last, &tried, is_secret))
    }

    /// A field that shows a text in its own way is worth a word; a strict run wants what it asked for.
    fn judge(&self, shown: Shown, wanted: &str, is_secret: bool) -> Shown {
        match shown {
            Shown::As(text) if self.session.options.strict => Shown::Other(text),
            Shown::As(text) if !is_secret => {
                let message = format!("the field shows '{text}' for '{wanted}'");
                self.session.warn(message, None);
                Shown::As(text)
            }
            other => other,
        }
    }

    fn climb(&self, rung: Rung, field: &Field, text: &str, wanted: &str) -> Result<(), Failure> {
        match rung {
            Rung::SetText => self.act(Action::SetText { node: field.node, text: wanted.to_owned() }),
            Rung::InputConnection => self.act(Action::InputText { text: text.to_owned() }),
            Rung::Clipboard => {
                self.perform(Action::SetClipboard { text: text.to_owned() })?;
                let pasted = self.act(Action::PasteClipboard);
                // What was typed must not lie around there.
                self.perform(Action::SetClipboard { text: String::new() })?;
                pasted
            }
            Rung::Keys => self.act(Action::TypeKeys { text: text.to_owned() }),
        }
    }

    /// What the field shows, once it shows what is wanted or has had its time.
    fn read_back(&self, field: &Field, wanted: &str) -> Result<Shown, Failure> {
        let _phase = self.session.phase(Phase::Verify);
        let mut shown = Shown::Gone;
        self.wait_for(SHOWN_MS, || {
            shown = field.look(self.session.capture()?.as_ref(), wanted);
            Ok((!matches!(shown, Shown::Other(_))).then_some(()))
        })?;
        Ok(shown)
    }

    /// Makes the field as it was before; whether that worked.
    fn put_back(&self, field: &Field, found: &str) -> Result<bool, Failure> {
        let screen = self.session.capture()?;
        let Some(node) = field.on(&screen).map(number) else { return Ok(false) };
        let set = Action::SetText { node, text: field.text.clone() };
        let erase = Action::EraseText { count: found.chars().count() as u32 };
        let ways = if field.text.is_empty() { vec![erase, set] } else { vec![set] };
        for way in ways {
            match self.act(way) {
                Ok(()) => {}
                Err(failure) if is_no(failure.kind) => continue,
                Err(failure) => return Err(failure),
            }
            let screen = self.session.capture()?;
            if field.on(&screen).map(content).is_some_and(|now| now == field.text) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Deletes characters from the end of the focused field; none = all of them.
    pub fn erase_text(&self, count: Option<u32>) -> Result<(), Failure> {
        let screen = self.focused()?;
        let held = matching::focused_field(&screen).map_or(0, |field| content(field).chars().count());
        let count = count.unwrap_or(held as u32);
        if count == 0 {
            return Ok(());
        }
        self.act(Action::EraseText { count })
    }

    /// The screen, if a field has the focus.
    fn focused(&self) -> Result<Arc<Screen>, Failure> {
        let screen = self.session.capture()?;
        if matching::focused_field(&screen).is_some() { Ok(screen) } else { Err(nothing_focused()) }
    }
}

/// The device says that this way does not work here.
fn is_no(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Refused | FailureKind::NotSupported)
}

fn nothing_focused() -> Failure {
    Failure::new(FailureKind::NotFound, "no field has the focus").hint("tap a text field first")
}

/// A part of a secret is not shown either.
fn not_typed(field: &Field, wanted: &str, found: Option<String>, tried: &[&str], is_secret: bool) -> Failure {
    let Some(found) = found else {
        return Failure::new(FailureKind::Refused, "the field takes no text in any of the ways there are");
    };
    let waited = seconds(SHOWN_MS);
    let message = if field.is_password || is_secret {
        let (found, wanted) = (found.chars().count(), wanted.chars().count());
        let signs = if found == 1 { "character" } else { "characters" };
        format!("the field shows {found} {signs} {waited} after {wanted} were typed")
    } else {
        let line = |text: &str| text.replace('\n', "\\n");
        let says = if found.is_empty() { "is empty".to_owned() } else { format!("says '{}'", line(&found)) };
        format!("the field {says}, not '{}', after it was typed by {}", line(wanted), names::list(tried))
    };
    let failure = Failure::new(FailureKind::AssertionFailed, message);
    let most = field.node().max_text_length();
    let too_long = usize::try_from(most).is_ok_and(|most| most > 0 && wanted.chars().count() > most);
    if too_long { failure.hint(format!("the field takes at most {most} characters")) } else { failure }
}

#[cfg(test)]
mod tests {
    use super::is_dressed;

    #[test]
    fn signs_that_a_field_adds_are_no_other_text() {
        for (text, plain) in [
            ("4111 1111 1111 1111", "4111111111111111"),
            ("(030) 12-34", "0301234"),
            ("SAVE10", "save10"),
            ("a b", "a\nb"),
            ("€ 5", "5"),
        ] {
            assert!(is_dressed(text, plain), "{text}");
        }
        for (text, plain) in [("a", "a🎉"), ("", "a"), ("ab", "a"), ("a", "ab"), ("12", "21"), ("", "🎉")]
        {
            assert!(!is_dressed(text, plain), "{text}");
        }
    }
}
