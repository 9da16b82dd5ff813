use super::*;
use proptest::prelude::*;
use serde_json::json;

#[track_caller]
fn check(schema: Value, args: Value, expected: Result<Value, &[&str]>) {
    let mut map = args.as_object().cloned().unwrap();
    let problems = validate(&schema, &mut map, Tokens::None);
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    match expected {
        Ok(expected) => {
            assert!(messages.is_empty(), "{messages:?}");
            assert_eq!(Value::Object(map), expected);
        }
        Err(expected) => assert_eq!(messages, expected),
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "count": {"type": ["integer", "null"], "minimum": 0},
            "mode": {"type": "string", "enum": ["UP", "DOWN"]},
            "deep": {"type": "array", "items": {"$ref": "#/$defs/point"}, "maxItems": 2},
        },
        "required": ["text"],
        "additionalProperties": false,
        "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
    })
}

#[test]
fn scalars_are_brought_to_the_type_asked_for() {
    check(
        schema(),
        json!({"text": 5, "count": "7", "mode": "up", "deep": [{"x": "1.5"}]}),
        Ok(json!({"text": "5", "count": 7, "mode": "UP", "deep": [{"x": 1.5}]})),
    );
    check(schema(), json!({"text": true, "count": 3.0}), Ok(json!({"text": "true", "count": 3})));
}

#[test]
fn every_problem_is_reported_in_one_go_with_its_place() {
    check(
        schema(),
        json!({"count": "many", "mode": "SIDE", "deep": [{}, {"x": []}], "txt": 1}),
        Err(&[
            "'text' is missing",
            "'count' must be a whole number, not 'many'",
            "'mode' must be one of UP, DOWN, not 'SIDE'",
            "'deep.0.x' is missing",
            "'deep.1.x' must be a number, not a list",
            "there is no argument 'txt'",
        ]),
    );
    check(schema(), json!({"text": "a", "count": -1}), Err(&["'count' must be at least 0"]));
    check(
        schema(),
        json!({"text": "a", "deep": [{"x": 1}, {"x": 1}, {"x": 1}]}),
        Err(&["'deep' must have at most 2 entries"]),
    );
}

#[test]
fn nothing_is_the_same_as_leaving_an_argument_out_unless_it_takes_null() {
    check(
        schema(),
        json!({"text": "a", "mode": null, "count": null}),
        Ok(json!({"text": "a", "count": null})),
    );
    check(schema(), json!({"text": null}), Err(&["'text' is missing"]));
}

#[test]
fn values_with_tokens_wait_for_the_run() {
    let mut args = json!({"text": "a", "count": "${n}"}).as_object().cloned().unwrap();
    assert!(validate(&schema(), &mut args, Tokens::Skip).is_empty());
    assert_eq!(validate(&schema(), &mut args, Tokens::None).len(), 1);
}

#[test]
fn one_of_several_shapes_is_enough() {
    let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    check(schema.clone(), json!({"b": 1}), Ok(json!({"b": 1})));
    check(schema, json!({}), Err(&["'a' is missing"]));
}

#[test]
fn a_shape_that_takes_the_value_as_it_is_comes_first() {
    let schema = json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}});
    check(schema.clone(), json!({"a": "7"}), Ok(json!({"a": "7"})));
    check(schema, json!({"a": true}), Ok(json!({"a": "true"})));
}

#[test]
fn all_choices_are_named_however_they_are_written() {
    let one_of = json!({"oneOf": [{"const": "UP"}, {"const": "DOWN"}]});
    let schema = json!({"properties": {"a": one_of}});
    check(schema.clone(), json!({"a": "down"}), Ok(json!({"a": "DOWN"})));
    check(schema, json!({"a": "left"}), Err(&["'a' must be one of UP, DOWN, not 'left'"]));
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    check(json!({"$ref": "#"}), json!({}), Err(&["the value nests too deeply"]));
    let twice = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {"type": "string"}}});
    check(twice, json!({"a": 1}), Err(&["the value nests too deeply"]));
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6f64..1e6).prop_map(Value::from),
        (-9i64..9).prop_map(|n| json!(n as f64)),
        "(true|false|UP|up| ?[0-9]{1,3}(\\.[0-9])? ?|[a-z]{0,3})".prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec!["string", "integer", "number", "boolean", "null"]);
    let leaf = prop_oneof![
        kind.clone().prop_map(|kind| json!({ "type": kind })),
        (kind.clone(), kind).prop_map(|(a, b)| json!({ "type": [a, b] })),
        Just(json!({ "enum": ["UP", "Down", 5, null] })),
        Just(json!({ "oneOf": [{ "const": "UP" }, { "const": 7 }] })),
        Just(json!({})),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| json!({ "anyOf": parts })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            (prop::collection::btree_map("[abc]", inner, 0..3), any::<bool>()).prop_map(
                |(properties, sealed)| {
                    let required: Vec<&String> = properties.keys().take(1).collect();
                    json!({
                        "type": "object",
                        "required": required,
                        "additionalProperties": !sealed,
                        "properties": properties,
                    })
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn checking_twice_is_the_same_as_checking_once(
        properties in prop::collection::btree_map("[abc]", any_schema(), 0..3),
        args in prop::collection::btree_map("[abcd]", value(), 0..4),
    ) {
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let mut once: Map<String, Value> = args.into_iter().collect();
        let problems = validate(&schema, &mut once, Tokens::None);
        let mut twice = once.clone();
        prop_assert_eq!(validate(&schema, &mut twice, Tokens::None), problems);
        prop_assert_eq!(twice, once);
    }
}
