//! Touches without a finger, and with several.

use super::*;

/// Nodes 1 to 5: one with a place, one without, one that is no button, one that is disabled, one for long clicks only.
fn buttons(handlers: &str) -> Sim {
    Sim::app(&format!(
        "initialState: '', render: (s) => ({{ text: s, children: [
           {{ resourceId: 'placed', isClickable: true, isLongClickable: true, mine: 7, bounds: [0, 0, 100, 50] }},
           {{ resourceId: 'nowhere', isClickable: true, isLongClickable: true, mine: 8 }},
           {{ resourceId: 'label', bounds: [0, 0, 100, 50] }},
           {{ resourceId: 'off', isClickable: true, isLongClickable: true, isEnabled: false, bounds: [0, 0, 9, 9] }},
           {{ resourceId: 'long', isLongClickable: true }}] }}),
         on: {{ {handlers} }}"
    ))
}

const TOUCHED: &str = "(s, e) => [e.type, e.id, e.node.mine, e.x, e.y, e.durationMs].join(' ')";

#[test]
fn a_click_reaches_the_node_also_without_a_place() {
    let sim = buttons(&format!("tap: {TOUCHED}, longPress: {TOUCHED}"));
    for (action, expected) in [
        (Action::Click { node: 1 }, "tap placed 7 50 25 "),
        (Action::Click { node: 2 }, "tap nowhere 8 0 0 "),
        (Action::LongClick { node: 1 }, "longPress placed 7 50 25 500"),
        (Action::LongClick { node: 2 }, "longPress nowhere 8 0 0 500"),
        (Action::LongClick { node: 5 }, "longPress long  0 0 500"),
    ] {
        sim.act(action);
        assert_eq!(sim.text(), expected);
    }
}

#[test]
fn what_does_not_take_an_action_refuses_it() {
    let sim = buttons("tap: () => 'never', longPress: () => 'never'");
    let takes_none = "the element takes no such action";
    for (action, message) in [
        (Action::Click { node: 3 }, takes_none),
        (Action::Click { node: 4 }, takes_none),
        (Action::Click { node: 5 }, takes_none),
        (Action::LongClick { node: 3 }, takes_none),
        (Action::LongClick { node: 4 }, takes_none),
        (Action::Click { node: 99 }, "the element is gone"),
        (Action::LongClick { node: 99 }, "the element is gone"),
        (Action::ShowOnScreen { node: 1 }, "nothing scrolls by itself here"),
    ] {
        let failure = sim.fail(action);
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Refused, message));
    }
    assert_eq!(sim.text(), "");
}

#[test]
fn a_click_on_an_icon_of_the_launcher_starts_the_app() {
    let sim = Sim::load("export const app = { id: 'a', render: () => ({ text: 'started' }) }").unwrap();
    let icon = sim.screen().nodes().position(|node| node.text() == Some("a")).unwrap();
    sim.act(Action::Click { node: icon as u32 });
    assert_eq!(sim.text(), "started");
}

fn finger(points: &[(i32, i32)]) -> Finger {
    Finger { points: points.to_vec(), start_ms: 0, duration_ms: 400 }
}

#[track_caller]
fn check(handlers: &str, fingers: &[Finger], expected: &str) {
    let sim = Sim::logging(handlers);
    sim.act(Action::Fingers { fingers: fingers.to_vec() });
    assert_eq!(sim.text(), expected);
}

#[test]
fn fingers_reach_the_app_as_a_gesture() {
    let gesture = "['gesture', (e) => [e.id, e.x, e.y, JSON.stringify(e.fingers)]]";
    let one = [finger(&[(50, 60), (50, 90), (10, 90)])];
    let moved = r#"[{"points":[[50,60],[50,90],[10,90]],"startMs":0,"durationMs":400}]"#;
    check(&format!("[{gesture}]"), &one, &format!("gesture:b,50,60,{moved}"));
    let three = [finger(&[(10, 10)]), finger(&[(20, 20)]), finger(&[(30, 30)])];
    check("[['gesture', (e) => e.fingers.length]]", &three, "gesture:3");
    let two = [finger(&[(40, 50), (20, 50)]), finger(&[(60, 50), (80, 50)])];
    check("[['gesture', (e) => e.fingers.length], ['pinch', (e) => e.scale]]", &two, "gesture:2");
}

#[test]
fn two_fingers_are_a_pinch_for_an_app_that_knows_no_more() {
    let pinch = "[['pinch', (e) => [e.id, e.x, e.y, e.scale]]]";
    check(pinch, &[finger(&[(40, 50), (20, 50)]), finger(&[(60, 50), (80, 50)])], "pinch:b,50,50,3");
    check(pinch, &[finger(&[(50, 0), (50, 40)]), finger(&[(50, 100), (50, 60)])], "pinch:b,50,50,0.2");
    check(pinch, &[finger(&[(50, 50)]), finger(&[(60, 50)])], "");
    check(pinch, &[finger(&[(10, 10), (20, 20)])], "");
}

#[test]
fn a_pinch_is_at_the_middle_of_the_screen_or_where_it_is_said() {
    let sim = Sim::logging("[['pinch', (e) => [e.id, e.x, e.y, e.scale]]]");
    sim.act(Action::Pinch { scale: 2.0, at: None });
    sim.act(Action::Pinch { scale: 0.5, at: Some((50, 60)) });
    assert_eq!(sim.text(), "pinch:,540,1200,2 pinch:b,50,60,0.5");
}
