//! A source with pieces of it replaced, printed with a mapping for every word.

use trailblaze_model::source_map::Writer;

/// A piece of a source and what stands there instead; an empty piece is a place to insert at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) text: String,
}

/// Code as it grows, with its map. All of it is ASCII, because QuickJS counts the columns of a stack in bytes.
#[derive(Debug, Default)]
pub(crate) struct Printer {
    pub(crate) code: String,
    pub(crate) map: Writer,
    line: u32,
    column: u32,
}

/// Where in a source the printer is, 0-based; columns in UTF-16 units, as source maps have them.
#[derive(Clone, Copy)]
struct From {
    source: u32,
    line: u32,
    column: u32,
}

impl Printer {
    /// Code that no source has.
    pub(crate) fn glue(&mut self, text: &str) {
        for c in text.chars() {
            self.push(c);
        }
    }

    /// The source with its edits. Of edits that overlap, the first and longest counts.
    pub(crate) fn source(&mut self, source: u32, text: &str, mut edits: Vec<Edit>) {
        edits.sort_by_key(|edit| (edit.start, edit.start != edit.end, std::cmp::Reverse(edit.end)));
        let mut from = From { source, line: 0, column: 0 };
        let mut at = 0;
        for edit in edits {
            let (start, end) = (edit.start as usize, edit.end as usize);
            if start < at {
                continue;
            }
            self.copy(&text[at..start], &mut from);
            if !edit.text.trim().is_empty() {
                self.mark(from);
            }
            self.glue(&edit.text);
            skip(&text[start..end], &mut from);
            self.mark(from);
            at = end;
        }
        self.copy(&text[at..], &mut from);
    }

    fn copy(&mut self, text: &str, from: &mut From) {
        let mut chars = text.chars().peekable();
        let mut in_word = false;
        while let Some(c) = chars.next() {
            let is_word = c.is_ascii_alphanumeric() || c == '_' || c == '$';
            let goes_on = is_word && in_word;
            if !c.is_whitespace() && !goes_on {
                self.mark(*from);
            }
            in_word = is_word;
            if c == '\r' && chars.peek() == Some(&'\n') {
                continue;
            }
            step(c, from);
            match c {
                '\r' | '\u{2028}' | '\u{2029}' => self.push('\n'),
                // Strings and names have edits, so what is left stands in comments or is white space.
                c if !c.is_ascii() => (0..c.len_utf16()).for_each(|_| self.push(' ')),
                c => self.push(c),
            }
        }
    }

    fn push(&mut self, c: char) {
        self.code.push(c);
        if c == '\n' {
            (self.line, self.column) = (self.line + 1, 0);
        } else {
            self.column += c.len_utf8() as u32;
        }
    }

    fn mark(&mut self, from: From) {
        self.map.add(self.line, self.column, Some((from.source, from.line, from.column)));
    }
}

fn skip(text: &str, from: &mut From) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\r' || chars.peek() != Some(&'\n') {
            step(c, from);
        }
    }
}

/// The same line ends that [`trailblaze_model::place::Source`] has.
fn step(c: char, from: &mut From) {
    match c {
        '\n' | '\r' => (from.line, from.column) = (from.line + 1, 0),
        c => from.column += c.len_utf16() as u32,
    }
}

/// As many blanks as the text is long, in the same lines.
pub(crate) fn blank(text: &str) -> String {
    let mut blank = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => blank.push(c),
            '\u{2028}' | '\u{2029}' => blank.push('\n'),
            c => (0..c.len_utf16()).for_each(|_| blank.push(' ')),
        }
    }
    blank.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trailblaze_model::source_map::{self, SourceMap};

    type Place = (u32, u32);

    #[track_caller]
    fn check(text: &str, edits: &[(u32, u32, &str)], code: &str, places: &[(Place, Place)]) {
        let edits = edits.iter().map(|&(start, end, text)| Edit { start, end, text: text.into() }).collect();
        let mut printer = Printer::default();
        printer.glue("//\n");
        printer.source(0, text, edits);
        assert_eq!(printer.code, format!("//\n{code}"));
        let map = source_map::print(&["a".into()], &printer.map.finish(1));
        let map = SourceMap::parse(&map).expect("it reads");
        for &((line, column), expected) in places {
            let found = map.lookup(line + 1, column).map(|(_, place)| (place.line, place.column));
            assert_eq!(found, Some(expected), "{line}:{column}");
        }
    }

    #[test]
    fn places_survive_edits() {
        check("let a = b", &[(8, 9, "m.b")], "let a = m.b", &[((1, 9), (1, 9)), ((1, 11), (1, 9))]);
        check("f(a) + g", &[(2, 3, "abc")], "f(abc) + g", &[((1, 6), (1, 4)), ((1, 10), (1, 8))]);
        check("a\r\nb c", &[(0, 0, "x ")], "x a\nb c", &[((1, 3), (1, 1)), ((2, 3), (2, 3))]);
        check("/* ö😀 */ a", &[], "/*     */ a", &[((1, 11), (1, 11))]);
    }

    #[test]
    fn of_overlapping_edits_the_longest_counts() {
        check("abcd", &[(1, 2, "x"), (0, 3, "y"), (0, 0, ">")], ">yd", &[]);
    }

    #[test]
    fn blanks_keep_the_lines() {
        assert_eq!(blank("a\r\n😀b\rc"), " \n   \n ");
    }
}
