//! What belongs into a recording.

use serde_json::{Value, json};
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::Via;
use trailblaze_model::failure::FailureKind;
use trailblaze_model::flags::ToolFlags;

use crate::support::{World, delegates_to, delegating, function, map};

const FIELD: &str = "old @0,0,100,100 isFocused isEditable";

#[test]
fn a_call_is_recorded_as_it_was_written() {
    let world = World::with(FIELD, |setup| {
        setup.memory.set("who", "Ada");
        setup.args = json!({ "n": 5 });
    });
    world.call("inputText", json!({ "text": "${who} {{args.n}}", "reason": "to see" })).unwrap();
    assert_eq!(world.actions(), ["setText 0 oldAda 5"]);
    assert_eq!(world.recorded(), [r#"inputText {"text":"${who} {{args.n}}","reason":"to see"}"#]);
}

#[test]
fn a_yaml_tool_is_recorded_as_called_and_its_calls_stand_below_it() {
    let world = World::with(FIELD, |setup| {
        setup.yaml(
            "id: own_fill\ndescription: d\nparameters: [{ name: text, type: string, required: true }]\ntools:\n  \
             - clearText: {}\n  - inputText: { text: '{{text}}' }\n",
        );
    });
    world.call("own_fill", json!({ "text": "new" })).unwrap();
    assert_eq!(world.actions(), ["eraseText 3", "setText 0 new"]);
    assert_eq!(world.recorded(), [r#"own_fill {"text":"new"}"#]);
}

#[test]
fn delegates_inside_of_a_yaml_tool_are_not_recorded_a_second_time() {
    let world = World::with(FIELD, |setup| {
        setup.tools.push(delegates_to("acme_go", delegating(), &[("pressHome", json!({}))]));
        setup.yaml("id: own_go\ndescription: d\nparameters: []\ntools: [{ acme_go: {} }]\n");
    });
    world.call("own_go", json!({})).unwrap();
    assert_eq!(world.actions(), ["home"]);
    assert_eq!(world.recorded(), ["own_go {}"]);
}

#[test]
fn a_yaml_tool_as_a_delegate_is_recorded() {
    let world = World::with(FIELD, |setup| {
        setup.yaml("id: own_go\ndescription: d\nparameters: []\ntools: [{ pressHome: {} }]\n");
        setup.tools.push(delegates_to("acme_go", delegating(), &[("own_go", json!({}))]));
    });
    world.call("acme_go", json!({})).unwrap();
    assert_eq!(world.recorded(), ["own_go {}"]);
}

#[test]
fn calls_that_a_tool_makes_itself_are_events_but_no_recordings() {
    let world = World::with(FIELD, |setup| {
        setup.tools.push(function("acme_go", ToolFlags::default(), |_, context| {
            context.dispatch(&ToolCall::new("pressHome", map(json!({}))), Via::Callback, None)
        }));
    });
    world.call("acme_go", json!({})).unwrap();
    assert_eq!(world.actions(), ["home"]);
    assert_eq!(world.recorded(), ["acme_go {}"]);
}

#[test]
fn a_tool_that_cannot_be_recorded_says_so() {
    let world = World::with(FIELD, |setup| {
        let flags = ToolFlags { is_recordable: false, ..ToolFlags::default() };
        setup.tools.push(function("acme_judge", flags, |_, _| Ok(Default::default())));
    });
    world.call("acme_judge", json!({})).unwrap();
    assert_eq!(world.recorded(), ["!acme_judge"]);
}

#[test]
fn a_call_that_fails_is_not_recorded() {
    let world = World::new(FIELD);
    world.failure("tap", json!({ "text": "nowhere" }));
    assert_eq!(world.recorded(), [""; 0]);
}

#[test]
fn a_recording_replays_to_the_same_actions() {
    let make = || {
        World::with("Pay @0,0,100,100 isClickable\nold @0,100,100,200 isFocused isEditable", |setup| {
            let calls = [("tap", json!({ "text": "Pay" })), ("own_fill", json!({ "text": "${who}" }))];
            setup.tools.push(delegates_to("acme_flow", delegating(), &calls));
            setup.yaml(
                "id: own_fill\ndescription: d\nparameters: [{ name: text, type: string, required: true }]\n\
                 tools: [{ inputText: { text: '{{text}}' } }]\n",
            );
            setup.memory.set("who", "Ada");
        })
    };
    let first = make();
    first.call("acme_flow", json!({})).unwrap();
    let second = make();
    for line in first.recorded() {
        let (tool, args) = line.split_once(' ').unwrap();
        second.call(tool, serde_json::from_str::<Value>(args).unwrap()).unwrap();
    }
    assert_eq!(second.actions(), first.actions());
    assert_eq!(second.recorded(), first.recorded());
}

#[test]
fn a_trail_inside_of_a_trail_is_recorded_as_called() {
    let trail = "- tools: [{ pressHome: {} }, { pressBack: {} }]\n";
    let world = World::with(FIELD, |setup| {
        setup.host.trails.insert("other.trail.yaml".to_owned(), crate::support::trail_file(trail));
    });
    world.call("runTrail", json!({ "path": "other.trail.yaml" })).unwrap();
    assert_eq!(world.actions(), ["home", "back"]);
    assert_eq!(world.recorded(), [r#"runTrail {"path":"other.trail.yaml"}"#]);
    assert_eq!(world.failure("runTrail", json!({ "path": "none" })).kind, FailureKind::InvalidArguments);
}
