//! Which trail files a command line means: workspaces, folders, files and globs.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::Platform;
use trailblaze_model::order;

use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::workspace::{Workspace, is_root};

const SUFFIX: &str = ".trail.yaml";

/// The trail files that `paths` mean on a device, each once, in the order of the paths.
pub fn trail_files(
    paths: &[PathBuf],
    workspace: &Workspace,
    device: &Classifiers,
) -> Result<Vec<PathBuf>, Problem> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in expand(paths)? {
        let more = if path.is_dir() {
            if is_root(&path) {
                let trails =
                    workspace.trails_dir().filter(|trails| trails.starts_with(&path) && trails.is_dir());
                let trails = trails.ok_or_else(|| no_trails(&path))?;
                folder(&trails, device, &mut Vec::new())?
            } else {
                let inside = folder(&path, device, &mut Vec::new())?;
                if inside.is_empty() { sibling(&path).into_iter().collect() } else { inside }
            }
        } else {
            vec![path.clone()]
        };
        if more.is_empty() {
            return Err(no_trails(&path));
        }
        found.extend(more);
    }
    Ok(each_once(found))
}

fn each_once(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

fn no_trails(path: &Path) -> Problem {
    Problem::new(Exit::BadDocument, format!("no trails in {}", files::shown(path)))
        .hint("trails are files called 'trail.yaml' or '<name>.trail.yaml', in a workspace below 'trails/'")
}

/// Paths as absolute ones, with globs replaced by what they match.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        let full = files::normal(&std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        let text = full.to_string_lossy().into_owned();
        if full.exists() {
            found.push(full);
        } else if text.contains(['*', '?']) {
            let matching = glob(&text);
            if matching.is_empty() {
                return Err(Problem::new(Exit::BadDocument, format!("nothing matches {}", path.display())));
            }
            found.extend(matching);
        } else {
            let problem = Problem::new(Exit::BadDocument, format!("{} does not exist", path.display()));
            return Err(problem.hint("give a workspace, a folder, a trail file or a glob"));
        }
    }
    Ok(found)
}

/// `*` and `?` within a name, `**` over folders.
fn glob(pattern: &str) -> Vec<PathBuf> {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = Vec::new();
    walk_glob(Path::new("/"), &parts, &mut found);
    each_once(found)
}

fn walk_glob(folder: &Path, parts: &[&str], found: &mut Vec<PathBuf>) {
    let Some((part, rest)) = parts.split_first() else { return };
    if *part == "**" {
        walk_glob(folder, rest, found);
        // As in a shell, links to folders are not followed: they may lead in circles.
        let below = |entry: &PathBuf| entry.is_dir() && !entry.is_symlink() && !is_hidden(entry);
        for entry in files::list(folder).unwrap_or_default().into_iter().filter(below) {
            walk_glob(&entry, parts, found);
        }
        return;
    }
    if !part.contains(['*', '?']) {
        let next = folder.join(part);
        match rest {
            [] if next.exists() => found.push(next),
            [] => {}
            _ if next.is_dir() => walk_glob(&next, rest, found),
            _ => {}
        }
        return;
    }
    for entry in files::list(folder).unwrap_or_default() {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if wildcard(part, &name) {
            match rest {
                [] => found.push(entry),
                _ => walk_glob(&entry, rest, found),
            }
        }
    }
}

/// Whether a name fits a pattern with `*` and `?`.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    p = at + 1;
                    n = taken + 1;
                    star = Some((at, taken + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "node_modules"
}

/// All trails of a folder and the folders in it. A folder that was seen already is left out: links may lead in
/// circles.
fn folder(path: &Path, device: &Classifiers, seen: &mut Vec<PathBuf>) -> Result<Vec<PathBuf>, Problem> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if seen.contains(&real) {
        return Ok(Vec::new());
    }
    seen.push(real);
    let mut found: Vec<PathBuf> = Vec::new();
    let mut plain: Vec<PathBuf> = Vec::new();
    let mut below: Vec<PathBuf> = Vec::new();
    for entry in files::list(path)? {
        if entry.is_dir() {
            // `trails/config` holds the configuration of the other layout.
            let is_config = entry.file_name().is_some_and(|name| name == "config")
                && entry.join("trailblaze.yaml").is_file();
            if !is_hidden(&entry) && !is_config {
                below.push(entry);
            }
        } else {
            plain.push(entry);
        }
    }
    found.extend(own_trails(path, &plain, device));
    for entry in below {
        found.extend(folder(&entry, device, seen)?);
    }
    order::sort(&mut found);
    Ok(found)
}

/// The trails among files that are known by their paths alone, sorted.
pub fn among(files: &[PathBuf], device: &Classifiers) -> Vec<PathBuf> {
    let mut folders: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        folders.entry(file.parent().unwrap_or(Path::new(""))).or_default().push(file.clone());
    }
    let is_seen = |folder: &&Path| !folder.ancestors().any(is_hidden) && !folder.ends_with("trails/config");
    let folders = folders.iter().filter(|(folder, _)| is_seen(folder));
    let mut found: Vec<PathBuf> =
        folders.flat_map(|(folder, plain)| own_trails(folder, plain, device)).collect();
    order::sort(&mut found);
    found
}

/// The trails among the files of a folder.
fn own_trails(path: &Path, plain: &[PathBuf], device: &Classifiers) -> Vec<PathBuf> {
    let named = plain.iter().filter(|file| is_named_trail(file)).cloned();
    named.chain(own_trail(path, plain, device)).collect()
}

/// `<case>.trail.yaml`, but not `android-phone.trail.yaml`.
fn is_named_trail(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(SUFFIX).is_some_and(|stem| {
        let first = stem.split('-').next().unwrap_or_default();
        !stem.is_empty() && Platform::parse(first).is_none()
    })
}

/// The trail that a folder itself is: the closest file for the device wins.
fn own_trail(path: &Path, plain: &[PathBuf], device: &Classifiers) -> Option<PathBuf> {
    let mut names: Vec<String> = Vec::new();
    let mut joined = device.joined();
    loop {
        names.push(format!("{joined}{SUFFIX}"));
        match joined.rfind('-') {
            Some(end) => joined.truncate(end),
            None => break,
        }
    }
    names.extend(["trail.yaml", "blaze.yaml", "trailblaze.yaml"].map(str::to_owned));
    let file = names.into_iter().map(|name| path.join(name)).find(|file| plain.contains(file))?;
    let is_workspace = file.file_name().is_some_and(|name| name == "trailblaze.yaml") && is_root(path);
    (!is_workspace).then_some(file)
}

/// `<folder>.trail.yaml` beside the folder.
fn sibling(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    Some(path.with_file_name(format!("{name}{SUFFIX}"))).filter(|file| file.is_file())
}

/// What a trail is called when it has no id: the path after the last `trails/`, without its ending.
pub fn display_name(path: &Path, root: Option<&Path>) -> String {
    let full = path.to_string_lossy().replace('\\', "/");
    let name = match full.rfind("/trails/") {
        Some(at) => full[at + "/trails/".len()..].to_owned(),
        None => {
            let relative = root.and_then(|root| path.strip_prefix(root).ok());
            relative.map_or_else(|| files::shown(path), |path| path.to_string_lossy().replace('\\', "/"))
        }
    };
    let short = name
        .strip_suffix(SUFFIX)
        .or_else(|| name.strip_suffix("/trail.yaml"))
        .or_else(|| name.strip_suffix(".yaml"))
        .unwrap_or(&name);
    if short.is_empty() || short == "trail" { "run".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_paths() {
        let check = |path: &str, expected: &str| {
            assert_eq!(display_name(Path::new(path), Some(Path::new("/w"))), expected, "{path}");
        };
        check("/w/trails/login/sign-in.trail.yaml", "login/sign-in");
        check("/w/trails/login/trail.yaml", "login");
        check("/w/trails/trail.yaml", "run");
        check("/w/trails/a/trails/b.trail.yaml", "b");
        check("/w/broken/x.trail.yaml", "broken/x");
        check("/w/trails/login/blaze.yaml", "login/blaze");
    }

    #[test]
    fn wildcards_match_whole_names() {
        for (pattern, name, fits) in [
            ("*.yaml", "a.yaml", true),
            ("a?c", "abc", true),
            ("a*c*e", "abcde", true),
            ("a*", "b", false),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(wildcard(pattern, name), fits, "{pattern} {name}");
        }
    }
}
