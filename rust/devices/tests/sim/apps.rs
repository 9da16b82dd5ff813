use super::*;

/// Counts its starts in its state.
const COUNTER: &str = "initialState: () => ({ n: 0, log: [] }), render: (s) => ({ text: s.log.join(' ') }), on: {
    launch: (s, e) => ({ n: s.n + 1, log: [...s.log, (e.cold ? 'cold' : 'warm') + (s.n + 1) + (e.arguments.a ?? '')] }),
    stop: (s) => ({ ...s, log: [...s.log, 'stop'] }), clearData: (s) => ({ ...s, log: ['cleared'] }) }";

fn stop(id: &str) -> Action {
    Action::StopApp { app_id: id.into() }
}

fn clear(id: &str) -> Action {
    Action::ClearAppData { app_id: id.into() }
}

#[test]
fn the_launcher_comes_first_and_starts_apps() {
    let sim = Sim::load(
        "export const apps = ['a.one', 'b.two'].map((id) => ({ id, render: () => ({ text: id }) }))",
    );
    let sim = sim.unwrap();
    assert_eq!(sim.texts(), ["Home", "a.one", "b.two"]);
    assert_eq!(sim.device.foreground_app().unwrap(), None);
    assert_eq!(sim.device.installed_apps().unwrap(), ["a.one", "b.two"]);
    let icon = sim.screen().nodes().nth(2).and_then(|node| node.bounds()).unwrap();
    let (x, y) = icon.center();
    sim.act(tap(x, y));
    assert_eq!(sim.text(), "b.two");
    assert_eq!(sim.device.foreground_app().unwrap().as_deref(), Some("b.two"));
}

#[test]
fn the_state_outlives_a_stop_but_not_the_clearing_of_data() {
    let sim = Sim::app(COUNTER);
    assert_eq!(sim.text(), "cold1");
    sim.act(Action::Home);
    assert!(sim.is_home());
    let arguments = [("a".to_owned(), Value::from("!"))].into();
    sim.act(Action::LaunchApp { app_id: "a".into(), arguments });
    assert_eq!(sim.text(), "cold1 warm2!");
    sim.act(stop("a"));
    assert!(sim.is_home());
    sim.act(stop("a"));
    sim.act(launch("a"));
    assert_eq!(sim.text(), "cold1 warm2! stop cold3");
    sim.act(clear("a"));
    assert!(sim.is_home());
    sim.act(launch("a"));
    assert_eq!(sim.text(), "cleared cold1");
}

#[test]
fn an_initial_state_that_is_changed_in_place_is_fresh_again() {
    let sim = Sim::app(
        "initialState: { list: [] }, render: (s) => ({ text: s.list.length }), on: { tap(s) { s.list.push(1); return s } }",
    );
    sim.act(tap(1, 1));
    assert_eq!(sim.text(), "1");
    sim.act(clear("a"));
    sim.act(launch("a"));
    assert_eq!(sim.text(), "0");
}

#[test]
fn an_unknown_app_is_not_found() {
    let sim = Sim::app(COUNTER);
    let permission = Action::GrantPermission { app_id: "x".into(), permission: "p".into() };
    for action in [launch("x"), stop("x"), clear("x"), permission] {
        let failure = sim.fail(action);
        assert_eq!(failure.kind, FailureKind::NotFound);
        assert_eq!(failure.message, "the app 'x' is not installed");
        assert_eq!(failure.hint.as_deref(), Some("this sim has 'a'"));
    }
}

#[test]
fn back_leaves_an_app_that_does_not_handle_it() {
    let sim = Sim::app(COUNTER);
    sim.act(Action::Back);
    assert!(sim.is_home());
    sim.act(Action::Back);
    sim.act(launch("a"));
    assert_eq!(sim.text(), "cold1 warm2");
}

#[test]
fn an_app_can_close_itself() {
    let sim = Sim::app(
        "initialState: 2, render: (n) => ({ text: n }), on: { back(n, e, api) { if (n === 1) api.finish(); else return n - 1 } }",
    );
    sim.act(Action::Back);
    assert_eq!(sim.text(), "1");
    sim.act(Action::Back);
    assert!(sim.is_home());
    sim.act(launch("a"));
    assert_eq!(sim.text(), "1");
}

#[test]
fn a_link_starts_the_app() {
    let sim = Sim::load(
        "export const app = { id: 'a', initialState: [], render: (s) => ({ text: s.join() }),
           on: { launch: (s, e) => ['launch ' + e.cold], openLink: (s, e) => [...s, e.link] } }",
    );
    let sim = sim.unwrap();
    let open = |link: &str| sim.act(Action::OpenLink { link: link.into() });
    open("x");
    assert_eq!(sim.text(), "launch true,x");
    sim.act(Action::Home);
    open("y");
    assert_eq!(sim.text(), "launch true,x,y");
    let failure = Sim::app(COUNTER).fail(Action::OpenLink { link: "x".into() });
    assert_eq!(failure.kind, FailureKind::NotSupported);
}

#[test]
fn an_app_can_open_its_own_links_but_not_for_ever() {
    let sim = Sim::app(
        "initialState: [], render: (s) => ({ text: s.join() }), on: {
           tap(s, e, api) { api.open('one'); return [...s, 'tap'] },
           openLink(s, e, api) { if (e.link === 'one') api.open('two'); if (e.link === 'x') api.open('x'); return [...s, e.link] } }",
    );
    sim.act(tap(1, 1));
    assert_eq!(sim.text(), "tap,one,two");
    let failure = sim.fail(Action::OpenLink { link: "x".into() });
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::App, "the app 'a' opens links without end")
    );
    assert_eq!(sim.text(), "tap,one,two");
}

#[test]
fn two_runs_are_equal() {
    let run = || {
        let sim = Sim::app(
            "initialState: [], render: (s) => ({ text: s.join() }), on: { tap(s, e, api) {
               api.after(Math.floor(api.random() * 50), (s) => [...s, Math.random(), Date.now(), String(new Date())]);
               return [...s, new Date().getHours(), performance.now()] } }",
        );
        (0..20)
            .map(|_| {
                sim.act(tap(1, 1));
                sim.clock.sleep(30);
                (sim.text(), sim.device.last_change_ms().unwrap())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn the_date_is_the_runs_clock_in_utc() {
    let sim = Sim::app(
        "initialState: '', render: (text) => ({ text }), on: { tap: () => [
           new Date().toISOString(), Date.now() - new Date(2026, 0, 1), new Date(0) instanceof Date, typeof Date()].join() }",
    );
    sim.clock.sleep(3_600_000);
    sim.act(tap(1, 1));
    assert_eq!(sim.text(), "2026-01-01T01:00:00.000Z,3600000,true,string");
}

#[test]
fn what_an_app_logs_can_be_read() {
    let sim = Sim::app("render: () => ({}), on: { tap() { console.warn('hello', 1) } }");
    sim.act(tap(1, 1));
    let logs = sim.device.take_logs();
    assert_eq!(logs.iter().map(|line| line.message.as_str()).collect::<Vec<_>>(), ["hello 1"]);
    assert!(sim.device.take_logs().is_empty());
}
