//! The fuzz target of toolset servers on stable: random messages of the right words in the wrong places.

use proptest::prelude::*;
use serde_json::{Value, json};
use trailblaze_engine::fuzzing;

const KEYS: &[&str] = &[
    "name",
    "description",
    "inputSchema",
    "type",
    "_meta",
    "trailblaze",
    "trailblaze/isForLlm",
    "trailblaze/supportedDrivers",
    "trailblaze/toolset",
    "trailblaze/nothing",
    "tools",
    "variant",
    "stack",
    "isError",
    "content",
    "text",
    "structuredContent",
    "_trailblaze_delegates",
    "tool",
    "args",
    "success",
    "error",
];

const TEXTS: &[&str] = &[
    "",
    "own_x",
    "object",
    "FatalError",
    "android-ondevice-accessibility",
    "{\"success\": false}",
    "{\"_trailblaze_delegates\": [{\"tool\": \"tap\"}]}",
    "\u{0}ü",
];

fn message() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(TEXTS).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = prop::sample::select(KEYS).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..8)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn no_message_of_a_server_breaks_the_reader(message in message()) {
        fuzzing::server(message.to_string().as_bytes());
    }
}
