//! What is on the screen, and what is not.

use serde::Deserialize;
use serde_json::{Value, json};
use trailblaze_model::failure::Failure;
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::selector::Selector;

use super::touch::{index, missing, primitive_selector};
use super::{BuiltIn, Entry, not_for_llm, reference, verification};
use crate::commands::FIND_MS;
use crate::dispatch::{Context, Output};

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<AssertVisible>(),
    Entry::of::<AssertVisibleWithText>(),
    Entry::of::<AssertNotVisibleWithText>(),
    Entry::of::<AssertVisibleWithAccessibilityText>(),
    Entry::of::<AssertVisibleWithResourceId>(),
    Entry::of::<WaitUntilVisible>(),
    Entry::of::<IsVisible>(),
    Entry::of::<HasText>(),
    Entry::of::<GetElementText>(),
    Entry::of::<GetElementCount>(),
    Entry::of::<CaptureScreen>(),
    Entry::of::<Wait>(),
];

/// Flags of a check that is not offered to a model.
fn quiet_verification() -> ToolFlags {
    ToolFlags { is_for_llm: false, ..verification() }
}

fn find_ms() -> u64 {
    FIND_MS
}

/// Check that an element is visible, found by its text or id.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AssertVisible {
    /// The whole text of the element, or a regular expression for it
    text: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
    /// Which one of several, from the top, beginning with 0
    index: Option<i64>,
    /// How long it is waited for
    #[serde(default = "find_ms")]
    timeout_ms: u64,
    /// The text that the element must have
    expected_text: Option<String>,
    /// An element of the last snapshot
    #[serde(rename = "ref")]
    reference: Option<String>,
}

impl BuiltIn for AssertVisible {
    const NAME: &'static str = "assertVisible";

    fn flags() -> ToolFlags {
        verification()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        if let Some(reference) = &self.reference {
            return reference::assert_visible(context, reference, self.expected_text.as_deref());
        }
        let selector = Selector { index: self.index, ..text_or_id(Self::NAME, &self.text, &self.id)? };
        match &self.expected_text {
            Some(expected) => context.commands().assert_text(&selector, expected, self.timeout_ms)?,
            None => context.commands().assert_visible(&selector, self.timeout_ms)?,
        }
        Ok(Output::default())
    }
}

/// The element that a primitive is about.
fn text_or_id(tool: &str, text: &Option<String>, id: &Option<String>) -> Result<Selector, Failure> {
    if text.is_none() && id.is_none() {
        return Err(missing(&format!("'{tool}' needs 'text' or 'id'")));
    }
    Ok(primitive_selector(text.as_deref(), id.as_deref(), None))
}

/// The arguments that narrow an element down.
macro_rules! check_tool {
    (
        $(#[$doc:meta])* $struct:ident, $name:literal, $flags:expr,
        { $($(#[$field_doc:meta])* $field:ident: $type:ty),* }, $selector:expr, $check:ident
    ) => {
        $(#[$doc])*
        #[derive(Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        struct $struct {
            $($(#[$field_doc])* $field: $type,)*
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
                $flags
            }

            fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
                let make: fn(&Self) -> Selector = $selector;
                let selector = Selector {
                    index: index(self.index),
                    enabled: self.enabled,
                    selected: self.selected,
                    ..make(&self)
                };
                context.commands().$check(&selector, FIND_MS)?;
                Ok(Output::default())
            }
        }
    };
}

fn pattern(text: &Option<String>) -> Option<Pattern> {
    text.as_deref().map(|text| Pattern::new(text, Dialect::Maestro))
}

check_tool!(
    /// Check that an element with a text is visible.
    AssertVisibleWithText, "assertVisibleWithText", quiet_verification(),
    {
        /// The whole text of the element, or a regular expression for it
        text: String,
        /// The resource id of the element, whole or its last part
        id: Option<String>
    },
    |args| Selector { id: pattern(&args.id), ..Selector::text(&args.text) },
    assert_visible
);
check_tool!(
    /// Check that no element with a text is visible; one that is waits to disappear.
    AssertNotVisibleWithText, "assertNotVisibleWithText", verification(),
    {
        /// The whole text of the element, or a regular expression for it
        text: String,
        /// The resource id of the element, whole or its last part
        id: Option<String>
    },
    |args| Selector { id: pattern(&args.id), ..Selector::text(&args.text) },
    assert_not_visible
);
check_tool!(
    /// Check that an element with a content description is visible.
    AssertVisibleWithAccessibilityText, "assertVisibleWithAccessibilityText", quiet_verification(),
    {
        /// The whole content description, or a regular expression for it
        accessibility_text: String,
        /// The resource id of the element, whole or its last part
        id: Option<String>
    },
    |args| Selector { id: pattern(&args.id), ..Selector::description(&args.accessibility_text) },
    assert_visible
);
check_tool!(
    /// Check that an element with a resource id is visible.
    AssertVisibleWithResourceId, "assertVisibleWithResourceId", quiet_verification(),
    {
        /// The resource id of the element, whole or its last part
        resource_id: String,
        /// The whole content description, or a regular expression for it
        accessibility_text: Option<String>
    },
    |args| Selector { description: pattern(&args.accessibility_text), ..Selector::id(&args.resource_id) },
    assert_visible
);

/// Wait until an element with a text is visible.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct WaitUntilVisible {
    /// The whole text of the element, or a regular expression for it
    text: String,
    /// How long it is waited for
    timeout_ms: u64,
}

impl BuiltIn for WaitUntilVisible {
    const NAME: &'static str = "waitUntilVisible";

    fn flags() -> ToolFlags {
        verification()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().assert_visible(&Selector::text(&self.text), self.timeout_ms)?;
        Ok(Output::default())
    }
}

/// What a query answers.
fn answer(value: impl Into<Value>) -> Output {
    let value = value.into();
    let message = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Output { message, structured: Some(json!({ "value": value })), ..Output::default() }
}

/// Say whether an element is visible. Never fails when it is not.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct IsVisible {
    /// The whole text of the element, or a regular expression for it
    text: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
    /// How long it is waited for
    #[serde(default)]
    timeout_ms: u64,
}

impl BuiltIn for IsVisible {
    const NAME: &'static str = "isVisible";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let selector = text_or_id(Self::NAME, &self.text, &self.id)?;
        Ok(answer(context.commands().is_visible(&selector, self.timeout_ms)?))
    }
}

/// Say whether a text stands anywhere on the screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HasText {
    /// A part of what the screen says
    text: String,
}

impl BuiltIn for HasText {
    const NAME: &'static str = "hasText";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        Ok(answer(context.commands().is_visible(&Selector::containing(&self.text), 0)?))
    }
}

/// Return the text of an element, or nothing when it is not there.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GetElementText {
    /// The resource id of the element, whole or its last part
    id: String,
}

impl BuiltIn for GetElementText {
    const NAME: &'static str = "getElementText";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let text = context.commands().element_text(&Selector::id(&self.id))?;
        Ok(answer(text.map_or(Value::Null, Value::from)))
    }
}

/// Return how many elements fit.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GetElementCount {
    /// The whole text of the element, or a regular expression for it
    text: Option<String>,
    /// The resource id of the element, whole or its last part
    id: Option<String>,
}

impl BuiltIn for GetElementCount {
    const NAME: &'static str = "getElementCount";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let selector = text_or_id(Self::NAME, &self.text, &self.id)?;
        Ok(answer(context.commands().element_count(&selector)?))
    }
}

/// Return what is on the screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CaptureScreen {}

impl BuiltIn for CaptureScreen {
    const NAME: &'static str = "captureScreen";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let screen = context.session.capture()?;
        let says = |node: &trailblaze_model::screen::NodeRef<'_>| {
            node.resolved_text().is_some_and(|t| !t.is_empty())
        };
        let nodes: Vec<Value> = screen
            .nodes()
            .filter(|node| says(node) || node.resource_id().is_some())
            .map(|node| {
                let bounds = node.bounds().map(|b| [b.left, b.top, b.right, b.bottom]);
                json!({ "text": node.resolved_text(), "id": node.resource_id(), "bounds": bounds })
            })
            .collect();
        let lines: Vec<&str> = screen.nodes().filter(says).filter_map(|node| node.resolved_text()).collect();
        let structured = json!({ "width": screen.width, "height": screen.height, "nodes": nodes });
        Ok(Output { message: lines.join("\n"), structured: Some(structured), ..Output::default() })
    }
}

/// Wait until the screen is still.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Wait {
    /// Not longer than this
    #[serde(default = "five")]
    time_to_wait_in_seconds: u32,
}

fn five() -> u32 {
    5
}

impl BuiltIn for Wait {
    const NAME: &'static str = "wait";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().settle_within(u64::from(self.time_to_wait_in_seconds) * 1000)?;
        Ok(Output::default())
    }
}
