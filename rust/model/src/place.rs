//! Where something stands in a source file.

use std::fmt;
use std::sync::Arc;

/// The text of one document and the name under which people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as it is shown, with `/` as separator.
    pub file: Arc<str>,
    pub text: Arc<str>,
}

/// Editors do not show it, so no column counts it.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl Source {
    pub fn new(file: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { file: file.into(), text: text.into() }
    }

    /// The text without the byte order mark.
    pub fn body(&self) -> &str {
        self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.text)
    }

    /// The line (1-based) without its line ending.
    pub fn line(&self, line: u32) -> Option<&str> {
        let start = self.line_start(line)?;
        let rest = &self.text[start..];
        if rest.is_empty() && line > 1 {
            return None;
        }
        Some(rest.split(['\n', '\r']).next().unwrap_or(rest))
    }

    /// The byte at which a place stands; the end of the text when it lies behind it.
    pub fn offset(&self, place: Place) -> usize {
        let Some(start) = self.line_start(place.line) else { return self.text.len() };
        let rest = &self.text[start..];
        let column = place.column.saturating_sub(1) as usize;
        start + rest.char_indices().nth(column).map_or(rest.len(), |(offset, _)| offset)
    }

    /// Where a line begins. YAML ends lines with `\n`, `\r\n` and a lone `\r`.
    fn line_start(&self, line: u32) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let first = self.text.len() - self.body().len();
        let breaks = (first..bytes.len())
            .filter(|&at| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
        std::iter::once(first).chain(breaks.map(|at| at + 1)).nth(line.checked_sub(1)? as usize)
    }
}

/// A position inside one document: 1-based line, 1-based column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub const START: Self = Self { line: 1, column: 1 };
    /// The place of something that no file holds.
    pub const NOWHERE: Self = Self { line: 0, column: 0 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A position together with its file: what an error prints first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePlace {
    pub file: Arc<str>,
    pub place: Place,
}

impl FilePlace {
    /// `file:line:column`
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Self { file: parts.next()?.into(), place: Place { line, column } })
    }
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, place: (u32, u32), line: Option<&str>, rest: &str) {
        let source = Source::new("a.yaml", text);
        let place = Place { line: place.0, column: place.1 };
        assert_eq!(source.line(place.line), line);
        assert_eq!(&source.text[source.offset(place)..], rest);
    }

    #[test]
    fn lines_end_in_every_way_that_yaml_has() {
        check("a\nbc\n", (2, 2), Some("bc"), "c\n");
        check("a\r\nbc\r\n", (2, 2), Some("bc"), "c\r\n");
        check("a\rbc", (2, 2), Some("bc"), "c");
        check("a\n", (2, 1), None, "");
        check("a\n\nb", (2, 1), Some(""), "\nb");
        check("", (1, 1), Some(""), "");
        check("a", (0, 1), None, "");
    }

    #[test]
    fn columns_count_characters_and_no_byte_order_mark() {
        check("äö: x", (1, 3), Some("äö: x"), ": x");
        check("\u{feff}ab\ncd", (1, 2), Some("ab"), "b\ncd");
        check("\u{feff}ab\ncd", (2, 2), Some("cd"), "d");
    }
}
