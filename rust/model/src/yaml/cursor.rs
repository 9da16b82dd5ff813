//! Looks at the text beside the marks of the YAML parser, which say where a value begins but not always
//! where it ends: those of brackets and quotes go on over the blanks and the comment behind them.

use std::str::Chars;

use saphyr_parser::{Marker, Span};

use crate::place::Place;

pub(super) fn place(marker: Marker) -> Place {
    Place { line: marker.line() as u32, column: marker.col() as u32 + 1 }
}

/// Finds characters by their index. It only moves forward, as the marks do, so that all looks together
/// cost one pass over the text.
pub(super) struct Cursor<'a> {
    chars: Chars<'a>,
    index: usize,
    last: Option<char>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { chars: text.chars(), index: 0, last: None }
    }

    pub(super) fn char_before(&mut self, index: usize) -> Option<char> {
        if index > self.index {
            self.last = self.chars.nth(index - self.index - 1);
            self.index = index;
        }
        self.last
    }

    /// Whether the mark of a collection has the bracket that opens it. It begins with the anchor and the
    /// tag, and ends behind the blanks and the comment that follow the bracket.
    pub(super) fn has_bracket(&mut self, span: Span) -> bool {
        self.char_before(span.start.index());
        let mut rest = self.chars.clone().take(span.len());
        while let Some(c) = rest.next() {
            match c {
                '[' | '{' => return true,
                '#' => drop(rest.by_ref().find(|c| matches!(c, '\n' | '\r'))),
                '!' if rest.clone().next() == Some('<') => drop(rest.by_ref().find(|c| *c == '>')),
                '&' | '!' => {
                    let ends = |c: &char| c.is_whitespace() || matches!(c, '[' | '{');
                    if rest.by_ref().find(ends).is_some_and(|c| !c.is_whitespace()) {
                        return true;
                    }
                }
                c if c.is_whitespace() => {}
                _ => return false,
            }
        }
        false
    }

    /// The place behind a closing bracket; a comma before it is marked instead of it.
    pub(super) fn behind_bracket(&mut self, mark: Marker) -> Place {
        let mut comment = false;
        self.scan(mark, |c, _| {
            let found = !comment && matches!(c, ']' | '}');
            comment = c != '\n' && (comment || c == '#');
            found
        })
    }

    /// The place behind the quote that closes a text; an anchor or a tag may stand before the text.
    pub(super) fn behind_quote(&mut self, mark: Marker, quote: char) -> Place {
        let mut open = false;
        let mut escaped = false;
        self.scan(mark, |c, next| {
            if escaped {
                escaped = false;
                return false;
            }
            if !open {
                open = c == quote;
                return false;
            }
            let doubled = quote == '\'' && c == quote && next == Some(quote);
            escaped = doubled || (quote == '"' && c == '\\');
            c == quote && !doubled
        })
    }

    /// The place behind the first character, from a mark on, that is the one; with the next character.
    fn scan(&mut self, mark: Marker, mut is_last: impl FnMut(char, Option<char>) -> bool) -> Place {
        let mut end = place(mark);
        self.char_before(mark.index());
        let mut rest = self.chars.clone().peekable();
        while let Some(c) = rest.next() {
            let next = rest.peek().copied();
            end.column += 1;
            if c == '\n' || (c == '\r' && next != Some('\n')) {
                end = Place { line: end.line + 1, column: 1 };
            }
            if is_last(c, next) {
                break;
            }
        }
        end
    }
}
