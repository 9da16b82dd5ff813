//! What esbuild and bun say about sources, as problems with places.

use std::path::Path;

use trailblaze_model::bundle::Bundler;
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::place::{Place, Source};

use crate::files::{Files, join, name_of};

/// Reads what a bundler that failed wrote to its standard error.
pub(super) fn read(bundler: Bundler, said: &str, root: &Path, files: &dyn Files) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let mut message: Option<&str> = None;
    for line in said.lines() {
        let line = line.trim();
        let start = match bundler {
            Bundler::Bun => line.strip_prefix("error: "),
            _ => line.split_once("[ERROR] ").map(|(_, message)| message),
        };
        if start.is_some() {
            problems.extend(message.take().map(|message| problem(bundler, message)));
            message = start;
            continue;
        }
        let place = match bundler {
            Bundler::Bun => line.strip_prefix("at "),
            _ => line.strip_suffix(':'),
        };
        let found = place.and_then(place_of).filter(|_| message.is_some());
        if let Some((file, place)) = found {
            let problem = message.take().map(|message| problem(bundler, message));
            problems.extend(problem.map(|problem| at(problem, bundler, file, place, root, files)));
        }
    }
    problems.extend(message.map(|message| problem(bundler, message)));
    if problems.is_empty() {
        let first =
            said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it says nothing about it");
        problems.push(Diagnostic::error(Code::Bundler, format!("{} failed: {first}", bundler.as_str())));
    }
    problems
}

fn problem(bundler: Bundler, message: &str) -> Diagnostic {
    let quoted = message.split('"').nth(1).filter(|_| message.starts_with("Could not resolve"));
    match quoted {
        None => Diagnostic::error(Code::Syntax, message.to_owned()),
        Some(specifier) => {
            let package = !specifier.starts_with(['.', '/']);
            let installer = if bundler == Bundler::Bun { "bun add" } else { "npm install" };
            Diagnostic::error(Code::MissingImport, format!("'{specifier}' is not there"))
                .hint_opt(package.then(|| format!("{installer} {}", package_of(specifier))))
        }
    }
}

/// `@scope/name` for `@scope/name/file.js`.
fn package_of(specifier: &str) -> String {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    specifier.split('/').take(parts).collect::<Vec<_>>().join("/")
}

/// `file:1:2`
fn place_of(text: &str) -> Option<(&str, Place)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, Place { line: line.parse().ok()?, column: column.parse().ok()? }))
}

fn at(
    problem: Diagnostic,
    bundler: Bundler,
    file: &str,
    place: Place,
    root: &Path,
    files: &dyn Files,
) -> Diagnostic {
    let path = Path::new(file);
    let name = if path.is_absolute() { name_of(root, path) } else { join("", file) };
    // Esbuild counts columns in bytes from 0, bun from 1.
    let bytes = place.column.saturating_sub(u32::from(bundler == Bundler::Bun)) as usize;
    let text = files.read(&name).ok().and_then(|text| String::from_utf8(text).ok()).unwrap_or_default();
    let source = Source::new(name, text);
    let before = source.line(place.line).and_then(|line| line.get(..bytes));
    let column = before.map_or(bytes, |before| before.chars().count()) as u32 + 1;
    problem.at(&source, Place { line: place.line, column })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[track_caller]
    fn check(bundler: Bundler, said: &str, expected: &str) {
        let files: BTreeMap<String, String> =
            [("tools/a.ts".to_owned(), "import { x } from \"zodd/y\";\n/* ä */ let y = ;\n".to_owned())]
                .into();
        let problems = read(bundler, said, Path::new("/w"), &files);
        let text: Vec<String> = problems.into_iter().map(|problem| problem.to_string()).collect();
        assert_eq!(text.join("\n"), expected);
    }

    #[test]
    fn problems_have_places() {
        check(
            Bundler::Esbuild,
            "✘ [ERROR] Could not resolve \"zodd/y\"\n\n    tools/a.ts:1:18:\n      1 │ import { x } from \"zodd/y\";\n        ╵ ~~\n\n  \
             You can mark the path\n\n✘ [ERROR] Unexpected \";\"\n\n    tools/a.ts:2:17:\n      2 │ let y\n",
            "error: tools/a.ts:1:19: 'zodd/y' is not there\n1 | import { x } from \"zodd/y\";\n  |                   ^\nhint: npm install zodd\n\
             error: tools/a.ts:2:17: Unexpected \";\"\n2 | /* ä */ let y = ;\n  |                 ^",
        );
        check(
            Bundler::Bun,
            "1 | import { x } from \"zodd/y\";\n                      ^\nerror: Could not resolve: \"zodd/y\". Maybe you need to \"bun install\"?\n    \
             at /w/tools/a.ts:1:19\n\nerror: Something else\n",
            "error: tools/a.ts:1:19: 'zodd/y' is not there\n1 | import { x } from \"zodd/y\";\n  |                   ^\nhint: bun add zodd\n\
             error: Something else",
        );
        check(Bundler::Esbuild, "\nno such flag\n", "error: esbuild failed: no such flag");
        check(Bundler::Bun, "", "error: bun failed: it says nothing about it");
    }
}
