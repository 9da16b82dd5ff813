//! The unified form: a mapping with `config`, `trailhead` and `trail`.

use super::{Config, Recording, Step, Trail, config};
use crate::call::ToolCall;
use crate::diagnostic::Code;
use crate::event::StepKind;
use crate::yaml::{Entry, Fields, Node, Reader};

pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Option<Trail> {
    let fields = reader.fields(node, "a trail", &["config", "trailhead", "trail"])?;
    let config = fields.get("config").map_or_else(Config::default, |node| config::read_unified(reader, node));
    let trailhead = fields.get("trailhead").and_then(|node| trailhead(reader, node));
    let mut steps = Vec::from_iter(trailhead);
    match fields.get("trail") {
        Some(list) => {
            let items = reader.list(list, "'trail'")?;
            if items.is_empty() {
                reader.error_hint(Code::Structure, list.place, "'trail' is empty", "add at least one step");
            }
            steps.extend(items.iter().filter_map(|item| step(reader, item)));
        }
        None if fields.has("config") && !fields.has("trailhead") && !fields.has("trail") => {}
        None => {
            let message = "a trail needs 'trail:' with a list of steps";
            let hint = "write 'trail:' and below it '- step: …'";
            reader.error_hint(Code::MissingKey, node.place, message, hint);
        }
    }
    Some(Trail { config, steps })
}

pub(super) const STEP_KEYS: &[&str] = &["step", "verify", "recording", "recordable", "maxRetries"];

fn step(reader: &mut Reader<'_>, node: &Node) -> Option<Step> {
    let fields = reader.fields(node, "a step", STEP_KEYS)?;
    let prompt = prompt(reader, fields);
    let recording = match fields.node.get("recording") {
        Some(recording) => {
            per_classifier(reader, recording, |reader, value| reader.tool_calls(value, "a recording"))
        }
        None => Recording::None,
    };
    let recordable = recordable(reader, fields, &recording);
    let max_retries = reader.optional_count(fields, "maxRetries");
    let (kind, text) = prompt?;
    Some(Step { kind, text, recordable, max_retries, recording, at: node.place })
}

/// Exactly one of `step` and `verify`.
pub(super) fn prompt(reader: &mut Reader<'_>, fields: Fields<'_>) -> Option<(StepKind, String)> {
    match (fields.get("step"), fields.get("verify")) {
        (Some(_), None) => Some((StepKind::Step, reader.required(fields, "step", "a step")?)),
        (None, Some(_)) => Some((StepKind::Verify, reader.required(fields, "verify", "a step")?)),
        (Some(_), Some(_)) => {
            let message = "a step has either 'step' or 'verify', not both";
            reader.error(Code::Conflict, fields.key_place("verify"), message);
            None
        }
        (None, None) => {
            let message = "a step needs 'step' or 'verify'";
            // A key that is misspelled has a hint of its own.
            let mut entries = fields.node.as_map().unwrap_or_default().iter();
            if entries.all(|entry| STEP_KEYS.contains(&entry.key.as_str())) {
                let hint = "write what to do behind 'step:', or what must hold behind 'verify:'";
                reader.error_hint(Code::MissingKey, fields.node.place, message, hint);
            } else {
                reader.error(Code::MissingKey, fields.node.place, message);
            }
            None
        }
    }
}

/// `recordable: false` and a recording exclude each other.
pub(super) fn recordable(reader: &mut Reader<'_>, fields: Fields<'_>, recording: &Recording) -> bool {
    let recordable = reader.optional_bool(fields, "recordable").unwrap_or(true);
    if !recordable && recording.all_calls().next().is_some() {
        let hint = "remove the recording, or 'recordable: false'";
        let message = "a step that is not recordable cannot have a recording";
        reader.error_hint(Code::Conflict, fields.key_place("recordable"), message, hint);
    }
    recordable
}

fn per_classifier(
    reader: &mut Reader<'_>,
    node: &Node,
    mut read: impl FnMut(&mut Reader<'_>, &Node) -> Vec<ToolCall>,
) -> Recording {
    let Some(entries) = node.as_map() else {
        let message =
            format!("'recording' must be a mapping from device classifiers to calls, not {}", node.kind());
        let hint = "write 'recording:', below it 'android:', and below that the list of calls";
        reader.error_hint(Code::WrongType, node.place, message, hint);
        return Recording::None;
    };
    let mut per = Vec::new();
    for Entry { key, key_place, value } in entries {
        if value.is_null() {
            let message = format!("the recording for '{key}' is empty");
            let hint = format!("write '{key}: []' for a step that does nothing there");
            reader.error_hint(Code::WrongType, *key_place, message, hint);
            continue;
        }
        per.push((key.clone(), read(reader, value)));
    }
    Recording::PerClassifier(per)
}

fn trailhead(reader: &mut Reader<'_>, node: &Node) -> Option<Step> {
    let known = ["step", "recording", "recordable", "maxRetries"];
    let fields = reader.fields(node, "'trailhead'", &known)?;
    let text = reader.required(fields, "step", "'trailhead'");
    let recording = match fields.node.get("recording") {
        Some(recording) => per_classifier(reader, recording, one_call),
        None => Recording::None,
    };
    let recordable = recordable(reader, fields, &recording);
    let max_retries = reader.optional_count(fields, "maxRetries");
    Some(Step { kind: StepKind::Trailhead, text: text?, recordable, max_retries, recording, at: node.place })
}

/// A trailhead is one call, written as a mapping; `{}` does nothing.
fn one_call(reader: &mut Reader<'_>, node: &Node) -> Vec<ToolCall> {
    match node.as_map() {
        Some([]) => Vec::new(),
        Some([_, second, ..]) => {
            let message = format!("a trailhead is one tool call; '{}' is a second one", second.key);
            reader.error_hint(Code::Structure, second.key_place, message, "move it into the first step");
            Vec::new()
        }
        Some(_) => Vec::from_iter(reader.tool_call(node)),
        None => {
            let message = format!("a trailhead is one tool call, written as a mapping, not {}", node.kind());
            let hint = "write 'android: { launchApp: { appId: … } }' without a dash";
            reader.error_hint(Code::WrongType, node.place, message, hint);
            Vec::new()
        }
    }
}
