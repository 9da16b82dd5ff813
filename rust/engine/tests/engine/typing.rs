//! Typing: the ways a text gets into a field, and how it is known that it did.

use serde_json::json;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::support::{Setup, World};

/// The words around a field, which is node 1.
fn field(line: &str) -> String {
    format!("@0,0,400,800\n {line} isFocused isEditable\n Send @0,200,400,300 isClickable")
}

const EMPTY: &str = "@0,0,400,100 id=name";
const OLD: &str = "old @0,0,400,100 id=name";

fn input(world: &World, text: &str) -> Result<String, Failure> {
    world.call("inputText", json!({ "text": text })).map(|output| output.message)
}

/// What reaches the phone when a text is typed into a field, and what is said of it.
#[track_caller]
fn check(line: &str, change: impl FnOnce(&mut Setup), text: &str, expected: &[&str], says: &str) {
    let world = World::with(&field(line), change);
    let said = input(&world, text).unwrap_or_else(|failure| failure.message);
    assert_eq!((world.actions(), said.as_str()), (expected.iter().map(|&a| a.to_owned()).collect(), says));
}

fn refusing(refuses: &[&'static str]) -> impl FnOnce(&mut Setup) {
    move |setup| setup.phone.refuses = refuses.to_vec()
}

fn dressing(dress: fn(&str) -> String) -> impl FnOnce(&mut Setup) {
    move |setup| setup.phone.dresses = Some(dress)
}

fn dots(text: &str) -> String {
    "•".repeat(text.chars().count())
}

fn first_four(text: &str) -> String {
    text.chars().take(4).collect()
}

fn capitals(text: &str) -> String {
    text.to_uppercase()
}

#[test]
fn one_way_after_the_other_is_tried_until_a_field_takes_one() {
    #[track_caller]
    fn check_refused(refuses: &[&'static str], expected: &[&str], says: &str) {
        check(OLD, refusing(refuses), "a", expected, says);
    }
    check_refused(&[], &["setText 1 olda"], "typed by set-text");
    let ladder =
        ["setText 1 olda", "inputText a", "setClipboard a", "pasteClipboard", "setClipboard ", "typeKeys a"];
    check_refused(&["setText"], &ladder[..2], "typed by input connection");
    check_refused(&["setText", "inputText"], &ladder[..5], "typed by clipboard");
    check_refused(&["setText", "inputText", "paste"], &ladder, "typed by keys");
    let without_clipboard = ["setText 1 olda", "inputText a", "setClipboard a", "typeKeys a"];
    check_refused(&["setText", "inputText", "setClipboard"], &without_clipboard, "typed by keys");
    let nothing = "the field takes no text in any of the ways there are";
    check_refused(&["setText", "inputText", "paste", "typeKeys"], &ladder, nothing);
}

#[test]
fn only_a_no_leads_to_the_next_way() {
    let fails = |kind| move |setup: &mut Setup| setup.phone.fails("setText", kind, "no");
    let both = ["setText 1 a", "inputText a"];
    check(EMPTY, fails(FailureKind::NotSupported), "a", &both, "typed by input connection");
    check(EMPTY, fails(FailureKind::Device), "a", &both[..1], "no");
    check(EMPTY, fails(FailureKind::App), "a", &both[..1], "no");
}

#[test]
fn a_field_that_lists_what_it_takes_is_not_asked_for_anything_else() {
    for (actions, expected) in
        [("ACTION_CLICK", "inputText a"), ("ACTION_CLICK,ACTION_SET_TEXT", "setText 1 a")]
    {
        let world = World::new(&field(&format!("{EMPTY} actions={actions}")));
        input(&world, "a").unwrap();
        assert_eq!(world.actions(), [expected]);
    }
}

#[test]
fn a_text_is_added_to_what_a_field_holds_and_a_hint_is_not_that() {
    check(OLD, |_| {}, "er", &["setText 1 older"], "typed by set-text");
    check("Name @0,0,400,100 isShowingHintText", |_| {}, "er", &["setText 1 er"], "typed by set-text");
    check(OLD, |_| {}, "", &[], "nothing to type");
}

/// A phone that shows `wrong` in the field after each action that begins like this.
fn garbling(action: &'static str, wrong: &'static str) -> impl FnOnce(&mut Setup) {
    move |setup| setup.phone.after(action, 0, &field(&format!("{wrong} {EMPTY}")))
}

#[test]
fn what_came_out_wrong_is_put_back_before_the_next_way() {
    let says = "typed by input connection";
    check(
        OLD,
        garbling("setText 1 olda", "xx"),
        "a",
        &["setText 1 olda", "setText 1 old", "inputText a"],
        says,
    );
    check(
        EMPTY,
        garbling("setText 1 ab", "xx"),
        "ab",
        &["setText 1 ab", "eraseText 2", "inputText ab"],
        says,
    );
    // What a field only ignores needs no putting back.
    check(OLD, garbling("setText 1 olda", "old"), "a", &["setText 1 olda", "inputText a"], says);
    let no_erase = |setup: &mut Setup| {
        garbling("setText 1 ab", "xx")(setup);
        setup.phone.refuses = vec!["eraseText"];
    };
    check(EMPTY, no_erase, "ab", &["setText 1 ab", "eraseText 2", "setText 1 ", "inputText ab"], says);
}

#[test]
fn nothing_is_typed_after_what_could_not_be_put_back() {
    let world = World::with(&field(EMPTY), |setup| {
        garbling("setText", "xx")(setup);
        setup.phone.refuses = vec!["eraseText"];
    });
    let failure = input(&world, "ab").unwrap_err();
    assert_eq!(failure.kind, FailureKind::AssertionFailed);
    assert!(failure.message.starts_with("the field says 'xx', not 'ab'"), "{failure}");
    assert_eq!(world.actions(), ["setText 1 ab", "eraseText 2", "setText 1 "]);
}

#[test]
fn a_field_may_write_in_its_own_way() {
    fn card(text: &str) -> String {
        let digits: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
        digits.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    }
    let says = "typed by set-text; the field shows it as '4111 1111'";
    check(EMPTY, dressing(card), "41111111", &["setText 1 41111111"], says);
    let says = "typed by set-text; the field shows it as 'SAVE10'";
    check(EMPTY, dressing(capitals), "save10", &["setText 1 save10"], says);
    check(EMPTY, dressing(capitals), "SAVE10", &["setText 1 SAVE10"], "typed by set-text");
}

const TOO_LONG: [&str; 9] = [
    "setText 1 abcdef",
    "eraseText 4",
    "inputText abcdef",
    "eraseText 4",
    "setClipboard abcdef",
    "pasteClipboard",
    "setClipboard ",
    "eraseText 4",
    "typeKeys abcdef",
];

#[test]
fn a_text_that_does_not_fit_is_a_failure_that_says_why() {
    for (line, hint) in [
        (format!("{EMPTY} max=4"), Some("the field takes at most 4 characters")),
        (format!("{EMPTY} max=10"), None),
        (EMPTY.to_owned(), None),
    ] {
        let world = World::with(&field(&line), dressing(first_four));
        let failure = input(&world, "abcdef").unwrap_err();
        assert_eq!(failure.kind, FailureKind::AssertionFailed);
        assert_eq!(
            failure.message,
            "the field says 'abcd', not 'abcdef', after it was typed by set-text, input connection, clipboard and keys"
        );
        assert_eq!((failure.hint.as_deref(), world.actions()), (hint, TOO_LONG.map(str::to_owned).to_vec()));
    }
}

#[test]
fn a_password_is_compared_by_its_length_and_not_shown() {
    let password = &format!("{EMPTY} isPassword");
    check(password, dressing(dots), "abcdef", &["setText 1 abcdef"], "typed by set-text");
    // Some fields show as many dots as there are halves of emoji.
    let halves = |text: &str| "•".repeat(text.encode_utf16().count());
    check(password, dressing(halves), "ab👍", &["setText 1 ab👍"], "typed by set-text");
    // What it holds cannot be read, so it cannot be set either.
    let held = "•• @0,0,400,100 isPassword";
    check(held, dressing(dots), "ab", &["inputText ab"], "typed by input connection");

    let world = World::with(&field(password), dressing(first_four));
    let failure = input(&world, "abcdef").unwrap_err();
    assert_eq!(failure.message, "the field shows 4 characters 500 ms after 6 were typed");
    assert_eq!(world.actions(), TOO_LONG);
}

#[test]
fn any_text_is_typed_in_any_way() {
    let texts = [
        "Grüße, 東京",
        "👩‍👩‍👧‍👦 und 🇩🇪",
        "שלום עולם",
        "مرحبا 123",
        "e\u{301}",
        "one\ntwo\n\nthree",
        "ada@example.com",
        "{\"a\": '\\\\'}",
    ];
    let ways: [&[&'static str]; 4] =
        [&[], &["setText"], &["setText", "inputText"], &["setText", "inputText", "paste"]];
    for text in texts {
        for refuses in ways {
            let world = World::with(&field(OLD), refusing(refuses));
            input(&world, text).unwrap_or_else(|failure| panic!("{text}: {failure}"));
            let shown = world.session.capture().unwrap();
            let held = shown.nodes().nth(1).unwrap().text().map(str::to_owned);
            assert_eq!(held, Some(format!("old{text}")), "{refuses:?}");
        }
    }
}

#[test]
fn a_field_has_half_a_second_to_show_what_was_typed() {
    let late = |delay_ms: u64| {
        let world = World::new(&field(EMPTY));
        world.phone.after("setText", delay_ms, &field(&format!("a {EMPTY}")));
        let said = input(&world, "a").unwrap();
        (world.actions().len(), said, world.session.now_ms() - 1_000)
    };
    assert_eq!(late(0), (1, "typed by set-text".to_owned(), 150));
    assert_eq!(late(400), (1, "typed by set-text".to_owned(), 450));
    assert_eq!(late(700).1, "typed by input connection");
}

#[test]
fn an_app_may_go_on_when_something_was_typed() {
    let goes_on = |setup: &mut Setup| setup.phone.after("setText", 50, "Welcome @0,0,400,800");
    let says = "typed by set-text; the field is gone, so it could not be read back";
    check(EMPTY, goes_on, "1234", &["setText 1 1234"], says);
    // A line break sends it off, and the field is empty again.
    let sends = |setup: &mut Setup| setup.phone.after("setText", 50, &field(EMPTY));
    check(EMPTY, sends, "hello\n", &["setText 1 hello\n"], "typed by set-text");
    // The field stays and the focus goes to the next one.
    let moves_on =
        "@0,0,400,800\n 1 @0,0,100,100 id=first isEditable\n @100,0,200,100 id=second isFocused isEditable";
    let next = |setup: &mut Setup| setup.phone.after("setText", 50, moves_on);
    check("@0,0,100,100 id=first", next, "1", &["setText 1 1"], "typed by set-text");
    // The page moved when the keyboard came.
    let moved = |setup: &mut Setup| setup.phone.after("setText", 50, &field("1 @0,50,400,100 id=name"));
    check(EMPTY, moved, "1", &["setText 1 1"], "typed by set-text");
}

#[test]
fn nothing_can_be_typed_without_the_focus() {
    let world = World::new("@0,0,400,800\n @0,0,400,100 isEditable");
    let failure = input(&world, "a").unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::NotFound, "no field has the focus"));
    assert_eq!(failure.hint.as_deref(), Some("tap a text field first"));
    assert_eq!(world.actions(), [""; 0]);
}

#[test]
fn a_secret_is_in_nothing_that_is_said_about_typing_it() {
    fn spaced(text: &str) -> String {
        text.chars().map(|c| format!("{c} ")).collect::<String>().trim_end().to_owned()
    }
    for (dress, message) in [
        (first_four as fn(&str) -> String, "the field shows 4 characters 500 ms after 8 were typed"),
        (|_| "x".to_owned(), "the field shows 1 character 500 ms after 8 were typed"),
        (capitals, "typed by set-text; the field shows it as '***'"),
        (spaced, "typed by set-text; the field shows it as '***'"),
    ] {
        let world = World::with(&field(EMPTY), |setup| {
            setup.secret("word", "0pen-ses");
            setup.phone.dresses = Some(dress);
        });
        let said = input(&world, "${word}").unwrap_or_else(|failure| failure.message);
        let lines = world.lines().join("\n").to_lowercase();
        for part in ["0pen", "ses", "0 p e n"] {
            assert!(!lines.contains(part), "{part}: {lines}");
        }
        assert!(lines.contains(&message.to_lowercase()), "{said}");
    }
}

#[test]
fn a_field_that_writes_it_otherwise_is_worth_a_word_and_refused_when_strict() {
    let world = World::with(&field(EMPTY), dressing(capitals));
    input(&world, "abc").unwrap();
    assert_eq!(world.warnings(), ["the field shows 'ABC' for 'abc'"]);
    let strict = World::with(&field(EMPTY), |setup| {
        dressing(capitals)(setup);
        setup.options.strict = true;
    });
    let failure = input(&strict, "abc").unwrap_err();
    assert!(failure.message.starts_with("the field says 'ABC', not 'abc'"), "{}", failure.message);
}
