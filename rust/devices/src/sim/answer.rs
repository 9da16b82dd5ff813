//! Reads what `sim/js/sim.js` answers. None means that the two sides do not fit together.

use serde_json::{Map, Value};
use trailblaze_model::failure::{Failure, FailureKind};

use super::failure;
use super::tree::Patch;

#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Only when it is another one than last time.
    pub(super) tree: Option<Patch>,
    /// Quarter turns from how the phone is held at first.
    pub(super) rotation: u8,
    pub(super) next_due: Option<u64>,
    pub(super) last_change: u64,
    pub(super) front: Option<String>,
    pub(super) installed: Vec<String>,
    pub(super) text: String,
    pub(super) failure: Option<Failure>,
    /// There was too much to do: ask the same again.
    pub(super) again: bool,
}

impl Answer {
    pub(super) fn read(value: Value) -> Option<Self> {
        let Value::Object(mut fields) = value else { return None };
        let mut answer = Self {
            rotation: fields.get("rotation")?.as_u64()?.try_into().ok()?,
            next_due: fields.get("nextDue")?.as_u64(),
            last_change: fields.get("lastChange")?.as_u64()?,
            front: text(&mut fields, "front"),
            text: text(&mut fields, "text").unwrap_or_default(),
            again: fields.get("again").and_then(Value::as_bool).unwrap_or_default(),
            ..Self::default()
        };
        if let Some(Value::Object(tree)) = fields.remove("tree") {
            answer.tree = Some(Patch::read(tree)?);
        }
        if let Some(Value::Array(ids)) = fields.remove("installed") {
            answer.installed = ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect();
        }
        if let Some(Value::Object(failed)) = fields.remove("failure") {
            answer.failure = Some(read_failure(failed)?);
        }
        Some(answer)
    }
}

fn text(fields: &mut Map<String, Value>, key: &str) -> Option<String> {
    match fields.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn read_failure(mut fields: Map<String, Value>) -> Option<Failure> {
    let message = text(&mut fields, "message")?;
    let mut result = match text(&mut fields, "kind")?.as_str() {
        "App" => failure::app(message, text(&mut fields, "stack")),
        "NotFound" => Failure::new(FailureKind::NotFound, message),
        "Refused" => Failure::new(FailureKind::Refused, message),
        "NotSupported" => Failure::new(FailureKind::NotSupported, message),
        _ => return None,
    };
    result.hint = text(&mut fields, "hint");
    Some(result)
}
