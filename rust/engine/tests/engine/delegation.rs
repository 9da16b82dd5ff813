//! Tools that return calls instead of acting.

use serde_json::json;
use trailblaze_engine::dispatch::Output;
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::{EventKind, Via};
use trailblaze_model::failure::FailureKind;
use trailblaze_model::flags::ToolFlags;

use crate::support::{World, delegates_to, delegating, function, map};

const SHOP: &str = "Sign In @0,0,100,100\nPay @0,100,100,200";

#[test]
fn delegates_are_run_and_recorded_instead_of_the_tool() {
    let world = World::with(SHOP, |setup| {
        setup.tools.push(delegates_to("acme_tapAt", delegating(), &[("tap", json!({ "text": "Pay" }))]));
    });
    world.call("acme_tapAt", json!({ "x": 1 })).unwrap();
    assert_eq!(world.actions(), ["tap 50 150"]);
    assert_eq!(world.recorded(), [r#"tap {"text":"Pay"}"#]);
    let via = world.pick(|kind| match kind {
        EventKind::ToolStarted { tool, via, parent, .. } => Some((tool.clone(), *via, *parent)),
        _ => None,
    });
    assert_eq!(
        via,
        [("acme_tapAt".to_owned(), Via::Trail, None), ("tap".to_owned(), Via::Delegate, Some(1))]
    );
}

#[test]
fn delegates_of_delegates_are_recorded() {
    let world = World::with(SHOP, |setup| {
        let flow = [("acme_login", json!({})), ("acme_checkout", json!({}))];
        let login = [("tap", json!({ "text": "Sign In" })), ("pressKey", json!({ "keyCode": "ENTER" }))];
        setup.tools.push(delegates_to("acme_flow", delegating(), &flow));
        setup.tools.push(delegates_to("acme_login", delegating(), &login));
        setup.tools.push(delegates_to("acme_checkout", delegating(), &[("tap", json!({ "text": "Pay" }))]));
    });
    world.call("acme_flow", json!({})).unwrap();
    assert_eq!(world.actions(), ["tap 50 50", "key ENTER", "tap 50 150"]);
    assert_eq!(
        world.recorded(),
        [r#"tap {"text":"Sign In"}"#, r#"pressKey {"keyCode":"ENTER"}"#, r#"tap {"text":"Pay"}"#]
    );
}

#[test]
fn a_recordable_tool_that_returns_delegates_counts_as_delegating() {
    let world = World::with(SHOP, |setup| {
        setup.tools.push(delegates_to(
            "acme_pay",
            ToolFlags::default(),
            &[("tap", json!({ "text": "Pay" }))],
        ));
    });
    world.call("acme_pay", json!({})).unwrap();
    assert_eq!(world.recorded(), [r#"tap {"text":"Pay"}"#]);
}

#[test]
fn a_delegating_tool_without_delegates_leaves_nothing_behind_unless_it_is_recordable() {
    let both = ToolFlags { is_recordable: true, ..delegating() };
    let world = World::with(SHOP, |setup| {
        setup.tools.push(delegates_to("acme_idle", delegating(), &[]));
        setup.tools.push(delegates_to("acme_both", both, &[]));
    });
    world.call("acme_idle", json!({})).unwrap();
    world.call("acme_both", json!({})).unwrap();
    assert_eq!(world.recorded(), ["acme_both {}"]);
}

#[test]
fn a_delegate_that_fails_fails_the_call_and_stops_the_rest() {
    let calls =
        [("tap", json!({ "text": "Pay" })), ("tap", json!({ "text": "Nowhere" })), ("pressHome", json!({}))];
    let world = World::with(SHOP, |setup| setup.tools.push(delegates_to("acme_flow", delegating(), &calls)));
    let failure = world.failure("acme_flow", json!({}));
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert_eq!(world.actions(), ["tap 50 150"]);
    assert_eq!(world.recorded(), [r#"tap {"text":"Pay"}"#]);
    let results = world.pick(|kind| match kind {
        EventKind::ToolFinished { tool, result, .. } => Some(format!("{tool} {result}")),
        _ => None,
    });
    assert_eq!(results, ["tap Success", "tap ExceptionThrown", "acme_flow ExceptionThrown"]);
}

#[test]
fn delegates_in_a_circle_are_stopped() {
    let world = World::with(SHOP, |setup| {
        setup.tools.push(delegates_to("acme_a", delegating(), &[("acme_b", json!({}))]));
        setup.tools.push(delegates_to("acme_b", delegating(), &[("acme_a", json!({}))]));
    });
    let failure = world.failure("acme_a", json!({}));
    assert_eq!(failure.kind, FailureKind::TooDeep);
    assert_eq!(failure.message, "tools call each other in a circle: acme_a → acme_b → acme_a");
}

#[test]
fn an_unknown_delegate_fails_the_call() {
    let world = World::with(SHOP, |setup| {
        setup.tools.push(delegates_to("acme_flow", delegating(), &[("acme_gone", json!({}))]));
    });
    assert_eq!(world.failure("acme_flow", json!({})).kind, FailureKind::UnknownTool);
}

#[test]
fn a_delegating_tool_may_look_but_not_act() {
    let world = World::with(SHOP, |setup| {
        setup.tools.push(function("acme_tap", delegating(), |args, context| {
            let call = ToolCall::new(args["tool"].as_str().unwrap(), map(json!({ "text": "Pay" })));
            let output = context.dispatch(&call, Via::Callback, None)?;
            let delegate = ToolCall::new("pressHome", map(json!({})));
            Ok(Output { delegates: vec![delegate], ..output })
        }));
        setup.tools.push(function("acme_direct", delegating(), |_, context| {
            context.commands().press_back()?;
            Ok(Output::default())
        }));
    });
    world.call("acme_tap", json!({ "tool": "isVisible" })).unwrap();
    assert_eq!(world.actions(), ["home"]);
    for (tool, args) in [("acme_tap", json!({ "tool": "tap" })), ("acme_direct", json!({}))] {
        let failure = world.failure(tool, args);
        assert_eq!(failure.kind, FailureKind::Exception);
        assert_eq!(failure.message, "a tool that delegates may only look at the screen, not act itself");
    }
    assert_eq!(world.actions(), ["home"]);
}

#[test]
fn a_tool_that_acted_cannot_delegate_as_well() {
    let world = World::with(SHOP, |setup| {
        setup.tools.push(function("acme_mixed", ToolFlags::default(), |_, context| {
            context.commands().press_back()?;
            Ok(Output { delegates: vec![ToolCall::new("pressHome", map(json!({})))], ..Output::default() })
        }));
    });
    let failure = world.failure("acme_mixed", json!({}));
    assert!(failure.message.contains("after it had acted itself"), "{failure}");
    assert_eq!(world.actions(), ["back"]);
}
