//! What the pages promise exists: tasks, files behind links, paths in commands.

use crate::TASKS;

use super::{File, Problem};

/// The test command of the README, and all that the script of the build servers may call.
const TEST_COMMAND: &str = "cargo xtask test";

pub(super) fn check(files: &[File], exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    for page in files.iter().filter(|file| file.extension() == "md" && !file.is_sample()) {
        for (number, line) in page.lines() {
            problems.extend(
                unknown_tasks(line).map(|task| page.problem(number, format!("no task '{task}' in xtask"))),
            );
            let broken = links(line).filter(|link| !exists(&resolve(&page.path, link)));
            problems.extend(
                broken.map(|link| page.problem(number, format!("link to '{link}', which does not exist"))),
            );
        }
    }
    problems.extend(
        files.iter().filter(|file| file.path == "README.md").flat_map(|readme| commands(readme, exists)),
    );
    problems.extend(files.iter().filter(|file| file.path == ".ci/run").filter_map(script));
    problems
}

/// The words after `cargo xtask` that are no task.
fn unknown_tasks(line: &str) -> impl Iterator<Item = &str> {
    let calls = line.split("cargo xtask ").skip(1);
    let words = calls.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next());
    let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    words.filter(is_word).filter(|word| *word != "help" && !TASKS.iter().any(|task| task.name == *word))
}

/// The files that a line links to.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    files.map(|target| target.split('#').next().unwrap_or_default()).filter(|target| !target.is_empty())
}

/// A link on a page as a path from the root.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The commands in the blocks of the README: there is the test command, and paths in them exist.
fn commands(readme: &File, exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut in_block = false;
    let mut has_test_command = false;
    for (number, line) in readme.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let command = line.split('#').next().unwrap_or_default().trim();
        if !in_block || !command.starts_with("cargo ") {
            continue;
        }
        has_test_command |= command == TEST_COMMAND;
        let paths = command.split_whitespace().filter(|word| word.contains('/') && !word.starts_with('-'));
        let missing = paths.filter(|path| !exists(path));
        problems.extend(missing.map(|path| readme.problem(number, format!("no '{path}' in the repo"))));
    }
    if !has_test_command {
        problems.push(readme.whole(format!("the command '{TEST_COMMAND}' stands in no block")));
    }
    problems
}

/// The script of the build servers does nothing of its own.
fn script(script: &File) -> Option<Problem> {
    let own = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && !line.starts_with("set ") && !line.starts_with("cd ")
    };
    let calls: Vec<&str> =
        script.text.lines().filter(own).map(|line| line.trim_start_matches("exec ")).collect();
    (calls != [TEST_COMMAND]).then(|| script.whole(format!("calls something else than '{TEST_COMMAND}'")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, file};
    use super::*;

    #[track_caller]
    fn found(path: &str, text: &str, expected: &[&str]) {
        let exists = |path: &str| ["docs/guide.md", "README.md", "examples/first"].contains(&path);
        expect(check(&[file(path, text)], &exists), expected);
    }

    #[test]
    fn tasks_exist() {
        found(
            "docs/a.md",
            "Run `cargo xtask tidy`, `cargo xtask TASK` or `cargo xtask lint`\n",
            &["docs/a.md:1: no task 'lint' in xtask"],
        );
    }

    #[test]
    fn links_lead_somewhere() {
        found("docs/a.md", "[g](guide.md#top) [r](../README.md) [w](https://example.com) [h](#here)\n", &[]);
        found("docs/a.md", "[x](missing.md)\n", &["docs/a.md:1: link to 'missing.md', which does not exist"]);
    }

    #[test]
    fn commands_of_the_readme() {
        let good = "```\ncargo run --release -- run examples/first\ncargo xtask test   # all\n```\n";
        found("README.md", good, &[]);
        found(
            "README.md",
            "```\ncargo run -- run examples/second\n```\n",
            &[
                "README.md:2: no 'examples/second' in the repo",
                "README.md: the command 'cargo xtask test' stands in no block",
            ],
        );
    }

    #[test]
    fn the_script_calls_the_test_command_only() {
        found(".ci/run", "#!/usr/bin/env bash\nset -euo pipefail\ncd x\nexec cargo xtask test\n", &[]);
        found(
            ".ci/run",
            "cargo xtask test\ncargo doc\n",
            &[".ci/run: calls something else than 'cargo xtask test'"],
        );
    }
}
