use super::*;

/// `show` is a JavaScript function from the event to what is logged.
#[track_caller]
fn check(event: &str, show: &str, action: Action, expected: &str) {
    let sim = Sim::logging(&format!("[['{event}', {show}]]"));
    sim.act(action);
    assert_eq!(sim.text(), expected);
}

const TOUCHED: &str = "(e) => [e.type, e.x, e.y, e.id, e.node?.mine]";

#[test]
fn touches_reach_the_node_with_the_apps_own_keys() {
    check("tap", TOUCHED, tap(50, 60), "tap:tap,50,60,b,7");
    check("doubleTap", TOUCHED, Action::DoubleTap { x: 50, y: 60 }, "doubleTap:doubleTap,50,60,b,7");
    check(
        "longPress",
        TOUCHED,
        Action::LongPress { x: 5, y: 6, duration_ms: 500 },
        "longPress:longPress,5,6,b,7",
    );
    check("tap", TOUCHED, tap(500, 600), "tap:tap,500,600,,");
}

#[test]
fn two_taps_stand_in_for_a_double_tap_and_nothing_for_a_long_press() {
    check("tap", "(e) => e.id", Action::DoubleTap { x: 5, y: 5 }, "tap:b tap:b");
    check("tap", "(e) => e.id", Action::LongPress { x: 5, y: 5, duration_ms: 500 }, "");
}

#[test]
fn typing_reaches_the_focused_field() {
    check("text", "(e) => e.id + e.text", Action::InputText { text: "hi ü".into() }, "text:fhi ü");
    check("erase", "(e) => e.id + e.count", Action::EraseText { count: 3 }, "erase:f3");
    check("key", "(e) => e.id + e.key", Action::Key { name: Key::DpadUp }, "key:fDPAD_UP");
}

#[test]
fn movements_say_where_the_finger_went() {
    let show = "(e) => [e.id, e.x1, e.y1, e.x2, e.y2, e.dx, e.dy, e.direction]";
    let swipe = |x1, y1, x2, y2| Action::Swipe { x1, y1, x2, y2, duration_ms: 100 };
    check("scroll", show, swipe(50, 90, 50, 10), "scroll:,50,90,50,10,0,-80,up");
    check("scroll", show, swipe(0, 0, 90, 10), "scroll:,0,0,90,10,90,10,right");
    let drag = || Action::Drag { x1: 1, y1: 2, x2: 0, y2: 9, duration_ms: 100 };
    check("drag", show, drag(), "drag:b,1,2,0,9,-1,7,down");
    check("scroll", show, drag(), "scroll:,1,2,0,9,-1,7,down");
    check("pinch", "(e) => e.scale", Action::Pinch { scale: 0.5, at: None }, "pinch:0.5");
}

#[test]
fn a_scroll_reaches_the_innermost_scrollable_node() {
    let sim = Sim::app(
        "initialState: '', on: { scroll: (s, e) => e.id }, render: (s) => ({ text: s, children: [
           { resourceId: 'outer', isScrollable: true, bounds: [0, 0, 500, 500], children: [
             { resourceId: 'inner', isScrollable: true, bounds: [0, 0, 500, 200], children: [
               { resourceId: 'row', isClickable: true, bounds: [0, 0, 500, 100] }] }] }] })",
    );
    for (y, expected) in [(50, "inner"), (400, "outer")] {
        sim.act(Action::Swipe { x1: 10, y1: y, x2: 10, y2: 0, duration_ms: 100 });
        assert_eq!(sim.text(), expected);
    }
}

#[test]
fn the_rest_reaches_the_app_too() {
    let app = || String::from("a");
    check("back", "(e) => e.node", Action::Back, "back:null");
    check("openLink", "(e) => e.link", Action::OpenLink { link: "x://y".into() }, "openLink:x://y");
    let grant = Action::GrantPermission { app_id: app(), permission: "camera".into() };
    check("permission", "(e) => e.permission + e.granted", grant, "permission:cameratrue");
    let revoke = Action::RevokePermission { app_id: app(), permission: "camera".into() };
    check("permission", "(e) => e.permission + e.granted", revoke, "permission:camerafalse");
    check("clipboard", "(e) => e.text", Action::SetClipboard { text: "c".into() }, "clipboard:c");
    check("connection", "(e) => e.connected", Action::SetConnected { connected: false }, "connection:false");
}

#[test]
fn what_was_copied_can_be_pasted() {
    let sim = Sim::logging("[['text', (e) => e.text]]");
    sim.act(Action::SetClipboard { text: "copied".into() });
    sim.act(Action::PasteClipboard);
    assert_eq!(sim.text(), "text:copied");
}

#[test]
fn a_shell_command_answers() {
    let sim = Sim::app(
        "initialState: 'before', render: (text) => ({ text }),
         on: { shell: (s, e) => e.command === 'set' ? { state: 'after' } : { output: s + '!' } }",
    );
    let shell = |command: &str| sim.act(Action::Shell { command: command.into() });
    assert_eq!(shell("get"), "before!");
    assert_eq!(shell("set"), "");
    assert_eq!(shell("get"), "after!");
    let failure = Sim::logging("[]").fail(Action::Shell { command: "ls".into() });
    assert_eq!(failure.kind, FailureKind::NotSupported);
}

#[test]
fn the_last_drawn_clickable_node_is_hit() {
    let sim = Sim::app(
        "initialState: '', on: { tap: (s, e) => e.id ?? 'none' }, render: (s) => ({ text: s, resourceId: 'root', children: [
           { resourceId: 'card', isClickable: true, bounds: [0, 0, 100, 100], children: [
             { resourceId: 'label', text: 'L', bounds: [0, 0, 50, 50] },
             { resourceId: 'off', isClickable: true, isEnabled: false, bounds: [60, 60, 90, 90] }] },
           { resourceId: 'over', isClickable: true, bounds: [0, 40, 20, 60] },
           { resourceId: 'hidden', isClickable: true, isVisibleToUser: false, bounds: [0, 0, 100, 100] },
           { resourceId: 'nowhere', isClickable: true }] })",
    );
    for (x, y, expected) in [(25, 25, "card"), (10, 50, "over"), (500, 500, "root")] {
        sim.act(tap(x, y));
        assert_eq!(sim.text(), expected);
    }
    sim.act(tap(75, 75));
    assert_eq!(sim.text(), "root", "a disabled node gets no event");
}

#[test]
fn a_dialog_takes_all_touches_and_a_toast_none() {
    let sim = Sim::app(
        "initialState: '', on: { tap: (s, e) => `${e.id} ${e.outside ?? false}` }, render: (s) => [
           { text: s, children: [{ resourceId: 'under', isClickable: true, bounds: [0, 0, 1080, 2400] }] },
           { window: 'dialog', resourceId: 'dialog', bounds: [100, 100, 500, 500] },
           { window: 'toast', resourceId: 'toast', bounds: [200, 200, 300, 300] }]",
    );
    assert_eq!(sim.windows(), [WindowKind::Application, WindowKind::Dialog, WindowKind::Toast]);
    for (at, expected) in [(250, "dialog false"), (50, "null true"), (900, "null true")] {
        sim.act(tap(at, at));
        assert_eq!(sim.text(), expected);
    }
}

#[test]
fn nothing_focused_means_nowhere_to_type() {
    let sim = Sim::app("render: () => ({ text: 'x', isFocused: true }), on: { text: () => {} }");
    for action in
        [Action::InputText { text: "a".into() }, Action::EraseText { count: 1 }, Action::PasteClipboard]
    {
        let failure = sim.fail(action);
        assert_eq!(failure.kind, FailureKind::NotFound);
        assert!(failure.message.contains("nothing is focused"), "{failure}");
    }
}

#[test]
fn a_field_without_a_handler_is_the_apps_mistake() {
    let failure = Sim::logging("[]").fail(Action::InputText { text: "a".into() });
    assert_eq!(failure.kind, FailureKind::App);
    assert_eq!(failure.message, "the app 'a' has a focused field but no on.text");
}
