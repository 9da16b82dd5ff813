//! The folder of a plan: what may lie in it, and how its scripts find back from there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::PLAN;
use super::plan::Plan;
use super::script::quoted;
use crate::exit_code::{Exit, Problem};
use crate::files;

/// Writes the files of a plan; only those of an earlier plan give way.
pub(super) fn write(plan: &Plan) -> Result<(), Problem> {
    let cannot = |path: &Path, error: &std::io::Error| {
        let message = format!("{} cannot be written: {}", files::shown(path), files::why(error));
        Problem::new(Exit::BadDocument, message).hint("'--out DIR' chooses another folder")
    };
    let last = last(&plan.folder);
    check(plan, last.as_deref())?;
    fs::create_dir_all(&plan.folder).map_err(|error| cannot(&plan.folder, &error))?;
    for name in last.iter().flatten().filter(|name| !plan.files.iter().any(|(known, _)| known == *name)) {
        // What cannot be removed harms nobody.
        let _ = fs::remove_file(plan.folder.join(name));
    }
    // The plan itself comes first: it says whose the others are.
    let (own, rest): (Vec<_>, Vec<_>) = plan.files.iter().partition(|(name, _)| name == PLAN);
    for (name, text) in own.into_iter().chain(rest) {
        let path = plan.folder.join(name);
        fs::write(&path, text).map_err(|error| cannot(&path, &error))?;
    }
    Ok(())
}

/// The files that the last plan in a folder wrote; none where there is no plan of ours.
fn last(folder: &Path) -> Option<Vec<String>> {
    let plan: Value = serde_json::from_str(&fs::read_to_string(folder.join(PLAN)).ok()?).ok()?;
    (plan["trailblaze"].is_string() && plan["shards"].is_array()).then_some(())?;
    let names = plan["files"].as_array()?.iter().filter_map(Value::as_str);
    let is_plain = |name: &&str| !name.contains(['/', '\\']) && *name != "..";
    Some(names.filter(is_plain).chain([PLAN]).map(str::to_owned).collect())
}

/// Refuses a folder of somebody else. In one of ours other files may lie, but none that would be overwritten.
fn check(plan: &Plan, last: Option<&[String]>) -> Result<(), Problem> {
    let entries = files::list(&plan.folder)?;
    let is_foreign = |name: &str| match last {
        Some(last) => {
            plan.files.iter().any(|(ours, _)| ours == name) && !last.iter().any(|ours| ours == name)
        }
        None => !name.starts_with('.'),
    };
    let mut names = entries.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy());
    match names.find(|name| is_foreign(name)) {
        Some(name) => {
            let message = format!("{} holds '{name}', which no plan wrote", files::shown(&plan.folder));
            Err(Problem::new(Exit::Usage, message)
                .hint("'--out DIR' takes a new folder, or the one of an earlier plan"))
        }
        None => Ok(()),
    }
}

/// The line of a script that goes where the plan was made, from wherever it is started.
pub(super) fn way_back(folder: &Path) -> String {
    let (from, to) = (real(folder), real(Path::new(".")));
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    let way: Vec<String> = up.chain(down).collect();
    let way = if way.is_empty() { ".".to_owned() } else { way.join("/") };
    format!("CDPATH= cd -P \"$(dirname \"$0\")\"/{}\n", quoted(&way))
}

/// Without links, as far as it is there already.
fn real(path: &Path) -> PathBuf {
    let full = files::normal(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let known = full.ancestors().find_map(|folder| Some((folder.canonicalize().ok()?, folder)));
    match known {
        Some((real, folder)) => real.join(full.strip_prefix(folder).unwrap_or(&full)),
        None => full.clone(),
    }
}
