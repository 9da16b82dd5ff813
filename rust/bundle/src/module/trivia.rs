//! Looking between the nodes of the tree, past blanks and comments.

/// The next byte that is neither blank nor comment, from `at` on, and whether a line ended before it.
pub(super) fn next(text: &str, at: u32) -> Option<(u32, u8, bool)> {
    let bytes = text.as_bytes();
    let mut at = at as usize;
    let mut line_ended = false;
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("//") {
            at += rest.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            line_ended |= rest[..end].contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            at += end;
        } else {
            let c = rest.chars().next()?;
            if !c.is_whitespace() && c != '\u{feff}' {
                return Some((at as u32, bytes[at], line_ended));
            }
            line_ended |= matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
            at += c.len_utf8();
        }
    }
}

/// Where a mark such as `?` stands as the next thing from `at` on.
pub(super) fn mark(text: &str, at: u32, mark: u8) -> Option<u32> {
    next(text, at).filter(|(_, byte, _)| *byte == mark).map(|(at, ..)| at)
}

/// The words from `start` up to `end` or to the first thing that is no word.
pub(super) fn words(text: &str, start: u32, end: u32) -> Vec<(u32, &str)> {
    let mut words = Vec::new();
    let mut at = start;
    while let Some((start, ..)) = next(text, at).filter(|(start, ..)| *start < end) {
        let rest = &text[start as usize..end as usize];
        let length =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        if length == 0 {
            break;
        }
        words.push((start, &rest[..length]));
        at = start + length as u32;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_looked_past() {
        assert_eq!(next("a // ?\n /* ? */ ?", 1), Some((16, b'?', true)));
        assert_eq!(next("a /* ? */ ?", 1), Some((10, b'?', false)));
        assert_eq!(next("a // ", 1), None);
        assert_eq!(mark("a/*:*/?:", 1, b'?'), Some(6));
        assert_eq!(mark("a:", 1, b'?'), None);
        assert_eq!(words("public /* x */ static [a]", 0, 23), [(0, "public"), (15, "static")]);
    }
}
