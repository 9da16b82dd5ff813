//! Texts as patterns.

/// What can mean something in a pattern.
const SPECIAL: &str = r"\.[]{}()*+?^$|";

/// Plain where nothing in the text is special, quoted otherwise.
pub(super) fn literal(text: &str) -> String {
    if text.contains(|c| SPECIAL.contains(c)) { quoted(text) } else { text.to_owned() }
}

/// A class or an id, whose dots are left alone.
pub(super) fn name(text: &str) -> String {
    if text.contains(|c| c != '.' && SPECIAL.contains(c)) { quoted(text) } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    format!(r"\Q{}\E", text.replace(r"\E", r"\E\\E\Q"))
}

/// The text between `\Q` and `\E` when the pattern is nothing else.
pub(super) fn unquoted(pattern: &str) -> Option<&str> {
    pattern.strip_prefix(r"\Q")?.strip_suffix(r"\E").filter(|text| !text.contains(r"\E"))
}

/// A text that ends with a count, which changes from day to day: any number stands for it.
pub(super) fn widened(text: &str) -> Option<String> {
    let is_number = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',')
    };
    let trimmed = |head: &str| {
        let head = head.trim_end_matches(|c: char| c.is_ascii_whitespace());
        (!head.trim().is_empty()).then(|| quoted(head))
    };
    if let Some((head, count)) = text.rsplit_once('(')
        && count.strip_suffix(')').is_some_and(is_number)
    {
        return Some(trimmed(head)? + r"\s*\(\d[\d.,]*\)");
    }
    let (head, count) = text.rsplit_once(|c: char| c.is_ascii_whitespace())?;
    if is_number(count) { Some(trimmed(head)? + r"\s+\d[\d.,]*") } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trailblaze_model::pattern::{Dialect, Pattern};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let pattern = widened(text).unwrap_or_else(|| literal(text));
        assert_eq!(pattern, expected);
        assert!(Pattern::new(&pattern, Dialect::Native).matches(text), "{text:?} is not its own pattern");
    }

    #[test]
    fn counts_at_the_end_are_any_number() {
        check("Inbox (12)", r"\QInbox\E\s*\(\d[\d.,]*\)");
        check("Inbox(1,200.5)", r"\QInbox\E\s*\(\d[\d.,]*\)");
        check("Cart 3", r"\QCart\E\s+\d[\d.,]*");
        check("a\u{a0} 3", "\\Qa\u{a0}\\E\\s+\\d[\\d.,]*");
        check("a\\E 3", r"\Qa\E\\E\Q\E\s+\d[\d.,]*");
    }

    #[test]
    fn a_number_alone_is_no_count() {
        check("12", "12");
        check("(12)", r"\Q(12)\E");
        check(" 12", " 12");
        check("Cart 3rd", "Cart 3rd");
        check("Cart .3", r"\QCart .3\E");
        check("Inbox (12", r"\QInbox (12\E");
    }

    #[test]
    fn only_what_is_special_is_quoted() {
        check("Sign-in #1 & more", "Sign-in #1 & more");
        check("$5.00", r"\Q$5.00\E");
        check(r"a\Eb", r"\Qa\E\\E\Qb\E");
        check("a\\", "\\Qa\\\\E");
        assert_eq!(name("com.a:id/b"), "com.a:id/b");
        assert_eq!(name("com.a.B$C"), r"\Qcom.a.B$C\E");
        assert_eq!(unquoted(r"\Qa.b\E"), Some("a.b"));
        assert_eq!(unquoted(r"\Qa\E\s\Qb\E"), None);
    }
}
