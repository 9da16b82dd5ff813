//! Texts in selectors: a regular expression that must match the whole string, or the very same string.

mod java;

use std::fmt;

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
    way: Way,
    error: Option<String>,
}

/// How a text is compared. Most patterns are plain words, which need no regular expression.
#[derive(Clone, Debug)]
enum Way {
    /// Only this text.
    Exact(String),
    /// The same text in any case; folded.
    Folded(String),
    /// Anywhere in the text, in any case; folded.
    Within(String),
    /// A dot stands for any character of a line; the rest must be the same. Class names and ids are such.
    Dotted(String),
    /// A dot stands for any character; the rest may be in any case; folded.
    FoldedDotted(String),
    Regex(Regex),
    /// With look-around or back-references: within a budget of steps.
    Backtracking(fancy_regex::Regex),
}

/// So often a pattern may go back on one text, and so long may the text be.
const MAX_STEPS: usize = 100_000;
const MAX_BACKTRACKED_TEXT: usize = 4_000;

/// A pattern with look-around or back-references took too long on a text, so nobody knows whether it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverBudget {
    pub pattern: String,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pattern '{}' needs too many steps", self.pattern)
    }
}

impl std::error::Error for OverBudget {}

impl Pattern {
    /// Compiles; a text that is no regular expression is taken literally (see [`Pattern::error`]).
    pub fn new(text: &str, dialect: Dialect) -> Self {
        let literal = |text: &str| match dialect {
            Dialect::Native => Way::Exact(text.to_owned()),
            Dialect::Maestro => ignoring_case(text, Way::Folded, |quoted| quoted),
        };
        let (way, error) = match plain(text) {
            Some(plain) => (literal(&plain), None),
            None if text.chars().all(|c| c == '.' || !is_special(c)) && text.is_ascii() => match dialect {
                Dialect::Native => (Way::Dotted(text.to_owned()), None),
                Dialect::Maestro => (Way::FoldedDotted(text.to_ascii_lowercase()), None),
            },
            None => match compile_java(text, dialect) {
                Ok(way) => (way, None),
                Err(error) => (literal(text), Some(error)),
            },
        };
        Self { text: text.to_owned(), way, error }
    }

    /// A pattern that finds `text` anywhere, whatever stands in it, ignoring case.
    pub fn containing(text: &str) -> Self {
        let way = ignoring_case(text, Way::Within, |quoted| format!(".*{quoted}.*"));
        Self { text: text.to_owned(), way, error: None }
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the text is no regular expression.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether the whole text matches; not when the pattern ran out of steps.
    pub fn matches(&self, value: &str) -> bool {
        self.try_matches(value).unwrap_or(false)
    }

    /// As [`Pattern::matches`], but says when the pattern ran out of steps.
    pub fn try_matches(&self, value: &str) -> Result<bool, OverBudget> {
        let over_budget = || OverBudget { pattern: self.text.clone() };
        Ok(value == self.text
            || match &self.way {
                Way::Exact(text) => value == text,
                Way::Folded(text) => value.chars().map(fold).eq(text.chars()),
                Way::Within(text) => value.chars().map(fold).collect::<String>().contains(text),
                Way::Dotted(text) => same_but_for_dots(text, value.chars(), is_line_end),
                Way::FoldedDotted(text) => same_but_for_dots(text, value.chars().map(fold), |_| false),
                Way::Regex(regex) => regex.is_match(value),
                Way::Backtracking(_) if value.len() > MAX_BACKTRACKED_TEXT => return Err(over_budget()),
                Way::Backtracking(regex) => regex.is_match(value).map_err(|_| over_budget())?,
            })
    }
}

fn same_but_for_dots(text: &str, mut value: impl Iterator<Item = char>, no_dot: fn(char) -> bool) -> bool {
    let fits = |wanted: char| value.next().is_some_and(|c| c == wanted || (wanted == '.' && !no_dot(c)));
    text.chars().all(fits) && value.next().is_none()
}

/// Where a line ends in Java, and so what a dot does not stand for.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What can mean something in a regular expression.
fn is_special(c: char) -> bool {
    "\\.+*?()|[]{}^$".contains(c)
}

/// A literal text in any case: by folding where the text is ASCII, else as a regular expression, which knows
/// the rules of all scripts.
fn ignoring_case(text: &str, folded: fn(String) -> Way, around: fn(String) -> String) -> Way {
    if text.is_ascii() {
        return folded(text.to_ascii_lowercase());
    }
    match compile(&around(java::escape(text)), Dialect::Maestro) {
        Ok(regex) => Way::Regex(regex),
        Err(_) => Way::Exact(text.to_owned()),
    }
}

/// The one text that a pattern means when nothing in it is special but escaped punctuation.
fn plain(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'Q' => {
                    let (quoted, after) = java::split_quote(chars.as_str());
                    text.push_str(quoted);
                    chars = after.chars();
                }
                c => text.push(Some(c).filter(char::is_ascii_punctuation)?),
            },
            c if is_special(c) => return None,
            c => text.push(c),
        }
    }
    Some(text)
}

/// Simple case folding, as far as a letter of ASCII can be meant.
fn fold(c: char) -> char {
    match c {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        c => c.to_ascii_lowercase(),
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let source = |pattern: &Self| match &pattern.way {
            Way::Regex(regex) => Some(regex.as_str().to_owned()),
            Way::Backtracking(regex) => Some(regex.as_str().to_owned()),
            Way::Exact(text)
            | Way::Folded(text)
            | Way::Within(text)
            | Way::Dotted(text)
            | Way::FoldedDotted(text) => Some(text.clone()),
        };
        let same_way = std::mem::discriminant(&self.way) == std::mem::discriminant(&other.way);
        self.text == other.text && same_way && source(self) == source(other)
    }
}

fn compile_java(text: &str, dialect: Dialect) -> Result<Way, String> {
    let java::Translated { source, needs_backtracking } = java::translate(text);
    if needs_backtracking {
        whole(&source, |source| build_backtracking(source, dialect)).map(Way::Backtracking)
    } else {
        compile(&source, dialect).map(Way::Regex)
    }
}

fn compile(source: &str, dialect: Dialect) -> Result<Regex, String> {
    whole(source, |source| build(source, dialect))
}

/// Whole-string match whatever the flags: `\A` and `\z` are not moved by multi-line mode.
fn whole<R>(source: &str, build: impl Fn(&str) -> Result<R, String>) -> Result<R, String> {
    // Inside of the group `a)(b` would be a regular expression, which alone it is not.
    if source.contains(')') {
        build(source)?;
    }
    let whole = build(&format!(r"\A(?:{source})\z"));
    // In extended mode a comment goes on to the end of the line, and would take the group's end with it.
    if whole.is_err() && source.contains('#') {
        return build(&format!("\\A(?:{source}\n)\\z"));
    }
    whole
}

fn build(source: &str, dialect: Dialect) -> Result<Regex, String> {
    let maestro = dialect == Dialect::Maestro;
    RegexBuilder::new(source)
        .case_insensitive(maestro)
        .dot_matches_new_line(maestro)
        .multi_line(maestro)
        .crlf(true)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| last_line(&error.to_string()))
}

fn build_backtracking(source: &str, dialect: Dialect) -> Result<fancy_regex::Regex, String> {
    let maestro = dialect == Dialect::Maestro;
    fancy_regex::RegexBuilder::new(source)
        .case_insensitive(maestro)
        .dot_matches_new_line(maestro)
        .multi_line(maestro)
        .crlf(true)
        .backtrack_limit(MAX_STEPS)
        .delegate_size_limit(1 << 20)
        .build()
        .map_err(|error| reason(&error))
}

/// Why a pattern with look-around or back-references is none, in the words of the other engine where both know it.
fn reason(error: &fancy_regex::Error) -> String {
    use fancy_regex::{CompileError, Error, ParseError};
    match error {
        Error::ParseError(_, ParseError::UnclosedOpenParen) => "unclosed group".to_owned(),
        Error::ParseError(_, ParseError::InvalidClass) => "unclosed character class".to_owned(),
        Error::ParseError(_, ParseError::InvalidBackref) => {
            "there is no such group to refer back to".to_owned()
        }
        Error::ParseError(_, ParseError::TargetNotRepeatable) => {
            "repetition operator missing expression".to_owned()
        }
        Error::ParseError(_, error) => lowercase_first(&error.to_string()),
        Error::CompileError(error) => match &**error {
            CompileError::InvalidBackref(group) => format!("there is no group {group} to refer back to"),
            CompileError::InvalidGroupNameBackref(name) => {
                format!("there is no group '{name}' to refer back to")
            }
            CompileError::LookBehindNotConst | CompileError::VariableLookBehindRequiresFeature => {
                "a look-behind must have one length".to_owned()
            }
            CompileError::PatternTooComplex => "it is too large".to_owned(),
            CompileError::InnerError(error) => last_line(&error.to_string()),
            other => lowercase_first(&other.to_string()),
        },
        other => lowercase_first(&other.to_string()),
    }
}

fn lowercase_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The reason without the drawing of the pattern above it.
fn last_line(error: &str) -> String {
    error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
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
        assert!(Pattern::containing("ÄRGER").matches("kein Ärger\nmehr"));
    }

    #[test]
    fn escaped_punctuation_is_plain() {
        check(Dialect::Native, r"com\.a:id/ok", &["com.a:id/ok", r"com\.a:id/ok"], &["comxa:id/ok"]);
        check(Dialect::Native, r"a\d", &["a5"], &["ad"]);
    }

    #[test]
    fn plain_words_ignore_case_as_regular_expressions_do() {
        check(Dialect::Maestro, "kiosk", &["KIOSK", "\u{212a}io\u{17f}\u{212a}"], &["kiosks", "kiösk"]);
        check(Dialect::Maestro, "Grüße", &["GRÜßE", "grüße"], &["Grusse"]);
    }

    #[test]
    fn dots_alone_need_no_regular_expression() {
        check(Dialect::Native, "a.b", &["a.b", "axb", "aéb"], &["ab", "a.bc", "A.b", "a\nb", "a\u{2028}b"]);
        check(Dialect::Maestro, "a.B", &["A.b", "a\nb", "axb"], &["ab", "xa.b"]);
        check(Dialect::Native, "...", &["abc"], &["ab", "abcd", ""]);
        check(Dialect::Maestro, "k.s", &["\u{212a}.\u{17f}"], &[]);
    }

    #[test]
    fn classes_are_those_of_java() {
        check(Dialect::Native, r"\d+", &["12"], &["\u{663}", "a"]);
        check(Dialect::Native, r"[\d.,]+", &["1.2,3"], &["x"]);
        check(Dialect::Native, r"\w\W\s\S", &["a- b"], &["ä- b", "a-\u{a0}b"]);
        check(Dialect::Native, r"a\<b", &["a<b"], &["ab"]);
        check(Dialect::Native, r"a.b", &["axb"], &["a\nb", "a\rb"]);
        check(Dialect::Native, r"(?x) \Qa b\E", &["a b"], &["ab"]);
        check(Dialect::Native, r"[\Q]^\E]", &["]", "^"], &["a"]);
    }

    #[test]
    fn look_around_and_back_references_work() {
        check(Dialect::Native, "(?!Save).*", &["Load"], &["Save", "Save all"]);
        check(Dialect::Native, r".*(?<=\d)%", &["5%"], &["x%"]);
        check(Dialect::Native, r"(\w)\1", &["aa"], &["ab", "aA"]);
        check(Dialect::Maestro, r"(\w)\1(?=.)\n", &["aA\n"], &["ab\n"]);
        check(Dialect::Native, "(?=a", &["(?=a"], &["a"]);
        check(Dialect::Native, "a*+a", &["a*+a"], &["aa"]);
        check(Dialect::Native, "(?>a|ab)c", &["ac"], &["abc"]);
        assert!(Pattern::new("(?=a", Dialect::Native).error().is_some());
    }

    #[test]
    fn why_a_pattern_is_none_is_said_in_plain_words() {
        let why = |pattern: &str| Pattern::new(pattern, Dialect::Native).error().unwrap().to_owned();
        assert_eq!(why("a("), "unclosed group");
        assert_eq!(why("(?=a"), "unclosed group");
        assert_eq!(why(r"a\1"), "there is no group 1 to refer back to");
        assert_eq!(why(r"(?<n>a)\k<m>"), "there is no such group to refer back to");
        assert_eq!(why("(?<=a|bc)[d"), "unclosed character class");
    }

    #[test]
    fn a_pattern_that_takes_too_long_does_not_match_and_says_so() {
        let evil = Pattern::new(r"(?=b?)(a|aa)+\1c", Dialect::Native);
        let text = "a".repeat(60);
        assert_eq!(evil.error(), None);
        assert!(!evil.matches(&text));
        assert_eq!(
            evil.try_matches(&text).unwrap_err().to_string(),
            r"the pattern '(?=b?)(a|aa)+\1c' needs too many steps"
        );
        assert!(Pattern::new("(?=a)a+", Dialect::Native).try_matches(&"a".repeat(20_000)).is_err());
    }
}
