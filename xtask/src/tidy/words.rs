//! Words that must not stand in the repo.

use super::{File, Problem};

/// The rules name what they forbid.
const OWN_FOLDER: &str = "xtask/src/tidy/";

/// In code: what leaves work undone, a test unrun or a lint off.
const IN_CODE: &[(&str, &str)] = &[
    ("todo!(", "unfinished code"),
    ("unimplemented!(", "unfinished code"),
    ("#[ignore", "a test that does not run; delete it or make it pass"),
    ("@Disabled", "a test that does not run; delete it or make it pass"),
    ("#[should_panic", "asks only whether anything panics; compare the failure instead"),
    ("#[allow(", "use #[expect(…, reason = \"…\")]"),
    ("#![allow(", "use #![expect(…, reason = \"…\")]"),
];

/// Anywhere: where packages come from is the choice of the machine.
const SOURCES: &[&str] = &["--index-url", "--registry", "replace-with ="];

/// In pieces, because this file is part of the repo too.
const HOSTS: &[&[&str]] = &[
    &["crates", "io"],
    &["npmjs", "org"],
    &["npmjs", "com"],
    &["yarnpkg", "com"],
    &["pypi", "org"],
    &["pythonhosted", "org"],
    &["repo1", "maven", "org"],
    &["repo", "maven", "apache", "org"],
    &["maven", "google", "com"],
    &["sonatype", "org"],
];

pub(super) fn check(file: &File) -> Vec<Problem> {
    if file.path.starts_with(OWN_FOLDER) {
        return Vec::new();
    }
    if file.name() == "Cargo.lock" {
        return lock_file(file);
    }
    let hosts: Vec<String> = HOSTS.iter().map(|parts| parts.join(".")).collect();
    let mut problems = Vec::new();
    for (number, line) in file.lines() {
        if file.is_code() {
            for (word, why) in IN_CODE.iter().filter(|(word, _)| line.contains(word)) {
                problems.push(file.problem(number, format!("'{word}': {why}")));
            }
        }
        if let Some(host) = hosts.iter().find(|host| line.contains(host.as_str())) {
            problems.push(
                file.problem(number, format!("names the registry host '{host}'; name the package only")),
            );
        }
        if let Some(word) = SOURCES.iter().find(|word| line.contains(*word)) {
            problems.push(
                file.problem(number, format!("'{word}': where packages come from is set on the machine")),
            );
        }
        if let Some(path) = machine_path(line) {
            problems.push(file.problem(number, format!("'{path}' is a path of one machine")));
        }
    }
    problems
}

/// Cargo writes the name of its own index into every lock file; any other one is a mirror of one machine.
fn lock_file(file: &File) -> Vec<Problem> {
    let usual = "source = \"registry+https://github.com/rust-lang/";
    let is_source =
        |line: &str| line.starts_with("source = \"registry+") || line.starts_with("source = \"sparse+");
    let strange = file.lines().filter(|(_, line)| is_source(line) && !line.starts_with(usual));
    strange
        .map(|(number, _)| file.problem(number, "a package from another registry than the usual one"))
        .collect()
}

/// A path into somebody's home.
fn machine_path(line: &str) -> Option<&str> {
    ["/root/", "/home/", "/Users/", "C:\\Users\\"].into_iter().find_map(|home| {
        let start = line.match_indices(home).map(|(start, _)| start).find(|&start| {
            let before = line[..start].chars().next_back();
            let after = line[start + home.len()..].chars().next();
            let starts_a_path = before.is_none_or(|c| !c.is_alphanumeric() && !"._-}$~*".contains(c));
            starts_a_path && after.is_some_and(char::is_alphanumeric)
        })?;
        let path = &line[start..];
        let end = path.find(|c: char| c.is_whitespace() || "\"'`),;".contains(c)).unwrap_or(path.len());
        Some(&path[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, file};
    use super::*;

    #[test]
    fn undone_work_and_silenced_lints() {
        expect(
            check(&file("rust/a.rs", "fn a() {\n    todo!()\n}\n#[ignore = \"slow\"]\n")),
            &[
                "rust/a.rs:2: 'todo!(': unfinished code",
                "rust/a.rs:4: '#[ignore': a test that does not run; delete it or make it pass",
            ],
        );
        expect(
            check(&file("rust/a.rs", "#![allow(dead_code)]\n")),
            &["rust/a.rs:1: '#![allow(': use #![expect(…, reason = \"…\")]"],
        );
        expect(check(&file("docs/a.md", "Write no todo!() and no #[ignore]\n")), &[]);
        expect(check(&file("rust/a.rs", "#[expect(dead_code, reason = \"x\")]\n")), &[]);
    }

    #[test]
    fn registries() {
        let host = HOSTS[0].join(".");
        let message = format!("docs/a.md:1: names the registry host '{host}'; name the package only");
        expect(check(&file("docs/a.md", &format!("see https://{host}/x\n"))), &[&message]);
        expect(
            check(&file("a.sh", "pip install --index-url http://x y\n")),
            &["a.sh:1: '--index-url': where packages come from is set on the machine"],
        );
        let lock =
            "source = \"registry+https://github.com/rust-lang/index\"\nsource = \"sparse+https://mirror/\"\n";
        expect(
            check(&file("fuzz/Cargo.lock", lock)),
            &["fuzz/Cargo.lock:2: a package from another registry than the usual one"],
        );
    }

    #[test]
    fn paths_of_one_machine() {
        expect(
            check(&file("docs/a.md", "open `/home/ann/trails` or /root/x.yaml\n")),
            &["docs/a.md:1: '/root/x.yaml' is a path of one machine"],
        );
        expect(
            check(&file("docs/a.md", "open `/home/ann/trails`\n")),
            &["docs/a.md:1: '/home/ann/trails' is a path of one machine"],
        );
        for fine in
            ["workspace/root/file", "app/home/screen", "$HOME/home/x", "the folder /home/", "tap '/home'"]
        {
            expect(check(&file("docs/a.md", &format!("{fine}\n"))), &[]);
        }
    }
}
