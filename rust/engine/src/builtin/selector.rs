//! Tools that name an element by a full selector, and those that wait for the screen to change.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::maestro::Point;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::screen::{Flag, NodeRef, Prop};
use trailblaze_model::selector::{Field, NodeSelector, Predicates};

use super::{BuiltIn, Entry, helper, not_for_llm, verification};
use crate::commands::{FIND_MS, Found, Touch};
use crate::dispatch::{Context, Output};
use crate::matching::{Means, native, too_slow};
use crate::session::Phase;

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<TapOnElementBySelector>(),
    Entry::of::<TapOn>(),
    Entry::of::<TapOnAccessibilityNode>(),
    Entry::of::<AssertVisibleBySelector>(),
    Entry::of::<AssertNotVisibleBySelector>(),
    Entry::of::<WaitUntilNotVisible>(),
    Entry::of::<FindMatches>(),
    Entry::of::<WaitForChange>(),
    Entry::of::<AssertWaypoint>(),
];

/// The arguments that hold a selector, so that they can be checked without running.
pub(crate) const SELECTOR_ARGS: &[(&str, &str)] = &[
    ("tapOnElementBySelector", "nodeSelector"),
    ("tapOn", "selector"),
    ("assertVisibleBySelector", "nodeSelector"),
    ("assertNotVisibleBySelector", "nodeSelector"),
    ("waitUntilNotVisible", "nodeSelector"),
    ("findMatches", "selector"),
    ("swipeBetweenElements", "from"),
    ("swipeBetweenElements", "to"),
];

pub(super) fn read(selector: Map<String, Value>) -> Result<NodeSelector, Failure> {
    NodeSelector::read(&Value::Object(selector)).map_err(|problems| {
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let mut failure = Failure::new(FailureKind::InvalidArguments, messages.join("; "));
        failure.hint = problems.into_iter().find_map(|problem| problem.hint);
        failure
    })
}

fn find_ms() -> u64 {
    FIND_MS
}

/// Tap the element that a selector means.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TapOnElementBySelector {
    /// The element
    node_selector: Map<String, Value>,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
}

impl BuiltIn for TapOnElementBySelector {
    const NAME: &'static str = "tapOnElementBySelector";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let selector = read(self.node_selector)?;
        let touched = context.commands().touch(&selector, Touch::long(self.long_press), FIND_MS)?;
        Ok(Output::message(touched.to_string()))
    }
}

/// Tap a point inside of the element that a selector means.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TapOn {
    /// The element
    selector: Map<String, Value>,
    /// Where in the element: "50%,20%"; its middle unless given
    relative_point: Option<String>,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
}

impl BuiltIn for TapOn {
    const NAME: &'static str = "tapOn";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let selector = read(self.selector)?;
        let point = match self.relative_point.as_deref().map(|text| (text, Point::parse(text))) {
            None => None,
            Some((_, Some(point @ Point::Percent(..)))) => Some(point),
            Some((text, _)) => {
                let message = format!("'relativePoint': '{text}' is no point like \"50%,20%\"");
                return Err(Failure::new(FailureKind::InvalidArguments, message));
            }
        };
        let touched = context.commands().touch_at(&selector, point, Touch::long(self.long_press), FIND_MS)?;
        Ok(Output::message(touched.to_string()))
    }
}

/// Tap an element by its own properties, each a regular expression for the whole of it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TapOnAccessibilityNode {
    /// The content description
    content_description_regex: Option<String>,
    /// The text, else the hint, else the content description
    text_regex: Option<String>,
    /// The class
    class_name_regex: Option<String>,
    /// The resource id
    resource_id_regex: Option<String>,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
}

impl BuiltIn for TapOnAccessibilityNode {
    const NAME: &'static str = "tapOnAccessibilityNode";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let mut predicates = Predicates::new(Dialect::Native);
        let parts = [
            (Field::Prop(Prop::ContentDescription), self.content_description_regex),
            (Field::Resolved, self.text_regex),
            (Field::Prop(Prop::ClassName), self.class_name_regex),
            (Field::Prop(Prop::ResourceId), self.resource_id_regex),
        ];
        for (field, text) in parts {
            predicates.texts.extend(text.map(|text| (field, Pattern::new(&text, Dialect::Native))));
        }
        if predicates.is_empty() {
            let message = "'tapOnAccessibilityNode' needs at least one of its expressions";
            return Err(Failure::new(FailureKind::MissingRequiredArgs, message));
        }
        let selector = NodeSelector::of(predicates);
        let touched = context.commands().touch(&selector, Touch::long(self.long_press), FIND_MS)?;
        Ok(Output::message(touched.to_string()))
    }
}

/// How an expected text is compared.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum TextMatch {
    #[default]
    Exact,
    Prefix,
    Regex,
}

/// Check that the element that a selector means is visible, and what it says.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AssertVisibleBySelector {
    /// The element
    node_selector: Map<String, Value>,
    /// How long it is waited for
    #[serde(default = "find_ms")]
    timeout_ms: u64,
    /// The text that the element must have
    expected_text: Option<String>,
    /// How the text is compared
    #[serde(default)]
    text_match_mode: TextMatch,
}

impl BuiltIn for AssertVisibleBySelector {
    const NAME: &'static str = "assertVisibleBySelector";

    fn flags() -> ToolFlags {
        ToolFlags { is_for_llm: false, ..verification() }
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let selector = read(self.node_selector)?;
        let Some(expected) = self.expected_text else {
            commands.assert_visible(&selector, self.timeout_ms)?;
            return Ok(Output::default());
        };
        let mut said: Option<Vec<String>> = None;
        let fits = commands.wait_for(self.timeout_ms, || {
            said = commands.look_for(&selector, 0)?.map(|found| texts(&found, &selector)).transpose()?;
            for text in said.iter().flatten() {
                if text_fits(text, &expected, self.text_match_mode)? {
                    return Ok(Some(()));
                }
            }
            Ok(None)
        })?;
        match (fits, said) {
            (Some(()), _) => Ok(Output::default()),
            (None, Some(said)) => {
                let message = format!("{selector} says '{}', not '{expected}'", said.join("', '"));
                Err(Failure::new(FailureKind::AssertionFailed, message))
            }
            (None, None) => commands.assert_visible(&selector, 0).map(|()| Output::default()),
        }
    }
}

/// What an element says: what is meant in it where the selector says so, else its own text, else all in it.
fn texts(found: &Found, selector: &NodeSelector) -> Result<Vec<String>, Failure> {
    let node = found.node();
    let inner = selector.contains_child.as_deref().map(|inner| (inner, true)).into_iter();
    let inner: Vec<(&NodeSelector, bool)> =
        inner.chain(selector.contains_descendants.iter().map(|inner| (inner, false))).collect();
    let say =
        |node: NodeRef<'_>| node.resolved_text().map(|text| text.trim().to_owned()).filter(|t| !t.is_empty());
    if !inner.is_empty() {
        let mut fitting = Vec::new();
        for (selector, direct) in inner {
            let matches = native::try_resolve(&found.screen, selector).map_err(too_slow)?;
            let inside = matches.into_iter().map(|id| found.screen.node(id));
            fitting.extend(
                inside.filter(
                    |inner| if direct { is_child(*inner, node) } else { node.is_ancestor_of(*inner) },
                ),
            );
        }
        return Ok(fitting.into_iter().filter_map(say).collect());
    }
    Ok(match say(node) {
        Some(text) => vec![text],
        None => vec![node.descendants().filter_map(say).collect::<Vec<_>>().join(" ")],
    })
}

/// Whether a node stands directly in another, apart from what is there only for the layout.
fn is_child<'a>(inner: NodeRef<'a>, outer: NodeRef<'a>) -> bool {
    let mut above = inner.parent();
    while let Some(parent) = above.filter(|parent| parent.id() != outer.id()) {
        if parent.has(Flag::ImportantForAccessibility) {
            return false;
        }
        above = parent.parent();
    }
    above.is_some()
}

fn text_fits(text: &str, expected: &str, mode: TextMatch) -> Result<bool, Failure> {
    let (text, expected) = (text.trim(), expected.trim());
    match mode {
        TextMatch::Exact => Ok(text == expected),
        TextMatch::Prefix => Ok(text.starts_with(expected)),
        TextMatch::Regex => Pattern::new(expected, Dialect::Native).try_matches(text).map_err(too_slow),
    }
}

/// Check that nothing on the screen fits a selector; what does waits to disappear.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AssertNotVisibleBySelector {
    /// The element
    node_selector: Map<String, Value>,
    /// How long it may take to disappear
    #[serde(default = "find_ms")]
    timeout_ms: u64,
}

impl BuiltIn for AssertNotVisibleBySelector {
    const NAME: &'static str = "assertNotVisibleBySelector";

    fn flags() -> ToolFlags {
        ToolFlags { is_for_llm: false, ..verification() }
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().assert_not_visible(&read(self.node_selector)?, self.timeout_ms)?;
        Ok(Output::default())
    }
}

/// Wait until nothing fits a selector, and say whether that came about. Never fails.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct WaitUntilNotVisible {
    /// The element
    node_selector: Map<String, Value>,
    /// How long it may take to disappear
    #[serde(default = "find_ms")]
    timeout_ms: u64,
}

impl BuiltIn for WaitUntilNotVisible {
    const NAME: &'static str = "waitUntilNotVisible";

    fn flags() -> ToolFlags {
        helper()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let commands = context.commands();
        let selector = read(self.node_selector)?;
        let gone = commands.wait_for(self.timeout_ms, || {
            let screen = context.session.capture()?;
            Ok(selector.find(&screen)?.is_empty().then_some(()))
        })?;
        let value = gone.is_some();
        Ok(Output {
            message: value.to_string(),
            structured: Some(json!({ "value": value })),
            ..Output::default()
        })
    }
}

/// Return the elements that fit a selector. Never fails when there is none.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct FindMatches {
    /// The elements
    selector: Map<String, Value>,
    /// How long the first one is waited for
    #[serde(default)]
    timeout_ms: u64,
}

impl BuiltIn for FindMatches {
    const NAME: &'static str = "findMatches";

    fn flags() -> ToolFlags {
        helper()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let selector = read(self.selector)?;
        context.commands().look_for(&selector, self.timeout_ms)?;
        let screen = context.session.capture()?;
        let matches: Vec<Value> = selector
            .find(&screen)?
            .into_iter()
            .map(|id| {
                let node = screen.node(id);
                let bounds = node.bounds().map(|b| [b.left, b.top, b.right, b.bottom]);
                json!({ "text": node.resolved_text(), "resourceId": node.resource_id(), "bounds": bounds })
            })
            .collect();
        let message = matches.len().to_string();
        Ok(Output { message, structured: Some(json!({ "matches": matches })), ..Output::default() })
    }
}

/// Wait until the screen changes and is still again.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct WaitForChange {
    /// Not longer than this
    #[serde(default = "eight_seconds")]
    timeout_ms: u64,
    /// So long nothing may change afterwards
    #[serde(default = "quiet_ms")]
    quiet_window_ms: u64,
    /// Whether it is an error when nothing changes
    #[serde(default = "yes")]
    require_change: bool,
}

fn eight_seconds() -> u64 {
    8_000
}

fn quiet_ms() -> u64 {
    300
}

fn yes() -> bool {
    true
}

impl BuiltIn for WaitForChange {
    const NAME: &'static str = "waitForChange";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let (commands, session) = (context.commands(), context.session);
        let before = session.capture()?;
        let start = session.now_ms();
        let phase = session.phase(Phase::Settle);
        let changed = commands.wait_for(self.timeout_ms, || {
            let screen = session.capture()?;
            Ok((!screen.looks_like(&before)).then_some(()))
        })?;
        drop(phase);
        if changed.is_none() {
            let message = format!("nothing changed within {}", crate::commands::seconds(self.timeout_ms));
            return if self.require_change {
                Err(Failure::new(FailureKind::Timeout, message))
            } else {
                Ok(Output::message(message))
            };
        }
        let left = self.timeout_ms.saturating_sub(session.now_ms() - start);
        commands.settle_quiet(self.quiet_window_ms, left)?;
        Ok(Output::default())
    }
}

/// Check that the screen is a waypoint.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AssertWaypoint {
    /// The id of the waypoint
    waypoint: String,
    /// How long it is waited for
    #[serde(default = "find_ms")]
    timeout_ms: u64,
    /// How often it is looked
    #[serde(default = "waypoint_poll_ms")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    poll_interval_ms: u64,
}

fn waypoint_poll_ms() -> u64 {
    250
}

impl BuiltIn for AssertWaypoint {
    const NAME: &'static str = "assertWaypoint";

    fn flags() -> ToolFlags {
        verification()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let session = context.session;
        let Some(waypoint) = session.waypoints.iter().find(|known| known.id == self.waypoint) else {
            return Err(crate::waypoint::unknown(&self.waypoint, &session.waypoints));
        };
        let device = &session.device().info().classifiers;
        let ids: Vec<String> = session.options.app_id.iter().cloned().collect();
        let mut last = None;
        let reached = context.commands().wait_every(self.poll_interval_ms, self.timeout_ms, || {
            let look = crate::waypoint::look(session.capture()?.as_ref(), waypoint, device, &ids);
            let reached = look.is_match().then_some(());
            last = look.reason();
            Ok(reached)
        })?;
        reached.map(|()| Output::default()).ok_or_else(|| {
            let message = format!("the screen is not '{}'", self.waypoint);
            let failure = Failure::new(FailureKind::AssertionFailed, message);
            match last {
                Some(reason) => failure.hint(reason),
                None => failure,
            }
        })
    }
}
