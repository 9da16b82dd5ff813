//! The ways a text gets into a field.

use super::*;

fn set(node: u32, text: &str) -> Action {
    Action::SetText { node, text: text.into() }
}

/// An app with one focused field, which is node 1. The first node says what the field holds and what reached it.
fn field(start: &str, field: &str) -> Sim {
    Sim::app(&format!(
        "initialState: {{ text: {start}, log: [] }},
         render: (s) => ({{ text: `${{s.text}}|${{s.log.join(' ')}}`, children: [
           {{ resourceId: 'f', isEditable: true, isFocused: true, bounds: [0, 0, 9, 9], text: s.text, {field} }}] }}),
         on: {{
           text: (s, e) => ({{ text: s.text + e.text, log: [...s.log, `${{e.id}}:${{e.how}}:${{e.text}}`] }}),
           erase: (s, e) => ({{ text: [...s.text].slice(0, -e.count).join(''), log: [...s.log, `${{e.id}}:erase:${{e.count}}`] }}),
           key: (s, e) => ({{ ...s, log: [...s.log, `${{e.id}}:key:${{e.key}}`] }}),
         }}"
    ))
}

#[track_caller]
fn check(start: &str, action: Action, expected: &str) {
    let sim = field(start, "");
    sim.act(action);
    assert_eq!(sim.text(), expected);
}

#[test]
fn the_app_is_told_which_way_it_came() {
    check("''", set(1, "a b"), "a b|f:set:a b");
    check("''", Action::InputText { text: "a b".into() }, "a b|f:input:a b");
    check("''", Action::TypeKeys { text: "aü🎉".into() }, "aü🎉|f:keys:a f:keys:ü f:keys:🎉");
    let sim = field("''", "");
    sim.act(Action::SetClipboard { text: "a b".into() });
    sim.act(Action::PasteClipboard);
    assert_eq!(sim.text(), "a b|f:paste:a b");
}

#[test]
fn a_line_break_among_keys_is_the_enter_key() {
    check("''", Action::TypeKeys { text: "a\nb".into() }, "ab|f:keys:a f:key:ENTER f:keys:b");
    check("''", set(1, "a\nb"), "a\nb|f:set:a\nb");
}

#[test]
fn to_set_a_text_delivers_the_difference() {
    check("'ab'", set(1, "abc"), "abc|f:set:c");
    check("'ab'", set(1, "ab"), "ab|");
    check("'abc'", set(1, "a"), "a|f:erase:2");
    check("'abc'", set(1, ""), "|f:erase:3");
    check("'abc'", set(1, "xyz"), "xyz|f:erase:3 f:set:xyz");
    check("'abc'", set(1, "abX"), "abX|f:erase:3 f:set:abX");
}

#[test]
fn what_is_erased_is_counted_in_characters() {
    check("'a🎉'", set(1, "a🎉ü"), "a🎉ü|f:set:ü");
    check("'a🎉ü'", set(1, "a"), "a|f:erase:2");
    check("'🎉'", set(1, "🎊"), "🎊|f:erase:1 f:set:🎊");
    check("'🎉🎉'", set(1, "x"), "x|f:erase:2 f:set:x");
}

#[test]
fn a_hint_is_no_text() {
    let sim = field("''", "text: s.text || 'Say something', isShowingHintText: s.text === ''");
    sim.act(set(1, "hi"));
    assert_eq!(sim.text(), "hi|f:set:hi");
}

#[test]
fn an_app_can_leave_a_way_out() {
    let sim = Sim::app(
        "initialState: '', render: (s) => ({ text: s, isEditable: true, isFocused: true }),
         on: { text: (s, e) => e.how === 'keys' ? s + e.text : undefined }",
    );
    sim.act(set(0, "no"));
    sim.act(Action::InputText { text: "no".into() });
    sim.act(Action::TypeKeys { text: "yes".into() });
    assert_eq!(sim.text(), "yes");
}

#[test]
fn keys_follow_the_focus() {
    let sim = Sim::app(
        "initialState: { a: '', b: '' },
         render: (s) => ({ text: `${s.a}/${s.b}`, children: [
           { resourceId: 'a', isEditable: true, isFocused: s.a.length < 2 },
           { resourceId: 'b', isEditable: true, isFocused: s.a.length >= 2 }] }),
         on: { text: (s, e) => ({ ...s, [e.id]: s[e.id] + e.text }) }",
    );
    sim.act(Action::TypeKeys { text: "1234".into() });
    assert_eq!(sim.text(), "12/34");
}

#[test]
fn a_text_is_set_without_the_focus() {
    let sim = Sim::app(
        "initialState: '', render: (s) => ({ text: s, children: [{ resourceId: 'f', isEditable: true }] }),
         on: { text: (s, e) => e.id + e.text }",
    );
    sim.act(set(1, "x"));
    assert_eq!(sim.text(), "fx");
    assert_eq!(sim.fail(Action::TypeKeys { text: "x".into() }).kind, FailureKind::NotFound);
}

#[test]
fn what_takes_no_text_refuses_it() {
    let sim = Sim::logging("[['text', (e) => e.text]]");
    for (node, message) in [(1, "the element takes no text"), (99, "the element is gone")] {
        let failure = sim.fail(set(node, "x"));
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Refused, message));
    }
    assert_eq!(sim.text(), "");
}
