//! `cargo xtask tidy`: rules of this repo that neither the compiler nor clippy knows.

mod api_levels;
mod docs;
mod java;
mod layers;
mod lines;
mod words;

use std::fmt;
use std::fs;

use crate::Trouble;
use crate::options::Options;
use crate::place::Place;
use crate::process::Cmd;

pub(crate) fn run(place: &Place, args: &[String]) -> Result<bool, Trouble> {
    Options::new(args).end()?;
    let problems = problems(place)?;
    print(&problems);
    eprintln!(
        "{}",
        if problems.is_empty() { "tidy".to_owned() } else { format!("{} to fix", problems.len()) }
    );
    Ok(problems.is_empty())
}

pub(crate) fn print(problems: &[Problem]) {
    for problem in problems {
        eprintln!("error: {problem}");
    }
}

/// Everything that is wrong, in the order of files and lines. An error means that the files cannot be listed.
pub(crate) fn problems(place: &Place) -> Result<Vec<Problem>, String> {
    let files = files(place)?;
    let mut problems: Vec<Problem> = files.iter().flat_map(lines::check).collect();
    problems.extend(files.iter().flat_map(words::check));
    problems.extend(files.iter().flat_map(java::check));
    problems.extend(api_levels::check(&files));
    problems.extend(layers::check(&files));
    problems.extend(docs::check(&files, &|path| place.root.join(path).exists()));
    problems.sort();
    Ok(problems)
}

/// One thing to fix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    file: String,
    /// 1-based; none when the file as a whole is meant.
    line: Option<usize>,
    message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// A text file of the repo.
#[derive(Debug)]
struct File {
    /// From the root of the checkout, with `/`.
    path: String,
    text: String,
}

impl File {
    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line: Some(line), message: message.into() }
    }

    fn whole(&self, message: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line: None, message: message.into() }
    }

    /// Lines with their 1-based numbers.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().zip(1..).map(|(line, number)| (number, line))
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn extension(&self) -> &str {
        self.name().rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    fn is_code(&self) -> bool {
        ["rs", "js", "ts", "mjs", "py", "java", "kt", "kts", "sh", "proto"].contains(&self.extension())
    }

    /// Input and output of tests: kept as it is, whatever it looks like.
    fn is_sample(&self) -> bool {
        self.extension() == "snap"
            || self
                .path
                .split('/')
                .any(|part| ["fixtures", "corpus", "snapshots", "captures"].contains(&part))
    }

    /// An app for the sim, which is one file by design.
    fn is_sim_app(&self) -> bool {
        self.path.starts_with("examples/") && self.path.ends_with("/app.js")
    }

    fn is_generated(&self) -> bool {
        // Generators of SDKs have their own ideas of where they sign.
        self.path.contains("/gen/")
            || self.text.lines().take(10).any(|line| line.contains(concat!("@", "generated")))
    }
}

/// The text files that git knows, and the new ones it does not ignore, so that a problem shows before the commit.
fn files(place: &Place) -> Result<Vec<File>, String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Cmd::new("git", &place.root).args(list).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("git cannot list the files: {}", said.trim()));
    }
    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
        // A file that is deleted but not yet committed is still listed; bytes that are no text have no lines.
        let Ok(bytes) = fs::read(place.root.join(path)) else { continue };
        if let Ok(text) = String::from_utf8(bytes)
            && !text.contains('\0')
        {
            files.push(File { path: path.to_owned(), text });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod testing {
    use super::{File, Problem};

    pub(super) fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// Compares what was found, one `file:line: message` each.
    #[track_caller]
    pub(super) fn expect(found: impl IntoIterator<Item = Problem>, expected: &[&str]) {
        let found: Vec<String> = found.into_iter().map(|problem| problem.to_string()).collect();
        assert_eq!(found, expected);
    }
}
