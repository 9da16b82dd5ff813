//! What the tests of documents share.

use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::place::Source;

/// The errors and warnings of a document as a person sees them. The newline that begins a raw string for
/// the sake of its layout is not part of the document.
#[track_caller]
pub(crate) fn check_problems<T>(
    read: fn(&Source, &mut Diagnostics) -> Option<T>,
    text: &str,
    expected: &str,
) {
    let mut problems = Diagnostics::new();
    let document = read(&Source::new("a.yaml", layout(text)), &mut problems);
    assert_eq!(document.is_none(), problems.has_errors(), "a document reads exactly when it has no errors");
    let shown: Vec<String> = problems.sorted().iter().map(ToString::to_string).collect();
    assert_text(&shown.join("\n"), layout(expected).trim_end());
}

/// A document without errors: what it prints as reads as the same.
#[track_caller]
pub(crate) fn check_prints<T: PartialEq + std::fmt::Debug>(
    read: fn(&Source, &mut Diagnostics) -> Option<T>,
    print: fn(&T) -> String,
    text: &str,
    expected: &str,
) -> T {
    let mut problems = Diagnostics::new();
    let Some(document) = read(&Source::new("a.yaml", layout(text)), &mut problems) else {
        panic!("{:#?}", problems.sorted())
    };
    let printed = print(&document);
    assert_text(&printed, layout(expected));
    let again = read(&Source::new("b.yaml", printed), &mut problems);
    assert_eq!(again.as_ref(), Some(&document));
    document
}

fn layout(text: &str) -> &str {
    text.strip_prefix('\n').unwrap_or(text)
}

#[track_caller]
fn assert_text(actual: &str, expected: &str) {
    assert!(actual == expected, "expected:\n{expected}\n\nactual:\n{actual}\n");
}
