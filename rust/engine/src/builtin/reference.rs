//! Tools that name an element of the screen by what a snapshot called it. They work out a selector that stays true and
//! hand over to the tool that takes one: that is what is run and recorded.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use trailblaze_model::call::ToolCall;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::screen::{NodeId, Screen};

use super::{BuiltIn, Entry};
use crate::commands::FIND_MS;
use crate::dispatch::{Context, Output};
use crate::matching::{generate, refs};
use crate::reach::{Reach, reach};
use crate::session::Phase;

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<TapOnElementByNodeId>(),
    Entry::of::<LongPress>(),
    Entry::of::<DragTo>(),
    Entry::of::<RequestDetailedViewHierarchy>(),
];

fn delegating() -> ToolFlags {
    ToolFlags { is_delegating: true, is_recordable: false, ..ToolFlags::default() }
}

/// What is done instead of a touch by name.
pub(super) fn tap(context: &Context<'_>, reference: &str, long_press: bool) -> Result<Output, Failure> {
    let selector = named(context, reference, selector)?;
    Ok(instead("tapOnElementBySelector", touch_args(selector, long_press)))
}

/// What is done instead of a check by name.
pub(super) fn assert_visible(
    context: &Context<'_>,
    reference: &str,
    expected_text: Option<&str>,
) -> Result<Output, Failure> {
    let selector = named(context, reference, selector)?;
    let mut args = json!({ "nodeSelector": selector });
    if let Some(text) = expected_text {
        args["expectedText"] = text.into();
    }
    Ok(instead("assertVisibleBySelector", args))
}

fn touch_args(selector: Value, long_press: bool) -> Value {
    let mut args = json!({ "nodeSelector": selector });
    if long_press {
        args["longPress"] = true.into();
    }
    args
}

fn instead(tool: &str, args: Value) -> Output {
    let args: Map<String, Value> = args.as_object().cloned().unwrap_or_default();
    Output { delegates: vec![ToolCall::new(tool, args)], ..Output::default() }
}

/// Something about the element that a snapshot gave a name, once it is there.
fn named<T>(
    context: &Context<'_>,
    reference: &str,
    about: impl Fn(&Screen, NodeId) -> Option<T>,
) -> Result<T, Failure> {
    let session = context.session;
    let _phase = session.phase(Phase::Match);
    let found = context.commands().wait_for(FIND_MS, || {
        let screen = session.capture()?;
        Ok(refs::by_ref(&screen, reference).and_then(|id| about(&screen, id)))
    })?;
    found.ok_or_else(|| {
        let message = format!("nothing on the screen is called '{reference}'");
        let hint = "such names belong to one screen; look at it again, or use a text or an id";
        Failure::new(FailureKind::NotFound, message).hint(hint)
    })
}

fn selector(screen: &Screen, id: NodeId) -> Option<Value> {
    generate::selectors(screen, id).first().map(|selector| selector.to_value())
}

fn middle(screen: &Screen, id: NodeId) -> Option<(i32, i32)> {
    match reach(screen.node(id)) {
        Reach::At(part) => Some(part.center()),
        _ => None,
    }
}

/// Tap an element by its number in the last snapshot.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TapOnElementByNodeId {
    /// The number of the element
    node_id: i64,
    /// Press long instead of tapping
    #[serde(default)]
    long_press: bool,
}

impl BuiltIn for TapOnElementByNodeId {
    const NAME: &'static str = "tapOnElementByNodeId";

    fn flags() -> ToolFlags {
        delegating()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let screen = context.session.capture()?;
        let node = screen.nodes().find(|node| node.device_id() == self.node_id);
        let found = node.and_then(|node| selector(&screen, node.id()));
        let Some(selector) = found else {
            let message = format!("no element of the screen has the number {}", self.node_id);
            let hint = "such numbers belong to one snapshot; use a text, an id or a selector";
            return Err(Failure::new(FailureKind::NotFound, message).hint(hint));
        };
        Ok(instead("tapOnElementBySelector", touch_args(selector, self.long_press)))
    }
}

/// Press an element of the last snapshot long.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LongPress {
    /// An element of the last snapshot
    #[serde(rename = "ref")]
    reference: String,
}

impl BuiltIn for LongPress {
    const NAME: &'static str = "longPress";

    fn flags() -> ToolFlags {
        delegating()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        tap(context, &self.reference, true)
    }
}

/// Drag an element of the last snapshot to another one, or to a point of the screen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct DragTo {
    /// An element of the last snapshot
    #[serde(rename = "ref")]
    reference: String,
    /// The element it is dragged to
    to_ref: Option<String>,
    /// Pixels from the left
    to_x: Option<i32>,
    /// Pixels from the top
    to_y: Option<i32>,
    /// How long the finger takes
    #[serde(default = "drag_ms")]
    duration_ms: u64,
}

fn drag_ms() -> u64 {
    1_000
}

impl BuiltIn for DragTo {
    const NAME: &'static str = "dragTo";

    fn flags() -> ToolFlags {
        delegating()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let from = named(context, &self.reference, middle)?;
        let to = match (&self.to_ref, self.to_x, self.to_y) {
            (Some(name), None, None) => named(context, name, middle)?,
            (None, Some(x), Some(y)) => (x, y),
            _ => return Err(super::touch::missing("'dragTo' needs 'toRef', or 'toX' and 'toY'")),
        };
        let args = json!({
            "startX": from.0, "startY": from.1, "endX": to.0, "endY": to.1, "durationMs": self.duration_ms,
        });
        Ok(instead("dragByPoints", args))
    }
}

/// Return the whole tree of the screen as text, with a name for every element that can be used.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RequestDetailedViewHierarchy {}

impl BuiltIn for RequestDetailedViewHierarchy {
    const NAME: &'static str = "requestDetailedViewHierarchy";

    fn flags() -> ToolFlags {
        ToolFlags { is_recordable: false, ..ToolFlags::default() }
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        Ok(Output::message(refs::outline(context.session.capture()?.as_ref())))
    }
}
