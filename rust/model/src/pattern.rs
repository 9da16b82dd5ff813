//! Texts in selectors: a regular expression that must match the whole string, or the very same string.

use regex::{Regex, RegexBuilder};

/// Which flags a pattern is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// No flags.
    Native,
    /// Ignore case, dot matches newline, multi-line.
    Maestro,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// None when the text is no regular expression of the native dialect.
    regex: Option<Regex>,
    error: Option<String>,
}

impl Pattern {
    /// Compiles; a text that is no regular expression is taken literally (see [`Pattern::error`]).
    pub fn new(text: &str, dialect: Dialect) -> Self {
        let (regex, error) = match compile(&translate_quotes(text), dialect) {
            Ok(regex) => (Some(regex), None),
            Err(error) => {
                let literal = (dialect == Dialect::Maestro)
                    .then(|| compile(&regex::escape(text), dialect).ok())
                    .flatten();
                (literal, Some(error))
            }
        };
        Self { text: text.to_owned(), regex, error }
    }

    /// A pattern that finds `text` anywhere, whatever stands in it, ignoring case.
    pub fn containing(text: &str) -> Self {
        let source = format!(".*{}.*", regex::escape(text));
        Self { text: text.to_owned(), regex: compile(&source, Dialect::Maestro).ok(), error: None }
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the text is no regular expression.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    pub fn matches(&self, value: &str) -> bool {
        value == self.text || self.regex.as_ref().is_some_and(|regex| regex.is_match(value))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let source = |pattern: &Self| pattern.regex.as_ref().map(|regex| regex.as_str().to_owned());
        self.text == other.text && source(self) == source(other)
    }
}

/// Whole-string match whatever the flags: `\A` and `\z` are not moved by multi-line mode.
fn compile(source: &str, dialect: Dialect) -> Result<Regex, String> {
    // Inside of the group `a)(b` would be a regular expression, which alone it is not.
    if source.contains(')') {
        build(source, dialect)?;
    }
    let whole = build(&format!(r"\A(?:{source})\z"), dialect);
    // In extended mode a comment goes on to the end of the line, and would take the group's end with it.
    if whole.is_err() && source.contains('#') {
        return build(&format!("\\A(?:{source}\n)\\z"), dialect);
    }
    whole
}

fn build(source: &str, dialect: Dialect) -> Result<Regex, String> {
    let maestro = dialect == Dialect::Maestro;
    RegexBuilder::new(source)
        .case_insensitive(maestro)
        .dot_matches_new_line(maestro)
        .multi_line(maestro)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| {
            let text = error.to_string();
            text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })
}

/// `\Q…\E` quotes; without `\E` it quotes to the end.
fn translate_quotes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(quoted) = rest.strip_prefix("\\Q") {
            let (literal, after) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            out.push_str(&regex::escape(literal));
            rest = after;
        } else {
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(index, _)| index);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, pattern: &str, matching: &[&str], other: &[&str]) {
        let compiled = Pattern::new(pattern, dialect);
        for value in matching {
            assert!(compiled.matches(value), "{pattern:?} should match {value:?}");
        }
        for value in other {
            assert!(!compiled.matches(value), "{pattern:?} should not match {value:?}");
        }
    }

    #[test]
    fn the_whole_string_must_match() {
        check(Dialect::Native, "Save", &["Save"], &["Save all", "save", ""]);
        check(Dialect::Maestro, "save", &["Save", "SAVE"], &["Save all", "a\nsave"]);
        check(Dialect::Maestro, "a.*b", &["a\nB"], &["a\nb\nc"]);
        check(Dialect::Native, "", &[""], &["x"]);
    }

    #[test]
    fn the_same_text_matches_whatever_stands_in_it() {
        check(Dialect::Native, "$5.00 (net)", &["$5.00 (net)"], &["$5.00 (NET)"]);
        check(Dialect::Maestro, "Total (", &["total ("], &["Total"]);
        assert!(Pattern::new("Total (", Dialect::Maestro).error().is_some());
    }

    #[test]
    fn quotes_and_flags_read_like_java() {
        check(Dialect::Native, r"\Qa.b\E\d", &["a.b1"], &["axb1"]);
        check(Dialect::Native, r"\Q1+1", &["1+1"], &["11"]);
        check(Dialect::Native, r"a\\Q", &[r"a\Q"], &["a"]);
        check(Dialect::Native, "(?i)save", &["SAVE"], &[]);
        check(Dialect::Maestro, "(?-i)Save", &["Save"], &["save"]);
    }

    #[test]
    fn a_pattern_is_a_regular_expression_on_its_own() {
        check(Dialect::Native, "a)(b", &["a)(b"], &["ab"]);
        assert!(Pattern::new("a)(b", Dialect::Native).error().is_some());
        check(Dialect::Native, "(?x) a b # both", &["ab"], &["a b"]);
        check(Dialect::Native, "a #", &["a #"], &["a #\n", "a"]);
        check(Dialect::Native, "a|b", &["a", "b"], &["ab"]);
    }

    #[test]
    fn a_substring_is_found_anywhere() {
        let pattern = Pattern::containing("a+b");
        assert!(pattern.matches("x A+B\ny") && !pattern.matches("aab"));
    }
}
