//! Java's way to write regular expressions, as the engines here understand it.

/// A pattern for the engines here.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) source: String,
    /// Looks around, refers back or forbids to go back, which no linear engine can do.
    pub(super) needs_backtracking: bool,
}

/// Rewrites quotes and escapes; what is no regular expression stays none.
pub(super) fn translate(pattern: &str) -> Translated {
    let mut reader =
        Reader { rest: pattern, out: String::with_capacity(pattern.len() + 8), needs_backtracking: false };
    reader.pattern();
    Translated { source: reader.out, needs_backtracking: reader.needs_backtracking }
}

/// The text that a quote holds, and what follows it. Without `\E` it goes to the end.
pub(super) fn split_quote(after: &str) -> (&str, &str) {
    after.split_once("\\E").unwrap_or((after, ""))
}

/// A text as a pattern for it alone, in extended mode too.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_literal(&mut out, c);
    }
    out
}

fn push_literal(out: &mut String, c: char) {
    let is_mark = matches!(c, '\u{200e}' | '\u{200f}');
    if c.is_whitespace() || c.is_control() || is_mark {
        out.push_str(&format!("\\x{{{:X}}}", c as u32));
    } else {
        out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }
}

struct Reader<'a> {
    rest: &'a str,
    out: String,
    needs_backtracking: bool,
}

/// Java's classes know ASCII only.
const SETS: [(char, &str); 5] = [
    ('d', "0-9"),
    ('w', "0-9A-Za-z_"),
    ('s', r"\x20\t\n\x0B\f\r"),
    ('h', r"\x20\t\u00A0\u1680\u180E\u2000-\u200A\u202F\u205F\u3000"),
    ('v', r"\n\x0B\f\r\u0085\u2028\u2029"),
];

/// What Java calls `\p{Alpha}` is ASCII, as in POSIX.
const POSIX: [&str; 13] = [
    "Lower", "Upper", "ASCII", "Alpha", "Digit", "Alnum", "Punct", "Graph", "Print", "Blank", "Cntrl",
    "XDigit", "Space",
];

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn take(&mut self, prefix: &str) -> bool {
        let after = self.rest.strip_prefix(prefix);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn pattern(&mut self) {
        // How many classes are open, and whether the last token said how often.
        let (mut classes, mut quantified) = (0usize, false);
        while let Some(c) = self.next() {
            let was_quantified = std::mem::take(&mut quantified);
            match c {
                '\\' => self.escaped(),
                '[' => {
                    classes += 1;
                    self.out.push('[');
                    if self.take("^") {
                        self.out.push('^');
                    }
                    // The first thing in a class is never its end.
                    if self.take("]") {
                        self.out.push_str(r"\]");
                    }
                }
                ']' => {
                    classes = classes.saturating_sub(1);
                    self.out.push(']');
                }
                '~' if classes > 0 => self.out.push_str(r"\~"),
                '(' if classes == 0 => {
                    self.needs_backtracking |=
                        ["?=", "?!", "?<=", "?<!", "?>"].iter().any(|kind| self.rest.starts_with(kind));
                    self.out.push('(');
                    if self.take("?") {
                        self.out.push('?');
                    }
                }
                '+' if was_quantified => {
                    self.needs_backtracking = true;
                    self.out.push('+');
                }
                '?' if was_quantified => self.out.push('?'),
                '*' | '+' | '?' | '}' => {
                    quantified = classes == 0;
                    self.out.push(c);
                }
                c => self.out.push(c),
            }
        }
    }

    /// What follows a backslash.
    fn escaped(&mut self) {
        let Some(c) = self.next() else { return self.out.push('\\') };
        let negated = c.is_ascii_uppercase();
        let set = SETS.iter().find(|(name, _)| *name == c || (negated && *name == c.to_ascii_lowercase()));
        match c {
            'Q' => {
                let (quoted, after) = split_quote(self.rest);
                self.out.push_str(&escape(quoted));
                self.rest = after;
            }
            _ if let Some((_, set)) = set => {
                self.out.push_str(if negated { "[^" } else { "[" });
                self.out.push_str(set);
                self.out.push(']');
            }
            'R' => self.out.push_str(r"(?:\r\n|[\n\x0B\f\r\u0085\u2028\u2029])"),
            // Where the whole text must match, nothing can follow.
            'Z' => self.out.push_str(r"\z"),
            'e' => self.out.push_str(r"\x1B"),
            'p' | 'P' => self.property(c),
            '0' => self.octal(),
            'k' | '1'..='9' => {
                self.needs_backtracking = true;
                self.out.push('\\');
                self.out.push(c);
            }
            c if c.is_ascii_alphanumeric() => {
                self.out.push('\\');
                self.out.push(c);
                // `\x{…}` is no count.
                if c == 'x' && self.take("{") {
                    let (code, after) = self.rest.split_once('}').unwrap_or((self.rest, ""));
                    self.out.push_str(&format!("{{{code}}}"));
                    self.rest = after;
                }
            }
            c => push_literal(&mut self.out, c),
        }
    }

    /// `\p{…}`: POSIX names, `IsX`, or what Unicode calls it.
    fn property(&mut self, p: char) {
        let name = match self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((name, after)) => {
                self.rest = after;
                name
            }
            None => {
                self.out.push('\\');
                return self.out.push(p);
            }
        };
        if let Some(posix) = POSIX.iter().find(|known| **known == name) {
            let not = if p == 'P' { "^" } else { "" };
            self.out.push_str(&format!("[{not}[:{}:]]", posix.to_ascii_lowercase()));
        } else {
            let name = name.strip_prefix("Is").unwrap_or(name);
            self.out.push_str(&format!("\\{p}{{{name}}}"));
        }
    }

    /// `\0` with up to three octal digits.
    fn octal(&mut self) {
        let digits = self.rest.bytes().take(3).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
        let digits = if self.rest[..digits] > *"377" && digits == 3 { 2 } else { digits };
        match u32::from_str_radix(&self.rest[..digits], 8) {
            Ok(code) => self.out.push_str(&format!("\\x{{{code:X}}}")),
            // No digit: an escape that no engine knows.
            Err(_) => self.out.push_str("\\0"),
        }
        self.rest = &self.rest[digits..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, source: &str, needs_backtracking: bool) {
        let translated = translate(pattern);
        assert_eq!(translated.source, source, "{pattern}");
        assert_eq!(translated.needs_backtracking, needs_backtracking, "{pattern}");
    }

    #[test]
    fn quotes_and_escapes_are_rewritten() {
        check(r"\Qa.b\E\d", r"a\.b[0-9]", false);
        check(r"\Qa b", r"a\x{20}b", false);
        check(r"a\\Qb", r"a\\Qb", false);
        check(r"[\d.,]\D", r"[[0-9].,][^0-9]", false);
        check(r"\<a\>\é", "<a>é", false);
        check(r"\p{Alpha}\P{Digit}\p{IsLatin}\pL", r"[[:alpha:]][^[:digit:]]\p{Latin}\pL", false);
        check(r"\0101\e", r"\x{41}\x1B", false);
        check(r"[]a]", r"[\]a]", false);
    }

    #[test]
    fn what_no_linear_engine_can_do_is_seen() {
        for pattern in
            ["a(?=b)", "(?!a)b", "(?<=a)b", "(?<!a)b", "(?>a)b", r"(a)\1", r"(?<n>a)\k<n>", "a++", "a{2}+"]
        {
            check(pattern, pattern, true);
        }
        for pattern in ["a+?", "(?<n>a)", "(?i:a)", r"[(?=]", r"a\+\+", "(?:a+)+", "[*+]"] {
            assert!(!translate(pattern).needs_backtracking, "{pattern}");
        }
    }
}
