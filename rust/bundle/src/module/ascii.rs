//! Escapes for what is not ASCII, so that columns in bytes are columns in characters.

use crate::edit::Edit;

/// What a piece of a source is, as far as escapes are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Name,
    /// A string, a template or a regular expression.
    Literal,
    /// A template whose raw text somebody may look at.
    Raw,
}

/// Edits for the characters of `text`, which stands at `at`.
pub(super) fn escapes(text: &str, at: u32, piece: Piece) -> Vec<Edit> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut edits = Vec::new();
    let mut chars = text.char_indices();
    while let Some((start, first)) = chars.next() {
        let mut c = first;
        if first == '\\' && piece == Piece::Literal {
            match chars.next() {
                // An escape that means the character itself: the backslash goes.
                Some((_, next)) if !next.is_ascii() => c = next,
                _ => continue,
            }
        }
        if c.is_ascii() {
            continue;
        }
        let escaped = match piece {
            Piece::Name => format!("\\u{{{:x}}}", u32::from(c)),
            Piece::Raw => c.to_string(),
            // A line that goes on: nothing is left of its end.
            Piece::Literal if first == '\\' && is_line_end(c) => String::new(),
            Piece::Literal => units(c),
        };
        let end = text.len() - chars.as_str().len();
        edits.push(Edit { start: at + start as u32, end: at + end as u32, text: escaped });
    }
    edits
}

/// A name in which everything that is not ASCII is escaped.
pub(crate) fn name(name: &str) -> String {
    let escape = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) };
    name.chars().map(escape).collect()
}

/// A string literal.
pub(crate) fn string(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.chars().map(|c| if c.is_ascii() { c.to_string() } else { units(c) }).collect()
}

fn units(c: char) -> String {
    let mut buffer = [0; 2];
    c.encode_utf16(&mut buffer).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, piece: Piece, expected: &str) {
        let mut out = text.to_owned();
        for edit in escapes(text, 0, piece).into_iter().rev() {
            out.replace_range(edit.start as usize..edit.end as usize, &edit.text);
        }
        assert_eq!(out, expected);
    }

    #[test]
    fn everything_becomes_ascii() {
        check("'aé😀'", Piece::Literal, "'a\\u00e9\\ud83d\\ude00'");
        check("'\\é \\\\é \\n'", Piece::Literal, "'\\u00e9 \\\\\\u00e9 \\n'");
        check("'a\\\u{2028}b'", Piece::Literal, "'ab'");
        check("größe", Piece::Name, "gr\\u{f6}\\u{df}e");
        check("`ä`", Piece::Raw, "`ä`");
        assert_eq!(string("a\"\u{2028}ä"), "\"a\\\"\\u2028\\u00e4\"");
    }
}
