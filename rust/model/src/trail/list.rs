//! The list form: items `config`, `trailhead`, `prompts`, `tools` and the oldest files' `maestro`.

use serde_json::{Map, Value};

use super::{Config, Recording, Step, Trail, config, unified};
use crate::call::ToolCall;
use crate::diagnostic::Code;
use crate::event::StepKind;
use crate::names;
use crate::yaml::{Entry, Node, NodeValue, Reader};

const ITEMS: &[&str] = &["config", "trailhead", "prompts", "tools", "maestro"];

pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Option<Trail> {
    let mut config: Option<Config> = None;
    let mut steps: Vec<Step> = Vec::new();
    let mut begun = false;
    let errors = reader.problems.errors().count();
    for (index, item) in node.as_list().unwrap_or_default().iter().enumerate() {
        let Some(entry) = item_entry(reader, item) else { continue };
        match entry.key.as_str() {
            "config" if config.is_some() => {
                reader.error(
                    Code::Structure,
                    entry.key_place,
                    "a trail has one 'config'; this is a second one",
                );
            }
            "config" => {
                if index > 0 {
                    reader.error(Code::Structure, entry.key_place, "'config' must be the first item");
                }
                config = Some(config::read_list(reader, &entry.value));
            }
            "trailhead" => {
                if begun {
                    let message = "'trailhead' must stand before the steps, and only once";
                    reader.error(Code::Structure, entry.key_place, message);
                }
                begun = true;
                steps.extend(trailhead(reader, entry));
            }
            "prompts" => {
                begun = true;
                let prompts = reader.list(&entry.value, "'prompts'").unwrap_or_default();
                steps.extend(prompts.iter().filter_map(|prompt| step(reader, prompt)));
            }
            "tools" => {
                begun = true;
                let calls = reader.tool_calls(&entry.value, "'tools'");
                steps.push(tools(entry, calls));
            }
            _ => {
                begun = true;
                let call = maestro_call(reader, entry);
                steps.push(tools(entry, vec![call]));
            }
        }
    }
    if steps.is_empty() && config.is_none() && reader.problems.errors().count() == errors {
        let message = "the trail has no steps";
        reader.error_hint(Code::Structure, node.place, message, "add an item 'prompts' or 'tools'");
    }
    Some(Trail { config: config.unwrap_or_default(), steps })
}

fn item_entry<'n>(reader: &mut Reader<'_>, item: &'n Node) -> Option<&'n Entry> {
    match item.as_map() {
        Some([entry]) if ITEMS.contains(&entry.key.as_str()) => Some(entry),
        Some([entry]) => {
            let hint = names::nearest_hint(&entry.key, ITEMS.iter().copied())
                .unwrap_or_else(|| "to call a tool, put it into an item 'tools'".to_owned());
            let message = format!("unknown item '{}'", entry.key);
            reader.error_hint(Code::UnknownKey, entry.key_place, message, hint);
            None
        }
        Some([_, second, ..]) => {
            let message = format!("an item has one key; '{}' is a second one", second.key);
            let hint = "start each item with its own '-'";
            reader.error_hint(Code::Structure, second.key_place, message, hint);
            None
        }
        Some([]) => {
            let hint = format!("known items: {}", ITEMS.join(", "));
            reader.error_hint(Code::Structure, item.place, "an item needs a key", hint);
            None
        }
        None => {
            let message = format!("an item is a mapping with one key, not {}", item.kind());
            let hint = format!("known items: {}", ITEMS.join(", "));
            reader.error_hint(Code::WrongType, item.place, message, hint);
            None
        }
    }
}

fn tools(entry: &Entry, calls: Vec<ToolCall>) -> Step {
    Step {
        kind: StepKind::Tools,
        text: String::new(),
        recordable: true,
        max_retries: None,
        recording: Recording::Always(calls),
        at: entry.key_place,
    }
}

/// The block `maestro:` of the first releases is a call of the tool `maestro`.
fn maestro_call(reader: &Reader<'_>, entry: &Entry) -> ToolCall {
    let commands = Map::from_iter([("commands".to_owned(), entry.value.to_json())]);
    let source = Node {
        place: entry.value.place,
        end: entry.value.end,
        flow: false,
        value: NodeValue::Map(vec![Entry { key: "commands".to_owned(), ..entry.clone() }]),
    };
    ToolCall {
        at: Some(reader.file_place(entry.key_place)),
        source: Some(source),
        ..ToolCall::new("maestro", commands)
    }
}

fn step(reader: &mut Reader<'_>, node: &Node) -> Option<Step> {
    let fields = reader.fields(node, "a step", unified::STEP_KEYS)?;
    let prompt = unified::prompt(reader, fields);
    let recording = match fields.node.get("recording") {
        Some(node) => recording(reader, node),
        None => Recording::None,
    };
    let recordable = unified::recordable(reader, fields, &recording);
    let max_retries = reader.optional_count(fields, "maxRetries");
    let (kind, text) = prompt?;
    Some(Step { kind, text, recordable, max_retries, recording, at: node.place })
}

fn recording(reader: &mut Reader<'_>, node: &Node) -> Recording {
    let Some(fields) = reader.fields(node, "'recording'", &["tools"]) else { return Recording::None };
    match fields.get("tools") {
        Some(tools) => Recording::Always(reader.tool_calls(tools, "'tools'")),
        None => {
            let hint = "write 'recording: {tools: []}' for a step that does nothing";
            reader.error_hint(Code::MissingKey, node.place, "'recording' needs 'tools'", hint);
            Recording::None
        }
    }
}

fn trailhead(reader: &mut Reader<'_>, entry: &Entry) -> Option<Step> {
    let node = &entry.value;
    let base = Step { kind: StepKind::Trailhead, ..tools(entry, Vec::new()) };
    if let Some(name) = node.as_scalar().filter(|scalar| !scalar.is_null()) {
        let mut call = ToolCall::new(&name.text, Map::new());
        call.at = Some(reader.file_place(node.place));
        return Some(Step { recording: Recording::Always(vec![call]), ..base });
    }
    let fields = reader.fields(node, "'trailhead'", &["step", "tools", "maxRetries"])?;
    let text = reader.optional_text(fields, "step").filter(|text| !text.trim().is_empty());
    let calls = fields.get("tools").map(|tools| reader.tool_calls(tools, "'tools'"));
    let max_retries = reader.optional_count(fields, "maxRetries");
    let empty = calls.as_ref().is_none_or(Vec::is_empty);
    if text.is_none() && empty {
        let message = "'trailhead' needs 'step', or 'tools' with at least one call";
        reader.error(Code::MissingKey, node.place, message);
        return None;
    }
    let recording = calls.map_or(Recording::None, Recording::Always);
    Some(Step { text: text.unwrap_or_default(), recording, max_retries, ..base })
}

/// The list form of steps that the unified form cannot express: lists of tools without a prompt.
pub(super) fn print(config: Option<Value>, steps: &[Step], prompt: impl Fn(&Step) -> Value) -> Value {
    let mut items: Vec<Value> = Vec::new();
    let item = |key: &str, value: Value| Value::Object(Map::from_iter([(key.to_owned(), value)]));
    items.extend(config.map(|config| item("config", config)));
    for step in steps {
        match step.kind {
            StepKind::Tools => items.push(item("tools", super::print::calls(step.recording.all_calls()))),
            StepKind::Trailhead => items.push(item("trailhead", prompt(step))),
            StepKind::Step | StepKind::Verify => {
                let step = prompt(step);
                match items.last_mut().and_then(|last| last.get_mut("prompts")) {
                    Some(Value::Array(prompts)) => prompts.push(step),
                    _ => items.push(item("prompts", Value::Array(vec![step]))),
                }
            }
        }
    }
    Value::Array(items)
}
