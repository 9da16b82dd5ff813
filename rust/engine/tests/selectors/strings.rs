//! How texts are compared in either dialect.

use trailblaze_engine::matching::native;
use trailblaze_model::pattern::Dialect;
use trailblaze_model::screen::{NodeSpec, Prop, Screen, ScreenBuilder};
use trailblaze_model::selector::{Field, NodeSelector, Predicates};

use trailblaze_model::pattern::Pattern;

const NATIVE: Dialect = Dialect::Native;
const MAESTRO: Dialect = Dialect::Maestro;

fn screen(dialect: Dialect, text: &str) -> Screen {
    let mut builder = ScreenBuilder::new(1, 1, 0).dialect(dialect);
    builder.open(NodeSpec::default().with(Prop::Text, text)).unwrap();
    builder.finish()
}

fn with_text(dialect: Dialect, pattern: &str) -> NodeSelector {
    let mut predicates = Predicates::new(dialect);
    predicates.texts.push((Field::Resolved, Pattern::new(pattern, dialect)));
    NodeSelector::of(predicates)
}

#[track_caller]
fn check(dialect: Dialect, pattern: &str, fitting: &[&str], others: &[&str]) {
    let texts = fitting.iter().map(|text| (text, true)).chain(others.iter().map(|text| (text, false)));
    for (text, fits) in texts {
        let found = native::resolve(&screen(dialect, text), &with_text(dialect, pattern));
        assert_eq!(!found.is_empty(), fits, "{dialect:?} {pattern:?} and {text:?}");
    }
}

#[test]
fn the_whole_text_must_match() {
    check(NATIVE, "Save", &["Save"], &["Save all", "To Save", "save", "Save\n", " Save"]);
    check(MAESTRO, "Save", &["Save", "SAVE"], &["Save all", "Save\n", "a\nSave"]);
    check(NATIVE, "a|ab", &["a", "ab"], &["abb", "b"]);
    check(NATIVE, "a.*", &["a", "abc"], &["a\nb", "ba"]);
    check(MAESTRO, "a.*", &["a\nb"], &["ba"]);
}

#[test]
fn multi_line_moves_anchors_inside_only() {
    check(MAESTRO, "^b$", &["b"], &["a\nb", "b\nc"]);
    check(MAESTRO, r"a$\n^b", &["a\nb"], &["a b"]);
    check(NATIVE, r"a$\n^b", &[], &["a\nb"]);
    check(NATIVE, r"(?m)a$\n^b", &["a\nb"], &["ab"]);
}

#[test]
fn the_very_same_text_always_matches() {
    check(NATIVE, "$5.00", &["$5.00"], &["$5,00", "5.00"]);
    check(NATIVE, "Total (net)", &["Total (net)", "Total net"], &["Total (gross)"]);
    check(NATIVE, "C++", &["C++"], &["c++"]);
    check(MAESTRO, "$5.00 OFF", &["$5.00 OFF"], &["$5.00 off"]);
    check(NATIVE, r"\Qa", &[r"\Qa", "a"], &["Qa"]);
}

#[test]
fn what_is_no_pattern_is_a_text() {
    check(NATIVE, "a(", &["a("], &["A(", "a"]);
    check(MAESTRO, "a(", &["a(", "A("], &["a"]);
    check(NATIVE, "[", &["["], &[""]);
    check(NATIVE, "*a", &["*a"], &["a"]);
    check(MAESTRO, "É(", &["é("], &["e("]);
}

#[test]
fn quotes_are_those_of_java() {
    check(NATIVE, r"\Qa.b\E", &["a.b", r"\Qa.b\E"], &["axb"]);
    check(NATIVE, r"x\Q.+\E\d", &["x.+1"], &["xaa1"]);
    check(NATIVE, r"x\Q.+", &["x.+"], &["xaa"]);
    check(NATIVE, r"\Qa\E|\Qb.\E", &["a", "b."], &["bc"]);
    check(NATIVE, r"a\\Q.", &[r"a\Qb", r"a\\Q."], &["a."]);
    check(NATIVE, r"\Q\d\E+", &[r"\d", r"\ddd"], &["1"]);
    check(MAESTRO, r"\QA.b\E", &["a.B"], &["axb"]);
}

#[test]
fn flags_can_stand_inside() {
    check(NATIVE, "(?i)save", &["SAVE"], &["SAVED"]);
    check(NATIVE, "(?s)a.b", &["a\nb"], &["ab"]);
    check(NATIVE, "(?x) a b # c", &["ab"], &["a b"]);
    check(NATIVE, "(?is)a.b", &["A\nB"], &[]);
    check(NATIVE, "(?i:a)b", &["Ab", "ab"], &["AB"]);
    check(NATIVE, "(?i)a(?-i)b", &["Ab"], &["AB"]);
    check(NATIVE, "(?i)x(?s-i)a.b", &["Xa\nb"], &["XA\nB"]);
    check(MAESTRO, "(?-i)Save", &["Save"], &["save"]);
    check(MAESTRO, "(?-s)a.b", &["AxB"], &["a\nb"]);
    check(MAESTRO, "(?-i:S)ave", &["SAVE"], &["save"]);
}

#[test]
fn an_empty_pattern_matches_only_nothing() {
    for dialect in [NATIVE, MAESTRO] {
        check(dialect, "", &[""], &[" ", "a"]);
    }
}

#[test]
fn characters_are_code_points_and_nothing_is_trimmed() {
    check(NATIVE, ".", &["é", "😀", "漢"], &["e\u{301}", "👍🏽", ""]);
    check(NATIVE, "é", &["é"], &["e\u{301}", "e", " é"]);
    check(MAESTRO, "ÉTÉ", &["été"], &["ete"]);
    check(MAESTRO, "привет", &["ПРИВЕТ"], &[]);
    check(NATIVE, r"\d+", &["12"], &["١٢", ""]);
}

#[test]
fn look_around_and_back_references_work() {
    check(NATIVE, "(?!Delete).*", &["Save"], &["Delete", "Delete all"]);
    check(NATIVE, "(?=.*a)(?=.*b).+", &["xaxb"], &["xa"]);
    check(NATIVE, r".*(?<=\d)€", &["5€"], &["x€"]);
    check(NATIVE, r"(?<!-).+", &["a", "-a"], &[""]);
    check(NATIVE, r"(\w+) \1", &["a a"], &["a b", "a A"]);
    check(MAESTRO, r"(\w+) \1", &["a A"], &["a b"]);
    check(MAESTRO, "(?!delete).*", &["Save"], &["DELETE"]);
}

#[test]
fn a_pattern_out_of_steps_matches_nothing_and_says_so() {
    let text = "a".repeat(60);
    let selector = with_text(NATIVE, r"(?=b?)(a|aa)+\1c");
    let error = native::try_resolve(&screen(NATIVE, &text), &selector).unwrap_err();
    assert_eq!(error.to_string(), r"the pattern '(?=b?)(a|aa)+\1c' needs too many steps");
    assert!(native::try_resolve_for_tool(&screen(NATIVE, &text), &selector).is_err());
    assert_eq!(native::resolve(&screen(NATIVE, &text), &selector), []);
    assert_eq!(native::try_resolve(&screen(NATIVE, "aaac"), &selector).map(|found| found.len()), Ok(1));
    // The usual engine needs no steps.
    assert!(
        native::try_resolve(&screen(NATIVE, &text.repeat(1_000)), &with_text(NATIVE, "(a|aa)+c")).is_ok()
    );
}
