use super::*;

fn at(sim: &Sim, ms: u64) -> (String, u64) {
    sim.clock.sleep_until(ms);
    (sim.text(), sim.device.last_change_ms().unwrap())
}

#[test]
fn a_screen_arrives_late_and_at_its_own_time() {
    let sim = Sim::app(
        "initialState: 'loading', render: (text) => ({ text }), on: { tap(s, e, api) { api.after(800, () => 'done') } }",
    );
    sim.clock.sleep(100);
    sim.act(tap(1, 1));
    assert_eq!(at(&sim, 899), ("loading".into(), 0));
    assert_eq!(at(&sim, 5000), ("done".into(), 900));
}

#[test]
fn an_action_sees_what_fell_due_before_it() {
    let sim = Sim::app(
        "initialState: [], render: (s) => ({ text: s.join(' ') }), on: {
           launch(s, e, api) { api.after(20, (s) => [...s, api.now()]); api.after(10, (s) => [...s, api.now()]) },
           tap: (s, e, api) => [...s, 'tap' + api.now()] }",
    );
    sim.clock.sleep(50);
    sim.act(tap(1, 1));
    assert_eq!(sim.text(), "10 20 tap50");
}

#[test]
fn a_cancelled_timer_and_the_timers_of_a_stopped_app_never_fire() {
    let body = "initialState: 'x', render: (text) => ({ text }), on: { tap(s, e, api) { const id = api.after(10, () => 'fired'); if (e.x === 1) api.cancel(id) } }";
    let sim = Sim::app(body);
    sim.act(tap(1, 1));
    assert_eq!(at(&sim, 100).0, "x");
    sim.act(tap(2, 2));
    sim.act(Action::StopApp { app_id: "a".into() });
    sim.clock.sleep(100);
    sim.act(launch("a"));
    assert_eq!(sim.text(), "x");
    sim.act(tap(2, 2));
    sim.act(Action::Home);
    sim.clock.sleep(100);
    sim.act(launch("a"));
    assert_eq!(sim.text(), "fired", "an app in the background lives on");
}

#[test]
fn an_animation_ends_and_then_the_screen_is_quiet() {
    let sim = Sim::app(
        "initialState: 0, render: (n) => ({ text: n }), on: { launch(s, e, api) {
           const step = (n) => { if (n < 10) api.after(16, step); return n + 1 }; api.after(16, step) } }",
    );
    assert_eq!(at(&sim, 100), ("6".into(), 96));
    assert_eq!(at(&sim, 10_000), ("11".into(), 176));
}

#[test]
fn an_animation_may_go_on_for_ever() {
    let sim = Sim::app(
        "initialState: 0, render: (n) => ({ text: n }), on: { launch(s, e, api) {
           const step = (n) => { api.after(10, step); return n + 1 }; api.after(10, step) } }",
    );
    assert_eq!(at(&sim, 60_000), ("6000".into(), 60_000));
    sim.act(tap(1, 1));
}

#[test]
fn timers_that_never_let_time_pass_are_stopped() {
    let sim = Sim::app(
        "initialState: 0, render: (n) => ({ text: n > 5 }), on: { tap(s, e, api) {
           const step = (n) => { api.after(0, step); return n + 1 }; api.after(0, step) } }",
    );
    sim.act(tap(1, 1));
    let failure = sim.device.capture().unwrap_err();
    assert_eq!(failure.kind, FailureKind::App);
    assert!(failure.message.contains("at the same instant without end"), "{failure}");
    assert_eq!(sim.text(), "true", "the device works on");
}

#[test]
fn a_toast_vanishes() {
    let sim =
        Sim::app("render: () => ({ text: 'app' }), on: { tap(s, e, api) { api.toast('Saved ' + e.x) } }");
    sim.act(tap(1, 1));
    sim.clock.sleep(500);
    sim.act(tap(2, 2));
    assert_eq!(sim.windows(), [WindowKind::Application, WindowKind::Toast, WindowKind::Toast]);
    assert_eq!(sim.texts(), ["app", "Saved 1", "Saved 2"]);
    sim.clock.sleep_until(2000);
    assert_eq!(sim.texts(), ["app", "Saved 2"]);
    sim.clock.sleep_until(2500);
    assert_eq!(sim.texts(), ["app"]);
    assert_eq!(sim.device.last_change_ms().unwrap(), 2500);
}

#[test]
fn a_change_that_nobody_sees_is_no_change() {
    let sim = Sim::app(
        "initialState: { n: 0 }, render: () => ({ text: 'same' }), on: { tap: (s) => ({ n: s.n + 1 }) }",
    );
    let before = sim.screen();
    sim.clock.sleep(10);
    sim.act(tap(1, 1));
    assert!(Arc::ptr_eq(&before, &sim.screen()));
    assert_eq!(sim.device.last_change_ms().unwrap(), 0);
}
