//! `cargo xtask codegen`: the files that are written from the code. The pages of `docs/reference` are printed by the
//! program from its own types, the schemas of the built-in tools by a test of the engine from their structs, and the
//! contract of RPC by a test of its crate from the `.proto` files. What is written must fit together: a command of the
//! contract without its tool, or a tool that is no command and not known as one, is an error here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Trouble;
use crate::build_folder::BuildFolder;
use crate::options::Options;
use crate::place::Place;
use crate::process::Cmd;
use crate::temp_folder::TempFolder;

const PAGES: &str = "docs/reference";
const SCHEMAS: &str = "rust/engine/src/builtin";
/// The test that writes the schemas, and the variable that tells it where to.
const SCHEMAS_TEST: &str = "builtin::schemas";
const SCHEMAS_VARIABLE: &str = "TRAILBLAZE_SCHEMAS";
const CONTRACT: &str = "rust/rpc/src";
/// The test that compiles the `.proto` files, and the variable that tells it where to. It fails when the files break
/// what they said before.
const CONTRACT_TEST: &str = "generated";
const CONTRACT_VARIABLE: &str = "TRAILBLAZE_CONTRACT";
/// The tests that compare the commands of the contract with the built-in tools, one by one and argument by argument.
const COMMANDS_TESTS: &str = "reply::tests";

pub(crate) fn run(place: &Place, args: &[String]) -> Result<bool, Trouble> {
    let mut options = Options::new(args);
    let check = options.flag("--check");
    options.end()?;
    let folder = BuildFolder::take(place)?;
    if !build_workspace(place, &folder)? {
        return Ok(false);
    }
    if check {
        let differences = differences(place, &folder)?;
        print(&differences);
        commands_fit(place, &folder)?;
        return Ok(differences.is_empty());
    }
    let mut sources = schemas(place, &folder)?;
    sources.extend(contract(place, &folder)?);
    settle(place, &sources)?;
    // The pages tell what the program knows of its tools, which is what it was built with.
    if !sources.is_empty() && !build_workspace(place, &folder)? {
        return Ok(false);
    }
    commands_fit(place, &folder)?;
    let pages = pages(place, &folder)?;
    settle(place, &pages)?;
    if sources.is_empty() && pages.is_empty() {
        eprintln!("all generated files are up to date");
    }
    Ok(true)
}

/// Makes files as they should be.
fn settle(place: &Place, differences: &[Difference]) -> Result<(), String> {
    for difference in differences {
        let path = place.root.join(&difference.file);
        match &difference.wanted {
            Some(bytes) => write(&path, bytes)?,
            None => fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?,
        }
        eprintln!("{} {}", if difference.wanted.is_some() { "wrote" } else { "removed" }, difference.file);
    }
    Ok(())
}

/// Builds exactly what the test run builds: another choice of crates would choose other features of their
/// dependencies, and half of the workspace would be compiled twice.
pub(crate) fn build_workspace(place: &Place, folder: &BuildFolder) -> Result<bool, String> {
    folder.cargo(place).args(["build", "--workspace", "--all-targets", "--locked"]).passes()
}

/// A file that is not as the code would have it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Its path from the root, with `/`.
    file: String,
    /// None when the file should not be there.
    wanted: Option<Vec<u8>>,
    is_there: bool,
}

/// Where the generated files differ from what the built code says.
pub(crate) fn differences(place: &Place, folder: &BuildFolder) -> Result<Vec<Difference>, String> {
    let mut all = schemas(place, folder)?;
    all.extend(contract(place, folder)?);
    all.extend(pages(place, folder)?);
    Ok(all)
}

fn schemas(place: &Place, folder: &BuildFolder) -> Result<Vec<Difference>, String> {
    let fresh = TempFolder::new("schemas")?;
    let file = fresh.path.join("schemas.json");
    let test = folder.cargo(place).args(["test", "--workspace", "--lib", "--locked", "--quiet"]);
    test.env(SCHEMAS_VARIABLE, &file).args(["--", SCHEMAS_TEST]).run()?;
    let wanted = read_files(&fresh.path, |_| true)?;
    if wanted.is_empty() {
        return Err(format!("no test '{SCHEMAS_TEST}' wrote the schemas"));
    }
    let there = read_files(&place.root.join(SCHEMAS), |name| name.ends_with(".json"))?;
    Ok(compare(SCHEMAS, &there, wanted))
}

fn contract(place: &Place, folder: &BuildFolder) -> Result<Vec<Difference>, String> {
    let fresh = TempFolder::new("contract")?;
    let test =
        folder.cargo(place).args(["test", "--workspace", "--test", CONTRACT_TEST, "--locked", "--quiet"]);
    test.env(CONTRACT_VARIABLE, fresh.path.join("contract.bin")).run()?;
    let wanted = read_files(&fresh.path, |_| true)?;
    if wanted.is_empty() {
        return Err(format!("no test '{CONTRACT_TEST}' wrote the contract"));
    }
    let there = read_files(&place.root.join(CONTRACT), |name| name.ends_with(".bin"))?;
    Ok(compare(CONTRACT, &there, wanted))
}

/// Whether every command of the contract is a tool with the same arguments, and every tool a command or known as none.
fn commands_fit(place: &Place, folder: &BuildFolder) -> Result<(), String> {
    let test = folder.cargo(place).args(["test", "--workspace", "--lib", "--locked", "--quiet"]);
    let (passed, told) = test.args(["--", COMMANDS_TESTS]).passes_and_tells()?;
    let ran = told.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
    match (passed, ran.filter(|rest| !rest.starts_with("0 passed")).count()) {
        (true, 1..) => Ok(()),
        (true, 0) => Err(format!("there are no tests '{COMMANDS_TESTS}'")),
        (false, _) => {
            Err("the commands of proto/trailblaze/v1 and the built-in tools do not fit together".to_owned())
        }
    }
}

fn pages(place: &Place, folder: &BuildFolder) -> Result<Vec<Difference>, String> {
    let fresh = TempFolder::new("codegen")?;
    let program = folder.program("debug", "trailblaze");
    Cmd::new(program, &place.root).arg("docs").arg(&fresh.path).run()?;
    let wanted = read_files(&fresh.path, |_| true)?;
    if wanted.is_empty() {
        return Err("'trailblaze docs' wrote no page".to_owned());
    }
    Ok(compare(PAGES, &read_files(&place.root.join(PAGES), |_| true)?, wanted))
}

pub(crate) fn print(differences: &[Difference]) {
    for difference in differences {
        let what = match (difference.is_there, difference.wanted.is_some()) {
            (true, true) => "out of date",
            (true, false) => "not generated by anything",
            (false, _) => "missing",
        };
        eprintln!("error: {}: {what}", difference.file);
    }
    if !differences.is_empty() {
        eprintln!("hint: run 'cargo xtask codegen' and commit what it writes");
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// What has to change in a folder.
fn compare(folder: &str, there: &Files, wanted: Files) -> Vec<Difference> {
    let file = |name: &str| format!("{folder}/{name}");
    let surplus = there.keys().filter(|name| !wanted.contains_key(*name));
    let mut differences: Vec<Difference> =
        surplus.map(|name| Difference { file: file(name), wanted: None, is_there: true }).collect();
    for (name, bytes) in wanted {
        let is_there = there.contains_key(&name);
        if there.get(&name) != Some(&bytes) {
            differences.push(Difference { file: file(&name), wanted: Some(bytes), is_there });
        }
    }
    differences.sort_by(|a, b| a.file.cmp(&b.file));
    differences
}

/// Every file under a folder with a name that counts; none when the folder does not exist.
fn read_files(folder: &Path, counts: fn(&str) -> bool) -> Result<Files, String> {
    let mut files = Files::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(next) = left.pop() {
        if !next.exists() {
            continue;
        }
        let trouble = |error: std::io::Error| format!("{}: {error}", next.display());
        for entry in fs::read_dir(&next).map_err(trouble)? {
            let path = entry.map_err(trouble)?.path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            if counts(&name) {
                let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                files.insert(name, bytes);
            }
        }
    }
    Ok(files)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> Files {
        files.iter().map(|&(name, text)| (name.to_owned(), text.into())).collect()
    }

    #[test]
    fn changed_missing_and_surplus_files_are_found() {
        let there = files(&[("cli.md", "old"), ("events.md", "same"), ("gone.md", "x")]);
        let wanted = files(&[("cli.md", "new"), ("events.md", "same"), ("tools.md", "fresh")]);
        let found = compare("docs", &there, wanted);
        let found: Vec<(&str, Option<&[u8]>, bool)> =
            found.iter().map(|d| (d.file.as_str(), d.wanted.as_deref(), d.is_there)).collect();
        let expected = [
            ("docs/cli.md", Some(b"new".as_slice()), true),
            ("docs/gone.md", None, true),
            ("docs/tools.md", Some(b"fresh".as_slice()), false),
        ];
        assert_eq!(found, expected);
    }
}
