//! Typing, erasing, keys and the clipboard.

use serde::Deserialize;
use serde_json::Value;
use trailblaze_model::action::{Action, Key};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::screen::Flag;

use super::{BuiltIn, Entry, not_for_llm};
use crate::commands::Typed;
use crate::dispatch::{Context, Output};
use crate::maestro;
use crate::matching;

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<InputText>(),
    Entry::of::<InputTextRandom>(),
    Entry::of::<ClearText>(),
    Entry::of::<HideKeyboard>(),
    Entry::of::<PressKey>(),
    Entry::of::<PressHome>(),
    Entry::of::<SetClipboard>(),
    Entry::of::<PasteClipboard>(),
    Entry::of::<Maestro>(),
];

fn yes() -> bool {
    true
}

/// Type a text into the focused field.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct InputText {
    /// The text to type
    text: String,
    /// Hide the keyboard afterwards
    #[serde(default = "yes")]
    hide_keyboard_after: bool,
}

impl BuiltIn for InputText {
    const NAME: &'static str = "inputText";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let typed = type_text(context, &self.text, self.hide_keyboard_after)?;
        Ok(Output::message(typed.to_string()))
    }
}

fn type_text(context: &Context<'_>, text: &str, hide_keyboard: bool) -> Result<Typed, Failure> {
    let commands = context.commands();
    let typed = commands.input_text(text)?;
    if hide_keyboard {
        commands.hide_keyboard()?;
    }
    Ok(typed)
}

/// Type a text with random digits into the focused field and remember it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct InputTextRandom {
    /// The name under which the text is remembered
    variable: String,
    /// What stands before the digits
    #[serde(default = "default_prefix")]
    prefix: String,
    /// How many digits
    #[serde(default = "six")]
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    digit_count: u32,
    /// Hide the keyboard afterwards
    #[serde(default = "yes")]
    hide_keyboard_after: bool,
}

fn default_prefix() -> String {
    "TBZ-".to_owned()
}

fn six() -> u32 {
    6
}

impl BuiltIn for InputTextRandom {
    const NAME: &'static str = "inputTextRandom";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let mut text = self.prefix;
        for _ in 0..self.digit_count {
            text.push_str(&context.session.random_digit().to_string());
        }
        // Remembered first: a name that is secret makes the text secret.
        context.session.memory.set(&self.variable, text.clone());
        type_text(context, &text, self.hide_keyboard_after)?;
        Ok(Output::message(format!("typed {text} and remembered it as '{}'", self.variable)))
    }
}

/// Erase the whole text of the focused field.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ClearText {}

/// So many characters are erased when the field does not say what it holds.
const UNKNOWN_LENGTH: u32 = 500;

impl BuiltIn for ClearText {
    const NAME: &'static str = "clearText";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let screen = context.session.capture()?;
        let field = matching::focused_field(&screen);
        let unknown = field.is_some_and(|field| field.text().is_none() && !field.has(Flag::ShowingHintText));
        context.commands().erase_text(unknown.then_some(UNKNOWN_LENGTH))?;
        Ok(Output::default())
    }
}

/// Hide the keyboard if it is shown.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HideKeyboard {}

impl BuiltIn for HideKeyboard {
    const NAME: &'static str = "hideKeyboard";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().hide_keyboard()?;
        Ok(Output::default())
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum KeyCode {
    Back,
    Enter,
    Home,
    Backspace,
    Tab,
    Escape,
}

/// Press a key.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct PressKey {
    /// The key
    key_code: KeyCode,
}

impl BuiltIn for PressKey {
    const NAME: &'static str = "pressKey";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        match self.key_code {
            KeyCode::Back => commands.press_back()?,
            KeyCode::Home => commands.press_home()?,
            KeyCode::Enter => commands.press_key(Key::Enter)?,
            KeyCode::Backspace => commands.press_key(Key::Backspace)?,
            KeyCode::Tab => commands.press_key(Key::Tab)?,
            KeyCode::Escape => commands.press_key(Key::Escape)?,
        }
        Ok(Output::default())
    }
}

/// Go to the home screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PressHome {}

impl BuiltIn for PressHome {
    const NAME: &'static str = "pressHome";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().press_home()?;
        Ok(Output::default())
    }
}

/// Put a text on the clipboard.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SetClipboard {
    /// The text
    text: String,
}

impl BuiltIn for SetClipboard {
    const NAME: &'static str = "mobile_setClipboard";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().act(Action::SetClipboard { text: self.text })?;
        Ok(Output::default())
    }
}

/// Paste the clipboard into the focused field.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PasteClipboard {}

impl BuiltIn for PasteClipboard {
    const NAME: &'static str = "mobile_pasteClipboard";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().act(Action::PasteClipboard)?;
        Ok(Output::default())
    }
}

/// Run inline Maestro commands.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Maestro {
    /// The commands, each a name or a mapping with one key
    commands: Vec<Value>,
}

impl BuiltIn for Maestro {
    const NAME: &'static str = "maestro";
    const FILLS_IN: &'static [&'static str] = &["commands"];

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        if self.commands.is_empty() {
            return Err(Failure::new(FailureKind::MaestroValidation, "'commands' is empty"));
        }
        maestro::run(context, &Value::Array(self.commands))?;
        Ok(Output::default())
    }
}
