//! `flank.yml`: the same plan for Flank, with its shards in a file of their own.

use serde_json::{Map, Value, json};
use trailblaze_model::test_name::TestName;
use trailblaze_model::yaml;

use super::plan::Draft;
use super::shards::Shard;
use super::{RESULTS, firebase};

pub(super) const FILE: &str = "flank.yml";
const SHARDS: &str = "flank-shards.json";

pub(super) fn write(draft: &Draft<'_>) -> Vec<(String, String)> {
    let mut gcloud = firebase::shared(draft);
    let mut flank = Map::new();
    if let Some(project) = &draft.options.project {
        flank.insert("project".to_owned(), json!(project));
    }
    flank.insert("custom-sharding-json".to_owned(), json!(draft.path(SHARDS)));
    flank.insert("local-result-dir".to_owned(), json!(RESULTS));
    flank.insert("full-junit-result".to_owned(), json!(false));
    // Flank makes the type out of what it is given.
    gcloud.shift_remove("type");
    let text = yaml::print(&json!({ "gcloud": gcloud, "flank": flank }));
    vec![(FILE.to_owned(), text), (SHARDS.to_owned(), format!("{:#}\n", shards(draft)))]
}

/// What `--dump-shards` of Flank writes and `custom-sharding-json` reads.
fn shards(draft: &Draft<'_>) -> Value {
    let target = |id: &str| format!("class {}", TestName::of(id));
    let names = |shard: &Shard| -> Value { shard.trails.iter().map(|trail| target(&trail.id)).collect() };
    let shards: Map<String, Value> = draft
        .shards
        .iter()
        .enumerate()
        .map(|(index, shard)| (format!("shard-{index}"), names(shard)))
        .collect();
    let (app, test) = (&draft.options.app, &draft.options.test);
    json!({ "matrix-0": { "app": app, "test": test, "shards": shards, "junit-ignored": [] } })
}
