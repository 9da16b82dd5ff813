//! Variables: parameters, memory and the arguments of a trail.

use serde_json::{Value, json};
use trailblaze_engine::dispatch::Output;
use trailblaze_model::failure::FailureKind;
use trailblaze_model::flags::ToolFlags;

use crate::support::{Setup, World, function};

const FIELD: &str = "old @0,0,100,100 isFocused isEditable";

/// A tool that says which arguments arrived.
fn echo(setup: &mut Setup) {
    setup.tools.push(function("own_echo", ToolFlags::default(), |args, _| {
        Ok(Output::message(Value::Object(args).to_string()))
    }));
    setup.tools.push(function("own_remember", ToolFlags::default(), |args, context| {
        for (name, value) in args {
            context.session.memory.set(&name, value.as_str().unwrap());
        }
        Ok(Output::default())
    }));
}

/// What `own_echo` was called with inside of tools made of YAML.
fn echoes(world: &World) -> Vec<Value> {
    world.pick(|kind| match kind {
        trailblaze_model::event::EventKind::ToolFinished { tool, message, .. } if tool == "own_echo" => {
            Some(serde_json::from_str(message).unwrap())
        }
        _ => None,
    })
}

#[track_caller]
fn check_body(parameters: &str, body: &str, args: Value, expected: Value) {
    let world = World::with("", |setup| {
        echo(setup);
        setup.memory.set("city", "Rome");
        setup.memory.set("count", "remembered");
        setup.yaml(&format!(
            "id: own_tool\ndescription: d\nparameters: [{parameters}]\ntools: [{{ own_echo: {body} }}]\n"
        ));
    });
    world.call("own_tool", args).unwrap();
    assert_eq!(echoes(&world), [expected]);
}

const COUNT: &str = "{ name: count, type: integer, required: false }";

#[test]
fn a_parameter_as_a_whole_value_keeps_its_type() {
    check_body(COUNT, "{ n: '{{count}}' }", json!({ "count": 3 }), json!({ "n": 3 }));
    check_body(COUNT, "{ n: '{{params.count}}' }", json!({ "count": "3" }), json!({ "n": 3 }));
    let flag = "{ name: on, type: boolean, required: true }";
    check_body(flag, "{ list: ['{{on}}'] }", json!({ "on": true }), json!({ "list": [true] }));
}

#[test]
fn a_parameter_inside_of_a_text_is_spliced() {
    check_body(COUNT, "{ n: 'row {{count}}, {{count}}' }", json!({ "count": 3 }), json!({ "n": "row 3, 3" }));
}

#[test]
fn an_omitted_parameter_is_null_or_empty_or_its_default() {
    check_body(
        COUNT,
        "{ n: '{{count}}', m: 'row {{count}}!' }",
        json!({}),
        json!({ "n": null, "m": "row !" }),
    );
    let default = "{ name: count, type: integer, required: false, default: 7 }";
    check_body(default, "{ n: '{{count}}' }", json!({}), json!({ "n": 7 }));
    check_body(default, "{ n: '{{count}}' }", json!({ "count": null }), json!({ "n": 7 }));
}

#[test]
fn a_question_mark_drops_the_key_of_an_omitted_parameter() {
    check_body(
        COUNT,
        "{ n: '{{?count}}', deep: { m: ['{{?count}}', 1] } }",
        json!({}),
        json!({ "deep": { "m": [1] } }),
    );
    check_body(COUNT, "{ n: '{{?count}}' }", json!({ "count": 3 }), json!({ "n": 3 }));
}

#[test]
fn a_declared_parameter_shadows_memory_of_the_same_name_even_when_it_is_omitted() {
    check_body(COUNT, "{ n: '{{count}}' }", json!({ "count": 3 }), json!({ "n": 3 }));
    check_body(COUNT, "{ n: '{{count}}' }", json!({}), json!({ "n": null }));
    check_body(COUNT, "{ n: '${count}' }", json!({ "count": 3 }), json!({ "n": "remembered" }));
    check_body(COUNT, "{ n: '{{memory.count}}' }", json!({ "count": 3 }), json!({ "n": "remembered" }));
}

#[test]
fn parameters_are_seen_in_their_own_body_only() {
    let world = World::with("", |setup| {
        echo(setup);
        setup.memory.set("count", "remembered");
        setup.yaml(&format!(
            "id: own_outer\ndescription: d\nparameters: [{COUNT}]\ntools: [{{ own_inner: {{}} }}]\n"
        ));
        setup.yaml(
            "id: own_inner\ndescription: d\nparameters: []\ntools: [{ own_echo: { n: '{{count}}' } }]\n",
        );
    });
    world.call("own_outer", json!({ "count": 3 })).unwrap();
    assert_eq!(echoes(&world), [json!({ "n": "remembered" })]);
}

#[test]
fn every_spelling_of_memory_means_the_same() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let world = World::with("", |setup| {
            echo(setup);
            setup.memory.set("city", "Rome");
            setup.memory.set("memory.odd", "odd");
        });
        let output = world.call("own_echo", json!({ "deep": [{ "text": text }] })).unwrap();
        assert_eq!(output.message, json!({ "deep": [{ "text": expected }] }).to_string());
    }
    check("${city}", "Rome");
    check("{{city}}", "Rome");
    check("${memory.city}", "Rome");
    check("{{ memory.city }}", "Rome");
    check("to {{city}} and ${city}", "to Rome and Rome");
    check("{{memory.odd}}", "odd");
}

#[test]
fn memory_is_read_when_a_call_runs_not_when_its_tool_is_expanded() {
    let world = World::with("", |setup| {
        echo(setup);
        setup.yaml(
            "id: own_tool\ndescription: d\nparameters: []\ntools:\n  - own_remember: { city: Oslo }\n  \
             - own_echo: { a: '${city}', b: '{{city}}' }\n",
        );
        setup.memory.set("city", "Rome");
    });
    world.call("own_tool", json!({})).unwrap();
    assert_eq!(echoes(&world), [json!({ "a": "Oslo", "b": "Oslo" })]);
}

#[test]
fn values_are_not_scanned_again_however_deep_they_are_passed_on() {
    let world = World::with(FIELD, |setup| {
        echo(setup);
        setup.memory.set("tricky", "${city} {{city}} {{text}}");
        setup.memory.set("city", "Rome");
        let parameter = "{ name: text, type: string, required: true }";
        setup.yaml(&format!(
            "id: own_outer\ndescription: d\nparameters: [{parameter}]\ntools: [{{ own_inner: {{ text: '{{{{text}}}}' }} }}]\n"
        ));
        setup.yaml(&format!(
            "id: own_inner\ndescription: d\nparameters: [{parameter}]\ntools:\n  \
             - own_echo: {{ text: '{{{{text}}}}' }}\n  \
             - maestro: {{ commands: [{{ inputText: '<{{{{text}}}}>' }}] }}\n"
        ));
    });
    world.call("own_outer", json!({ "text": "${tricky}" })).unwrap();
    assert_eq!(echoes(&world), [json!({ "text": "${city} {{city}} {{text}}" })]);
    assert_eq!(world.actions(), ["setText 0 old<${city} {{city}} {{text}}>"]);
    assert_eq!(world.warnings(), [""; 0]);
}

#[test]
fn an_unknown_name_stays_as_it_is_with_a_warning() {
    let world = World::with(FIELD, echo);
    let output = world.call("own_echo", json!({ "a": "${nobody} {{ nobody }}" })).unwrap();
    assert_eq!(output.message, r#"{"a":"${nobody} {{ nobody }}"}"#);
    assert_eq!(
        world.warnings(),
        [
            "'own_echo': nothing is called ${nobody}; it stays as it is",
            "'own_echo': nothing is called {{ nobody }}; it stays as it is",
        ]
    );
}

#[test]
fn an_unknown_name_is_an_error_in_a_strict_session() {
    let world = World::with(FIELD, |setup| {
        echo(setup);
        setup.options.strict = true;
    });
    let failure = world.failure("own_echo", json!({ "a": "${nobody}" }));
    assert_eq!(failure.kind, FailureKind::InvalidArguments);
    assert_eq!(failure.message, "'own_echo': nothing is called ${nobody}");
    let failure = world.failure("maestro", json!({ "commands": [{ "inputText": "${nobody}" }] }));
    assert_eq!(failure.message, "'maestro': nothing is called ${nobody}");
    assert_eq!(world.actions(), [""; 0]);
}

#[test]
fn arguments_of_the_trail_keep_their_type_or_are_spliced() {
    #[track_caller]
    fn check(text: &str, expected: Result<Value, &str>) {
        let world = World::with("", |setup| {
            echo(setup);
            setup.args = json!({ "n": 5, "who": "Ada", "list": [1], "map": { "x": { "y": true } } });
        });
        let actual = world.call("own_echo", json!({ "a": text }));
        let actual = actual.map(|output| serde_json::from_str::<Value>(&output.message).unwrap()["a"].take());
        assert_eq!(actual.map_err(|failure| failure.message), expected.map_err(str::to_owned));
    }
    check("{{args.n}}", Ok(json!(5)));
    check("{{args.who}} has {{args.n}}", Ok(json!("Ada has 5")));
    check("{{args.map.x.y}}", Ok(json!(true)));
    check("{{args.list}}", Ok(json!("{{args.list}}")));
    check("{{args.map.x}}", Ok(json!("{{args.map.x}}")));
    check("{{args.none}}", Err("'own_echo': the trail declares no argument 'none'"));
    check("{{args.map.z}}", Err("'own_echo': the argument 'map' has no 'z'"));
    check(
        "{{args.n + 1}}",
        Err("'own_echo': {{args.n + 1}} is an expression; only names with dots are allowed"),
    );
}

#[test]
fn a_list_as_an_argument_of_the_trail_stays_with_a_warning() {
    let world = World::with("", |setup| {
        echo(setup);
        setup.args = json!({ "list": [1] });
    });
    world.call("own_echo", json!({ "a": "{{args.list}}" })).unwrap();
    assert_eq!(
        world.warnings(),
        ["'own_echo': {{args.list}} is a list or a mapping, which has no text; it stays as it is"]
    );
}

#[test]
fn maestro_commands_read_memory_one_by_one() {
    let world =
        World::with("P-1009 @0,0,100,50 id=title\nold @0,100,100,150 isFocused isEditable", |setup| {
            setup.memory.set("maestro.copiedText", "stale");
        });
    let commands = json!([{ "copyTextFrom": { "id": "title" } }, { "inputText": "<${maestro.copiedText}>" }]);
    world.call("maestro", json!({ "commands": commands })).unwrap();
    assert_eq!(world.actions(), ["setText 1 old<P-1009>"]);
    assert_eq!(world.warnings(), [""; 0]);
}

#[test]
fn parameters_reach_into_maestro_commands_with_their_types() {
    let world = World::with(FIELD, |setup| {
        setup.memory.set("count", "9");
        setup.yaml(&format!(
            "id: own_tool\ndescription: d\nparameters: [{COUNT}]\ntools:\n  - maestro:\n      commands:\n        \
             - eraseText: {{ charactersToErase: '{{{{count}}}}' }}\n        \
             - tapOn: {{ point: '1,2', repeat: '{{{{?count}}}}' }}\n"
        ));
    });
    world.call("own_tool", json!({ "count": 2 })).unwrap();
    assert_eq!(world.actions(), ["eraseText 2", "tap 1 2", "tap 1 2"]);
    world.call("own_tool", json!({})).unwrap();
    assert_eq!(
        world.actions()[3..],
        ["eraseText 1", "tap 1 2"],
        "null erases all that is left, a dropped key is absent"
    );
}

#[test]
fn erase_text_passes_what_is_omitted_on_as_null() {
    let world = World::new(FIELD);
    world.call("eraseText", json!({})).unwrap();
    world.call("eraseText", json!({ "charactersToErase": 2 })).unwrap();
    assert_eq!(world.actions(), ["eraseText 3", "eraseText 2"]);
}

#[test]
fn the_app_of_the_target_has_a_name() {
    let world = World::with("", echo);
    let output = world.call("own_echo", json!({ "a": "{{target.appId}}" })).unwrap();
    assert_eq!(output.message, r#"{"a":"com.example.app"}"#);
}
