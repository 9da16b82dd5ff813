//! Text from outside (apps, scripts, trail files) made fit for a terminal, for XML and for one line.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Map, Value};

/// The longest text of a step, and the longest arguments of a call, in a list of steps.
pub(crate) const LINE: usize = 200;

/// Without escape sequences and control characters: they would move the cursor of a terminal and may not
/// stand in XML. Line breaks stay, a tab becomes four spaces.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c != '\n' && is_unprintable(c)) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\n' => cleaned.push('\n'),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => cleaned.push('\n'),
            '\t' => cleaned.push_str("    "),
            c if is_unprintable(c) => {}
            c => cleaned.push(c),
        }
    }
    Cow::Owned(cleaned)
}

/// XML 1.0 forbids the two non-characters as well.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}

fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // A title or a link, up to BEL or ESC \. One that never ends must not swallow the next line.
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
    }
}

fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Everything on one line, cut to [`LINE`] characters.
pub(crate) fn one_line(text: &str) -> String {
    let words = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// Cleaned, and cut to so many characters with a note of how many are missing.
pub(crate) fn block(text: &str, max: usize) -> String {
    let text = clean(text.trim_end());
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}… ({} more characters)", &text[..end], text[end..].chars().count()),
        None => text.into_owned(),
    }
}

/// `tapOnElement {"text":"Sign in"}`
pub(crate) fn call(tool: &str, args: &Map<String, Value>) -> String {
    if args.is_empty() {
        return one_line(tool);
    }
    let args = serde_json::to_string(args).expect("a map with string keys always prints");
    one_line(&format!("{tool} {args}"))
}

/// `340 ms`, `1.2 s`, `2 min 5 s`
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// As much of a line as fits into so many columns of a terminal.
pub(crate) fn fit(line: &str, columns: usize) -> &str {
    let mut used = 0;
    for (start, c) in line.char_indices() {
        used += columns_of(c);
        if used > columns {
            return &line[..start];
        }
    }
    line
}

/// Wide where terminals draw wide: East Asian letters and emoji. Rather too wide than too narrow, because a
/// progress line that wraps cannot be cleared.
fn columns_of(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2600}'..='\u{26ff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f000}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_clean(input: &str, expected: &str) {
        assert_eq!(clean(input), expected);
    }

    #[test]
    fn escapes_and_control_characters_go() {
        check_clean("plain ✓ 日本語\nnext", "plain ✓ 日本語\nnext");
        check_clean("\u{1b}[1;31mred\u{1b}[0m", "red");
        check_clean("\u{9b}31mred", "red");
        check_clean("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{7} end", "link end");
        check_clean("\u{1b}(Bascii\u{1b}7\u{1b}", "ascii");
        check_clean("\u{1b}]0;never ended\nnext", "\nnext");
        check_clean("\u{1b}[12日", "日");
        check_clean("a\tb\r\nc\rd", "a    b\nc\nd");
        check_clean("nul\0 bell\u{7} del\u{7f} c1\u{85} non\u{fffe}\u{ffff}", "nul bell del c1 non");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(one_line("a\n  b\tc "), "a b c");
        assert_eq!(one_line(&"é".repeat(LINE)), "é".repeat(LINE));
        assert_eq!(one_line(&"é".repeat(LINE + 1)), format!("{}…", "é".repeat(LINE)));
        assert_eq!(block("ééé\n", 3), "ééé");
        assert_eq!(block("ééééé", 3), "ééé… (2 more characters)");
    }

    #[test]
    fn durations_read_well() {
        let read = [0, 340, 999, 1_000, 1_250, 59_999, 60_000, 125_400].map(duration);
        assert_eq!(read, ["0 ms", "340 ms", "999 ms", "1.0 s", "1.2 s", "59.9 s", "1 min 0 s", "2 min 5 s"]);
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "abc");
        assert_eq!(fit("日本語", 5), "日本");
        assert_eq!(fit("e\u{301}e\u{301}x", 2), "e\u{301}e\u{301}");
    }
}
