//! A trail as a value that reads back as the same trail.
//!
//! Steps with recordings per classifier print in the unified form; those that hold for every device
//! (from the list form) print in the list form, since only that can express them.

use serde_json::{Map, Value, json};

use super::{ArgDeclaration, Config, PerDevice, Recording, Step, Trail, list};
use crate::call::ToolCall;
use crate::driver::Driver;
use crate::event::StepKind;

pub(super) fn trail(trail: &Trail) -> Value {
    let always = |step: &Step| matches!(step.recording, Recording::Always(_)) || step.kind == StepKind::Tools;
    let bare_trailhead = |step: &Step| step.kind == StepKind::Trailhead && step.text.is_empty();
    let only_trailhead =
        !trail.steps.is_empty() && trail.steps.iter().all(|step| step.kind == StepKind::Trailhead);
    let list_config = matches!(trail.config.skip, PerDevice::Always(_))
        || trail.config.platform.is_some()
        || trail.config.extra.contains_key("devices");
    let per_classifier = |step: &Step| matches!(step.recording, Recording::PerClassifier(_));
    let as_list = trail.steps.iter().any(|step| always(step) || bare_trailhead(step))
        || ((only_trailhead || list_config) && !trail.steps.iter().any(per_classifier));
    if as_list {
        let config = config(&trail.config, true);
        let config = (config != json!({})).then_some(config);
        return list::print(config, &trail.steps, list_step);
    }
    let mut map = Map::new();
    let config = config(&trail.config, false);
    if config != json!({}) || trail.steps.is_empty() {
        map.insert("config".into(), config);
    }
    let (heads, steps): (Vec<&Step>, Vec<&Step>) =
        trail.steps.iter().partition(|step| step.kind == StepKind::Trailhead);
    if let Some(head) = heads.first() {
        map.insert("trailhead".into(), unified_step(head));
    }
    if !steps.is_empty() {
        map.insert("trail".into(), steps.into_iter().map(unified_step).collect());
    }
    Value::Object(map)
}

pub(super) fn calls<'a>(calls: impl Iterator<Item = &'a ToolCall>) -> Value {
    calls.map(ToolCall::to_value).collect()
}

fn prompt(step: &Step) -> Map<String, Value> {
    let mut map = Map::new();
    let key = if step.kind == StepKind::Verify { "verify" } else { "step" };
    if step.kind != StepKind::Trailhead || !step.text.is_empty() {
        map.insert(key.into(), step.text.clone().into());
    }
    if !step.recordable {
        map.insert("recordable".into(), false.into());
    }
    if let Some(retries) = step.max_retries {
        map.insert("maxRetries".into(), retries.into());
    }
    map
}

fn unified_step(step: &Step) -> Value {
    let mut map = prompt(step);
    if let Recording::PerClassifier(per) = &step.recording {
        let one = |list: &[ToolCall]| match (step.kind, list) {
            (StepKind::Trailhead, []) => json!({}),
            (StepKind::Trailhead, [call, ..]) => call.to_value(),
            _ => calls(list.iter()),
        };
        let per: Map<String, Value> = per.iter().map(|(name, list)| (name.clone(), one(list))).collect();
        map.insert("recording".into(), Value::Object(per));
    }
    Value::Object(map)
}

fn list_step(step: &Step) -> Value {
    let mut map = prompt(step);
    if let Recording::Always(list) = &step.recording {
        let list = calls(list.iter());
        if step.kind == StepKind::Trailhead {
            map.insert("tools".into(), list);
        } else {
            map.insert("recording".into(), json!({ "tools": list }));
        }
    }
    Value::Object(map)
}

fn config(config: &Config, as_list: bool) -> Value {
    let mut map = Map::new();
    let mut text = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            map.insert(key.to_owned(), value.clone().into());
        }
    };
    text("id", &config.id);
    text("title", &config.title);
    text("description", &config.description);
    text("target", &config.target);
    text("priority", &config.priority);
    text("context", &config.context);
    if !config.tags.is_empty() {
        map.insert("tags".into(), json!(config.tags));
    }
    if as_list && let Some(platform) = &config.platform {
        map.insert("platform".into(), platform.clone().into());
    }
    devices(&mut map, &config.devices, as_list);
    match &config.skip {
        PerDevice::None => {}
        PerDevice::Always(reason) => drop(map.insert("skip".into(), reason.clone().into())),
        PerDevice::PerClassifier(per) => drop(map.insert("skip".into(), pairs(per))),
    }
    if !config.memory.is_empty() {
        map.insert("memory".into(), pairs(&config.memory));
    }
    if !config.args.is_empty() {
        let args: Map<String, Value> =
            config.args.iter().map(|arg| (arg.name.clone(), argument(arg))).collect();
        map.insert("args".into(), Value::Object(args));
    }
    if !config.metadata.is_empty() {
        map.insert("metadata".into(), pairs(&config.metadata));
    }
    map.extend(config.extra.clone());
    Value::Object(map)
}

fn devices(map: &mut Map<String, Value>, devices: &PerDevice<Driver>, as_list: bool) {
    let PerDevice::PerClassifier(pins) = devices else { return };
    let name = |driver: &Driver| driver.key().replace('-', "_").to_uppercase();
    match (as_list, pins.as_slice()) {
        (true, [(platform, driver)]) => {
            map.insert("platform".into(), platform.clone().into());
            map.insert("driver".into(), name(driver).into());
        }
        _ => {
            let pins: Vec<(String, String)> =
                pins.iter().map(|(key, driver)| (key.clone(), name(driver))).collect();
            map.insert("devices".into(), pairs(&pins));
        }
    }
}

fn pairs(pairs: &[(String, String)]) -> Value {
    pairs.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect::<Map<_, _>>().into()
}

fn argument(arg: &ArgDeclaration) -> Value {
    let mut map = Map::from_iter([("type".to_owned(), Value::from(arg.kind.key()))]);
    if let Some(description) = &arg.description {
        map.insert("description".into(), description.clone().into());
    }
    if let Some(default) = &arg.default {
        map.insert("default".into(), default.clone());
    }
    Value::Object(map)
}
