//! Apps that throw, hang, eat memory or are no apps at all.

use super::*;

#[track_caller]
fn check_load(source: &str, message: &str) -> Failure {
    let failure = Sim::load(source).map(|_| ()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::App);
    assert_eq!(failure.message, format!("the app in app.js cannot be loaded: {message}"));
    failure
}

#[test]
fn an_app_that_is_none_says_what_is_missing() {
    let no_app = "TypeError: the app's file exports no 'app': it must say `export const app = { id, initialState, render(state), on }`";
    check_load("", no_app);
    check_load("export const app = 5", "TypeError: 'app' must be an object");
    check_load("export const app = { render() {} }", "TypeError: 'app.id' must be a text");
    check_load("export const app = { id: 'a' }", "TypeError: 'app.render' must be a function");
    check_load(
        "export const app = { id: 'a', render() {}, on: { tap: 1 } }",
        "TypeError: 'app.on.tap' must be a function",
    );
    let two = "const a = () => ({ id: 'a', render() {} }); export const apps = [a(), a()]";
    check_load(two, "TypeError: two apps have the id 'a'");
    let failure =
        Sim::load("export const app = { id: 'a', render() {}, on: { tpa() {} } }").map(|_| ()).unwrap_err();
    assert!(failure.message.contains("'app.on.tpa' is no event; the events are tap, "), "{failure}");
}

#[test]
fn a_mistake_in_the_file_has_its_line() {
    let failure = Sim::load("export const app = {\n  id: 'a',,\n}").map(|_| ()).unwrap_err();
    assert!(failure.stack.as_deref().unwrap_or_default().contains("app.js:2:"), "{failure:?}");
    let failure = Sim::load("\n\nnowhere()").map(|_| ()).unwrap_err();
    assert!(failure.message.ends_with("ReferenceError: nowhere is not defined"), "{failure}");
    assert_eq!(failure.stack.as_deref().map(|stack| stack.contains("app.js:3:")), Some(true));
    assert!(Sim::load("import 'fs'").is_err());
    assert!(Sim::load("for (;;) {}").is_err());
}

const MOODY: &str = "initialState: { n: 0, mood: '' },
  render(s) {
    if (s.mood === 'bad') throw new Error('cannot draw');
    return { text: s.n };
  },
  on: { tap(s, e, api) {
    api.toast('tapped');
    api.after(5, (s) => ({ ...s, n: 100 }));
    if (e.x === 1) throw new TypeError('cannot tap');
    if (e.x === 2) return { n: 9, mood: 'bad' };
    if (e.x === 3) for (;;) {}
    if (e.x === 4) { const all = []; for (;;) all.push({}) }
    if (e.x === 5) throw 'words';
    if (e.x === 6) return Promise.resolve(s);
    if (e.x === 7) return (function deep() { return 1 + deep() })();
    return { ...s, n: s.n + 1 };
  } }";

#[test]
fn a_throw_is_a_failure_with_its_stack_and_leaves_all_as_it_was() {
    let sim = Sim::app(MOODY);
    let cases = [
        (1, "on.tap: TypeError: cannot tap"),
        (2, "render: cannot draw"),
        (5, "on.tap: words"),
        (6, "on.tap: TypeError: it returned a promise, but handlers may not be async"),
        (7, "on.tap: RangeError: Maximum call stack size exceeded"),
    ];
    for (x, message) in cases {
        let failure = sim.fail(tap(x, 0));
        assert_eq!(failure.kind, FailureKind::App);
        assert_eq!(failure.message, format!("the app 'a' failed in {message}"));
    }
    let stack = sim.fail(tap(1, 0)).stack.unwrap();
    assert!(stack.contains("at tap (app.js:9:") && !stack.contains("trailblaze:"), "{stack}");
    sim.clock.sleep(10);
    assert_eq!(sim.texts(), ["0"], "neither toast nor timer of a handler that threw");
    sim.act(tap(0, 0));
    assert_eq!(sim.texts(), ["1", "tapped"]);
}

#[test]
fn an_endless_loop_ends_the_app_and_nothing_else() {
    let sim = Sim::app(MOODY);
    sim.clock.sleep(40);
    let failure = sim.fail(tap(3, 0));
    assert_eq!(failure.kind, FailureKind::App);
    assert_eq!(failure.message, "the app in app.js did not come back within 1000 ms and was ended");
    assert!(failure.stack.unwrap().contains("app.js:"));
    assert!(sim.is_home());
    assert_eq!(sim.device.foreground_app().unwrap(), None);
    assert_eq!(sim.device.last_change_ms().unwrap(), 40);
    sim.act(launch("a"));
    assert_eq!(sim.text(), "0");
}

#[test]
fn too_much_memory_ends_the_app_and_nothing_else() {
    let sim = Sim::app(MOODY);
    let failure = sim.fail(tap(4, 0));
    assert_eq!(failure.kind, FailureKind::App);
    assert_eq!(failure.message, "the app in app.js used more than 16 MiB of memory and was ended");
    assert!(sim.is_home());
    sim.act(launch("a"));
    assert_eq!(sim.text(), "0");
}

#[test]
fn a_timer_that_throws_is_over_and_the_others_go_on() {
    let sim = Sim::app(
        "initialState: 0, render: (n) => ({ text: n }), on: { tap(s, e, api) {
           api.after(10, () => { throw new Error('late') }); api.after(20, (n) => n + 1) } }",
    );
    sim.act(tap(0, 0));
    sim.clock.sleep(50);
    let failure = sim.device.capture().unwrap_err();
    assert_eq!(failure.message, "the app 'a' failed in a timer: late");
    assert_eq!(sim.text(), "1");
}

#[test]
fn an_app_that_cannot_draw_is_not_launched() {
    let sim = Sim::load("export const app = { id: 'a', render: (s) => s.nothing.here }").unwrap();
    let failure = sim.fail(launch("a"));
    assert!(failure.message.starts_with("the app 'a' failed in render: TypeError"), "{failure}");
    assert!(sim.is_home());
}

/// `node` is what `render` returns.
#[track_caller]
fn check_node(node: &str, message: &str) {
    let sim = Sim::load(&format!("export const app = {{ id: 'a', render: () => ({node}) }}")).unwrap();
    let failure = sim.fail(launch("a"));
    assert_eq!(failure.kind, FailureKind::App);
    assert_eq!(failure.message, format!("the app 'a' failed in render: {message}"));
}

#[test]
fn a_wrong_property_is_named() {
    check_node(
        "{ text: 'T', isClickable: 'yes' }",
        "TypeError: 'isClickable' of the node with text 'T' must be true or false, not yes",
    );
    check_node("{ text: {} }", "TypeError: 'text' of a node must be a text, not an object");
    let four = "must be four numbers: [left, top, right, bottom], not an array";
    check_node(
        "{ resourceId: 'r', bounds: [0, 0, NaN, 1] }",
        &format!("TypeError: 'bounds' of the node with resourceId 'r' {four}"),
    );
    check_node("{ bounds: 5 }", "TypeError: 'bounds' of a node must be [left, top, right, bottom], not 5");
    check_node(
        "{ children: {} }",
        "TypeError: 'children' of a node must be an array of nodes, not an object",
    );
    check_node("{ children: ['x'] }", "TypeError: 'children' of a node must be nodes, not string");
    check_node(
        "{ children: [[]] }",
        "TypeError: 'children' of a node must be nodes, not an array (spread it: ...items)",
    );
    check_node(
        "{ window: 'popup' }",
        "TypeError: 'window' of a node must be 'application' or 'keyboard' or 'dialog' or 'system' or 'toast', not popup",
    );
    check_node("undefined", "TypeError: render returned undefined, not a node");
    check_node("Promise.resolve({})", "TypeError: render returned a promise, but it may not be async");
    check_node("{ inputType: 'x' }", "TypeError: 'inputType' of a node must be a whole number, not x");
}

#[test]
fn a_tree_without_end_is_refused() {
    check_node(
        "(() => { const n = {}; n.children = [n]; return n })()",
        "RangeError: the screen nests deeper than 512 levels",
    );
    let wide = "{ children: Array.from({ length: 100_001 }, () => ({})) }";
    let sim = Sim::load(&format!("export const app = {{ id: 'a', render: () => ({wide}) }}")).unwrap();
    assert!(sim.device.act(&launch("a")).is_err());
}

#[test]
fn missing_children_are_skipped_and_numbers_are_texts() {
    let sim = Sim::app(
        "render: () => ({ children: [null, undefined, false, { text: 5, class: 'C', isEnabled: false }] })",
    );
    let screen = sim.screen();
    let nodes: Vec<_> = screen.nodes().map(|node| format!("{node:?}")).collect();
    assert_eq!(nodes, ["node 0", "node 1 className=\"C\" text=\"5\""]);
    assert_eq!(screen.nodes().next().unwrap().bounds(), Some(screen.bounds()));
    assert_eq!(screen.nodes().nth(1).unwrap().bounds(), None);
}

#[test]
fn an_app_that_spoils_the_language_spoils_only_itself() {
    let sim = Sim::load(
        "try { Array.prototype.push = null } catch {} try { JSON.stringify = null } catch {}
         try { String.prototype.startsWith = null } catch {} Array.prototype.last = 1; Map.prototype.get = null; Map.prototype.has = null;
         export const app = { id: 'a', render: () => ({ text: 'fine' }), on: { tap() { throw new Error('own') } } }",
    );
    let sim = sim.unwrap();
    sim.act(launch("a"));
    assert_eq!(sim.text(), "fine");
    assert_eq!(sim.fail(tap(1, 1)).message, "the app 'a' failed in on.tap: own");
    assert_eq!(sim.text(), "fine");
}
