use super::*;

/// Two fields; the first line shows what happened.
const FORM: &str = "initialState: { focus: 'one', keyboard: true, log: '' },
    render: (s) => ({ keyboard: s.keyboard, windows: [{ text: s.log, children: ['one', 'two'].map((id, i) => (
      { resourceId: id, isEditable: true, isClickable: true, isFocused: s.focus === id, bounds: [0, i * 100, 100, i * 100 + 99] })) }] }),
    on: { tap: (s, e) => ({ ...s, focus: e.id ?? s.focus, log: s.log + 't' }), back: (s) => ({ ...s, log: s.log + 'b' }),
          hideKeyboard: (s) => ({ ...s, log: s.log + 'h' }), key: (s) => ({ ...s, keyboard: !s.keyboard }) }";

fn is_up(sim: &Sim) -> bool {
    sim.screen().keyboard().is_some()
}

#[test]
fn it_covers_the_lower_part_and_swallows_touches() {
    let sim = Sim::app(FORM);
    let bounds = sim.screen().keyboard().unwrap();
    assert_eq!((bounds.left, bounds.top, bounds.right, bounds.bottom), (0, 1600, 1080, 2400));
    sim.act(tap(500, 2000));
    sim.act(Action::Swipe { x1: 500, y1: 2000, x2: 500, y2: 1000, duration_ms: 100 });
    assert_eq!(sim.text(), "");
    sim.act(tap(500, 1000));
    assert_eq!(sim.text(), "t");
}

#[test]
fn it_stays_hidden_until_another_field_has_the_focus() {
    let sim = Sim::app(FORM);
    sim.act(Action::HideKeyboard);
    assert!(!is_up(&sim));
    assert_eq!(sim.text(), "h");
    sim.act(Action::HideKeyboard);
    sim.act(tap(50, 50));
    assert!(!is_up(&sim), "the focus is where it was");
    sim.act(tap(50, 150));
    assert!(is_up(&sim));
    assert_eq!(sim.text(), "htt");
}

#[test]
fn it_comes_back_after_the_app_did_not_want_it() {
    let sim = Sim::app(FORM);
    sim.act(Action::HideKeyboard);
    let key = || Action::Key { name: Key::Enter };
    sim.act(key());
    sim.act(key());
    assert!(is_up(&sim));
}

#[test]
fn back_closes_it_first() {
    let sim = Sim::app(FORM);
    sim.act(Action::Back);
    assert!(!is_up(&sim));
    assert_eq!(sim.text(), "h");
    sim.act(Action::Back);
    assert_eq!(sim.text(), "hb");
}
