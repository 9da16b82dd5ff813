//! Firebase Test Lab: an argument file for gcloud.
//!
//! One matrix runs all shards: `--test-targets-for-shard`, which is in gcloud's beta track only.

use serde_json::{Map, Value, json};
use trailblaze_apk::RUNNER;
use trailblaze_model::yaml;

use super::device::Named;
use super::plan::{Draft, Written};
use super::reports_folder;
use super::script::quoted;

const FILE: &str = "gcloud.yml";
/// The group of arguments in the file.
const GROUP: &str = "trailblaze";

pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut arguments = shared(draft);
    let all: Vec<Option<Vec<String>>> = draft.shards.iter().map(|shard| draft.names(shard)).collect();
    let targets =
        |names: &Option<Vec<String>>| names.as_ref().map(|names| format!("class {}", names.join(",")));
    let track = match all.as_slice() {
        [one] => {
            arguments.extend(targets(one).map(|targets| ("test-targets".to_owned(), json!([targets]))));
            ""
        }
        several => {
            let targets: Vec<String> = several.iter().filter_map(targets).collect();
            arguments.insert("test-targets-for-shard".to_owned(), json!(targets));
            "beta "
        }
    };
    let text = yaml::print(&json!({ GROUP: arguments }));
    let project =
        draft.options.project.as_ref().map(|id| format!(" --project={}", quoted(id))).unwrap_or_default();
    let file = quoted(&format!("{}:{GROUP}", draft.path(FILE)));
    let command = format!("gcloud {track}firebase test android run {file}{project}");
    let flank = format!(
        "or with Flank: flank firebase test android run -c {}",
        quoted(&draft.path(super::flank::FILE))
    );
    let fetch =
        "then: gcloud storage cp --recursive gs://BUCKET/FOLDER results, as its output names them".to_owned();
    Written { files: vec![(FILE.to_owned(), text)], command, notes: vec![flank, fetch] }
}

/// What gcloud and Flank call the same.
pub(super) fn shared(draft: &Draft<'_>) -> Map<String, Value> {
    let device = |named: &Named| -> Value {
        let Named::Dimensions(pairs) = named else { return json!({}) };
        pairs.iter().map(|(key, value)| (key.clone(), json!(value))).collect::<Map<_, _>>().into()
    };
    let options: Map<String, Value> =
        draft.options().into_iter().map(|(key, value)| (key, json!(value))).collect();
    let mut arguments = Map::new();
    let mut set = |key: &str, value: Value| arguments.insert(key.to_owned(), value);
    set("type", json!("instrumentation"));
    set("app", json!(draft.options.app));
    set("test", json!(draft.options.test));
    set("test-runner-class", json!(RUNNER));
    // The orchestrator drives AndroidJUnitRunner only.
    set("use-orchestrator", json!(false));
    set("device", draft.devices.iter().map(|of| device(&of.is)).collect());
    set("timeout", json!(format!("{}m", draft.minutes())));
    set("environment-variables", options.into());
    set("directories-to-pull", json!([reports_folder(&draft.package)]));
    if draft.options.retries > 0 {
        set("num-flaky-test-attempts", json!(draft.options.retries));
    }
    arguments
}
