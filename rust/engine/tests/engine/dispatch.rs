//! The one door: arguments, deadlines, depth, events.

use serde_json::{Value, json};
use trailblaze_engine::dispatch::{Frame, MAX_DEPTH, Output, dispatch};
use trailblaze_engine::session::Options;
use trailblaze_model::event::{EventKind, Via};
use trailblaze_model::failure::FailureKind;
use trailblaze_model::flags::ToolFlags;

use crate::support::{World, function, trail_file};

#[test]
fn a_call_without_a_required_argument_names_it() {
    let world = World::new("");
    let failure = world.failure("inputText", json!({}));
    assert_eq!(failure.kind, FailureKind::MissingRequiredArgs);
    assert_eq!(failure.kind.variant(), "MissingRequiredArgs");
    assert_eq!(failure.message, "'inputText' needs 'text'");
}

#[test]
fn a_call_without_several_required_arguments_names_them_all() {
    let world = World::new("");
    let failure = world.failure("dragByPoints", json!({ "startX": 1, "endY": null }));
    assert_eq!(failure.kind, FailureKind::MissingRequiredArgs);
    assert_eq!(failure.message, "'dragByPoints' needs 'startY', 'endX' and 'endY'");
    let extras =
        json!({ "action": "a", "componentPackage": "p", "componentClass": "c", "extras": [{ "key": "k" }] });
    assert_eq!(
        world.failure("android_sendBroadcast", extras).message,
        "'android_sendBroadcast' needs 'extras.0.value'"
    );
    assert_eq!(world.actions(), [""; 0]);
}

#[test]
fn a_value_of_the_wrong_type_says_where_and_what() {
    #[track_caller]
    fn check(tool: &str, args: Value, expected: &str) {
        let world = World::new("");
        let failure = world.failure(tool, args);
        assert_eq!(failure.kind, FailureKind::InvalidArguments);
        assert_eq!(failure.message, expected);
        assert_eq!(world.actions(), [""; 0], "nothing may happen before");
    }
    check(
        "tapOnPoint",
        json!({ "x": "left", "y": 1 }),
        "'tapOnPoint': 'x' must be a whole number, not 'left'",
    );
    check("inputText", json!({ "text": ["a"] }), "'inputText': 'text' must be a text, not a list");
    check(
        "android_grantPermissions",
        json!({ "appId": "a", "permissions": ["a", {}] }),
        "'android_grantPermissions': 'permissions.1' must be a text, not a mapping",
    );
    check(
        "launchApp",
        json!({ "appId": "a", "launchMode": "COLD" }),
        "'launchApp': 'launchMode' must be one of REINSTALL, RESUME, FORCE_RESTART, not 'COLD'",
    );
    check(
        "swipe",
        json!({ "direction": "sideways" }),
        "'swipe': 'direction' must be one of UP, DOWN, LEFT, RIGHT, not 'sideways'",
    );
    check(
        "inputTextRandom",
        json!({ "variable": "v", "digitCount": 0 }),
        "'inputTextRandom': 'digitCount' must be at least 1",
    );
    check("exec", json!({ "argv": [] }), "'exec': 'argv' must have at least 1 entries");
    check(
        "tapOnPoint",
        json!({ "x": 1, "y": 1, "z": 1, "longPress": "maybe" }),
        "'tapOnPoint': there is no argument 'z'; 'longPress' must be true or false, not 'maybe'",
    );
}

#[test]
fn a_wrong_value_in_a_document_is_reported_at_its_place() {
    let trail =
        trail_file("- tools:\n    - tapOnPoint:\n        x: 1\n        y: low\n    - inputText: {}\n");
    let world = World::new("");
    let calls: Vec<_> = trail.steps[0].recording.all_calls().collect();
    let place = |index: usize| {
        let failure = dispatch(&world.session, calls[index], &Frame::top(&world.session)).unwrap_err();
        failure.at.unwrap().to_string()
    };
    assert_eq!(place(0), "trails/own.trail.yaml:4:12");
    assert_eq!(place(1), "trails/own.trail.yaml:5:7", "what is missing belongs to the call");
}

#[test]
fn a_failure_inside_of_a_built_in_tool_stands_where_the_user_calls_it() {
    let trail = trail_file("- tools:\n    - eraseText: {}\n    - own_clear: {}\n    - pressBack: {}\n");
    let world = World::with("Go @0,0,100,100", |setup| {
        setup.yaml("id: own_clear\ndescription: d\nparameters: []\ntools:\n  - eraseText: {}\n");
        setup.phone.fails("back", FailureKind::Device, "the cable was pulled");
    });
    let calls: Vec<_> = trail.steps[0].recording.all_calls().collect();
    let failure = |index: usize| {
        let failure = dispatch(&world.session, calls[index], &Frame::top(&world.session)).unwrap_err();
        format!("{} {}", failure.at.unwrap(), failure.message)
    };
    assert_eq!(failure(0), "trails/own.trail.yaml:2:7 no field has the focus");
    assert_eq!(failure(1), "tools/own.yaml:5:5 no field has the focus");
    assert_eq!(failure(2), "trails/own.trail.yaml:4:7 the cable was pulled");
    assert!(world.lines().iter().all(|line| !line.contains("trailblaze-config")));
}

#[test]
fn a_point_outside_of_the_screen_is_refused() {
    let world = World::new("Go @0,0,100,100");
    for (tool, x, y) in [("tapOnPoint", -5, 10), ("tapOnPoint", 10, 99_999), ("tap", 400, 0), ("tap", 0, 800)]
    {
        let failure = world.failure(tool, json!({ "x": x, "y": y }));
        assert_eq!(failure.kind, FailureKind::InvalidArguments);
        assert_eq!(
            failure.message,
            format!("the point {x},{y} lies outside of the screen, which is 400 x 800")
        );
    }
    assert_eq!(world.actions(), [""; 0]);
    world.call("tap", json!({ "x": 399, "y": 799 })).unwrap();
    world.call("tapOnPoint", json!({ "x": 0, "y": 0 })).unwrap();
    assert_eq!(world.actions(), ["tap 399 799", "tap 0 0"]);
}

#[test]
fn scalars_are_brought_to_the_type_of_the_argument() {
    let world = World::new("7 @0,0,100,100");
    world.call("tapOnPoint", json!({ "x": "10", "y": 20.0, "longPress": "true" })).unwrap();
    world.call("assertVisibleWithText", json!({ "text": 7 })).unwrap();
    world.call("swipe", json!({ "direction": "up" })).unwrap();
    assert_eq!(world.actions(), ["longPress 10 20 500", "swipe 200 400 200 80 400"]);
}

#[test]
fn nothing_is_the_same_as_leaving_an_argument_out() {
    let world = World::new("");
    world.call("swipe", json!({ "direction": null, "swipeOnElementText": null })).unwrap();
    assert_eq!(world.actions(), ["swipe 200 400 200 720 400"]);
}

#[test]
fn the_reasons_of_models_have_no_effect() {
    let world = World::new("");
    world.call("pressHome", json!({ "reason": "why not", "reasoning": "because" })).unwrap();
    assert_eq!(world.actions(), ["home"]);
}

#[test]
fn an_unknown_tool_fails_when_it_is_called() {
    let world = World::new("");
    let failure = world.failure("tapOnElementWithTxt", json!({ "any": ["thing"] }));
    assert_eq!(failure.kind.variant(), "UnknownTool");
    assert_eq!(failure.hint.as_deref(), Some("did you mean 'tapOnElementWithText'?"));
    let failure = world.failure("rememberText", json!({}));
    assert_eq!(failure.kind, FailureKind::NotSupported);
}

#[test]
fn every_call_is_an_event_with_its_arguments_result_and_parent() {
    let world = World::with("Go @0,0,100,100", |setup| {
        setup.memory.set("who", "Go");
        setup.yaml("id: own_go\ndescription: d\nparameters: []\ntools: [{ tap: { text: '${who}' } }]\n");
    });
    world.call("own_go", json!({})).unwrap();
    let started = world.pick(|kind| match kind {
        EventKind::ToolStarted { call, parent, tool, args, via } => {
            Some((*call, *parent, tool.clone(), Value::Object(args.clone()), *via))
        }
        _ => None,
    });
    assert_eq!(
        started,
        [
            (1, None, "own_go".to_owned(), json!({}), Via::Trail),
            (2, Some(1), "tap".to_owned(), json!({ "text": "Go" }), Via::Expansion),
        ]
    );
    let names: Vec<String> = world
        .events()
        .iter()
        .map(|event| {
            let line = serde_json::to_value(&event.kind).unwrap();
            format!("{} {}", line["event"].as_str().unwrap(), line["result"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        names,
        [
            "toolStarted ",
            "toolStarted ",
            "device ",
            "toolFinished Success",
            "recorded ",
            "toolFinished Success"
        ]
    );
}

#[test]
fn a_failure_is_in_the_event_with_its_variant() {
    let world = World::new("");
    world.failure("maestro", json!({ "commands": ["fly"] }));
    let finished = world.pick(|kind| match kind {
        EventKind::ToolFinished { result, failure, .. } => Some((*result, failure.clone().unwrap().message)),
        _ => None,
    });
    assert_eq!(finished, [("MaestroValidationError", "unknown Maestro command 'fly'".to_owned())]);
}

#[test]
fn a_wait_ends_with_the_deadline_of_the_call() {
    let world = World::with("", |setup| setup.options.call_timeout_ms = 2_000);
    let failure = world.failure("waitUntilVisible", json!({ "text": "never", "timeoutMs": 60_000 }));
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(failure.message, "the tool call took longer than 2 s");
    assert_eq!(world.session.now_ms(), 3_000);
}

#[test]
fn calls_inside_of_a_call_share_its_deadline() {
    let world = World::with("", |setup| {
        setup.options = Options { call_timeout_ms: 800, ..Options::default() };
        setup.phone.moves = Some((0, u64::MAX));
        setup.yaml("id: own_go\ndescription: d\nparameters: []\ntools: [{ wait: {} }, { pressHome: {} }]\n");
    });
    let failure = world.failure("own_go", json!({}));
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(world.actions(), [""; 0]);
    assert_eq!(world.session.now_ms(), 1_800);
    world.call("assertEquals", json!({ "actual": 1, "expected": 1 })).unwrap();
}

#[test]
fn the_device_knows_how_long_a_call_may_take() {
    let world = World::with("", |setup| {
        setup.options = Options { call_timeout_ms: 8_000, ..Options::default() };
        setup.phone.takes = (0, 500);
        setup.yaml("id: own_go\ndescription: d\nparameters: []\ntools: [{ pressHome: {} }]\n");
    });
    world.call("own_go", json!({})).unwrap();
    let told = world.phone.times_left.lock().unwrap();
    let [outer, inner, after, end] = told[..] else { panic!("{told:?}") };
    assert_eq!((outer, inner, end), (Some(8_000), Some(8_000), None));
    // What the inner call took is missing to the outer one.
    assert!(after.is_some_and(|left| left <= 7_500), "{after:?}");
}

#[test]
fn a_wait_ends_when_the_run_is_interrupted() {
    let cancel = std::sync::Arc::new(std::sync::Mutex::new(None::<trailblaze_engine::host::Cancel>));
    let inner = cancel.clone();
    let world = World::with("", |setup| {
        setup.phone.on_capture = Some(Box::new(move |now| {
            if now >= 2_000 {
                inner.lock().unwrap().as_ref().unwrap().cancel();
            }
        }));
    });
    *cancel.lock().unwrap() = Some(world.session.cancel.clone());
    let failure = world.failure("waitUntilVisible", json!({ "text": "never", "timeoutMs": 60_000 }));
    assert_eq!(failure.kind, FailureKind::Interrupted);
    assert!(world.session.now_ms() <= 2_100);
    assert_eq!(world.failure("pressHome", json!({})).kind, FailureKind::Interrupted);
    assert_eq!(world.actions(), [""; 0]);
}

#[test]
fn settling_ends_when_the_run_is_interrupted() {
    let world = World::with("", |setup| setup.phone.moves = Some((0, u64::MAX)));
    let cancel = world.session.cancel.clone();
    world.call("pressHome", json!({})).unwrap();
    assert_eq!(world.session.now_ms(), 2_600, "events that change nothing are not waited for to the end");
    cancel.cancel();
    assert_eq!(world.failure("wait", json!({})).kind, FailureKind::Interrupted);
    assert_eq!(world.session.now_ms(), 2_600);
}

#[test]
fn calls_nest_sixteen_deep_and_no_deeper() {
    let body = |target: u64| {
        function("own_nest", ToolFlags::default(), move |args, context| {
            let left = args["left"].as_u64().unwrap();
            if left == target {
                return Ok(Output::message("bottom"));
            }
            let call = trailblaze_model::call::ToolCall::new(
                "own_nest",
                crate::support::map(json!({ "left": left - 1 })),
            );
            context.dispatch(&call, Via::Callback, None)
        })
    };
    let world = World::with("", |setup| setup.tools.push(body(1)));
    let deepest = MAX_DEPTH as u64;
    assert_eq!(world.call("own_nest", json!({ "left": deepest })).unwrap().message, "bottom");
    let failure = world.failure("own_nest", json!({ "left": deepest + 1 }));
    assert_eq!(failure.kind, FailureKind::TooDeep);
}

#[test]
fn tools_that_call_each_other_in_a_circle_are_stopped_and_named() {
    let world = World::with("", |setup| {
        setup.yaml("id: own_ping\ndescription: d\nparameters: []\ntools: [{ own_pong: {} }]\n");
        setup.yaml(
            "id: own_pong\ndescription: d\nparameters: []\ntools: [{ pressHome: {} }, { own_ping: {} }]\n",
        );
        setup.yaml("id: own_self\ndescription: d\nparameters: []\ntools: [{ own_self: {} }]\n");
    });
    let failure = world.failure("own_ping", json!({}));
    assert_eq!(failure.kind, FailureKind::TooDeep);
    assert_eq!(failure.message, "tools call each other in a circle: own_ping → own_pong → own_ping");
    let failure = world.failure("own_self", json!({}));
    assert_eq!(failure.message, "tools call each other in a circle: own_self → own_self");
}

#[test]
fn lines_of_the_app_are_events() {
    let world = World::new("");
    world.phone.logs("started");
    world.call("pressHome", json!({})).unwrap();
    let logs = world.pick(|kind| match kind {
        EventKind::Log { source, message, .. } => Some(format!("{source}: {message}")),
        _ => None,
    });
    assert_eq!(logs, ["app: started"]);
}
