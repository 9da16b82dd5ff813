//! Arrows between crates point one way, and the inner two touch the world only through traits.

use super::{File, Problem};

/// `model <- engine <- siblings <- trailblaze`. A crate may name those of lower rank only.
const RANKS: &[(&str, u8)] = &[
    ("model", 0),
    ("engine", 1),
    ("script", 2),
    ("bundle", 2),
    ("devices", 2),
    ("mcp", 2),
    ("rpc", 2),
    ("report", 2),
    ("android", 2),
    ("apk", 2),
    ("trailblaze", 3),
];

/// What `model` and `engine` must not name.
const WORLD: &[&str] =
    &["std::fs", "std::net", "std::process", "tokio", "thread::sleep", "Instant::now", "SystemTime::now"];

/// The modules of `std` that an import such as `use std::{fs, io}` must not bring in.
const WORLD_IN_STD: &[&str] = &["fs", "net", "process"];

/// The one place where real time is read and waited for.
const CLOCK: &str = "rust/engine/src/clock.rs";

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    files.iter().flat_map(|file| [arrows(file), world(file)]).flatten().collect()
}

fn rank(name: &str) -> Option<u8> {
    RANKS.iter().find(|(known, _)| *known == name).map(|&(_, rank)| rank)
}

/// The crates that a manifest depends on, checked against its own rank.
fn arrows(file: &File) -> Vec<Problem> {
    let folder = match file.path.split('/').collect::<Vec<_>>()[..] {
        ["rust", folder, "Cargo.toml"] => folder,
        ["xtask", "Cargo.toml"] => {
            let message = "xtask depends on no crate of the workspace, so that it builds in a second";
            return dependencies(file).map(|(line, _)| file.problem(line, message)).collect();
        }
        _ => return Vec::new(),
    };
    let Some(own) = rank(folder) else {
        return vec![file.whole(format!("'{folder}' has no rank; give it one in xtask/src/tidy/layers.rs"))];
    };
    let upward = dependencies(file).filter(|(_, name)| rank(name).is_none_or(|rank| rank >= own));
    let message = |name: &str| match rank(name) {
        Some(rank) if rank == own => format!("'{folder}' must not depend on its sibling '{name}'"),
        Some(_) => format!("'{folder}' must not depend on '{name}', which stands above it"),
        None => format!("'{name}' has no rank; give it one in xtask/src/tidy/layers.rs"),
    };
    upward.map(|(line, name)| file.problem(line, message(name))).collect()
}

/// The crates of this workspace that a manifest names, except for tests.
fn dependencies(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let mut counts = false;
    file.lines().filter_map(move |(number, line)| {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let (kind, table_of) = match section.split_once("dependencies.") {
                Some((kind, name)) => (kind, Some(name)),
                None => (section.strip_suffix("dependencies").unwrap_or("dev-"), None),
            };
            counts = !kind.ends_with("dev-");
            return table_of.filter(|_| counts).and_then(own_crate).map(|name| (number, name));
        }
        let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
        own_crate(key).filter(|_| counts).map(|name| (number, name))
    })
}

/// `engine` for `trailblaze-engine`; none for crates of others.
fn own_crate(package: &str) -> Option<&str> {
    match package.trim_matches('"') {
        "trailblaze" => Some("trailblaze"),
        package => package.strip_prefix("trailblaze-"),
    }
}

/// I/O and real time in the crates that have none.
fn world(file: &File) -> Vec<Problem> {
    let inner = ["rust/model/src/", "rust/engine/src/"].iter().any(|folder| file.path.starts_with(folder));
    let only_tests = file.name() == "tests.rs" || file.path.contains("/tests/");
    if !inner || only_tests || file.extension() != "rs" || file.path == CLOCK {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let lines = code_lines(file);
    for (index, &(number, line)) in lines.iter().enumerate() {
        let named = WORLD.iter().copied().find(|path| names(line, path));
        if let Some(path) = named.or_else(|| grouped(&lines[index..])) {
            problems.push(
                file.problem(number, format!("'{path}': no I/O and no real time here, only through a trait")),
            );
        }
    }
    problems
}

/// Lines that are neither comments nor part of the tests at the end of the file.
fn code_lines(file: &File) -> Vec<(usize, &str)> {
    let lines: Vec<(usize, &str)> = file.lines().collect();
    let starts_tests = |pair: &[(usize, &str)]| {
        pair[0].1.trim() == "#[cfg(test)]" && pair[1].1.starts_with("mod ") && pair[1].1.ends_with('{')
    };
    let end = lines.windows(2).position(starts_tests).unwrap_or(lines.len());
    lines.into_iter().take(end).filter(|(_, line)| !line.trim_start().starts_with("//")).collect()
}

/// Whether a line names a path, and not only a longer name that contains it.
fn names(line: &str, path: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(path).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + path.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

/// A forbidden module in a `use std::{…}` that starts on the first of these lines.
fn grouped(lines: &[(usize, &str)]) -> Option<&'static str> {
    let ((_, first), rest) = lines.split_first()?;
    let (_, group) = first.split_once("std::{")?;
    let mut depth = 0;
    let mut items = vec![String::new()];
    for c in group.chars().chain(rest.iter().flat_map(|(_, line)| line.chars())) {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            c if depth == 0 => items.last_mut()?.push(c),
            _ => {}
        }
    }
    let module = |item: &String| item.trim().split("::").next().unwrap_or_default().to_owned();
    items.iter().map(module).find_map(|module| WORLD_IN_STD.iter().copied().find(|world| *world == module))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, file};
    use super::*;

    #[track_caller]
    fn found(path: &str, text: &str, expected: &[&str]) {
        expect(check(&[file(path, text)]), expected);
    }

    #[test]
    fn arrows_point_down() {
        let manifest =
            "[dependencies]\ntrailblaze-model.workspace = true\ntrailblaze-engine = { path = \"x\" }\n";
        found("rust/script/Cargo.toml", manifest, &[]);
        found(
            "rust/model/Cargo.toml",
            "[dependencies]\ntrailblaze-engine.workspace = true\n",
            &["rust/model/Cargo.toml:2: 'model' must not depend on 'engine', which stands above it"],
        );
        found(
            "rust/report/Cargo.toml",
            "[dependencies]\ntrailblaze.workspace = true\n",
            &["rust/report/Cargo.toml:2: 'report' must not depend on 'trailblaze', which stands above it"],
        );
    }

    #[test]
    fn siblings_meet_only_in_tests() {
        let manifest =
            "[dependencies]\nserde = \"1\"\n[dev-dependencies]\ntrailblaze-script.workspace = true\n";
        found("rust/devices/Cargo.toml", manifest, &[]);
        for section in ["[dependencies]", "[build-dependencies]", "[target.'cfg(unix)'.dependencies]"] {
            found(
                "rust/devices/Cargo.toml",
                &format!("{section}\ntrailblaze-script.workspace = true\n"),
                &["rust/devices/Cargo.toml:2: 'devices' must not depend on its sibling 'script'"],
            );
        }
        found(
            "rust/devices/Cargo.toml",
            "[dependencies.trailblaze-script]\npath = \"x\"\n",
            &["rust/devices/Cargo.toml:1: 'devices' must not depend on its sibling 'script'"],
        );
    }

    #[test]
    fn every_crate_has_a_rank() {
        found(
            "rust/web/Cargo.toml",
            "[package]\nname = \"trailblaze-web\"\n",
            &["rust/web/Cargo.toml: 'web' has no rank; give it one in xtask/src/tidy/layers.rs"],
        );
        found(
            "xtask/Cargo.toml",
            "[dependencies]\ntrailblaze-model.workspace = true\n",
            &[
                "xtask/Cargo.toml:2: xtask depends on no crate of the workspace, so that it builds in a second",
            ],
        );
    }

    #[test]
    fn the_inner_crates_do_no_io() {
        let problem = |path: &str| {
            format!("rust/engine/src/a.rs:1: '{path}': no I/O and no real time here, only through a trait")
        };
        for (line, path) in [
            ("use std::fs::File;", "std::fs"),
            ("use std::{collections::BTreeMap, fs};", "fs"),
            ("use std::{io, net::{IpAddr, TcpStream}};", "net"),
            ("use std::{\n    io,\n    process::Command,\n};", "process"),
            ("    std::thread::sleep(wait);", "thread::sleep"),
            ("let start = Instant::now();", "Instant::now"),
            ("tokio::spawn(x);", "tokio"),
        ] {
            found("rust/engine/src/a.rs", &format!("{line}\n"), &[&problem(path)]);
        }
    }

    #[test]
    fn comments_tests_and_the_clock_may() {
        let fine = "//! No std::fs here\nuse std::{fmt, sync::{Arc}};\nfn tokio_like() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        found("rust/model/src/a.rs", fine, &[]);
        found("rust/model/src/a/tests.rs", "use std::fs;\n", &[]);
        found("rust/engine/src/clock.rs", "std::thread::sleep(wait);\n", &[]);
        found("rust/devices/src/a.rs", "use std::fs;\n", &[]);
    }
}
