//! What is wrong with a document: place, code, message and hint, collected so that one run reports them all.

use std::fmt;
use std::sync::Arc;

use crate::place::{FilePlace, Place, Source};

/// What kind of problem a diagnostic reports. The names are a contract: they stand in `check --json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The file cannot be read, is empty, binary or too large
    Unreadable,
    /// The text is not valid YAML, or a script not valid JavaScript or TypeScript
    Syntax,
    /// The document nests deeper, repeats aliases more often or is larger than the limits allow
    Limit,
    /// The same key stands twice in one mapping
    DuplicateKey,
    /// A key that this document does not have
    UnknownKey,
    /// A required key is missing
    MissingKey,
    /// A value has another type than its key needs
    WrongType,
    /// A value is outside of what its key allows
    BadValue,
    /// Two keys exclude or require each other
    Conflict,
    /// The order or number of items is not allowed
    Structure,
    /// A tool that no source provides
    UnknownTool,
    /// A tool that is known but not part of this version
    NotYet,
    /// A required argument of a tool call is missing
    MissingArgument,
    /// An argument of a tool call has the wrong type or value
    BadArgument,
    /// An argument that the tool does not have
    UnknownArgument,
    /// A Maestro command that is unknown or malformed
    MaestroCommand,
    /// A token that names nothing known
    BadToken,
    /// A regular expression that does not compile and is taken literally
    BadPattern,
    /// Two sources provide one name
    Collision,
    /// A name that does not follow the naming rules
    Naming,
    /// A driver, platform, target or toolset that does not exist
    UnknownName,
    /// A driver that this program knows but cannot drive
    UnsupportedDriver,
    /// YAML tools that call each other in a circle
    Cycle,
    /// A step has no recording where other steps of the trail have one
    Coverage,
    /// Two trails of one run have the same id
    DuplicateId,
    /// A file or folder that another document names does not exist
    MissingFile,
    /// An import of a script that finds no file, no package or no export
    MissingImport,
    /// An import of a module that exists on a host only, in a script that is to run on a device
    HostOnly,
    /// TypeScript that is more than types, such as an enum, where nothing but types can be removed
    NotErasable,
    /// A bundler is not there, or it failed
    Bundler,
    /// A toolset that does not start, or lists a tool that cannot be used
    BadToolset,
}

impl Code {
    pub const ALL: &[Self] = &[
        Self::Unreadable,
        Self::Syntax,
        Self::Limit,
        Self::DuplicateKey,
        Self::UnknownKey,
        Self::MissingKey,
        Self::WrongType,
        Self::BadValue,
        Self::Conflict,
        Self::Structure,
        Self::UnknownTool,
        Self::NotYet,
        Self::MissingArgument,
        Self::BadArgument,
        Self::UnknownArgument,
        Self::MaestroCommand,
        Self::BadToken,
        Self::BadPattern,
        Self::Collision,
        Self::Naming,
        Self::UnknownName,
        Self::UnsupportedDriver,
        Self::Cycle,
        Self::Coverage,
        Self::DuplicateId,
        Self::MissingFile,
        Self::MissingImport,
        Self::HostOnly,
        Self::NotErasable,
        Self::Bundler,
        Self::BadToolset,
    ];

    /// The code as it is written in machine output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Syntax => "syntax",
            Self::Limit => "limit",
            Self::DuplicateKey => "duplicateKey",
            Self::UnknownKey => "unknownKey",
            Self::MissingKey => "missingKey",
            Self::WrongType => "wrongType",
            Self::BadValue => "badValue",
            Self::Conflict => "conflict",
            Self::Structure => "structure",
            Self::UnknownTool => "unknownTool",
            Self::NotYet => "notYet",
            Self::MissingArgument => "missingArgument",
            Self::BadArgument => "badArgument",
            Self::UnknownArgument => "unknownArgument",
            Self::MaestroCommand => "maestroCommand",
            Self::BadToken => "badToken",
            Self::BadPattern => "badPattern",
            Self::Collision => "collision",
            Self::Naming => "naming",
            Self::UnknownName => "unknownName",
            Self::UnsupportedDriver => "unsupportedDriver",
            Self::Cycle => "cycle",
            Self::Coverage => "coverage",
            Self::DuplicateId => "duplicateId",
            Self::MissingFile => "missingFile",
            Self::MissingImport => "missingImport",
            Self::HostOnly => "hostOnly",
            Self::NotErasable => "notErasable",
            Self::Bundler => "bundler",
            Self::BadToolset => "badToolset",
        }
    }

    /// One sentence for the reference page.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Unreadable => "The file cannot be read, is empty, binary or too large",
            Self::Syntax => "The text is not valid YAML, or a script not valid JavaScript or TypeScript",
            Self::Limit => {
                "The document nests deeper, repeats aliases more often or is larger than the limits allow"
            }
            Self::DuplicateKey => "The same key stands twice in one mapping",
            Self::UnknownKey => "A key that this document does not have",
            Self::MissingKey => "A required key is missing",
            Self::WrongType => "A value has another type than its key needs",
            Self::BadValue => "A value is outside of what its key allows",
            Self::Conflict => "Two keys exclude or require each other",
            Self::Structure => "The order or number of items is not allowed",
            Self::UnknownTool => "A tool that no source provides",
            Self::NotYet => "A tool that is known but not part of this version",
            Self::MissingArgument => "A required argument of a tool call is missing",
            Self::BadArgument => "An argument of a tool call has the wrong type or value",
            Self::UnknownArgument => "An argument that the tool does not have",
            Self::MaestroCommand => "A Maestro command that is unknown or malformed",
            Self::BadToken => "A token that names nothing known",
            Self::BadPattern => "A regular expression that does not compile and is taken literally",
            Self::Collision => "Two sources provide one name",
            Self::Naming => "A name that does not follow the naming rules",
            Self::UnknownName => "A driver, platform, target or toolset that does not exist",
            Self::UnsupportedDriver => "A driver that this program knows but cannot drive",
            Self::Cycle => "YAML tools that call each other in a circle",
            Self::Coverage => "A step has no recording where other steps of the trail have one",
            Self::DuplicateId => "Two trails of one run have the same id",
            Self::MissingFile => "A file or folder that another document names does not exist",
            Self::MissingImport => "An import of a script that finds no file, no package or no export",
            Self::HostOnly => {
                "An import of a module that exists on a host only, in a script that is to run on a device"
            }
            Self::NotErasable => {
                "TypeScript that is more than types, such as an enum, where nothing but types can be removed"
            }
            Self::Bundler => "A bundler is not there, or it failed",
            Self::BadToolset => "A toolset that does not start, or lists a tool that cannot be used",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// One problem. Prints as `file:line:column: message`, then the source line, then `hint: …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    /// None for a problem that stands in no file (a flag of the command line, say).
    pub at: Option<FilePlace>,
    pub message: String,
    pub hint: Option<String>,
    /// The source line under `at`, without its line ending; none when no person wrote it, by its length.
    pub snippet: Option<Arc<str>>,
}

impl Diagnostic {
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        let message = shorten(message.into());
        Self { severity: Severity::Error, code, at: None, message, hint: None, snippet: None }
    }

    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(shorten(hint.into()));
        self
    }

    pub fn hint_opt(mut self, hint: Option<String>) -> Self {
        self.hint = hint.map(shorten).or(self.hint);
        self
    }

    pub fn at(mut self, source: &Source, place: Place) -> Self {
        self.at = Some(FilePlace { file: source.file.clone(), place });
        let line = source.line(place.line).filter(|line| line.len() <= MAX_LINE);
        self.snippet = line.map(|line| without_passwords(line).into());
        self
    }

    pub fn in_file(mut self, file: impl Into<Arc<str>>) -> Self {
        self.at = Some(FilePlace { file: file.into(), place: Place::START });
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{label}: ")?;
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        write!(f, "{}", self.message)?;
        if let (Some(snippet), Some(at)) = (&self.snippet, &self.at) {
            write_snippet(f, snippet, at.place)?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// A source line longer than this is not kept: a hundred problems in one line would keep it a hundred times.
const MAX_LINE: usize = 64 << 10;

/// A message that quotes a document must not become as long as the document.
const MAX_MESSAGE: usize = 2_000;

fn shorten(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_MESSAGE) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The line with `http://user:***@host` for a URL with a password, each column where it was.
fn without_passwords(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("//") {
        let authority = &after[..after.find(['/', '"', '\'']).unwrap_or(after.len())];
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        let stars = "*".repeat(password.chars().count());
        let colon = &user[name.len()..user.len() - password.len()];
        shown += &[before, "//", name, colon, &stars].concat();
        rest = &after[user.len()..];
    }
    shown + rest
}

/// At most this many characters of a source line are shown.
const SNIPPET_WIDTH: usize = 120;

fn write_snippet(f: &mut fmt::Formatter<'_>, line: &str, place: Place) -> fmt::Result {
    let column = (place.column as usize).saturating_sub(1);
    let skip = column.saturating_sub(SNIPPET_WIDTH * 2 / 3);
    let shown: String =
        line.chars().skip(skip).take(SNIPPET_WIDTH).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.trim().is_empty() {
        return Ok(());
    }
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    write!(f, "\n{number} | {}\n{margin} | {}^", shown.trim_end(), " ".repeat(column - skip))
}

/// Collects problems while documents are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    pub fn extend(&mut self, other: impl IntoIterator<Item = Diagnostic>) {
        self.items.extend(other);
    }

    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter(|d| d.severity == Severity::Error)
    }

    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter(|d| d.severity == Severity::Warning)
    }

    /// In the order of files and places, so that output does not depend on the order of checks.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        crate::order::sort_by(&mut self.items, |a, b| a.at.cmp(&b.at).then(a.severity.cmp(&b.severity)));
        self.items.dedup();
        self.items
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_urls_are_not_shown() {
        for (line, expected) in [
            ("url: http://bob:s3cret@host/mcp", "url: http://bob:******@host/mcp"),
            ("url: \"https://bob:p@ss:w ö@host\" # x@y", "url: \"https://bob:********@host\" # x@y"),
            ("a: [ftp://a:b@c, //d:e@f/g@h]", "a: [ftp://a:*@c, //d:*@f/g@h]"),
            ("url: http://host:80/a:b@c", "url: http://host:80/a:b@c"),
            ("// bob@host", "// bob@host"),
            ("http://:@host //", "http://:@host //"),
        ] {
            assert_eq!(without_passwords(line), expected);
        }
    }
}
