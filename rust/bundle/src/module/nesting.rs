//! How deep a source nests, before a parser that calls itself finds out.

use std::{panic, thread};

/// What people write nests some ten deep, and what machines write some hundred.
pub(super) const MAX: usize = 1_000;

/// Long chains of operators nest too, without any bracket.
const STACK: usize = 256 << 20;

/// Runs what calls itself for each level of a source. Of the stack, only what is used takes memory.
pub(super) fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread =
            thread::Builder::new().name("parser".to_owned()).stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.expect("address space for one more stack is left");
        thread.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    })
}

/// Where a source nests deeper than [`MAX`].
///
/// Types nest by `<` too, which cannot be told from a comparison here; it counts until the statement or the bracket
/// around it ends.
pub(super) fn too_deep(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut angles = 0_usize;
    let mut before = b';';
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let mut length = 1;
        match byte {
            b'\'' | b'"' => length = quoted(rest, byte),
            b'/' if rest.starts_with(b"//") => length = line(rest),
            b'/' if rest.starts_with(b"/*") => length = find(rest, 2, b"*/"),
            b'/' if !ends_value(before) => length = regex(rest),
            b'(' | b'[' | b'{' => open.push(Open { angles, is_template: false }),
            b'`' => {
                let (end, is_open) = template(rest);
                length = end;
                open.extend(is_open.then_some(Open { angles, is_template: true }));
            }
            b')' | b']' | b'}' => {
                if let Some(closed) = open.pop() {
                    angles = closed.angles;
                    if closed.is_template && byte == b'}' {
                        let (end, is_open) = template(rest);
                        length = end;
                        open.extend(is_open.then_some(closed));
                    }
                }
            }
            b'<' => angles += 1,
            b'>' if before != b'=' => angles = angles.saturating_sub(1),
            b';' => angles = open.last().map_or(0, |open| open.angles),
            _ => {}
        }
        if open.len() + angles > MAX {
            return Some(at as u32);
        }
        let is_comment = rest.starts_with(b"//") || rest.starts_with(b"/*");
        if !byte.is_ascii_whitespace() && !is_comment {
            before = byte;
        }
        at += length;
    }
    None
}

#[derive(Clone, Copy)]
struct Open {
    /// How many `<` were open around it.
    angles: usize,
    is_template: bool,
}

/// Behind a value, a slash divides.
fn ends_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_$)]}\'\"`".contains(&byte)
}

fn line(text: &[u8]) -> usize {
    text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len())
}

/// The length up to the end of `end`.
fn find(text: &[u8], from: usize, end: &[u8]) -> usize {
    let found = text.get(from..).and_then(|rest| rest.windows(end.len()).position(|window| window == end));
    found.map_or(text.len(), |at| from + at + end.len())
}

/// The length of a string, or up to the end of its line.
fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The length of a regular expression; one byte when its line does not end it.
fn regex(text: &[u8]) -> usize {
    let mut in_class = false;
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}

/// The length of a piece of a template, and whether a `${` ends it.
fn template(text: &[u8]) -> (usize, bool) {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'`' => return (at + 1, false),
            b'$' if text.get(at + 1) == Some(&b'{') => return (at + 2, true),
            _ => {}
        }
        at += 1;
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<usize>) {
        assert_eq!(too_deep(text), expected.map(|at| at as u32), "{}", &text[..text.len().min(80)]);
    }

    #[test]
    fn brackets_of_all_kinds_nest() {
        for open in ["(", "[", "{", "<", "`${"] {
            check(&open.repeat(MAX), None);
            check(&open.repeat(MAX + 1), Some(MAX * open.len()));
        }
        check(&format!("{}{}", "[".repeat(MAX), "][".repeat(MAX)), None);
        check(&"Array<".repeat(MAX + 1), Some(MAX * 6 + 5));
        check(&"A<() => ".repeat(MAX + 1), Some(MAX * 8 - 6));
    }

    #[test]
    fn what_does_not_nest_does_not_count() {
        for piece in [
            "'((' + \"[[\" + `{{(` + /[(/](/ // ((\n/* (( */\n",
            "'it\\'s ((';\n",
            "`a${ `b${ [1] }` }((`;\n",
            "if (a < b) { x = a < b; }\n",
            "const f = (a: Array<number>) => a < 2;\n",
            "x = a / 2 + (b) / 3;\n",
            "))]]}}>>",
        ] {
            check(&piece.repeat(MAX * 2), None);
        }
    }
}
