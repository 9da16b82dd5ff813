//! Tapping and pressing.

use serde::Deserialize;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::selector::Selector;

use super::{BuiltIn, Entry, not_for_llm, reference};
use crate::commands::{FIND_MS, Touch};
use crate::dispatch::{Context, Output};

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<Tap>(),
    Entry::of::<TapOnPoint>(),
    Entry::of::<TapOnElementWithText>(),
    Entry::of::<TapOnElementWithAccessibilityText>(),
    Entry::of::<LongPressOnElementWithText>(),
    Entry::of::<LongPressElementWithAccessibilityText>(),
];

/// `index: 0` is what most callers write without meaning a position.
pub(super) fn index(index: i64) -> Option<i64> {
    (index != 0).then_some(index)
}

/// Tap an element by its text, id or position among several, or tap a point of the screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Tap {
    /// The whole text of the element, or a regular expression for it
    text: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
    /// Which one of several, from the top, beginning with 0
    index: Option<i64>,
    /// Pixels from the left
    x: Option<i32>,
    /// Pixels from the top
    y: Option<i32>,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
    /// An element of the last snapshot
    #[serde(rename = "ref")]
    reference: Option<String>,
}

impl BuiltIn for Tap {
    const NAME: &'static str = "tap";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let touch = Touch::long(self.long_press);
        let others = self.text.is_some() || self.id.is_some() || self.x.is_some() || self.y.is_some();
        if let Some(reference) = &self.reference {
            if others || self.index.is_some() {
                let message = "'tap' takes 'ref' or something else, not both";
                return Err(Failure::new(FailureKind::InvalidArguments, message));
            }
            return reference::tap(context, reference, self.long_press);
        }
        match (self.x, self.y, self.text.is_some() || self.id.is_some()) {
            (Some(x), Some(y), false) => commands.touch_screen((x, y), touch)?,
            (None, None, true) => {
                let selector = primitive_selector(self.text.as_deref(), self.id.as_deref(), self.index);
                let touched = commands.touch(&selector, touch, FIND_MS)?;
                return Ok(Output::message(touched.to_string()));
            }
            (None, None, false) => return Err(missing("'tap' needs 'text', 'id' or 'ref', or 'x' and 'y'")),
            (Some(_), None, false) => return Err(missing("'tap' needs 'y' as well as 'x'")),
            (None, Some(_), false) => return Err(missing("'tap' needs 'x' as well as 'y'")),
            (_, _, true) => {
                let message = "'tap' takes an element or a point, not both";
                return Err(Failure::new(FailureKind::InvalidArguments, message));
            }
        }
        Ok(Output::default())
    }
}

pub(super) fn missing(message: &str) -> Failure {
    Failure::new(FailureKind::MissingRequiredArgs, message)
}

pub(super) fn primitive_selector(text: Option<&str>, id: Option<&str>, index: Option<i64>) -> Selector {
    let pattern = |text: &str| Pattern::new(text, Dialect::Maestro);
    Selector { text: text.map(pattern), id: id.map(pattern), index, ..Selector::default() }
}

/// Tap a point of the screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TapOnPoint {
    /// Pixels from the left
    x: i32,
    /// Pixels from the top
    y: i32,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
}

impl BuiltIn for TapOnPoint {
    const NAME: &'static str = "tapOnPoint";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().touch_screen((self.x, self.y), Touch::long(self.long_press))?;
        Ok(Output::default())
    }
}

/// What narrows an element down besides its text.
macro_rules! text_tool {
    ($(#[$doc:meta])* $struct:ident, $name:literal, $field:ident, $make:expr, $touch:expr) => {
        $(#[$doc])*
        #[derive(Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        struct $struct {
            /// What the element says
            $field: String,
            /// The resource id of the element, whole or its last part, or a regular expression for it
            id: Option<String>,
            /// Which one of several, from the top, beginning with 0
            #[serde(default)]
            index: i64,
            /// Whether the element must be enabled
            enabled: Option<bool>,
            /// Whether the element must be selected
            selected: Option<bool>,
        }

        impl BuiltIn for $struct {
            const NAME: &'static str = $name;

            fn flags() -> ToolFlags {
                not_for_llm()
            }

            fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
                let make: fn(&str) -> Selector = $make;
                let selector = Selector {
                    id: self.id.as_deref().map(|id| Pattern::new(id, Dialect::Maestro)),
                    index: index(self.index),
                    enabled: self.enabled,
                    selected: self.selected,
                    ..make(&self.$field)
                };
                let touched = context.commands().touch(&selector, $touch, FIND_MS)?;
                Ok(Output::message(touched.to_string()))
            }
        }
    };
}

text_tool!(
    /// Tap the element that contains a text, hint or content description.
    TapOnElementWithText, "tapOnElementWithText", text, Selector::containing, Touch::Tap
);
text_tool!(
    /// Press the element long that contains a text, hint or content description.
    LongPressOnElementWithText, "longPressOnElementWithText", text, Selector::containing, Touch::LONG_PRESS
);
text_tool!(
    /// Tap the element whose content description contains a text.
    TapOnElementWithAccessibilityText, "tapOnElementWithAccessibilityText", accessibility_text, describing, Touch::Tap
);
text_tool!(
    /// Press the element long whose content description contains a text.
    LongPressElementWithAccessibilityText, "longPressElementWithAccessibilityText", accessibility_text, describing,
    Touch::LONG_PRESS
);

fn describing(text: &str) -> Selector {
    Selector { description: Some(Pattern::containing(text)), ..Selector::default() }
}
